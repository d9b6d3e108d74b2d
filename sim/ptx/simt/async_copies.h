// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Instructions that start something and do not wait for it: cp.async, cp.async.bulk, also by tensor
// maps, st.async, red.async (PTX ISA 9.7.13.7), clusterlaunchcontrol (9.7.13.17). Knows what is
// started and where it goes; the copy engine decides when it is performed.
#ifndef MUSTER_SIM_PTX_SIMT_ASYNC_COPIES_H_
#define MUSTER_SIM_PTX_SIMT_ASYNC_COPIES_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <utility>

#include "sim/ptx/simt/execution.h"
#include "sim/ptx/simt/memory_access.h"
#include "sim/ptx/simt/tensor_map.h"
#include "sim/ptx/simt/unknowns.h"

namespace muster::ptx {

class AsyncCopies {
 public:
  // clusterlaunchcontrol.try_cancel of one lane of the warp sets out.
  using Cancel = std::function<void(const Warp& warp, const CancelCall& call)>;

  AsyncCopies(Execution* execution, Unknowns* unknowns, const MemoryAccess* access)
      : x_(*execution), unknowns_(*unknowns), access_(*access) {}

  void set_cancel(Cancel cancel) { cancel_ = std::move(cancel); }

  StepEvent ExecuteAsync(Warp* warp, const Lanes& lanes, std::uint32_t frame);
  // Returns false while a lane has to wait.
  static bool ExecuteCopyGroup(Warp* warp, const Lanes& lanes);
  StepEvent ExecuteTensorReplace(Warp* warp, const Lanes& lanes);
  StepEvent ExecuteTryCancel(Warp* warp, const Lanes& lanes);
  StepEvent ExecuteQueryCancel(Warp* warp, const Lanes& lanes);

  // Hands a transfer of one lane to the copy engine.
  void StartTransfer(Warp* warp, unsigned lane, const Instruction& instruction, CopyGroups* groups,
                     Transfer transfer);
  // Sets the transfer's target to the shared memory at an address. Returns false if none is there.
  bool Locate(Warp* warp, unsigned lane, Space space, std::uint64_t address, unsigned bytes,
              bool write, Transfer* transfer);

 private:
  StepEvent StartCopy(Warp* warp, const Lanes& lanes, unsigned lane);
  StepEvent StartStore(Warp* warp, const Lanes& lanes, std::uint32_t frame, unsigned lane);
  StepEvent StartBulk(Warp* warp, const Lanes& lanes, unsigned lane);
  void StartInParts(Warp* warp, unsigned lane, const Instruction& instruction,
                    const Transfer& whole, std::uint64_t mask);
  bool LocateMbarrier(Warp* warp, unsigned lane, Space space, std::uint64_t address,
                      Transfer* transfer);
  // Returns the mask of CTAs that a copy goes to, or nothing (a problem).
  std::optional<std::uint64_t> TargetsOf(const Warp& warp, const Lanes& lanes, unsigned lane,
                                         Slot ctas, const Transfer& whole);
  // tensor.cpp: copies by tensor maps.
  StepEvent StartTensor(Warp* warp, const Lanes& lanes, unsigned lane);
  std::optional<TensorMap> MapAt(const Warp& warp, const Lanes& lanes, unsigned lane,
                                 std::uint64_t address);
  bool AimAtShared(Warp* warp, const Lanes& lanes, unsigned lane, Transfer* transfer);

  Execution& x_;
  Unknowns& unknowns_;
  const MemoryAccess& access_;
  Cancel cancel_;
};

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_SIMT_ASYNC_COPIES_H_
