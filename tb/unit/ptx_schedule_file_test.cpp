// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Files of schedules: what they may say, and what is wrong with those that may not.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "sim/ptx/launch/schedule_file.h"
#include "sim/ptx/syntax/error.h"
#include "sim/ptx/syntax/parser.h"
#include "tb/unit/ptx_fixture.h"

namespace muster::ptx {
namespace {

const char* const kPtx = R"(.version 8.1
.target sm_90
.address_size 64
.visible .entry test(.param .u64 out) {
  .reg .b32 %r<8>; .reg .b64 %d<4>; .shared .align 16 .b8 s[64]; .shared .align 8 .b64 bar;
  ld.param.u64 %d1, [out]; mov.u32 %r1, %tid.x; shr.u32 %r2, %r1, 5;
  st.global.u32 [%d1], %r2; st.global.u32 [%d1+4], %r2;
  bar.sync 0;
  cp.async.ca.shared.global [s], [%d1], 16;
  mbarrier.arrive.shared.b64 _, [bar];
  mbarrier.test_wait.parity.shared.b64 p, [bar], 0;
  fence.acq_rel.gpu;
  ret;
}
)";

Program LinkTest() {
  std::string text = kPtx;
  text.replace(text.find(".reg .b32"), 9, ".reg .pred p; .reg .b32");
  return Link(*Parse("test.ptx", text), "");
}

std::string Turns(const std::string& turns) {
  return R"({"muster": "schedule", "version": 1, "turns": [
)" + turns +
         "\n]}\n";
}

// What is wrong, without the path's folder.
std::string ScheduleRefusal(const std::string& text) {
  const std::string path = WriteTestFile("schedule.json", text);
  try {
    ReadSchedule(path, LinkTest());
  } catch (const InputError& error) {
    const std::string what = error.what();
    const std::string folder = std::filesystem::path(path).parent_path().string() + "/";
    EXPECT_EQ(what.find(folder), 0) << what;
    EXPECT_EQ(what.find('\n'), std::string::npos) << what;
    return what.substr(std::min(folder.size(), what.size()));
  }
  return "";
}

TEST(PtxScheduleFile, SaysWhatItSays) {
  const std::string path = WriteTestFile("schedule.json", R"({"muster": "schedule", "version": 1,
  "config": "small", "seed": 18446744073709551615, "turns": [
  {"cta": 3, "warp": 1, "lanes": "0x0000000F", "line": 7, "part": 1, "time": 2},
  {"cta": 3, "warp": 1, "lanes": "0xf0", "line": 7, "part": 1, "time": 2},
  {"cta": 0, "warp": 0, "lanes": "0x1", "line": 9, "what": "reads"},
  {"cta": 0, "warp": 0, "lanes": "0x1", "line": 9, "what": "performs"},
  {"cta": 0, "warp": 0, "lanes": "0x1", "line": 9},
  {"cta": 0, "warp": 0, "lanes": "0x1", "line": 10, "what": "performs"},
  {"cta": 0, "warp": 0, "lanes": "0x1", "line": 12}]})");
  const Program program = LinkTest();
  const Schedule schedule = ReadSchedule(path, program);
  EXPECT_EQ(schedule.config, "small");
  EXPECT_EQ(schedule.seed, ~std::uint64_t{0});
  ASSERT_EQ(schedule.turns.size(), 7);
  const Turn& first = schedule.turns[0];
  EXPECT_EQ(first.cta, 3);
  EXPECT_EQ(first.warp, 1);
  EXPECT_EQ(first.lanes, 0xf);
  EXPECT_EQ(program.code[first.pc].line, 7);
  EXPECT_EQ(program.code[first.pc - 1].line, 7);
  EXPECT_EQ(first.time, 2);
  EXPECT_EQ(first.what, Turn::What::kExecutes);
  EXPECT_EQ(schedule.turns[2].what, Turn::What::kReads);
  EXPECT_EQ(schedule.turns[3].what, Turn::What::kPerforms);
  EXPECT_EQ(schedule.turns[4].time, 1);
  // And back.
  const std::string text = ScheduleText(schedule, program);
  EXPECT_EQ(text.substr(0, text.find("},")), R"({"muster":"schedule","version":1,"config":"small",)"
                                             R"("seed":18446744073709551615,)"
                                             "\n \"turns\": [\n  "
                                             R"({"cta":3,"warp":1,"lanes":"0x0000000f","line":7,)"
                                             R"("part":1,"time":2)");
  const std::string again = WriteTestFile("again.json", text);
  EXPECT_EQ(ScheduleText(ReadSchedule(again, program), program), text);
  EXPECT_EQ(ScheduleFile(again).config(), "small");
  EXPECT_EQ(ReadSchedule(WriteTestFile("none.json", Turns("")), program).turns.size(), 0);
  EXPECT_EQ(ScheduleFile(WriteTestFile("none.json", Turns(""))).seed(), std::nullopt);
}

