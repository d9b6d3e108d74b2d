// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The JSONL log: files that are large, full, cut or no files, and the members of single lines.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>

#include "sim/golden/mbarrier.h"
#include "sim/golden/model.h"
#include "sim/isa/config.h"
#include "sim/isa/effects.h"
#include "sim/isa/fault.h"
#include "sim/isa/mbarrier_operation.h"
#include "sim/isa/operation.h"
#include "sim/log/log.h"
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

constexpr char kHeaderLine[] = "{\"muster_log\":1,\"config\":\"small\",\"seed\":7}\n";
constexpr char kEndLine[] = "{\"cycle\":1,\"op\":\"end\",\"cta\":0,\"effects\":{}}\n";

class GoldenLogFile : public testing::Test {
 protected:
  void Save(const std::string& text) const { std::ofstream(path_) << text; }
  // The error, without the file's name, that a log with these lines after the header ends in.
  std::string ErrorOf(const std::string& lines) const {
    Save(kHeaderLine + lines);
    return WithoutPath(Replay(path_).error);
  }
  std::string WithoutPath(const std::string& text) const {
    return text.substr(text.rfind(path_, 0) == 0 ? path_.size() : 0);
  }

  const std::string path_ = (Scratch() / "log").string();
};

// A run may be killed: what it has done is in the file, but for the last lines.
TEST_F(GoldenLogFile, LinesReachTheFileWhileTheLogIsWritten) {
  constexpr unsigned kOperations = 2000;
  Model model(*FindConfig("small"));
  LogWriter writer(path_, "small", 7);
  const Operation launch = ParseOperation("launch 0: 0 1");
  writer.Write(0, launch, model.Step(launch));
  const Operation sync = ParseOperation("0: SYNC 0,32");
  for (unsigned cycle = 1; cycle < kOperations; ++cycle) {
    writer.Write(cycle, sync, model.Step(sync));
  }
  const std::uintmax_t before = std::filesystem::file_size(path_);
  ASSERT_TRUE(writer.Close()) << writer.error();
  EXPECT_GT(before, std::filesystem::file_size(path_) / 2);
  const Replayed replayed = Replay(path_);
  EXPECT_EQ(replayed.error, "");
  EXPECT_EQ(replayed.operations, kOperations);
  EXPECT_EQ(replayed.differences, 0U);
}

// A device that is full: a long log finds it out while it is written, a short one when it closes.
TEST_F(GoldenLogFile, FullDevices) {
  const std::string error = "/dev/full: cannot be written.";
  LogWriter longer("/dev/full", "small", 7);
  for (unsigned cycle = 0; cycle < 1000; ++cycle) {
    longer.WriteReset(cycle);
    longer.Write(cycle, ParseOperation("end 0"), Effects());
  }
  EXPECT_EQ(longer.error(), error);
  EXPECT_FALSE(longer.Close());
  LogWriter shorter("/dev/full", "small", 7);
  EXPECT_EQ(shorter.error(), "");
  EXPECT_FALSE(shorter.Close());
  EXPECT_EQ(shorter.error(), error);
}

TEST_F(GoldenLogFile, FoldersCannotBeRead) {
  const std::string folder = Scratch().string();
  EXPECT_EQ(Replay(folder).error, folder + ": cannot be read.");
}

TEST_F(GoldenLogFile, LongestLine) {
  constexpr std::size_t kLongest = (std::size_t{1} << 16) - 1;  // and its end
  std::string line = kEndLine;
  line.insert(1, kLongest + 1 - line.size(), ' ');
  EXPECT_EQ(ErrorOf(line), "");
  line.insert(1, " ");
  EXPECT_EQ(ErrorOf(line), ":2: this is longer than the 65536 bytes that a line may have.");
}

// The last line needs no end.
TEST_F(GoldenLogFile, LastLineMayBeCut) {
  std::string line = kEndLine;
  line.pop_back();
  EXPECT_EQ(ErrorOf(line), "");
  EXPECT_EQ(Replay(path_).operations, 1U);
}

TEST_F(GoldenLogFile, NothingIsReadAfterAnError) {
  Save(kHeaderLine + std::string("{}\n") + kEndLine);
  LogReader reader(path_);
  LogLine line;
  EXPECT_FALSE(reader.Next(&line));
  EXPECT_FALSE(reader.Next(&line));
  EXPECT_EQ(WithoutPath(reader.error()), ":2: \"cycle\" is missing.");
}

