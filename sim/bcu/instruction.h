// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The 128-bit words of the barrier control unit: codes, fields and forms (rtl/cta/BCU.md). Codes
// equal those of rtl/cta/muster_bcu_pkg.sv: the decoder's test decodes the words made here.
#ifndef MUSTER_SIM_BCU_INSTRUCTION_H_
#define MUSTER_SIM_BCU_INSTRUCTION_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace muster::bcu {

struct Word128 {
  std::uint64_t lo = 0;
  std::uint64_t hi = 0;

  friend bool operator==(Word128 a, Word128 b) { return a.lo == b.lo && a.hi == b.hi; }
  friend bool operator!=(Word128 a, Word128 b) { return !(a == b); }
};

// 32 hexadecimal digits, the highest first, and back (also with 0x in front).
std::string Hex(Word128 word);
std::optional<Word128> ParseHex(std::string_view text);

// ------------------------------------------------------------------------------------------------
// Codes that the ISA text leaves open
// ------------------------------------------------------------------------------------------------

enum class Optype : std::uint8_t {
  kBar = 0xb0,
  kBarRed = 0xb1,
  kB2r = 0xb2,
  kB2rResult = 0xb3,
  kR2b = 0xb4,
};

enum class SType : std::uint8_t {
  kX = 0,    // no operand
  kI = 1,    // immediates
  kR = 2,    // BAR: ra is the id, rb the count; BAR.RED: rb holds both
  kRR = 3,   // BAR.RED: ra is the id, rb the count
  kRI = 4,   // a register and an immediate
  kRRI = 5,  // rb is the id, the count an immediate
  kRIR = 6,  // the id is an immediate, rc the count
};

// Modes: BARMode, BARREDOp and B2RMode of the ISA text, numbered in its order.
inline constexpr std::uint8_t kSync = 0, kArv = 1;
inline constexpr std::uint8_t kAnd = 0, kOr = 1, kPopc = 2;
inline constexpr std::uint8_t kWarp = 0, kBar = 1;

inline constexpr unsigned kRegZ = 255;  // RZ: reads 0, keeps nothing
inline constexpr unsigned kPredT = 7;   // PT: reads true, keeps nothing

// ------------------------------------------------------------------------------------------------
// Fields and forms
// ------------------------------------------------------------------------------------------------

enum class Field : std::uint8_t {
  kOptype,
  kSType,
  kPg,
  kPgNot,
  kRd,
  kRa,
  kRb,  // rb, or rc in the form RIR
  kBar,
  kCount,
  kMode,   // of BAR, B2R and R2B
  kRedOp,  // the mode of BAR.RED
  kPp,
  kPpNot,
  kPu,
  kNone,  // no field
};
inline constexpr std::size_t kNumFields = static_cast<std::size_t>(Field::kNone);

struct FieldBits {
  unsigned at;
  unsigned width;
};
inline constexpr std::array<FieldBits, kNumFields> kFieldBits = {{
    {0, 8},    // kOptype
    {8, 4},    // kSType
    {12, 3},   // kPg
    {15, 1},   // kPgNot
    {16, 8},   // kRd
    {24, 8},   // kRa
    {32, 8},   // kRb
    {40, 4},   // kBar
    {44, 12},  // kCount
    {80, 1},   // kMode
    {80, 2},   // kRedOp
    {98, 3},   // kPp
    {101, 1},  // kPpNot
    {106, 3},  // kPu
}};

