// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The adapters for public units, on stand-ins of our own in C++ that have the pins of these units
// and do what their documentation says: right, and with a fault.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <map>
#include <utility>

#include "sim/isa/bits.h"
#include "tb/adapters/adapter.h"
#include "tb/adapters/checker.h"
#include "tb/adapters/peers/ventus.h"
#include "tb/adapters/peers/vortex_bar.h"
#include "tb/adapters/peers/vortex_mbarrier.h"
#include "tb/adapters/run.h"

namespace muster::adapters {
namespace {

constexpr std::uint64_t kSeeds = 1000;
constexpr unsigned kWarps = 8;

// Whether stand-ins have their fault.
bool wrong = false;

class Rising {
 public:
  bool operator()(unsigned char clk) { return std::exchange(last_, clk) == 0 && clk != 0; }

 private:
  unsigned char last_ = 0;
};

// A workgroup's warps meet at its only barrier. Wrong: the end of a warp releases no other.
struct VentusStandIn {
  unsigned char clk_i = 0, rst_ni = 1, warps_o = kWarps, ctas_o = 4;
  unsigned char join_valid_i = 0, join_warp_i = 0, join_cta_i = 0;
  unsigned char control_valid_i = 0, control_ready_o = 1;
  unsigned char control_end_i = 0, control_warp_i = 0, control_cta_i = 0;
  std::uint64_t ready_o = 0;

  void eval() {
    if (rising(clk_i)) {
      Edge();
    }
    ready_o = active & ~waiting;
  }
  void Edge() {
    if (rst_ni == 0) {
      active = waiting = 0;
      members.fill(0);
      return;
    }
    if (join_valid_i != 0) {
      active |= Bit(join_warp_i);
      members[join_cta_i] |= Bit(join_warp_i);
    }
    if (control_valid_i == 0) {
      return;
    }
    std::uint64_t& cta = members[control_cta_i];
    const std::uint64_t self = Bit(control_warp_i);
    if (control_end_i != 0) {
      active &= ~self;
      cta &= ~self;
    } else {
      waiting |= self;
    }
    if ((cta & ~waiting) == 0 && !(wrong && control_end_i != 0)) {
      waiting &= ~cta;
    }
  }

  Rising rising;
  std::uint64_t active = 0, waiting = 0;
  std::array<std::uint64_t, 4> members{};
};

// Wrong: events that end before any warp has arrived complete the phase.
struct VortexBarStandIn {
  unsigned char clk_i = 0, rst_i = 0, warps_o = kWarps, bars_o = 8;
  std::uint16_t events_o = 31;
  unsigned char read_cta_i = 0, read_bar_i = 0, read_phase_o = 0;
  unsigned char req_valid_i = 0, req_warp_i = 0, req_bar_i = 0, req_event_i = 0, req_arrive_i = 0;
  unsigned char req_sync_i = 0, req_phase_i = 0, req_size_m1_i = 0;
  unsigned char unlock_valid_o = 0;
  std::uint64_t unlock_mask_o = 0;

  struct Barrier {
    unsigned arrived = 0, events = 0;
    bool all = false;  // have arrived
    bool phase = false;
    std::uint64_t waiting = 0;
  };

  void eval() {
    if (rising(clk_i)) {
      Edge();
    }
    // The phase after the request of this cycle.
    Barrier after = table[{read_cta_i, read_bar_i}];
    if (req_valid_i != 0 && at == std::pair<unsigned, unsigned>{read_cta_i, read_bar_i}) {
      Update(&after);
    }
    read_phase_o = after.phase ? 1 : 0;
  }
  void Edge() {
    unlock_mask_o = 0;
    if (rst_i != 0) {
      table.clear();
    } else if (req_valid_i != 0) {
      unlock_mask_o = Update(&table[at]);
    }
    unlock_valid_o = unlock_mask_o != 0 ? 1 : 0;
    at = {read_cta_i, read_bar_i};
  }
  std::uint64_t Update(Barrier* barrier) const {
    const std::uint64_t self = Bit(req_warp_i);
    if (req_event_i != 0) {
      barrier->events =
          req_phase_i != 0 ? barrier->events + req_size_m1_i + 1 : barrier->events - 1;
    } else if (req_arrive_i != 0) {
      barrier->waiting |= req_sync_i != 0 ? self : 0;
      barrier->all = barrier->arrived++ == req_size_m1_i;
    } else if ((req_phase_i != 0) != barrier->phase) {
      return self;
    } else {
      barrier->waiting |= self;
      return 0;
    }
    const bool none = wrong && req_event_i != 0 && req_phase_i == 0 && barrier->arrived == 0;
    if (barrier->events != 0 || !(barrier->all || none)) {
      return 0;
    }
    barrier->arrived = 0;
    barrier->all = false;
    barrier->phase = !barrier->phase;
    return std::exchange(barrier->waiting, 0);
  }

