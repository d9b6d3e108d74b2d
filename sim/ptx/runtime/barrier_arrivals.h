// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Records which warp arrived at which barrier, from which line of the PTX file, and how long it
// waited. Reports of runs, hazards and deadlocks are made of this. Knows operations and their
// effects alone, and not how they reach a unit.
#ifndef MUSTER_SIM_PTX_RUNTIME_BARRIER_ARRIVALS_H_
#define MUSTER_SIM_PTX_RUNTIME_BARRIER_ARRIVALS_H_

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sim/isa/effects.h"
#include "sim/isa/operation.h"

namespace muster::ptx {

struct BarrierRow {
  std::uint64_t cta = 0;  // linear id in the grid
  unsigned id = 0;
  std::uint64_t generations = 0;
  std::uint64_t wait_cycles = 0;
  std::uint64_t longest_wait = 0;
  unsigned last_arriver = 0;  // warp of the CTA
};

// A fault, or the first of the hazards or notes of one kind at one line.
struct Incident {
  std::string name;
  std::uint32_t line = 0;
  std::uint64_t cycle = 0;
  std::uint64_t cta = 0;  // linear id
  unsigned warp = 0;      // of the CTA
  unsigned barrier = 0;
  std::uint32_t lanes = 0;
  std::uint64_t count = 1;
  std::string mbarrier{};     // its name; empty: it is the barrier above
  std::string explanation{};  // a sentence
  std::uint32_t pc = 0;       // the instruction, in an order of explore
};

// Where a warp is when the run has stopped.
struct WarpLocation {
  unsigned warp = 0;  // of the CTA
  std::string what;   // "waits at barrier 1", "has exited"
  std::uint32_t line = 0;
  bool waits = false;   // of those at a barrier: it waits there
  std::string brief{};  // where `what` has the lines of several groups of lanes: one that matters
  bool has_exited = false;
};
struct StuckBarrier {
  std::uint64_t cta = 0;
  unsigned id = 0;
  std::string kind;
  unsigned arrived = 0;   // warps
  unsigned expected = 0;  // warps
  bool all_warps = false;
  std::vector<WarpLocation> came;
  std::vector<WarpLocation> missing;
  std::vector<WarpLocation> others;  // neither came nor can come
  bool can_come = true;              // some of the missing can
};
struct StuckMbarrier {
  std::uint64_t cta = 0;
  std::string name;
  std::optional<std::uint64_t> phase;  // how many are complete; nothing: that is not known
  bool parity = false;                 // of the phase
  unsigned pending = 0;
  unsigned expected = 0;
  std::int64_t tx = 0;
  bool fresh = false;  // no phase has completed, and no wait for the one before the first was asked
  std::vector<WarpLocation> came;
  std::vector<WarpLocation> waits;
  std::vector<WarpLocation> missing;
  std::vector<WarpLocation> others;  // neither came nor can come
  bool can_come = true;              // some of the missing can
};
struct StuckCluster {
  std::array<std::uint32_t, 3> cluster{};  // of the grid of clusters
  unsigned arrived = 0;                    // warps at barrier.cluster
  unsigned expected = 0;
  std::vector<std::pair<std::uint64_t, WarpLocation>> came;  // with their CTAs' linear ids
  std::vector<std::pair<std::uint64_t, WarpLocation>> missing;
};
struct StuckWarp {  // a warp that repeats a loop, or whose lanes wait for each other
  std::uint64_t cta = 0;
  WarpLocation where;
};

class BarrierArrivals {
 public:
  struct Member {
    unsigned warp = 0;  // of the CTA
    std::uint32_t line = 0;
    std::uint64_t cycle = 0;
    bool waits = false;
  };
  // The open generation of one barrier of a resident CTA.
  struct Entry {
    OpKind kind = OpKind::kSync;
    unsigned count = 0;
    std::vector<Member> members;
  };

  void Reset();  // nothing has happened
  // A CTA takes a slot.
  void Launch(unsigned slot, std::uint64_t cta);
  // An operation that was not refused, of the CTA's `warp`.
  void Commit(std::uint64_t cycle, const Operation& operation, const Effects& effects,
              unsigned warp, std::uint32_t line);

  const Entry& At(unsigned slot, unsigned bar) const { return entries_[slot][bar]; }
  // The warps of the CTA that have arrived in a generation that is complete.
  std::uint64_t ArrivedBefore(unsigned slot, unsigned bar) const { return before_[slot][bar]; }
  std::vector<BarrierRow> Rows() const;
  std::uint64_t releases() const { return releases_; }

 private:
  std::array<std::array<Entry, kNumBars>, kMaxCtas> entries_;
  std::array<std::array<std::uint64_t, kNumBars>, kMaxCtas> before_{};
  std::array<std::uint64_t, kMaxCtas> ctas_{};
  std::map<std::pair<std::uint64_t, unsigned>, BarrierRow> rows_;
  std::uint64_t releases_ = 0;
};

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_RUNTIME_BARRIER_ARRIVALS_H_
