// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "tb/traffic/warp_traffic.h"

#include <cstddef>

namespace muster::warp {

std::uint32_t Traffic::SomeOf(std::uint32_t lanes) {
  switch (Below(4)) {
    case 0:
      return lanes;
    case 1:
      return lanes == 0 ? 0 : lanes & (~lanes + 1);
    default:
      return lanes & Word();
  }
}

WarpRequest Traffic::Request(WarpOp op, const Warp& warp, std::uint32_t lanes, std::uint32_t key) {
  WarpRequest request;
  request.op = op;
  request.warp = static_cast<std::uint8_t>(warp.warp);
  request.cta = warp.cta;
  request.lanes = lanes;
  request.live = warp.live;
  request.key = key;
  return request;
}

void Traffic::Litter(WarpRequest* request) {
  const std::uint32_t lacking = ~shape_.Lanes();
  request->lanes |= lacking & Word();
  request->live |= lacking & Word();
  request->preds |= lacking & Word();
}

void Traffic::Fill(WarpRequest* request) {
  if (HasPredicates(request->op, request->key)) {
    request->preds = request->lanes & (OneIn(3) ? request->lanes : Word());
  }
  if (!HasValues(request->op)) {
    return;
  }
  const std::uint64_t pool[] = {Word(),     0x3f800000, 0xbf800000, 0x00000000,  0x80000000,
                                0x7fc00001, 0xff800000, 0x00000001, 0x100000000, 0x13f800000};
  const unsigned kinds = 1 + Below(10);
  for (std::uint64_t& value : request->values) {
    value = OneIn(8) ? std::uint64_t{Word()} << 32 | Word() : pool[Below(kinds)];
  }
}

unsigned Traffic::ModesOf(WarpOp op) {
  if (op == WarpOp::kShuffle) {
    return 4;
  }
  if (op == WarpOp::kReduxMin || op == WarpOp::kReduxMax) {
    return 3;
  }
  return IsMatch(op) || op == WarpOp::kReduxAdd ? 2 : 1;
}

WarpRequest Traffic::Coming(const Warp& warp, std::uint32_t key) {
  const std::vector<WarpGroup>& groups = model_.Groups(warp.warp);
  if (!groups.empty() && !OneIn(3)) {
    const WarpGroup& group = groups[Below(static_cast<unsigned>(groups.size()))];
    const bool gather = group.op == WarpOp::kGather;
    WarpRequest request = Request(group.op, warp, 0, group.key);
    request.mode = group.mode;
    request.abs = group.abs;
    request.nan = group.nan;
    request.lanes = SomeOf(warp.free & (gather ? ~0U : group.key));
    Fill(&request);
    return request;
  }
  static constexpr WarpOp kFew[] = {WarpOp::kSync, WarpOp::kElect, WarpOp::kGather};
  const WarpOp op = shape_.collectives ? static_cast<WarpOp>(Below(16)) : kFew[Below(3)];
  WarpRequest request = Request(op, warp, 0, 0);
  if (op == WarpOp::kGather) {
    request.key = key;
    request.lanes = SomeOf(warp.free);
    Fill(&request);
    return request;
  }
  request.mode = static_cast<std::uint8_t>(Below(ModesOf(op)));
  request.abs = request.mode == 2 && IsRedux(op) && OneIn(2);
  request.nan = request.mode == 2 && IsRedux(op) && OneIn(2);
  const std::uint32_t masks[] = {shape_.Lanes(), warp.free, 0x0000ffff, 0x00ff00ff, Word()};
  request.key = masks[Below(5)];
  request.lanes = SomeOf(warp.free & (OneIn(32) ? ~0U : request.key));
  Fill(&request);
  return request;
}

std::vector<WarpRequest> Traffic::Restore(const Warp& warp) {
  std::vector<WarpRequest> writes;
  for (const WarpGroup& group : model_.Groups(warp.warp)) {
    WarpRequest request = Request(WarpOp::kWrite, warp, group.lanes, group.key);
    request.live = EncodeInstruction(group);
    request.preds = group.preds;
    for (unsigned lane = 0; lane < kMaxLanes; ++lane) {
      request.values[lane] = model_.Value(warp.warp, lane);
    }
    const std::size_t place = Below(static_cast<unsigned>(writes.size()) + 1);
    writes.insert(writes.begin() + static_cast<std::ptrdiff_t>(place), request);
  }
  return writes;
}

}  // namespace muster::warp
