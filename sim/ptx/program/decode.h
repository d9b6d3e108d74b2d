// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// One PTX instruction, from syntax to the form that the interpreter runs.
#ifndef MUSTER_SIM_PTX_PROGRAM_DECODE_H_
#define MUSTER_SIM_PTX_PROGRAM_DECODE_H_

#include <array>
#include <initializer_list>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "sim/isa/mbarrier_operation.h"
#include "sim/isa/operation.h"
#include "sim/ptx/program/program.h"
#include "sim/ptx/program/symbols.h"
#include "sim/ptx/syntax/syntax.h"

namespace muster::ptx {

struct Video;

struct Diagnostic {
  enum class Kind : std::uint8_t {
    kError,   // it cannot be run
    kMisuse,  // it can, but a compiler would not let it pass
  };
  syntax::Position at;
  std::string message;
  Kind kind = Kind::kError;
};

// The type of that name ("u32"); kNone: not one that is supported.
Type TypeOf(std::string_view name);
// A number as the bits of a value of that type.
std::uint64_t ImmediateBits(const syntax::Operand& operand, Type type);

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
  void Misuse(const syntax::Position& at, std::string message);
  void Unsupported(std::string_view what);
  // `what` came with that version of PTX (78: 7.8), for those targets (90: sm_90).
  void Require(std::string_view what, unsigned version, unsigned target);
  // `what` is for targets from `first` to `last` that name an architecture (sm_100a) or a family
  // (sm_100f).
  void RequireVariant(std::string_view what, unsigned first, unsigned last);
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
  void CheckKind(const syntax::Operand& operand, Type there, Type wanted);
  // The text has no _ there.
  void RefuseSink(const syntax::Operand& operand);
  Slot SecondDestination(const syntax::Operand& operand, Type type);  // q of p|q
  Slot Predicate(const syntax::Operand& operand);
  std::array<Slot, 2> Halves(const syntax::Operand& operand, bool destination);
  Slot NameSource(const syntax::Operand& operand, Type type, bool may_be_wider);
  Slot AddressOf(const syntax::Operand& operand, const Symbol& symbol);
  void Address(const syntax::Operand& operand);  // sets a[0], offset, space and narrow
  const syntax::Operand& Arg(std::size_t i) const { return syntax_->operands[i]; }
  Slot LiteralOf(std::uint64_t value) { return LiteralSlot(Literal(value)); }
  void Sources(std::size_t first, std::initializer_list<Type> types);
  void Simple(Type type, std::size_t sources);
  // One of several instructions that stand for one of PTX; the last one is `out_`.
  void Emit(const Instruction& instruction) { program_->code.push_back(instruction); }

  // Families of instructions: decode_arithmetic.cpp, decode_move.cpp,
  void Arithmetic();
  void Multiply();
  void Multiply24();
  void SumOfDistances();
  void DotProduct();
  void Divide();
  void MinMax();
  void Unary();
  void CopySign();
  void Logic();
  void Shift();
  void BitCount();
  void FindNth();
  void BitField();
  void BitMask();
  void Permute();
  void Lookup();
  void FunnelShift();
  void SetPredicate();
  void Set();
  void Select();
  void SelectBySign();
  void TestProperty();
  void Move();
  void MoveWide();
  void Convert();
  void ConvertModifiers(Type to, Type from, bool pair);
  void ConvertPair(Type to, Type from);
  Instruction Rearranged(Op op, Type pair) const;
  void ConvertPack();
  // decode_memory.cpp,
  void LoadStore();
  void AtomicAccess();
  void Fence();
  void CreatePolicy();
  void CacheHint();
  void Stack();
  void ConvertAddress();
  void IsSpace();
  void MapAddress();
  // decode_control.cpp,
  void Branch();
  void BranchIndexed();
  void CallFunction();
  void Plain();
  void Sleep();
  void NoEffect();

  // decode_warp.cpp,
  void ActiveMask();
  void Vote();
  void Match();
  void Shuffle();
  void Reduce();
  void Elect();
  void Barrier();
  void ClusterBarrier();
  void MatrixOrder();
  // decode_async.cpp.
  void CopyAsync();
  void CopyGroup(bool bulk, int op);
  void SmallCopy();
  void BulkPrefetch();
  void BulkCopy(bool reduces);
  void BulkReduction(bool out);
  void StoreAsync();
  Slot AddressValue(const syntax::Operand& operand, Space space);
  // decode_video.cpp.
  void VideoInstruction();
  // decode_launch.cpp.
  void LaunchControl();
  void TryCancel();
  void QueryCancel();
  // decode_mbarrier.cpp.
  void Mbarrier();
  void MbInit(MbOp op);
  void MbTransactions(MbOp op);
  void MbArrive(bool drop);
  void MbWait(bool tries);
  void MbPendingCount();
  void MbCopyArrive();

  void StoreToGlobal();
  void VideoSecondary(Video* video);
  void VideoProduct(Video* video);
  std::uint8_t VideoPart(const syntax::Operand& operand, std::string_view selector);
  std::uint8_t VideoMask(const syntax::Operand& operand, std::string_view selector);
  std::uint16_t VideoDigits(const syntax::Operand& operand, std::string_view selector,
                            unsigned first);

  struct Needs {  // 78, 90: PTX 7.8 and sm_90
    unsigned version;
    unsigned target;
  };
  void RequireHalf(Type type, Needs f16, Needs bf16);
  void TakeRounding();
  void FloatModifiers(Type type);
  void ExtremeModifiers(Type type);
  void RealProduct(Type type);
  bool MixesHalves(std::size_t sources);
  Slot Widened(Slot half, Type type);
  void Sign();
  bool TakeCarry(bool takes_in);
  void WrapOrClamp();
  bool TakeCompare(Type type);
  bool TakeCombine();
  bool Comparison(Type type);
  bool TakeMemoryMapped();
  bool TakeOrder();
  bool TakeOrdering();
  std::uint8_t TakeVector();
  std::vector<Slot> Registers(const syntax::Operand& operand, Type type, bool destination,
                              Type* actual = nullptr);
  Slot SumOf(Slot base, std::int64_t offset);
  Space TakeSpace();
  void CopyFence();
  Slot Policy(const syntax::Operand& operand);
  void ProxyFence();
  void RestrictedFence();
  Type AtomicType(Atomic operation);
  std::vector<Place> Places(const syntax::Operand& list, const std::vector<Parameter>& parameters,
                            bool results);
  bool CallRuntime(std::string_view name, const syntax::Operand& arguments,
                   const syntax::Operand& results);
  bool TakeMbOrder(std::string_view order);
  bool TakeMbSpace(bool may_be_remote);
  bool MbOperands(MbOp op, std::size_t least, std::size_t most);
  void MbAddress(const syntax::Operand& operand);
  void CheckMbNumber(const syntax::Operand& operand, std::uint32_t least, std::string_view what);
  bool TakeSync();
  void Members(std::size_t operand);
  void Nothing();
  void BarrierWarp();
  void CheckBarrier(const syntax::Operand& id, const syntax::Operand* count, OpKind kind);

  const syntax::Module& module_;
  const SymbolTable& symbols_;
  Program* program_;
  std::vector<Diagnostic>* diagnostics_;
  unsigned version_ = 0;  // 78 for 7.8
  unsigned target_ = 0;   // 80 for sm_80
  char variant_ = 0;      // 'a' of sm_100a, 'f' of sm_100f
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

#endif  // MUSTER_SIM_PTX_PROGRAM_DECODE_H_
