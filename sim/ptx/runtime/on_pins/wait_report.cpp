// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/runtime/on_pins/wait_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/isa/bits.h"
#include "sim/isa/mbarrier_word.h"
#include "sim/isa/warp_size.h"
#include "sim/ptx/program/address.h"
#include "sim/ptx/program/demangle.h"
#include "sim/ptx/program/op_class.h"
#include "sim/ptx/simt/polls.h"

namespace muster::ptx {
namespace {

// Whether the group goes on by itself, so that in a deadlock it repeats a loop.
bool IsInLoop(const Group& group) {
  return group.state == Group::State::kReady || group.state == Group::State::kAsleep;
}

// "byte 4 of buffer out"; of a variable of the file "flag+0x4".
std::string GlobalName(const Program& program, const Execution& execution, std::uint64_t address) {
  const std::uint64_t byte = ByteOf(address);
  for (const FileVariable& variable : program.variables) {
    const std::uint64_t offset = byte - variable.offset;
    if (SegmentOf(address) == kGlobalSegment && !variable.is_const && byte >= variable.offset &&
        offset < variable.bytes) {
      return Demangled(variable.name) + (offset == 0 ? "" : fmt::format("+{:#x}", offset));
    }
  }
  const Region* const region = execution.memory->RegionAt(address);
  return fmt::format("byte {} of {}", byte,
                     region == nullptr || region->name.empty() ? "global memory" : region->name);
}

}  // namespace

WarpLocation WaitReport::Where(unsigned warp) const {
  const WarpSlot& slot = residents_.warps[warp];
  const Arrival& arrival = slot.warp.arrival;
  WarpLocation where{residents_.IndexInCta(warp), "", 0};
  switch (slot.phase) {
    case WarpPhase::kExited:
      where.what = "has exited";
      where.line = slot.warp.exit_from;
      where.has_exited = true;
      break;
    case WarpPhase::kWaiting:
    case WarpPhase::kIssuing:
      where.what = fmt::format("waits at barrier {}", arrival.bar);
      where.line = arrival.line;
      break;
    case WarpPhase::kArriving:
    case WarpPhase::kInCluster:
      where.what = "waits at barrier.cluster";
      where.line = arrival.line;
      break;
    case WarpPhase::kAtGrid:
      where.what = "waits at griddepcontrol.wait";
      where.line = slot.warp.grid_control.line;
      break;
    default: {
      if (slot.warp.groups.empty()) {
        where.what = "exits";
        where.line = slot.warp.exit_line;
        break;
      }
      std::vector<std::string> groups;
      for (const Group& group : slot.warp.groups) {
        if (group.state != Group::State::kAsked) {
          groups.push_back(core_.interpreter().standing().Describe(slot.warp, group) +
                           PollsText(warp, group));
          continue;
        }
        const std::string at = MbarriersOf(warp, group.lanes);
        const std::uint32_t line = core_.interpreter().LineAt(group.pc);
        groups.push_back(
            fmt::format("lanes {:#010x} wait at {} ({})", group.lanes, at, program_.Place(line)));
        where.brief = fmt::format("waits with lanes {:#010x} at {}", group.lanes, at);
      }
      const bool waits =
          slot.phase == WarpPhase::kAsleep ||
          std::any_of(slot.warp.groups.begin(), slot.warp.groups.end(), [](const Group& group) {
            return group.state == Group::State::kAwaitsResource;
          });
      where.line = core_.interpreter().LineAt(slot.warp.groups.front().pc);
      const Group& first = slot.warp.groups.front();
      if ((first.state == Group::State::kAsked && first.lanes == slot.warp.live) ||
          IsAtMbarriers(warp)) {
        where.what = "waits at " + MbarriersOf(warp, slot.warp.live);
        where.brief.clear();
        break;
      }
      where.what = fmt::format("{}: {}",
                               waits                             ? "waits"
                               : slot.phase == WarpPhase::kStuck ? "waits for its own lanes"
                               : deadlocked_                     ? "repeats a loop"
                                                                 : "runs",
                               fmt::join(groups, ", "));
    }
  }
  return where;
}

bool WaitReport::IsAtMbarriers(unsigned warp) const {
  const Warp& of = residents_.warps[warp].warp;
  const unsigned index = residents_.IndexInCta(warp);
  std::uint32_t waiting = 0;
  for (const auto& of_word : core_.mbarriers().At(residents_.warps[warp].cta)) {
    for (const MbarrierArrivals::Member& member : of_word.second.waits) {
      waiting |= member.warp == index ? member.lanes : 0;
    }
  }
  const auto tries = [&](const Group& group) {
    const std::vector<std::uint32_t> loop = LoopOf(program_.code, group.pc, true);
    return std::any_of(loop.begin(), loop.end(),
                       [&](std::uint32_t pc) {
                         const Instruction& i = program_.code[pc];
                         return i.op == Op::kMbarrier && IsMbWait(i.As<Mbarrier>().op);
                       }) &&
           PollsText(warp, group).empty();
  };
  return deadlocked_ && (of.live & ~waiting) == 0 &&
         std::all_of(of.groups.begin(), of.groups.end(), [&](const Group& group) {
           return group.state == Group::State::kAsked || (IsInLoop(group) && tries(group));
         });
}

std::string WaitReport::PollsText(unsigned warp, const Group& group) const {
  constexpr std::size_t kMost = 3;
  if (!deadlocked_ || !IsInLoop(group)) {
    return "";
  }
  const Warp& of = residents_.warps[warp].warp;
  std::vector<std::string> texts;
  std::uint32_t line = 0;
  for (const Poll& poll : PollsOf(core_.interpreter().execution(), of, group)) {
    if (poll.line == line || texts.size() == kMost) {
      continue;  // one address of each line
    }
    line = poll.line;
    const std::string there =
        poll.owner == nullptr
            ? GlobalName(program_, core_.interpreter().execution(), poll.address)
            : MbarrierName(program_, static_cast<std::uint32_t>(poll.address)) +
                  (poll.owner == of.cta ? ""
                                        : " of CTA " + core_.grid().CtaName(poll.owner->linear_id));
    texts.push_back(fmt::format(
        "{} {} at {} ({})",
        poll.lanes == group.lanes ? "read" : fmt::format("lane {} reads", First(poll.lanes)),
        poll.value, there, program_.Place(poll.line)));
  }
  return texts.empty() ? "" : fmt::format(", and {}", fmt::join(texts, ", "));
}

std::string WaitReport::MbarriersOf(unsigned warp, std::uint32_t lanes) const {
  const unsigned index = residents_.IndexInCta(warp);
  std::vector<std::string> names;
  for (const auto& [address, entry] : core_.mbarriers().At(residents_.warps[warp].cta)) {
    const bool waits = std::any_of(entry.waits.begin(), entry.waits.end(),
                                   [&](const MbarrierArrivals::Member& member) {
                                     return member.warp == index && (member.lanes & lanes) != 0;
                                   });
    if (waits) {
      names.push_back("mbarrier " + MbarrierName(program_, address));
    }
  }
  return names.empty() ? "an mbarrier" : fmt::format("{}", fmt::join(names, ", "));
}

Arrivals WaitReport::AheadOf(unsigned warp) const {
  Arrivals all;
  for (const Group& group : residents_.warps[warp].warp.groups) {
    const Arrivals& some = ahead_.From(group.pc);
    all.barriers |= some.barriers;
    all.mbarriers = all.mbarriers || some.mbarriers;
  }
  return all;
}

template <typename HasCome, typename MayCome>
void WaitReport::AddAbsent(const CtaSlot& cta, HasCome has_come, MayCome may_come,
                           std::vector<WarpLocation>* missing, std::vector<WarpLocation>* others,
                           bool* can_come) const {
  ForEachBit(cta.warps, [&](unsigned warp) {
    const unsigned index = residents_.IndexInCta(warp);
    if (!has_come(index, residents_.warps[warp].phase == WarpPhase::kExited)) {
      (may_come(warp, index) ? missing : others)->push_back(Where(warp));
    }
  });
  *can_come = !missing->empty();
  if (missing->empty()) {
    missing->swap(*others);
  }
}

std::vector<StuckBarrier> WaitReport::StuckBarriers() const {
  std::vector<StuckBarrier> stuck;
  for (unsigned slot = 0; slot < residents_.ctas.size(); ++slot) {
    const CtaSlot& cta = residents_.ctas[slot];
    for (unsigned bar = 0; cta.taken && !cta.ended && bar < kNumBars; ++bar) {
      const BarrierArrivals::Entry& entry = core_.barriers().At(slot, bar);
      if (entry.members.empty()) {
        continue;
      }
      StuckBarrier row;
      row.cta = cta.cta.linear_id;
      row.id = bar;
      row.kind = Name(entry.kind);
      row.all_warps = entry.count == 0;
      row.arrived = static_cast<unsigned>(entry.members.size());
      const std::uint64_t live = cta.warps & ~cta.exited;
      row.expected = row.all_warps ? static_cast<unsigned>(__builtin_popcountll(live))
                                   : entry.count / kWarpSize;
      std::uint64_t came = 0;
      for (const BarrierArrivals::Member& member : entry.members) {
        came |= Bit(member.warp);
        row.came.push_back({member.warp, member.waits ? "waits" : "arrived and went on",
                            member.line, member.waits});
      }
      const std::uint64_t before = core_.barriers().ArrivedBefore(slot, bar);
      AddAbsent(
          cta,
          [&](unsigned index, bool exited) {
            return (came & Bit(index)) != 0 || (row.all_warps && exited);
          },
          [&](unsigned warp, unsigned index) {
            return row.all_warps || (before & Bit(index)) != 0 ||
                   (AheadOf(warp).barriers >> bar & 1U) != 0;
          },
          &row.missing, &row.others, &row.can_come);
      stuck.push_back(std::move(row));
    }
  }
  return stuck;
}

bool WaitReport::DescribeCta(unsigned cta, StuckCluster* row) const {
  bool waits = false;
  ForEachBit(residents_.ctas[cta].warps, [&](unsigned warp) {
    const WarpSlot& slot = residents_.warps[warp];
    const std::uint32_t live = slot.warp.live;
    const ClusterWarp* const known =
        cluster_ == nullptr ? nullptr : cluster_->FindWarp(core_.unit(), warp);
    const bool came = live != 0 && known != nullptr && known->arrived == live;
    const bool stands = slot.phase == WarpPhase::kInCluster;
    waits = waits || stands;
    if (live == 0) {  // threads that have exited count as arrived
      return;
    }
    ++row->expected;
    if (came) {
      ++row->arrived;
      row->came.emplace_back(
          residents_.LinearCta(warp),
          WarpLocation{residents_.IndexInCta(warp), stands ? "waits" : "arrived and went on",
                       slot.cluster_line, stands});
    } else {
      row->missing.emplace_back(residents_.LinearCta(warp), Where(warp));
    }
  });
  return waits;
}

std::vector<StuckWarp> WaitReport::WarpsIn(std::initializer_list<WarpPhase> phases) const {
  std::vector<StuckWarp> there;
  for (unsigned warp = 0; warp < residents_.warps.size(); ++warp) {
    if (std::find(phases.begin(), phases.end(), residents_.warps[warp].phase) != phases.end()) {
      there.push_back({residents_.LinearCta(warp), Where(warp)});
    }
  }
  return there;
}

std::optional<std::string> WaitReport::At(std::uint64_t cta, unsigned warp) const {
  for (unsigned slot = 0; slot < residents_.warps.size(); ++slot) {
    if (residents_.warps[slot].phase != WarpPhase::kFree && residents_.LinearCta(slot) == cta &&
        residents_.IndexInCta(slot) == warp) {
      const WarpLocation where = Where(slot);
      const bool names_lines = where.what.find("lanes") != std::string::npos;
      return names_lines ? "it " + where.what
                         : fmt::format("it {} ({})", where.what, program_.Place(where.line));
    }
  }
  return std::nullopt;
}

// Returns warps that repeat a loop, unless the report shows them at an mbarrier, warps with lanes
// that wait for lanes of their own warp, and those that wait for another launch.
std::vector<StuckWarp> WaitReport::StuckWarps() const {
  std::vector<StuckWarp> there = WarpsIn({WarpPhase::kStuck, WarpPhase::kAtGrid});
  for (unsigned warp = 0; deadlocked_ && warp < residents_.warps.size(); ++warp) {
    const WarpSlot& slot = residents_.warps[warp];
    const bool sleeps =
        slot.phase == WarpPhase::kAsleep && Waits::WakesAt(slot.warp) != Waits::kNever;
    const bool is_apart =
        slot.phase == WarpPhase::kAsleep &&
        std::any_of(slot.warp.groups.begin(), slot.warp.groups.end(),
                    [](const Group& group) { return group.state == Group::State::kHeld; });
    if ((sleeps || is_apart || slot.phase == WarpPhase::kReady ||
         slot.phase == WarpPhase::kAsking) &&
        !IsAtMbarriers(warp)) {
      there.push_back({residents_.LinearCta(warp), Where(warp)});
    }
  }
  return there;
}

std::vector<StuckWarp> WaitReport::RunningWarps() const {
  return WarpsIn({WarpPhase::kReady, WarpPhase::kIssuing, WarpPhase::kBlocked, WarpPhase::kArriving,
                  WarpPhase::kAsking, WarpPhase::kAsleep});
}

std::vector<LanesAt> WaitReport::Standing() const {
  std::vector<LanesAt> standing;
  for (unsigned warp = 0; warp < residents_.warps.size(); ++warp) {
    const WarpSlot& slot = residents_.warps[warp];
    if (slot.phase == WarpPhase::kFree || slot.phase == WarpPhase::kExited) {
      continue;
    }
    const bool waits = slot.phase == WarpPhase::kWaiting || slot.phase == WarpPhase::kIssuing;
    for (const Group& group : slot.warp.groups) {
      // Lanes at a barrier already have the pc of the next instruction, but still wait.
      const std::uint32_t arrived =
          group.lanes & (waits ? slot.warp.arrival.lanes : slot.in_cluster);
      const LanesAt at{residents_.LinearCta(warp), residents_.IndexInCta(warp), arrived,
                       slot.warp.arrival.line};
      if (arrived != 0) {
        standing.push_back(at);
      }
      if (arrived != group.lanes) {
        standing.push_back(
            {at.cta, at.warp, group.lanes & ~arrived, core_.interpreter().LineAt(group.pc)});
      }
    }
  }
  return standing;
}

std::vector<MbarrierWord> WaitReport::MbarrierWords() const {
  std::vector<MbarrierWord> words;
  for (unsigned slot = 0; slot < residents_.ctas.size() && port_ != nullptr; ++slot) {
    const CtaSlot& cta = residents_.ctas[slot];
    for (const auto& of_word : core_.mbarriers().At(slot)) {
      if (cta.taken && !cta.ended) {
        words.push_back({cta.cta.linear_id, of_word.first,
                         port_->Load({static_cast<std::uint8_t>(slot), of_word.first})});
      }
    }
  }
  return words;
}

namespace {

// Describes what a warp waits for at an mbarrier in phase `now`, and how many phases it lags
// behind.
std::string WaitText(const MbarrierArrivals::History& history, std::uint64_t now,
                     const MbarrierArrivals::Member& member) {
  std::string text =
      fmt::format("waits for {}parity {}, lanes {:#010x}", member.conditional ? "conditional " : "",
                  member.parity ? 1 : 0, member.lanes);
  if (member.conditional) {
    return text;
  }
  const auto seen = history.seen.find(member.warp);
  const std::uint64_t next = seen == history.seen.end() ? 0 : seen->second + 1;
  if (seen != history.seen.end() && next < now) {
    text += now == next + 1
                ? fmt::format("; phase {} completed without its waiting", next)
                : fmt::format("; phases {} to {} completed without its waiting", next, now - 1);
  }
  return text;
}

}  // namespace

std::vector<StuckMbarrier> WaitReport::StuckMbarriers() const {
  std::vector<StuckMbarrier> stuck;
  for (unsigned slot = 0; slot < residents_.ctas.size() && port_ != nullptr; ++slot) {
    const CtaSlot& cta = residents_.ctas[slot];
    for (const auto& of_word : core_.mbarriers().At(slot)) {
      const std::uint32_t address = of_word.first;
      const MbarrierArrivals::Entry& entry = of_word.second;
      if (!cta.taken || cta.ended || entry.waits.empty()) {
        continue;
      }
      const MbWord word =
          DecodeMbWord(port_->Load({static_cast<std::uint8_t>(slot), address}), true);
      StuckMbarrier row;
      row.cta = cta.cta.linear_id;
      row.name = MbarrierName(program_, address);
      row.phase = core_.mbarriers().Phases(slot, address);
      row.pending = word.pending;
      row.expected = word.expected;
      row.tx = word.tx;
      row.parity = word.phase;
      const MbarrierArrivals::History& history = core_.mbarriers().HistoryOf(slot, address);
      row.fresh = history.fresh && !history.passed;
      std::uint64_t there = 0;
      for (const MbarrierArrivals::Member& member : entry.came) {
        there |= Bit(member.warp);
        row.came.push_back(
            {member.warp, fmt::format("arrived, lanes {:#010x}", member.lanes), member.line});
      }
      for (const MbarrierArrivals::Member& member : entry.waits) {
        there |= Bit(member.warp);
        row.waits.push_back(
            {member.warp, WaitText(history, *row.phase, member), member.line, true});
      }
      if (row.pending != 0) {  // otherwise bytes alone are lacking
        AddAbsent(
            cta, [&](unsigned index, bool) { return (there & Bit(index)) != 0; },
            [&](unsigned warp, unsigned index) {
              return history.arrivers != 0 ? (history.arrivers & Bit(index)) != 0
                                           : AheadOf(warp).mbarriers;
            },
            &row.missing, &row.others, &row.can_come);
      }
      if (history.arrivers != 0) {
        row.others.clear();  // those that have arrived before are known
      }
      stuck.push_back(std::move(row));
    }
  }
  return stuck;
}

}  // namespace muster::ptx
