// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// What `muster check` says of a file: all that is wrong, by line.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "sim/ptx/program/program.h"
#include "sim/ptx/syntax/error.h"
#include "sim/ptx/syntax/nearest.h"
#include "sim/ptx/syntax/parser.h"
#include "tb/unit/ptx_forms.h"

namespace muster::ptx {
namespace {

TEST(PtxCheck, NamesEverythingByLine) {
  const auto module = Parse("f.ptx", R"(.version 7.5
.target sm_80
.address_size 64
.entry a() { .reg .b32 %r<4>; bar.sync 17; frob %r1; ret; }
.func f() { bar.cta.sync 0, 40;
  elect.sync %r1|%p1, -1;
  bar.sync 1, -32; bar.sync 1, 4096; }
)");
  std::string text;
  for (const Finding& finding : Check(*module)) {
    text += (finding.runs ? "- " : "! ") + finding.text + "\n";
  }
  EXPECT_EQ(text,
            "- f.ptx:4:40: there is no barrier 17: they are 0 to 15\n"
            "! f.ptx:4:44: the instruction frob is not supported\n"
            "- f.ptx:5:13: .cta needs .version 7.8\n"
            "- f.ptx:5:29: the thread count 40 is not a multiple of 32\n"
            "- f.ptx:6:3: elect needs .version 8.0\n"
            "! f.ptx:6:14: %r1 is not declared\n"
            "- f.ptx:7:15: the thread count -32 is below zero\n"
            "- f.ptx:7:32: the thread count 4096 is more than a CTA has\n");
}

TEST(PtxCheck, VersionsTargetsAndWideNumbers) {
  const auto findings = [](const std::string& version, const std::string& target,
                           const std::string& instruction) {
    const auto module = Parse("f.ptx", ".version " + version + "\n.target " + target +
                                           "\n.address_size 64\n.entry k() { .reg .b32 %r<4>; "
                                           ".reg .b64 %d<4>; " +
                                           instruction + " ret; }\n");
    std::string text;
    for (const Finding& finding : Check(*module)) {
      text += (finding.runs ? "- " : "! ") + finding.text + "\n";
    }
    return text;
  };
  EXPECT_EQ(findings("9.5", "sm_121a", ""), "");
  EXPECT_EQ(findings("99.0", "sm_90", ""),
            "- f.ptx:4:8: there is no .version 99.0: the newest is 9.5\n");
  EXPECT_EQ(findings("8.0", "sm_200", ""), "- f.ptx:4:8: there is no .target sm_200\n");
  for (const char* const fits : {"0xffffffff", "-2147483648", "-1", "4294967295"}) {
    EXPECT_EQ(findings("8.0", "sm_90", std::string("mov.u32 %r1, ") + fits + ";"), "") << fits;
  }
  EXPECT_EQ(findings("8.0", "sm_90", "mov.u32 %r1, 0x1ffffffff;"),
            "- f.ptx:4:61: 0x1ffffffff has more than the 32 bits of mov.u32\n");
  EXPECT_EQ(findings("8.0", "sm_90", "add.s32 %r1, %r2, -2147483649;"),
            "- f.ptx:4:66: 0xffffffff7fffffff has more than the 32 bits of add.s32\n");
  EXPECT_EQ(findings("8.0", "sm_90", "mov.u64 %d1, 0x1ffffffff;"), "");
}

// A run takes the file all the same, and keeps what to warn of.
TEST(PtxCheck, LinkedProgramsKeepWarningsOfTheVersion) {
  const auto warnings = [](const std::string& version, const std::string& target) {
    const auto module = Parse("f.ptx", ".version " + version + "\n.target " + target +
                                           "\n.address_size 64\n.entry k() { ret; }\n");
    return Link(*module, "k").warnings;
  };
  EXPECT_TRUE(warnings("8.0", "sm_90").empty());
  ASSERT_EQ(warnings("99.0", "sm_90").size(), 1U);
  EXPECT_EQ(warnings("99.0", "sm_90").front(),
            "f.ptx: there is no .version 99.0: the newest is 9.5");
  ASSERT_EQ(warnings("8.0", "sm_200").size(), 1U);
}

TEST(PtxCheck, AMisspeltModifierIsRecognized) {
  const auto said = [](const std::string& instruction) {
    const auto module = Parse("f.ptx", R"(.version 8.0
.target sm_90
.address_size 64
.entry k() { .reg .b32 %r<4>; .shared .align 8 .b64 a;
)" + instruction + "; ret; }\n");
    return Check(*module).front().text;
  };
  EXPECT_EQ(said("mbarrier.arive.expect_tx.shared.b64 _, [a], 16"),
            "f.ptx:5:1: the modifier .arive of mbarrier.arive.expect_tx.shared.b64 is not "
            "supported; did you mean .arrive?");
  EXPECT_EQ(said("cp.async.bulk.tensr.2d.shared::cluster.global.mbarrier::complete_tx::bytes [a], "
                 "[a], [a]"),
            "f.ptx:5:1: the modifier .tensr of cp.async.bulk.tensr.2d.shared::cluster.global."
            "mbarrier::complete_tx::bytes is not supported; did you mean .tensor?");
  EXPECT_EQ(said("add.frob.u32 %r1, %r1, 1"),
            "f.ptx:5:1: the modifier .frob of add.frob.u32 is not supported");
}

TEST(PtxCheck, NearestWords) {
  const std::vector<std::string> words = {"--seed", "--seeds", "--schedule", "--time"};
  EXPECT_EQ(Nearest("--sede", words), "--seed");
  EXPECT_EQ(Nearest("--shcedule", words), "--schedule");
  EXPECT_EQ(Nearest("--tme", words), "--time");
  EXPECT_EQ(Nearest("--frobnicate", words), "");
  EXPECT_EQ(Nearest("x", {"y"}), "");
}

TEST(PtxCheck, UnknownInstructionsAllAtOnce) {
  const auto module = Parse("f.ptx", R"(.version 8.7
.target sm_100a
.address_size 64
.func f() { .reg .b32 %r<4>; .reg .f32 %f<4>;
  istypep.texref %p1, %d1;
  ret; }
.entry k() { .reg .b32 %r<4>; .reg .b64 %d<4>; .shared .b32 s[4];
  add.u32 %r1, %r2, 1; frobnicate.b32 %r1, %r2; wgmma.convolve;
  { .reg .b16 %h<2>; @%p1 bra L; L: add.u7 %r1, %r2, %r3; }
  tcgen05.convolve;
  istypep.surfref %p1, %d1;
  call f; ret; }
)");
  std::string text;
  try {
    Link(*module, "k");
  } catch (const InputError& error) {
    text = error.what();
  }
  EXPECT_EQ(text,
            "f.ptx:5:3: the instruction istypep.texref is not supported\n"
            "f.ptx:8:24: the instruction frobnicate.b32 is not supported\n"
            "f.ptx:8:49: the instruction wgmma.convolve is not supported\n"
            "f.ptx:9:27: %p1 is not declared\n"
            "f.ptx:9:37: the modifier .u7 of add.u7 is not supported\n"
            "f.ptx:10:3: the instruction tcgen05.convolve is not supported\n"
            "f.ptx:11:3: the instruction istypep.surfref is not supported");
}

}  // namespace
}  // namespace muster::ptx
