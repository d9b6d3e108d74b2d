// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/simt/warp_unit.h"

#include <algorithm>
#include <utility>

#include "sim/isa/bits.h"
#include "sim/ptx/simt/random.h"

namespace muster::ptx {
namespace {

void Join(Arrival* into, const Arrival& from) {
  into->lanes |= from.lanes;
  into->operand |= from.operand;
  into->results.insert(into->results.end(), from.results.begin(), from.results.end());
  into->divergent_operand |= from.divergent_operand;
}

bool SameOperands(const Arrival& a, const Arrival& b) {
  return a.bar == b.bar && a.count == b.count;
}

// Joins each arrival to the first before it for which `belongs` holds.
template <typename F>
void JoinWhere(std::vector<Arrival>* arrivals, F belongs) {
  std::vector<Arrival> joined;
  for (Arrival& arrival : *arrivals) {
    const auto first = std::find_if(joined.begin(), joined.end(),
                                    [&](const Arrival& other) { return belongs(other, arrival); });
    if (first == joined.end()) {
      joined.push_back(std::move(arrival));
    } else {
      first->divergent_operand |= !SameOperands(*first, arrival);
      Join(&*first, arrival);
    }
  }
  *arrivals = std::move(joined);
}

}  // namespace

void FrontEndWarpUnit::Reset(unsigned warp) { warps_[warp] = {}; }

void FrontEndWarpUnit::Come(unsigned warp, const Arrival& arrival) {
  warps_[warp].held.push_back(arrival);
  warps_[warp].lanes |= arrival.lanes;
}

bool FrontEndWarpUnit::Take(unsigned warp, std::uint32_t live, Arrival* arrival) {
  Warp& state = warps_[warp];
  if (!state.complete) {
    if (state.held.empty() || (live & ~state.lanes) != 0) {
      return false;
    }
    state.complete = true;
    std::sort(state.held.begin(), state.held.end(), [](const Arrival& a, const Arrival& b) {
      return __builtin_ctz(a.lanes) < __builtin_ctz(b.lanes);
    });
    // Lanes at one instruction are one warp instruction, and the lowest lane's operands rule; lanes
    // that came on several paths to the same barrier arrive as the one warp that they are.
    JoinWhere(&state.held, [](const Arrival& a, const Arrival& b) { return a.pc == b.pc; });
    JoinWhere(&state.held, [](const Arrival& a, const Arrival& b) {
      return a.cluster == b.cluster && a.kind == b.kind && SameOperands(a, b);
    });
    // "barrier causes executing thread to wait for all non-exited threads from its warp and marks
    // warps' arrival": where they come apart, each part counts as the warp.
    for (Arrival& part : state.held) {
      part.diverged_barrier = state.held.size() > 1;
    }
  }
  *arrival = std::move(state.held.front());
  state.held.erase(state.held.begin());
  state.lanes &= ~arrival->lanes;
  state.complete = !state.held.empty();
  return true;
}

// Lanes that come to the same instruction: at several places in the program, it may be.
bool SameInstruction(const Exchange& a, const Exchange& b) {
  return a.op == b.op && a.type == b.type && a.magnitude == b.magnitude &&
         a.keeps_nan == b.keeps_nan && a.members == b.members;
}

void FrontEndWarpUnit::Come(unsigned warp, const Exchange& exchange) {
  std::vector<Exchange>& held = warps_[warp].exchanges;
  const auto same = std::find_if(held.begin(), held.end(), [&](const Exchange& other) {
    return SameInstruction(other, exchange);
  });
  if (same == held.end()) {
    held.push_back(exchange);
    return;
  }
  same->lanes |= exchange.lanes;
  ForEachBit(exchange.lanes, [&](unsigned lane) {
    same->value[lane] = exchange.value[lane];
    same->from[lane] = exchange.from[lane];
    same->clamp[lane] = exchange.clamp[lane];
  });
}

bool FrontEndWarpUnit::Take(unsigned warp, std::uint32_t live, Exchange* exchange) {
  std::vector<Exchange>& held = warps_[warp].exchanges;
  const auto done = std::find_if(held.begin(), held.end(), [live](const Exchange& other) {
    return (other.members & live & ~other.lanes) == 0;
  });
  if (done == held.end()) {
    return false;
  }
  *exchange = *done;
  held.erase(done);
  Evaluate(exchange);
  return true;
}

}  // namespace muster::ptx
