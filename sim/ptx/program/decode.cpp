// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/program/decode.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "sim/ptx/program/address.h"
#include "sim/ptx/program/directives.h"

namespace muster::ptx {
namespace {

using syntax::Operand;
using Kind = syntax::Operand::Kind;

const std::unordered_map<std::string_view, Type>& Types() {
  static const std::unordered_map<std::string_view, Type> types = {
      {"pred", Type::kPred},     {"b8", Type::kB8},         {"b16", Type::kB16},
      {"b32", Type::kB32},       {"b64", Type::kB64},       {"u8", Type::kU8},
      {"u16", Type::kU16},       {"u32", Type::kU32},       {"u64", Type::kU64},
      {"s8", Type::kS8},         {"s16", Type::kS16},       {"s32", Type::kS32},
      {"s64", Type::kS64},       {"f32", Type::kF32},       {"f64", Type::kF64},
      {"b128", Type::kB128},     {"f16", Type::kF16},       {"bf16", Type::kBF16},
      {"f16x2", Type::kF16x2},   {"bf16x2", Type::kBF16x2}, {"tf32", Type::kTF32},
      {"u16x2", Type::kU16x2},   {"s16x2", Type::kS16x2},   {"f32x2", Type::kF32x2},
      {"e4m3x2", Type::kE4M3x2}, {"e5m2x2", Type::kE5M2x2}};
  return types;
}

struct SpecialEntry {
  Special special;
  Type type;
};
const std::unordered_map<std::string_view, SpecialEntry>& Specials() {
  static const std::unordered_map<std::string_view, SpecialEntry> specials = {
      {"%tid.x", {Special::kTidX, Type::kU32}},
      {"%tid.y", {Special::kTidY, Type::kU32}},
      {"%tid.z", {Special::kTidZ, Type::kU32}},
      {"%ntid.x", {Special::kNtidX, Type::kU32}},
      {"%ntid.y", {Special::kNtidY, Type::kU32}},
      {"%ntid.z", {Special::kNtidZ, Type::kU32}},
      {"%ctaid.x", {Special::kCtaidX, Type::kU32}},
      {"%ctaid.y", {Special::kCtaidY, Type::kU32}},
      {"%ctaid.z", {Special::kCtaidZ, Type::kU32}},
      {"%nctaid.x", {Special::kNctaidX, Type::kU32}},
      {"%nctaid.y", {Special::kNctaidY, Type::kU32}},
      {"%nctaid.z", {Special::kNctaidZ, Type::kU32}},
      {"%laneid", {Special::kLaneId, Type::kU32}},
      {"%warpid", {Special::kWarpId, Type::kU32}},
      {"%nwarpid", {Special::kNumWarps, Type::kU32}},
      {"%lanemask_eq", {Special::kLaneMaskEq, Type::kU32}},
      {"%lanemask_le", {Special::kLaneMaskLe, Type::kU32}},
      {"%lanemask_lt", {Special::kLaneMaskLt, Type::kU32}},
      {"%lanemask_ge", {Special::kLaneMaskGe, Type::kU32}},
      {"%lanemask_gt", {Special::kLaneMaskGt, Type::kU32}},
      {"%clock", {Special::kClock, Type::kU32}},
      {"%clock_hi", {Special::kClockHi, Type::kU32}},
      {"%clock64", {Special::kClock64, Type::kU64}},
      {"%globaltimer", {Special::kGlobalTimer, Type::kU64}},
      {"%globaltimer_lo", {Special::kGlobalTimerLo, Type::kU32}},
      {"%globaltimer_hi", {Special::kGlobalTimerHi, Type::kU32}},
      {"%smid", {Special::kSmId, Type::kU32}},
      {"%nsmid", {Special::kNumSm, Type::kU32}},
      {"%gridid", {Special::kGridId, Type::kU64}},
      {"%dynamic_smem_size", {Special::kDynamicShared, Type::kU32}},
      {"%aggr_smem_size", {Special::kAggregateShared, Type::kU32}},
      {"%total_smem_size", {Special::kTotalShared, Type::kU32}},
      {"%clusterid.x", {Special::kClusterIdX, Type::kU32}},
      {"%clusterid.y", {Special::kClusterIdY, Type::kU32}},
      {"%clusterid.z", {Special::kClusterIdZ, Type::kU32}},
      {"%nclusterid.x", {Special::kNumClustersX, Type::kU32}},
      {"%nclusterid.y", {Special::kNumClustersY, Type::kU32}},
      {"%nclusterid.z", {Special::kNumClustersZ, Type::kU32}},
      {"%cluster_ctaid.x", {Special::kClusterCtaidX, Type::kU32}},
      {"%cluster_ctaid.y", {Special::kClusterCtaidY, Type::kU32}},
      {"%cluster_ctaid.z", {Special::kClusterCtaidZ, Type::kU32}},
      {"%cluster_nctaid.x", {Special::kClusterNctaidX, Type::kU32}},
      {"%cluster_nctaid.y", {Special::kClusterNctaidY, Type::kU32}},
      {"%cluster_nctaid.z", {Special::kClusterNctaidZ, Type::kU32}},
      {"%cluster_ctarank", {Special::kClusterRank, Type::kU32}},
      {"%cluster_nctarank", {Special::kClusterCtas, Type::kU32}},
      {"%is_explicit_cluster", {Special::kExplicitCluster, Type::kPred}},
      {"%reserved_smem_offset_begin", {Special::kReservedBegin, Type::kU32}},
      {"%reserved_smem_offset_end", {Special::kReservedEnd, Type::kU32}},
      {"%reserved_smem_offset_cap", {Special::kReservedCap, Type::kU32}},
      {"%reserved_smem_offset_0", {Special::kReserved0, Type::kU32}},
      {"%reserved_smem_offset_1", {Special::kReserved1, Type::kU32}},
      {"%envreg1", {Special::kWorkspaceHigh, Type::kU32}},
      {"%envreg2", {Special::kWorkspaceLow, Type::kU32}},
      {"%current_graph_exec", {Special::kZero, Type::kU64}}};
  return specials;
}

// %envreg0 to 31, and %pm0 to 7, %pm0_64 to 7_64: there is no driver that sets them, save those
// that hold the address of a cooperative grid's workspace, and nothing is monitored.
const SpecialEntry* NumberedSpecial(std::string_view name) {
  static constexpr SpecialEntry kNothing = {Special::kZero, Type::kU32};
  static constexpr SpecialEntry kWideNothing = {Special::kZero, Type::kU64};
  const bool environment = name.substr(0, 7) == "%envreg";
  if (!environment && name.substr(0, 3) != "%pm") {
    return nullptr;
  }
  std::string_view number = name.substr(environment ? 7 : 3);
  const bool wide = !environment && number.size() == 4 && number.substr(1) == "_64";
  number = number.substr(0, wide ? 1 : number.size());
  const bool digits = number.find_first_not_of("0123456789") == std::string_view::npos;
  if (number.empty() || number.size() > 2 || !digits) {
    return nullptr;
  }
  return NumberIn(number) < (environment ? 32 : 8) ? (wide ? &kWideNothing : &kNothing) : nullptr;
}

const SpecialEntry* FindSpecial(std::string_view name) {
  const auto found = Specials().find(name);
  return found == Specials().end() ? NumberedSpecial(name) : &found->second;
}

}  // namespace

const char* Name(Space space) {
  constexpr const char* kNames[] = {"generic", "global", "const",          "param",
                                    "shared",  "local",  "shared::cluster"};
  return kNames[static_cast<unsigned>(space)];
}

Type TypeOf(std::string_view name) {
  const auto found = Types().find(name);
  return found == Types().end() ? Type::kNone : found->second;
}

std::uint64_t ImmediateBits(const Operand& operand, Type type) {
  if (operand.kind == Kind::kFloat && type == Type::kF32 && operand.width == 64) {
    double wide = 0;
    std::memcpy(&wide, &operand.value, sizeof wide);
    const auto value = static_cast<float>(wide);
    std::uint32_t bits = 0;
    std::memcpy(&bits, &value, sizeof bits);
    return bits;
  }
  if (operand.kind == Kind::kFloat && type == Type::kF64 && operand.width == 32) {
    float narrow = 0;
    const auto bits = static_cast<std::uint32_t>(operand.value);
    std::memcpy(&narrow, &bits, sizeof narrow);
    const double value = narrow;
    std::uint64_t wide = 0;
    std::memcpy(&wide, &value, sizeof wide);
    return wide;
  }
  if (type == Type::kPred) {
    return operand.value != 0 ? 1 : 0;
  }
  const unsigned bits = 8 * Bytes(type);
  return bits >= 64 ? operand.value : operand.value & ((std::uint64_t{1} << bits) - 1);
}

Decoder::Decoder(const syntax::Module& module, const SymbolTable& symbols, Program* program,
                 std::vector<Diagnostic>* diagnostics)
    : module_(module),
      symbols_(symbols),
      program_(program),
      diagnostics_(diagnostics),
      version_(NumberIn(module.version)),
      target_(NumberIn(module.target)),
      variant_(module.target.empty() ? '\0' : module.target.back()) {}

std::uint32_t Decoder::Literal(std::uint64_t value) {
  const auto [found, fresh] =
      literals_.emplace(value, static_cast<std::uint32_t>(program_->literals.size()));
  if (fresh) {
    program_->literals.push_back(value);
  }
  return found->second;
}

void Decoder::Decode(const syntax::Statement& statement) {
  syntax_ = &statement.instruction;
  at_ = statement.at;
  left_ = syntax_->modifiers;
  failed_ = false;
  out_ = {};
  out_.line = at_.line;
  if (!syntax_->guard.empty()) {
    Operand guard;
    guard.name = syntax_->guard;
    guard.at = at_;
    out_.guard = Predicate(guard);
    out_.guard_negated = syntax_->guard_negated;
  }
  const auto family = Families().find(syntax_->opcode);
  if (family == Families().end()) {
    Fail(at_, fmt::format("the instruction {} is not supported", Spelling()));
  } else {
    op_ = out_.op = family->second.op;
    (this->*family->second.decode)();
  }
  if (failed_) {
    out_ = {};
  }
  program_->code.push_back(out_);
}

// ------------------------------------------------------------------------------------------------
// Modifiers
// ------------------------------------------------------------------------------------------------

// Reports the first problem of an instruction, and no other.
void Decoder::Fail(const syntax::Position& at, std::string message) {
  if (!failed_) {
    diagnostics_->push_back({at, std::move(message), Diagnostic::Kind::kError});
  }
  failed_ = true;
}

void Decoder::Misuse(const syntax::Position& at, std::string message) {
  diagnostics_->push_back({at, std::move(message), Diagnostic::Kind::kMisuse});
}

void Decoder::Require(std::string_view what, unsigned version, unsigned target) {
  if (version_ < version) {
    Misuse(at_, fmt::format("{} needs .version {}.{}", what, version / 10, version % 10));
  } else if (target_ < target) {
    Misuse(at_, fmt::format("{} needs .target sm_{}", what, target));
  }
}

void Decoder::RequireVariant(std::string_view what, unsigned first, unsigned last) {
  const bool family = variant_ == 'f';
  if ((variant_ != 'a' && !family) || target_ < first || target_ > last) {
    Misuse(at_, fmt::format("{} needs .target sm_{}a or sm_{}f", what, first, first));
  } else if (family && version_ < 88) {
    Misuse(at_, fmt::format("{} of .target sm_{}f needs .version 8.8", what, target_));
  }
}

void Decoder::Unsupported(std::string_view what) {
  Fail(at_, fmt::format("{} of {} is not supported", what, Spelling()));
}

std::string Decoder::Spelling() const {
  std::string text(syntax_->opcode);
  for (const std::string_view modifier : syntax_->modifiers) {
    text.append(".").append(modifier);
  }
  return text;
}

bool Decoder::Take(std::string_view modifier) { return TakeOne({modifier}) >= 0; }

bool Decoder::TakeAny(std::initializer_list<std::string_view> modifiers) {
  return TakeOne(modifiers) >= 0;
}

int Decoder::TakeOne(std::initializer_list<std::string_view> modifiers) {
  int index = 0;
  for (const std::string_view modifier : modifiers) {
    const auto found = std::find(left_.begin(), left_.end(), modifier);
    if (found != left_.end()) {
      left_.erase(found);
      return index;
    }
    ++index;
  }
  return -1;
}

Type Decoder::TakeType(std::initializer_list<Type> allowed) {
  for (auto modifier = left_.begin(); modifier != left_.end(); ++modifier) {
    const Type type = TypeOf(*modifier);
    if (type == Type::kNone) {
      continue;
    }
    if (std::find(allowed.begin(), allowed.end(), type) == allowed.end()) {
      Unsupported(fmt::format("the type .{}", *modifier));
      return *allowed.begin();
    }
    left_.erase(modifier);
    return type;
  }
  if (left_.empty()) {
    Fail(at_, fmt::format("{} lacks a type", Spelling()));
  } else {
    Unsupported(fmt::format("the modifier .{}", left_.back()));
  }
  return *allowed.begin();
}

bool Decoder::Count(std::size_t least, std::size_t most) {
  const std::size_t count = syntax_->operands.size();
  // A modifier that is not known may well bring an operand: then that is what is not supported.
  if ((count < least || count > most) && left_.empty()) {
    Fail(at_, least == most ? fmt::format("{} takes {} operand{}, not {}", Spelling(), least,
                                          least == 1 ? "" : "s", count)
                            : fmt::format("{} takes {} to {} operands, not {}", Spelling(), least,
                                          most, count));
  }
  return Finish();
}

bool Decoder::Finish() {
  if (!left_.empty()) {
    Unsupported(fmt::format("the modifier .{}", left_.front()));
  }
  return !failed_;
}

// ------------------------------------------------------------------------------------------------
// Operands
// ------------------------------------------------------------------------------------------------

Slot Decoder::Destination(const Operand& operand, Type type, bool may_be_wider, Type* actual) {
  if (actual != nullptr) {
    *actual = type;
  }
  if (operand.kind != Kind::kName || operand.negated || operand.has_offset) {
    Fail(operand.at, fmt::format("the destination of {} is not a register", Spelling()));
    return kNoSlot;
  }
  if (operand.name == "_") {
    return Scratch();
  }
  Symbol symbol;
  if (!symbols_.Find(operand.name, &symbol)) {
    Fail(operand.at, fmt::format("{} is not declared", operand.name));
    return kNoSlot;
  }
  if (symbol.kind != Symbol::Kind::kRegister || symbol.vector > 1) {
    Fail(operand.at, fmt::format("the destination of {} is not a register", Spelling()));
    return kNoSlot;
  }
  const bool fits =
      (symbol.type == Type::kPred) == (type == Type::kPred) &&
      (Bytes(symbol.type) == Bytes(type) ||
       (may_be_wider && Bytes(symbol.type) > Bytes(type) && symbol.type != Type::kB128));
  if (!fits) {
    Fail(operand.at, fmt::format("the register {} does not fit the destination of {}", operand.name,
                                 Spelling()));
  }
  CheckKind(operand, symbol.type, type);
  if (actual != nullptr) {
    *actual = symbol.type;
  }
  return symbol.slot;
}

// Integers and floating-point numbers do not stand for each other; bits stand for both.
void Decoder::CheckKind(const Operand& operand, Type there, Type wanted) {
  const auto is_real = [](Type type) {
    return IsFloat(ElementOf(type)) || IsSmallFloat(ElementOf(type));
  };
  if (!IsBits(there) && !IsBits(wanted) && is_real(there) != is_real(wanted)) {
    Misuse(operand.at,
           fmt::format("the register {} is not of the type of {}", operand.name, Spelling()));
  }
}

void Decoder::RefuseSink(const Operand& operand) {
  if (operand.kind == Kind::kName && operand.name == "_") {
    Misuse(operand.at, fmt::format("{} needs a register for its result", Spelling()));
  }
}

Slot Decoder::SecondDestination(const Operand& operand, Type type) {
  if (operand.second.empty()) {
    return Scratch();
  }
  Operand second;
  second.name = operand.second;
  second.at = operand.at;
  return Destination(second, type);
}

Slot Decoder::Source(const Operand& operand, Type type, bool may_be_wider) {
  switch (operand.kind) {
    case Kind::kFloat:
      if (!IsFloat(type) && !IsBits(type)) {
        Fail(operand.at, fmt::format("a floating-point operand does not fit {}", Spelling()));
      }
      return LiteralOf(ImmediateBits(operand, type));
    case Kind::kInteger:
      if (IsFloat(type)) {
        Fail(operand.at, fmt::format("an integer operand does not fit {}", Spelling()));
      }
      return LiteralOf(ImmediateBits(operand, type));
    case Kind::kName:
      return NameSource(operand, type, may_be_wider);
    default:
      Fail(operand.at, fmt::format("this kind of operand does not fit {}", Spelling()));
      return kNoSlot;
  }
}

Slot Decoder::NameSource(const Operand& operand, Type type, bool may_be_wider) {
  if (const SpecialEntry* const special = FindSpecial(operand.name); special != nullptr) {
    Instruction read;
    read.op = Op::kSpecial;
    read.type = special->type;
    read.mode = static_cast<std::uint8_t>(special->special);
    read.line = at_.line;
    read.d[0] = Scratch();
    Emit(read);
    return read.d[0];
  }
  Symbol symbol;
  if (!symbols_.Find(operand.name, &symbol)) {
    const bool is_special =
        operand.name.front() == '%' && operand.name.find('.') != std::string_view::npos;
    Fail(operand.at, fmt::format("{} is not {}", operand.name,
                                 is_special ? "a special register that is supported" : "declared"));
    return kNoSlot;
  }
  if (symbol.kind == Symbol::Kind::kVariable) {
    return AddressOf(operand, symbol);
  }
  if (symbol.kind == Symbol::Kind::kFunction && Bytes(type) == 8) {
    return LiteralOf(FunctionAddress(symbol.address));
  }
  if (symbol.kind != Symbol::Kind::kRegister || symbol.vector > 1 || operand.has_offset) {
    Fail(operand.at, fmt::format("{} does not fit {}", operand.name, Spelling()));
    return kNoSlot;
  }
  const bool fits =
      (symbol.type == Type::kPred) == (type == Type::kPred) &&
      (Bytes(symbol.type) == Bytes(type) ||
       (may_be_wider && Bytes(symbol.type) > Bytes(type) && symbol.type != Type::kB128));
  if (!fits) {
    Fail(operand.at, fmt::format("the register {} does not fit {}", operand.name, Spelling()));
  }
  CheckKind(operand, symbol.type, type);
  if (operand.negated && type != Type::kPred) {
    Fail(operand.at, fmt::format("\"!\" does not fit {}", Spelling()));
  }
  return symbol.slot;
}

// The address of a variable as a value.
Slot Decoder::AddressOf(const Operand& operand, const Symbol& symbol) {
  std::uint64_t address = symbol.address + operand.value;
  if (symbol.in_frame && symbol.is_parameter) {
    address += WindowOf(Space::kLocal);
  }
  if (!symbol.in_frame) {
    return LiteralOf(address);
  }
  return SumOf(kStackSlot, static_cast<std::int64_t>(address));
}

Slot Decoder::SumOf(Slot base, std::int64_t offset) {
  if (offset == 0) {
    return base;
  }
  Instruction add;
  add.op = Op::kAdd;
  add.type = Type::kU64;
  add.line = at_.line;
  add.d[0] = Scratch();
  add.a[0] = base;
  add.a[1] = LiteralOf(static_cast<std::uint64_t>(offset));
  Emit(add);
  return add.d[0];
}

Slot Decoder::Predicate(const Operand& operand) { return Source(operand, Type::kPred); }

// Sources from operand `first` on, of the types given, into a[0], a[1], ...
void Decoder::Sources(std::size_t first, std::initializer_list<Type> types) {
  std::size_t i = 0;
  for (const Type type : types) {
    out_.a[i] = Source(Arg(first + i), type);
    ++i;
  }
}

void Decoder::Address(const Operand& operand) {
  if (operand.kind != Kind::kAddress || operand.parts.size() != 1) {
    Fail(operand.at, fmt::format("{} takes an address in brackets", Spelling()));
    return;
  }
  const Operand& base = operand.parts.front();
  if (base.kind == Kind::kInteger) {
    out_.a[0] = LiteralOf(base.value);
    return;
  }
  if (base.kind != Kind::kName || base.negated) {
    Fail(base.at, fmt::format("this address does not fit {}", Spelling()));
    return;
  }
  Symbol symbol;
  if (!symbols_.Find(base.name, &symbol)) {
    Fail(base.at, fmt::format("{} is not declared", base.name));
    return;
  }
  out_.offset = static_cast<std::int64_t>(base.value);
  if (symbol.kind == Symbol::Kind::kRegister) {
    if (Bytes(symbol.type) < 4) {
      Fail(base.at, fmt::format("the register {} is too narrow for an address", base.name));
    }
    out_.a[0] = symbol.slot;
    out_.narrow = Bytes(symbol.type) == 4;
    // A parameter's address in a register is a generic one.
    if (out_.space == Space::kParam) {
      out_.space = Space::kGeneric;
    }
    return;
  }
  if (symbol.kind != Symbol::Kind::kVariable) {
    Fail(base.at, fmt::format("{} is not a variable", base.name));
    return;
  }
  const Space declared = symbol.is_parameter ? Space::kParam : symbol.space;
  const bool in_cluster = out_.space == Space::kCluster && declared == Space::kShared;
  if (out_.space != Space::kGeneric && out_.space != declared && !in_cluster) {
    Fail(base.at, fmt::format("{} accesses the {} space, where {} does not lie", Spelling(),
                              Name(out_.space), base.name));
  }
  out_.space = symbol.space;
  out_.a[0] = symbol.in_frame ? kStackSlot : LiteralOf(0);
  out_.offset += static_cast<std::int64_t>(symbol.address);
}

// ------------------------------------------------------------------------------------------------
// The table
// ------------------------------------------------------------------------------------------------

const std::unordered_map<std::string_view, Decoder::FamilyEntry>& Decoder::Families() {
  using D = Decoder;
  static const std::unordered_map<std::string_view, FamilyEntry> families = {
      {"add", {&D::Arithmetic, Op::kAdd}},
      {"addc", {&D::Arithmetic, Op::kAdd}},
      {"sub", {&D::Arithmetic, Op::kSub}},
      {"subc", {&D::Arithmetic, Op::kSub}},
      {"mul", {&D::Multiply, Op::kMul}},
      {"mad", {&D::Multiply, Op::kMad}},
      {"madc", {&D::Multiply, Op::kMad}},
      {"fma", {&D::Multiply, Op::kFma}},
      {"mul24", {&D::Multiply24, Op::kMul24}},
      {"mad24", {&D::Multiply24, Op::kMad24}},
      {"sad", {&D::SumOfDistances, Op::kSad}},
      {"dp4a", {&D::DotProduct, Op::kDot4}},
      {"dp2a", {&D::DotProduct, Op::kDot2}},
      {"div", {&D::Divide, Op::kDiv}},
      {"rem", {&D::Divide, Op::kRem}},
      {"min", {&D::MinMax, Op::kMin}},
      {"max", {&D::MinMax, Op::kMax}},
      {"abs", {&D::Unary, Op::kAbs}},
      {"neg", {&D::Unary, Op::kNeg}},
      {"sqrt", {&D::Unary, Op::kSqrt}},
      {"rcp", {&D::Unary, Op::kRcp}},
      {"rsqrt", {&D::Unary, Op::kRsqrt}},
      {"sin", {&D::Unary, Op::kSin}},
      {"cos", {&D::Unary, Op::kCos}},
      {"lg2", {&D::Unary, Op::kLg2}},
      {"ex2", {&D::Unary, Op::kEx2}},
      {"tanh", {&D::Unary, Op::kTanh}},
      {"copysign", {&D::CopySign, Op::kCopySign}},
      {"testp", {&D::TestProperty, Op::kTestp}},
      {"and", {&D::Logic, Op::kAnd}},
      {"or", {&D::Logic, Op::kOr}},
      {"xor", {&D::Logic, Op::kXor}},
      {"not", {&D::Logic, Op::kNot}},
      {"cnot", {&D::Logic, Op::kCnot}},
      {"shl", {&D::Shift, Op::kShl}},
      {"shr", {&D::Shift, Op::kShr}},
      {"shf", {&D::FunnelShift, Op::kShfLeft}},
      {"popc", {&D::BitCount, Op::kPopc}},
      {"clz", {&D::BitCount, Op::kClz}},
      {"brev", {&D::BitCount, Op::kBrev}},
      {"bfind", {&D::BitCount, Op::kBfind}},
      {"fns", {&D::FindNth, Op::kFns}},
      {"bfe", {&D::BitField, Op::kBfe}},
      {"bfi", {&D::BitField, Op::kBfi}},
      {"szext", {&D::BitMask, Op::kSzext}},
      {"bmsk", {&D::BitMask, Op::kBmsk}},
      {"prmt", {&D::Permute, Op::kPrmt}},
      {"lop3", {&D::Lookup, Op::kLop3}},
      {"setp", {&D::SetPredicate, Op::kSetp}},
      {"set", {&D::Set, Op::kSet}},
      {"selp", {&D::Select, Op::kSelp}},
      {"slct", {&D::SelectBySign, Op::kSlct}},
      {"mov", {&D::Move, Op::kMov}},
      {"cvt", {&D::Convert, Op::kCvt}},
      {"cvta", {&D::ConvertAddress, Op::kCvta}},
      {"isspacep", {&D::IsSpace, Op::kIsSpace}},
      {"mapa", {&D::MapAddress, Op::kMapToRank}},
      {"getctarank", {&D::MapAddress, Op::kRankOf}},
      {"ld", {&D::LoadStore, Op::kLoad}},
      {"ldu", {&D::LoadStore, Op::kLoad}},
      {"st", {&D::LoadStore, Op::kStore}},
      {"atom", {&D::AtomicAccess, Op::kAtomic}},
      {"red", {&D::AtomicAccess, Op::kAtomic}},
      {"membar", {&D::Fence, Op::kFence}},
      {"fence", {&D::Fence, Op::kFence}},
      {"tensormap", {&D::CopyFence, Op::kStore}},
      {"prefetch", {&D::CacheHint, Op::kNop}},
      {"prefetchu", {&D::CacheHint, Op::kNop}},
      {"applypriority", {&D::CacheHint, Op::kNop}},
      {"discard", {&D::CacheHint, Op::kNop}},
      {"alloca", {&D::Stack, Op::kStack}},
      {"stacksave", {&D::Stack, Op::kStack}},
      {"stackrestore", {&D::Stack, Op::kStack}},
      {"cp", {&D::CopyAsync, Op::kCopy}},
      {"createpolicy", {&D::CreatePolicy, Op::kMov}},
      {"bra", {&D::Branch, Op::kBranch}},
      {"brx", {&D::BranchIndexed, Op::kBranchIndexed}},
      {"call", {&D::CallFunction, Op::kCall}},
      {"ret", {&D::Plain, Op::kReturn}},
      {"exit", {&D::Plain, Op::kExit}},
      {"trap", {&D::Plain, Op::kTrap}},
      {"brkpt", {&D::Plain, Op::kTrap}},
      {"nanosleep", {&D::Sleep, Op::kSleep}},
      {"pmevent", {&D::NoEffect, Op::kNop}},
      {"setmaxnreg", {&D::NoEffect, Op::kNop}},
      {"griddepcontrol", {&D::NoEffect, Op::kNop}},
      {"activemask", {&D::ActiveMask, Op::kActiveMask}},
      {"vote", {&D::Vote, Op::kExchange}},
      {"match", {&D::Match, Op::kExchange}},
      {"shfl", {&D::Shuffle, Op::kExchange}},
      {"redux", {&D::Reduce, Op::kExchange}},
      {"elect", {&D::Elect, Op::kExchange}},
      {"bar", {&D::Barrier, Op::kBarrier}},
      {"barrier", {&D::Barrier, Op::kBarrier}},
      {"mbarrier", {&D::Mbarrier, Op::kMbarrier}},
      {"wgmma", {&D::MatrixOrder, Op::kExchange}},
      {"vadd", {&D::VideoInstruction, Op::kVideo}},
      {"vsub", {&D::VideoInstruction, Op::kVideo}},
      {"vabsdiff", {&D::VideoInstruction, Op::kVideo}},
      {"vmin", {&D::VideoInstruction, Op::kVideo}},
      {"vmax", {&D::VideoInstruction, Op::kVideo}},
      {"vshl", {&D::VideoInstruction, Op::kVideo}},
      {"vshr", {&D::VideoInstruction, Op::kVideo}},
      {"vmad", {&D::VideoInstruction, Op::kVideo}},
      {"vset", {&D::VideoInstruction, Op::kVideo}},
      {"vadd2", {&D::VideoInstruction, Op::kVideo}},
      {"vsub2", {&D::VideoInstruction, Op::kVideo}},
      {"vavrg2", {&D::VideoInstruction, Op::kVideo}},
      {"vabsdiff2", {&D::VideoInstruction, Op::kVideo}},
      {"vmin2", {&D::VideoInstruction, Op::kVideo}},
      {"vmax2", {&D::VideoInstruction, Op::kVideo}},
      {"vset2", {&D::VideoInstruction, Op::kVideo}},
      {"vadd4", {&D::VideoInstruction, Op::kVideo}},
      {"vsub4", {&D::VideoInstruction, Op::kVideo}},
      {"vavrg4", {&D::VideoInstruction, Op::kVideo}},
      {"vabsdiff4", {&D::VideoInstruction, Op::kVideo}},
      {"vmin4", {&D::VideoInstruction, Op::kVideo}},
      {"vmax4", {&D::VideoInstruction, Op::kVideo}},
      {"vset4", {&D::VideoInstruction, Op::kVideo}},
      {"clusterlaunchcontrol", {&D::LaunchControl, Op::kTryCancel}},
  };
  return families;
}

}  // namespace muster::ptx
