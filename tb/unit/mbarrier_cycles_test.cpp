// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// In which cycle the mbarrier block does something, as rtl/mbarrier/README.md promises; and sums
// over any lanes.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <vector>

#include "tb/unit/mb_oracle.h"
#include "tb/unit/mbarrier_bench.h"
#include "tb/unit/mbarrier_fixture.h"

namespace muster::mb {
namespace {

constexpr unsigned kIssueToCommit = 6;
constexpr unsigned kSum = 6;        // more, for several lanes whose operand is not 1
constexpr unsigned kResponses = 4;  // places
constexpr Place kPlace(1, 64);
constexpr Place kOther(2, 24);

class MbarrierCycles : public Mbarrier {
 protected:
  // From acceptance, which is at once, to the only commit.
  std::uint64_t Takes(const Group& group) {
    const std::uint64_t now = room_.cycle;
    const std::uint64_t before = room_.commits;
    room_.Present(kWarp, group);
    room_.Cycle();
    EXPECT_TRUE(room_.Free(kWarp));
    room_.Drain();
    EXPECT_EQ(room_.error(), "");
    EXPECT_EQ(room_.commits, before + 1);
    return room_.last_commit - now;
  }

  void Fill(Place place) {
    Object word;
    word.pending = word.expected = word.tx = 10'000;
    room_.Store(place, word.Encode());
  }

