// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// An interface to what performs accesses late: it is told of loads and stores, and of what orders
// them, and says what a load sees and which loads are performed after their instruction.
#ifndef MUSTER_SIM_PTX_SIMT_LATE_SINK_H_
#define MUSTER_SIM_PTX_SIMT_LATE_SINK_H_

#include <cstdint>
#include <vector>

#include "sim/ptx/alu/compute.h"
#include "sim/ptx/program/instruction.h"
#include "sim/ptx/simt/warp.h"

namespace muster::ptx {

class Memory;
struct Transfer;

// A load of one lane that its instruction has not performed.
struct LateLoad {
  std::uint32_t pc = 0;
  std::uint32_t frame = 0;
  unsigned lane = 0;
  std::uint64_t address = 0;  // as the instruction named it
};

class LateSink {
 public:
  LateSink() = default;
  LateSink(const LateSink&) = delete;
  LateSink& operator=(const LateSink&) = delete;
  virtual ~LateSink() = default;

  // The lanes of a group come to an instruction. Adds the loads that are to be performed in this
  // cycle, in their order. Returns whether the instruction has to wait for others.
  virtual bool Await(const Warp& warp, const Group& group, const Lanes& lanes, std::uint64_t cycle,
                     std::vector<LateLoad>* due) = 0;
  // These lanes execute it.
  virtual void Reach(const Warp& warp, const Lanes& lanes) = 0;
  // Whether the load of a lane is to be performed later.
  virtual bool Delays(const Warp& warp, const Group& group, unsigned lane,
                      std::uint64_t address) = 0;

  // One lane's access to these bytes. A load: what it sees of what is there `now`. Returns whether
  // it sees another value when it is repeated often enough.
  virtual bool Load(const Warp& warp, unsigned lane, const Instruction& i, std::uint64_t address,
                    const std::uint8_t* now, unsigned bytes, std::uint8_t* seen) = 0;
  virtual void Store(const Warp& warp, unsigned lane, const Instruction& i, std::uint64_t address,
                     const std::uint8_t* before, const std::uint8_t* after, unsigned bytes) = 0;
  virtual void Swap(const Warp& warp, unsigned lane, const Instruction& i, std::uint64_t address,
                    unsigned bytes) = 0;

  // Lanes have been answered: the unit has performed the warp's atomic; its wait at mbarriers is
  // over; a barrier, of the warp, the CTA or the cluster, has let them go; launches before are
  // over.
  virtual void EndAtomic(const Warp& warp) = 0;
  virtual void EndWait(const Warp& warp, std::uint32_t lanes) = 0;
  virtual void Leave(const Warp& warp, std::uint32_t lanes, Scope scope) = 0;
  virtual void LeaveGrid() = 0;

  // By when what the warp has accessed is performed.
  virtual std::uint64_t PerformedBy(const Warp& warp) = 0;

  // A transfer has been started. It reads its source, between these two, or writes its target: some
  // stores may be hidden from it, or come after it.
  virtual void Start(Transfer* transfer) = 0;
  virtual void BeginRead(const Transfer& transfer) = 0;
  virtual void EndRead() = 0;
  virtual void BeginWrite(const Transfer& transfer) = 0;
  virtual void EndWrite(const Transfer& transfer, bool written) = 0;
};

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_SIMT_LATE_SINK_H_
