// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The core's side of the atomics on shared memory: divides a warp's instruction into updates, and
// hands each of these, and those of other CTAs, to the bank that has its word.
#ifndef MUSTER_SIM_PTX_RUNTIME_ON_PINS_ATOMIC_PORT_H_
#define MUSTER_SIM_PTX_RUNTIME_ON_PINS_ATOMIC_PORT_H_

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/isa/operation.h"
#include "sim/port/atomic_pins.h"
#include "sim/port/bank.h"
#include "sim/ptx/runtime/on_pins/atomic_bank.h"
#include "sim/ptx/simt/atomics.h"
#include "sim/ptx/simt/transfer.h"

namespace muster::ptx {

class AtomicPort : public AtomicSink, public lockstep::Bank::Words {
 public:
  explicit AtomicPort(std::uint64_t seed);
  std::vector<AtomicPins*> pins();  // of each bank

  // A CTA with this memory takes the slot.
  void Launch(unsigned cta, std::vector<std::uint8_t>* shared) { memories_[cta] = shared; }

  // Executes an instruction of a warp that has none here.
  void Perform(const AtomicInstruction& instruction);
  // The warp's instruction is not over before so many answers have come from other units. Returns
  // whether it is, with this one.
  void Await(unsigned warp, unsigned answers);
  bool TakeAnswer(unsigned warp);

  // Updates of other CTAs come through the network; their answers go back.
  bool TakesRemote() const {
    return All([](const AtomicBank& bank) { return bank.TakesRemote(); });
  }
  void TakeRemote(const Transfer& sent) { BankOf(sent.update.addr).TakeRemote(sent); }
  // One that is for this CTA and has not committed, or null.
  const Transfer* Reaching(const Cta* cta) const;
  const std::vector<AtomicResponse>& answers() const { return answers_; }
  // Those of st.async and red.async that have committed.
  const std::vector<Transfer>& performed() const { return performed_; }

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
  bool Presents() const {
    return !All([](const AtomicBank& bank) { return !bank.Presents(); });
  }
  bool Quiet() const {
    return under_way_ == 0 && All([](const AtomicBank& bank) { return bank.incoming().empty(); });
  }

  // AtomicSink
  bool HoldsAny() const override {
    return !All([](const AtomicBank& bank) { return !bank.Holds(); });
  }
  bool MayStore(unsigned cta, std::uint64_t addr, unsigned bytes) override;

  // lockstep::Bank::Words
  std::uint64_t Load(MbPlace place) override;
  void Store(MbPlace place, std::uint64_t word) override;

 private:
  static constexpr std::size_t kBanks = 4;
  static constexpr std::uint32_t kBankBytes = 16;  // in a row: a value of 128 bits is in one bank

  AtomicBank& BankOf(std::uint32_t addr) { return banks_[addr / kBankBytes % kBanks]; }
  template <typename Predicate>
  bool All(Predicate is) const {
    return std::all_of(banks_.begin(), banks_.end(), is);
  }
  bool End(unsigned warp);

  std::vector<AtomicBank> banks_;
  std::array<std::vector<std::uint8_t>*, kMaxCtas> memories_{};
  std::array<std::uint32_t, kMaxWarps> left_{};  // updates that have not committed, and answers
  std::uint64_t under_way_ = 0;                  // warps that have some
  std::vector<AtomicResponse> replies_;
  std::vector<AtomicResponse> answers_;  // for other units
  std::vector<Transfer> performed_;
  std::uint64_t done_ = 0;
  bool changed_ = false;
};

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_RUNTIME_ON_PINS_ATOMIC_PORT_H_
