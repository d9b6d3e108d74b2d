// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/runtime/mbarrier_arrivals.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/isa/bits.h"
#include "sim/isa/effects.h"
#include "sim/ptx/program/demangle.h"

namespace muster::ptx {
namespace {

// Removes lanes of a warp from a list.
void Remove(std::vector<MbarrierArrivals::Member>* members, unsigned warp, std::uint32_t lanes) {
  for (MbarrierArrivals::Member& member : *members) {
    member.lanes &= member.warp == warp ? ~lanes : ~0U;
  }
  members->erase(
      std::remove_if(members->begin(), members->end(),
                     [](const MbarrierArrivals::Member& member) { return member.lanes == 0; }),
      members->end());
}

void Add(std::vector<MbarrierArrivals::Member>* members, const MbarrierArrivals::Member& fresh) {
  for (MbarrierArrivals::Member& member : *members) {
    if (member.warp == fresh.warp && member.line == fresh.line) {
      member.lanes |= fresh.lanes;
      return;
    }
  }
  members->push_back(fresh);
}

}  // namespace

void MbarrierArrivals::Reset() {
  rows_.clear();
  operations_ = {};
}

void MbarrierArrivals::Launch(unsigned slot, std::uint64_t cta) {
  ctas_[slot] = cta;
  entries_[slot].clear();
  histories_[slot].clear();
  invalidated_[slot].clear();
}

const MbarrierArrivals::Member* MbarrierArrivals::InvalidatedBy(unsigned slot,
                                                                std::uint32_t address) const {
  const auto found = invalidated_[slot].find(address);
  return found == invalidated_[slot].end() ? nullptr : &found->second;
}

MbarrierRow& MbarrierArrivals::RowOf(unsigned slot, std::uint32_t address) {
  MbarrierRow& row = rows_[{ctas_[slot], address}];
  row.cta = ctas_[slot];
  row.address = address;
  return row;
}

std::uint64_t MbarrierArrivals::Phases(unsigned slot, std::uint32_t address) const {
  const auto found = rows_.find({ctas_[slot], address});
  return found == rows_.end() ? 0 : found->second.phases;
}

void MbarrierArrivals::Step(const MbOperation& operation, const MbEffects& effects, unsigned warp,
                            std::uint32_t line) {
  const auto lanes = static_cast<unsigned>(__builtin_popcount(operation.lanes));
  operations_[static_cast<unsigned>(operation.op)] += lanes;
  MbarrierRow& row = RowOf(operation.cta, operation.addr);
  Entry& entry = entries_[operation.cta][operation.addr];
  if (IsMbWait(operation.op)) {
    if (WaitsForPhase(operation)) {
      Wait(operation, effects, warp, line);
    }
    return;
  }
  if (operation.op == MbOp::kInit || operation.op == MbOp::kInval) {
    entry.came.clear();
    histories_[operation.cta].erase(operation.addr);
    invalidated_[operation.cta].erase(operation.addr);
  }
  if (operation.op == MbOp::kInit) {
    histories_[operation.cta][operation.addr].fresh = true;
  }
  if (effects.written && operation.op != MbOp::kInval) {
    histories_[operation.cta][operation.addr].word = effects.word;
  }
  if (operation.op == MbOp::kInval) {
    invalidated_[operation.cta][operation.addr] = {warp, operation.lanes, line};
  }
  if (IsMbArrival(operation.op)) {
    row.arrivals += lanes;
    if (operation.source == MbSource::kWarp) {
      Add(&entry.came, {warp, operation.lanes, line});
    }
  }
  if (effects.completions != 0) {
    History& history = histories_[operation.cta][operation.addr];
    history.fresh = false;
    for (const Member& member : entry.came) {
      history.arrivers |= Bit(member.warp);
    }
    // These waits are answered; but for a conditional phase that a report holds back.
    const bool held_back = DecodeMbWord(effects.word, true).last != 0;
    std::vector<Member> left;
    for (const Member& member : entry.waits) {
      if (held_back && member.conditional) {
        left.push_back(member);
      } else {
        history.seen[member.warp] = row.phases;
      }
    }
    entry = {{}, left};
  }
  row.phases += effects.completions;
}

const MbarrierArrivals::History& MbarrierArrivals::HistoryOf(unsigned slot,
                                                             std::uint32_t address) const {
  static const History kNone;
  const auto found = histories_[slot].find(address);
  return found == histories_[slot].end() ? kNone : found->second;
}

// A lane waits in one place at a time.
void MbarrierArrivals::Wait(const MbOperation& operation, const MbEffects& effects, unsigned warp,
                            std::uint32_t line) {
  for (auto& [address, entry] : entries_[operation.cta]) {
    Remove(&entry.waits, warp, operation.lanes);
  }
  if (effects.complete == 0) {
    Add(&entries_[operation.cta][operation.addr].waits,
        {warp, operation.lanes, line, operation.phase, operation.asks == MbAsks::kConditional});
  } else if (const std::uint64_t phases = Phases(operation.cta, operation.addr); phases != 0) {
    histories_[operation.cta][operation.addr].seen[warp] = phases - 1;
  } else {
    histories_[operation.cta][operation.addr].passed = true;
  }
  if (effects.parked != 0) {
    MbarrierRow& row = RowOf(operation.cta, operation.addr);
    ++row.waits;
    parked_at_[operation.warp] = &row;  // rows stay where they are
  }
}

void MbarrierArrivals::Expire(unsigned warp_slot) { ++parked_at_[warp_slot]->limits; }

std::vector<MbarrierRow> MbarrierArrivals::Rows() const {
  std::vector<MbarrierRow> rows;
  rows.reserve(rows_.size());
  for (const auto& [key, row] : rows_) {
    rows.push_back(row);
  }
  return rows;
}

std::string MbarrierName(const Program& program, std::uint32_t address) {
  for (const SharedName& name : program.shared_names) {
    const std::uint32_t offset = address - name.address;
    if (address < name.address || (name.bytes != 0 && offset >= name.bytes)) {
      continue;
    }
    const std::string member = program.types.MemberAt(name.name, offset);
    const std::string said = Demangled(name.name) + member;
    return offset == 0 || !member.empty() ? fmt::format("{} ({:#x})", said, address)
                                          : fmt::format("{}+{:#x} ({:#x})", said, offset, address);
  }
  return fmt::format("{:#x}", address);
}

}  // namespace muster::ptx
