// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// A statement that is being decoded: the modifiers that have not been taken yet, the operands and
// what their names stand for, and what is wrong with them. It knows no instruction: those are in
// decode_*.h.
#ifndef MUSTER_SIM_PTX_PROGRAM_CURSOR_H_
#define MUSTER_SIM_PTX_PROGRAM_CURSOR_H_

#include <array>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/ptx/program/code.h"
#include "sim/ptx/program/diagnostic.h"
#include "sim/ptx/program/symbols.h"
#include "sim/ptx/syntax/syntax.h"

namespace muster::ptx {

// Types that several families of instructions take.
inline constexpr std::initializer_list<Type> kWords = {Type::kU32, Type::kS32};
inline constexpr std::initializer_list<Type> kWideIntegers = {Type::kU32, Type::kS32, Type::kU64,
                                                              Type::kS64};
inline constexpr std::initializer_list<Type> kFloats = {Type::kF32, Type::kF64};

// What the file's .version and .target say.
struct Target {
  unsigned version = 0;       // 78 for 7.8
  unsigned architecture = 0;  // 80 for sm_80
  char variant = 0;           // 'a' of sm_100a, 'f' of sm_100f; else 0
};
Target TargetOf(const syntax::Module& module);

class Cursor {
 public:
  // Problems are added to *diagnostics; an operand that takes an instruction of its own puts it
  // into *code.
  Cursor(const syntax::Statement& statement, const SymbolTable& symbols, const Target& target,
         Code* code, std::vector<Diagnostic>* diagnostics)
      : syntax_(statement.instruction),
        at_(statement.at),
        symbols_(symbols),
        target_(target),
        code_(*code),
        diagnostics_(*diagnostics),
        left_(statement.instruction.modifiers) {}

  const syntax::Position& at() const { return at_; }
  const Target& target() const { return target_; }
  Code& code() { return code_; }
  bool Find(std::string_view name, Symbol* symbol) const { return symbols_.Find(name, symbol); }

  // Problems, at the statement or at one of its operands. Of errors only the first is reported.
  void Fail(const syntax::Position& at, std::string message);
  void Fail(std::string message) { Fail(at_, std::move(message)); }
  void Misuse(const syntax::Position& at, std::string message);
  void Misuse(std::string message) { Misuse(at_, std::move(message)); }
  void Unsupported(std::string_view what);
  bool failed() const { return failed_; }
  // `what` came with that version of PTX (78: 7.8), for those targets (90: sm_90).
  void Require(std::string_view what, unsigned version, unsigned architecture);
  // The same of an instruction on f16 or bf16, or on pairs of them; nothing of other types.
  struct Needs {
    unsigned version;
    unsigned architecture;
  };
  void RequireOfHalf(Type type, Needs f16, Needs bf16);
  // `what` is for targets from `first` to `last` that name an architecture (sm_100a) or a family
  // (sm_100f).
  void RequireVariant(std::string_view what, unsigned first, unsigned last);

  // The predicate that guards the statement, if any.
  std::optional<syntax::Operand> guard() const;

  // The opcode and its modifiers. Whoever takes a modifier has understood it.
  std::string_view opcode() const { return syntax_.opcode; }
  std::string Spelling() const;  // with all its modifiers
  const std::vector<std::string_view>& modifiers() const { return syntax_.modifiers; }
  std::vector<std::string_view>& left() { return left_; }  // those not taken yet
  bool Has(std::string_view modifier) const;
  bool Take(std::string_view modifier);
  bool TakeAny(std::initializer_list<std::string_view> modifiers);
  int TakeOne(std::initializer_list<std::string_view> modifiers);  // its index, -1: none
  Type TakeType(std::initializer_list<Type> allowed);
  bool ExpectEnd();  // no modifier is left, and nothing is wrong so far

  // Operands. There are so many of them, and no modifier is left.
  bool ExpectOperands(std::size_t least, std::size_t most);
  bool ExpectOperands(std::size_t count) { return ExpectOperands(count, count); }
  const std::vector<syntax::Operand>& operands() const { return syntax_.operands; }
  const syntax::Operand& operand(std::size_t i) const { return syntax_.operands[i]; }

  // The register that an operand names; *actual: its type, which may be wider if that is allowed.
  Slot Destination(const syntax::Operand& operand, Type type, bool may_be_wider = false,
                   Type* actual = nullptr);
  Slot SecondDestination(const syntax::Operand& operand, Type type);  // q of p|q
  // The text has no _ there.
  void RefuseSink(const syntax::Operand& operand);
  // A register, or the literal that an operand stands for.
  Slot Source(const syntax::Operand& operand, Type type, bool may_be_wider = false);
  Slot Predicate(const syntax::Operand& operand) { return Source(operand, Type::kPred); }
  // A pair of registers, or its two halves in braces.
  std::array<Slot, 2> Halves(const syntax::Operand& operand, bool destination);
  // The registers of a vector of `count`, or the one of a scalar. Of 128 bits each is two.
  std::vector<Slot> Registers(const syntax::Operand& operand, Type type, unsigned count,
                              bool destination, Type* actual = nullptr);
  // What cvta.param adds in this function.
  std::uint64_t ParameterWindow();
  // The place in brackets, of an access to `space`.
  Address AddressIn(const syntax::Operand& operand, Space space);
  // Its address as a value.
  Slot AddressValue(const syntax::Operand& operand, Space space);

  // Sources from operand `first` on, of the types given.
  template <std::size_t kCount>
  void Sources(std::size_t first, std::initializer_list<Type> types,
               std::array<Slot, kCount>* sources) {
    std::size_t i = 0;
    for (const Type type : types) {
      (*sources)[i] = Source(operand(first + i), type);
      ++i;
    }
  }

  // One destination and so many sources, all of that type.
  template <std::size_t kCount>
  bool UniformOperands(Type type, std::size_t sources, Slot* d, std::array<Slot, kCount>* a) {
    if (!ExpectOperands(1 + sources)) {
      return false;
    }
    *d = Destination(operand(0), type);
    for (std::size_t i = 0; i < sources; ++i) {
      (*a)[i] = Source(operand(1 + i), type);
    }
    return true;
  }

  // What the statement becomes takes instructions before its last: those that the cursor emits are
  // for all lanes.
  Slot Scratch() { return code_.Scratch(); }
  Slot Literal(std::uint64_t value) { return code_.Literal(value); }
  void Emit(const Instruction& instruction) { code_.Emit(instruction); }

 private:
  void CheckKind(const syntax::Operand& operand, Type there, Type wanted);
  Slot NameSource(const syntax::Operand& operand, Type type, bool may_be_wider);
  Slot AddressOf(const syntax::Operand& operand, const Symbol& symbol);
  Slot SumOf(Slot base, std::int64_t offset);

  const syntax::Instruction& syntax_;
  syntax::Position at_;
  const SymbolTable& symbols_;
  const Target& target_;
  Code& code_;
  std::vector<Diagnostic>& diagnostics_;
  std::vector<std::string_view> left_;  // modifiers not taken yet
  bool failed_ = false;
};

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_PROGRAM_CURSOR_H_
