// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// BCU words and their text.
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <variant>
#include <vector>

#include "sim/bcu/assembler.h"
#include "sim/bcu/disassembler.h"
#include "tb/unit/bcu_random.h"

namespace muster::bcu {

std::ostream& operator<<(std::ostream& out, Word128 word) { return out << Hex(word); }

namespace {

std::string Describe(const Refusal& refusal) {
  return std::to_string(refusal.line) + ":" + std::to_string(refusal.column) + ": " + refusal.what;
}

Word128 Assembled(const std::string& text) {
  const auto result = AssembleLine(text);
  if (const auto* const refusal = std::get_if<Refusal>(&result)) {
    ADD_FAILURE() << text << "\n" << Describe(*refusal);
    return {};
  }
  return std::get<Word128>(result);
}

std::string Canonical(const std::string& text) { return Disassemble(Assembled(text)).text; }

// ------------------------------------------------------------------------------------------------
// Text
// ------------------------------------------------------------------------------------------------

// Every instruction among the examples of the ISA text, as it stands there, and what it means.
TEST(BcuText, EveryExampleOfTheIsa) {
  const std::vector<std::pair<std::string, std::string>> examples = {
      // The group BCU
      {"BAR.SYNC 0x0 ; //", "BAR.SYNC 0x0, 0x0;"},
      {"BAR.ARV 0x1, 0x80 ;", "BAR.ARV 0x1, 0x80;"},
      {"BAR.ARV 0x1, R5 ;", "BAR.ARV 0x1, R5;"},
      {"BAR.ARV R4, 0x80 ;", "BAR.ARV R4, 0x80;"},
      {"BAR.ARV R5, R5 ;    // => BAR.ARV R5, R5;", "BAR.ARV R5, R5;"},
      {"BAR.SYNC R7, R7 ;   // => BAR.SYNC R7, R7;", "BAR.SYNC R7, R7;"},
      {"BAR.SYNC R4 ;", "BAR.SYNC R4, 0x0;"},
      {"BAR.RED.OR 0x0, P0 ;", "BAR.RED.OR 0x0, 0x0, P0;"},
      {"BAR.RED.AND 0x1, 0x80, P0 ;", "BAR.RED.AND 0x1, 0x80, P0;"},
      {"BAR.RED.AND 0x1, R5, P0 ;", "BAR.RED.AND 0x1, R5, P0;"},
      {"BAR.RED.AND R4, P0 ;", "BAR.RED.AND R4, P0;"},
      {"BAR.RED.AND R4, 0x80, P0 ;", "BAR.RED.AND R4, 0x80, P0;"},
      {"BAR.RED.AND R5, R5, P0 ;", "BAR.RED.AND R5, R5, P0;"},
      {"B2R.RESULT RZ, P0 ;", "B2R.RESULT RZ, P0;"},
      {"B2R.RESULT R4 ;", "B2R.RESULT R4, PT;"},
      {"B2R.BAR R4, 0x2;", "B2R.BAR R4, 0x2;"},
      {"B2R.WARP R4;", "B2R.WARP R4;"},
      {"R2B.WARP R4;", "R2B.WARP R4;"},
      {"R2B.BAR 0x4, R4;", "R2B.BAR 0x4, R4;"},
      // BAR
      {"BAR.SYNC 0x0, 0x40 ;", "BAR.SYNC 0x0, 0x40;"},
      {"BAR.SYNC  R0, R1   ;", "BAR.SYNC R0, R1;"},
      {"BAR.ARV  0x0, R1   ;", "BAR.ARV 0x0, R1;"},
      // BAR_RED
      {"BAR.RED.POPC 0x0, 0x40,  PT; // 在64个线程之间进行popcount归约",
       "BAR.RED.POPC 0x0, 0x40, PT;"},
      {"BAR.RED.OR          R0, !P1; // 使用barId=R0 & 0xF的barrier，在cnt=(R0 & "
       "0xFFF)>>4个线程之间"
       "进行逻辑或归约",
       "BAR.RED.OR R0, !P1;"},
      // B2R
      {"B2R R0, 0x0;         // 默认为BAR模式，R0=BARState[0]", "B2R.BAR R0, 0x0;"},
      {"B2R.WARP R0, 0x0;    // WARP模式将当前WARP的临时WarpBARState存入R0，忽略输入的BarId",
       "B2R.WARP R0;"},
      {"B2R.BAR R0, 0x0;     // 获取barrier-0的状态", "B2R.BAR R0, 0x0;"},
      {"BAR.RED.POPC 0x1, 0x40, PT; // 在64个线程之间进行popcount归约",
       "BAR.RED.POPC 0x1, 0x40, PT;"},
      {"B2R.WARP R1, 0x4;    // 获取上次BAR.RED所用barrier-1的状态，此时第2个立即数是不生效的",
       "B2R.WARP R1, 0x4;"},
      // B2R_RESULT
      {"BAR.RED.POPC 0x0, 0x40, PT; // 在64个线程之间进行popcount归约",
       "BAR.RED.POPC 0x0, 0x40, PT;"},
      {"BAR.RESULT R0, PT;     // 获取归约结果，写入R0，并舍弃谓词输出", "B2R.RESULT R0, PT;"},
      // R2B
      {"R2B 0x0, R0;    // 默认为BAR模式，BARState[0]=R0", "R2B.BAR 0x0, R0;"},
      {"R2B.WARP R0;    // WARP模式将R0存入当前WARP的临时WarpBARState中，忽略输入的BarId",
       "R2B.WARP R0;"},
      {"R2B.BAR 0x0, R0;     // 用R0设置barrier-0的状态", "R2B.BAR 0x0, R0;"},
      {"BAR.RED.POPC 0x1, 0x40, PT; // 在64个线程之间进行popcount归约",
       "BAR.RED.POPC 0x1, 0x40, PT;"},
      {"R2B.WARP 0x4, R1;    // 用R1设置上次BAR.RED的状态信息的本地副本，此时第1个立即数是不生效的",
       "R2B.WARP 0x4, R1;"},
  };
  for (const auto& [text, canonical] : examples) {
    EXPECT_EQ(Canonical(text), canonical) << text;
    EXPECT_EQ(Assembled(canonical), Assembled(text)) << text;
  }
}

TEST(BcuText, DefaultsGuardsAndNumbers) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"B2R 0x3", "B2R.BAR RZ, 0x3;"},
      {"B2R.WARP", "B2R.WARP RZ;"},
      {"B2R.RESULT P2", "B2R.RESULT RZ, P2;"},
      {"B2R.RESULT;", "B2R.RESULT RZ, PT;"},
      {"BAR.RESULT", "B2R.RESULT RZ, PT;"},
      {"BAR.RED.POPC 0x1", "BAR.RED.POPC 0x1, 0x0, PT;"},
      {"BAR.RED.POPC R1", "BAR.RED.POPC R1, PT;"},
      {"BAR.RED.POPC R1, R2", "BAR.RED.POPC R1, R2, PT;"},
      {"@P0 BAR.SYNC 1", "@P0 BAR.SYNC 0x1, 0x0;"},
      {"@!P6 BAR.SYNC 1", "@!P6 BAR.SYNC 0x1, 0x0;"},
      {"@PT BAR.SYNC 1", "BAR.SYNC 0x1, 0x0;"},
      {"@!PT BAR.SYNC 1", "@!PT BAR.SYNC 0x1, 0x0;"},
      {"BAR.RED.AND RZ, !PT", "BAR.RED.AND RZ, !PT;"},
      {"\tBAR.SYNC\t15,4064//last", "BAR.SYNC 0xf, 0xfe0;"},
      {"BAR.SYNC 0xF , 0xFE0 ;", "BAR.SYNC 0xf, 0xfe0;"},
  };
  for (const auto& [text, canonical] : cases) {
    EXPECT_EQ(Canonical(text), canonical) << text;
  }
}