TEST_F(GoldenLogFile, MembersThatAreNotKnown) {
  Save("{\"muster_log\":1,\"config\":\"small\",\"seed\":7,\"rain\":1}\n");
  EXPECT_EQ(WithoutPath(Replay(path_).error), ":1: \"rain\" is not known here.");
  for (const char* line : {R"({"cycle":1,"reset":true,"rain":1})",
                           R"({"cycle":1,"op":"end","cta":0,"effects":{"rain":1}})",
                           R"({"cycle":1,"mb":"expire","warp":1,"effects":{"rain":1}})",
                           R"({"cycle":1,"op":"end","cta":0,"effects":{},"ptx":{"line":1,"source":)"
                           R"([{"file":"a","line":2,"function":"f","rain":1}]}})"}) {
    EXPECT_EQ(ErrorOf(line), ":2: \"rain\" is not known here.") << line;
  }
}

TEST_F(GoldenLogFile, TheFirstErrorOfALineIsNamed) {
  EXPECT_EQ(ErrorOf(R"({"cycle":1,"reset":1})"), ":2: \"reset\" is neither true nor false.");
  EXPECT_EQ(ErrorOf(R"({"cycle":1,"ptx":{"line":-1,"source":1},"op":"end"})"),
            ":2: \"line\" is not a number from 0 to 4294967295.");
}

// A count has twelve bits, a CTA slot five.
TEST_F(GoldenLogFile, Limits) {
  const auto line = [](unsigned count) {
    return fmt::format(
        R"({{"cycle":1,"op":"sync","cta":0,"warp":0,"bar":0,"count":{},"lanes":"0x0",)"
        R"("operand":"0x0","effects":{{}}}})",
        count);
  };
  EXPECT_EQ(ErrorOf(line(4095)), "");
  EXPECT_EQ(ErrorOf(line(4096)), ":2: \"count\" is not a number from 0 to 4095.");
  EXPECT_EQ(ErrorOf(R"({"cycle":1,"mb":"arrive","source":"warp","cta":32})"),
            ":2: \"cta\" is not a number from 0 to 31.");
}

TEST_F(GoldenLogFile, TenDifferencesAreDescribed) {
  std::string lines;
  for (unsigned cycle = 0; cycle < 12; ++cycle) {
    lines += kEndLine;
  }
  Save(kHeaderLine + lines);
  const Replayed replayed = Replay(path_);
  EXPECT_EQ(replayed.differences, 12U);
  EXPECT_EQ(replayed.reports.size(), 10U);
}

// The memory of after a reset holds no mbarrier, and a word that is restored is one again.
TEST_F(GoldenLogFile, MemoryOfMbarriers) {
  Model model(*FindConfig("small"));
  Mbarriers mbarriers(model, FindConfig("small")->smem_bytes);
  LogWriter writer(path_, "small", 7);
  const Operation launch = ParseOperation("launch 0: 0");
  const auto step = [&](MbOp op) {
    MbEvent event;
    event.operation.op = op;
    event.operation.lanes = event.operation.operand = 1;
    MbEffects effects = mbarriers.Step(event.operation);
    writer.Write(1, event, effects);
    return effects;
  };
  writer.Write(1, launch, model.Step(launch));
  const std::uint64_t word = step(MbOp::kInit).word;
  model.Reset();
  mbarriers.Reset();
  writer.WriteReset(2);
  writer.Write(3, launch, model.Step(launch));
  EXPECT_EQ(step(MbOp::kArrive).fault[0], FaultCause::kWordExhausted);
  mbarriers.Restore(0, 0, word);
  MbEvent restore;
  restore.kind = MbEvent::Kind::kRestore;
  restore.word = word;
  writer.Write(4, restore, MbEffects());
  EXPECT_EQ(step(MbOp::kArrive).completions, 1U);
  ASSERT_TRUE(writer.Close());
  const Replayed replayed = Replay(path_);
  EXPECT_EQ(replayed.error, "");
  EXPECT_EQ(replayed.operations, 7U);
  EXPECT_EQ(replayed.differences, 0U);
}

