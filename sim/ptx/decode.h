// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// One PTX instruction, from syntax to the form that the interpreter runs.
#ifndef MUSTER_SIM_PTX_DECODE_H_
#define MUSTER_SIM_PTX_DECODE_H_

#include <initializer_list>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "sim/ptx/program.h"
#include "sim/ptx/symbols.h"
#include "sim/ptx/syntax.h"

namespace muster::ptx {

struct Diagnostic {
  syntax::Position at;
  std::string message;
};

// The type of that name ("u32"); kNone: not one that is supported.
Type TypeOf(std::string_view name);

class Decoder {
 public:
  // Appends to program->code and to the function's registers.
  Decoder(const syntax::Module& module, const SymbolTable& symbols, Program* program,
          std::vector<Diagnostic>* diagnostics);

  // The function whose instructions follow.
  void Enter(Function* function) { function_ = function; }
  void Decode(const syntax::Statement& statement);

  // Branches carry the label's index until the end of the function.
  std::uint32_t Literal(std::uint64_t value);

 private:
  using Family = void (Decoder::*)();
  struct FamilyEntry {
    Family decode;
    Op op;
  };
  static const std::unordered_map<std::string_view, FamilyEntry>& Families();

  // The instruction at hand: what is wrong with it, and what is left of its modifiers.
  void Fail(const syntax::Position& at, std::string message);
  void Unsupported(std::string_view what);
  std::string Spelling() const;
  bool Take(std::string_view modifier);
  bool TakeAny(std::initializer_list<std::string_view> modifiers);
  int TakeOne(std::initializer_list<std::string_view> modifiers);  // its index, -1: none
  Type TakeType(std::initializer_list<Type> allowed);
  bool Count(std::size_t least, std::size_t most);
  bool Finish();  // no modifier is left

  // Operands.
  Slot Scratch() { return static_cast<Slot>(function_->slots++); }
  Slot Destination(const syntax::Operand& operand, Type type, bool may_be_wider = false,
                   Type* actual = nullptr);
  Slot Source(const syntax::Operand& operand, Type type, bool may_be_wider = false);
  Slot Predicate(const syntax::Operand& operand);
  Slot NameSource(const syntax::Operand& operand, Type type, bool may_be_wider);
  Slot AddressOf(const syntax::Operand& operand, const Symbol& symbol);
  void Address(const syntax::Operand& operand);  // sets a[0], offset, space and narrow
  const syntax::Operand& Arg(std::size_t i) const { return syntax_->operands[i]; }
  Slot LiteralOf(std::uint64_t value) { return LiteralSlot(Literal(value)); }
  void Sources(std::size_t first, std::initializer_list<Type> types);

  // Families of instructions.
  void Arithmetic();
  void Multiply();
  void Divide();
  void MinMax();
  void Unary();
  void Logic();
  void Shift();
  void BitCount();
  void BitField();
  void Permute();
  void FunnelShift();
  void SetPredicate();
  void Set();
  void Select();
  void Move();
  void Convert();
  void ConvertAddress();
  void IsSpace();
  void LoadStore();
  void AtomicAccess();
  void Fence();
  void Branch();
  void CallFunction();
  void Plain();
  void ActiveMask();
  void Vote();
  void Shuffle();
  void Barrier();

  void FloatModifiers(Type type);
  bool TakeCompare(Type type);
  bool TakeCombine();
  void TakeOrdering();
  Space TakeSpace();
  std::vector<Transfer> Transfers(const syntax::Operand& list,
                                  const std::vector<Parameter>& parameters, bool results);
  void CallAssert(const syntax::Operand& list);
  void BarrierWarp();

  const syntax::Module& module_;
  const SymbolTable& symbols_;
  Program* program_;
  std::vector<Diagnostic>* diagnostics_;
  unsigned target_ = 0;  // 80 for sm_80
  Function* function_ = nullptr;
  std::unordered_map<std::uint64_t, std::uint32_t> literals_;

  const syntax::Instruction* syntax_ = nullptr;
  syntax::Position at_;
  Op op_ = Op::kNop;
  Instruction out_;
  std::vector<std::string_view> left_;  // modifiers not taken yet
  bool failed_ = false;
};

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_DECODE_H_
