// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The JSONL log: where in a program the operations come from.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>

#include "sim/golden/mbarrier.h"
#include "sim/golden/model.h"
#include "sim/isa/config.h"
#include "sim/isa/mbarrier_operation.h"
#include "sim/isa/operation.h"
#include "sim/log/log.h"
#include "sim/log/replay.h"
#include "tb/scratch.h"

namespace muster::golden {
namespace {

using log::LogLine;
using log::LogReader;
using log::LogWriter;
using log::Replay;

constexpr char kPlaceLogHeader[] = "{\"muster_log\":1,\"config\":\"small\",\"seed\":7}\n";

void Save(const std::string& path, const std::string& text) { std::ofstream(path) << text; }
std::string Load(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

// Where an operation comes from changes nothing, and is named where there is a difference.
TEST(GoldenLogPlace, IsReadBackAndNamed) {
  const std::string path = (Scratch() / "log").string();
  Model model(*FindConfig("small"));
  LogWriter writer(path, "small", 7);
  Operation launch;
  launch.kind = OpKind::kLaunch;
  launch.warps = 3;
  launch.size = 2;
  writer.Write(1, launch, model.Step(launch));
  Operation sync;
  sync.count = 0;
  sync.lanes = ~0U;
  writer.Write(2, sync, model.Step(sync),
               R"({"line":47,"source":[{"file":"/home/me/mine.cu","line":21,"function":"sum"},)"
               R"({"file":"b.h","line":240,"function":"wait"}]})");
  sync.warp = 1;
  writer.Write(3, sync, model.Step(sync), R"({"line":48})");
  Mbarriers mbarriers(model, 1024);
  MbEvent init;
  init.kind = MbEvent::Kind::kStep;
  init.operation.op = MbOp::kInit;
  init.operation.lanes = 1;
  init.operation.operand = 1;
  writer.Write(4, init, mbarriers.Do(init), R"({"line":49})");
  ASSERT_TRUE(writer.Close());

  LogReader reader(path);
  LogLine line;
  for (const char* place : {"", "mine.cu:21 in sum, inlined b.h:240 in wait, PTX line 47",
                            "PTX line 48", "PTX line 49"}) {
    ASSERT_TRUE(reader.Next(&line)) << reader.error();
    EXPECT_EQ(line.place, place);
  }
  EXPECT_EQ(Replay(path).differences, 0U);
  std::string text = Load(path);
  const std::size_t released = text.find("\"released\":\"0x3\"");
  ASSERT_NE(released, std::string::npos) << text;
  Save(path, text.replace(released, 16, "\"released\":\"0x1\""));
  EXPECT_EQ(
      Replay(path).reports.at(0).substr(path.size()),
      ":4: cycle 3, sync at barrier 0 with count 0 by warp 1 of CTA 0 (PTX line 48): released "
      "is 0x1 in the log and 0x3 in the golden model.");
}

TEST(GoldenLogPlace, BadPlacesAreRefused) {
  const std::string path = (Scratch() / "log").string();
  const auto error = [&path](const std::string& ptx) {
    Save(path, std::string(kPlaceLogHeader) + R"({"cycle":1,"ptx":)" + ptx +
                   R"(,"op":"end","cta":0,"effects":{}})" + "\n");
    return Replay(path).error.substr(path.size());
  };
  EXPECT_EQ(error("47"), ":2: \"ptx\" is not an object.");
  EXPECT_EQ(error("{}"), ":2: \"line\" is missing.");
  EXPECT_EQ(error(R"({"line":-1})"), ":2: \"line\" is not a number from 0 to 4294967295.");
  EXPECT_EQ(error(R"({"line":1,"column":1})"), ":2: \"column\" is not known here.");
  EXPECT_EQ(error(R"({"line":1,"source":1})"), ":2: \"source\" is not a list of places.");
  EXPECT_EQ(error(R"({"line":1,"source":{"place":{"file":"a","line":2}}})"),
            ":2: \"source\" is not a list of places.");
  EXPECT_EQ(error(R"({"line":1,"source":[1]})"), ":2: \"source\" is not a list of places.");
  EXPECT_EQ(error(R"({"line":1,"source":[{"file":"a"}]})"), ":2: \"line\" is missing.");
}

}  // namespace
}  // namespace muster::golden
