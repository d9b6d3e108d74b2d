// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The JSONL log: written, read back, replayed, and refused with a sentence that names the place.
#include "sim/log/log.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "sim/golden/mbarrier.h"
#include "sim/golden/model.h"
#include "sim/isa/config.h"
#include "sim/isa/effects.h"
#include "sim/isa/mbarrier_operation.h"
#include "sim/isa/operation.h"
#include "sim/log/replay.h"
#include "tb/golden/trace.h"
#include "tb/scratch.h"

namespace muster::golden {
namespace {

using log::LogLine;
using log::LogReader;
using log::LogWriter;
using log::Replay;
using log::Replayed;

constexpr char kHeader[] = "{\"muster_log\":1,\"config\":\"small\",\"seed\":7}\n";

class GoldenLog : public testing::Test {
 protected:
  void Save(const std::string& text) const { std::ofstream(path_) << text; }
  std::string Load() const {
    std::ostringstream text;
    text << std::ifstream(path_).rdbuf();
    return text.str();
  }
  // The error, without the file's name, that a log with this text ends in.
  std::string ErrorOf(const std::string& text) const {
    Save(text);
    const std::string error = Replay(path_).error;
    EXPECT_EQ(error.rfind(path_, 0), 0U) << error;
    return error.size() < path_.size() ? error : error.substr(path_.size());
  }

