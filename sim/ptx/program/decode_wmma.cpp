// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/program/decode_wmma.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/ptx/program/decode_matrix.h"

namespace muster::ptx {
namespace {

constexpr unsigned kWarpLanes = 32;
constexpr unsigned kMostTogether = 16;  // of one access

// PTX, "WMMA".
const MatrixShape kWmmaShapes[] = {
    {"m16n16k16", 16, 16, 16, {Element::kF16}, 60, 70},
    {"m32n8k16", 32, 8, 16, {Element::kF16}, 61, 70},
    {"m8n32k16", 8, 32, 16, {Element::kF16}, 61, 70},
    {"m16n16k16", 16, 16, 16, {Element::kS8, Element::kU8}, 63, 72},
    {"m32n8k16", 32, 8, 16, {Element::kS8, Element::kU8}, 63, 72},
    {"m8n32k16", 8, 32, 16, {Element::kS8, Element::kU8}, 63, 72},
    {"m16n16k16", 16, 16, 16, {Element::kBF16}, 70, 80},
    {"m32n8k16", 32, 8, 16, {Element::kBF16}, 70, 80},
    {"m8n32k16", 8, 32, 16, {Element::kBF16}, 70, 80},
    {"m16n16k8", 16, 16, 8, {Element::kTF32}, 70, 80},
    {"m8n8k4", 8, 8, 4, {Element::kF64}, 70, 80},
    {"m8n8k32", 8, 8, 32, {Element::kS4, Element::kU4}, 63, 75},
    {"m8n8k128", 8, 8, 128, {Element::kB1}, 63, 75},
};

bool IsAmong(Element element, std::initializer_list<Element> among) {
  return std::find(among.begin(), among.end(), element) != among.end();
}
bool IsOfBits(Element element) {
  return IsAmong(element, {Element::kS4, Element::kU4, Element::kB1});
}
bool IsOfIntegers(Element element) {
  return IsOfBits(element) || IsAmong(element, {Element::kS8, Element::kU8});
}

// What C and D can be, with elements of A of that type.
bool IsSumOf(Element a, Element sum) {
  return IsOfIntegers(a)      ? sum == Element::kS32
         : a == Element::kF64 ? sum == Element::kF64
         : a == Element::kF16 ? IsAmong(sum, {Element::kF16, Element::kF32})
                              : sum == Element::kF32;
}

// A shape among the modifiers whose elements of A are as the test wants them.
template <typename F>
const MatrixShape* TakeWmmaShape(Cursor* c, F fits) {
  for (const MatrixShape& shape : kWmmaShapes) {
    if (c->Has(shape.name) && std::any_of(shape.of.begin(), shape.of.end(), fits)) {
      c->Take(shape.name);
      c->Require(c->Spelling(), shape.version, shape.architecture);
      return &shape;
    }
  }
  c->Fail(
      fmt::format("the instruction {} is not supported: no shape has these types", c->Spelling()));
  return nullptr;
}

// Elements of each lane. Those of A and B of f16 are 16 in each shape, of C and D never so many.
unsigned OfLane(Element element, bool is_sum, unsigned count) {
  constexpr unsigned kHalves = 16;
  return element == Element::kF16 && !is_sum ? kHalves : count / kWarpLanes;
}
unsigned FragmentBits(Element element) {
  return element == Element::kF64 ? 64 : kWarpLanes / PackedIn(element);
}

// Loads or stores a fragment, in runs that lie together in memory.
class FragmentAccess {
 public:
  FragmentAccess(Cursor* c, Instruction* out, const FragmentPlace& place, bool stores,
                 std::vector<Slot> registers)
      : c_(*c), out_(*out), place_(place), stores_(stores), registers_(std::move(registers)) {}

  void Emit() {
    Instruction meets = out_;  // lanes that come apart
    meets.op = Op::kMatrixLayout;
    meets.Make<MatrixLayout>().count = 0;
    Add(meets);
    const unsigned run = place_.across ? 1 : std::min(place_.of_lane, place_.along);
    for (unsigned first = 0; first < place_.of_lane; first += run) {
      Instruction find;
      find.op = Op::kFragmentPlace;
      find.line = out_.line;
      FragmentPlace place = place_;
      place.first = static_cast<std::uint16_t>(first);
      place.d = c_.Scratch();
      find.payload = place;
      Add(find);
      if (run * place_.bits < kRegisterBits) {
        AccessHalf(place.d, first);
      } else {
        AccessRegisters(place.d, first, run);
      }
    }
    out_ = added_.back();
    added_.pop_back();
    for (const Instruction& instruction : added_) {
      c_.Emit(instruction);
    }
  }