TEST(PtxScheduleFile, StartsAndPartsOfWhatGoesToSeveral) {
  const std::string path =
      WriteTestFile("schedule.json", R"({"muster": "schedule", "version": 1, "needed": 3, "turns": [
  {"cta": 2, "what": "starts"},
  {"cta": 0, "warp": 0, "lanes": "0x1", "line": 9, "what": "performs", "to": 1},
  {"cta": 0, "warp": 0, "lanes": "0x1", "line": 9, "what": "performs", "to": 0},
  {"cta": 0, "warp": 0, "lanes": "0x1", "line": 12}]})");
  const Program program = LinkTest();
  const Schedule schedule = ReadSchedule(path, program);
  ASSERT_EQ(schedule.turns.size(), 4);
  EXPECT_EQ(schedule.needed, 3);
  EXPECT_EQ(schedule.turns[0].what, Turn::What::kStarts);
  EXPECT_EQ(schedule.turns[0].cta, 2);
  EXPECT_EQ(schedule.turns[1].to, 1);
  EXPECT_EQ(schedule.turns[2].to, 0);
  EXPECT_EQ(schedule.turns[3].to, std::nullopt);
  const std::string text = ScheduleText(schedule, program);
  EXPECT_EQ(ScheduleText(ReadSchedule(WriteTestFile("again.json", text), program), program), text);
  const std::string where = "schedule.json:2: turns[0]";
  EXPECT_EQ(ScheduleRefusal(Turns(R"({"cta": 0, "what": "starts", "line": 7})")),
            where + ".line is not of a turn that \"starts\": the CTA is enough");
  EXPECT_EQ(ScheduleRefusal(Turns(R"({"cta": 0, "warp": 0, "lanes": "0x1", "line": 7, "to": 1})")),
            where + ".to is only of a turn that \"performs\"");
  EXPECT_EQ(ScheduleRefusal(R"({"muster": "schedule", "version": 1, "needed": 1, "turns": []})"),
            "schedule.json:1: needed is 1, but there are 0 turns");
}

TEST(PtxScheduleFile, IsRefusedInASentence) {
  const std::string row = R"({"cta": 0, "warp": 0, "lanes": "0x1", "line": 7})";
  EXPECT_EQ(ScheduleRefusal(Turns(row)), "");
  EXPECT_EQ(ScheduleRefusal("[]"), "schedule.json:1: the schedule must be an object");
  EXPECT_EQ(ScheduleRefusal("{").substr(0, 43), "schedule.json:1: the schedule is not JSON: ");
  EXPECT_EQ(ScheduleRefusal(std::string("{\n\0}", 4)), "schedule.json:2: the schedule is not text");
  EXPECT_EQ(ScheduleRefusal(R"({"muster": "schedule", "version": 1})"),
            "schedule.json:1: the schedule lacks \"turns\"");
  EXPECT_EQ(ScheduleRefusal(R"({"muster": "manifest", "version": 1, "turns": []})"),
            "schedule.json:1: muster must be \"schedule\"");
  EXPECT_EQ(ScheduleRefusal(R"({"muster": "schedule", "version": 2, "turns": []})"),
            "schedule.json:1: version must be 1, the version of schedules that this program reads");
  EXPECT_EQ(
      ScheduleRefusal(R"({"muster": "schedule", "version": 1, "config": "huge", "turns": []})")
          .substr(0, 61),
      "schedule.json:1: config names the configuration huge, but the");
  EXPECT_EQ(ScheduleRefusal(R"({"muster": "schedule", "version": 1, "seed": -1, "turns": []})"),
            "schedule.json:1: seed must be a whole number from 0 to 18446744073709551615");
  EXPECT_EQ(ScheduleRefusal(R"({"muster": "schedule", "version": 1,
"version": 1, "turns": []})"),
            "schedule.json:2: version is there twice");
}

TEST(PtxScheduleFile, WrongTurns) {
  const auto with = [](const std::string& from, const std::string& to) {
    std::string row = R"({"cta": 0, "warp": 0, "lanes": "0x1", "line": 7})";
    return ScheduleRefusal(Turns(row.replace(row.find(from), from.size(), to)));
  };
  const std::string where = "schedule.json:2: turns[0]";
  EXPECT_EQ(with(R"(, "line": 7)", ""), where + " lacks \"line\"");
  EXPECT_EQ(with("line", "Line").substr(0, 51), where + ".Line is not a known key (");
  EXPECT_EQ(with("7", "5"),
            where +
                ".line is 5, where test.ptx has no instruction of the kernel test that other "
                "threads can see happen");
  EXPECT_EQ(with("7", "7, \"part\": 2"), where + ".part is 2, but line 7 has 2 such instructions");
  EXPECT_EQ(with("7", "7, \"time\": 0"),
            where + ".time must be a whole number from 1 to 4294967295");
  EXPECT_EQ(with("7", "7, \"what\": \"ends\""),
            where + ".what must be executes, reads, performs or starts");
  EXPECT_EQ(with("\"0x1\"", "1"),
            where + ".lanes must be a string of hexadecimal digits such as \"0x0000ffff\"");
  EXPECT_EQ(with("0x1", "0x0"), where + ".lanes names no lane");
  EXPECT_EQ(with("0x1", "0x123456789"),
            where + ".lanes must be a string of hexadecimal digits such as \"0x0000ffff\"");
  EXPECT_EQ(with("\"warp\": 0", "\"warp\": 64"),
            where + ".warp must be a whole number from 0 to 63");
  EXPECT_EQ(with("7", "7, \"what\": \"performs\""),
            where + " names the instruction of line 7, which starts nothing that is done later");
  EXPECT_EQ(with("7", "10, \"what\": \"reads\""),
            where +
                " names the instruction of line 10, which reads no source after it has been "
                "executed");
  EXPECT_EQ(with("7", "11, \"what\": \"performs\""),
            where + " names the instruction of line 11, which starts nothing that is done later");
  EXPECT_EQ(ScheduleRefusal(Turns(R"({"cta": 0, "warp": 0, "lanes": "0x7", "line": 7},
{"cta": 0, "warp": 0, "lanes": "0x6", "line": 7, "time": 1})")),
            "schedule.json:3: turns[1] names lanes 0x00000006, which an earlier turn has already");
}

}  // namespace
}  // namespace muster::ptx
