// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/lockstep/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>

#include "sim/isa/config.h"
#include "sim/isa/effects.h"
#include "sim/isa/fault.h"

namespace muster::lockstep {
namespace {

constexpr std::uint64_t kBefore = 100;  // cycles of waveform before and after the mismatch
constexpr std::uint64_t kCyclesAfter = 20;

std::string Outcome(const Effects& effects) {
  if (effects.fault != FaultCause::kNone) {
    return fmt::format("refused: {}", Name(effects.fault));
  }
  std::string text;
  if (effects.completed) {
    text = fmt::format("completes, releases warps {:#x}", effects.released);
  } else if (effects.entry_written) {
    text = fmt::format("entry becomes {:#x}", effects.word);
  } else if (effects.released != 0) {
    text = fmt::format("releases warps {:#x}", effects.released);
  } else if (effects.responds) {
    text = fmt::format("reads {:#x}", effects.data);
  }
  return text;
}

std::string Outcome(const MbRecord& record) {
  if (record.refused != FaultCause::kNone) {
    return fmt::format("refused: {}", Name(record.refused));
  }
  std::string text;
  if (record.written) {
    text = fmt::format("word becomes {:#018x}{}", record.word,
                       record.completes ? ", the phase completes" : "");
  } else if (record.parked) {
    text = "parks";
  } else if (record.complete) {
    text = "true";
  }
  for (const MbAnswer& answer : record.answers) {
    text += fmt::format(", answers {} to warp {}", answer.complete, answer.warp);
  }
  return text;
}

}  // namespace

Mismatch MismatchOf(const Assertion& failed, const Scoreboard& scoreboard,
                    const MbChecker& mb_checker) {
  Mismatch mismatch{kAssertion, failed.says, fmt::format("{}, {}", failed.at, failed.scope)};
  if (failed.scope.rfind("warp.", 0) == 0) {
    return mismatch;
  }
  const std::optional<MbRecord> event = mb_checker.Latest();
  const std::optional<log::Record> commit = scoreboard.Latest();
  if (failed.scope.find("mbarrier") != std::string::npos && event) {
    mismatch.place = {event->event.operation.cta, event->event.operation.addr};
  } else if (commit) {
    mismatch.cta = commit->effects.entry_written ? commit->effects.cta : commit->operation.cta;
    mismatch.bar = commit->effects.entry_written ? commit->effects.bar : commit->operation.bar;
  }
  return mismatch;
}

std::string Beside(const Assertion& failed) {
  return fmt::format("  also    an assertion of the unit fails: {}\n  at      {}, {}\n",
                     failed.says, failed.at, failed.scope);
}

std::string Report(const Config& config, const Options& options, std::uint64_t cycle,
                   const std::string& block, const Mismatch& mismatch, const Evidence& evidence) {
  std::string text = fmt::format("MISMATCH in cycle {}{}{}, configuration {}, seed {}\n", cycle,
                                 block.empty() ? "" : " of ", block, config.name, options.seed);
  const auto out = std::back_inserter(text);
  if (mismatch.field == kAssertion) {
    fmt::format_to(out, "  an assertion of the unit fails: {}\n  at      {}\n", mismatch.unit,
                   mismatch.golden);
    if (mismatch.bar >= 0 || mismatch.place) {  // what fails may not have committed yet
      text += "  committed last in that block, which need not be what fails:\n";
    }
  } else {
    fmt::format_to(out, "  field   {}\n  unit    {}\n  golden  {}\n", mismatch.field, mismatch.unit,
                   mismatch.golden);
  }
  if (mismatch.cta >= 0 && mismatch.bar >= 0) {
    const auto cta = static_cast<unsigned>(mismatch.cta);
    const auto bar = static_cast<unsigned>(mismatch.bar);
    fmt::format_to(out, "  where   CTA {}, barrier {}\n", cta, bar);
    if (cta < config.num_ctas) {
      fmt::format_to(out, "  golden model now: {}\n", evidence.model.Describe(cta, bar));
    }
    fmt::format_to(out, "  latest operations there:\n");
    for (const log::Record& record : evidence.scoreboard.History(cta, bar)) {
      fmt::format_to(out, "    {:>8}  {}  {}\n", record.cycle, Describe(record.operation),
                     Outcome(record.effects));
    }
  }
  if (mismatch.place && mismatch.place->cta < kMaxCtas) {
    const MbPlace place = *mismatch.place;
    fmt::format_to(out, "  golden model now: {}\n  latest events there:\n",
                   evidence.mbarriers.Describe(place.cta, place.addr));
    for (const MbRecord& record : evidence.mb_checker.History(place)) {
      fmt::format_to(out, "    {:>8}  {}  {}\n", record.cycle, Describe(record.event),
                     Outcome(record));
    }
  }
  if (mismatch.warp >= 0 && evidence.atomics_checker != nullptr) {
    fmt::format_to(out, "  where   warp slot {}\n  latest updates of it:\n", mismatch.warp);
    for (const std::string& line :
         evidence.atomics_checker->History(static_cast<unsigned>(mismatch.warp))) {
      fmt::format_to(out, "    {}\n", line);
    }
  } else if (mismatch.warp >= 0 && evidence.warp_checker != nullptr) {
    fmt::format_to(out, "  where   warp slot {}\n  latest requests of it:\n", mismatch.warp);
    for (const std::string& line :
         evidence.warp_checker->History(static_cast<unsigned>(mismatch.warp))) {
      fmt::format_to(out, "    {}\n", line);
    }
  }
  if (!options.rerun.empty()) {
    const std::uint64_t from = cycle > kBefore ? cycle - kBefore : 0;
    fmt::format_to(out, "  rerun   {} --wave mismatch.fst --wave-from {} --wave-to {}\n",
                   options.rerun, from, cycle + kCyclesAfter);
    fmt::format_to(out, "  wave    scripts/run/wave.py --fst mismatch.fst --at {}\n", cycle);
  }
  return text;
}

void Result::NotWritten(const std::string& sentence) {
  if (sentence.empty()) {
    return;
  }
  if (ending == Ending::kMismatch) {
    report += sentence + "\n";
  } else {
    ending = Ending::kError;
    report = sentence;
  }
}

}  // namespace muster::lockstep
