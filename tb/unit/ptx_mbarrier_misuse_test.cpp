// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// mbarriers where there are none: by a wrong address, and after their time.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "sim/isa/fault.h"
#include "tb/unit/ptx_fixture.h"
#include "tb/unit/ptx_mbarrier_kernel.h"

namespace muster::ptx {
namespace {

// The address that was used, and what is there.
TEST(PtxMbarrier, BadAddressesAreNamed) {
  const struct {
    const char* body;
    const char* address;
    const char* what;
  } rows[] = {
      {"mapa.shared::cluster.u32 %r11, a, 3; mbarrier.arrive.shared::cluster.b64 _, [%r11];",
       "0x4000000",
       "arrive: writes 8 bytes at byte 67108864 of shared memory, of which the CTA has"},
      {"mapa.u64 %d4, %d3, 3; mbarrier.arrive.release.cluster.b64 _, [%d4];", "0x4004000000",
       "of shared memory, of which the CTA has"},
      {"mbarrier.arrive.b64 _, [%d1];", "0x10000000000",
       "arrive: writes 8 bytes at byte 0 of buffer out, which that instruction cannot reach"},
      {"mbarrier.test_wait.parity.shared.b64 done, [%r5+4096], 0;", "0x1000",
       "test_wait.parity: reads 8 bytes at byte 4096 of shared memory, of which the CTA has"},
      {"mov.u64 %d4, 0; mbarrier.init.b64 [%d4], 1;", "0x0",
       "init: writes 8 bytes at 0x0, where there is no memory"},
  };
  for (const auto& row : rows) {
    const Ended run(Threads(32, "1", row.body));
    ASSERT_EQ(run.outcome(), "fault:bad_address") << row.body;
    const Incident& fault = run.grid().faults().front();
    EXPECT_EQ(fault.line, kBody);
    EXPECT_EQ(fault.mbarrier, row.address) << row.body;
    EXPECT_NE(fault.explanation.find(row.what), std::string::npos) << fault.explanation;
  }
}

// Thread 0 invalidates the object, and does not wait for thread 32, which comes to it later.
TEST(PtxMbarrier, InvalRacesWithWhoComesLater) {
  const auto later = [](const std::string& operation) {
    return "  @%p1 mbarrier.arrive.shared.b64 state, [a]; bar.sync 0;\n"
           "  @%p1 mbarrier.inval.shared.b64 [a];\n"
           "  bar.sync 0; setp.eq.u32 %p4, %r1, 32; @!%p4 bra E; mov.u64 state, 0;\nL: " +
           operation + "\nE: mov.u32 %r10, 1;";
  };
  const struct {
    std::string body;
    std::uint32_t line;  // of the body
    bool waits;
  } rows[] = {
      {later("mbarrier.test_wait.shared.b64 done, [a], state; @!done bra L;"), 3, true},
      {later("mbarrier.test_wait.parity.shared.b64 done, [a], 0; @!done bra L;"), 3, true},
      {later("mbarrier.try_wait.parity.shared.b64 done, [a], 0; @!done bra L;"), 3, true},
      {later("mbarrier.try_wait.shared.b64 done, [a], state, 100; @!done bra L;"), 3, true},
      {later("mbarrier.arrive.shared.b64 state, [a];"), 3, false},
      {later("mbarrier.expect_tx.shared.b64 [a], 4;"), 3, false},
      {later("cp.async.mbarrier.arrive.shared.b64 [a];"), 3, false},
      {later("cp.async.mbarrier.arrive.noinc.shared.b64 [a]; cp.async.wait_all;"
             " mov.u32 %r11, 0;\nM: add.u32 %r11, %r11, 1; setp.lt.u32 %p5, %r11, 60; @%p5 bra M;"),
       3, false},
  };
  const std::string who = "; warp 0 invalidated it at line 13, and did not wait for the thread";
  for (const auto& row : rows) {
    Kernel kernel = Threads(64, "1", row.body);
    const Ended ends(kernel);
    ASSERT_EQ(ends.outcome(), "fault:word_exhausted") << row.body;
    EXPECT_EQ(ends.grid().faults()[0].line, kBody + row.line);
    EXPECT_NE(ends.grid().faults()[0].explanation.find(who), std::string::npos)
        << ends.grid().faults()[0].explanation;
    kernel.manifest.inval_is_hazard = true;
    const Ended goes_on(kernel);
    ASSERT_EQ(goes_on.outcome(), "completes") << row.body;
    EXPECT_EQ(goes_on.Words(0), All(64, 1)) << row.body;
    ASSERT_EQ(goes_on.grid().hazards().size(), 1U) << row.body;
    EXPECT_EQ(goes_on.Hazards(Hazard::kUninitialisedWord), 1U) << row.body;
    EXPECT_EQ(goes_on.grid().hazards()[0].line, kBody + row.line);
    EXPECT_NE(goes_on.grid().hazards()[0].explanation.find(who), std::string::npos);
  }
  // Who has invalidated it is one's own fault, and after an init there is an object again.
  Kernel own = Threads(
      64, "1", "@%p1 mbarrier.inval.shared.b64 [a]; @%p1 mbarrier.arrive.shared.b64 _, [a];");
  own.manifest.inval_is_hazard = true;
  const Ended ends(own);
  EXPECT_EQ(ends.outcome(), "fault:word_exhausted");
  EXPECT_EQ(ends.grid().faults()[0].explanation.find("invalidated it at"), std::string::npos);
  const Ended again(Threads(64, "1",
                            "  @%p1 mbarrier.inval.shared.b64 [a]; @%p1 mbarrier.init.shared.b64 "
                            "[a], 64; bar.sync 0; mbarrier.arrive.shared.b64 _, [a];\n"
                            "L: mbarrier.try_wait.parity.shared.b64 done, [a], 0; @!done bra L;"));
  EXPECT_EQ(again.outcome(), "completes");
  EXPECT_TRUE(again.grid().hazards().empty());
}

// A store where an object was invalidated makes the word memory again: a wait of another thread
// goes by its phase bit alone.
TEST(PtxMbarrier, AStoreAfterInvalIsWhatAWaitSees) {
  for (const bool complete : {true, false}) {
    const Ended ends(Threads(
        64, "1",
        std::string("  @%p1 mbarrier.inval.shared.b64 [a]; mov.u64 state, ") +
            (complete ? "0x8000000000000000" : "5") +
            "; @%p1 st.shared.u64 [a], state; bar.sync 0; setp.eq.u32 %p4, %r1, 32; @!%p4 bra E;\n"
            "L: mbarrier.test_wait.parity.shared.b64 done, [a], 0; @!done bra L;\n"
            "E: mov.u32 %r10, 1;"));
    EXPECT_EQ(ends.outcome(), complete ? "completes" : "deadlock");
    EXPECT_TRUE(ends.grid().faults().empty());
  }
}

TEST(PtxMbarrier, AUnitWithoutFaultsIsGivenNoMisuse) {
  const Ended good(Threads(64, "64",
                           "mbarrier.arrive.shared.b64 state, [a];"
                           "W: mbarrier.test_wait.shared.b64 done, [a], state; @!done bra W;"
                           " mov.u32 %r10, 3;"),
                   "vortex_like");
  EXPECT_EQ(good.outcome(), "completes");
  EXPECT_EQ(good.Words(0), All(64, 3));
  const Ended bad(Threads(64, "33", "mbarrier.arrive.shared.b64 _, [b];"), "vortex_like");
  EXPECT_EQ(bad.outcome(), "fault:word_exhausted");
}

}  // namespace
}  // namespace muster::ptx
