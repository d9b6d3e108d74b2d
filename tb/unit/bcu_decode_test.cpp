// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The decoder of BCU words, Verilated, against what the ISA says of the assembler's operands.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <string_view>

#include "Vbcu_decode.h"
#include "sim/bcu/disassembler.h"
#include "sim/bcu/instruction.h"
#include "sim/isa/config.h"
#include "sim/isa/operation.h"
#include "sim/port/structs.h"
#include "tb/unit/bcu_random.h"

namespace muster::bcu {
namespace {

using PerLane = std::array<std::uint32_t, kMaxLanes>;

// What comes with a word: the warp, and what is in the registers that it names.
struct Context {
  unsigned cta, warp;
  std::uint32_t active;
  PerLane ra, rb;
  std::uint32_t pg, pp;
};

Context RandomContext(Random& random) {
  Context context{};
  context.cta = random.Below(kMaxCtas);
  context.warp = random.Below(kMaxWarps);
  const auto lanes = [&] {
    const auto any = static_cast<std::uint32_t>(random.Bits());
    switch (random.Below(4)) {
      case 0:
        return ~0U;
      case 1:
        return 1U << (any % kMaxLanes);
      case 2:
        return any & static_cast<std::uint32_t>(random.Bits());
      default:
        return any;
    }
  };
  context.active = random.OneIn(32) ? 0 : lanes();
  context.pg = lanes();
  context.pp = lanes();
  for (unsigned lane = 0; lane < kMaxLanes; ++lane) {
    const std::uint64_t bits = random.Bits();
    context.ra[lane] = static_cast<std::uint32_t>(bits);
    context.rb[lane] = static_cast<std::uint32_t>(bits >> 32);
  }
  return context;
}

bool Has(const Form& form, Field field) {
  return std::find(form.operands.begin(), form.operands.end(), field) != form.operands.end();
}

// RZ and PT hold constants, whatever the register file answers for them.
std::uint32_t Register(unsigned number, std::uint32_t value) { return number == kRegZ ? 0 : value; }
bool Predicate(unsigned number, bool value) { return number == kPredT || value; }
bool InLane(std::uint32_t mask, unsigned lane) { return (mask >> lane & 1) != 0; }

OpKind KindOf(const Instruction& instruction) {
  static const std::map<std::string_view, OpKind> kinds = {
      {"BAR.SYNC", OpKind::kSync},        {"BAR.ARV", OpKind::kArrive},
      {"BAR.RED.AND", OpKind::kRedAnd},   {"BAR.RED.OR", OpKind::kRedOr},
      {"BAR.RED.POPC", OpKind::kRedPopc}, {"B2R.BAR", OpKind::kB2rBar},
      {"B2R.WARP", OpKind::kB2rWarp},     {"B2R.RESULT", OpKind::kB2rResult},
      {"R2B.BAR", OpKind::kR2bBar},       {"R2B.WARP", OpKind::kR2bWarp},
  };
  for (const Mnemonic& mnemonic : kMnemonics) {
    if (mnemonic.optype == instruction.form().optype && mnemonic.mode == instruction.mode()) {
      return kinds.at(mnemonic.text);
    }
  }
  ADD_FAILURE() << "no name for this mode of " << instruction.form().name;
  return OpKind::kSync;
}

// The operation that a warp asks for, lane by lane from the operands as the assembly text has them.
Operation Expected(const Instruction& instruction, const Context& context) {
  const Form& form = instruction.form();
  Operation operation;
  operation.kind = KindOf(instruction);
  operation.cta = context.cta;
  operation.warp = context.warp;

  unsigned ruler = kMaxLanes;
  for (unsigned lane = kMaxLanes; lane-- > 0;) {
    const bool guard = Predicate(instruction[Field::kPg], InLane(context.pg, lane)) !=
                       (instruction[Field::kPgNot] != 0);
    const bool reduced = Predicate(instruction[Field::kPp], InLane(context.pp, lane)) !=
                         (instruction[Field::kPpNot] != 0);
    if (guard && InLane(context.active, lane)) {
      operation.lanes |= 1U << lane;
      ruler = lane;
    }
    if (reduced && Has(form, Field::kPp)) {
      operation.operand |= 1U << lane;
    }
  }
  if (ruler == kMaxLanes) {
    return operation;
  }

  const auto value = [&](Field field) -> std::uint32_t {
    const std::uint32_t number = instruction[field];
    if (field == Field::kRa) {
      return Register(number, context.ra[ruler]);
    }
    return field == Field::kRb ? Register(number, context.rb[ruler]) : number;
  };
  switch (form.optype) {
    case Optype::kBar:
    case Optype::kBarRed:
      if (form.optype == Optype::kBarRed && form.operands[1] == Field::kPp) {  // both in one
        operation.bar = value(form.operands[0]) % 16;
        operation.count = value(form.operands[0]) / 16 % 4096;
      } else {
        operation.bar = value(form.operands[0]) % 16;
        operation.count = value(form.operands[1]) % 4096;
      }
      break;
    case Optype::kR2b:
      operation.operand = value(Field::kRa);
      [[fallthrough]];
    case Optype::kB2r:
      operation.bar = IdIsIgnored(instruction) ? 0 : value(Field::kBar);
      break;
    case Optype::kB2rResult:
      break;
  }
  return operation;
}

class BcuDecode : public testing::Test {
 protected:
  void Decode(Word128 word, const Context& context) {
    SetBits(&unit_.word_i, 0, 64, word.lo);
    SetBits(&unit_.word_i, 64, 64, word.hi);
    unit_.cta_i = context.cta;
    unit_.warp_i = context.warp;
    unit_.active_i = context.active;
    for (unsigned lane = 0; lane < kMaxLanes; ++lane) {
      unit_.ra_i[lane] = context.ra[lane];
      unit_.rb_i[lane] = context.rb[lane];
    }
    unit_.pg_i = context.pg;
    unit_.pp_i = context.pp;
    unit_.eval();
  }

