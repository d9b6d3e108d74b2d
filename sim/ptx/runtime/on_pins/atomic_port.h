// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The core's side of the atomics on shared memory: divides a warp's instruction into updates,
// presents these and those of other CTAs, and holds the bank of shared memory that the block reads
// and writes.
#ifndef MUSTER_SIM_PTX_RUNTIME_ON_PINS_ATOMIC_PORT_H_
#define MUSTER_SIM_PTX_RUNTIME_ON_PINS_ATOMIC_PORT_H_

#include <array>
#include <cstdint>
#include <deque>
#include <vector>

#include "sim/isa/operation.h"
#include "sim/port/atomic_pins.h"
#include "sim/port/bank.h"
#include "sim/ptx/simt/atomics.h"
#include "sim/ptx/simt/random.h"
#include "sim/ptx/simt/transfer.h"

namespace muster::ptx {

class AtomicPort : public AtomicSink, public lockstep::Bank::Words {
 public:
  explicit AtomicPort(std::uint64_t seed);
  AtomicPins* pins() { return &pins_; }

  // A CTA with this memory takes the slot.
  void Launch(unsigned cta, std::vector<std::uint8_t>* shared) { memories_[cta] = shared; }

  // Executes an instruction of a warp that has none here.
  void Perform(const AtomicInstruction& instruction);
  // The warp's instruction is not over before so many answers have come from other units. Returns
  // whether it is, with this one.
  void Await(unsigned warp, unsigned answers);
  bool TakeAnswer(unsigned warp);

  // Updates of other CTAs come through the network; their answers go back.
  bool TakesRemote() const { return remotes_.size() < 2; }
  void TakeRemote(const Transfer& sent);
  // One that is for this CTA and has not committed, or null.
  const Transfer* Reaching(const Cta* cta) const;
  const std::vector<AtomicResponse>& answers() const { return answers_; }

  // The beginning of a cycle: takes what the block did in the cycle before.
  void Begin();
  const std::vector<AtomicResponse>& replies() const { return replies_; }
  // Warps whose instruction has come to its end.
  std::uint64_t done() const { return done_; }
  // Memory is not what it was.
  bool changed() const { return changed_; }

  // The end of a cycle. `outstanding`: warps with accesses that are not performed; `ending`:
  // nothing new is presented.
  void Present(std::uint64_t outstanding, bool ending);
  bool Presents() const { return pins_.in.issue_valid || pins_.in.remote_valid; }
  bool Quiet() const { return under_way_ == 0 && incoming_.empty(); }

  // AtomicSink
  bool HoldsAny() const override { return bank_.Holds(); }
  bool MayStore(unsigned cta, std::uint64_t addr, unsigned bytes) override;

  // lockstep::Bank::Words
  std::uint64_t Load(MbPlace place) override;
  void Store(MbPlace place, std::uint64_t word) override;

 private:
  bool End(unsigned warp);

  Random random_;
  lockstep::Bank bank_;
  AtomicPins pins_;
  std::array<std::vector<std::uint8_t>*, kMaxCtas> memories_{};
  std::deque<AtomicUpdate> queue_;               // to be presented, the first perhaps at the port
  std::array<std::uint32_t, kMaxWarps> left_{};  // updates that have not committed, and answers
  std::uint64_t under_way_ = 0;                  // warps that have some
  std::deque<AtomicUpdate> flights_;             // accepted and not committed
  std::deque<AtomicUpdate> remotes_;             // of other CTAs, likewise to be presented
  std::deque<Transfer> incoming_;                // whose updates these, and some flights, are
  std::vector<AtomicResponse> replies_;
  std::vector<AtomicResponse> answers_;  // for other units
  std::uint64_t done_ = 0;
  bool changed_ = false;
};

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_RUNTIME_ON_PINS_ATOMIC_PORT_H_
