// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The socket of muster::tlm::BarrierUnit: what it takes, what it refuses, what a debugger reads.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
#include <systemc>
#include <tlm>
#include <vector>

#include "sim/isa/config.h"
#include "sim/isa/latency.h"
#include "sim/tlm/barrier_extension.h"
#include "sim/tlm/barrier_unit.h"
#include "tb/unit/tlm_fixture.h"

namespace muster::tlm {
namespace {

class TlmSocket : public Platform {
 protected:
  TlmSocket() { sc_core::sc_start(sc_core::SC_ZERO_TIME); }

  ::tlm::tlm_response_status Respond(::tlm::tlm_generic_payload* payload) {
    sc_core::sc_time delay = Ns(7);
    core.socket->b_transport(*payload, delay);
    EXPECT_FALSE(payload->is_dmi_allowed());
    EXPECT_TRUE(payload->is_response_ok() || delay == Ns(7)) << "an error takes no time";
    return payload->get_response_status();
  }
};

// A launch and two arrivals of one cycle. PTX 9.7.13.1: the second arrival completes the barrier of
// the two warps.
TEST_F(TlmSocket, CarriesOutWhatHappensInOneCycle) {
  BarrierTransaction transaction;
  BarrierExtension& asked = transaction.extension();
  asked.Add(Launch(0, 0b11));
  asked.Add(At(OpKind::kSync, 0, 5));
  asked.Add(At(OpKind::kSync, 1, 5));
  EXPECT_EQ(Respond(&transaction.Prepared()), ::tlm::TLM_OK_RESPONSE);
  EXPECT_TRUE(transaction.ok());
  ASSERT_EQ(asked.operation_count(), 3U);
  EXPECT_EQ(asked.effects()[0].released, 0U);
  EXPECT_EQ(asked.effects()[1].released, 0U);
  EXPECT_EQ(asked.effects()[2].released, 0b11U);
  EXPECT_TRUE(asked.effects()[2].completed);

  // The same transaction serves again: for an object with two arrivals, and one of them.
  asked.Clear();
  asked.Add(At(MbOp::kInit, 0, 0x40, 2));
  MbOperation arrive = At(MbOp::kArrive, 1, 0x40, 1);
  arrive.has_token = true;
  asked.Add(arrive);
  EXPECT_EQ(Respond(&transaction.Prepared()), ::tlm::TLM_OK_RESPONSE);
  EXPECT_EQ(asked.operation_count(), 0U);
  ASSERT_EQ(asked.event_count(), 2U);
  EXPECT_EQ(asked.mb_effects()[0].word, 0x7ffff000'001ffffcU);
  EXPECT_EQ(asked.mb_effects()[1].token[0], 0x7ffff000'001ffffcU);  // the word before
  EXPECT_EQ(asked.mb_effects()[1].word, 0x7ffff800'001ffffcU);

  asked.Clear();
  EXPECT_EQ(Respond(&transaction.Prepared()), ::tlm::TLM_OK_RESPONSE) << "nothing may be asked";
}

TEST_F(TlmSocket, RefusesPayloadsOfAnotherKind) {
  core.Send(Launch(0, 0b1));
  BarrierTransaction transaction;
  transaction.extension().Add(Lifecycle(OpKind::kEnd, 0));
  using Spoil = std::function<void(::tlm::tlm_generic_payload*)>;
  unsigned char byte = 0xff;
  const std::vector<std::pair<Spoil, ::tlm::tlm_response_status>> cases = {
      {[](auto* payload) { payload->set_read(); }, ::tlm::TLM_COMMAND_ERROR_RESPONSE},
      {[](auto* payload) { payload->set_write(); }, ::tlm::TLM_COMMAND_ERROR_RESPONSE},
      {[](auto* payload) { payload->set_address(8); }, ::tlm::TLM_ADDRESS_ERROR_RESPONSE},
      {[&](auto* payload) { payload->set_byte_enable_ptr(&byte); },
       ::tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE},
      {[](auto* payload) { payload->set_data_length(1); }, ::tlm::TLM_BURST_ERROR_RESPONSE}};
  for (const auto& [spoil, status] : cases) {
    ::tlm::tlm_generic_payload& payload = transaction.Prepared();
    spoil(&payload);
    EXPECT_EQ(Respond(&payload), status);
  }

  // Without the extension, whatever the data pointer is: the unit does not follow it.
  for (const ::tlm::tlm_command command :
       {::tlm::TLM_READ_COMMAND, ::tlm::TLM_WRITE_COMMAND, ::tlm::TLM_IGNORE_COMMAND}) {
    ::tlm::tlm_generic_payload payload;
    payload.set_command(command);
    payload.set_data_ptr(nullptr);  // who follows it crashes
    payload.set_data_length(64);
    payload.set_streaming_width(64);
    EXPECT_EQ(Respond(&payload), ::tlm::TLM_COMMAND_ERROR_RESPONSE);
  }
  EXPECT_TRUE(unit.model().Resident(0)) << "nothing has been carried out";
}

// What no core may present to the unit: a sentence says why, and nothing of the transaction is
// carried out, what comes before the bad part included.
TEST_F(TlmSocket, RefusesWhatNoCoreMayPresent) {
  core.Send(Launch(0, 0b11));
  const auto event = [](MbEvent::Kind kind, unsigned cta, unsigned warp, std::uint32_t addr) {
    MbEvent made;
    made.kind = kind;
    made.operation.cta = static_cast<std::uint8_t>(cta);
    made.operation.warp = static_cast<std::uint8_t>(warp);
    made.operation.addr = addr;
    return made;
  };
  MbOperation copy = At(MbOp::kInit, 0, 0, 1);
  copy.source = MbSource::kAsync;
  MbOperation wide_copy = At(MbOp::kCompleteTx, 0, 0, 1);
  wide_copy.source = MbSource::kAsync;
  wide_copy.lanes = 3;
  MbEvent exits = event(MbEvent::Kind::kLeave, 0, 0, 0);
  exits.how = OpKind::kExit;
  using Ask = std::function<void(BarrierExtension*)>;
  const std::vector<std::pair<Ask, std::string>> cases = {
      {[](auto* x) { x->Add(At(static_cast<OpKind>(7), 0, 0)); },
       "operation 0: there is no operation with the code 7"},
      {[](auto* x) { x->Add(At(static_cast<OpKind>(21), 0, 0)); },
       "operation 0: there is no operation with the code 21"},
      {[](auto* x) { x->Add(At(OpKind::kSync, 0, 16)); },
       "operation 0: there is no barrier 16; a CTA has 16"},
      {[](auto* x) { x->Add(Launch(1, 0x110)); },
       "operation 0: a launch takes the warps 0x110; small has 8"},
      {[](auto* x) { x->Add(Launch(1, 0b110)); },
       "operation 0: a launch takes the warps 0x2, which are live"},
      {[](auto* x) { x->Add(Lifecycle(OpKind::kJoin, 1, 1)); },
       "operation 0: a join takes the warp 1, which is live in another CTA"},
      {[](auto* x) { x->Add(Lifecycle(OpKind::kJoin, 2, 0)); },
       "operation 0: a join takes the warp 0, which is live in another CTA"},
      {[](auto* x) {
         x->Add(Lifecycle(OpKind::kEnd, 0));
         x->Add(Launch(1, 0b100));
       },
       "operation 1: a second lifecycle operation; there is one in a cycle"},
      {[&](auto* x) { x->Add(copy); },
       "event 0: init of 1 by a copy engine; it may ask for complete_tx, for report_on, and for "
       "arrive of 1"},
      {[&](auto* x) { x->Add(wide_copy); },
       "event 0: lanes 0x3 of a copy engine, which has lane 0"},
      {[](auto* x) { x->Add(At(static_cast<MbOp>(17), 0, 0, 0)); },
       "event 0: there is no mbarrier operation with the code 17 from the source 0"},
      {[&](auto* x) { x->Add(event(MbEvent::Kind::kExpire, 0, 8, 0)); },
       "event 0: a time limit of warp 8; small has 8"},
      {[&](auto* x) { x->Add(event(MbEvent::Kind::kStore, 2, 0, 0)); },
       "event 0: there is no CTA slot 2; small has 2"},
      {[&](auto* x) { x->Add(event(MbEvent::Kind::kRestore, 0, 0, 4)); },
       "event 0: a store to 0x4; shared memory has 0x10000 bytes, in words of 8"},
      {[&](auto* x) { x->Add(event(MbEvent::Kind::kStore, 0, 0, 0x10000)); },
       "event 0: a store to 0x10000; shared memory has 0x10000 bytes, in words of 8"},
      {[&](auto* x) { x->Add(event(static_cast<MbEvent::Kind>(5), 0, 0, 0)); },
       "event 0: there is no event with the code 5"},
      {[&](auto* x) { x->Add(event(MbEvent::Kind::kLeave, 32, 0, 0)); },
       "event 0: there is no CTA slot 32 in any unit"},
      {[&](auto* x) { x->Add(exits); },
       "event 0: a CTA leaves by the operation 24; there are suspend and end"},
      {[](auto* x) {
         x->Add(At(MbOp::kInit, 0, 0x40, 2));
         x->Add(At(OpKind::kArrive, 0, 3, 2));
         x->Add(At(OpKind::kSync, 1, 16));
       },
       "operation 1: there is no barrier 16; a CTA has 16"}};
  for (const auto& [ask, sentence] : cases) {
    BarrierTransaction transaction;
    ask(&transaction.extension());
    EXPECT_EQ(Respond(&transaction.Prepared()), ::tlm::TLM_GENERIC_ERROR_RESPONSE) << sentence;
    EXPECT_EQ(transaction.extension().refusal(), sentence);
  }
  EXPECT_TRUE(unit.model().Resident(0));
  EXPECT_FALSE(unit.model().Resident(1));
  EXPECT_EQ(unit.model().EntryWord(0, 3), 0U);
  EXPECT_EQ(unit.mbarriers().Word(0, 0x40), 0U);

  // A refusal is gone when the next transaction has been taken.
  BarrierTransaction transaction;
  transaction.extension().Add(At(OpKind::kSync, 0, 16));
  EXPECT_EQ(Respond(&transaction.Prepared()), ::tlm::TLM_GENERIC_ERROR_RESPONSE);
  transaction.extension().Clear();
  transaction.extension().Add(At(OpKind::kSync, 0, 15));
  EXPECT_EQ(Respond(&transaction.Prepared()), ::tlm::TLM_OK_RESPONSE);
  EXPECT_EQ(transaction.extension().refusal(), "");
}

// Misuse of a join that names no warp of another CTA is judged.
TEST_F(TlmSocket, OpensACtaThatItsWarpsJoin) {
  core.Send(Launch(0, 0b11));
  EXPECT_EQ(core.Send(Lifecycle(OpKind::kJoin, 0, 1)).fault, FaultCause::kBadJoin);
  EXPECT_EQ(core.Send(Lifecycle(OpKind::kJoin, 0, 8)).fault, FaultCause::kBadJoin);
  EXPECT_EQ(core.Send(Lifecycle(OpKind::kJoin, 1, 4)).fault, FaultCause::kCtaNotResident);
  EXPECT_EQ(core.Send(Lifecycle(OpKind::kOpen, 1)).fault, FaultCause::kBadLaunch);
  Operation open = Lifecycle(OpKind::kOpen, 1);
  open.size = 2;
  EXPECT_EQ(core.Send(open).fault, FaultCause::kNone);
  EXPECT_EQ(core.Send(Lifecycle(OpKind::kJoin, 1, 4)).fault, FaultCause::kNone);
  EXPECT_EQ(unit.model().LiveWarps(1), 0b10000U);
  EXPECT_EQ(unit.model().ToJoin(1), 1U);
}

class TlmSocketOfVortexLike : public Platform {
 protected:
  TlmSocketOfVortexLike() : Platform("vortex_like") { sc_core::sc_start(sc_core::SC_ZERO_TIME); }
};

// rtl/README.md, "Parameters": without EnReduce, EnState and EnJoin these must not be
// presented.
TEST_F(TlmSocketOfVortexLike, RefusesWhatTheConfigurationLacks) {
  core.Send(Launch(0, 0b11));
  const auto refusal = [&](const auto& asked) {
    BarrierTransaction transaction;
    transaction.extension().Add(asked);
    sc_core::sc_time delay;
    core.socket->b_transport(transaction.Prepared(), delay);
    EXPECT_FALSE(transaction.ok());
    return transaction.extension().refusal();
  };
  EXPECT_EQ(refusal(At(OpKind::kRedPopc, 0, 0)), "operation 0: vortex_like has no red_popc");
  EXPECT_EQ(refusal(At(OpKind::kB2rWarp, 0, 0)), "operation 0: vortex_like has no b2r_warp");
  EXPECT_EQ(refusal(At(OpKind::kR2bWarp, 0, 0)), "operation 0: vortex_like has no r2b_warp");
  EXPECT_EQ(refusal(Lifecycle(OpKind::kOpen, 1)), "operation 0: vortex_like has no open");
  EXPECT_EQ(refusal(Lifecycle(OpKind::kJoin, 0)), "operation 0: vortex_like has no join");
  // Misuse is judged here, too.
  EXPECT_EQ(core.Send(At(OpKind::kArrive, 0, 0)).fault, FaultCause::kArvWithoutCount);
}

// ------------------------------------------------------------------------------------------------
// Annotated time
// ------------------------------------------------------------------------------------------------

class TlmAnnotation : public Platform, public testing::WithParamInterface<const char*> {
 protected:
  TlmAnnotation() : Platform(GetParam()) { sc_core::sc_start(sc_core::SC_ZERO_TIME); }

  // The cycles that the delay grows by, from a local time on that is later than all before.
  template <typename Asked>
  double CyclesOf(const Asked& asked) {
    ahead_ += Ns(1000);
    sc_core::sc_time delay = ahead_;
    core.Send(asked, &delay);
    return (delay - ahead_) / sc_core::sc_time(config().clock_period_ps, sc_core::SC_PS);
  }
  const Config& config() const { return *FindConfig(GetParam()); }

 private:
  sc_core::sc_time ahead_;
};

INSTANTIATE_TEST_SUITE_P(Configs, TlmAnnotation,
                         testing::Values("small", "default", "large", "full", "vortex_like"),
                         [](const auto& info) { return std::string(info.param); });

// The tables of rtl/README.md and rtl/mbarrier/README.md ("Latency"): acceptance to commit, and
// commit to release, fault or response.
TEST_P(TlmAnnotation, IsThePublishedLatency) {
  const bool minimal = std::string(GetParam()) == "vortex_like";
  const unsigned to_commit = config().num_issue > 1 ? 3 : 2;
  const unsigned to_release = minimal ? 1 : 2;
  const unsigned steps = config().num_warps > 16 ? config().num_warps : 16;
  EXPECT_EQ(CyclesOf(Launch(0, 0b11)), 2 * steps + (config().num_issue > 1 ? 9 : 8) + to_release);
  EXPECT_EQ(CyclesOf(At(OpKind::kArrive, 0, 1, 2)), to_commit + to_release);
  EXPECT_EQ(CyclesOf(At(OpKind::kSync, 1, 1, 2)), to_commit + to_release) << "the release";
  EXPECT_EQ(CyclesOf(At(OpKind::kSync, 1, 1, 9)), to_commit + to_release) << "a fault";
  EXPECT_EQ(CyclesOf(At(OpKind::kB2rBar, 0, 1)), to_commit + to_release) << "a response";
  EXPECT_EQ(CyclesOf(At(OpKind::kArrivePhase, 0, 5, 1)), to_commit + to_release) << "a phase";
  EXPECT_EQ(CyclesOf(At(OpKind::kWait, 0, 5)), to_commit + to_release) << "a phase that was";
  if (config().state) {
    EXPECT_EQ(CyclesOf(At(OpKind::kR2bBar, 0, 1)), to_commit + 3 + to_release);
  }
  const unsigned mb_to_commit = config().drain ? kWarpToCommit : kWarpToCommit - 1;
  EXPECT_EQ(CyclesOf(At(MbOp::kInit, 0, 0x40, 4)), mb_to_commit + 1);
  EXPECT_EQ(CyclesOf(At(MbOp::kArrive, 0, 0x40, 1)), mb_to_commit + 1);
  MbOperation arrive = At(MbOp::kArrive, 0, 0x40, 1);
  arrive.has_token = true;
  EXPECT_EQ(CyclesOf(arrive), mb_to_commit + 2) << "a token";
  EXPECT_EQ(CyclesOf(At(MbOp::kTestWaitParity, 0, 0x40, 0)), mb_to_commit + 2) << "an answer";
  for (const MbSource source : {MbSource::kAsync, MbSource::kRemote}) {
    arrive = At(MbOp::kArrive, 0, 0x40, 1);
    arrive.source = source;
    EXPECT_EQ(CyclesOf(arrive), kOtherToCommit + 1);
  }
  EXPECT_EQ(CyclesOf(Lifecycle(OpKind::kExit, 0, 1)), (minimal ? 4 : 5) + to_release);
  EXPECT_EQ(CyclesOf(Lifecycle(OpKind::kEnd, 0)), (minimal ? 5 : 6) + to_release);
}

// ------------------------------------------------------------------------------------------------
// Debug reads
// ------------------------------------------------------------------------------------------------

// State words by rtl/README.md, "State words"; words of mbarriers by sim/golden/mbarrier.md.
TEST_F(TlmSocket, DebugReadsShowTheState) {
  core.Send(Launch(1, 0b1100));
  const auto in_cta_1 = [](auto operation) {
    operation.cta = 1;
    return operation;
  };
  Operation red = in_cta_1(At(OpKind::kRedPopc, 2, 3, 2));
  red.operand = 0xff;
  core.Send(red);
  core.Send(in_cta_1(At(MbOp::kInit, 3, 0x40, 2)));
  core.Send(in_cta_1(TryWait(3, 0x40, false)));

  const std::string before = unit.model().Describe(1, 3) + unit.mbarriers().Describe(1, 0x40);
  for (int twice = 0; twice < 2; ++twice) {
    // POPC (4) of 2 warps, 1 has arrived, 8 true lanes so far.
    EXPECT_EQ(Debug32(DebugMap::kEntries + 64 + 12), 4U << 26 | 2U << 19 | 1U << 12 | 8U);
    EXPECT_EQ(Debug32(DebugMap::kEntries + 12), 0U) << "of the other CTA";
    // It waits at barrier 3, and its latest reduction is POPC there, without a result.
    EXPECT_EQ(Debug32(DebugMap::kWarps + 16), 1U << 23 | 3U << 19 | 4U << 16 | 3U << 12);
    EXPECT_EQ(Debug32(DebugMap::kWarps + 16 + 4), 0b011U) << "live, waits";
    EXPECT_EQ(Debug32(DebugMap::kWarps + 24 + 4), 0b101U) << "live, parked";
    EXPECT_EQ(Debug32(DebugMap::kWarps + 32 + 4), 0b000U);
    EXPECT_EQ(Debug64(DebugMap::kWords + DebugMap::kWordsStride + 0x40), 0x7ffff000'001ffffcU);
    EXPECT_EQ(Debug64(DebugMap::kWords + 0x40), 0U);
    EXPECT_EQ(Debug64(DebugMap::kWords + DebugMap::kWordsStride + 0x48), 0U);
  }
  EXPECT_EQ(unit.model().Describe(1, 3) + unit.mbarriers().Describe(1, 0x40), before);
}

TEST_F(TlmSocket, DebugReadsEndWithTheMap) {
  core.Send(Launch(0, 0b1));
  core.Send(At(MbOp::kInit, 0, 0xfff8, 2));  // the last word of shared memory
  std::vector<unsigned char> data(64);
  const auto read = [&](std::uint64_t address, unsigned length) {
    ::tlm::tlm_generic_payload payload;
    payload.set_read();
    payload.set_address(address);
    payload.set_data_ptr(data.data());
    payload.set_data_length(length);
    const unsigned count = core.socket->transport_dbg(payload);
    EXPECT_EQ(payload.is_response_ok(), count == length);
    return count;
  };
  const std::uint64_t entries = DebugMap::kEntries + 128;  // two CTAs
  EXPECT_EQ(read(entries - 8, 8), 8U);
  EXPECT_EQ(read(entries - 8, 12), 8U);
  EXPECT_EQ(read(entries, 4), 0U);
  const std::uint64_t warps = DebugMap::kWarps + 64;  // eight warps
  EXPECT_EQ(read(warps - 3, 8), 3U);
  EXPECT_EQ(read(warps, 1), 0U);
  const std::uint64_t words = DebugMap::kWords + 0x10000;
  EXPECT_EQ(read(words - 8, 64), 8U);
  std::uint64_t word = 0;
  std::memcpy(&word, data.data(), sizeof(word));
  EXPECT_EQ(word, 0x7ffff000'001ffffcU);
  EXPECT_EQ(read(words, 8), 0U);
  EXPECT_EQ(read(DebugMap::kWords + 2 * DebugMap::kWordsStride, 8), 0U) << "a third CTA";
  EXPECT_EQ(read(DebugMap::kSize + 0x40, 8), 0U);
  EXPECT_EQ(read(~std::uint64_t{0} - 3, 8), 0U);
  // Parts of a word are its bytes.
  EXPECT_EQ(read(words - 6, 4), 4U);
  EXPECT_EQ(std::memcmp(data.data(), reinterpret_cast<unsigned char*>(&word) + 2, 4), 0);

  ::tlm::tlm_generic_payload write;
  write.set_write();
  write.set_address(words - 8);
  write.set_data_ptr(data.data());
  write.set_data_length(8);
  EXPECT_EQ(core.socket->transport_dbg(write), 0U);
  EXPECT_EQ(unit.mbarriers().Word(0, 0xfff8), 0x7ffff000'001ffffcU);
  ::tlm::tlm_generic_payload none;
  none.set_read();
  none.set_data_length(8);
  EXPECT_EQ(core.socket->transport_dbg(none), 0U) << "nowhere to copy to";
}

// ------------------------------------------------------------------------------------------------
// The extension
// ------------------------------------------------------------------------------------------------

// Interconnect that keeps transactions for later copies them, and copies what came of them back.
TEST_F(TlmSocket, ExtensionIsCopiedWhole) {
  core.Send(Launch(0, 0b1));
  BarrierTransaction original;
  original.extension().Add(At(OpKind::kSync, 0, 2));
  original.extension().Add(At(MbOp::kInit, 0, 0x40, 2));

  ::tlm::tlm_generic_payload copy;
  copy.deep_copy_from(original.Prepared());
  auto* const copied = copy.get_extension<BarrierExtension>();
  ASSERT_NE(copied, nullptr);
  ASSERT_NE(copied, &original.extension());
  EXPECT_EQ(Respond(&copy), ::tlm::TLM_OK_RESPONSE);
  original.extension().copy_from(*copied);
  ASSERT_EQ(original.extension().operation_count(), 1U);
  EXPECT_EQ(original.extension().effects()[0].released, 1U);
  ASSERT_EQ(original.extension().event_count(), 1U);
  EXPECT_EQ(original.extension().event(0).operation.addr, 0x40U);
  EXPECT_EQ(original.extension().mb_effects()[0].word, 0x7ffff000'001ffffcU);
}

// ------------------------------------------------------------------------------------------------
// Several units
// ------------------------------------------------------------------------------------------------

// PTX 9.7.13.15.8: a warp of one CTA arrives at the word of another, which is on another unit.
TEST(TlmSocketOfTwoUnits, ShareNothing) {
  const Simulation simulation;
  BarrierUnit near("near", *FindConfig("small"));
  BarrierUnit far("far", *FindConfig("vortex_like"));
  Core to_near("to_near");
  Core to_far("to_far");
  to_near.socket.bind(near.socket);
  to_far.socket.bind(far.socket);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);

  to_near.Send(Launch(0, 0b1));
  to_far.Send(Launch(0, 0b1));
  to_far.Send(At(MbOp::kInit, 0, 0x40, 1));
  EXPECT_EQ(near.mbarriers().Word(0, 0x40), 0U);
  EXPECT_NE(to_far.Send(TryWait(0, 0x40, false)).parked, 0U);

  MbOperation arrive = At(MbOp::kArrive, 0, 0x40, 1);
  arrive.source = MbSource::kOutbound;
  EXPECT_EQ(to_near.Send(arrive).fault[0], FaultCause::kNone);
  arrive.source = MbSource::kRemote;
  EXPECT_EQ(to_far.Send(arrive).completions, 1U);
  sc_core::sc_start(Ns(kOtherToCommit + 1));
  EXPECT_TRUE(far.answers->parked(0)) << "2 cycles from the commit to the wake-up";
  sc_core::sc_start(Ns(2));
  EXPECT_FALSE(far.answers->parked(0));
  EXPECT_TRUE(far.answers->latest_answer(0).complete);
  EXPECT_EQ(near.answers->latest_answer(0).lanes, 0U);
}

}  // namespace
}  // namespace muster::tlm
