// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Finds the races of one order, step by step: what each event comes after, and where two
// conflicting events could be reversed. Plans the reversals at these nodes. Knows the events alone,
// and not the world.
#ifndef MUSTER_SIM_EXPLORE_RACES_H_
#define MUSTER_SIM_EXPLORE_RACES_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "sim/explore/event.h"
#include "sim/explore/event_index.h"
#include "sim/ptx/program/program.h"

namespace muster::explore {

class Races {
 public:
  // Both must outlive this object. `most`: how often steps at the same two instructions are
  // reversed; 0: always.
  Races(std::vector<Node>* nodes, const ptx::Program& program, std::uint32_t most = 0)
      : nodes_(*nodes), program_(program), most_(most) {}

  // Computes what the event comes after, and plans its reversals. All events before it must have
  // been added.
  void Find(std::size_t index);
  // Bulk copies, and accesses that they are not ordered with, by their instructions.
  using Copies = std::set<std::pair<std::uint32_t, std::uint32_t>>;
  const Copies& unordered_copies() const { return unordered_copies_; }
  // Whether steps were not reversed since others at their instructions had been, often enough.
  bool has_spared() const { return has_spared_; }

 private:
  bool IsToReverse(const Event& first, std::uint32_t second);
  void Meet(Event* event) const;
  void TakeApart(std::size_t index);
  void NoteCopy(const Event& copy, const Event& other);
  Events BeforeItsThread(std::size_t index) const;
  void Gather(std::size_t index);
  std::optional<std::size_t> StartOf(std::size_t index) const;
  void Reverse(std::size_t i, std::size_t j, std::optional<std::uint64_t> as = std::nullopt);

  std::vector<Node>& nodes_;
  const ptx::Program& program_;
  const std::uint32_t most_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> reversed_;  // by instructions
  bool has_spared_ = false;
  EventIndex index_;  // of the events before the one that is added
  Copies unordered_copies_;
};

}  // namespace muster::explore

#endif  // MUSTER_SIM_EXPLORE_RACES_H_
