// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The questions that the PTX text leaves open, as scripts. Each begins with a word of zeroes.
#ifndef MUSTER_SCRIPTS_HWPROBE_SCENARIOS_H_
#define MUSTER_SCRIPTS_HWPROBE_SCENARIOS_H_

#include <vector>

#include "scripts/hwprobe/script.h"

namespace muster::hwprobe {

struct Scenario {
  const char* name;
  const char* question;
  std::vector<Step> steps;
};

constexpr unsigned kLargest = (1U << 20) - 1;

inline Step One(Op op, unsigned operand = 0) { return {op, operand, 1}; }
inline Step Lanes(Op op, unsigned operand, unsigned lanes) { return {op, operand, lanes}; }

inline const std::vector<Scenario>& Scenarios() {
  static const std::vector<Scenario> scenarios = {
      {"word",
       "Which bits hold what? Also with bytes missing when the arrivals are complete.",
       {One(Op::kInit, 2), One(Op::kArrive, 1), One(Op::kExpectTx, 16), One(Op::kArrive, 1),
        One(Op::kCompleteTx, 16), One(Op::kTestWaitParity, 0), One(Op::kTestWaitParity, 1)}},
      {"tx_below_zero",
       "What is a tx-count of bytes that complete before they are expected?",
       {One(Op::kInit, 1), One(Op::kCompleteTx, 1), One(Op::kCompleteTx, 15),
        One(Op::kArriveExpectTx, 16), One(Op::kTestWaitParity, 0)}},
      {"lone_expect_tx",
       "Does a lone expect_tx turn the phase, if it brings the tx-count to 0?",
       {One(Op::kInit, 1), One(Op::kCompleteTx, 16), One(Op::kArrive, 1), One(Op::kExpectTx, 16),
        One(Op::kTestWaitParity, 0)}},
      {"token_of_expect_tx",
       "Is a token the word before the expect-tx and the drop of its own operation?",
       {One(Op::kInit, 3), One(Op::kArriveExpectTx, 16), One(Op::kArriveDropExpectTx, 8)}},
      {"arrivals_beyond_pending",
       "What do arrivals beyond the pending count do?",
       {One(Op::kInit, 2), One(Op::kArrive, 3), One(Op::kTestWaitParity, 0)}},
      {"arrival_while_bytes_are_missing",
       "What does an arrival do when only bytes are missing?",
       {One(Op::kInit, 1), One(Op::kExpectTx, 16), One(Op::kArrive, 1), One(Op::kArrive, 1),
        One(Op::kCompleteTx, 16), One(Op::kTestWaitParity, 0)}},
      {"drop",
       "Does a drop count for the next phase, also the one that completes the phase?",
       {One(Op::kInit, 3), One(Op::kArriveDrop, 1), One(Op::kArrive, 1), One(Op::kArriveDrop, 1),
        One(Op::kArrive, 1)}},
      {"drop_to_zero",
       "What is a word whose expected count is dropped to 0?",
       {One(Op::kInit, 1), One(Op::kArriveDrop, 1), One(Op::kTestWaitParity, 0),
        One(Op::kTestWaitParity, 1), One(Op::kExpectTx, 16), One(Op::kArrive, 1)}},
      {"drop_to_zero_with_bytes",
       "The same while bytes are missing.",
       {One(Op::kInit, 1), One(Op::kExpectTx, 16), One(Op::kArriveDrop, 1),
        One(Op::kCompleteTx, 16), One(Op::kTestWaitParity, 0)}},
      {"late_token",
       "What does a wait say two phases after that of its token?",
       {One(Op::kInit, 1), One(Op::kArrive, 1), One(Op::kTestWait, 1), One(Op::kArrive, 1),
        One(Op::kTestWait, 1)}},
      {"late_parity",
       "The same by parity.",
       {One(Op::kInit, 1), One(Op::kArrive, 1), One(Op::kTestWaitParity, 0), One(Op::kArrive, 1),
        One(Op::kTestWaitParity, 0), One(Op::kTestWaitParity, 1)}},
      {"parity_above_one",
       "Which bits of phaseParity count?",
       {One(Op::kInit, 1), One(Op::kTestWaitParity, 2), One(Op::kTestWaitParity, 3),
        One(Op::kArrive, 1), One(Op::kTestWaitParity, 2), One(Op::kTestWaitParity, 3)}},
      {"nocomplete",
       "What does a noComplete form return, and do when it completes the phase?",
       {One(Op::kInit, 2), One(Op::kArriveNoComplete, 1), One(Op::kArriveNoComplete, 1),
        One(Op::kTestWaitParity, 0)}},
      {"nocomplete_with_bytes",
       "The last arrival by a noComplete form, bytes missing.",
       {One(Op::kInit, 1), One(Op::kExpectTx, 16), One(Op::kArriveDropNoComplete, 1),
        One(Op::kCompleteTx, 16)}},
      {"inval",
       "What does inval write, and what do waits say of that?",
       {One(Op::kInit, 3), One(Op::kArrive, 1), One(Op::kInval), One(Op::kTestWaitParity, 0),
        One(Op::kTestWaitParity, 1)}},
      {"arrive_uninitialised", "An arrival at a word of zeroes.", {One(Op::kArrive, 1)}},
      {"expect_uninitialised",
       "Bytes at a word of zeroes.",
       {One(Op::kExpectTx, 16), One(Op::kCompleteTx, 16)}},
      {"init_over_live",
       "Does init set the phase back?",
       {One(Op::kInit, 1), One(Op::kArrive, 1), One(Op::kInit, 5)}},
      {"init_zero", "A count of 0 for init.", {One(Op::kInit, 0)}},
      {"init_too_large", "A count of 2^20 for init.", {One(Op::kInit, kLargest + 1)}},
      {"arrive_zero", "A count of 0 for arrive.", {One(Op::kInit, 2), One(Op::kArrive, 0)}},
      {"arrive_too_large",
       "A count of 2^20 + 1 for arrive.",
       {One(Op::kInit, 2), One(Op::kArrive, kLargest + 2)}},
      {"expect_too_large", "2^20 bytes.", {One(Op::kInit, 1), One(Op::kExpectTx, kLargest + 1)}},
      {"tx_above_its_range",
       "One byte more than the largest tx-count.",
       {One(Op::kInit, 1), One(Op::kExpectTx, kLargest), One(Op::kExpectTx, 1)}},
      {"tx_below_its_range",
       "One byte less than the smallest tx-count.",
       {One(Op::kInit, 1), One(Op::kCompleteTx, kLargest), One(Op::kCompleteTx, 1)}},
      {"copy_arrive",
       "cp.async.mbarrier.arrive without a copy: one more is pending, and then it is not.",
       {One(Op::kInit, 2), One(Op::kCopyArrive)}},
      {"copy_arrive_noinc",
       "The same with .noinc.",
       {One(Op::kInit, 2), One(Op::kCopyArriveNoInc)}},
      {"pending_overflow",
       "cp.async.mbarrier.arrive with the largest pending count.",
       {One(Op::kInit, kLargest), One(Op::kCopyArrive)}},
      {"lanes",
       "Do lanes that arrive together have tokens of their own?",
       {One(Op::kInit, 64), Lanes(Op::kArrive, 1, 32), Lanes(Op::kArrive, 1, 31),
        One(Op::kArrive, 1)}},
      {"lanes_of_two_phases",
       "Lanes that arrive together, of which one in the middle completes the phase.",
       {One(Op::kInit, 20), Lanes(Op::kArrive, 1, 32)}},
      {"lanes_that_drop",
       "Half of the lanes drop, half arrive.",
       {One(Op::kInit, 32), Lanes(Op::kArriveDrop, 1, 16), Lanes(Op::kArrive, 1, 16)}},
      // Questions from above whose last step returns nothing, with a step behind it that shows what
      // came of it.
      {"init_over_live_shown",
       "Does init set the phase back?",
       {One(Op::kInit, 1), One(Op::kArrive, 1), One(Op::kInit, 5), One(Op::kTestWaitParity, 0),
        One(Op::kArrive, 1)}},
      {"init_zero_shown",
       "A count of 0 for init: what do a wait and an arrival find?",
       {One(Op::kInit, 0), One(Op::kTestWaitParity, 0), One(Op::kArrive, 1)}},
      {"init_too_large_shown",
       "A count of 2^20 for init: what do a wait and an arrival find?",
       {One(Op::kInit, kLargest + 1), One(Op::kTestWaitParity, 0), One(Op::kArrive, 1)}},
      {"nocomplete_with_bytes_shown",
       "The last arrival by a noComplete form, bytes missing.",
       {One(Op::kInit, 1), One(Op::kExpectTx, 16), One(Op::kArriveDropNoComplete, 1),
        One(Op::kCompleteTx, 16), One(Op::kTestWaitParity, 0)}},
      {"copy_arrive_shown",
       "cp.async.mbarrier.arrive without a copy: how many are pending then?",
       {One(Op::kInit, 3), One(Op::kCopyArrive), One(Op::kArrive, 1)}},
      {"copy_arrive_noinc_shown",
       "The same with .noinc.",
       {One(Op::kInit, 3), One(Op::kCopyArriveNoInc), One(Op::kArrive, 1)}},
      {"inval_shown",
       "Does an arrival find the object after inval?",
       {One(Op::kInit, 3), One(Op::kArrive, 1), One(Op::kInval), One(Op::kArrive, 1)}},
      {"tx_above_its_range_shown",
       "Two bytes more than the largest tx-count.",
       {One(Op::kInit, 1), One(Op::kExpectTx, kLargest), One(Op::kExpectTx, 1),
        One(Op::kExpectTx, 1)}},
  };
  return scenarios;
}

}  // namespace muster::hwprobe

#endif  // MUSTER_SCRIPTS_HWPROBE_SCENARIOS_H_
