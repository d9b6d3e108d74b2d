// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/program/decode_warpgroup.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <set>

#include "sim/ptx/program/decode_matrix.h"
#include "sim/ptx/program/registers.h"

namespace muster::ptx {
namespace {

using Kind = syntax::Operand::Kind;

bool Is(Element element, std::initializer_list<Element> among) {
  return std::find(among.begin(), among.end(), element) != among.end();
}

// The elements that go together.
bool FitTogether(const WarpgroupProduct& i) {
  switch (i.a_type) {
    case Element::kF16:
      return i.b_type == i.a_type && Is(i.d_type, {Element::kF16, Element::kF32});
    case Element::kBF16:
    case Element::kTF32:
      return i.b_type == i.a_type && i.d_type == Element::kF32;
    case Element::kE4M3:
    case Element::kE5M2:
      return Is(i.b_type, {Element::kE4M3, Element::kE5M2}) &&
             Is(i.d_type, {Element::kF16, Element::kF32});
    case Element::kS8:
    case Element::kU8:
      return Is(i.b_type, {Element::kS8, Element::kU8}) && i.d_type == Element::kS32;
    case Element::kB1:
      return i.b_type == i.a_type && i.d_type == Element::kS32;
    default:
      return false;
  }
}

// m64nNkK: a row is 32 bytes, whatever the elements, and 64 where half of A is zeroes; N is a
// multiple of 8 up to 256, of 16 from 32 on where they are integers.
bool TakeShape(Cursor* c, WarpgroupProduct* i) {
  const unsigned k = (i->sparse ? 16 : 8) * PackedIn(i->a_type);
  const unsigned step = IsInteger(i->a_type) ? 16 : 8;
  for (unsigned n = 8; n <= 256; n += n < 32 ? 8 : step) {
    if (c->Take(fmt::format("m64n{}k{}", n, k))) {
      i->n = static_cast<std::uint16_t>(n);
      return true;
    }
  }
  return false;
}

// -1 or 1, or 0 or 1: whether it is the first or the second.
bool TakeChoice(Cursor* c, std::size_t at, std::int64_t no, std::int64_t yes, bool* chosen) {
  const syntax::Operand& operand = c->operand(at);
  const auto value = static_cast<std::int64_t>(operand.value);
  if (operand.kind != Kind::kInteger || (value != no && value != yes)) {
    c->Fail(operand.at, fmt::format("{} takes {} or {} there", c->Spelling(), std::min(no, yes),
                                    std::max(no, yes)));
    return false;
  }
  *chosen = value == yes;
  return true;
}

void DecodeOrder(Cursor* c, Instruction* out, WarpgroupOp op) {
  out->op = Op::kWarpgroupOrder;
  auto& order = out->Make<WarpgroupOrder>();
  order.op = op;
  const bool waits = op == WarpgroupOp::kWait;
  if (!c->ExpectOperands(waits ? 1 : 0) || !waits) {
    return;
  }
  if (c->operand(0).kind != Kind::kInteger) {
    c->Fail(c->operand(0).at, fmt::format("{} takes a number of groups", c->Spelling()));
    return;
  }
  order.groups = static_cast<std::uint32_t>(c->operand(0).value);
}

// Of four lanes those with the metadata: a pair, or of 8 bits all of them.
void DecodeSparsity(Cursor* c, WarpgroupProduct* i) {
  const unsigned most = PackedIn(i->a_type) == 4 ? 0 : 1;
  const syntax::Operand& selector = c->operand(4);
  if (selector.kind != Kind::kInteger || selector.value > most) {
    c->Fail(selector.at, fmt::format("the sparsity selector of {} is a number from 0 to {}",
                                     c->Spelling(), most));
    return;
  }
  i->metadata = c->Source(c->operand(3), Type::kB32);
  i->selector = static_cast<std::uint8_t>(selector.value);
}

void DecodeWarpgroupProduct(Cursor* c, Instruction* out) {
  auto& i = out->Make<WarpgroupProduct>();
  i.sparse = c->Take("sp");
  i.saturate = c->Take("satfinite");
  const bool counts = c->Take("and");
  const bool popc = c->Take("popc");
  const std::vector<Element> types = TakeElements(c);
  if (types.size() != 3) {
    c->Fail(fmt::format("{} lacks a type: those of D, A and B", c->Spelling()));
    return;
  }
  i.d_type = types[0];
  i.a_type = types[1];
  i.b_type = types[2];
  const bool binary = i.a_type == Element::kB1;
  if (!FitTogether(i) || !TakeShape(c, &i) || counts != binary || popc != binary ||
      (binary && i.sparse) || (i.saturate && (!IsInteger(i.a_type) || binary))) {
    c->Fail(fmt::format("the instruction {} is not supported: no shape has these types",
                        c->Spelling()));
    return;
  }
  const bool is_float = !IsInteger(i.a_type);
  const bool transposes = i.a_type == Element::kF16 || i.a_type == Element::kBF16;
  const bool in_registers = c->operands().size() > 1 && c->operand(1).kind == Kind::kVector;
  const std::size_t scales = is_float ? 2 : 0;
  const std::size_t layouts = !transposes ? 0 : in_registers ? 1 : 2;
  const std::size_t at = i.sparse ? 5 : 3;  // of scale-d
  if (!c->ExpectOperands(at + 1 + scales + layouts)) {
    return;
  }
  if (i.sparse) {
    c->Require("wgmma.mma_async.sp", 82, 90);
    DecodeSparsity(c, &i);
  }
  i.d = c->Registers(c->operand(0), RegisterOf(i.d_type), i.n / 2U / PackedIn(i.d_type), true);
  if (in_registers) {
    const std::vector<Slot> a =
        c->Registers(c->operand(1), Type::kB32, static_cast<unsigned>(i.a.size()), false);
    std::copy(a.begin(), a.end(), i.a.begin());
  } else {
    i.a_matrix = c->Source(c->operand(1), Type::kB64);
  }
  i.b_matrix = c->Source(c->operand(2), Type::kB64);
  const syntax::Operand& scale = c->operand(at);
  i.scale_negated = scale.negated;
  i.scale =
      scale.kind == Kind::kInteger ? c->Literal(scale.value != 0 ? 1 : 0) : c->Predicate(scale);
  for (std::size_t k = 0; k < scales; ++k) {
    if (!TakeChoice(c, at + 1 + k, 1, -1, &i.minus[k])) {
      return;
    }
  }
  for (std::size_t k = 0; k < layouts; ++k) {
    if (!TakeChoice(c, at + 1 + scales + k, 0, 1, &i.transposed[layouts == 1 ? 1 : k])) {
      return;
    }
  }
}

}  // namespace

void DecodeWarpgroup(Cursor* c, Instruction* out) {
  const int what = c->TakeOne({"fence", "commit_group", "wait_group", "mma_async"});
  if (what < 0) {
    c->Fail(fmt::format("the instruction {} is not supported", c->Spelling()));
    return;
  }
  if (!c->Take("sync") || !c->Take("aligned")) {
    c->Fail(fmt::format("{} lacks .sync.aligned", c->Spelling()));
    return;
  }
  if (c->target().version < 80) {
    c->Require(c->Spelling(), 80, 90);
  } else if (c->target().architecture != 90 || c->target().variant != 'a') {
    c->Misuse(fmt::format("{} needs .target sm_90a", c->Spelling()));
  }
  constexpr WarpgroupOp kOrders[] = {WarpgroupOp::kFence, WarpgroupOp::kCommit, WarpgroupOp::kWait};
  if (what < 3) {
    DecodeOrder(c, out, kOrders[what]);
  } else {
    DecodeWarpgroupProduct(c, out);
  }
}

void DecodeRegisterLimit(Cursor* c, Instruction* out) {
  c->Require("setmaxnreg", 80, 90);
  auto& limit = out->Make<RegisterLimit>();
  limit.more = c->Take("inc");
  if ((!limit.more && !c->Take("dec")) || !c->Take("sync") || !c->Take("aligned")) {
    c->Fail("setmaxnreg lacks .inc or .dec, .sync or .aligned");
  }
  c->TakeType({Type::kU32});
  if (!c->ExpectOperands(1)) {
    return;
  }
  const std::uint64_t count = c->operand(0).value;
  if (c->operand(0).kind != Kind::kInteger || count < 24 || count > 256 || count % 8 != 0) {
    c->Misuse(c->operand(0).at, "the number of registers must be a multiple of 8 from 24 to 256");
  }
  limit.count = static_cast<std::uint16_t>(std::min<std::uint64_t>(count, 256));
}

void MarkFragments(Program* program) {
  std::vector<std::uint32_t> entries;
  for (const Function& function : program->functions) {
    if (function.has_body) {
      entries.push_back(function.entry);
    }
  }
  std::sort(entries.begin(), entries.end());
  entries.push_back(static_cast<std::uint32_t>(program->code.size()));
  for (std::size_t f = 0; f + 1 < entries.size(); ++f) {
    std::set<Slot> fragments;
    for (std::uint32_t pc = entries[f]; pc < entries[f + 1]; ++pc) {
      if (const auto* const i = std::get_if<WarpgroupProduct>(&program->code[pc].payload)) {
        fragments.insert(i->d.begin(), i->d.end());
        fragments.insert(i->a.begin(), i->a.end());
      }
    }
    fragments.erase(kNoSlot);
    const auto touches = [&](const std::vector<Slot>& slots) {
      return std::any_of(slots.begin(), slots.end(),
                         [&](Slot slot) { return fragments.count(slot) != 0; });
    };
    for (std::uint32_t pc = entries[f]; pc < entries[f + 1] && !fragments.empty(); ++pc) {
      Instruction& i = program->code[pc];
      i.fragments =
          i.op != Op::kWarpgroupProduct && (touches(SourcesOf(i)) || touches(ResultsOf(i)));
    }
  }
}

}  // namespace muster::ptx
