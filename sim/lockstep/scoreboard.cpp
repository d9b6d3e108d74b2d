// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/lockstep/scoreboard.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "sim/isa/config.h"
#include "sim/isa/effects.h"
#include "sim/isa/fault.h"

namespace muster::lockstep {
namespace {

std::string Hex(std::uint64_t value) { return fmt::format("{:#x}", value); }

}  // namespace

Scoreboard::Scoreboard(const Config& config, const golden::Model& model)
    : config_(config),
      bounds_(BoundsOf(config)),
      model_(model),
      changed_(std::size_t{config.num_ctas} * kNumBars, 0),
      records_(kRecords) {}

// ------------------------------------------------------------------------------------------------
// Predictions
// ------------------------------------------------------------------------------------------------

bool Scoreboard::Expect(std::uint64_t cycle, const Commits& commits, const Effects* effects) {
  Slot* slot = &slots_[(cycle + bounds_.latency) % kSlots];
  std::uint64_t& moved = moved_[cycle % kQuiet];
  for (unsigned i = 0; i < commits.count; ++i) {
    const Operation& operation = commits.operations[i];
    moved |= effects[i].released;
    if (!ExpectOne(cycle, operation, commits.about[i].port, effects[i], slot)) {
      return false;
    }
    records_[kept_++ % kRecords] = {cycle, operation, effects[i]};
  }
  moved |= (live_ ^ model_.Live()) | (waiting_ ^ model_.Waiting());
  live_ = model_.Live();
  waiting_ = model_.Waiting();
  return true;
}

bool Scoreboard::ExpectOne(std::uint64_t cycle, const Operation& operation, unsigned port,
                           const Effects& effects, Slot* slot) {
  if (effects.fault != FaultCause::kNone) {
    slot->any = true;
    slot->fault_valid |= static_cast<std::uint8_t>(1U << port);
    Outputs::Fault& fault = slot->fault[port];
    fault.cause = effects.fault;
    fault.cta = operation.cta;
    const bool lifecycle = IsLifecycle(operation.kind);
    const bool names_warp = operation.kind == OpKind::kExit || operation.kind == OpKind::kJoin;
    fault.warp = lifecycle && !names_warp ? 0 : operation.warp;
    fault.lanes = lifecycle ? 0 : operation.lanes & model_.LanesOfWarp();
    fault.bar = NamesEntry(operation.kind) ? operation.bar : 0;
    return true;
  }
  if (effects.entry_written) {
    if (slot->entry_valid && (slot->cta != effects.cta || slot->bar != effects.bar)) {
      return Differ("commit", "two entries in one cycle", "one", effects.cta, effects.bar);
    }
    slot->any = true;
    slot->entry_valid = true;
    slot->cta = effects.cta;
    slot->bar = effects.bar;
    slot->word = effects.word;
    changed_[EntryOf(effects.cta, effects.bar)] = cycle;
  }
  if (effects.released != 0) {
    if (slot->released != 0) {
      return Differ("commit", "two releases in one cycle", "one", effects.cta, effects.bar);
    }
    slot->any = true;
    slot->cta = effects.cta;
    slot->bar = effects.bar;
    slot->released = effects.released;
    slot->kind = effects.released_kind;
    slot->value = static_cast<std::uint16_t>(effects.released_value);
  }
  if (effects.responds) {
    return ExpectResponse(cycle, operation.warp, effects);
  }
  if (operation.kind == OpKind::kLaunch || operation.kind == OpKind::kOpen) {
    for (unsigned bar = 0; bar < kNumBars; ++bar) {
      changed_[EntryOf(operation.cta, bar)] = cycle;
    }
  }
  return true;
}

bool Scoreboard::ExpectResponse(std::uint64_t cycle, unsigned warp, const Effects& effects) {
  if (responses_tail_ - responses_head_ == kResponses) {
    return Differ("response_valid", "0", fmt::format("1: {} responses outstanding", kResponses));
  }
  Response& response = responses_[responses_tail_++ % kResponses];
  response.commit = cycle;
  response.stalls = stalls_;
  response.data = effects.data;
  response.warp = static_cast<std::uint8_t>(warp);
  response.pred = effects.pred;
  return true;
}

std::vector<log::Record> Scoreboard::History(unsigned cta, unsigned bar) const {
  std::vector<log::Record> history;
  for (std::uint64_t i = kept_; i != kept_ - std::min(kept_, kRecords); --i) {
    const log::Record& record = records_[(i - 1) % kRecords];
    const bool written = record.effects.entry_written;
    const unsigned at = written ? EntryOf(record.effects.cta, record.effects.bar)
                                : EntryOf(record.operation.cta, record.operation.bar);
    if (at == EntryOf(cta, bar) && history.size() < kReported) {
      history.push_back(record);
    }
  }
  std::reverse(history.begin(), history.end());
  return history;
}

std::optional<log::Record> Scoreboard::Latest() const {
  return kept_ == 0 ? std::nullopt : std::optional(records_[(kept_ - 1) % kRecords]);
}

// ------------------------------------------------------------------------------------------------
// Comparison
// ------------------------------------------------------------------------------------------------

bool Scoreboard::Compare(std::uint64_t cycle, const Inputs& in, const Outputs& out) {
  Slot& slot = slots_[cycle % kSlots];
  if (slot.any || out.released != 0 || out.fault_valid != 0 || out.entry_valid) {
    if (!CompareSlot(slot, out)) {
      return false;
    }
    slot.any = false;
    slot.entry_valid = false;
    slot.fault_valid = 0;
    slot.released = 0;
  }
  const bool good = CompareResponse(cycle, in, out) && CompareDebugReads(cycle, out);
  moved_[(cycle + 1) % kQuiet] = 0;
  return good;
}

bool Scoreboard::CompareSlot(const Slot& slot, const Outputs& out) {
  if (!CompareRelease(slot, out)) {
    return false;
  }
  if (out.fault_valid != 0 || slot.fault_valid != 0) {
    if (!CompareFaults(slot, out)) {
      return false;
    }
  }
  if (out.entry_valid != slot.entry_valid) {
    const Slot& at = slot;
    return slot.entry_valid ? Differ("entry.valid", "0", "1", at.cta, at.bar)
                            : Differ("entry.valid", "1", "0", out.entry_cta, out.entry_bar);
  }
  if (!slot.entry_valid) {
    return true;
  }
  if (out.entry_cta != slot.cta) {
    return Differ("entry.cta", Hex(out.entry_cta), Hex(slot.cta), slot.cta, slot.bar);
  }
  if (out.entry_bar != slot.bar) {
    return Differ("entry.bar", Hex(out.entry_bar), Hex(slot.bar), slot.cta, slot.bar);
  }
  return out.entry_word == slot.word ||
         Differ("entry.word", Hex(out.entry_word), Hex(slot.word), slot.cta, slot.bar);
}

bool Scoreboard::CompareRelease(const Slot& slot, const Outputs& out) {
  if (out.released != slot.released) {
    return slot.entry_valid
               ? Differ("release.warps", Hex(out.released), Hex(slot.released), slot.cta, slot.bar)
               : Differ("release.warps", Hex(out.released), Hex(slot.released), out.release_cta,
                        out.release_bar);
  }
  if (slot.released == 0) {
    return true;
  }
  if (out.release_cta != slot.cta) {
    return Differ("release.cta", Hex(out.release_cta), Hex(slot.cta), slot.cta, slot.bar);
  }
  if (out.release_bar != slot.bar) {
    return Differ("release.bar", Hex(out.release_bar), Hex(slot.bar), slot.cta, slot.bar);
  }
  if (out.release_kind != slot.kind) {
    return Differ("release.kind", Name(out.release_kind), Name(slot.kind), slot.cta, slot.bar);
  }
  return out.release_value == slot.value ||
         Differ("release.value", Hex(out.release_value), Hex(slot.value), slot.cta, slot.bar);
}

bool Scoreboard::CompareFaults(const Slot& slot, const Outputs& out) {
  for (unsigned port = 0; port < config_.num_issue + 2; ++port) {
    const bool expected = (slot.fault_valid >> port & 1) != 0;
    const bool seen = (out.fault_valid >> port & 1) != 0;
    const Outputs::Fault& is = out.fault[port];
    const Outputs::Fault& must = slot.fault[port];
    if (seen && expected && is.cause == must.cause && is.cta == must.cta && is.warp == must.warp &&
        is.lanes == must.lanes && is.bar == must.bar) {
      continue;
    }
    if (!seen && !expected) {
      continue;
    }
    const auto describe = [](bool valid, const Outputs::Fault& fault) {
      return valid ? fmt::format("{} (CTA {}, warp {}, barrier {}, lanes {:#x})", Name(fault.cause),
                                 fault.cta, fault.warp, fault.bar, fault.lanes)
                   : std::string("none");
    };
    const Outputs::Fault& at = expected ? must : is;
    return Differ(fmt::format("fault[{}]", port).c_str(), describe(seen, is),
                  describe(expected, must), at.cta, at.bar);
  }
  return true;
}

bool Scoreboard::CompareResponse(std::uint64_t cycle, const Inputs& in, const Outputs& out) {
  if (!out.response_valid) {
    return !ResponsesOutstanding() || InTime(cycle, responses_[responses_head_ % kResponses]);
  }
  if (!ResponsesOutstanding()) {
    return Differ("response_valid", "1", "0: none is outstanding");
  }
  const Response& response = responses_[responses_head_ % kResponses];
  if (out.response_warp != response.warp || out.response_data != response.data ||
      out.response_pred != response.pred) {
    const auto describe = [](unsigned warp, std::uint32_t data, bool pred) {
      return fmt::format("warp {}, data {:#x}, pred {}", warp, data, pred ? 1 : 0);
    };
    return Differ("response", describe(out.response_warp, out.response_data, out.response_pred),
                  describe(response.warp, response.data, response.pred));
  }
  if (!in.response_ready) {
    ++stalls_;
    return true;
  }
  ++responses_head_;
  return InTime(cycle, response);
}

bool Scoreboard::InTime(std::uint64_t cycle, const Response& response) {
  const std::uint64_t wait = cycle - response.commit - (stalls_ - response.stalls);
  longest_response_ = std::max(longest_response_, wait);
  return wait <= bounds_.longest[kResponseWait] ||
         Differ("wait.response", fmt::format("{} cycles: of warp {}", wait, response.warp),
                fmt::format("at most {}, as published", bounds_.longest[kResponseWait]));
}

// ------------------------------------------------------------------------------------------------
// Debug reads
// ------------------------------------------------------------------------------------------------

void Scoreboard::StartSweep() {
  next_entry_ = 0;
  end_entry_ = config_.num_ctas * kNumBars;
  next_warp_ = 0;
  end_warp_ = config_.num_warps;
}

void Scoreboard::Address(Inputs* in) {
  addressed_ = Addressed();
  while (next_entry_ < end_entry_ && !model_.Resident(next_entry_ / kNumBars)) {
    next_entry_ += kNumBars - next_entry_ % kNumBars;
  }
  if (next_entry_ < end_entry_) {
    addressed_.entry = next_entry_++;
    in->debug_cta = static_cast<std::uint8_t>(addressed_.entry / kNumBars);
    in->debug_bar = static_cast<std::uint8_t>(addressed_.entry % kNumBars);
  }
  if (next_warp_ < end_warp_) {
    addressed_.warp = next_warp_++;
    in->debug_warp = static_cast<std::uint8_t>(addressed_.warp);
  }
}

// Entries that have changed lately are left out: their update is on its way.
bool Scoreboard::CompareDebugReads(std::uint64_t cycle, const Outputs& out) {
  const Addressed at = std::exchange(answered_, std::exchange(addressed_, Addressed()));
  return (at.entry == kNone || CompareEntry(cycle, at.entry, out)) &&
         (at.warp == kNone || CompareWarp(at.warp, out));
}

bool Scoreboard::CompareEntry(std::uint64_t cycle, unsigned entry, const Outputs& out) {
  const unsigned cta = entry / kNumBars;
  const unsigned bar = entry % kNumBars;
  if (changed_[entry] + kQuiet > cycle || !model_.Resident(cta)) {
    return true;
  }
  const std::uint32_t word = model_.EntryWord(cta, bar);
  return out.debug_word == word || Differ("debug.word", Hex(out.debug_word), Hex(word),
                                          static_cast<int>(cta), static_cast<int>(bar));
}

bool Scoreboard::CompareWarp(unsigned warp, const Outputs& out) {
  const std::uint64_t bit = std::uint64_t{1} << warp;
  const std::uint64_t moved =
      std::accumulate(moved_.begin(), moved_.end(), std::uint64_t{0}, std::bit_or<>());
  if ((moved & bit) != 0) {
    return true;
  }
  const auto describe = [warp](bool live, bool waiting) {
    return fmt::format("warp {}: {}{}", warp, live ? "live" : "not live", waiting ? ", waits" : "");
  };
  const unsigned cta = out.debug_warp_cta;
  const bool in_cta = out.debug_live && cta < config_.num_ctas && model_.Resident(cta);
  const bool is_live = in_cta && (model_.LiveWarps(cta) & bit) != 0;
  const bool live = (model_.Live() & bit) != 0;
  // Without reductions and faults, the unit does not store which warps wait; and it is not checked
  // for a warp that is not live.
  const bool tells = live && (config_.reduce || config_.faults);
  const bool waiting = tells && (model_.Waiting() & bit) != 0;
  const bool waits = tells && out.debug_waiting;
  return (in_cta == live && is_live == live && waits == waiting) ||
         Differ("debug.warp", describe(in_cta, waits), describe(live, waiting));
}

bool Scoreboard::Differ(const char* field, std::string unit, std::string golden, int cta, int bar) {
  mismatch_ = Mismatch{field, std::move(unit), std::move(golden), cta, bar};
  return false;
}

}  // namespace muster::lockstep
