// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// A record of a launch for pictures: where each warp arrived and waited, from which cycle to which,
// and which warp released it. Keeps only the first events, so that its memory is bounded. Knows
// nothing of how pictures are drawn.
#ifndef MUSTER_SIM_PTX_RUNTIME_ON_PINS_TIMELINE_H_
#define MUSTER_SIM_PTX_RUNTIME_ON_PINS_TIMELINE_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

namespace muster::ptx {

class Timeline {
 public:
  static constexpr std::size_t kMaxEvents = 50'000;  // warps, arrivals, waits and turns
  static constexpr std::uint64_t kOpen = ~std::uint64_t{0};
  static constexpr std::uint32_t kNobody = ~0U;
  static constexpr std::uint32_t kOutside = kNobody - 1;  // a copy, or another CTA

  enum class Kind : std::uint8_t { kBarrier, kMbarrier, kCluster, kLanes };
  struct Place {
    Kind kind = Kind::kBarrier;
    std::uint64_t owner = 0;  // linear id of the CTA; of a cluster, of its first one
    std::uint32_t id = 0;     // the barrier; the address of the mbarrier; the warp

    bool operator<(const Place& other) const {
      return std::tie(kind, owner, id) < std::tie(other.kind, other.owner, other.id);
    }
  };
  using WarpName = std::pair<std::uint64_t, unsigned>;  // linear id of the CTA, warp of the CTA

  struct Row {
    WarpName warp;
    std::uint64_t begin = 0;
    std::uint64_t end = kOpen;
  };
  struct Arrival {
    std::uint32_t row = 0;
    Place place;
    std::uint64_t phase = 0;  // of the place, from 0
    std::uint32_t line = 0;
    std::uint64_t cycle = 0;
  };
  struct Wait {
    Arrival from;
    std::uint64_t end = kOpen;
    std::uint32_t lanes = 0;     // lanes that still wait
    std::uint32_t by = kNobody;  // row of the warp whose operation completed the phase
    std::uint32_t by_line = 0;
    std::uint64_t completed = 0;  // the cycle in which the phase completed
  };

  struct TurnMark {
    std::uint32_t row = 0;
    std::uint32_t number = 0;  // of the schedule's turns, from 1
    std::uint32_t line = 0;
    std::uint64_t cycle = 0;
  };

  // A warp begins, and exits.
  void Begin(WarpName warp, std::uint64_t cycle);
  void End(WarpName warp, std::uint64_t cycle);
  void Arrive(WarpName warp, const Place& place, std::uint32_t line, std::uint64_t cycle);
  // Lanes begin to wait; at an mbarrier, with their first attempt. They wait in one place at a
  // time.
  void BeginWait(WarpName warp, const Place& place, std::uint32_t lanes, std::uint32_t line,
                 std::uint64_t cycle);
  // Lanes of the warp no longer wait at places of this kind.
  void EndWait(WarpName warp, Kind kind, std::uint32_t lanes, std::uint64_t cycle);
  // A turn of the schedule, of the warp, has happened.
  void TakeTurn(WarpName warp, std::uint32_t number, std::uint32_t line, std::uint64_t cycle);
  // The phase of the place has completed, by an operation of the warp, or not of a warp (null).
  void Complete(const Place& place, const WarpName* by, std::uint32_t line, std::uint64_t cycle);

  const std::vector<Row>& rows() const { return rows_; }
  const std::vector<Arrival>& arrivals() const { return arrivals_; }
  const std::vector<Wait>& waits() const { return waits_; }
  const std::vector<TurnMark>& turns() const { return turns_; }
  // The cycle from which on events are not recorded; kOpen: all were recorded.
  std::uint64_t full_at() const { return full_at_; }

 private:
  // One phase of barrier.cluster.
  struct ClusterPhase {
    std::size_t last = kNoArrival;   // the latest arrival
    std::vector<std::size_t> waits;  // waits that the phase has ended
  };
  static constexpr std::size_t kNoArrival = ~std::size_t{0};

  std::uint32_t RowOf(WarpName warp) const;
  bool Full(std::uint64_t cycle);
  std::uint64_t PhaseOf(std::uint32_t row, const Place& place) const;
  void Close(std::size_t wait, std::uint64_t cycle);
  void Join(ClusterPhase* phase);

  std::vector<Row> rows_;
  std::vector<Arrival> arrivals_;
  std::vector<Wait> waits_;
  std::vector<TurnMark> turns_;
  std::map<WarpName, std::uint32_t> row_of_;
  std::map<std::uint32_t, std::vector<std::size_t>> open_;  // waits, by row
  std::map<Place, std::uint64_t> phases_;
  // No event marks the completion of a phase of barrier.cluster: each warp counts the phases that
  // it has left, and the latest arrival of a phase completed it.
  std::map<std::pair<std::uint32_t, Place>, std::uint64_t> left_;
  std::map<std::pair<Place, std::uint64_t>, ClusterPhase> cluster_phases_;
  std::uint64_t full_at_ = kOpen;
};

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_RUNTIME_ON_PINS_TIMELINE_H_