  void ExpectOperation(const Operation& expected) {
    EXPECT_EQ(unit_.illegal_o, 0);
    const Operation seen = Seen();
    EXPECT_EQ(seen.kind, expected.kind);
    EXPECT_EQ(seen.cta, expected.cta);
    EXPECT_EQ(seen.warp, expected.warp);
    EXPECT_EQ(seen.lanes, expected.lanes);
    if (expected.lanes != 0) {
      EXPECT_EQ(seen.bar, expected.bar);
      EXPECT_EQ(seen.count, expected.count);
      EXPECT_EQ(seen.operand, expected.operand);
    }
  }
  Operation Seen() const {
    Operation operation;
    sv::issue_t::Get(unit_.issue_o, &operation);
    return operation;
  }

  // A number, where the form has the register.
  static void ExpectRegister(bool used, unsigned number, bool expected_used, unsigned expected) {
    EXPECT_EQ(used, expected_used);
    if (expected_used) {
      EXPECT_EQ(number, expected);
    }
  }

  void ExpectRegisters(const Instruction& instruction) {
    const Form& form = instruction.form();
    const unsigned rd = instruction[Field::kRd];
    const unsigned pu = instruction[Field::kPu];
    EXPECT_EQ(unit_.pg_o, instruction[Field::kPg]);
    ExpectRegister(unit_.ra_read_o, unit_.ra_o, Has(form, Field::kRa), instruction[Field::kRa]);
    ExpectRegister(unit_.rb_read_o, unit_.rb_o, Has(form, Field::kRb), instruction[Field::kRb]);
    ExpectRegister(unit_.pp_read_o, unit_.pp_o, Has(form, Field::kPp), instruction[Field::kPp]);
    ExpectRegister(unit_.rd_write_o, unit_.rd_o, Has(form, Field::kRd) && rd != kRegZ, rd);
    ExpectRegister(unit_.pu_write_o, unit_.pu_o, Has(form, Field::kPu) && pu != kPredT, pu);
  }

