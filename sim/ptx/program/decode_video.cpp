// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Decoding: video instructions.
#include "sim/ptx/program/decode_video.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

namespace muster::ptx {
namespace {

using syntax::Operand;
using Kind = syntax::Operand::Kind;

// Takes the selector off an operand, "h0" of %r1.h0; empty: it has none.
std::string_view TakeSelector(Operand* operand) {
  const std::size_t dot = operand->name.rfind('.');
  if (operand->kind != Kind::kName || dot == std::string_view::npos) {
    return "";
  }
  const std::string_view selector = operand->name.substr(dot + 1);
  const bool fits = selector.size() > 1 && (selector[0] == 'b' || selector[0] == 'h') &&
                    selector.find_first_not_of("01234567", 1) == std::string_view::npos;
  if (!fits) {
    return "";  // a special register
  }
  operand->name = operand->name.substr(0, dot);
  return selector;
}

struct VideoOpcode {
  std::string_view opcode;
  VideoOp op;
};
constexpr VideoOpcode kVideoOpcodes[] = {
    {"vadd", VideoOp::kAdd}, {"vsub", VideoOp::kSub}, {"vabsdiff", VideoOp::kAbsDiff},
    {"vmin", VideoOp::kMin}, {"vmax", VideoOp::kMax}, {"vavrg", VideoOp::kAverage},
    {"vshl", VideoOp::kShl}, {"vshr", VideoOp::kShr}, {"vmad", VideoOp::kMad},
    {"vset", VideoOp::kSet}};

// .b0 to .b3, .h0, .h1, or nothing for all of the register.
std::uint8_t VideoPart(Cursor* c, const Operand& operand, std::string_view selector) {
  if (selector.empty()) {
    return kWholePart;
  }
  const bool half = selector[0] == 'h';
  const auto number = static_cast<unsigned>(selector[1] - '0');
  if (selector.size() != 2 || number > (half ? 1U : 3U)) {
    c->Fail(operand.at,
            fmt::format("there is no selector .{} here: .b0 to .b3, .h0 and .h1", selector));
  }
  return static_cast<std::uint8_t>(half ? kHalfPart + number : number);
}

// The elements that are written: .h10, or any of .b3210, the greatest first.
std::uint8_t VideoMask(Cursor* c, unsigned count, const Operand& operand,
                       std::string_view selector) {
  if (selector.empty()) {
    return static_cast<std::uint8_t>((1U << count) - 1);
  }
  unsigned mask = 0;
  unsigned before = count;
  bool fits = selector[0] == (count == 2 ? 'h' : 'b');
  for (const char digit : selector.substr(1)) {
    const auto number = static_cast<unsigned>(digit - '0');
    fits = fits && number < before;
    mask |= fits ? 1U << number : 0;
    before = number;
  }
  if (!fits) {
    c->Fail(operand.at, fmt::format("there is no mask .{} here", selector));
  }
  return static_cast<std::uint8_t>(mask);
}

// Which element of a and b is which of the operand, the greatest first; else in order from `first`.
std::uint16_t VideoDigits(Cursor* c, unsigned count, const Operand& operand,
                          std::string_view selector, unsigned first) {
  unsigned digits = 0;
  for (unsigned k = 0; k < count && selector.empty(); ++k) {
    digits |= (first + k) << (4 * k);
  }
  if (selector.empty()) {
    return static_cast<std::uint16_t>(digits);
  }
  bool fits = selector[0] == (count == 2 ? 'h' : 'b') && selector.size() == 1 + count;
  for (const char digit : selector.substr(1)) {
    const auto number = static_cast<unsigned>(digit - '0');
    fits = fits && number < 2 * count;
    digits = (digits << 4) | number;
  }
  if (!fits) {
    c->Fail(operand.at, fmt::format("there is no selector .{} here", selector));
  }
  return static_cast<std::uint16_t>(digits);
}

// The operands, and what becomes of c: .add, .min, .max, or what is not written of d.
void VideoSecondary(Cursor* c, Video* video) {
  const bool several = video->elements > 1;
  const int second = several ? (c->Take("add") ? 0 : -1) : c->TakeOne({"add", "min", "max"});
  video->second = static_cast<VideoSecond>(second + 1);
  if (!c->ExpectOperands(several ? 4 : 3, 4)) {
    return;
  }
  if (several && second == 0 && video->saturate) {
    c->Fail(fmt::format("{} has both .sat and .add", c->Spelling()));
  }
  Operand d = c->operand(0);
  Operand a = c->operand(1);
  Operand b = c->operand(2);
  const std::string_view place = TakeSelector(&d);
  video->to_part = several ? VideoMask(c, video->elements, d, place) : VideoPart(c, d, place);
  video->parts[0] = several ? VideoDigits(c, video->elements, a, TakeSelector(&a), 0)
                            : VideoPart(c, a, TakeSelector(&a));
  video->parts[1] = several ? VideoDigits(c, video->elements, b, TakeSelector(&b), video->elements)
                            : VideoPart(c, b, TakeSelector(&b));
  if (!several && second >= 0 && !place.empty()) {
    c->Fail(d.at, fmt::format("{} has both a selector of its destination and .add, .min or .max",
                              c->Spelling()));
  }
  const bool has_c = c->operands().size() == 4;
  if (!several && has_c != (second >= 0 || !place.empty())) {
    c->Fail(
        fmt::format("{} takes {} operands, not {}", c->Spelling(), has_c ? 3 : 4, has_c ? 4 : 3));
  }
  const auto source = [&](const Operand& operand) {
    if (several && operand.kind != Kind::kName) {
      c->Fail(operand.at, fmt::format("{} takes registers only", c->Spelling()));
    }
    return c->Source(operand, Type::kB32);
  };
  video->d = c->Destination(d, Type::kB32);
  video->a[0] = source(a);
  video->a[1] = source(b);
  video->a[2] = has_c ? source(c->operand(3)) : c->Literal(0);
}

// vmad: -a, -b or -c, or .po.
void VideoProduct(Cursor* c, Video* video) {
  video->plus_one = c->Take("po");
  const int scale = c->TakeOne({"shr7", "shr15"});
  video->shift = scale < 0 ? 0 : scale == 0 ? 7 : 15;
  if (!c->ExpectOperands(4)) {
    return;
  }
  std::array<bool, 3> minus{};
  for (unsigned k = 0; k < 3; ++k) {
    Operand operand = c->operand(k + 1);
    minus[k] = operand.kind == Kind::kMinus;
    operand.kind = minus[k] ? Kind::kName : operand.kind;
    if (k < 2) {
      video->parts[k] = VideoPart(c, operand, TakeSelector(&operand));
    }
    video->a[k] = c->Source(operand, Type::kB32);
  }
  video->minus_product = minus[0] != minus[1];
  video->minus_c = minus[2];
  if (video->plus_one && (minus[0] || minus[1] || minus[2])) {
    c->Fail(fmt::format("{} negates nothing beside .po", c->Spelling()));
  } else if (video->minus_product && video->minus_c) {
    c->Fail(fmt::format("{} negates either the product or c", c->Spelling()));
  }
  video->d = c->Destination(c->operand(0), Type::kB32);
}

}  // namespace

void DecodeVideoInstruction(Cursor* c, Instruction* out) {
  std::string_view opcode = c->opcode();
  const char last = opcode.back();
  auto& video = out->Make<Video>();
  video.elements = last == '2' ? 2 : last == '4' ? 4 : 1;
  if (video.elements > 1) {
    opcode.remove_suffix(1);
  }
  const auto* const entry = std::find_if(std::begin(kVideoOpcodes), std::end(kVideoOpcodes),
                                         [&](const VideoOpcode& e) { return e.opcode == opcode; });
  video.op = entry->op;
  const auto sign = [&] { return IsSigned(c->TakeType({Type::kU32, Type::kS32})); };
  const bool sets = entry->op == VideoOp::kSet;
  const bool shifts = entry->op == VideoOp::kShl || entry->op == VideoOp::kShr;
  video.type = sets ? Type::kU32 : c->TakeType({Type::kU32, Type::kS32});
  video.is_signed[0] = sign();
  video.is_signed[1] = shifts ? (c->TakeType({Type::kU32}), false) : sign();
  if (sets) {
    const int compare = c->TakeOne({"eq", "ne", "lt", "le", "gt", "ge"});
    video.compare = static_cast<Compare>(std::max(compare, 0));
    if (compare < 0) {
      c->Fail(fmt::format("{} lacks its comparison", c->Spelling()));
    }
  } else {
    video.saturate = c->Take("sat");
  }
  if (shifts) {
    const int mode = c->TakeOne({"clamp", "wrap"});
    video.wraps = mode == 1;
    if (mode < 0) {
      c->Fail(fmt::format("{} lacks .clamp or .wrap", c->Spelling()));
    }
  }
  if (entry->op == VideoOp::kMad) {
    VideoProduct(c, &video);
  } else {
    VideoSecondary(c, &video);
  }
}

}  // namespace muster::ptx