  const std::string path_ = (Scratch() / "log").string();
};

constexpr const char* kProgram[] = {
    "launch 0: 0 1 2 size 3",
    "2: exit lanes=0xff",
    "0: ARV 3,96",
    "0: ARV 3,96",
    "0: RED.POPC 1,64 p=0xf lanes=0xff",
    "1: RED.POPC 1,64 p=0xffffffff",
    "1: B2R.RESULT",
    "1: RED.OR 4 p=1",
    "0: RED.OR 4 p=0",
    "2: exit",
    "1: B2R.RESULT",
    "0: R2B.BAR 3 sync 1/2",
    "0: B2R.BAR 3",
    "0: SYNC 3,33",
    "0: SYNC 0 lanes=0",
    "0: R2B.WARP or 1 of 2 waits 3",
    "0: B2R.WARP",
    "end 0",
    "suspend 0",
    "open 0 size 0",
    "open 0 size 3",
    "3: join lanes=0xf0",
    "3: SYNC 5",
    "3: join",
    "4: join lanes=0",
    "4: join lanes=0x80000001",
    "4: exit lanes=0x80000001",
    "4: join",
    "4: SYNC 5",
    "3: ARV.PHASE 6,32",
    "3: ARV 6,32",
    "3: WAIT 6,1",
    "3: WAIT 6,0",
};

TEST_F(GoldenLog, ComesBackAsWritten) {
  Model model(*FindConfig("small"));
  LogWriter writer(path_, "small", 7);
  std::uint64_t cycle = 10;
  for (const char* text : kProgram) {
    const Operation operation = ParseOperation(text);
    writer.Write(++cycle, operation, model.Step(operation));
  }
  ASSERT_TRUE(writer.Close()) << writer.error();

  Model again(*FindConfig("small"));
  LogReader reader(path_);
  ASSERT_NE(reader.config(), nullptr) << reader.error();
  EXPECT_STREQ(reader.config()->name, "small");
  EXPECT_EQ(reader.seed(), 7U);
  cycle = 10;
  for (const char* text : kProgram) {
    SCOPED_TRACE(text);
    const Operation operation = ParseOperation(text);
    const Effects effects = again.Step(operation);
    LogLine record;
    ASSERT_TRUE(reader.Next(&record)) << reader.error();
    EXPECT_EQ(record.cycle, ++cycle);
    EXPECT_EQ(Describe(record.operation), Describe(operation));
    EXPECT_EQ(record.operation.lanes, operation.lanes);
    EXPECT_EQ(record.operation.operand, operation.operand);
    EXPECT_EQ(Describe(record.operation, record.effects), Describe(operation, effects));
    EXPECT_EQ(record.effects.word, effects.word);
  }
  LogLine record;
  EXPECT_FALSE(reader.Next(&record));
  EXPECT_EQ(reader.error(), "");

  const Replayed replayed = Replay(path_);
  EXPECT_EQ(replayed.error, "");
  EXPECT_EQ(replayed.operations, std::size(kProgram));
  EXPECT_EQ(replayed.differences, 0U);
}

// A wait has no members of its own; in words, it names the phase alone.
TEST_F(GoldenLog, SplitPhases) {
  Model model(*FindConfig("small"));
  LogWriter writer(path_, "small", 7);
  std::uint64_t cycle = 0;
  for (const char* text : {"launch 1: 0 3", "1.3: ARV.PHASE 1,32", "1.0: WAIT 1,0", "1.0: ARV 1,32",
                           "1.3: WAIT 1,0"}) {
    const Operation operation = ParseOperation(text);
    writer.Write(++cycle, operation, model.Step(operation));
  }
  ASSERT_TRUE(writer.Close());
  const std::string text = Load();
  EXPECT_EQ(
      text.substr(text.find("{\"cycle\":2")),
      "{\"cycle\":2,\"op\":\"arrive_phase\",\"cta\":1,\"warp\":3,\"bar\":1,\"count\":32,"
      "\"lanes\":\"0xffffffff\",\"operand\":\"0x0\",\"effects\":{\"responds\":true,"
      "\"completed\":true,\"entry_written\":true,\"cta\":1,\"bar\":1,\"word\":\"0x20000000\"}}\n"
      "{\"cycle\":3,\"op\":\"wait\",\"cta\":1,\"warp\":0,\"bar\":1,\"count\":0,"
      "\"lanes\":\"0xffffffff\",\"operand\":\"0x0\",\"effects\":{\"released\":\"0x1\","
      "\"released_kind\":\"sync\",\"cta\":1,\"bar\":1}}\n"
      "{\"cycle\":4,\"op\":\"arrive\",\"cta\":1,\"warp\":0,\"bar\":1,\"count\":32,"
      "\"lanes\":\"0xffffffff\",\"operand\":\"0x0\",\"effects\":{\"completed\":true,"
      "\"entry_written\":true,\"cta\":1,\"bar\":1}}\n"
      "{\"cycle\":5,\"op\":\"wait\",\"cta\":1,\"warp\":3,\"bar\":1,\"count\":0,"
      "\"lanes\":\"0xffffffff\",\"operand\":\"0x0\",\"effects\":{\"hazards\":[\"late_wait\"]}}\n");
  EXPECT_EQ(Describe(ParseOperation("1.3: WAIT 1,3")),
            "wait for phase 1 of barrier 1 by warp 3 of CTA 1");
  EXPECT_EQ(Describe(ParseOperation("1.3: ARV.PHASE 1,64")),
            "arrive_phase at barrier 1 with count 64 by warp 3 of CTA 1");
  std::string wrong = text;
  wrong.replace(wrong.find("0x20000000"), 10, "0x0");
  Save(wrong);
  EXPECT_EQ(Replay(path_).differences, 1U);
}

// The lines that the header shows, letter by letter.
TEST_F(GoldenLog, IsOneLineForEachOperation) {
  Model model(*FindConfig("small"));
  LogWriter writer(path_, "small", 7);
  std::uint64_t cycle = 0;
  for (const char* text : {"launch 1: 0 3", "1.3: SYNC 1,64", "1.3: ARV 1,64", "end 1"}) {
    const Operation operation = ParseOperation(text);
    writer.Write(++cycle, operation, model.Step(operation));
  }
  ASSERT_TRUE(writer.Close());
  EXPECT_EQ(Load(),
            std::string(kHeader) +
                "{\"cycle\":1,\"op\":\"launch\",\"cta\":1,\"warps\":\"0x9\",\"size\":2,"
                "\"effects\":{}}\n"
                "{\"cycle\":2,\"op\":\"sync\",\"cta\":1,\"warp\":3,\"bar\":1,\"count\":64,"
                "\"lanes\":\"0xffffffff\",\"operand\":\"0x0\",\"effects\":{\"entry_written\":true,"
                "\"cta\":1,\"bar\":1,\"word\":\"0x4101000\"}}\n"
                "{\"cycle\":3,\"op\":\"arrive\",\"cta\":1,\"warp\":3,\"bar\":1,\"count\":64,"
                "\"lanes\":\"0xffffffff\",\"operand\":\"0x0\","
                "\"effects\":{\"fault\":\"warp_waiting\"}}\n"
                "{\"cycle\":4,\"op\":\"end\",\"cta\":1,"
                "\"effects\":{\"hazards\":[\"unfinished_barrier\"]}}\n");
}

TEST_F(GoldenLog, OpenAndJoinHaveTheirOwnMembers) {
  Model model(*FindConfig("small"));
  LogWriter writer(path_, "small", 7);
  std::uint64_t cycle = 0;
  for (const char* text : {"open 1 size 5", "1.3: join lanes=0xf0", "1.3: join", "1.3: SYNC 0"}) {
    const Operation operation = ParseOperation(text);
    writer.Write(++cycle, operation, model.Step(operation));
  }
  ASSERT_TRUE(writer.Close());
  const std::string open = "{\"cycle\":1,\"op\":\"open\",\"cta\":1,\"size\":5,\"effects\":{}}\n";
  const std::string join = "{\"cycle\":2,\"op\":\"join\",\"cta\":1,\"warp\":3,\"lanes\":\"0xf0\",";
  const std::string sync =
      "{\"cycle\":4,\"op\":\"sync\",\"cta\":1,\"warp\":3,\"bar\":0,\"count\":0,"
      "\"lanes\":\"0xffffffff\",\"operand\":\"0x0\",\"effects\":{\"entry_written\":true,"
      "\"cta\":1,\"word\":\"0x4001000\"}}\n";
  EXPECT_EQ(Load(), kHeader + open + join + "\"effects\":{}}\n" +
                        "{\"cycle\":3,\"op\":\"join\",\"cta\":1,\"warp\":3,"
                        "\"lanes\":\"0xffffffff\",\"effects\":{\"fault\":\"bad_join\"}}\n" +
                        sync);

  Save(kHeader + join + "\"effects\":{}}\n" + open +
       "{\"cycle\":3,\"op\":\"open\",\"cta\":1,\"size\":7,\"effects\":{}}\n");
  const Replayed replayed = Replay(path_);
  ASSERT_EQ(replayed.reports.size(), 2U) << replayed.error;
  EXPECT_EQ(replayed.reports[0],
            path_ +
                ":2: cycle 2, join of warp 3 to CTA 1 with lanes 0xf0: fault is none in the log "
                "and cta_not_resident in the golden model.");
  EXPECT_EQ(replayed.reports[1],
            path_ +
                ":4: cycle 3, open of CTA 1 of 7 warps: fault is none in the log and bad_launch in "
                "the golden model.");

  EXPECT_EQ(ErrorOf(kHeader + std::string("{\"cycle\":1,\"op\":\"open\",\"cta\":0,"
                                          "\"effects\":{}}\n")),
            ":2: \"size\" is missing.");
  EXPECT_EQ(ErrorOf(kHeader + std::string("{\"cycle\":1,\"op\":\"open\",\"cta\":0,\"size\":1,"
                                          "\"warps\":\"0x1\",\"effects\":{}}\n")),
            ":2: \"warps\" is not known here.");
  EXPECT_EQ(ErrorOf(kHeader + std::string("{\"cycle\":1,\"op\":\"join\",\"cta\":0,\"warp\":1,"
                                          "\"effects\":{}}\n")),
            ":2: \"lanes\" is missing.");
}

TEST_F(GoldenLog, ReplayFindsTheDifference) {
  Save(std::string(kHeader) +
       "{\"cycle\":1,\"op\":\"launch\",\"cta\":0,\"warps\":\"0x3\",\"size\":2,\"effects\":{}}\n"
       "{\"cycle\":5,\"op\":\"sync\",\"cta\":0,\"warp\":1,\"bar\":2,\"count\":0,\"lanes\":\"0x1\","
       "\"operand\":\"0x0\",\"effects\":{\"released\":\"0x2\",\"entry_written\":true,\"bar\":2,"
       "\"word\":\"0x4001000\"}}\n"
       "{\"cycle\":9,\"op\":\"suspend\",\"cta\":0,\"effects\":{}}\n");
  const Replayed replayed = Replay(path_);
  EXPECT_EQ(replayed.error, "");
  EXPECT_EQ(replayed.operations, 3U);
  EXPECT_EQ(replayed.differences, 1U);
  ASSERT_EQ(replayed.reports.size(), 1U);
  EXPECT_EQ(replayed.reports[0],
            path_ +
                ":3: cycle 5, sync at barrier 2 with count 0 by warp 1 of CTA 0, lanes 0x1: "
                "released is 0x2 in the log and 0x0 in the golden model.");
}

// After a reset no CTA is resident.
TEST_F(GoldenLog, ResetBeginsAnew) {
  Model model(*FindConfig("small"));
  LogWriter writer(path_, "small", 7);
  std::uint64_t cycle = 0;
  for (const char* text : {"launch 0: 0 1", "0: SYNC 1", "reset", "0: SYNC 1", "launch 0: 0 1"}) {
    ++cycle;
    if (std::string(text) == "reset") {
      model.Reset();
      writer.WriteReset(cycle);
      continue;
    }
    const Operation operation = ParseOperation(text);
    writer.Write(cycle, operation, model.Step(operation));
  }
  ASSERT_TRUE(writer.Close());
  EXPECT_NE(Load().find("{\"cycle\":3,\"reset\":true}\n"), std::string::npos);
  const Replayed replayed = Replay(path_);
  EXPECT_EQ(replayed.error, "");
  EXPECT_EQ(replayed.operations, 5U);
  EXPECT_EQ(replayed.differences, 0U);
}

TEST_F(GoldenLog, BadInputNamesFileAndLine) {
  const std::string end = "{\"cycle\":1,\"op\":\"end\",\"cta\":0,\"effects\":{}}\n";
  EXPECT_EQ(ErrorOf(""), ": the log is empty.");
  EXPECT_EQ(ErrorOf("hello\n"), ":1: this is not a JSON object.");
  EXPECT_EQ(ErrorOf("[1]\n"), ":1: this is not a JSON object.");
  EXPECT_EQ(ErrorOf("{\"muster_log\":2,\"config\":\"small\",\"seed\":1}\n"),
            ":1: \"muster_log\" is not a number from 0 to 1.");
  EXPECT_EQ(ErrorOf("{\"muster_log\":1,\"config\":\"tiny\",\"seed\":1}\n"),
            ":1: there is no configuration named \"tiny\".");
  EXPECT_EQ(ErrorOf("{\"muster_log\":1,\"config\":3,\"seed\":1}\n"),
            ":1: \"config\" is not a string.");
  EXPECT_EQ(ErrorOf("{\"muster_log\":1,\"config\":\"small\"}\n"), ":1: \"seed\" is missing.");
  EXPECT_EQ(ErrorOf(kHeader + end + "{\"cycle\":1"), ":3: this is not a JSON object.");
  EXPECT_EQ(ErrorOf(kHeader + std::string("{\"cycle\":1,\"op\":\"jump\"}\n")),
            ":2: \"op\" is no name that is known there.");
  EXPECT_EQ(ErrorOf(kHeader + std::string("{\"cycle\":1,\"reset\":false}\n")),
            ":2: \"reset\" is not true.");
  EXPECT_EQ(ErrorOf(kHeader + std::string("{\"cycle\":-1,\"op\":\"end\"}\n")),
            ":2: \"cycle\" is not a number from 0 to 18446744073709551615.");
  EXPECT_EQ(ErrorOf(kHeader + std::string("{\"cycle\":1,\"op\":\"end\",\"cta\":0}\n")),
            ":2: \"effects\" is missing.");
  EXPECT_EQ(
      ErrorOf(kHeader + std::string("{\"cycle\":1,\"op\":\"end\",\"cta\":0,\"effects\":0}\n")),
      ":2: \"effects\" is not an object.");
  EXPECT_EQ(ErrorOf(kHeader + std::string("{\"cycle\":1,\"op\":\"end\",\"cta\":0,\"warp\":1,"
                                          "\"effects\":{}}\n")),
            ":2: \"warp\" is not known here.");
  EXPECT_EQ(ErrorOf(kHeader + std::string("{\"cycle\":1,\"op\":\"b2r_bar\",\"cta\":0,\"warp\":1,"
                                          "\"bar\":16}\n")),
            ":2: \"bar\" is not a number from 0 to 15.");
  EXPECT_EQ(ErrorOf(kHeader + std::string("{\"cycle\":1,\"op\":\"exit\",\"cta\":0,\"warp\":1,"
                                          "\"lanes\":\"0x1ffffffff\"}\n")),
            ":2: \"lanes\" is not a string such as \"0x1f\" of at most 32 bits.");
  EXPECT_EQ(ErrorOf(kHeader + std::string("{\"cycle\":1,\"op\":\"end\",\"cta\":0,\"effects\":"
                                          "{\"pred\":1}}\n")),
            ":2: \"pred\" is neither true nor false.");
  EXPECT_EQ(ErrorOf(kHeader + std::string("{\"cycle\":1,\"op\":\"end\",\"cta\":0,\"effects\":"
                                          "{\"hazards\":[\"rain\"]}}\n")),
            ":2: \"hazards\" is not a list of hazards.");
}

// Every kind of line that is of mbarriers, the effects that each may have, and a CTA around them.
class GoldenMbLog : public GoldenLog {
 protected:
  GoldenMbLog() {
    const auto step = [this](MbOp op, std::uint32_t lanes, std::uint32_t operand) {
      MbEvent& event = events_.emplace_back();
      event.operation.op = op;
      event.operation.addr = 0x40;
      event.operation.warp = 1;
      event.operation.lanes = lanes;
      event.operation.operand = operand;
      return &event.operation;
    };
    step(MbOp::kTestWaitParity, 1, 0);  // hazard
    step(MbOp::kInit, 1, 3);
    step(MbOp::kArrive, 0x5, 1)->has_token = true;
    step(MbOp::kArriveNoComplete, 0x6, 1);  // both refused
    step(MbOp::kTryWaitParity, 0x2, 100)->has_hint = true;
    MbOperation* const wait = step(MbOp::kTryWait, 0x1, 0);
    wait->warp = 0;
    wait->phase = true;
    MbOperation* const copies = step(MbOp::kArrive, 1, 1);
    copies->source = MbSource::kAsync;
    copies->warp = 0;
    step(MbOp::kTryWaitParity, 0x4, 0)->phase = true;
    events_.emplace_back().kind = MbEvent::Kind::kExpire;
    events_.back().operation.warp = 1;
    for (const auto kind : {MbEvent::Kind::kStore, MbEvent::Kind::kRestore}) {
      MbEvent& event = events_.emplace_back();
      event.kind = kind;
      event.operation.addr = 0xfff8;
      event.word = 0xfffff000001ffffc;
    }
    MbOperation* const other = step(MbOp::kArriveDropExpectTx, 0xffffffff, 16);
    other->source = MbSource::kRemote;
    other->addr = 0xfff8;
    other->warp = 0;
    step(MbOp::kTryWaitParity, 0x8, 0)->phase = true;
    events_.emplace_back().kind = MbEvent::Kind::kLeave;
    events_.back().how = OpKind::kSuspend;
  }