// What an operation makes of one source type. Every form also has the guard.
struct Form {
  const char* name;  // the Opcode of the ISA text; BAR_RED_RR is added
  Optype optype;
  SType stype;
  Field mode;                     // kMode, kRedOp or kNone
  std::array<Field, 3> operands;  // in the order of the assembly text; kPp brings kPpNot along
};
inline constexpr auto kForms = [] {
  using O = Optype;
  using S = SType;
  using F = Field;
  return std::array<Form, 12>{{
      {"BAR_I", O::kBar, S::kI, F::kMode, {F::kBar, F::kCount, F::kNone}},
      {"BAR_RR", O::kBar, S::kR, F::kMode, {F::kRa, F::kRb, F::kNone}},
      {"BAR_RRI", O::kBar, S::kRRI, F::kMode, {F::kRb, F::kCount, F::kNone}},
      {"BAR_RIR", O::kBar, S::kRIR, F::kMode, {F::kBar, F::kRb, F::kNone}},
      {"BAR_RED_I", O::kBarRed, S::kI, F::kRedOp, {F::kBar, F::kCount, F::kPp}},
      {"BAR_RED_R", O::kBarRed, S::kR, F::kRedOp, {F::kRb, F::kPp, F::kNone}},
      {"BAR_RED_RR", O::kBarRed, S::kRR, F::kRedOp, {F::kRa, F::kRb, F::kPp}},
      {"BAR_RED_RRI", O::kBarRed, S::kRRI, F::kRedOp, {F::kRb, F::kCount, F::kPp}},
      {"BAR_RED_RIR", O::kBarRed, S::kRIR, F::kRedOp, {F::kBar, F::kRb, F::kPp}},
      {"B2R_I", O::kB2r, S::kI, F::kMode, {F::kRd, F::kBar, F::kNone}},
      {"B2R_RESULT_X", O::kB2rResult, S::kX, F::kNone, {F::kRd, F::kPu, F::kNone}},
      {"R2B_RI", O::kR2b, S::kRI, F::kMode, {F::kBar, F::kRa, F::kNone}},
  }};
}();

// The name of an operation and its mode. The first of several for the same is canonical.
struct Mnemonic {
  std::string_view text;
  Optype optype;
  std::uint8_t mode;
};
inline constexpr Mnemonic kMnemonics[] = {
    {"BAR.SYNC", Optype::kBar, kSync},
    {"BAR.ARV", Optype::kBar, kArv},
    {"BAR.RED.AND", Optype::kBarRed, kAnd},
    {"BAR.RED.OR", Optype::kBarRed, kOr},
    {"BAR.RED.POPC", Optype::kBarRed, kPopc},
    {"B2R.WARP", Optype::kB2r, kWarp},
    {"B2R.BAR", Optype::kB2r, kBar},
    {"B2R", Optype::kB2r, kBar},
    {"B2R.RESULT", Optype::kB2rResult, 0},
    {"BAR.RESULT", Optype::kB2rResult, 0},
    {"R2B.WARP", Optype::kR2b, kWarp},
    {"R2B.BAR", Optype::kR2b, kBar},
    {"R2B", Optype::kR2b, kBar},
};

// One instruction: a form, and the values of its fields (those of other fields do not matter).
class Instruction {
 public:
  explicit Instruction(const Form& form);  // rd is RZ, predicates are PT, the rest is 0

  const Form& form() const { return *form_; }
  std::uint32_t operator[](Field field) const { return values_[static_cast<std::size_t>(field)]; }
  std::uint32_t& operator[](Field field) { return values_[static_cast<std::size_t>(field)]; }
  std::uint32_t mode() const { return form_->mode == Field::kNone ? 0 : (*this)[form_->mode]; }

 private:
  const Form* form_;
  std::array<std::uint32_t, kNumFields> values_{};
};

// B2R.WARP and R2B.WARP have a barrier id that does nothing.
bool IdIsIgnored(const Instruction& instruction);

// What is wrong with an instruction, in one sentence, and in which field (kNone: in no single one).
struct Problem {
  Field field;
  std::string what;
};

// The first operand or mode that the ISA does not allow.
std::optional<Problem> Check(const Instruction& instruction);

// The word of an instruction that passes Check.
Word128 Encode(const Instruction& instruction);

// The instruction of a word, or why the word is none: no such form, a value that the ISA does not
// allow, or a bit set where the form has no field.
std::variant<Instruction, Problem> Decode(Word128 word);

}  // namespace muster::bcu

#endif  // MUSTER_SIM_BCU_INSTRUCTION_H_
