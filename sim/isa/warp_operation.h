// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The vocabulary of the warp scope (PTX ISA 9.7.13.2, .8 to .10, .12, .14, and the waiting for the
// lanes of a warp in .1 and .3): requests, answers and arrivals. rtl/warp/README.md says what each
// field means. The fault causes are in fault.h.
#ifndef MUSTER_SIM_ISA_WARP_OPERATION_H_
#define MUSTER_SIM_ISA_WARP_OPERATION_H_

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "sim/isa/fault.h"
#include "sim/isa/operation.h"

namespace muster {

enum class WarpOp : std::uint8_t {
  // Collectives: the key is the member mask.
  kSync = 0,
  kShuffle = 1,  // mode: a ShuffleMode
  kElect = 2,
  kVoteAll = 3,
  kVoteAny = 4,
  kVoteUni = 5,
  kBallot = 6,
  kMatchAny = 7,  // mode: a MatchMode
  kMatchAll = 8,
  kReduxAdd = 9,  // mode: a ReduxMode
  kReduxMin = 10,
  kReduxMax = 11,
  kReduxAnd = 12,
  kReduxOr = 13,
  kReduxXor = 14,

  kGather = 15,  // the key is the barrier

  kExit = 16,
  kRead = 17,   // the key names a slot of the hardware
  kWrite = 18,  // opens a group
};
inline constexpr unsigned kNumWarpOps = 19;
// As PTX spells it, without the type: "vote.sync.all", "redux.sync.min"; "gather", "exit", "read",
// "write".
const char* Name(WarpOp op);

constexpr bool IsCollective(WarpOp op) { return op < WarpOp::kGather; }
// Lanes wait: a collective or a gather.
constexpr bool IsRendezvous(WarpOp op) { return op <= WarpOp::kGather; }
constexpr bool IsMatch(WarpOp op) { return op == WarpOp::kMatchAny || op == WarpOp::kMatchAll; }
constexpr bool IsRedux(WarpOp op) { return op >= WarpOp::kReduxAdd && op <= WarpOp::kReduxXor; }
constexpr bool HasValues(WarpOp op) { return IsMatch(op) || IsRedux(op); }
constexpr bool IsVote(WarpOp op) { return op >= WarpOp::kVoteAll && op <= WarpOp::kBallot; }

enum class ShuffleMode : std::uint8_t { kUp = 0, kDown = 1, kBfly = 2, kIdx = 3 };
enum class MatchMode : std::uint8_t { kB32 = 0, kB64 = 1 };
enum class ReduxMode : std::uint8_t { kU32 = 0, kS32 = 1, kF32 = 2 };

inline constexpr std::uint32_t kCanonicalNan = 0x7fffffff;

// The barrier that a gather is for.
enum class GatherKind : std::uint8_t {
  kBarrier = 0,
  kClusterArrive = 1,  // lanes with .release bring the predicate True, those with .relaxed False
  kClusterWait = 2,
};
constexpr std::uint32_t BarrierKey(unsigned bar, unsigned count, OpKind kind) {
  return bar | count << 4 | static_cast<std::uint32_t>(kind) << 16;
}
constexpr std::uint32_t ClusterKey(GatherKind kind) {
  return static_cast<std::uint32_t>(kind) << 20;
}
constexpr bool IsGatherKey(std::uint32_t key) {
  return key >> 16 <= static_cast<unsigned>(OpKind::kRedPopc) ||
         key == ClusterKey(GatherKind::kClusterArrive) ||
         key == ClusterKey(GatherKind::kClusterWait);
}
// Lanes bring a predicate: vote, barrier.red and barrier.cluster.arrive.
constexpr bool HasPredicates(WarpOp op, std::uint32_t key) {
  const std::uint32_t kind = key >> 16;
  const bool reduces = kind >= static_cast<unsigned>(OpKind::kRedAnd) &&
                       kind <= static_cast<unsigned>(OpKind::kRedPopc);
  return IsVote(op) ||
         (op == WarpOp::kGather && (reduces || key == ClusterKey(GatherKind::kClusterArrive)));
}

struct WarpRequest {
  WarpOp op = WarpOp::kSync;
  std::uint8_t mode = 0;
  bool abs = false;  // redux of f32
  bool nan = false;
  std::uint8_t warp = 0;
  std::uint8_t cta = 0;
  std::uint32_t lanes = 0;  // that execute it; none: no operation
  // Lanes that have not exited; exit: those that are left; kWrite: the group's instruction.
  std::uint32_t live = 0;
  std::uint32_t key = 0;
  std::uint32_t preds = 0;  // of these lanes; 0 where there are none
  std::array<std::uint64_t, kMaxLanes> values{};
};

struct WarpAnswer {
  WarpOp op = WarpOp::kSync;
  std::uint8_t warp = 0;
  std::uint32_t lanes = 0;  // that go on
  std::uint32_t data = 0;
  bool pred = false;
};

inline bool operator==(const WarpAnswer& a, const WarpAnswer& b) {
  return a.op == b.op && a.warp == b.warp && a.lanes == b.lanes && a.data == b.data &&
         a.pred == b.pred;
}

struct WarpArrival {
  std::uint8_t warp = 0;
  std::uint8_t cta = 0;
  std::uint32_t lanes = 0;
  std::uint32_t key = 0;
  std::uint32_t preds = 0;
};

inline bool operator==(const WarpArrival& a, const WarpArrival& b) {
  return a.warp == b.warp && a.cta == b.cta && a.lanes == b.lanes && a.key == b.key &&
         a.preds == b.preds;
}

struct WarpEffects {
  FaultCause fault = FaultCause::kNone;  // other than kNone: refused, and there is nothing else
  std::vector<WarpAnswer> answers;
  std::optional<WarpArrival> arrival;
};

// Lanes of a warp that wait together.
struct WarpGroup {
  WarpOp op = WarpOp::kSync;
  std::uint8_t mode = 0;
  bool abs = false;
  bool nan = false;
  std::uint32_t key = 0;
  std::uint32_t lanes = 0;  // that wait
  std::uint32_t preds = 0;  // of these
};

// The instruction of a group, as kWrite has it in `live`.
constexpr std::uint32_t EncodeInstruction(const WarpGroup& group) {
  return static_cast<std::uint32_t>(group.op) << 4 | static_cast<std::uint32_t>(group.mode) << 2 |
         static_cast<std::uint32_t>(group.abs) << 1 | static_cast<std::uint32_t>(group.nan);
}
constexpr WarpGroup DecodeInstruction(std::uint32_t code) {
  WarpGroup group;
  group.op = static_cast<WarpOp>(code >> 4 & 0xf);
  group.mode = static_cast<std::uint8_t>(code >> 2 & 0x3);
  group.abs = (code >> 1 & 1) != 0;
  group.nan = (code & 1) != 0;
  return group;
}

}  // namespace muster

#endif  // MUSTER_SIM_ISA_WARP_OPERATION_H_
