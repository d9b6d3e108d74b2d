// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The interface of what observes a run, event by event, in terms of the memory model. The analysis
// of which events are ordered implements it.
#ifndef MUSTER_SIM_EXPLORE_OBSERVER_H_
#define MUSTER_SIM_EXPLORE_OBSERVER_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "sim/isa/effects.h"
#include "sim/isa/mbarrier_operation.h"
#include "sim/isa/operation.h"
#include "sim/isa/warp_operation.h"
#include "sim/isa/warp_size.h"
#include "sim/ptx/program/instruction.h"
#include "sim/ptx/simt/schedule.h"
#include "sim/ptx/simt/transfer.h"

namespace muster::explore {

using ptx::kWarpSize;

// The place of an event: lanes of a warp at an instruction.
struct Place {
  std::uint64_t cta = 0;  // linear, in the grid, after those of launches before
  unsigned warp = 0;      // of the CTA
  std::uint32_t lanes = 0;
  std::uint32_t pc = 0;
};

// Bytes of memory: of a CTA's shared memory, of its tensor memory (in pieces, tensor_operation.h),
// or of global memory.
inline constexpr std::uint64_t kGlobal = ~std::uint64_t{0};
inline constexpr std::uint64_t kTensorMemory = std::uint64_t{1} << 62;  // of the CTA added to it
constexpr bool IsTensorMemory(std::uint64_t owner) {
  return owner != kGlobal && (owner & kTensorMemory) != 0;
}
struct Range {
  std::uint64_t owner = kGlobal;  // the CTA, linear
  std::uint64_t address = 0;
  unsigned size = 0;
};

class Observer {
 public:
  Observer() = default;
  Observer(const Observer&) = delete;
  Observer& operator=(const Observer&) = delete;
  virtual ~Observer() = default;

  // One lane loads, stores or swaps one element. `changed`: the value is not as before.
  virtual void OnAccess(const Place& at, const Range& range, ptx::Op op,
                        const ptx::Ordering& ordering, bool changed) = 0;
  // All lanes of a warp load from or store to tensor memory together.
  virtual void OnTensorAccess(const Place& at, const Range& range, bool writes) = 0;
  virtual void OnFence(const Place& at, const ptx::MemoryFence& fence) = 0;
  // Lanes of a warp have met at a collective.
  virtual void OnWarpSync(const Place& at, WarpOp op) = 0;
  // All lanes of a warp have met at an instruction that they execute together.
  virtual void OnWholeWarp(const Place& at) = 0;
  // A warp has set the number of its registers (setmaxnreg).
  virtual void OnRegisters(const Place& at) = 0;

  // A warp arrives at a named barrier of the CTA. `released`: the warps that continue if the
  // arrival completes it. An exit may complete a barrier, too, without an arrival.
  virtual void OnArrive(const Place& at, const Operation& operation, const Effects& effects,
                        const std::vector<Place>& released) = 0;

  // barrier.cluster of a cluster, by its linear id: lanes arrive, the phase completes, lanes are
  // released.
  virtual void OnClusterArrive(const Place& at, std::uint64_t cluster, bool releases) = 0;
  virtual void OnClusterComplete(std::uint64_t cluster) = 0;
  virtual void OnClusterWait(const Place& at, std::uint64_t cluster) = 0;
  // A launch is over; lanes of a later one have waited for those before theirs, by
  // griddepcontrol.wait.
  virtual void OnLaunchEnd(std::size_t launch) = 0;
  virtual void OnLaunchWait(const Place& at, std::size_t launch) = 0;
  // All threads of the CTA have exited.
  virtual void OnCtaEnd(std::uint64_t cta) = 0;

  // An operation on an mbarrier of the CTA `owner`; a wait, when it is answered true. `of`: the
  // number of the transfer that the operation completes or that carried it, or 0.
  virtual void OnMbarrier(const Place& at, std::uint64_t owner, const MbOperation& operation,
                          const ptx::Mbarrier* instruction, const MbEffects& effects,
                          std::uint64_t of) = 0;

  // Transfers, by their numbers from 1 on. An operation on another CTA's mbarrier is one transfer
  // of all lanes that execute it together.
  virtual void OnStart(const Place& at, std::uint64_t number, const ptx::Transfer& transfer) = 0;
  virtual void OnRead(std::uint64_t number, const std::vector<Range>& ranges) = 0;
  virtual void OnWrite(std::uint64_t number, const std::vector<Range>& ranges) = 0;
  // Threads commit a group of their copies, or have waited until at most `groups` are left.
  // A warp commits a group of its products, or has waited until at most so many are left.
  virtual void OnProductGroup(const Place& at, const ptx::WarpgroupOrder& order) = 0;
  virtual void OnCopyGroup(const Place& at, ptx::CopyGroupOp op, bool bulk,
                           std::uint64_t groups) = 0;

  virtual void OnExit(const Place& at) = 0;
};

}  // namespace muster::explore

#endif  // MUSTER_SIM_EXPLORE_OBSERVER_H_
