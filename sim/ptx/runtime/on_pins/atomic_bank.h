// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// A bank of shared memory, and the core's side of the block that carries out atomics there:
// presents updates of the core's warps and of other CTAs.
#ifndef MUSTER_SIM_PTX_RUNTIME_ON_PINS_ATOMIC_BANK_H_
#define MUSTER_SIM_PTX_RUNTIME_ON_PINS_ATOMIC_BANK_H_

#include <cstdint>
#include <deque>
#include <optional>

#include "sim/port/atomic_pins.h"
#include "sim/port/bank.h"
#include "sim/ptx/simt/random.h"
#include "sim/ptx/simt/transfer.h"

namespace muster::ptx {

class AtomicBank {
 public:
  AtomicBank(lockstep::Bank::Words* words, std::uint64_t seed);
  AtomicPins* pins() { return &pins_; }

  void Push(const AtomicUpdate& update) { queue_.push_back(update); }
  // Updates of other CTAs come through the network.
  bool TakesRemote() const { return remotes_.size() < 2; }
  void TakeRemote(const Transfer& sent);
  const std::deque<Transfer>& incoming() const { return incoming_; }

  // The beginning of a cycle: takes what the block did in the cycle before. What the block has
  // committed and answered, of a warp of the core, and answered to other units; null: nothing.
  void Begin();
  const AtomicUpdate* committed() const { return commits_ ? &committed_ : nullptr; }
  const AtomicResponse* answer() const { return answers_ ? &answer_ : nullptr; }
  // The st.async or red.async whose update has committed.
  const std::optional<Transfer>& performed() const { return performed_; }

  // The end of a cycle. `outstanding`: warps with accesses that are not performed; `ending`:
  // nothing new is presented.
  void Present(std::uint64_t outstanding, bool ending);
  bool Presents() const { return pins_.in.issue_valid || pins_.in.remote_valid; }
  // Nothing is under way or shown.
  bool Idle() const {
    return queue_.empty() && remotes_.empty() && flights_.empty() && !pins_.out.active &&
           !bank_.Holds();
  }

  bool Holds() const { return bank_.Holds(); }
  bool MayStore(MbPlace place) { return bank_.MayStore(place); }

 private:
  Random random_;
  lockstep::Bank bank_;
  AtomicPins pins_;
  std::deque<AtomicUpdate> queue_;    // to be presented, the first perhaps at the port
  std::deque<AtomicUpdate> remotes_;  // of other CTAs, likewise
  std::deque<AtomicUpdate> flights_;  // accepted and not committed
  std::deque<Transfer> incoming_;     // whose updates `remotes_`, and some flights, are
  bool commits_ = false;
  bool answers_ = false;
  AtomicUpdate committed_;
  AtomicResponse answer_;
  std::optional<Transfer> performed_;
};

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_RUNTIME_ON_PINS_ATOMIC_BANK_H_
