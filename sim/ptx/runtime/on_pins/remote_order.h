// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// What other CTAs do to the mbarriers of a unit, in the order in which it came through the network:
// an operation that follows an update waits until that has committed, and what comes behind it
// waits, too, as in rtl/muster_remote_split.sv. Knows nothing of what the operations do.
#ifndef MUSTER_SIM_PTX_RUNTIME_ON_PINS_REMOTE_ORDER_H_
#define MUSTER_SIM_PTX_RUNTIME_ON_PINS_REMOTE_ORDER_H_

#include <algorithm>
#include <cstddef>
#include <deque>
#include <optional>
#include <utility>

#include "sim/ptx/simt/transfer.h"

namespace muster::ptx {

class RemoteOrder {
 public:
  bool TakesRemote() const { return waiting_.size() < kMost; }
  // An operation has come: its update, if it has one, has not committed.
  void Push(const Transfer& sent) { waiting_.push_back({sent, sent.update.valid}); }
  // The update commits that this one came with. Banks commit in any order; updates at one place, in
  // one bank, in that in which they came.
  void Commit(const Transfer& sent) {
    std::find_if(waiting_.begin(), waiting_.end(), [&](const Waiting& one) {
      return one.awaits_update && one.sent.to == sent.to &&
             one.sent.update.addr == sent.update.addr;
    })->awaits_update = false;
  }
  // Returns the next operation, if it may be performed.
  std::optional<Transfer> TakeDue() {
    if (waiting_.empty() || waiting_.front().awaits_update) {
      return std::nullopt;
    }
    Transfer due = std::move(waiting_.front().sent);
    waiting_.pop_front();
    return due;
  }
  // One that is for this CTA, or null.
  const Transfer* Reaching(const Cta* cta) const {
    const auto found = std::find_if(waiting_.begin(), waiting_.end(),
                                    [cta](const Waiting& one) { return one.sent.to == cta; });
    return found == waiting_.end() ? nullptr : &found->sent;
  }

 private:
  static constexpr std::size_t kMost = 4;

  struct Waiting {
    Transfer sent;
    bool awaits_update = false;
  };
  std::deque<Waiting> waiting_;
};

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_RUNTIME_ON_PINS_REMOTE_ORDER_H_
