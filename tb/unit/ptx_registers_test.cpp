// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// setmaxnreg, and the pool of a CTA.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>

#include "tb/unit/ptx_fixture.h"

namespace muster::ptx {
namespace {

// Two warpgroups: what the first does, and the second.
Kernel Groups(const std::string& first, const std::string& second,
              const std::string& directives = ".maxnreg 128") {
  return Kernel(fmt::format(R"(.version 8.0
.target sm_90a
.address_size 64
.visible .entry test() {} {{
  .reg .pred %p1; .reg .b32 %r1;
  mov.u32 %r1, %tid.x; setp.ge.u32 %p1, %r1, 128; @%p1 bra SECOND;
  {}
  ret;
SECOND:
  {}
  ret;
}}
)",
                            directives, first, second),
                256);
}
std::string Set(const char* action, unsigned count) {
  return fmt::format("setmaxnreg.{}.sync.aligned.u32 {};", action, count);
}

TEST(PtxRegisters, WaitForThoseThatAreGivenBack) {
  // The second warpgroup has to wait until the first has slept.
  const std::string late = "nanosleep.u32 300; " + Set("dec", 40);
  const Ended run(Groups(late, Set("inc", 216)));
  EXPECT_EQ(run.outcome(), "completes");
  EXPECT_GT(run.cycles(), 300U);
  EXPECT_LT(Ended(Groups(late, Set("inc", 128))).cycles(), 400U);
}

// Each warp takes its registers by itself: of the second warpgroup three warps have got theirs.
TEST(PtxRegisters, TooFewAreADeadlock) {
  struct Row {
    std::string first;
    std::string second;
    const char* has;
    const char* free;
  };
  for (const Row& row :
       {Row{Set("dec", 48), Set("inc", 216),
            "setmaxnreg for 216 registers a thread, of which the launch gave 128, warps 0 to 3 "
            "have "
            "48, ",
            ", and 56 are free for the threads of one warp"},
        Row{Set("inc", 136), Set("inc", 136),
            "of which the launch gave 128, warps 0 to 3 have 128, warps 4 to 7 have 128",
            ", and 0 are free"}}) {
    const Ended run(Groups(row.first, row.second));
    EXPECT_EQ(run.outcome(), "deadlock");
    const auto stuck = run.grid().StuckWarps();
    ASSERT_FALSE(stuck.empty());
    const std::string& what = stuck.back().where.what;
    EXPECT_EQ(what.rfind("waits: lanes 0xffffffff wait at setmaxnreg", 0), 0U) << what;
    EXPECT_NE(what.find(row.has), std::string::npos) << what;
    EXPECT_NE(what.find(row.free), std::string::npos) << what;
  }
}

TEST(PtxRegisters, TheLaunchSaysHowMany) {
  const auto outcome = [](const std::string& directives, unsigned count,
                          std::optional<std::uint32_t> registers = std::nullopt) {
    Kernel kernel = Groups("", Set("inc", count), directives);
    kernel.manifest.registers = registers;
    return Ended(kernel).outcome();
  };
  EXPECT_EQ(outcome(".maxnreg 100", 104), "completes");  // they are given out by eights
  EXPECT_EQ(outcome(".maxnreg 100", 112), "deadlock");
  EXPECT_EQ(outcome(".reqntid 256", 256), "completes");  // as many as an SM has for so many threads
  EXPECT_EQ(outcome(".reqntid 256 .minnctapersm 2", 128), "completes");
  EXPECT_EQ(outcome(".reqntid 256", 240), "completes");  // a thread may have begun with fewer
  EXPECT_EQ(outcome(".maxnreg 256", 240), "fault:bad_register_count");
  EXPECT_EQ(outcome(".maxntid 256 .minnctapersm 2", 136), "deadlock");
  EXPECT_EQ(outcome(".maxnreg 100", 200, 200), "completes");  // the manifest comes first
  EXPECT_EQ(outcome(".maxnreg 200", 200, 96), "deadlock");
  EXPECT_EQ(outcome("", 232), "completes");  // nothing says so: no effect
}

// The parts of a warpgroup that Triton's compiler gives different work each have a setmaxnreg of
// their own, of one kind and number. Another number or kind is another instruction.
TEST(PtxRegisters, WarpsOfAWarpgroupMayBeAtDifferentPlaces) {
  const auto apart = [](const std::string& others) {
    const std::string body = "setp.lt.u32 %p1, %r1, 64; @%p1 bra HERE; " + others +
                             " bra DONE; HERE: " + Set("dec", 40) + " " + Set("inc", 128) +
                             " DONE:";
    return Ended(Groups(body, ""));
  };
  EXPECT_EQ(apart(Set("dec", 40) + " " + Set("inc", 128)).outcome(), "completes");
  for (const std::string& others :
       {Set("dec", 48) + " " + Set("inc", 128), Set("dec", 40), std::string()}) {
    const Ended run = apart(others);
    EXPECT_EQ(run.outcome(), "fault:partial_warpgroup") << others;
    EXPECT_NE(run.grid().problem().find("four warps"), std::string::npos) << run.grid().problem();
  }
}

// "If a setmaxnreg instruction is not executed by all warps in the warpgroup, then the behavior is
// undefined": whether or not it is known how many registers there are, and whether they would do.
TEST(PtxRegisters, FewerThanFourWarpsAreNoWarpgroup) {
  for (const char* const directives : {".maxnreg 128", ""}) {
    for (const std::string& instruction : {Set("dec", 40), Set("inc", 232)}) {
      Kernel kernel = Groups("", instruction, directives);
      kernel.manifest.block = {160, 1, 1};
      const Ended run(kernel);
      EXPECT_EQ(run.outcome(), "fault:partial_warpgroup") << directives << instruction;
      EXPECT_NE(run.grid().problem().find("of four warps, of which its block has 1"),
                std::string::npos)
          << run.grid().problem();
    }
  }
}

TEST(PtxRegisters, TheWrongWayIsRefused) {
  for (const auto& [instruction, says] :
       {std::pair(Set("inc", 120), "with .inc, where it has 128"),
        std::pair(Set("dec", 136), "to 136, with .dec, where it has 128")}) {
    const Ended run(Groups(instruction, ""));
    EXPECT_EQ(run.outcome(), "fault:bad_register_count");
    EXPECT_NE(run.grid().problem().find(says), std::string::npos) << run.grid().problem();
  }
}

}  // namespace
}  // namespace muster::ptx
