// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Decoding: matrices of a warp.
#include "sim/ptx/program/decode_matrix.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "sim/ptx/program/decode_opaque.h"

namespace muster::ptx {
namespace {

constexpr std::pair<std::string_view, Element> kElements[] = {
    {"f16", Element::kF16},   {"bf16", Element::kBF16}, {"tf32", Element::kTF32},
    {"f32", Element::kF32},   {"f64", Element::kF64},   {"e4m3", Element::kE4M3},
    {"e5m2", Element::kE5M2}, {"s8", Element::kS8},     {"u8", Element::kU8},
    {"s4", Element::kS4},     {"u4", Element::kU4},     {"b1", Element::kB1},
    {"s32", Element::kS32},   {"e2m3", Element::kE2M3}, {"e3m2", Element::kE3M2},
    {"e2m1", Element::kE2M1}};

std::optional<Element> ElementNamed(std::string_view name) {
  for (const auto& [known, element] : kElements) {
    if (known == name) {
      return element;
    }
  }
  return std::nullopt;
}

// PTX, "Multiply-and-accumulate Instruction: mma".
const MatrixShape kShapes[] = {
    {"m16n8k8", 16, 8, 8, {Element::kF16}, 65, 75},
    {"m16n8k16", 16, 8, 16, {Element::kF16, Element::kBF16}, 70, 80},
    {"m16n8k8", 16, 8, 8, {Element::kBF16, Element::kTF32}, 70, 80},
    {"m16n8k4", 16, 8, 4, {Element::kTF32}, 70, 80},
    {"m8n8k4", 8, 8, 4, {Element::kF64}, 70, 80},
    {"m16n8k4", 16, 8, 4, {Element::kF64}, 78, 90},
    {"m16n8k8", 16, 8, 8, {Element::kF64}, 78, 90},
    {"m16n8k16", 16, 8, 16, {Element::kF64}, 78, 90},
    {"m16n8k32", 16, 8, 32, {Element::kE4M3, Element::kE5M2}, 84, 89},
    {"m16n8k16", 16, 8, 16, {Element::kE4M3, Element::kE5M2}, 87, 89},
    {"m8n8k16", 8, 8, 16, {Element::kS8, Element::kU8}, 65, 75},
    {"m16n8k16", 16, 8, 16, {Element::kS8, Element::kU8}, 70, 80},
    {"m16n8k32", 16, 8, 32, {Element::kS8, Element::kU8}, 70, 80},
    {"m8n8k32", 8, 8, 32, {Element::kS4, Element::kU4}, 65, 75},
    {"m16n8k32", 16, 8, 32, {Element::kS4, Element::kU4}, 70, 80},
    {"m16n8k64", 16, 8, 64, {Element::kS4, Element::kU4}, 70, 80},
    {"m8n8k128", 8, 8, 128, {Element::kB1}, 70, 75},
    {"m16n8k128", 16, 8, 128, {Element::kB1}, 70, 80},
    {"m16n8k256", 16, 8, 256, {Element::kB1}, 70, 80},
};

// The same of a sparse A, without a kind.
const MatrixShape kSparseShapes[] = {
    {"m16n8k16", 16, 8, 16, {Element::kF16, Element::kBF16}, 71, 80},
    {"m16n8k32", 16, 8, 32, {Element::kF16, Element::kBF16}, 71, 80},
    {"m16n8k8", 16, 8, 8, {Element::kTF32}, 71, 80},
    {"m16n8k16", 16, 8, 16, {Element::kTF32}, 71, 80},
    {"m16n8k32", 16, 8, 32, {Element::kS8, Element::kU8}, 71, 80},
    {"m16n8k64", 16, 8, 64, {Element::kS8, Element::kU8}, 71, 80},
    {"m16n8k64", 16, 8, 64, {Element::kS4, Element::kU4}, 71, 80},
    {"m16n8k128", 16, 8, 128, {Element::kS4, Element::kU4}, 71, 80},
    {"m16n8k64", 16, 8, 64, {Element::kE4M3, Element::kE5M2}, 84, 89},
};
// And with .kind: elements of at most a byte.
constexpr std::initializer_list<Element> kInBytes = {Element::kE4M3, Element::kE5M2, Element::kE3M2,
                                                     Element::kE2M3, Element::kE2M1InByte};
const MatrixShape kKindShapes[] = {
    {"m16n8k32", 16, 8, 32, kInBytes, 87, 120},
    {"m16n8k64", 16, 8, 64, {Element::kE2M1}, 87, 120},
};
const MatrixShape kSparseKindShapes[] = {{"m16n8k64", 16, 8, 64, kInBytes, 87, 120}};

bool Has(const MatrixShape& shape, Element element) {
  return std::find(shape.of.begin(), shape.of.end(), element) != shape.of.end();
}

// The elements that go with those of A: of the same kind.
bool FitTogether(const MatrixProduct& i) {
  const auto is = [](Element element, std::initializer_list<Element> among) {
    return std::find(among.begin(), among.end(), element) != among.end();
  };
  switch (i.a_type) {
    case Element::kF16:
      return i.b_type == i.a_type && is(i.d_type, {Element::kF16, Element::kF32}) &&
             i.c_type == i.d_type;
    case Element::kBF16:
    case Element::kTF32:
      return i.b_type == i.a_type && i.d_type == Element::kF32 && i.c_type == Element::kF32;
    case Element::kF64:
      return i.b_type == i.a_type && i.d_type == i.a_type && i.c_type == i.a_type;
    case Element::kE4M3:
    case Element::kE5M2:
      return is(i.b_type, {Element::kE4M3, Element::kE5M2}) && i.c_type == i.d_type &&
             is(i.d_type, {Element::kF16, Element::kF32});
    case Element::kE3M2:
    case Element::kE2M3:
    case Element::kE2M1InByte:
    case Element::kE2M1:
      return false;  // without .kind
    case Element::kS8:
    case Element::kU8:
      return is(i.b_type, {Element::kS8, Element::kU8}) && i.d_type == Element::kS32 &&
             i.c_type == Element::kS32;
    case Element::kS4:
    case Element::kU4:
      return is(i.b_type, {Element::kS4, Element::kU4}) && i.d_type == Element::kS32 &&
             i.c_type == Element::kS32;
    default:
      return i.b_type == i.a_type && i.d_type == Element::kS32 && i.c_type == Element::kS32;
  }
}

template <std::size_t kCount>
bool TakeShape(Cursor* c, const MatrixShape (&shapes)[kCount], MatrixProduct* i) {
  const std::vector<std::string_view> given = c->modifiers();
  const auto shape =
      std::find_if(std::begin(shapes), std::end(shapes), [&](const MatrixShape& one) {
        return Has(one, i->a_type) &&
               std::find(given.begin(), given.end(), one.name) != given.end();
      });
  if (shape == std::end(shapes)) {
    return false;
  }
  c->Take(shape->name);
  c->Require(c->Spelling(), shape->version, shape->architecture);
  i->m = shape->m;
  i->n = shape->n;
  i->k = shape->k;
  return true;
}

template <std::size_t kCount>
void TakeRegisters(Cursor* c, std::size_t operand, Element element, unsigned elements,
                   bool destination, std::array<Slot, kCount>* slots) {
  const unsigned count = elements / 32 / PackedIn(element);
  const std::vector<Slot> taken =
      c->Registers(c->operand(operand), RegisterOf(element), count, destination);
  std::copy(taken.begin(), taken.end(), slots->begin());
}

// .kind::f8f6f4, ::mxf8f6f4, ::mxf4, ::mxf4nvf4.
enum class BlockKind : std::uint8_t { kNone, kF8F6F4, kScaled8, kScaled4, kScaled4Small };
bool IsScaled(BlockKind kind) { return kind >= BlockKind::kScaled8; }
BlockKind TakeBlockKind(Cursor* c) {
  return static_cast<BlockKind>(
      c->TakeOne({"kind::f8f6f4", "kind::mxf8f6f4", "kind::mxf4", "kind::mxf4nvf4"}) + 1);
}

bool FitTogether(const MatrixProduct& i, BlockKind kind) {
  const bool is_float =
      i.d_type == Element::kF32 || (kind == BlockKind::kF8F6F4 && i.d_type == Element::kF16);
  const bool packed = kind == BlockKind::kScaled4 || kind == BlockKind::kScaled4Small;
  const auto is = [&](Element element) {
    return packed ? element == Element::kE2M1 : Has(kKindShapes[0], element);
  };
  return is(i.a_type) && is(i.b_type) && i.c_type == i.d_type && is_float;
}

// .block_scale, how many scales a row of the operands has, and their type.
bool TakeScaling(Cursor* c, BlockKind kind, MatrixProduct* i) {
  const bool scaled = c->Take("block_scale");
  const int vector = c->TakeOne({"scale_vec::1X", "scale_vec::2X", "scale_vec::4X"});
  const int type = c->TakeOne({"ue8m0", "ue4m3"});
  const int usual = kind == BlockKind::kScaled8 ? 0 : kind == BlockKind::kScaled4 ? 1 : -1;
  const int given = vector < 0 ? usual : vector;
  i->has_small_scales = type == 1;
  i->blocks = static_cast<std::uint8_t>(given < 0 ? 0 : 1 << given);
  const bool right = kind == BlockKind::kScaled4Small ? given == 2 || (given == 1 && type == 0)
                                                      : given == usual && type == 0;
  if (!scaled || type < 0 || !right) {
    c->Fail(fmt::format("the instruction {} is not supported: no kind has these scales",
                        c->Spelling()));
  }
  return !c->failed();
}

void TakeScales(Cursor* c, MatrixProduct* i) {
  for (std::size_t which = 0; which < 2; ++which) {
    const std::size_t at = 4 + 2 * which;
    i->scales[which] = c->Source(c->operand(at), Type::kB32);
    const syntax::Operand& selector = c->operand(at + 1);
    if (selector.kind != syntax::Operand::Kind::kVector || selector.parts.size() != 2) {
      c->Fail(selector.at, fmt::format("{} takes a byte and a thread in braces", c->Spelling()));
      return;
    }
    i->scale_bytes[which] = c->Source(selector.parts[0], Type::kU16);
    i->scale_threads[which] = c->Source(selector.parts[1], Type::kU16);
  }
}

// The selector names one lane of four, or one pair, or is 0: as many as the metadata fill.
void TakeMetadata(Cursor* c, MatrixProduct* i) {
  constexpr unsigned kLanes = 4;
  const bool wide = i->a_type == Element::kTF32;
  const bool narrow = PackedIn(i->a_type) == 8;
  const unsigned lanes = i->k * (wide ? 2U : 1U) / (narrow ? 2U : 1U) / 16;
  i->metadata = c->Source(c->operand(4), Type::kB32);
  const syntax::Operand& selector = c->operand(5);
  if (selector.kind != syntax::Operand::Kind::kInteger || selector.value >= kLanes / lanes) {
    c->Fail(selector.at, fmt::format("the sparsity selector of {} is a number from 0 to {}",
                                     c->Spelling(), kLanes / lanes - 1));
    return;
  }
  i->selector = static_cast<std::uint8_t>(selector.value);
}

// %laneid < lanes, and the guard of `out`, if there is one.
Slot FirstLanes(Cursor* c, const Instruction& out, unsigned lanes) {
  Instruction read;
  read.op = Op::kSpecial;
  read.line = out.line;
  const Slot lane = c->Scratch();
  read.payload = SpecialRead{Special::kLaneId, lane};
  c->Emit(read);
  Instruction less;
  less.op = Op::kSetp;
  less.line = out.line;
  auto& i = less.Make<Comparison>();
  i.type = Type::kU32;
  i.compare = Compare::kLt;
  i.a = {lane, c->Literal(lanes)};
  i.combine = out.guard == kNoSlot ? Combine::kNone : Combine::kAnd;
  i.c = out.guard;
  i.negated = out.guard_negated;
  i.d = c->Scratch();
  c->Emit(less);
  return i.d;
}

}  // namespace

std::vector<Element> TakeElements(Cursor* c) {
  std::vector<Element> elements;
  std::vector<std::string_view>& left = c->left();
  left.erase(std::remove_if(left.begin(), left.end(),
                            [&](std::string_view modifier) {
                              const std::optional<Element> element = ElementNamed(modifier);
                              if (element) {
                                elements.push_back(*element);
                              }
                              return element.has_value();
                            }),
             left.end());
  return elements;
}

Type RegisterOf(Element element) {
  switch (element) {
    case Element::kF64:
      return Type::kF64;
    case Element::kF32:
      return Type::kF32;
    case Element::kS32:
      return Type::kS32;
    default:
      return Type::kB32;
  }
}

void DecodeMatrixProduct(Cursor* c, Instruction* out) {
  auto& i = out->Make<MatrixProduct>();
  const BlockKind kind = TakeBlockKind(c);
  i.ordered = c->Take("sp::ordered_metadata");
  i.sparse = i.ordered || c->Take("sp");
  if (i.sparse && !i.ordered && kind != BlockKind::kNone) {
    c->Fail(fmt::format("{} has a kind, and so takes .sp::ordered_metadata", c->Spelling()));
    return;
  }
  if (i.sparse && IsScaled(kind)) {
    const std::vector<Element> known = TakeElements(c);
    if (known.empty()) {
      c->Fail(fmt::format("{} lacks a type: those of D, A, B and C", c->Spelling()));
      return;
    }
    c->Require(c->Spelling(), 87, 120);
    return DecodeOpaque(c, out, known.front());
  }
  if (IsScaled(kind) && !TakeScaling(c, kind, &i)) {
    return;
  }
  if (!c->Take("sync") || !c->Take("aligned")) {
    c->Fail(fmt::format("{} lacks .sync.aligned", c->Spelling()));
    return;
  }
  const std::vector<std::string_view>& all = c->modifiers();
  const bool row_first =
      std::find(all.begin(), all.end(), "row") < std::find(all.begin(), all.end(), "col");
  const bool laid_out = c->Take("row") && c->Take("col") && row_first;
  i.saturate = c->Take("satfinite");
  constexpr Round kRounds[] = {Round::kNearest, Round::kZero, Round::kDown, Round::kUp};
  const int round = c->TakeOne({"rn", "rz", "rm", "rp"});
  i.round = round < 0 ? Round::kNearest : kRounds[round];
  i.exclusive = c->Take("xor");
  const bool counts = i.exclusive || c->Take("and");
  const bool popc = c->Take("popc");
  // The types of D, A, B and C, in this order; the shape depends on them.
  const std::vector<Element> types = TakeElements(c);
  if (types.size() != 4) {
    c->Fail(fmt::format("{} lacks a type: those of D, A, B and C", c->Spelling()));
    return;
  }
  i.d_type = types[0];
  i.a_type = types[1];
  i.b_type = types[2];
  i.c_type = types[3];
  for (Element* const element : {&i.a_type, &i.b_type}) {
    if (*element == Element::kE2M1 && (kind == BlockKind::kF8F6F4 || kind == BlockKind::kScaled8)) {
      *element = Element::kE2M1InByte;
    }
  }
  const bool has_kind = kind != BlockKind::kNone;
  const bool shaped = has_kind && i.sparse ? TakeShape(c, kSparseKindShapes, &i)
                      : has_kind           ? TakeShape(c, kKindShapes, &i)
                      : i.sparse           ? TakeShape(c, kSparseShapes, &i)
                                           : TakeShape(c, kShapes, &i);
  const bool fit = has_kind ? FitTogether(i, kind) : FitTogether(i);
  const bool binary = i.a_type == Element::kB1;
  if (!shaped || !laid_out || !fit || counts != binary || popc != binary ||
      (i.saturate && (i.d_type != Element::kS32 || binary)) ||
      (round >= 0 && i.a_type != Element::kF64)) {
    c->Fail(fmt::format("the instruction {} is not supported: no shape has these types and layouts",
                        c->Spelling()));
    return;
  }
  if (!c->ExpectOperands(IsScaled(kind) ? 8 : i.sparse ? 6 : 4)) {
    return;
  }
  if (i.sparse) {
    TakeMetadata(c, &i);
  } else if (IsScaled(kind)) {
    TakeScales(c, &i);
  }
  TakeRegisters(c, 0, i.d_type, i.m * i.n, true, &i.d);
  TakeRegisters(c, 1, i.a_type, i.m * i.k / (i.sparse ? 2U : 1U), false, &i.a);
  TakeRegisters(c, 2, i.b_type, i.k * i.n, false, &i.b);
  TakeRegisters(c, 3, i.c_type, i.m * i.n, false, &i.c);
}

void DecodeMatrixAccess(Cursor* c, Instruction* out) {
  const bool loads = out->op == Op::kMatrixLayout;
  c->Require(c->opcode(), loads ? 65 : 78, loads ? 75 : 90);
  if (!c->Take("sync") || !c->Take("aligned")) {
    c->Fail(fmt::format("{} lacks .sync.aligned", c->Spelling()));
    return;
  }
  if (!c->Take("m8n8")) {
    c->Fail(
        fmt::format("the instruction {} is not supported: matrices of 8x8 elements of 16 bits are",
                    c->Spelling()));
    return;
  }
  const int number = c->TakeOne({"x1", "x2", "x4"});
  MatrixLayout layout;
  layout.to = loads ? Relayout::kToFragments : Relayout::kToRows;
  layout.transposed = c->Take("trans");
  const Space space = c->TakeAny({"shared", "shared::cta"}) ? Space::kShared : Space::kGeneric;
  c->TakeType({Type::kB16});
  if (number < 0) {
    c->Fail(fmt::format("{} lacks .x1, .x2 or .x4", c->Spelling()));
    return;
  }
  if (!c->ExpectOperands(2)) {
    return;
  }
  constexpr unsigned kRows = 8;
  layout.count = static_cast<std::uint8_t>(1U << number);
  const std::size_t memory = loads ? 1 : 0;
  const std::vector<Slot> fragments =
      c->Registers(c->operand(1 - memory), Type::kB32, layout.count, loads);
  const Address address = c->AddressIn(c->operand(memory), space);
  if (c->failed()) {
    return;
  }
  std::array<Slot, 4> rows;
  std::generate(rows.begin(), rows.end(), [c] { return c->Scratch(); });
  Instruction first = *out;  // the guard, and the line
  const Slot holders = layout.count == 4 ? out->guard : FirstLanes(c, *out, layout.count * kRows);
  const bool negated = layout.count == 4 && out->guard_negated;
  if (loads) {
    first.op = Op::kLoad;
    first.guard = holders;
    first.guard_negated = negated;
    auto& load = first.Make<Load>();
    load.type = load.to = Type::kB32;
    load.count = 4;
    load.address = address;
    std::copy(rows.begin(), rows.end(), load.d.begin());
    c->Emit(first);
    std::copy(fragments.begin(), fragments.end(), layout.d.begin());
    layout.a = rows;
    out->payload = layout;
    return;
  }
  std::copy(fragments.begin(), fragments.end(), layout.a.begin());
  layout.d = rows;
  first.op = Op::kMatrixLayout;
  first.payload = layout;
  c->Emit(first);
  out->guard = holders;
  out->guard_negated = negated;
  auto& store = out->Make<Store>();
  store.type = Type::kB32;
  store.count = 4;
  store.address = address;
  std::copy(rows.begin(), rows.end(), store.values.begin());
}

void DecodeMoveMatrix(Cursor* c, Instruction* out) {
  c->Require("movmatrix", 78, 75);
  if (!c->Take("sync") || !c->Take("aligned") || !c->Take("m8n8") || !c->Take("trans")) {
    c->Fail(fmt::format("{} lacks .sync.aligned.m8n8.trans", c->Spelling()));
    return;
  }
  c->TakeType({Type::kB16});
  if (!c->ExpectOperands(2)) {
    return;
  }
  auto& layout = out->Make<MatrixLayout>();
  layout.d[0] = c->Destination(c->operand(0), Type::kB32);
  layout.a[0] = c->Source(c->operand(1), Type::kB32);
}

}  // namespace muster::ptx
