// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Members of structs by name, from debug information that is made up here.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "sim/ptx/launch/report.h"
#include "sim/ptx/program/debug_types.h"
#include "sim/ptx/syntax/parser.h"
#include "tb/unit/ptx_fixture.h"

namespace muster::ptx {
namespace {

// The text of .debug_info as it grows, and where the next byte of it is.
struct Info {
  std::string text = ".b8 2,0\n.b32 .debug_abbrev\n.b8 8\n";  // after the length of the unit
  std::uint32_t at = 11;

  std::uint32_t Bytes(const std::vector<unsigned>& bytes) {
    const std::uint32_t from = at;
    for (const unsigned byte : bytes) {
      text += ".b8 " + std::to_string(byte) + "\n";
    }
    at += static_cast<std::uint32_t>(bytes.size());
    return from;
  }
  // An entry with a name.
  std::uint32_t Named(unsigned code, const std::string& name) {
    const std::uint32_t from = Bytes({code});
    for (const char c : name + '\0') {
      Bytes({static_cast<unsigned char>(c)});
    }
    return from;
  }
  void Reference(std::uint32_t to) {
    text += ".b32 " + std::to_string(to) + "\n";
    at += 4;
  }
  void Symbol(const std::string& name) {
    text += ".b64 " + name + "\n";
    at += 8;
  }
};

// Codes of entries; each abbreviation: code, tag, whether it has children, attributes and forms.
enum Code : unsigned { kUnit = 1, kStruct, kMember, kArray, kBounds, kBase, kVariable, kTypedef };
const char* const kAbbreviations =
    ".section .debug_abbrev\n{\n"
    ".b8 1,17,1, 3,8, 0,0\n"                // unit: name
    ".b8 2,19,1, 3,8, 11,5, 0,0\n"          // struct: name, size
    ".b8 3,13,0, 3,8, 73,19, 56,10, 0,0\n"  // member: name, type, location
    ".b8 4,1,1, 73,19, 0,0\n"               // array: type
    ".b8 5,33,0, 47,11, 0,0\n"              // bounds: the upper one
    ".b8 6,36,0, 3,8, 11,11, 0,0\n"         // base type: name, size
    ".b8 7,52,0, 3,8, 73,19, 2,10, 0,0\n"   // variable: name, type, location
    ".b8 8,22,0, 3,8, 73,19, 0,0\n"         // typedef: name, type
    ".b8 0\n}\n";

// struct Bar { u64 word; }; struct Smem { float tile[4][16]; word_t full[4]; Bar empty[2]; int n;
// };
std::string Sections() {
  Info info;
  info.Named(kUnit, "mine.cu");
  const auto base = [&](const char* name, unsigned size) {
    const std::uint32_t from = info.Named(kBase, name);
    info.Bytes({size});
    return from;
  };
  const auto array = [&](std::uint32_t of, const std::vector<unsigned>& counts) {
    const std::uint32_t from = info.Bytes({kArray});
    info.Reference(of);
    for (const unsigned count : counts) {
      info.Bytes({kBounds, count - 1});
    }
    info.Bytes({0});
    return from;
  };
  const auto member = [&](const char* name, std::uint32_t type, unsigned offset) {
    info.Named(kMember, name);
    info.Reference(type);
    info.Bytes({3, 0x23, offset % 128 + 128, offset / 128});
  };
  const std::uint32_t number = base("int", 4);
  const std::uint32_t real = base("float", 4);
  const std::uint32_t word = base("unsigned long", 8);
  const std::uint32_t named = info.Named(kTypedef, "word_t");
  info.Reference(word);
  const std::uint32_t bar = info.Named(kStruct, "Bar");
  info.Bytes({8, 0});
  member("word", word, 0);
  info.Bytes({0});
  const std::uint32_t tile = array(real, {4, 16});
  const std::uint32_t full = array(named, {4});
  const std::uint32_t empty = array(bar, {2});
  const std::uint32_t smem = info.Named(kStruct, "Smem");
  info.Bytes({312 % 256, 312 / 256});
  member("tile", tile, 0);
  member("full", full, 256);
  member("empty", empty, 288);
  member("n", number, 304);
  info.Bytes({0});
  info.Named(kVariable, "smem");
  info.Reference(smem);
  info.Bytes({9, 3});
  info.Symbol("smem");
  info.Bytes({0});
  return kAbbreviations + (".section .debug_info\n{\n.b32 " + std::to_string(info.at - 4) + "\n") +
         info.text + "}\n";
}

std::string Waits() {
  return Header("sm_90") + R"(.visible .entry test() {
  .reg .pred %p; .shared .align 8 .b8 smem[312];
  mbarrier.init.shared.b64 [smem+272], 2;
W: mbarrier.try_wait.parity.shared.b64 %p, [smem+272], 0; @!%p bra W; ret;
})";
}

TEST(PtxDebugTypes, MembersByTheirOffset) {
  const auto module = Parse("k.ptx", Waits() + Sections());
  const DebugTypes types(*module);
  const struct {
    std::uint64_t offset;
    const char* name;
  } rows[] = {{0, ".tile[0][0]"}, {4, ".tile[0][1]"},    {68, ".tile[1][1]"}, {256, ".full[0]"},
              {272, ".full[2]"},  {276, ".full[2]+0x4"}, {288, ".empty[0]"},  {296, ".empty[1]"},
              {304, ".n"},        {308, "+0x134"},       {312, ""},           {1000, ""}};
  for (const auto& row : rows) {
    EXPECT_EQ(types.MemberAt("smem", row.offset), row.name) << row.offset;
  }
  EXPECT_EQ(types.MemberAt("other", 0), "");
}

TEST(PtxDebugTypes, ReportsNameTheMember) {
  const Ended with(Kernel(Waits() + Sections(), 32));
  ASSERT_EQ(with.outcome(), "deadlock");
  EXPECT_EQ(with.grid().StuckMbarriers()[0].name, "smem.full[2] (0x110)");
  const Ended without(Kernel(Waits(), 32));
  EXPECT_EQ(without.grid().StuckMbarriers()[0].name, "smem+0x110 (0x110)");
}

// What is cut, or has numbers that lead nowhere, is left out.
TEST(PtxDebugTypes, DebugInformationThatMakesNoSense) {
  const std::string sections = Sections();
  const std::size_t info = sections.find(".debug_info");
  for (std::size_t cut = info; cut < sections.size(); cut += 97) {
    const std::string text = sections.substr(0, sections.find('\n', cut)) + "\n}\n";
    const std::string whole = text.find('{', info) == std::string::npos ? "" : text;
    const auto module = Parse("k.ptx", Waits() + whole);
    const std::string name = DebugTypes(*module).MemberAt("smem", 272);
    EXPECT_TRUE(name.empty() || name == ".full[2]") << name;
  }
  for (std::size_t at = info; (at = sections.find(".b32 ", at + 1)) != std::string::npos;) {
    std::string changed = sections;
    changed.replace(at + 5, 1, "9");
    const auto module = Parse("k.ptx", Waits() + changed);
    DebugTypes(*module).MemberAt("smem", 272);
  }
}

}  // namespace
}  // namespace muster::ptx
