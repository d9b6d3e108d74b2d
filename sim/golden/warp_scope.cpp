// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Numbers in comments are subsections of PTX ISA 9.7.13.
#include "sim/golden/warp_scope.h"

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <vector>

#include "sim/golden/warp_result.h"
#include "sim/isa/bits.h"
#include "sim/isa/fault.h"
#include "sim/isa/operation.h"
#include "sim/isa/warp_operation.h"

namespace muster::golden {
namespace {

// (.9) "the same qualifiers and same membermask value"; of a gather, the same barrier.
template <typename Left, typename Right>
bool IsSameInstruction(const Left& left, const Right& right) {
  return left.op == right.op && left.mode == right.mode && left.abs == right.abs &&
         left.nan == right.nan && left.key == right.key;
}

// For whom the lanes of a group wait. (.1) "all non-exited threads from its warp"
template <typename Group>
std::uint32_t Members(const Group& group, std::uint32_t live) {
  return IsCollective(group.op) ? group.key : live;
}

// (.9) "all non-exited threads corresponding to membermask" have come.
bool IsComplete(const WarpGroup& group, std::uint32_t live) {
  return IsCollective(group.op) && (group.key & live & ~group.lanes) == 0;
}

WarpGroup GroupOf(const WarpRequest& request) {
  WarpGroup group;
  if (request.op == WarpOp::kWrite) {
    group = DecodeInstruction(request.live);
  } else {
    group.op = request.op;
    group.mode = request.mode;
    group.abs = request.abs;
    group.nan = request.nan;
  }
  group.key = request.key;
  group.lanes = request.lanes;
  group.preds = request.preds;
  return group;
}

// There is such an instruction, with such a key and predicates.
bool IsPossible(const WarpGroup& group) {
  const bool has_order = group.op == WarpOp::kReduxMin || group.op == WarpOp::kReduxMax;
  unsigned last_mode = 0;
  if (group.op == WarpOp::kShuffle) {
    last_mode = static_cast<unsigned>(ShuffleMode::kIdx);
  } else if (IsMatch(group.op)) {
    last_mode = static_cast<unsigned>(MatchMode::kB64);
  } else if (group.op == WarpOp::kReduxAdd) {
    last_mode = static_cast<unsigned>(ReduxMode::kS32);
  } else if (has_order) {
    last_mode = static_cast<unsigned>(ReduxMode::kF32);
  }
  const bool is_float = has_order && group.mode == static_cast<unsigned>(ReduxMode::kF32);
  const std::uint32_t with_preds = HasPredicates(group.op, group.key) ? group.lanes : 0;
  return group.mode <= last_mode && (is_float || (!group.abs && !group.nan)) &&
         (IsCollective(group.op) || IsGatherKey(group.key)) && (group.preds & ~with_preds) == 0;
}

}  // namespace

WarpScope::WarpScope(unsigned num_warps, unsigned warp_size)
    : lanes_of_warp_(~std::uint32_t{0} >> (kMaxLanes - warp_size)), warps_(num_warps) {}

void WarpScope::Clear(unsigned warp) { warps_[warp] = Warp(); }

std::uint32_t WarpScope::Waiting(unsigned warp) const {
  std::uint32_t lanes = 0;
  for (const WarpGroup& group : Groups(warp)) {
    lanes |= group.lanes;
  }
  return lanes;
}

// The warp's lanes that wait at a barrier, if there are some.
const WarpGroup* WarpScope::Gather(unsigned warp) const {
  const std::vector<WarpGroup>& groups = Groups(warp);
  const auto found = std::find_if(groups.begin(), groups.end(), [](const WarpGroup& group) {
    return group.op == WarpOp::kGather;
  });
  return found == groups.end() ? nullptr : &*found;
}

WarpRequest WarpScope::WithoutLackingLanes(const WarpRequest& given) const {
  WarpRequest request = given;
  request.lanes &= lanes_of_warp_;
  request.preds &= lanes_of_warp_;
  request.live &= given.op == WarpOp::kWrite ? ~std::uint32_t{0} : lanes_of_warp_;
  return request;
}

bool WarpScope::MayBePresented(const WarpRequest& given) const {
  const WarpRequest request = WithoutLackingLanes(given);
  if (request.lanes == 0 || request.op == WarpOp::kRead) {
    return true;
  }
  const std::uint32_t waiting = Waiting(request.warp);
  if ((request.lanes & waiting) != 0) {
    return false;
  }
  if (!IsRendezvous(request.op) && (request.mode != 0 || request.abs || request.nan)) {
    return false;
  }
  if (request.op == WarpOp::kExit) {
    return (request.lanes & request.live) == 0 && (waiting & ~request.live) == 0 &&
           request.preds == 0;
  }
  const WarpGroup group = GroupOf(request);
  if (!IsPossible(group)) {
    return false;
  }
  return request.op == WarpOp::kWrite ? request.live < 0x100 && MayBeWritten(request.warp, group)
                                      : ((request.lanes | waiting) & ~request.live) == 0;
}

// Whichever lanes are live, the group can be one that waits.
bool WarpScope::MayBeWritten(unsigned warp, const WarpGroup& group) const {
  for (const WarpGroup& open : Groups(warp)) {
    if (IsSameInstruction(open, group)) {
      return false;
    }
  }
  return IsCollective(group.op)
             ? (group.lanes & ~group.key) == 0 && !IsComplete(group, lanes_of_warp_)
             : Gather(warp) == nullptr && group.lanes != lanes_of_warp_;
}

WarpEffects WarpScope::Step(const WarpRequest& given) {
  assert(given.warp < warps_.size());
  assert(MayBePresented(given));
  const WarpRequest request = WithoutLackingLanes(given);
  WarpEffects effects;
  if (request.lanes == 0) {
    return effects;  // no lane executes it
  }
  effects.fault = Judge(request);
  if (effects.fault != FaultCause::kNone) {
    return effects;
  }
  switch (request.op) {
    case WarpOp::kRead:
      break;
    case WarpOp::kWrite:
      KeepValues(request.warp, GroupOf(request), request.values);
      Open(request.warp, GroupOf(request));
      break;
    case WarpOp::kExit:
      Exit(request, &effects);
      break;
    default:
      Come(request, &effects);
  }
  for (WarpAnswer& answer : effects.answers) {
    answer.warp = request.warp;
  }
  return effects;
}

FaultCause WarpScope::Judge(const WarpRequest& request) const {
  if (!IsRendezvous(request.op)) {
    return FaultCause::kNone;
  }
  // (.2, .9, .10, .12, .14) Undefined if the executing thread is not in the member mask.
  if (IsCollective(request.op) && (request.lanes & ~request.key) != 0) {
    return FaultCause::kNotAMember;
  }
  // (.1, .3) A warp arrives at one barrier, and all its lanes come to that one.
  const WarpGroup* const gather = Gather(request.warp);
  if (request.op == WarpOp::kGather && gather != nullptr && gather->key != request.key) {
    return FaultCause::kBarrierMismatch;
  }
  return JudgeMasks(request);
}

// A lane that would wait here is missing in another group, and a lane that waits there is missing
// here: neither group could ever complete.
FaultCause WarpScope::JudgeMasks(const WarpRequest& request) const {
  for (const WarpGroup& group : Groups(request.warp)) {
    if (!IsSameInstruction(group, request) && (request.lanes & Members(group, request.live)) != 0 &&
        (group.lanes & Members(request, request.live)) != 0) {
      return FaultCause::kMaskMismatch;
    }
  }
  return FaultCause::kNone;
}

void WarpScope::KeepValues(unsigned warp, const WarpGroup& group, const LaneValues& values) {
  ForEachBit(group.lanes, [&](unsigned lane) { warps_[warp].values[lane] = values[lane]; });
}

void WarpScope::Open(unsigned warp, const WarpGroup& group) {
  std::vector<WarpGroup>& groups = warps_[warp].groups;
  groups.push_back(group);
  std::sort(groups.begin(), groups.end(), [](const WarpGroup& left, const WarpGroup& right) {
    return First(left.lanes) < First(right.lanes);
  });
}

void WarpScope::Come(const WarpRequest& request, WarpEffects* effects) {
  Warp& warp = warps_[request.warp];
  WarpGroup group = GroupOf(request);
  KeepValues(request.warp, group, request.values);
  const auto joined =
      std::find_if(warp.groups.begin(), warp.groups.end(),
                   [&](const WarpGroup& open) { return IsSameInstruction(open, request); });
  if (joined != warp.groups.end()) {
    group.lanes |= joined->lanes;
    group.preds |= joined->preds;
    warp.groups.erase(joined);
  }
  if (IsComplete(group, request.live)) {
    effects->answers = WarpResults(group, warp.values);
    return;
  }
  Open(request.warp, group);
  CompleteGather(request, effects);
}

// The lanes that are left may have waited for those that exit, and for no one else.
void WarpScope::Exit(const WarpRequest& request, WarpEffects* effects) {
  Warp& warp = warps_[request.warp];
  std::vector<WarpGroup> open;
  for (const WarpGroup& group : warp.groups) {
    if (IsComplete(group, request.live)) {
      const std::vector<WarpAnswer> answers = WarpResults(group, warp.values);
      effects->answers.insert(effects->answers.end(), answers.begin(), answers.end());
    } else {
      open.push_back(group);
    }
  }
  warp.groups = open;
  CompleteGather(request, effects);
}

// (.1, .3) Lanes wait for all non-exited lanes of their warp; then the warp arrives. No lane is
// left that could wait elsewhere.
void WarpScope::CompleteGather(const WarpRequest& request, WarpEffects* effects) {
  const WarpGroup* const gather = Gather(request.warp);
  if (gather == nullptr || (request.live & ~gather->lanes) != 0) {
    return;
  }
  effects->arrival = {request.warp, request.cta, gather->lanes, gather->key, gather->preds};
  warps_[request.warp].groups.clear();
}

}  // namespace muster::golden