// Layouts, reports and waits for either phase: the names have what the code does not tell.
TEST_F(GoldenLogFile, LayoutsAndReportsOfMbarriers) {
  const Config& config = *FindConfig("full");
  Model model(config);
  Mbarriers mbarriers(model, config.smem_bytes, config.report);
  LogWriter writer(path_, "full", 7);
  const Operation launch = ParseOperation("launch 0: 0 1 2");
  writer.Write(1, launch, model.Step(launch));
  const auto step = [&](const char* name, unsigned warp, std::uint32_t operand, bool phase) {
    MbEvent event;
    EXPECT_TRUE(FindName(name, &event.operation));
    event.operation.source =
        event.operation.op == MbOp::kReportOn ? MbSource::kAsync : MbSource::kWarp;
    event.operation.warp = static_cast<std::uint8_t>(warp);
    event.operation.lanes = 1;
    event.operation.operand = operand;
    event.operation.phase |= phase;
    const MbEffects effects = mbarriers.Step(event.operation);
    writer.Write(2, event, effects);
    return effects;
  };
  EXPECT_TRUE(step("init.v1", 0, 1, false).written);
  EXPECT_EQ(step("check_layout", 0, 0, true).complete, 1U);
  EXPECT_EQ(step("try_wait.parity.conditional", 0, 0, false).parked, 1U);
  EXPECT_EQ(step("try_wait.parity", 1, 0, false).parked, 1U);
  EXPECT_TRUE(step("report_on", 0, 0x12, false).written);
  EXPECT_EQ(step("arrive", 2, 1, false).answers.at(0).report, 0x112);
  EXPECT_EQ(step("test_wait.parity", 2, 0, false).report, 0x112);
  EXPECT_EQ(step("test_wait.parity.conditional", 2, 0, false).complete, 0U);
  EXPECT_EQ(step("arrive", 2, 1, false).answers.at(0).report, 0);
  ASSERT_TRUE(writer.Close());
  const Replayed replayed = Replay(path_);
  EXPECT_EQ(replayed.error, "");
  EXPECT_EQ(replayed.operations, 10U);
  EXPECT_EQ(replayed.differences, 0U);
}

TEST_F(GoldenLogFile, OperationsInWords) {
  EXPECT_EQ(Describe(ParseOperation("1.3: WAIT 1,2")),
            "wait for phase 0 of barrier 1 by warp 3 of CTA 1");
  EXPECT_EQ(Describe(ParseOperation("2: RED.OR 3,128 p=0xff lanes=0xfff")),
            "red_or at barrier 3 with count 128 by warp 2 of CTA 0, lanes 0xfff, predicates 0xff");
}

// Which flags a line has: those of its operation, a token's also where it is to be refused.
TEST_F(GoldenLogFile, FlagsOfMbarrierOperations) {
  const auto flags = [this](MbOp op, MbSource source) {
    MbEvent event;
    event.operation.op = op;
    event.operation.source = source;
    LogWriter writer(path_, "small", 7);
    writer.Write(1, event, MbEffects());
    EXPECT_TRUE(writer.Close());
    std::ostringstream text_of_file;
    text_of_file << std::ifstream(path_).rdbuf();
    const std::string text = text_of_file.str();
    const std::string_view before = "\"operand\":0,";
    const std::size_t begin = text.find(before) + before.size();
    return text.substr(begin, text.find(",\"effects\"") - begin);
  };
  const std::string token = R"("has_token":false,"releasing":true)";
  const std::string arrival = R"("has_token":false,"behind":"0x0","releasing":true)";
  EXPECT_EQ(flags(MbOp::kTryWait, MbSource::kWarp),
            R"("phase":false,"has_hint":false,"whole":true,"releasing":true)");
  EXPECT_EQ(flags(MbOp::kTestWait, MbSource::kWarp), R"("phase":false,"releasing":true)");
  EXPECT_EQ(flags(MbOp::kArriveNoComplete, MbSource::kWarp), arrival);
  EXPECT_EQ(flags(MbOp::kArrive, MbSource::kRemote), arrival);
  EXPECT_EQ(flags(MbOp::kExpectTx, MbSource::kRemote), token);
  EXPECT_EQ(flags(MbOp::kInit, MbSource::kWarp), R"("releasing":true)");
}

TEST_F(GoldenLogFile, FilesThatCannotBeOpened) {
  EXPECT_EQ(Replay("/nowhere/log.jsonl").error, "/nowhere/log.jsonl: cannot be opened.");
  LogWriter writer("/nowhere/log.jsonl", "small", 1);
  writer.Write(1, Operation(), Effects());
  EXPECT_FALSE(writer.Close());
  EXPECT_EQ(writer.error(), "/nowhere/log.jsonl: cannot be opened for writing.");
}

}  // namespace
}  // namespace muster::golden
