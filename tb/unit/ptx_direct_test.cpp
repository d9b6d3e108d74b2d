// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Launches without a manifest: what is made of the options, and what is refused.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "sim/ptx/launch/direct.h"
#include "sim/ptx/launch/manifest.h"
#include "sim/ptx/launch/manifest_text.h"
#include "sim/ptx/syntax/error.h"
#include "tb/unit/ptx_fixture.h"

namespace muster::ptx {
namespace {

// Takes a parameter of each kind.
DirectLaunch Launch() {
  DirectLaunch launch;
  launch.ptx = WriteTestFile("k.ptx", Header() + R"(
.visible .entry k(.param .u64 in, .param .u64 out, .param .u32 n, .param .f32 scale,
                  .param .b32 bits, .param .s16 least, .param .align 8 .b8 pair[16],
                  .param .f64 wide) { ret; })");
  launch.block = "64";
  launch.args = {"in=u32[4]:1,2,3,4",
                 "out=f32[2]",
                 "1000",
                 "2",
                 "1.5",
                 "-3",
                 R"({"struct": [{"u64": 1}, {"buffer": "out"}]})",
                 "f64:inf"};
  return launch;
}

std::string DirectRefusal(const DirectLaunch& launch) {
  try {
    ManifestOf(launch);
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(PtxDirect, EveryOption) {
  DirectLaunch launch = Launch();
  launch.grid = "4,2";
  launch.block = "8x4x2";
  launch.cluster = "2";
  launch.smem = 512;
  launch.cooperative = true;
  launch.expects = {"out=nan", "in=4,3,2,1"};
  launch.hazards = {"repeated_arrival=2"};
  launch.outcome = "fault:count_mismatch";
  launch.after_inval = "hazard";
  launch.hint = "ignored";
  const Manifest manifest = ManifestOf(launch).manifest;
  EXPECT_EQ(manifest.ptx, launch.ptx);
  EXPECT_EQ(manifest.grid, (std::array<std::uint32_t, 3>{4, 2, 1}));
  EXPECT_EQ(manifest.block, (std::array<std::uint32_t, 3>{8, 4, 2}));
  EXPECT_EQ(manifest.cluster, (std::array<std::uint32_t, 3>{2, 1, 1}));
  EXPECT_EQ(manifest.dynamic_shared, 512U);
  EXPECT_TRUE(manifest.cooperative);
  EXPECT_EQ(manifest.hazards.at("repeated_arrival"), 2U);
  EXPECT_EQ(manifest.outcome, "fault:count_mismatch");
  EXPECT_TRUE(manifest.inval_is_hazard);
  EXPECT_TRUE(manifest.hint_is_ignored);
  ASSERT_EQ(manifest.buffers.size(), 2U);
  EXPECT_EQ(manifest.buffers[0].initial,
            (std::vector<std::uint8_t>{1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4, 0, 0, 0}));
  EXPECT_EQ((*manifest.buffers[0].expected)[0], 4U);
  EXPECT_EQ((*manifest.buffers[1].expected)[3], 0x7fU);
}

TEST(PtxDirect, NumbersAreOfTheirParameters) {
  const Manifest manifest = ManifestOf(Launch()).manifest;
  ASSERT_EQ(manifest.arguments.size(), 8U);
  EXPECT_EQ(manifest.arguments[0].buffer, "in");
  EXPECT_EQ(manifest.arguments[2].type, Type::kU32);
  EXPECT_EQ(manifest.arguments[2].bits, 1000U);
  EXPECT_EQ(manifest.arguments[3].bits, 0x40000000U);  // 2, of an f32
  EXPECT_EQ(manifest.arguments[4].bits, 0x3fc00000U);  // 1.5, of bits
  EXPECT_EQ(manifest.arguments[5].bits, 0xfffdU);
  EXPECT_EQ(manifest.arguments[6].members.size(), 2U);
  EXPECT_EQ(manifest.arguments[7].bits, 0x7ff0000000000000U);
  DirectLaunch launch = Launch();
  launch.args[1] = "in";  // the same buffer again
  launch.args[6] = R"({"struct": [{"u64": 1}, {"u64": 2}]})";
  launch.args[4] = "0xffffffff";
  EXPECT_EQ(ManifestOf(launch).manifest.arguments[1].buffer, "in");
  EXPECT_EQ(ManifestOf(launch).manifest.arguments[4].bits, 0xffffffffU);
}

// The file that is written is a manifest that says the same, from another folder too.
TEST(PtxDirect, WritesAManifest) {
  DirectLaunch launch = Launch();
  const std::string values = WriteTestFile("in.bin", std::string(16, '\7'));
  launch.args[0] = "in=u32[4]:@" + values;
  launch.expects = {"in=@" + values};
  launch.hazards = {"repeated_arrival=0"};
  const Manifest manifest = ManifestOf(launch).manifest;
  const std::string path = WriteTestFile("m.json", "");
  WriteTestFile("m.json", ManifestText(ManifestOf(launch).members, path));
  const Manifest again = ReadManifest(path);
  EXPECT_EQ(ReadFile(again.ptx, ""), ReadFile(manifest.ptx, ""));
  EXPECT_EQ(again.block, manifest.block);
  EXPECT_EQ(again.hazards, manifest.hazards);
  ASSERT_EQ(again.buffers.size(), 2U);
  EXPECT_EQ(again.buffers[0].initial, std::vector<std::uint8_t>(16, 7));
  EXPECT_EQ(again.buffers[0].expected, std::vector<std::uint8_t>(16, 7));
  ASSERT_EQ(again.arguments.size(), manifest.arguments.size());
  for (std::size_t i = 0; i < again.arguments.size(); ++i) {
    EXPECT_EQ(again.arguments[i].bits, manifest.arguments[i].bits) << i;
  }
  EXPECT_EQ(ManifestText(ManifestOf(launch).members, path).find(path.substr(0, path.size() - 6)),
            std::string::npos)
      << "a path in the manifest's own folder is relative";
}

TEST(PtxDirect, CommandRunsItAgain) {
  DirectLaunch launch = Launch();
  launch.ptx = "a kernel.ptx";
  launch.args = {"in=u32[4]", "-3", "it's"};
  launch.kernel = "k";
  launch.cooperative = true;
  launch.smem = 16;
  EXPECT_EQ(CommandOf(launch),
            "'a kernel.ptx' k --block 64 --cooperative --smem 16 --arg "
            "'in=u32[4]' --arg=-3 --arg 'it'\\''s'");
}

TEST(PtxDirect, Refusals) {
  const auto with = [](std::size_t number, const std::string& arg) {
    DirectLaunch launch = Launch();
    launch.args[number] = arg;
    return DirectRefusal(launch);
  };
  EXPECT_EQ(with(2, "-1"), "accepted");  // as C does
  EXPECT_EQ(with(2, "-3000000000"), "--arg -3000000000 is out of the range of its type");
  EXPECT_EQ(with(2, "u8:300"), "--arg u8:300 is out of the range of its type");
  EXPECT_EQ(with(2, "1.5"), "--arg 1.5: 1.5 is no whole number");
  EXPECT_EQ(with(2, "u33:1"), "--arg u33:1: there is no type u33");
  EXPECT_EQ(with(2, "x"),
            "--arg x is no number, and no earlier --arg has made a buffer of that name");
  EXPECT_EQ(with(2, ""),
            "--arg  is no number, and no earlier --arg has made a buffer of that name");
  EXPECT_EQ(with(3, "f32:one"), "--arg f32:one: one is no number");
  EXPECT_EQ(with(6, "7"),
            "--arg 7: the parameter pair is a structure of 16 bytes: write it as JSON, such as "
            R"({"struct": [{"u32": 1}, {"f32": 2}]})");
  EXPECT_EQ(with(6, "{"), "--arg { is not JSON");
  EXPECT_EQ(with(6, R"({"buffer": "no"})"),
            R"(--arg {"buffer": "no"} names the buffer no, which is not there)");
  const std::string form =
      " is not NAME=TYPE[COUNT] or NAME=TYPE[COUNT]:INIT, such as "
      "in=u32[512]:iota";
  for (const char* arg : {"b=u32", "b=u32[4", "b=u32]4[", "b=u32[4]iota", "b=u33[4]", "b=[4]"}) {
    EXPECT_EQ(with(1, arg), std::string("--arg ") + arg + form);
  }
  EXPECT_EQ(with(1, "b=u32[0]"),
            "the count of --arg b=u32[0] must be a whole number from 1 to 268435456");
  EXPECT_EQ(with(1, "b=u32[x]"), "--arg b=u32[x]: x is no whole number");
  EXPECT_EQ(with(1, "b=u32[2]:1,2,3"), "--arg b=u32[2]:1,2,3 has 3 elements, but b has 2");
  EXPECT_EQ(with(1, "b=u32[2]:1,,3"), "--arg b=u32[2]:1,,3: an empty text is no whole number");
  EXPECT_EQ(with(1, "b=u32[2]:@/nowhere"),
            "--arg b=u32[2]:@/nowhere names /nowhere, which cannot be read");
  EXPECT_EQ(with(1, "in=u32[2]"),
            "--arg in=u32[2]: there is a buffer in already; --arg in names it");
}

TEST(PtxDirect, RefusalsOfTheLaunch) {
  const auto with = [](auto change) {
    DirectLaunch launch = Launch();
    change(&launch);
    return DirectRefusal(launch);
  };
  using L = DirectLaunch;
  EXPECT_EQ(with([](L* l) { l->block = ""; }),
            "--block is missing: how many threads a CTA has, such as --block 256");
  for (const char* extent : {"64,", "a", "1,2,3,4", "-1", "1.5", "99999999999999999999"}) {
    EXPECT_EQ(with([&](L* l) { l->grid = extent; }),
              std::string("--grid ") + extent + " is not one to three numbers, such as 2 or 16,16");
  }
  EXPECT_EQ(with([](L* l) { l->block = "0"; }), "--block must be a whole number from 1 to 1048576");
  EXPECT_EQ(with([](L* l) { l->args.pop_back(); }),
            "--arg is there 7 times, but the kernel k takes 8 arguments");
  EXPECT_EQ(with([](L* l) { l->expects = {"out"}; }), "--expect out is not NAME=VALUES");
  EXPECT_EQ(with([](L* l) { l->expects = {"no=1"}; }), "--expect no=1: no --arg makes a buffer no");
  EXPECT_EQ(with([](L* l) { l->expects = {"out=1,2,3"}; }),
            "--expect out=1,2,3 has 3 elements, but out has 2");
  EXPECT_EQ(with([](L* l) { l->hazards = {"nothing=1"}; }).rfind("--hazard", 0), 0U);
  EXPECT_EQ(with([](L* l) { l->outcome = "fault:none_such"; }),
            "--outcome names the fault cause none_such, which there is not");
  EXPECT_EQ(
      with([](L* l) { l->kernel = "other"; }).find("there is no kernel other; the file has k"),
      std::string(Launch().ptx + ": ").size());
}

// A plain name finds the mangled one, if only one has it.
TEST(PtxDirect, PlainNamesOfKernels) {
  DirectLaunch launch = Launch();
  launch.args.clear();
  launch.ptx = WriteTestFile("m.ptx", Header() + R"(
.visible .entry _ZN4ours3sumEPKjPjf() { ret; }
.visible .entry _ZN12_GLOBAL__N_14scanEv() { ret; }
.visible .entry _Z4copyIiEvPT_() { ret; }
.visible .entry _Z4copyIfEvPT_() { ret; }
.visible .entry plain() { ret; })");
  const auto chosen = [&](const std::string& name) {
    launch.kernel = name;
    Kernel kernel("");
    try {
      kernel.manifest = ManifestOf(launch).manifest;
      return Ended(kernel).session().program().Kernel().name;
    } catch (const InputError& error) {
      return std::string(error.what());
    }
  };
  EXPECT_EQ(chosen("sum"), "_ZN4ours3sumEPKjPjf");
  EXPECT_EQ(chosen("scan"), "_ZN12_GLOBAL__N_14scanEv");
  EXPECT_EQ(chosen("_Z4copyIfEvPT_"), "_Z4copyIfEvPT_");
  EXPECT_EQ(chosen("plain"), "plain");
  EXPECT_NE(chosen("copy").find("there are several kernels copy; the file has _ZN4ours"),
            std::string::npos);
  EXPECT_NE(chosen("su").find("there is no kernel su"), std::string::npos);
}

}  // namespace
}  // namespace muster::ptx