TEST(BcuText, Refusals) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"BAR.SYNC 16", "1:10: barrier id 16 is above 15"},
      {"B2R.WARP R1, 0x10", "1:14: barrier id 16 is above 15"},
      {"BAR.SYNC 0, 4096", "1:13: count 4096 is above 4095"},
      {"BAR.SYNC R1, 0x123456789abcdef", "1:14: count 4294967295 is above 4095"},
      {"BAR.RED.OR 0, 33, P0", "1:15: count 33 is not a multiple of 32"},
      {"BAR.ARV 0x1, 0", "1:14: BAR.ARV needs a count above 0"},
      {"  BAR.ARV R1;", "1:3: BAR.ARV needs a count above 0"},
      {"BAR.FOO 0x1", "1:1: there is no instruction BAR.FOO"},
      {"bar.sync 0x1", "1:1: there is no instruction bar.sync"},
      {"BAR.RED 0x1, P0", "1:1: there is no instruction BAR.RED"},
      {"BAR.SYNC", "1:1: BAR.SYNC takes a barrier id and a count, each a register or a number"},
      {"BAR.SYNC 1, P0",
       "1:13: BAR.SYNC takes a barrier id and a count, each a register or a number"},
      {"BAR.SYNC 1, 32, R5",
       "1:17: BAR.SYNC takes a barrier id and a count, each a register or a number"},
      {"BAR.RED.AND P0",
       "1:13: BAR.RED.AND takes a barrier id, a count and a predicate, or a register for the first "
       "two"},
      {"B2R.BAR R4", "1:1: B2R.BAR takes a register and a barrier id that is a number"},
      {"B2R R4, R5", "1:9: B2R takes a register and a barrier id that is a number"},
      {"B2R.RESULT R4, !P0", "1:16: B2R.RESULT takes a register and a predicate without '!'"},
      {"R2B.BAR R4", "1:9: R2B.BAR takes a barrier id that is a number, and a register"},
      {"R2B.WARP 4", "1:1: R2B.WARP takes a barrier id that is a number, and a register"},
      {"BAR.SYNC R255", "1:10: there is no R255: the last one is R254"},
      {"BAR.RED.OR R1, P7", "1:16: there is no P7: the last one is P6"},
      {"@P9 BAR.SYNC 1", "1:2: there is no P9: the last one is P6"},
      {"@R1 BAR.SYNC 1", "1:2: expected a predicate after '@'"},
      {"@P1 ; // nothing", "1:5: expected an instruction after the guard"},
      {"BAR.SYNC 1,",
       "1:12: expected a register (R0 to R254, RZ), a predicate (P0 to P6, PT) or a number"},
      {"BAR.SYNC 0xg",
       "1:10: expected a register (R0 to R254, RZ), a predicate (P0 to P6, PT) or a number"},
      {"BAR.SYNC 1, R5x",
       "1:13: expected a register (R0 to R254, RZ), a predicate (P0 to P6, PT) or a number"},
      {"BAR.SYNC -1",
       "1:10: expected a register (R0 to R254, RZ), a predicate (P0 to P6, PT) or a number"},
      {"BAR.SYNC 1 32", "1:12: expected ',', ';' or the end of the line"},
      {"BAR.SYNC 1; BAR.SYNC 2", "1:13: a line holds one instruction, and after it only a comment"},
      {"BAR.SYNC 1;;", "1:12: a line holds one instruction, and after it only a comment"},
      {"12", "1:1: a line holds one instruction, and after it only a comment"},
      {"", "1:1: expected one instruction"},
      {"// nothing", "1:1: expected one instruction"},
      {"BAR.SYNC 1\nBAR.SYNC 2", "1:1: expected one instruction"},
  };
  for (const auto& [text, message] : cases) {
    const auto result = AssembleLine(text);
    const auto* const refusal = std::get_if<Refusal>(&result);
    ASSERT_NE(refusal, nullptr) << text;
    EXPECT_EQ(Describe(*refusal), message) << text;
  }
}