 private:
  static constexpr unsigned kRegisterBits = 32;

  void Add(const Instruction& instruction) { added_.push_back(instruction); }
  void AddAccess(Slot base, unsigned offset, Type type, const std::vector<Slot>& slots) {
    Instruction instruction = out_;  // the guard, and the line
    const Address address{place_.address.space, false, base, offset};
    if (stores_) {
      instruction.op = Op::kStore;
      auto& store = instruction.Make<Store>();
      store.address = address;
      store.type = type;
      store.count = static_cast<std::uint8_t>(slots.size());
      std::copy(slots.begin(), slots.end(), store.values.begin());
    } else {
      instruction.op = Op::kLoad;
      auto& load = instruction.Make<Load>();
      load.address = address;
      load.type = load.to = type;
      load.count = static_cast<std::uint8_t>(slots.size());
      std::copy(slots.begin(), slots.end(), load.d.begin());
    }
    Add(instruction);
  }
  void AccessRegisters(Slot base, unsigned first, unsigned run) {
    const bool wide = place_.bits > kRegisterBits;
    const unsigned bytes = wide ? 8 : 4;
    const unsigned begin = first * place_.bits / (8 * bytes);
    const unsigned count = run * place_.bits / (8 * bytes);
    for (unsigned k = 0; k < count; k += kMostTogether / bytes) {
      const unsigned together = std::min(kMostTogether / bytes, count - k);
      const auto from = registers_.begin() + begin + k;
      AddAccess(base, k * bytes, wide ? Type::kB64 : Type::kB32, {from, from + together});
    }
  }
  // One of the two elements of a register.
  void AccessHalf(Slot base, unsigned element) {
    const Slot whole = registers_[element / 2];
    const bool second = element % 2 != 0;
    Instruction between = out_;
    if (!second) {
      halves_ = {c_.Scratch(), c_.Scratch()};
    }
    if (stores_ && !second) {
      between.op = Op::kUnpack;
      auto& unpacking = between.Make<Unpacking>();
      unpacking.part = Type::kB16;
      unpacking.d = {halves_[0], halves_[1], kNoSlot, kNoSlot};
      unpacking.a = whole;
      Add(between);
    }
    AddAccess(base, 0, Type::kB16, {halves_[second ? 1 : 0]});
    if (!stores_ && second) {
      between.op = Op::kPack;
      auto& packing = between.Make<Packing>();
      packing.type = Type::kB32;
      packing.part = Type::kB16;
      packing.d = whole;
      packing.a = {halves_[0], halves_[1], kNoSlot, kNoSlot};
      Add(between);
    }
  }

