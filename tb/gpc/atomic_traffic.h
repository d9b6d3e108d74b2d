// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Random atomics of the warps of a core, and the bank of memory for them. No word is both an
// mbarrier and the place of an atomic, so the bank has words of its own.
#ifndef MUSTER_TB_GPC_ATOMIC_TRAFFIC_H_
#define MUSTER_TB_GPC_ATOMIC_TRAFFIC_H_

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <utility>

#include "sim/isa/atomic_operation.h"
#include "sim/isa/operation.h"
#include "sim/lockstep/atomics_checker.h"
#include "sim/port/atomic_pins.h"
#include "sim/port/bank.h"
#include "tb/lockstep/random.h"

namespace muster::gpc {

class AtomicTraffic : private lockstep::Bank::Words {
 public:
  AtomicTraffic(const lockstep::AtomicsShape& shape, std::uint64_t seed);

  // The beginning of a cycle: drives the bank, and reads what the block accepted, answered and
  // refused in the cycle before.
  void Begin(const AtomicOutputs& seen, AtomicInputs* in);
  // Sets the update that is presented in this cycle. `accessing`: warps that are not drained.
  void Present(std::uint64_t accessing, AtomicInputs* in);
  // Whether it wants an update of some warp, of those that are not engaged. Then Start begins one
  // of a warp of the CTA in this slot.
  bool Wants();
  void Start(unsigned warp, unsigned cta);
  // Makes an update that a warp sends to another unit; one with an answer only if it may. Answered,
  // or NoAnswer, says that the answer, or that of each half, has come, or that none will come.
  RemoteAtomic Send(unsigned warp, bool may_await);
  void Answered(unsigned warp) { End(warp); }
  void NoAnswer(unsigned warp) {
    left_[warp] = 1;
    End(warp);
  }
  void Rest(bool rests) { rests_ = rests; }

  // Warps with an update that is presented or under way, or with an answer to come.
  std::uint64_t engaged() const { return engaged_; }

 private:
  std::uint64_t Load(MbPlace place) override { return At(place); }
  void Store(MbPlace place, std::uint64_t word) override { At(place) = word; }
  std::uint64_t& At(MbPlace place) { return words_[{place.cta, place.addr}]; }

  void SetKnobs();
  AtomicUpdate Random(unsigned warp, unsigned cta);
  void End(unsigned warp);
  std::uint64_t Value();

  const lockstep::AtomicsShape shape_;
  lockstep::Random random_;
  lockstep::Bank bank_;
  std::map<std::pair<unsigned, std::uint32_t>, std::uint64_t> words_;
  std::deque<AtomicUpdate> queue_;          // to be presented, the first perhaps at the port
  std::deque<AtomicUpdate> flights_;        // accepted, and not committed
  std::array<unsigned, kMaxWarps> left_{};  // commits and answers to come
  std::uint64_t engaged_ = 0;
  unsigned until_ = 0;    // cycles to the next knobs
  unsigned starts_ = 20;  // percent of cycles
  unsigned takes_ = 100;
  unsigned words_used_ = 4;
  bool rests_ = false;
};

}  // namespace muster::gpc

#endif  // MUSTER_TB_GPC_ATOMIC_TRAFFIC_H_
