// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Lines of the source from which a compiler has made the PTX, in the map and in reports.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "sim/ptx/launch/report.h"
#include "sim/ptx/program/demangle.h"
#include "sim/ptx/program/program.h"
#include "sim/ptx/program/source_map.h"
#include "sim/ptx/syntax/parser.h"
#include "tb/unit/ptx_fixture.h"

namespace muster::ptx {
namespace {

// A name as .debug_str has it.
std::string Bytes(const std::string& name) {
  std::string text = ".b8 ";
  for (const char c : name) {
    text += std::to_string(static_cast<int>(c)) + ",";
  }
  return text + "0\n";
}

// Two warps come to two barriers, in functions of two files that are inlined in each other.
std::string Crossed() {
  return Header() + R"(
.visible .entry _ZN4ours7crossedEPj(.param .u64 out) {
  .reg .pred %p; .reg .b32 %r;
  mov.u32 %r, %tid.x;
  .loc 1 20 3
  setp.lt.u32 %p, %r, 32;
  .loc 1 21 5
  @%p bra FIRST;
  .loc 1 8 7, function_name $both, inlined_at 1 21 5
  .loc 2 240 9, function_name $meet, inlined_at 1 8 7
  bar.sync 2, 64;
  ret;
FIRST:
  .loc 2 240 9, function_name $unknown, inlined_at 1 21 5
  bar.sync 1, 64;
  ret;
}
.func plain() {
  ret;
}
.file 1 "/home/someone/mine.cu", 1700000000, 1234
.file 2 "/usr/include/barrier.h"
.section .debug_str
{
$both:
)" + Bytes("_ZN4ours4bothILi0EEEvv") +
         "$meet:\n" + Bytes("_ZN4cuda7barrierI5scopeE4waitEi") + "}\n";
}

SourceMap MapOf(const std::string& ptx) {
  const auto module = Parse("k.ptx", ptx);
  return SourceMap(*module);
}

// The number of the line on which the text stands.
std::uint32_t LineIn(const std::string& ptx, const std::string& text) {
  return static_cast<std::uint32_t>(
      1 + std::count(ptx.begin(), ptx.begin() + static_cast<long>(ptx.find(text)), '\n'));
}

TEST(PtxSource, LinesAndWhatIsInlined) {
  const std::string ptx = Crossed();
  const SourceMap map = MapOf(ptx);
  EXPECT_EQ(map.Text(LineIn(ptx, "mov.u32")), "") << "before the first .loc";
  EXPECT_EQ(map.Text(LineIn(ptx, "setp.lt")), "mine.cu:20 in ours::crossed");
  EXPECT_EQ(
      map.Text(LineIn(ptx, "bar.sync 2")),
      "mine.cu:21 in ours::crossed, inlined mine.cu:8 in ours::both, inlined barrier.h:240 in "
      "cuda::barrier::wait");
  EXPECT_EQ(map.Text(LineIn(ptx, "bar.sync 1")),
            "mine.cu:21 in ours::crossed, inlined barrier.h:240 in $unknown");
  EXPECT_EQ(map.Text(LineIn(ptx, ".func plain") + 1), "") << "another function's .loc";
  const std::vector<SourcePlace> places = map.At(LineIn(ptx, "bar.sync 2"));
  ASSERT_EQ(places.size(), 3U);
  EXPECT_EQ(places[0].file, "/home/someone/mine.cu");
  EXPECT_EQ(places[2].line, 240U);
}

// Of five levels people are told the kernel's line, the last one of its author, and the last.
TEST(PtxSource, LevelsBetweenAreLeftOut) {
  const std::string ptx = Header() + R"(
.visible .entry k() {
  .loc 1 20 3
  .loc 2 100 1, function_name $a, inlined_at 1 20 3
  .loc 2 110 1, function_name $b, inlined_at 2 100 1
  .loc 3 7 1, function_name $c, inlined_at 2 110 1
  .loc 3 9 1, function_name $d, inlined_at 3 7 1
  bar.sync 0;
  .loc 1 21 3
  .loc 4 5 1, function_name $own, inlined_at 1 21 3
  .loc 2 100 1, function_name $a, inlined_at 4 5 1
  .loc 2 110 1, function_name $b, inlined_at 2 100 1
  bar.sync 1;
  ret;
}
.file 1 "/home/someone/kernels/mine.cu"
.file 2 "/usr/local/cuda/include/barrier.h"
.file 3 "/usr/local/cuda/include/asm.h"
.file 4 "/home/someone/kernels/parts/tile.cuh"
)";
  const SourceMap map = MapOf(ptx);
  const std::uint32_t deep = LineIn(ptx, "bar.sync 0");
  EXPECT_EQ(map.Text(deep), "mine.cu:20 in k, inlined asm.h:9 in $d");
  EXPECT_EQ(map.At(deep).size(), 5U) << "the JSON has them all";
  EXPECT_EQ(map.OwnLine(deep), "mine.cu:20");
  const std::uint32_t own = LineIn(ptx, "bar.sync 1");
  EXPECT_EQ(map.Text(own),
            "mine.cu:21 in k, inlined tile.cuh:5 in $own, inlined barrier.h:110 in $b");
  EXPECT_EQ(map.OwnLine(own), "tile.cuh:5");
  EXPECT_EQ(map.OwnLine(1), "");
}

// What no compiler writes does no harm.
TEST(PtxSource, DirectivesThatMakeNoSense) {
  const auto text = [](const std::string& loc) {
    const std::string ptx = Header() + ".visible .entry k() {\n" + loc + "\n  ret;\n}\n";
    return MapOf(ptx).Text(LineIn(ptx, "ret;"));
  };
  EXPECT_EQ(text("  .loc 7 5 1"), "file 7:5 in k");
  EXPECT_EQ(text("  .loc 1 0 0"), "") << "line 0 is no line";
  EXPECT_EQ(text("  .loc"), "");
  EXPECT_EQ(text("  .loc 1 5 1, inlined_at"), "file 0:0 in k, inlined file 1:5");
  const std::string own = text("  .loc 1 5 1, function_name f, inlined_at 1 5 1");
  EXPECT_EQ(own, "file 1:5 in k, inlined file 1:5 in f") << "inlined in itself";
  EXPECT_EQ(text("  .loc 1 5 1, inlined_at 1 6 1\n  .loc 1 6 1, inlined_at 1 5 1")
                .find("file 1:6 in k, inlined file 1:"),
            0U)
      << "in a circle";
}

TEST(PtxSource, NamesAreDemangled) {
  EXPECT_EQ(Demangled("_ZN4ours3sumIiEEvPT_"), "ours::sum");
  EXPECT_EQ(Demangled("_ZN12_GLOBAL__N_14scanEv"), "scan");
  EXPECT_EQ(Demangled("_ZNSt6vectorIiSaIiEE9push_backEOi"), "std::vector::push_back");
  EXPECT_EQ(Demangled("_ZN34_INTERNAL_6502e2dd_4_k_cu_1f2e3d4c4sumsEPKjPj"), "sums");
  EXPECT_EQ(Demangled("_ZN34_INTERNAL_6502e2dd_4_k_cu_1f2e3d4c4ours4scanEv"), "ours::scan");
  EXPECT_EQ(Demangled("_ZN10_INTERNAL_Ev"), "_INTERNAL_") << "a name that is all there is";
  EXPECT_EQ(Demangled("_ZZ4sumsPKjPjE4part"), "sums::part");
  EXPECT_EQ(Demangled("_ZZN4ours4scanIiEEvPT_E4tile"), "ours::scan::tile");
  EXPECT_EQ(Demangled("_ZZN34_INTERNAL_6502e2dd_4_k_cu_1f2e3d4c4sumsEPjE4part"), "sums::part");
  EXPECT_EQ(Demangled("_ZZNK4ours4Scan3runEvE4tile"), "ours::Scan::run::tile");
  EXPECT_EQ(Demangled("_ZZ4sumsPFviEE4part"), "sums::part") << "a parameter has parameters";
  EXPECT_EQ(Demangled("_ZNK4ours4ScanclEi"), "ours::Scan::operator");
  EXPECT_EQ(Demangled("a"), "a");  // what is not mangled stays as it is
  EXPECT_EQ(Demangled("plain_c"), "plain_c");
  EXPECT_EQ(Demangled(""), "");
  EXPECT_EQ(PlainName("_ZN4ours3sumIiEEvPT_"), "sum");
}

TEST(PtxSource, ReportsNameTheSourceFirst) {
  Kernel kernel(Crossed(), 64);
  kernel.manifest.buffers = {MakeBuffer("out", Type::kU32, 64)};
  const Ended run(kernel);
  ASSERT_EQ(run.outcome(), "deadlock");
  const std::string report = TextReport(run.session(), run.verdict(), {});
  const std::string ptx = Crossed();
  const auto line = [&](const std::string& of) { return std::to_string(LineIn(ptx, of)); };
  EXPECT_NE(report.find("ours::crossed: grid 1x1x1"), std::string::npos) << report;
  EXPECT_NE(report.find("came     warp 0 at mine.cu:21 in ours::crossed, inlined barrier.h:240 in "
                        "$unknown, PTX line " +
                        line("bar.sync 1") + ": waits"),
            std::string::npos)
      << report;
  EXPECT_NE(report.find("missing  warp 1, which waits at barrier 2 (mine.cu:21 in ours::crossed, "
                        "inlined mine.cu:8 in ours::both, inlined barrier.h:240 in "
                        "cuda::barrier::wait, PTX line " +
                        line("bar.sync 2") + ")"),
            std::string::npos)
      << report;
  const auto json = JsonReport(run.session(), run.verdict(), {});
  const auto& source = json["deadlock"][0]["came"][0]["source"];
  ASSERT_EQ(source.size(), 2U);
  EXPECT_EQ(source[0]["file"], "/home/someone/mine.cu");
  EXPECT_EQ(source[1]["line"], 240);
}

// A fault, and a hazard.
TEST(PtxSource, FaultsAndHazardsNameTheSourceFirst) {
  const auto report = [](const std::string& body) {
    Kernel kernel(Header() + ".visible .entry k() {\n.reg .b32 %r;\n" + body +
                      "  ret;\n}\n.file 1 \"a.cu\"\n",
                  64);
    const Ended run(kernel);
    return TextReport(run.session(), run.verdict(), {});
  };
  EXPECT_NE(report("  .loc 1 5 1\n  bar.sync 1, 33;\n").find("\na.cu:5 in k, "), std::string::npos)
      << report("  .loc 1 5 1\n  bar.sync 1, 33;\n");
  const std::string hazard = report(
      "  .reg .pred %p;\n  mov.u32 %r, %tid.x;\n  setp.ge.u32 %p, %r, 32;\n  @%p bra DONE;\n"
      "  .loc 1 6 1\n  bar.arrive 1, 64;\n  bar.arrive 1, 64;\nDONE:\n");
  EXPECT_NE(hazard.find("\na.cu:6 in k, "), std::string::npos) << hazard;
  EXPECT_NE(hazard.find(": hazard repeated_arrival, "), std::string::npos) << hazard;
}

}  // namespace
}  // namespace muster::ptx
