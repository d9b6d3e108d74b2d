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
    {"s32", Element::kS32}};

std::optional<Element> ElementNamed(std::string_view name) {
  for (const auto& [known, element] : kElements) {
    if (known == name) {
      return element;
    }
  }
  return std::nullopt;
}

// The shapes that the text has for elements of A, and what they need: PTX, "Multiply-and-accumulate
// Instruction: mma".
struct Shape {
  std::string_view name;
  std::uint16_t m;
  std::uint16_t n;
  std::uint16_t k;
  std::initializer_list<Element> of;
  unsigned version;
  unsigned architecture;
};
const Shape kShapes[] = {
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

bool Has(const Shape& shape, Element element) {
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

bool TakeShape(Cursor* c, MatrixProduct* i) {
  const std::vector<std::string_view> given = c->modifiers();
  const auto shape = std::find_if(std::begin(kShapes), std::end(kShapes), [&](const Shape& one) {
    return Has(one, i->a_type) && std::find(given.begin(), given.end(), one.name) != given.end();
  });
  if (shape == std::end(kShapes)) {
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
  if (c->Has("sp") || c->Has("sp::ordered_metadata") || c->Has("block_scale")) {
    const std::vector<Element> known = TakeElements(c);
    if (known.empty()) {
      c->Fail(fmt::format("{} lacks a type: those of D, A, B and C", c->Spelling()));
      return;
    }
    return DecodeOpaque(c, out, known.front());
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
  const bool shaped = TakeShape(c, &i);
  const bool binary = i.a_type == Element::kB1;
  if (!shaped || !laid_out || !FitTogether(i) || counts != binary || popc != binary ||
      (i.saturate && (i.d_type != Element::kS32 || binary))) {
    c->Fail(fmt::format("the instruction {} is not supported: no shape has these types and layouts",
                        c->Spelling()));
    return;
  }
  if (!c->ExpectOperands(4)) {
    return;
  }
  TakeRegisters(c, 0, i.d_type, i.m * i.n, true, &i.d);
  TakeRegisters(c, 1, i.a_type, i.m * i.k, false, &i.a);
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
