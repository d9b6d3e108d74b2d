// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The state of 32 threads. Each has its own program counter; those that stand at the same one run
// together, as a group.
#ifndef MUSTER_SIM_PTX_SIMT_WARP_H_
#define MUSTER_SIM_PTX_SIMT_WARP_H_

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "sim/isa/operation.h"
#include "sim/isa/warp_size.h"
#include "sim/ptx/program/instruction.h"
#include "sim/ptx/simt/atomics.h"
#include "sim/ptx/simt/mbarriers.h"
#include "sim/ptx/simt/tensor_memory.h"
#include "sim/ptx/simt/transfer.h"
#include "sim/ptx/simt/unknown.h"
#include "sim/ptx/simt/warp_unit.h"
#include "sim/ptx/simt/warpgroup.h"

namespace muster::ptx {

class FenceSink;
struct Cta;
struct Launch;

struct Cluster {
  std::array<std::uint32_t, 3> id{};  // in the grid of clusters
  unsigned slot = 0;
  const Launch* launch = nullptr;
  std::vector<Cta*> ctas;  // by rank
};

struct Cta {
  unsigned unit = 0;  // of the run
  unsigned slot = 0;  // of the unit
  std::array<std::uint32_t, 3> id{};
  std::uint64_t linear_id = 0;  // after the CTAs of launches before
  const Launch* launch = nullptr;
  const Cluster* cluster = nullptr;
  unsigned rank = 0;    // in it
  bool exited = false;  // all its threads have
  bool last = false;    // it knows that no cluster is left to be cancelled
  std::uint64_t exited_warps = 0;
  std::vector<std::uint8_t> shared;
  UnknownBytes unknown;                  // of it
  std::unique_ptr<TensorMemory> tensor;  // from the first allocation on
  MbarrierSink* port = nullptr;          // in front of it, if the program has mbarriers
  AtomicSink* atomics = nullptr;         // likewise, if it has atomics on shared memory
  TransferSink* engine = nullptr;
  FenceSink* fences = nullptr;  // if accesses are performed late
  RegisterPool registers;
  std::vector<Warpgroup> warpgroups;  // if the program has instructions of theirs
};

// Which of the bytes `at` is.
inline constexpr std::uint64_t kElsewhere = ~std::uint64_t{0};
inline std::uint64_t ByteIn(const std::vector<std::uint8_t>& memory, const std::uint8_t* at) {
  const auto first = reinterpret_cast<std::uintptr_t>(memory.data());
  const auto there = reinterpret_cast<std::uintptr_t>(at);
  return there >= first && there - first < memory.size() ? there - first : kElsewhere;
}

// clusterlaunchcontrol.try_cancel: where in shared memory the response and its mbarrier are.
struct CancelCall {
  bool multicast = false;
  std::uint32_t response = 0;
  std::uint32_t mbarrier = 0;
  std::uint32_t line = 0;
  unsigned lane = 0;
  std::vector<std::uint32_t> passes;  // of a schedule: of what goes to each CTA, by rank
};

// griddepcontrol.
struct GridControlCall {
  bool waits = false;
  std::uint32_t lanes = 0;
  std::uint32_t line = 0;
};

struct Group {
  enum class State : std::uint8_t {
    kReady,
    kAligned,  // at an aligned barrier, until all lanes of the warp that have not exited stand
               // there
    kHeld,     // at a non-aligned barrier or a collective, until the warp unit lets them go
    kAsked,    // at an mbarrier instruction, until the unit answers
    kAsleep,   // at nanosleep, until its time has come
    kAwaitsResource,  // at tcgen05.alloc or setmaxnreg, until the CTA has enough of what it takes
    kAwaitsTurn,      // at an instruction of a schedule, until it is its turn
  };
  std::uint32_t pc = 0;
  std::uint32_t frame = 0;  // first register
  std::uint32_t lanes = 0;
  State state = State::kReady;
  std::uint64_t until = 0;  // asleep: the cycle in which it goes on
};

struct Warp {
  Cta* cta = nullptr;
  unsigned slot = 0;               // of the unit
  std::uint32_t first_thread = 0;  // of the CTA
  std::uint32_t live = 0;          // lanes that have not exited
  std::vector<Group> groups;
  std::uint32_t held = 0;      // groups that are not ready
  std::uint32_t matched = 0;   // lanes that match.any has answered, and that wait for the others
  std::uint32_t favoured = 0;  // a lane whose group has the next `turns`
  std::uint32_t turns = 0;
  Arrival arrival;         // the latest barrier instruction
  MbInstruction mbarrier;  // the latest mbarrier instruction
  // What each lane has sent last to the mbarriers of each other CTA: Transfer::on_its_way.
  std::map<std::pair<unsigned, const Cta*>, std::weak_ptr<const void>> sent;
  AtomicCall atomic;                                    // the latest one that the unit carries out
  GridControlCall grid_control;                         // the latest griddepcontrol
  std::array<CopyGroups, kWarpSize> copies;             // by cp.async
  std::array<CopyGroups, kWarpSize> bulk_copies;        // by cp.async.bulk, to global memory
  std::array<CopyGroups, kWarpSize> tensor_operations;  // by tcgen05.mma and the like
  CopyGroups products;                                  // by wgmma
  Fragments fragments;                                  // of these
  std::uint64_t timed = 0;                              // branches taken or not by a clock
  std::uint32_t exited = 0;                             // lanes that the latest exit ended
  std::uint32_t exit_line = 0;
  std::uint32_t exit_from = 0;  // the line of the branch that led all of them there, or exit_line
  std::uint32_t leaving = 0;    // lanes that a branch has sent to an exit, and its line
  std::uint32_t leaving_at = 0;
  std::vector<std::uint64_t> registers;  // slot by slot, 32 lanes each
  std::array<std::vector<std::uint8_t>, kWarpSize> local;
  UnknownRegisters unknown;
  UnknownBytes unknown_stacks;  // of the local memories, by lane and byte

  std::uint64_t& Register(std::uint32_t frame, Slot slot, unsigned lane) {
    return registers[(std::size_t{frame} + static_cast<std::uint32_t>(slot)) * kWarpSize + lane];
  }
};

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_SIMT_WARP_H_
