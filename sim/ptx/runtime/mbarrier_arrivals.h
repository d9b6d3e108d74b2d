// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Records which warp arrived at which mbarrier, from which line of the PTX file, and which warps
// wait there. Reports of runs and deadlocks are made of this. Knows operations and their effects
// alone, and not how they reach a unit.
#ifndef MUSTER_SIM_PTX_RUNTIME_MBARRIER_ARRIVALS_H_
#define MUSTER_SIM_PTX_RUNTIME_MBARRIER_ARRIVALS_H_

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "sim/golden/mbarrier.h"
#include "sim/isa/effects.h"
#include "sim/isa/mbarrier_operation.h"
#include "sim/ptx/program/program.h"

namespace muster::ptx {

struct MbarrierRow {
  std::uint64_t cta = 0;  // linear id in the grid
  std::uint32_t address = 0;
  std::uint64_t phases = 0;    // that completed
  std::uint64_t arrivals = 0;  // of threads and copies
  std::uint64_t waits = 0;     // warps that parked
  std::uint64_t limits = 0;    // of these, answered false by the time limit
};

class MbarrierArrivals {
 public:
  struct Member {
    unsigned warp = 0;  // of the CTA
    std::uint32_t lanes = 0;
    std::uint32_t line = 0;
    bool parity = false;       // of a wait: the parity of the phase that it waits for
    bool conditional = false;  // it is a conditional phase
  };
  // What happens at a word of a resident CTA.
  struct Entry {
    std::vector<Member> came;   // in the current phase
    std::vector<Member> waits;  // waits that were answered false, or are parked
  };
  // The history of a word since it was initialised.
  struct History {
    bool fresh = false;          // no phase has completed
    std::uint64_t word = 0;      // after the latest operation that changed it
    bool passed = false;         // a wait for the phase before the first was answered
    std::uint64_t arrivers = 0;  // warps of the CTA that have arrived in a phase that is complete
    // By warp: the latest phase whose completion a wait has observed, counted from 0.
    std::map<unsigned, std::uint64_t> seen;
  };

  void Reset();  // nothing has happened
  // A CTA takes a slot.
  void Launch(unsigned slot, std::uint64_t cta);
  // An event of an operation that was not refused, of the CTA's `warp`.
  void Step(const MbOperation& operation, const MbEffects& effects, unsigned warp,
            std::uint32_t line);
  // The time limit of the wait parked in that slot of the unit has passed.
  void Expire(unsigned warp_slot);

  // An ordinary store to the word: no object was invalidated there.
  void Overwrite(unsigned slot, std::uint32_t address) { invalidated_[slot].erase(address); }

  // Whether no phase of the word has completed since it was initialised.
  bool IsFresh(unsigned slot, std::uint32_t address) const {
    return HistoryOf(slot, address).fresh;
  }
  // Returns the operation that invalidated the object there; null: it has not been invalidated
  // since the latest init.
  const Member* InvalidatedBy(unsigned slot, std::uint32_t address) const;

  std::vector<MbarrierRow> Rows() const;
  const std::map<std::uint32_t, Entry>& At(unsigned slot) const { return entries_[slot]; }
  const History& HistoryOf(unsigned slot, std::uint32_t address) const;
  std::uint64_t Phases(unsigned slot, std::uint32_t address) const;
  std::uint64_t Operations(MbOp op) const { return operations_[static_cast<unsigned>(op)]; }

 private:
  MbarrierRow& RowOf(unsigned slot, std::uint32_t address);
  void Wait(const MbOperation& operation, const MbEffects& effects, unsigned warp,
            std::uint32_t line);

  std::array<std::map<std::uint32_t, Entry>, kMaxCtas> entries_;
  std::array<std::map<std::uint32_t, History>, kMaxCtas> histories_;
  std::array<std::map<std::uint32_t, Member>, kMaxCtas> invalidated_;
  std::array<std::uint64_t, kMaxCtas> ctas_{};
  std::map<std::pair<std::uint64_t, std::uint32_t>, MbarrierRow> rows_;
  std::array<std::uint64_t, kNumMbOps> operations_{};
  std::array<MbarrierRow*, kMaxWarps> parked_at_{};  // by the unit's slot
};

// "bar+0x8 (0x48)", or the address alone where no variable lies.
std::string MbarrierName(const Program& program, std::uint32_t address);

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_RUNTIME_MBARRIER_ARRIVALS_H_