TEST(BcuText, SeveralLines) {
  const auto result = AssembleText(
      "// prologue\r\n"
      "\r\n"
      "  @!P1 BAR.ARV 0x1, 0x80 ; // arrive\r\n"
      "BAR.SYNC 2\n"
      "   ");
  ASSERT_TRUE(std::holds_alternative<std::vector<Word128>>(result));
  const auto& words = std::get<std::vector<Word128>>(result);
  ASSERT_EQ(words.size(), 2U);
  EXPECT_EQ(Disassemble(words[0]).text, "@!P1 BAR.ARV 0x1, 0x80;");
  EXPECT_EQ(Disassemble(words[1]).text, "BAR.SYNC 0x2, 0x0;");

  const auto refused = AssembleText("BAR.SYNC 1\n\n  BAR.SYNC 0, 31 // not a multiple\nBAR.FOO\n");
  ASSERT_TRUE(std::holds_alternative<Refusal>(refused));
  EXPECT_EQ(Describe(std::get<Refusal>(refused)), "3:15: count 31 is not a multiple of 32");
  EXPECT_TRUE(std::get<std::vector<Word128>>(AssembleText("")).empty());
}

// ------------------------------------------------------------------------------------------------
// Words
// ------------------------------------------------------------------------------------------------

// The examples of rtl/cta/BCU.md, worked out by hand.
TEST(BcuWord, WorkedExamples) {
  const std::vector<std::pair<std::string, Word128>> examples = {
      {"BAR.SYNC 0x0, 0x0;", {0x00000000'000071b0, 0x00000000'00000000}},
      {"BAR.ARV 0x1, 0x80;", {0x00080100'000071b0, 0x00000000'00010000}},
      {"@!P0 BAR.SYNC R7, R9;", {0x00000009'070082b0, 0x00000000'00000000}},
      {"BAR.RED.OR R0, !P1;", {0x00000000'000072b1, 0x00000024'00010000}},
      {"BAR.RED.AND R5, R5, P0;", {0x00000005'050073b1, 0x00000000'00000000}},
      {"BAR.RED.POPC 0x1, 0x40, PT;", {0x00040100'000071b1, 0x0000001c'00020000}},
      {"B2R.BAR R4, 0x2;", {0x00000200'000471b2, 0x00000000'00010000}},
      {"B2R.RESULT RZ, P3;", {0x00000000'00ff70b3, 0x00000c00'00000000}},
      {"R2B.BAR 0x4, R6;", {0x00000400'060074b4, 0x00000000'00010000}},
  };
  for (const auto& [text, word] : examples) {
    EXPECT_EQ(Assembled(text), word) << text;
    EXPECT_EQ(Disassemble(word).text, text);
  }
}

