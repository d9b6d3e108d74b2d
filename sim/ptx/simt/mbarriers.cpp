// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/simt/mbarriers.h"

#include <algorithm>

#include "sim/isa/bits.h"
#include "sim/ptx/program/opcode.h"

namespace muster::ptx {
namespace {

// Which of `lanes` name the word that `leader` names.
std::uint32_t OfWord(const MbInstruction& i, unsigned leader, std::uint32_t lanes) {
  std::uint32_t same = 0;
  ForEachBit(lanes, [&](unsigned lane) {
    const bool of_word = i.addr[lane] == i.addr[leader] && i.rank[lane] == i.rank[leader] &&
                         ((i.remote >> lane ^ i.remote >> leader) & 1U) == 0;
    same |= (of_word ? 1U : 0U) << lane;
  });
  return same;
}

// The lanes of the next group of an instruction of which `left` are left: those that name the word
// and the operand of the lowest, up to one that names the word with another operand. Waits are
// alike by their phase, and change nothing (rtl/mbarrier/muster_mb_coalesce.sv).
std::uint32_t NextGroup(const MbInstruction& i, std::uint32_t left) {
  const unsigned leader = First(left);
  const std::uint32_t same = OfWord(i, leader, left);
  std::uint32_t alike = 0;
  ForEachBit(same, [&](unsigned lane) {
    const bool of_operand = IsMbWait(i.op) ? ((i.phase >> lane ^ i.phase >> leader) & 1U) == 0
                                           : i.operand[lane] == i.operand[leader];
    alike |= (of_operand ? 1U : 0U) << lane;
  });
  const std::uint32_t other = IsMbWait(i.op) ? 0 : same & ~alike;
  return alike & ((other & -other) - 1);
}

void AddGroups(const Config& config, unsigned warp, unsigned cta, const MbInstruction& instruction,
               std::vector<MbGroup>* groups) {
  for (std::uint32_t left = instruction.lanes; left != 0;) {
    const bool alone = !config.lanes && !IsMbWait(instruction.op);
    const std::uint32_t lanes = alone ? left & -left : NextGroup(instruction, left);
    const unsigned leader = First(lanes);
    left &= ~lanes;
    MbGroup& group = groups->emplace_back();
    group.rank = instruction.rank[leader];
    MbOperation& operation = group.operation;
    operation.tag = instruction.line;
    operation.pass = instruction.pass;
    operation.op = instruction.op;
    operation.source =
        (instruction.remote >> leader & 1U) != 0 ? MbSource::kOutbound : MbSource::kWarp;
    operation.cta = static_cast<std::uint8_t>(cta);
    operation.warp = static_cast<std::uint8_t>(warp);
    operation.lanes = lanes;
    operation.addr = instruction.addr[leader];
    operation.operand = instruction.operand[leader];
    if (instruction.has_hint) {
      ForEachBit(lanes, [&](unsigned lane) {
        operation.operand = std::min(operation.operand, instruction.operand[lane]);
      });
    }
    operation.asks = instruction.asks;
    operation.phase = (instruction.phase >> leader & 1U) != 0;
    operation.has_token = instruction.has_token;
    operation.has_hint = instruction.has_hint;
    operation.whole = IsWhole(config, lanes, instruction.lanes, instruction.live);
    operation.releasing = instruction.releasing;
    operation.behind = IsMbArrival(operation.op) ? OfWord(instruction, leader, left) : 0;
  }
}

}  // namespace

std::uint32_t LanesTo(const MbInstruction& instruction, unsigned rank, std::uint32_t lanes) {
  std::uint32_t to = 0;
  ForEachBit(lanes, [&](unsigned lane) { to |= (instruction.ctas[lane] >> rank & 1U) << lane; });
  return to;
}

std::uint32_t LanesThatEndAt(const MbInstruction& instruction, unsigned rank, std::uint32_t lanes) {
  std::uint32_t ending = 0;
  ForEachBit(lanes, [&](unsigned lane) {
    const std::uint32_t ctas = instruction.ctas[lane];
    const bool ends = ctas >> rank == 1 && (ctas >> instruction.own_rank & 1U) == 0;
    ending |= (ends ? 1U : 0U) << lane;
  });
  return ending;
}

std::vector<MbGroup> GroupsOf(const Config& config, unsigned warp, unsigned cta,
                              const MbInstruction& instruction) {
  std::vector<MbGroup> groups;
  if (!instruction.multicast) {
    AddGroups(config, warp, cta, instruction, &groups);
    return groups;
  }
  for (unsigned rank = 0; rank < kMaxClusterCtas; ++rank) {
    MbInstruction one = instruction;
    one.lanes = LanesTo(instruction, rank, instruction.lanes);
    one.remote = rank == instruction.own_rank ? 0 : ~0U;
    one.rank.fill(static_cast<std::uint8_t>(rank));
    const std::size_t first = groups.size();
    AddGroups(config, warp, cta, one, &groups);
    for (std::size_t i = first; i < groups.size() && one.remote != 0; ++i) {
      MbOperation& operation = groups[i].operation;
      operation.pass = instruction.passes.empty()
                           ? 0
                           : instruction.passes[rank * kWarpSize + First(operation.lanes)];
    }
  }
  return groups;
}

}  // namespace muster::ptx
