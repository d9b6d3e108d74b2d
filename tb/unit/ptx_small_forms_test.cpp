// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Forms that compilers write and that are easily forgotten.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "sim/ptx/program/program.h"
#include "sim/ptx/syntax/parser.h"
#include "tb/unit/ptx_fixture.h"

namespace muster::ptx {
namespace {

// The words that a kernel of one thread stores from %d1 on.
std::vector<std::uint32_t> StoredWords(const std::string& head, const std::string& body,
                                       std::uint64_t words) {
  Kernel kernel(head +
                    ".visible .entry test(.param .u64 out) {\n"
                    "  .reg .b16 %h<8>; .reg .b32 %r<8>; .reg .f32 %f<8>; .reg .b64 %d<4>;\n"
                    "  ld.param.u64 %d1, [out];\n" +
                    body + "  ret;\n}\n",
                1);
  kernel.manifest.buffers = {MakeBuffer("out", Type::kU32, words)};
  const Ended run(kernel);
  EXPECT_EQ(run.outcome(), "completes") << run.grid().problem();
  return run.Words(0);
}

// Powers of two without a sign: towards zero, or to the next one. The first operand is the upper
// one.
TEST(PtxSmallForms, ScalesAreRoundedTowardsZeroOrUp) {
  const std::string head = ".version 8.7\n.target sm_100a\n.address_size 64\n";
  const auto scales = [&](const char* round, const char* upper, const char* lower) {
    return StoredWords(head,
                       "  mov.f32 %f1, 0f" + std::string(upper) + "; mov.f32 %f2, 0f" + lower +
                           "; cvt." + round +
                           ".ue8m0x2.f32 %h1, %f1, %f2; mov.b32 %r1, {%h1, %h1}; "
                           "and.b32 %r1, %r1, 0xffff; st.global.u32 [%d1], %r1;\n",
                       1)[0];
  };
  EXPECT_EQ(scales("rz", "3F800000", "40400000"), 0x7f80U);  // 1 and 3
  EXPECT_EQ(scales("rp", "3F800000", "40400000"), 0x7f81U);
  EXPECT_EQ(scales("rz", "BF800000", "00000000"), 0x7f00U);            // -1 and 0
  EXPECT_EQ(scales("rp.satfinite", "7F800000", "7FC00000"), 0xfeffU);  // infinity, no number
  EXPECT_EQ(scales("rz", "00000001", "7F7FFFFF"), 0x00feU);            // the least, the greatest
}

TEST(PtxSmallForms, AnOffsetMayFollowTheBrackets) {
  EXPECT_EQ(StoredWords(Header(),
                        "  mov.u32 %r1, 7; st.global.u32 [%d1]+4, %r1; ld.global.u32 %r2, [%d1]+4; "
                        "st.global.u32 [%d1+4]+4, %r2;\n",
                        4),
            (std::vector<std::uint32_t>{0, 7, 7, 0}));
}

// The same name of a result in functions that are declared only, and in one that is there.
TEST(PtxSmallForms, DeclarationsNameTheirResultsAlike) {
  const std::string head = Header() + R"(
.extern .func (.param .b32 func_retval0) vprintf(.param .b64 a, .param .b64 b);
.func (.param .b32 func_retval0) twice(.param .b32 x);
.func (.param .b32 func_retval0) never(.param .b32 x);
.func (.param .b32 func_retval0) twice(.param .b32 x) {
  .reg .b32 %r<3>; ld.param.b32 %r1, [x]; add.u32 %r2, %r1, %r1;
  st.param.b32 [func_retval0+0], %r2; ret;
}
)";
  EXPECT_EQ(
      StoredWords(head,
                  "  { .param .b32 a; .param .b32 func_retval0; st.param.b32 [a], 21;\n"
                  "  call.uni (func_retval0), twice, (a); ld.param.b32 %r1, [func_retval0]; }\n"
                  "  st.global.u32 [%d1], %r1;\n",
                  1)[0],
      42U);
}

// Which runs all the same.
TEST(PtxSmallForms, AnOlderVersionIsToldWhatIsNeeded) {
  const auto module = Parse("f.ptx", R"(.version 8.4
.target sm_100a
.address_size 64
.entry k() { .reg .pred %p; .reg .b128 %q;
  clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 %p, %q;
  ret; }
)");
  std::vector<std::string> needs;
  for (const Finding& finding : Check(*module)) {
    EXPECT_TRUE(finding.runs) << finding.text;
    needs.push_back(finding.text);
  }
  EXPECT_EQ(needs.back(), "f.ptx:5:3: clusterlaunchcontrol needs .version 8.6");
}

}  // namespace
}  // namespace muster::ptx