// The places that the ISA text gives: two texts that differ in every bit of one field.
TEST(BcuWord, FieldsAreWhereTheIsaHasThem) {
  struct Place {
    const char* zeroes;
    const char* ones;
    unsigned at;
    std::uint64_t mask;
  };
  const std::vector<Place> places = {
      {"@P0 BAR.SYNC 0", "@PT BAR.SYNC 0", 12, 0x7},
      {"@P0 BAR.SYNC 0", "@!P0 BAR.SYNC 0", 15, 0x1},
      {"B2R R0, 0", "B2R RZ, 0", 16, 0xff},
      {"B2R.RESULT R0", "B2R.RESULT RZ", 16, 0xff},
      {"BAR.SYNC R0, R0", "BAR.SYNC RZ, R0", 24, 0xff},
      {"R2B 0, R0", "R2B 0, RZ", 24, 0xff},
      {"BAR.RED.OR R0, R0, P0", "BAR.RED.OR RZ, R0, P0", 24, 0xff},
      {"BAR.SYNC R0, R0", "BAR.SYNC R0, RZ", 32, 0xff},
      {"BAR.SYNC R0, 0", "BAR.SYNC RZ, 0", 32, 0xff},
      {"BAR.SYNC 0, R0", "BAR.SYNC 0, RZ", 32, 0xff},
      {"BAR.RED.OR R0, P0", "BAR.RED.OR RZ, P0", 32, 0xff},
      {"BAR.RED.OR R0, R0, P0", "BAR.RED.OR R0, RZ, P0", 32, 0xff},
      {"BAR.SYNC 0", "BAR.SYNC 15", 40, 0xf},
      {"B2R R0, 0", "B2R R0, 15", 40, 0xf},
      {"R2B 0, R0", "R2B 15, R0", 40, 0xf},
      {"BAR.SYNC 0, 0", "BAR.SYNC 0, 0xfe0", 44, 0xfe0},
      {"BAR.SYNC 0, 32", "BAR.ARV 0, 32", 80, 0x1},
      {"B2R.WARP R0, 0", "B2R.BAR R0, 0", 80, 0x1},
      {"R2B.WARP 0, R0", "R2B.BAR 0, R0", 80, 0x1},
      {"BAR.RED.AND 0", "BAR.RED.OR 0", 80, 0x1},
      {"BAR.RED.AND 0", "BAR.RED.POPC 0", 80, 0x2},
      {"BAR.RED.OR 0, P0", "BAR.RED.OR 0, PT", 98, 0x7},
      {"BAR.RED.OR 0, P0", "BAR.RED.OR 0, !P0", 101, 0x1},
      {"B2R.RESULT P0", "B2R.RESULT PT", 106, 0x7},
  };
  for (const Place& place : places) {
    const Word128 zeroes = Assembled(place.zeroes);
    const Word128 ones = Assembled(place.ones);
    Word128 expected = zeroes;
    (place.at < 64 ? expected.lo : expected.hi) |= place.mask << (place.at % 64);
    EXPECT_NE(zeroes, ones) << place.zeroes;
    EXPECT_EQ(ones, expected) << place.zeroes << " and " << place.ones;
  }
}