  Vbcu_decode unit_;
};

// Bits that no field of the form has, above optype and stype.
Word128 Rest(const Form& form) {
  Instruction ones(form);
  for (std::size_t i = 0; i < kNumFields; ++i) {
    ones[static_cast<Field>(i)] = (1U << kFieldBits[i].width) - 1;
  }
  const Word128 fields = Encode(ones);
  return {~fields.lo, ~fields.hi};
}

TEST_F(BcuDecode, RandomWords) {
  constexpr int kVectors = 1'000'000;
  Random random(3);
  std::map<std::pair<std::string, unsigned>, int> modes;
  int no_lane = 0;
  for (int i = 0; i < kVectors && !HasFailure(); ++i) {
    const Instruction instruction = random.AnyOperands();
    const Context context = RandomContext(random);
    Word128 word = Encode(instruction);
    if (random.OneIn(2)) {
      const Word128 rest = Rest(instruction.form());
      word.lo |= rest.lo & random.Bits();
      word.hi |= rest.hi & random.Bits();
    }
    const Operation expected = Expected(instruction, context);
    Decode(word, context);
    ExpectOperation(expected);
    ExpectRegisters(instruction);
    ++modes[{instruction.form().name, instruction.mode()}];
    no_lane += static_cast<int>(expected.lanes == 0);
    if (HasFailure()) {
      ADD_FAILURE() << "vector " << i << ": " << Hex(word) << " "
                    << Disassemble(Encode(instruction)).text;
    }
  }
  EXPECT_EQ(modes.size(), 28U);  // every form in each of its modes
  for (const auto& [mode, hits] : modes) {
    EXPECT_GT(hits, 1000) << mode.first << " mode " << mode.second;
  }
  EXPECT_GT(no_lane, 1000);
}

TEST_F(BcuDecode, IllegalWords) {
  constexpr int kVectors = 200'000;
  Random random(4);
  int bad_optype = 0;
  int bad_stype = 0;
  int bad_redop = 0;
  for (int i = 0; i < kVectors && !HasFailure(); ++i) {
    Word128 word{random.Bits(), random.Bits()};
    if (!random.OneIn(4)) {
      word.lo = (word.lo & ~std::uint64_t{0xff}) | (0xb0 + random.Below(5));
    }
    const unsigned optype = word.lo & 0xff;
    const unsigned stype = word.lo >> 8 & 0xf;
    bool optype_exists = false;
    bool form_exists = false;
    for (const Form& form : kForms) {
      const bool same = static_cast<unsigned>(form.optype) == optype;
      optype_exists |= same;
      form_exists |= same && static_cast<unsigned>(form.stype) == stype;
    }
    const bool no_such_redop =
        optype == static_cast<unsigned>(Optype::kBarRed) && (word.hi >> 16 & 3) == 3;

    Decode(word, RandomContext(random));
    const bool illegal = !form_exists || no_such_redop;
    EXPECT_EQ(unit_.illegal_o, illegal) << Hex(word);
    if (illegal) {
      EXPECT_EQ(Seen().lanes, 0U) << Hex(word);
      EXPECT_FALSE(unit_.ra_read_o || unit_.rb_read_o || unit_.pp_read_o) << Hex(word);
      EXPECT_FALSE(unit_.rd_write_o || unit_.pu_write_o) << Hex(word);
    }
    bad_optype += static_cast<int>(!optype_exists);
    bad_stype += static_cast<int>(optype_exists && !form_exists);
    bad_redop += static_cast<int>(form_exists && no_such_redop);
  }
  EXPECT_GT(bad_optype, 1000);
  EXPECT_GT(bad_stype, 1000);
  EXPECT_GT(bad_redop, 1000);
}

// One lane rules over others that disagree.
TEST_F(BcuDecode, LowestParticipatingLaneRules) {
  const Form& packed = *std::find_if(std::begin(kForms), std::end(kForms), [](const Form& form) {
    return std::string_view(form.name) == "BAR_RED_R";
  });
  Instruction instruction(packed);
  instruction[Field::kRedOp] = kPopc;
  instruction[Field::kRb] = 9;
  instruction[Field::kPg] = 2;
  instruction[Field::kPgNot] = 1;
  instruction[Field::kPp] = 3;
  Context context{};
  context.cta = 5;
  context.warp = 41;
  context.active = 0xffff'fff0;
  context.pg = 0x0000'0030;  // so lanes 6 and up take part
  context.pp = 0xffff'0000;
  context.rb.fill(0xffff'ffff);
  context.rb[6] = 0xabcd'0407;  // count 0x040, id 7

  Decode(Encode(instruction), context);
  EXPECT_EQ(Seen().kind, OpKind::kRedPopc);
  EXPECT_EQ(Seen().lanes, 0xffff'ffc0U);
  EXPECT_EQ(Seen().bar, 7);
  EXPECT_EQ(Seen().count, 0x40);
  EXPECT_EQ(Seen().operand, 0xffff'0000U);
  EXPECT_EQ(Seen().cta, 5);
  EXPECT_EQ(Seen().warp, 41);
  EXPECT_EQ(unit_.rb_o, 9);
}

}  // namespace
}  // namespace muster::bcu
