// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Cover points by name, and how often each was hit.
#ifndef MUSTER_SIM_LOCKSTEP_COVER_POINTS_H_
#define MUSTER_SIM_LOCKSTEP_COVER_POINTS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace muster::lockstep {

class CoverPoints {
 public:
  struct Point {
    std::string name;
    std::uint64_t hits = 0;
  };

  // Stands for all points that a configuration lacks.
  static constexpr unsigned kNone = 0;

  unsigned Define(const std::string& name) {
    points_.push_back({name, 0});
    return static_cast<unsigned>(points_.size() - 1);
  }
  void Count(unsigned point) { ++points_[point].hits; }

  std::vector<Point> list() const { return {points_.begin() + 1, points_.end()}; }
  std::vector<std::uint64_t> hits() const {
    std::vector<std::uint64_t> hits;
    for (std::size_t i = 1; i < points_.size(); ++i) {
      hits.push_back(points_[i].hits);
    }
    return hits;
  }
  // Adds the hits of another process, in the order of list().
  void Add(const std::vector<std::uint64_t>& hits) {
    for (std::size_t i = 0; i < hits.size(); ++i) {
      points_[i + 1].hits += hits[i];
    }
  }

 private:
  std::vector<Point> points_ = std::vector<Point>(1);
};

}  // namespace muster::lockstep

#endif  // MUSTER_SIM_LOCKSTEP_COVER_POINTS_H_