  // Copies arrive until the pipeline takes no more, since the memory takes no write.
  void Stuff() {
    room_.environment.write_stalls = 100;
    for (unsigned i = 0; i < 40; ++i) {
      if (room_.Free(kAsync)) {
        room_.Present(kAsync, Arrive(kOther, 0, 1));
      }
      room_.Cycle();
    }
    ASSERT_FALSE(room_.Free(kAsync));
  }
};

TEST_F(MbarrierCycles, EachLaneAlone) {
  Fill(kPlace);
  for (unsigned lane = 0; lane < 32; ++lane) {
    EXPECT_EQ(Takes(Of(Op::kArrive, kPlace, 1U << lane, 5)), kIssueToCommit) << "lane " << lane;
  }
}

TEST_F(MbarrierCycles, EachPairOfLanes) {
  Fill(kPlace);
  for (unsigned high = 1; high < 32; ++high) {
    for (unsigned low = 0; low < high; ++low) {
      EXPECT_EQ(Takes(Of(Op::kArrive, kPlace, 1U << low | 1U << high, 3)), kIssueToCommit + kSum)
          << "lanes " << low << " and " << high;
    }
  }
}

// All lanes are one update, of each operation; only sums of operands other than 1 take longer.
TEST_F(MbarrierCycles, AllLanesAreOneUpdate) {
  struct Case {
    Op op;
    std::uint32_t operand;
    bool sums;
  };
  for (const Case& each :
       {Case{Op::kArrive, 1, false}, Case{Op::kArrive, 7, true}, Case{Op::kArriveDrop, 3, true},
        Case{Op::kArriveNoComplete, 2, true}, Case{Op::kArriveExpectTx, 9, true},
        Case{Op::kArriveDropExpectTx, 1, false}, Case{Op::kExpectTx, 40, true},
        Case{Op::kCompleteTx, 40, true}, Case{Op::kCopyArrive, 0, false},
        Case{Op::kCopyArrive, 6, false}, Case{Op::kInit, 77, false}, Case{Op::kInval, 5, false},
        Case{Op::kTestWait, 5, false}, Case{Op::kTryWaitParity, 0, false}}) {
    Fill(kPlace);
    Group group = Of(each.op, kPlace, kAll, each.operand);
    group.has_hint = true;
    EXPECT_EQ(Takes(group), kIssueToCommit + (each.sums ? kSum : 0))
        << static_cast<unsigned>(each.op) << " of " << each.operand;
  }
}

// All lanes together expect more bytes than a word holds, but some of these have come already: one
// update.
TEST_F(MbarrierCycles, BytesOfAllLanesAreOneUpdate) {
  for (const Op op : {Op::kExpectTx, Op::kArriveExpectTx, Op::kArriveDropExpectTx}) {
    Object word;
    word.pending = word.expected = 10;
    word.tx = -900'000;
    room_.Store(kPlace, word.Encode());
    EXPECT_EQ(Takes(Of(op, kPlace, 0b11, 800'000)), kIssueToCommit + kSum)
        << static_cast<unsigned>(op);
    EXPECT_EQ(room_.Word(kPlace).tx, 700'000);
  }
}

// What needs no word reads none, and holds none: init, inval, and what is refused whatever the word
// is.
TEST_F(MbarrierCycles, SomeGroupsDoNotRead) {
  Fill(kPlace);
  room_.environment.read_stalls = 100;
  const std::uint64_t reads = room_.reads;
  EXPECT_EQ(Takes(Of(Op::kInit, kPlace, 1, 500)), kIssueToCommit);
  EXPECT_EQ(Takes(Of(Op::kInval, kPlace, 1, 1)), kIssueToCommit);
  const std::uint64_t held = room_.held;
  EXPECT_EQ(Takes(Of(Op::kArrive, kPlace, kAll, 0)), kIssueToCommit);
  EXPECT_EQ(Takes(Of(Op::kArrive, Place(1, kSmemBytes + 8), kAll, 3)), kIssueToCommit);
  EXPECT_EQ(Takes(Of(Op::kExpectTx, kPlace, 1, 1U << 20)), kIssueToCommit);
  EXPECT_EQ(room_.reads, reads);
  EXPECT_EQ(room_.held, held);
  room_.environment.read_stalls = 0;
  room_.environment.latency = 20;
  EXPECT_EQ(Takes(Of(Op::kTestWait, kPlace, 1, 1)), kIssueToCommit + 19);
  EXPECT_EQ(room_.reads, reads + 1);
}

// In an idle block a wait does not need the memory's write port.
TEST_F(MbarrierCycles, WaitDoesNotWaitForWrites) {
  Fill(kPlace);
  Do(kWarp, Arrive(kPlace, 3));
  room_.environment.write_stalls = 100;
  EXPECT_EQ(Takes(Of(Op::kTestWait, kPlace, 1, 1)), kIssueToCommit);
}

// A refused group, and one after it: a cycle apart at another word, two at the same.
TEST_F(MbarrierCycles, AfterARefusal) {
  for (const Place& place : {kOther, kPlace}) {
    for (const bool several : {false, true}) {
      Fill(kPlace);
      Fill(kOther);
      Object few;
      few.pending = few.expected = 1;
      room_.Store(kPlace, few.Encode());
      room_.Present(kWarp, Of(Op::kArrive, kPlace, 1, 2));
      room_.Cycle();
      room_.Present(kWarp, Of(Op::kArrive, place, several ? kAll : 1, 1));
      const std::vector<std::uint64_t> commits = CommitsOf(12);
      ASSERT_GE(commits.size(), 2U);
      EXPECT_EQ(commits[1] - commits[0], place == kOther ? 1 : several ? 5 : 2);
      room_.Drain();
    }
  }
}

// The responses are not taken, and all places are spent; a group without a response is split as
// fast as ever.
TEST_F(MbarrierCycles, SplitWithoutResponsesNeedsNoPlaces) {
  Fill(kOther);
  Init(kPlace, 1);
  room_.environment.response_stalls = 100;
  for (unsigned i = 0; i < kResponses - 2; ++i) {
    Group arrive = Arrive(kOther, i, 1);
    arrive.has_token = true;
    room_.Present(kWarp, arrive);
    CommitsOf(10);
  }
  Group two = Arrive(kPlace, 7, 0b11);  // two phases
  two.has_token = true;
  room_.Present(kWarp, two);
  EXPECT_EQ(CommitsOf(20).size(), 2U);
  room_.Present(kWarp, Arrive(kPlace, 8));
  const std::vector<std::uint64_t> commits = CommitsOf(60);
  ASSERT_EQ(commits.size(), 32U);
  EXPECT_EQ(commits.back() - commits.front(), 31U);
  room_.environment.response_stalls = 0;
}

// The port takes a group of a warp at once, whatever the turn of the drain is.
TEST_F(MbarrierCycles, PortIsReadyInEachTurnOfTheDrain) {
  Fill(kPlace);
  for (unsigned gap = 0; gap < kWarps + 1; ++gap) {
    for (unsigned i = 0; i < gap % 3; ++i) {
      room_.Cycle();
    }
    EXPECT_EQ(Takes(Arrive(kPlace, gap % kWarps, 1)), kIssueToCommit) << "gap " << gap;
  }
}

// A warp with accesses outstanding goes to the drain at once, also while a drained group waits for
// the pipeline.
TEST_F(MbarrierCycles, WarpInDrainBlocksNoOther) {
  Fill(kPlace);
  Fill(kOther);
  room_.environment.outstanding = 100;
  Stuff();
  for (unsigned warp = 0; warp < 6; ++warp) {
    Group arrive = Arrive(kPlace, warp, 1);
    arrive.releasing = true;
    room_.Present(kWarp, arrive);
    room_.Cycle();
    EXPECT_TRUE(room_.Free(kWarp)) << "warp " << warp;
    CommitsOf(warp == 5 ? 1 : 60);  // it is drained, and picked if there is a place
  }
  room_.environment.write_stalls = 0;
}

// All warps are drained when the pipeline takes groups again: their groups leave two cycles apart.
TEST_F(MbarrierCycles, DrainedGroupsAreTwoCyclesApart) {
  Fill(kPlace);
  Fill(kOther);
  room_.environment.outstanding = 100;
  Stuff();
  for (unsigned warp = 0; warp < kWarps; ++warp) {
    Group arrive = Arrive(kPlace, warp, 1);
    arrive.releasing = true;
    room_.Present(kWarp, arrive);
    room_.Cycle();
  }
  CommitsOf(100);
  room_.environment.write_stalls = 0;
  const std::vector<std::uint64_t> commits = CommitsOf(200);
  ASSERT_GE(commits.size(), kWarps);
  for (std::size_t i = commits.size() - 20; i < commits.size(); ++i) {
    EXPECT_EQ(commits[i] - commits[i - 1], 2U);
  }
}

// A warp is always in drain; another one has its turn.
TEST_F(MbarrierCycles, DrainedGroupHasItsTurn) {
  for (unsigned first = 0; first < kWarps; ++first) {
    Fill(kPlace);
    Init(kOther, 1000);
    room_.environment.outstanding = 100;
    CommitsOf(20);
    Group once = Arrive(kOther, (first + 1) % kWarps, 1);
    once.releasing = true;
    room_.Present(kWarp, once);
    unsigned cycles = 0;
    for (; room_.Word(kOther).pending == 1000 && cycles < 2000; ++cycles) {
      if (room_.Free(kWarp)) {
        Group again = Arrive(kPlace, first, 1);
        again.releasing = true;
        room_.Present(kWarp, again);
      }
      room_.Cycle();
    }
    EXPECT_LT(cycles, 300U) << "warp " << first;
    room_.environment.outstanding = 0;
    room_.Drain();
  }
}

// While a group is split, groups of warps without a response still enter the pipeline.
TEST_F(MbarrierCycles, GroupsEnterAmidASplit) {
  Fill(kOther);
  Init(kPlace, 1);
  room_.Present(kWarp, Arrive(kPlace, 31));
  CommitsOf(12);
  for (unsigned warp = 0; warp < 5; ++warp) {
    room_.Present(kWarp, Arrive(kOther, warp, 1));
    CommitsOf(2);
    EXPECT_TRUE(room_.Free(kWarp)) << "warp " << warp;
  }
  EXPECT_NE(room_.Word(kPlace).pending, 0);
}

// The phase completes a cycle before the limit, with it, and later: one answer, which the bench
// expects.
TEST_F(MbarrierCycles, CompletionBesideTheLimit) {
  constexpr std::uint32_t kHint = 60;
  const auto begin = [this] {
    Init(kPlace, 1);
    while (room_.cycle % (std::uint64_t{2} * kWarps) !=
           0) {  // the same turn, and the same part of a nanosecond
      room_.Cycle();
    }
    room_.Present(kWarp, TryWait(kPlace, 3, false, kHint));
  };
  begin();
  unsigned until = 0;
  for (; room_.expiries == 0; ++until) {
    room_.Cycle();
  }
  for (unsigned from = until - 12; from < until + 2; ++from) {
    begin();
    CommitsOf(from);
    room_.Present(kAsync, Arrive(kPlace, 0, 1));
    CommitsOf(kHint + kWarps);
  }
  EXPECT_GE(room_.wakes, 3U);
  EXPECT_GE(room_.expiries, 3U);
}

// Waits park in almost every cycle, and limits pass in almost every cycle: each is answered in
// time, as the bench expects.
TEST_F(MbarrierCycles, LimitsPassWhileOthersPark) {
  Init(kPlace, 1);
  for (unsigned i = 0; i < 3000; ++i) {
    if (room_.Free(kWarp)) {
      room_.Present(kWarp, TryWait(kPlace, i * 7 % kWarps, false, 20 + i % 5));
    }
    room_.Cycle();
  }
  EXPECT_GT(room_.expiries, 300U);
}

// The hint is a number of 32 bits, and no count of bytes.
TEST_F(MbarrierCycles, LongHint) {
  Init(kPlace, 1);
  Do(kWarp, TryWait(kPlace, 3, false, 0xffffffff));
  EXPECT_EQ(room_.parks, 1U);
  Do(kAsync, Arrive(kPlace, 0, 1));
  EXPECT_EQ(room_.wakes, 1U);
}

// Only an arrival has a token.
TEST_F(MbarrierCycles, ExpectTxHasNoResponse) {
  Fill(kPlace);
  Group expects = Of(Op::kExpectTx, kPlace, 1, 3);
  expects.has_token = true;
  Do(kWarp, expects);
  CommitsOf(10);
  EXPECT_EQ(room_.error(), "");
  EXPECT_EQ(room_.responses, 0U);
}

// Everybody has dropped, and bytes are missing: the word is not exhausted.
TEST_F(MbarrierCycles, BytesKeepAWordAlive) {
  Object word;
  word.tx = 5;
  room_.Store(kPlace, word.Encode());
  Do(kAsync, Of(Op::kCompleteTx, kPlace, 1, 2));
  EXPECT_EQ(room_.Word(kPlace).tx, 3);
  Do(kAsync, Of(Op::kCompleteTx, kPlace, 1, 3));
  EXPECT_EQ(room_.completions, 1U);
}

// A store has left a tx-count that no operation leaves; an arrival does not mind.
TEST_F(MbarrierCycles, ArrivalDoesNotLookAtTheTxCount) {
  Object word;
  word.pending = word.expected = 4;
  word.tx = 1 << 20;
  room_.Store(kPlace, word.Encode());
  Do(kWarp, Arrive(kPlace, 0, 1));
  EXPECT_EQ(room_.Word(kPlace).pending, 3);
}

// A wait of other lanes commits before the completion that answers the one that is parked, or after
// it: from that completion on, the slot of their warp is free.
TEST_F(MbarrierCycles, OtherLanesParkOnceTheSlotIsFree) {
  constexpr unsigned kCompletes = 3;
  unsigned parked = 0;
  for (unsigned from = 0; from < 2 * kCompletes; ++from) {
    Init(kPlace, 1);
    Init(kOther, 1);
    Do(kWarp, TryWait(kPlace, 3, false, 1000));
    const std::uint64_t before = room_.parks;
    for (unsigned i = 0; i < 2 * kCompletes; ++i) {
      if (i == from) {
        room_.Present(kWarp, TryWait(kOther, 3, false, 1000));
      }
      if (i == kCompletes) {
        room_.Present(kAsync, Arrive(kPlace, 0, 1));
      }
      room_.Cycle();
    }
    room_.Drain();
    EXPECT_EQ(room_.error(), "") << "from cycle " << from;
    parked += room_.parks != before;
    Do(kAsync, Arrive(kOther, 0, 1));
  }
  EXPECT_GE(parked, kCompletes);
  EXPECT_LT(parked, 2 * kCompletes);
}

// A copy engine and another CTA come in the same cycle after a reset, whichever had its turn before
// it: each does what it wants to.
TEST_F(MbarrierCycles, BothOtherSourcesRightAfterAReset) {
  for (const Source last : {kAsync, kRemote}) {
    Fill(kOther);
    Do(last, Arrive(kOther, 0, 1));
    room_.Reset();
    Fill(kPlace);
    Fill(kOther);
    room_.Present(kAsync, Arrive(kPlace, 0, 1));
    room_.Present(kRemote, Of(Op::kExpectTx, kOther, 1, 5));
    room_.Drain();
    EXPECT_EQ(room_.error(), "");
    EXPECT_EQ(room_.Word(kPlace).pending, 9'999);
    EXPECT_EQ(room_.Word(kOther).tx, 10'005);
  }
}

// One of the four places for responses is kept for a group that is split; three groups that are
// answered follow each other.
TEST_F(MbarrierCycles, AnswersFollowEachOther) {
  Init(kPlace, 1000);
  const std::uint64_t now = room_.cycle;
  for (unsigned warp = 0; warp + 1 < kResponses; ++warp) {
    EXPECT_TRUE(room_.Free(kWarp));
    Group arrive = Arrive(kPlace, warp, 1);
    arrive.has_token = true;
    room_.Present(kWarp, arrive);
    room_.Cycle();
  }
  EXPECT_TRUE(room_.Free(kWarp));
  room_.Drain();
  EXPECT_EQ(room_.error(), "");
  EXPECT_EQ(room_.last_commit - now, kIssueToCommit + kResponses - 2);
}

// A copy engine or another CTA presents groups without pause, alone: the first is accepted a cycle
// after it is presented, then one per cycle. A warp's group presented after the last is not
// delayed.
TEST_F(MbarrierCycles, TurnComesInTheNextCycle) {
  for (const Source source : {kAsync, kRemote}) {
    Fill(kPlace);
    CommitsOf(20);
    room_.Present(source, Arrive(kPlace, 0, 1));
    room_.Cycle();
    EXPECT_FALSE(room_.Free(source));
    for (unsigned i = 0; i < 5; ++i) {
      room_.Cycle();
      EXPECT_TRUE(room_.Free(source)) << "group " << i;
      room_.Present(source, Arrive(kPlace, 0, 1));
    }
    room_.Cycle();
    const std::uint64_t others = room_.commits;
    const std::uint64_t now = room_.cycle;
    room_.Present(kWarp, Arrive(kPlace, 3, 1));
    room_.Drain();
    EXPECT_EQ(room_.error(), "");
    EXPECT_GT(room_.commits, others);
    EXPECT_EQ(room_.last_commit - now, kIssueToCommit);
  }
}

// A warp's group is accepted in the cycle in which another source's is, or one or two cycles later:
// only in the first case does it wait for the turn to return.
TEST_F(MbarrierCycles, WarpBesideAnotherSource) {
  for (const Source source : {kAsync, kRemote}) {
    for (const unsigned later : {0U, 1U, 2U}) {
      Fill(kPlace);
      CommitsOf(20);
      room_.Present(source, Arrive(kPlace, 0, 1));
      CommitsOf(1 + later);  // it is accepted in the second cycle
      EXPECT_EQ(room_.Free(source), later > 0);
      const std::uint64_t now = room_.cycle;
      room_.Present(kWarp, Arrive(kPlace, 3, 1));
      room_.Drain();
      EXPECT_EQ(room_.error(), "");
      EXPECT_EQ(room_.last_commit - now, kIssueToCommit + (later == 0 ? 1 : 0)) << later;
    }
  }
}

// All three sources present groups without pause: one group commits per cycle, and a third of them
// are from each source.
TEST_F(MbarrierCycles, SourcesTakeTurns) {
  constexpr unsigned kRounds = 20;
  Fill(kPlace);
  std::array<unsigned, kNumSources> taken{};
  const auto present = [&] {
    for (const Source source : {kWarp, kAsync, kRemote}) {
      if (room_.Free(source)) {
        ++taken.at(source);
        room_.Present(source, Arrive(kPlace, 0, 1));
      }
    }
  };
  for (unsigned i = 0; i < 10; ++i) {
    present();
    room_.Cycle();
  }
  taken = {};
  const std::uint64_t before = room_.commits;
  for (unsigned i = 0; i < 3 * kRounds; ++i) {
    present();
    room_.Cycle();
  }
  EXPECT_EQ(room_.error(), "");
  EXPECT_EQ(room_.commits - before, 3 * kRounds);
  EXPECT_EQ(taken[kWarp], kRounds);
  EXPECT_EQ(taken[kAsync], kRounds);
  EXPECT_EQ(taken[kRemote], kRounds);
}

}  // namespace
}  // namespace muster::mb