  Rising rising;
  std::map<std::pair<unsigned, unsigned>, Barrier> table;
  std::pair<unsigned, unsigned> at;  // whose address came in the last cycle
};

// An operation every other cycle, from both ports in turn. Wrong: completions come first.
struct VortexMbarrierStandIn {
  unsigned char clk_i = 0, rst_i = 0, warps_o = kWarps;
  std::uint16_t events_o = 31, words_o = 256;
  unsigned char req_valid_i = 0, req_ready_o = 0, req_phase_o = 0, req_op_i = 0, req_warp_i = 0;
  std::uint16_t req_word_i = 0;
  unsigned req_value_i = 0;
  unsigned char tx_valid_i = 0, tx_ready_o = 0, unlock_valid_o = 0;
  std::uint16_t tx_word_i = 0, show_word_i = 0, show_bytes_o = 0;
  unsigned char show_phase_o = 0, show_pending_o = 0;
  std::uint64_t unlock_mask_o = 0;

  struct Word {
    unsigned pending = 0, expected = 0, bytes = 0;
    bool phase = false;
    std::uint64_t waiting = 0;
  };

  void eval() {
    if (rising(clk_i)) {
      Edge();
    }
    const bool tx_first = tx_valid_i != 0 && (req_valid_i == 0 || tx_turn || wrong);
    tx_ready_o = !busy && tx_first ? 1 : 0;
    req_ready_o = !busy && req_valid_i != 0 && !tx_first ? 1 : 0;
    req_phase_o = words[req_word_i].phase ? 1 : 0;
    const Word& shown = words[show_word_i];
    show_phase_o = shown.phase ? 1 : 0;
    show_pending_o = static_cast<unsigned char>(shown.pending);
    show_bytes_o = static_cast<std::uint16_t>(shown.bytes);
  }
  void Edge() {
    unlock_mask_o = 0;
    if (rst_i != 0) {
      words.clear();
      busy = false;
    } else if (req_ready_o != 0) {
      unlock_mask_o = Request(&words[req_word_i]);
    } else if (tx_ready_o != 0) {
      --words[tx_word_i].bytes;
      unlock_mask_o = Test(&words[tx_word_i]);
    }
    unlock_valid_o = unlock_mask_o != 0 ? 1 : 0;
    busy = rst_i == 0 && (req_ready_o != 0 || tx_ready_o != 0);
    tx_turn = busy ? tx_ready_o == 0 : tx_turn;
  }
  std::uint64_t Request(Word* word) const {
    switch (req_op_i) {
      case 0:
        word->pending = word->expected = req_value_i;
        return 0;
      case 1:
        word->pending -= req_value_i;
        return Test(word);
      case 2:
        word->bytes += req_value_i;
        return 0;
      default:
        break;
    }
    if ((req_value_i != 0) != word->phase) {
      return Bit(req_warp_i);
    }
    word->waiting |= Bit(req_warp_i);
    return 0;
  }
  static std::uint64_t Test(Word* word) {
    if (word->pending != 0 || word->bytes != 0) {
      return 0;
    }
    word->phase = !word->phase;
    word->pending = word->expected;
    return std::exchange(word->waiting, 0);
  }

  Rising rising;
  std::map<unsigned, Word> words;
  bool busy = false, tx_turn = false;
};

template <typename Unit>
Outcome OutcomeOf(bool with_fault) {
  wrong = with_fault;
  Unit unit;
  // A workgroup's size is not told at Ventus's pins: warps that come later cannot be known.
  unit.mutable_features()->late_joins = false;
  return Regress(1, kSeeds, &unit);
}

template <typename Unit>
class AdaptersPeer : public testing::Test {};
using Units = testing::Types<Ventus<VentusStandIn>, VortexBar<VortexBarStandIn>,
                             VortexMbarrier<VortexMbarrierStandIn>>;
TYPED_TEST_SUITE(AdaptersPeer, Units);

TYPED_TEST(AdaptersPeer, RightUnitPasses) {
  const Outcome outcome = OutcomeOf<TypeParam>(false);
  EXPECT_TRUE(outcome.passed()) << Report(outcome, "adapters");
  EXPECT_GT(outcome.steps, 20000U);
}

TYPED_TEST(AdaptersPeer, FaultIsFound) {
  const Outcome outcome = OutcomeOf<TypeParam>(true);
  EXPECT_FALSE(outcome.passed());
  EXPECT_NE(outcome.failure.wrong, Wrong::kVacuous);
}

}  // namespace
}  // namespace muster::adapters