  // A log of them all.
  void WriteAll() {
    Model model(*FindConfig("small"));
    Mbarriers mbarriers(model, FindConfig("small")->smem_bytes);
    LogWriter writer(path_, "small", 7);
    const Operation launch = ParseOperation("launch 0: 0 1");
    writer.Write(1, launch, model.Step(launch));
    for (const MbEvent& event : events_) {
      effects_.push_back(mbarriers.Do(event));
      writer.Write(9, event, effects_.back());
    }
    ASSERT_TRUE(writer.Close()) << writer.error();
  }

  std::vector<MbEvent> events_;
  std::vector<MbEffects> effects_;
};

TEST_F(GoldenMbLog, ComesBackAsWritten) {
  WriteAll();
  LogReader reader(path_);
  LogLine record;
  ASSERT_TRUE(reader.Next(&record)) << reader.error();
  EXPECT_FALSE(record.of_mbarriers);
  unsigned answers = 0;
  for (std::size_t i = 0; i < events_.size(); ++i) {
    SCOPED_TRACE(Describe(events_[i]));
    ASSERT_TRUE(reader.Next(&record)) << reader.error();
    EXPECT_TRUE(record.of_mbarriers);
    EXPECT_EQ(record.cycle, 9U);
    EXPECT_EQ(record.event.kind, events_[i].kind);
    EXPECT_EQ(Describe(record.event), Describe(events_[i]));
    EXPECT_EQ(record.event.operation.has_token, events_[i].operation.has_token);
    EXPECT_EQ(record.event.operation.has_hint, events_[i].operation.has_hint);
    const MbEffects& left = record.mb_effects;
    const MbEffects& right = effects_[i];
    EXPECT_EQ(left.fault, right.fault);
    EXPECT_EQ(left.token, right.token);
    EXPECT_EQ(left.complete, right.complete);
    EXPECT_EQ(left.parked, right.parked);
    EXPECT_EQ(left.written, right.written);
    EXPECT_EQ(left.word, right.word);
    EXPECT_EQ(left.completions, right.completions);
    EXPECT_EQ(left.hazards, right.hazards);
    ASSERT_EQ(left.answers.size(), right.answers.size());
    for (std::size_t answer = 0; answer < left.answers.size(); ++answer) {
      EXPECT_EQ(left.answers[answer].warp, right.answers[answer].warp);
      EXPECT_EQ(left.answers[answer].lanes, right.answers[answer].lanes);
      EXPECT_EQ(left.answers[answer].complete, right.answers[answer].complete);
      ++answers;
    }
  }
  EXPECT_FALSE(reader.Next(&record));
  EXPECT_EQ(reader.error(), "");
  EXPECT_EQ(answers, 3U);  // by completion, the time limit and the end of the CTA

  const Replayed replayed = Replay(path_);
  EXPECT_EQ(replayed.error, "");
  EXPECT_EQ(replayed.operations, events_.size() + 1);
  EXPECT_EQ(replayed.differences, 0U);
}

TEST_F(GoldenMbLog, IsOneLineForEachEvent) {
  WriteAll();
  const std::string log = Load();
  for (const char* line :
       {R"({"cycle":9,"mb":"arrive","source":"warp","cta":0,"addr":"0x40","warp":1,"lanes":"0x5",)"
        R"("operand":1,"has_token":true,"behind":"0x0","releasing":true,)"
        R"("effects":{"token":["0x7fffe800001ffffa","0x0",)"
        R"("0x7ffff000001ffffa"],"written":true,"word":"0x7ffff800001ffffa"}})",
        R"({"cycle":9,"mb":"arrive","source":"async","cta":0,"addr":"0x40","warp":0,"lanes":"0x1",)"
        R"("operand":1,"has_token":false,"behind":"0x0","releasing":true,)"
        R"("effects":{"written":true,"word":"0xffffe800001ffffa","completions":1,)"
        R"("answers":[{"warp":1,"lanes":"0x2","complete":true}]}})",
        R"({"cycle":9,"mb":"expire","warp":1,)"
        R"("effects":{"answers":[{"warp":1,"lanes":"0x4","complete":false}]}})",
        R"({"cycle":9,"mb":"restore","cta":0,"addr":"0xfff8","word":"0xfffff000001ffffc",)"
        R"("effects":{}})",
        R"({"cycle":9,"mb":"leave","cta":0,"how":"suspend",)"
        R"("effects":{"answers":[{"warp":1,"lanes":"0x8","complete":false}]}})"}) {
    EXPECT_NE(log.find(std::string(line) + "\n"), std::string::npos) << line << "\n" << log;
  }
  EXPECT_EQ(log.find(R"("phase":false,"has_token")"), std::string::npos) << "of a wait";
}

TEST_F(GoldenMbLog, ReplayFindsTheDifferences) {
  WriteAll();
  std::string log = Load();
  const auto replace = [&log](const std::string& text, const std::string& by) {
    ASSERT_NE(log.find(text), std::string::npos) << text;
    log.replace(log.find(text), text.size(), by);
  };
  replace(R"("fault":{"nocomplete_completed":"0x6"})", R"("fault":{"word_exhausted":"0x2"})");
  replace(R"("0x7ffff000001ffffa"])", R"("0x7ffff000001ffff8"])");
  replace(R"("lanes":"0x4","complete":false)", R"("lanes":"0x4","complete":true)");
  Save(log);
  const Replayed replayed = Replay(path_);
  EXPECT_EQ(replayed.error, "");
  EXPECT_EQ(replayed.differences, 3U);
  ASSERT_EQ(replayed.reports.size(), 3U);
  EXPECT_EQ(replayed.reports[0],
            path_ +
                ":5: cycle 9, arrive of 1 at 0x40 of CTA 0 by warp 1, lanes 0x5: token of lane 2 "
                "is 0x7ffff000001ffff8 in the log and 0x7ffff000001ffffa in the golden model.");
  EXPECT_EQ(
      replayed.reports[1],
      path_ +
          ":6: cycle 9, arrive.noComplete of 1 at 0x40 of CTA 0 by warp 1, lanes 0x6: fault is "
          "word_exhausted of lanes 0x2 in the log and nocomplete_completed of lanes 0x6 in the "
          "golden model.");
  EXPECT_EQ(replayed.reports[2],
            path_ +
                ":11: cycle 9, time limit of warp 1: answers is true of warp 1, lanes 0x4 in the "
                "log and false of warp 1, lanes 0x4 in the golden model.");
}

TEST_F(GoldenMbLog, BadInputNamesFileAndLine) {
  const auto error_of = [this](const std::string& members) {
    return ErrorOf(std::string(kHeader) + R"({"cycle":1,)" + members + "}\n");
  };
  EXPECT_EQ(error_of(R"("mb":"jump")"), ":2: \"mb\" is no name that is known there.");
  EXPECT_EQ(error_of(R"("mb":"store","cta":0,"addr":"0x40")"), ":2: \"word\" is missing.");
  EXPECT_EQ(error_of(R"("mb":"expire","warp":64,"effects":{})"),
            ":2: \"warp\" is not a number from 0 to 63.");
  EXPECT_EQ(error_of(R"("mb":"expire","warp":1,"cta":0,"effects":{})"),
            ":2: \"cta\" is not known here.");
  const std::string bad_cta = ":2: \"cta\" is not a number from 0 to 31.";
  EXPECT_EQ(error_of(R"("mb":"leave","cta":32,"how":"end","effects":{})"), bad_cta);
  EXPECT_EQ(error_of(R"("mb":"store","cta":32)"), bad_cta);
  EXPECT_EQ(error_of(R"("mb":"arrive","source":"warp","cta":0,"addr":"0x40","warp":64)"),
            ":2: \"warp\" is not a number from 0 to 63.");
  const std::string leave = R"("mb":"leave","cta":0,"how":"end","effects":)";
  EXPECT_EQ(error_of(leave + R"({"fault":{"rain":"0x1"}})"),
            ":2: \"fault\" does not name the lanes of each cause.");
  EXPECT_EQ(error_of(leave + R"({"token":["1"]})"),
            ":2: \"token\" is not a list of at most 32 tokens.");
  EXPECT_EQ(error_of(leave + R"({"answers":[{"warp":1,"lanes":"0x1"}]})"),
            ":2: \"answers\" is not a list of answers.");
  EXPECT_EQ(error_of(leave + R"({"answers":[1]})"), ":2: \"answers\" is not a list of answers.");
}

}  // namespace
}  // namespace muster::golden
