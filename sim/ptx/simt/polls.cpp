// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/simt/polls.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "sim/isa/bits.h"
#include "sim/ptx/program/address.h"
#include "sim/ptx/program/op_class.h"
#include "sim/ptx/program/registers.h"

namespace muster::ptx {
namespace {

template <typename T>
std::string Number(const std::uint8_t* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return fmt::format("{}", value);
}

std::string ValueAt(const std::uint8_t* at, Type type) {
  std::string text;
  if (type == Type::kF32 || type == Type::kF64) {
    WithFloat(type, [&](auto zero) { text = Number<decltype(zero)>(at); });
  } else {
    WithInteger(IsFloat(type) ? Type::kB16 : type,
                [&](auto zero) { text = Number<decltype(zero)>(at); });
  }
  return text;
}

// Whether the loop leaves one value at most in the register.
bool IsKnown(const Execution& x, const std::vector<std::uint32_t>& loop, Slot base) {
  return base == kNoSlot || IsLiteral(base) ||
         std::count_if(loop.begin(), loop.end(), [&](std::uint32_t pc) {
           const std::vector<Slot> results = ResultsOf(x.program.code[pc]);
           return std::find(results.begin(), results.end(), base) != results.end();
         }) <= 1;
}

}  // namespace

std::vector<Poll> PollsOf(const Execution& x, const Warp& warp, const Group& group) {
  Warp copy = warp;
  std::vector<Poll> polls;
  std::vector<std::uint32_t> loop = LoopOf(x.program.code, group.pc, true);
  std::sort(loop.begin(), loop.end());
  for (const std::uint32_t pc : loop) {
    const Instruction& i = x.program.code[pc];
    if (i.op != Op::kLoad && i.op != Op::kAtomic) {
      continue;
    }
    const Access& access = AccessOf(i);
    const Slot base = access.address.base;
    if (Bytes(access.type) > sizeof(std::uint64_t) || !IsKnown(x, loop, base)) {
      continue;
    }
    ForEachBit(group.lanes, [&](unsigned lane) {
      const std::uint64_t from = base == kNoSlot   ? 0
                                 : IsLiteral(base) ? x.program.literals[LiteralIndex(base)]
                                                   : copy.Register(group.frame, base, lane);
      std::uint64_t address = access.address.From(from);
      Space space = access.address.space;
      if (space == Space::kGeneric && SegmentOf(address) == kSharedSegment) {
        space = Space::kCluster;
        address = ByteOf(address);
      }
      const bool shared = IsShared(space);
      const std::uint8_t* const at =
          x.space.Reach(&copy, lane, space, address, Bytes(access.type) * access.count, false);
      const std::uint64_t segment = SegmentOf(address);
      if (at == nullptr || !(shared || segment == kGlobalSegment || segment >= kFirstBuffer)) {
        return;  // no other thread writes there
      }
      Poll poll{i.line, "", shared ? CtaAt(warp, address) : nullptr,
                shared ? SharedByte(address) : address, 1U << lane};
      const auto same = std::find_if(polls.begin(), polls.end(), [&](const Poll& other) {
        return other.line == poll.line && other.owner == poll.owner &&
               other.address == poll.address;
      });
      if (same != polls.end()) {
        same->lanes |= poll.lanes;
        return;
      }
      for (unsigned k = 0; k < access.count; ++k) {
        poll.value +=
            (k == 0 ? "" : ", ") + ValueAt(at + std::size_t{k} * Bytes(access.type), access.type);
      }
      polls.push_back(std::move(poll));
    });
  }
  return polls;
}

}  // namespace muster::ptx