TEST(BcuWord, RefusedWords) {
  const Word128 popc = Assembled("BAR.RED.POPC 0x1, 0x40, PT");
  const Word128 arv = Assembled("BAR.ARV 0x1, 0x20");
  const std::vector<std::pair<Word128, std::string>> cases = {
      {{0, 0}, "there is no form with optype 0x0 and stype 0"},
      {{0x73b0, 0}, "there is no form with optype 0xb0 and stype 3"},
      {{0x71b5, 0}, "there is no form with optype 0xb5 and stype 1"},
      {{popc.lo, popc.hi | 1U << 16}, "there is no reduction with the code 3"},
      {{popc.lo | std::uint64_t{1} << 44, popc.hi}, "count 65 is not a multiple of 32"},
      {{arv.lo & 0xffff'ffff, arv.hi}, "BAR.ARV needs a count above 0"},
      {{popc.lo | 1U << 16, popc.hi}, "bit 16 is set, where BAR_RED_I has no field"},
      {{popc.lo, popc.hi | std::uint64_t{1} << 63}, "bit 127 is set, where BAR_RED_I has no field"},
      {{arv.lo, arv.hi | 1U << 17}, "bit 81 is set, where BAR_I has no field"},
  };
  for (const auto& [word, reason] : cases) {
    const Disassembly disassembly = Disassemble(word);
    EXPECT_FALSE(disassembly.legal) << word;
    EXPECT_EQ(disassembly.text, reason) << word;
  }
}

TEST(BcuWord, RoundTrips) {
  Random random(1);
  std::set<std::pair<std::string, unsigned>> forms;
  for (int i = 0; i < 200'000; ++i) {
    const Instruction instruction = random.Legal();
    const Word128 word = Encode(instruction);
    const Disassembly disassembly = Disassemble(word);
    ASSERT_TRUE(disassembly.legal) << word << " " << disassembly.text;
    ASSERT_EQ(Assembled(disassembly.text), word) << disassembly.text;
    forms.emplace(instruction.form().name, instruction.mode());
  }
  EXPECT_EQ(forms.size(), 4U * 2 + 5 * 3 + 2 + 1 + 2);  // every form in each of its modes
}

// A word next to a legal one is refused, or has a text of its own.
TEST(BcuWord, NeighboursOfLegalWords) {
  Random random(2);
  for (int i = 0; i < 2000; ++i) {
    const Word128 word = Encode(random.Legal());
    for (unsigned bit = 0; bit < 128; ++bit) {
      Word128 other = word;
      (bit < 64 ? other.lo : other.hi) ^= std::uint64_t{1} << (bit % 64);
      const Disassembly disassembly = Disassemble(other);
      ASSERT_FALSE(disassembly.text.empty());
      if (disassembly.legal) {
        ASSERT_EQ(Assembled(disassembly.text), other) << disassembly.text;
      }
    }
  }
}

TEST(BcuWord, Hexadecimal) {
  const Word128 word{0x00080100'000071b0, 0x00000000'00010000};
  EXPECT_EQ(Hex(word), "000000000001000000080100000071b0");
  EXPECT_EQ(ParseHex(Hex(word)), word);
  EXPECT_EQ(ParseHex("0x" + Hex(word)), word);
  EXPECT_EQ(ParseHex("71b0"), std::nullopt);
  EXPECT_EQ(ParseHex("000000000001000000080100000071bg"), std::nullopt);
  EXPECT_EQ(ParseHex("000000000001-00000080100000071b0"), std::nullopt);
}

}  // namespace
}  // namespace muster::bcu
