// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/runtime/on_pins/warp_port.h"

#include <algorithm>
#include <utility>

namespace muster::ptx {

void WarpPort::Reset(unsigned warp) {
  if (warps_[warp].used) {
    WarpRequest clear;
    clear.warp = static_cast<std::uint8_t>(warp);
    queue_.push_back({true, clear});
  }
  warps_[warp].used = false;
}

void WarpPort::Request(const WarpRequest& request) {
  Warp& warp = warps_[request.warp];
  queue_.push_back({false, request});
  warp.used = true;
  warp.live = request.live;
  ++warp.requests;
  asked_ |= Bit(request.warp);
  if (IsRendezvous(request.op)) {
    warp.asked |= request.lanes;
  }
  if (request.op == WarpOp::kGather) {
    warp.gathered |= request.lanes;
  }
  Judge(request.warp);
}

void WarpPort::Exit(unsigned warp, unsigned cta, std::uint32_t lanes, std::uint32_t live) {
  if (((asked_ | due_ | pins_.out.open) & Bit(warp)) == 0) {
    return;
  }
  WarpRequest request;
  request.op = WarpOp::kExit;
  request.warp = static_cast<std::uint8_t>(warp);
  request.cta = static_cast<std::uint8_t>(cta);
  request.lanes = lanes;
  request.live = live;
  Request(request);
}

// When all live lanes of a warp wait at a barrier, the warp arrives there.
void WarpPort::Judge(unsigned index) {
  Warp& warp = warps_[index];
  if (warp.gathered != 0 && (warp.live & ~warp.gathered) == 0) {
    warp.due = std::exchange(warp.gathered, 0);
    due_ |= Bit(index);
  }
}

void WarpPort::Begin(std::uint64_t cycle) {
  const WarpOutputs& seen = pins_.out;
  answer_.reset();
  arrival_.reset();
  fault_.reset();
  settled_ = 0;
  pins_.in.clear = 0;
  if (seen.answer_valid) {
    answer_ = seen.answer;
    NoteAnswered(seen.answer);
  }
  if (seen.fault_valid) {
    fault_ = seen.fault;
  }
  if (seen.arrival_valid && pins_.in.arrival_ready) {
    arrival_ = seen.arrival;
    warps_[arrival_->warp].due = 0;
    due_ &= ~Bit(arrival_->warp);
  }
  Take(seen, cycle);
  while (!accepted_.empty() && accepted_.front().until <= cycle) {
    Warp& warp = warps_[accepted_.front().warp];
    warp.asked &= ~accepted_.front().lanes;
    settled_ |= Bit(accepted_.front().warp);
    if (--warp.requests == 0) {
      asked_ &= ~Bit(accepted_.front().warp);
    }
    accepted_.pop_front();
  }
}

// These lanes may request again before their earlier request has ended.
void WarpPort::NoteAnswered(const WarpAnswer& answer) {
  warps_[answer.warp].asked &= ~answer.lanes;
  for (Accepted& accepted : accepted_) {
    if (accepted.warp == answer.warp) {
      accepted.lanes &= ~answer.lanes;
    }
  }
}

// A request is in progress until the scope is ready again. Its answer comes in the next cycle at
// the latest, and is seen one cycle later.
void WarpPort::Take(const WarpOutputs& seen, std::uint64_t cycle) {
  if (!seen.ready) {
    return;
  }
  for (Accepted& accepted : accepted_) {
    accepted.until = std::min(accepted.until, cycle + 1);
  }
  if (!pins_.in.valid) {
    return;
  }
  beats_.pop_back();
  if (beats_.empty()) {
    const WarpRequest& request = pins_.in.request;
    accepted_.push_back({request.warp, IsRendezvous(request.op) ? request.lanes : 0});
    pins_.in.valid = false;
  }
}

void WarpPort::Present(std::uint64_t busy, bool ending) {
  pins_.in.busy = busy;
  if (!pins_.in.valid) {
    // Of no warp: `ready` then says whether a request is in progress.
    pins_.in.request.op = WarpOp::kRead;
    if (!ending && !queue_.empty()) {
      PresentNext();
    }
  }
  if (pins_.in.valid) {
    pins_.in.beat = beats_.back();
    pins_.in.last = beats_.size() == 1;
  }
}

// Selects the first request that may be presented.
void WarpPort::PresentNext() {
  std::uint64_t passed = 0;  // warps with requests that wait
  for (auto next = queue_.begin(); next != queue_.end(); ++next) {
    const unsigned warp = next->request.warp;
    if ((next->clears && !MayClear(warp)) || (passed & Bit(warp)) != 0) {
      passed |= Bit(warp);
      continue;
    }
    if (next->clears) {
      pins_.in.clear |= Bit(warp);
    } else {
      pins_.in.request = next->request;
      pins_.in.valid = true;
      beats_ = BeatsOf(next->request, pins_.lanes_per_beat);
      std::reverse(beats_.begin(), beats_.end());
    }
    queue_.erase(next);
    return;
  }
}

// No request of the former warp is in progress.
bool WarpPort::MayClear(unsigned warp) const {
  return std::none_of(accepted_.begin(), accepted_.end(),
                      [warp](const Accepted& accepted) { return accepted.warp == warp; });
}

}  // namespace muster::ptx