  Cursor& c_;
  Instruction& out_;
  const FragmentPlace place_;
  const bool stores_;
  const std::vector<Slot> registers_;
  std::array<Slot, 2> halves_{};
  std::vector<Instruction> added_;
};

void DecodeFragment(Cursor* c, Instruction* out, bool stores) {
  const int which = stores ? (c->Take("d") ? 2 : -1) : c->TakeOne({"a", "b", "c"});
  const bool aligned = c->Take("sync") && c->Take("aligned");
  const int order = c->TakeOne({"row", "col"});
  const int space = c->TakeOne({"global", "shared", "shared::cta"});
  const std::vector<Element> types = TakeElements(c);
  if (which < 0 || !aligned || order < 0 || types.size() != 1) {
    c->Fail(
        fmt::format("{} lacks its matrix, .sync.aligned, its layout or its type", c->Spelling()));
    return;
  }
  const Element type = types.front();
  const bool is_sum = which == 2;
  const MatrixShape* const shape =
      TakeWmmaShape(c, [&](Element a) { return is_sum ? IsSumOf(a, type) : a == type; });
  if (shape == nullptr) {
    return;
  }
  const bool by_columns = order == 1;
  if (!is_sum && IsOfBits(type) && by_columns != (which == 1)) {
    c->Fail(
        fmt::format("the instruction {} is not supported: of these elements A has rows and B "
                    "columns",
                    c->Spelling()));
    return;
  }
  const unsigned rows = which == 1 ? shape->k : shape->m;
  const unsigned columns = which == 0 ? shape->k : shape->n;
  FragmentPlace place;
  place.bits = static_cast<std::uint8_t>(FragmentBits(type));
  place.count = static_cast<std::uint16_t>(rows * columns);
  place.of_lane = static_cast<std::uint16_t>(OfLane(type, is_sum, place.count));
  place.across = is_sum && by_columns;
  place.along = static_cast<std::uint16_t>(by_columns && !is_sum ? rows : columns);
  if (!c->ExpectOperands(2, 3)) {
    return;
  }
  const std::size_t memory = stores ? 0 : 1;
  std::vector<Slot> registers = c->Registers(c->operand(1 - memory), RegisterOf(type),
                                             place.of_lane / PackedIn(type), !stores);
  place.address = c->AddressIn(c->operand(memory), space < 0    ? Space::kGeneric
                                                   : space == 0 ? Space::kGlobal
                                                                : Space::kShared);
  place.stride = c->operands().size() == 3 ? c->Source(c->operand(2), Type::kU32)
                                           : c->Literal(by_columns ? rows : columns);
  if (!c->failed()) {
    FragmentAccess(c, out, place, stores, std::move(registers)).Emit();
  }
}

template <std::size_t kCount>
void TakeFragment(Cursor* c, std::size_t operand, Element type, unsigned elements, bool destination,
                  std::array<Slot, kCount>* slots) {
  const std::vector<Slot> taken =
      c->Registers(c->operand(operand), RegisterOf(type), elements / PackedIn(type), destination);
  std::copy(taken.begin(), taken.end(), slots->begin());
}

void DecodeWmmaProduct(Cursor* c, Instruction* out) {
  out->op = Op::kMatrixProduct;
  auto& i = out->Make<MatrixProduct>();
  i.in_order = true;
  i.exclusive = c->Take("xor");
  const bool counts = i.exclusive || c->Take("and");
  const bool popc = c->Take("popc");
  if (!c->Take("sync") || !c->Take("aligned")) {
    c->Fail(fmt::format("{} lacks .sync.aligned", c->Spelling()));
    return;
  }
  // Layouts come twice, or one of each.
  std::vector<bool> by_columns;
  for (const std::string_view modifier : c->modifiers()) {
    if (modifier == "row" || modifier == "col") {
      by_columns.push_back(modifier == "col");
      c->Take(modifier);
    }
  }
  i.saturate = c->Take("satfinite");
  constexpr Round kRounds[] = {Round::kNearest, Round::kZero, Round::kDown, Round::kUp};
  const int round = c->TakeOne({"rn", "rz", "rm", "rp"});
  i.round = round < 0 ? Round::kNearest : kRounds[round];
  std::vector<Element> types = TakeElements(c);
  if (types.size() == 2) {
    types = {types[0], Element::kF16, Element::kF16, types[1]};
  }
  if (types.size() != 4 || by_columns.size() != 2) {
    c->Fail(fmt::format("{} lacks a layout or a type", c->Spelling()));
    return;
  }
  i.d_type = types[0];
  i.a_type = types[1];
  i.b_type = types[2];
  i.c_type = types[3];
  i.a_by_columns = by_columns[0];
  i.b_by_columns = by_columns[1];
  const MatrixShape* const shape = TakeWmmaShape(c, [&](Element a) { return a == i.a_type; });
  if (shape == nullptr) {
    return;
  }
  const bool binary = i.a_type == Element::kB1;
  const bool laid_out = !IsOfBits(i.a_type) || (!i.a_by_columns && i.b_by_columns);
  if (i.b_type != i.a_type || !IsSumOf(i.a_type, i.c_type) || !IsSumOf(i.a_type, i.d_type) ||
      !laid_out || counts != binary || popc != binary ||
      (i.saturate && (!IsOfIntegers(i.a_type) || binary)) ||
      (round >= 0 && i.a_type != Element::kF64)) {
    c->Fail(fmt::format("the instruction {} is not supported: no shape has these types and layouts",
                        c->Spelling()));
    return;
  }
  i.m = shape->m;
  i.n = shape->n;
  i.k = shape->k;
  if (!c->ExpectOperands(4)) {
    return;
  }
  TakeFragment(c, 0, i.d_type, OfLane(i.d_type, true, i.m * i.n), true, &i.d);
  TakeFragment(c, 1, i.a_type, OfLane(i.a_type, false, i.m * i.k), false, &i.a);
  TakeFragment(c, 2, i.b_type, OfLane(i.b_type, false, i.k * i.n), false, &i.b);
  TakeFragment(c, 3, i.c_type, OfLane(i.c_type, true, i.m * i.n), false, &i.c);
}

}  // namespace

void DecodeWmma(Cursor* c, Instruction* out) {
  switch (c->TakeOne({"load", "store", "mma"})) {
    case 0:
      return DecodeFragment(c, out, false);
    case 1:
      return DecodeFragment(c, out, true);
    case 2:
      return DecodeWmmaProduct(c, out);
    default:
      c->Fail(fmt::format("the instruction {} is not supported", c->Spelling()));
  }
}

}  // namespace muster::ptx
