// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "tb/adapters/checker.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sim/golden/model.h"
#include "sim/isa/bits.h"
#include "sim/isa/config.h"
#include "sim/isa/effects.h"
#include "sim/isa/fault.h"
#include "sim/isa/mbarrier_operation.h"
#include "sim/isa/mbarrier_word.h"
#include "sim/isa/operation.h"
#include "tb/adapters/adapter.h"
#include "tb/adapters/traffic.h"

namespace muster::adapters {
namespace {

constexpr std::uint32_t kSmemBytes = 4096;

Config ConfigOf(const Features& features) {
  Config config;
  config.num_warps = features.warps;
  config.num_ctas = features.ctas;
  config.warp_size = features.lanes;
  config.mb_limit = false;
  config.smem_bytes = kSmemBytes;
  return config;
}

std::string Where(const Step& step) {
  return step.at_word ? fmt::format("mbarrier {} of CTA {}", step.index(), step.cta())
                      : fmt::format("barrier {} of CTA {}", step.named.bar, step.cta());
}

}  // namespace

const char* Name(Wrong wrong) {
  switch (wrong) {
    case Wrong::kEarly:
      return "released early";
    case Wrong::kTwice:
      return "released twice";
    case Wrong::kLate:
      return "late or lost";
    case Wrong::kResult:
      return "wrong result";
    case Wrong::kAnswer:
      return "wrong answer";
    case Wrong::kReport:
      return "report without misuse";
    case Wrong::kMisuse:
      return "misuse accepted";
    case Wrong::kState:
      return "wrong state";
    case Wrong::kVacuous:
      return "nothing tested";
    default:
      return "nothing";
  }
}

void Tally::Add(const Tally& other) {
  waited += other.waited;
  reduced += other.reduced;
  completed_by_arrival += other.completed_by_arrival;
  completed_by_exit += other.completed_by_exit;
  before_all_joined += other.before_all_joined;
  repeated += other.repeated;
  answered += other.answered;
  waited_for_phase += other.waited_for_phase;
  waited_for_phase_1 += other.waited_for_phase_1;
  refused += other.refused;
  two_ctas += other.two_ctas;
  parked += other.parked;
  completed_by_bytes += other.completed_by_bytes;
  bytes_first += other.bytes_first;
  remote += other.remote;
  held += other.held;
}

std::string Tally::Missing(const Features& features) const {
  std::vector<const char*> missing;
  const auto need = [&](bool has, unsigned count, const char* what) {
    if (has && count == 0) {
      missing.push_back(what);
    }
  };
  need(features.barriers != 0, waited, "no warp waited for another one");
  need(features.reductions, reduced, "no reduction of several warps");
  const bool goes_on = features.arrivals && features.counts;
  need(goes_on, completed_by_arrival, "no barrier completed by a warp that goes on");
  need(goes_on, repeated, "no warp arrived twice");
  need(features.exits && features.all_warps, completed_by_exit, "no barrier completed by an exit");
  need(features.joins && features.late_joins, before_all_joined,
       "no arrival before all warps have joined");
  need(features.phases && goes_on, std::min(answered, waited_for_phase), "no wait for a phase");
  need(features.phases && goes_on, waited_for_phase_1, "no wait for phase 1");
  need(features.odd_counts, refused, "no count to be refused");
  need(features.barriers != 0 && features.ctas > 1, two_ctas,
       "no completion while another CTA waits");
  need(features.words != 0, parked, "no wait at an mbarrier for another warp");
  need(features.transactions, completed_by_bytes, "no phase completed by bytes");
  need(features.early_bytes && features.transactions, bytes_first,
       "no bytes before they are expected");
  need(features.remote, remote, "no arrival from another CTA");
  need(features.early_arrivals && features.transactions, held,
       "no arrival while only bytes are missing");
  return fmt::format("{}", fmt::join(missing, "; "));
}

Checker::Checker(const Features& features)
    : features_(features), core_(ConfigOf(features)), words_(core_, kSmemBytes) {}

void Checker::Start(const Program& program) {
  core_.Reset();
  words_.Reset();
  tally_ = Tally();
  failure_ = Failure();
  releases_.fill(std::nullopt);
  answers_.fill(std::nullopt);
  reports_.fill(std::nullopt);
  at_.fill("no barrier");
  released_.fill(false);
  told_ = {};
  touched_.clear();
  for (const Program::Cta& cta : program.ctas) {
    if (!features_.joins && cta.warps != 0) {
      Operation launch;
      launch.kind = OpKind::kLaunch;
      launch.cta = static_cast<std::uint8_t>(cta.slot);
      launch.size = static_cast<std::uint8_t>(Ones(cta.warps));
      launch.warps = cta.warps;
      core_.Step(launch);
    }
  }
}

bool Checker::IsIdle(unsigned warp) const {
  return ((core_.Waiting() | words_.Parked()) & Bit(warp)) == 0 && !releases_[warp] &&
         !answers_[warp] && !reports_[warp];
}

bool Checker::NothingIsDue() const {
  const auto is_none = [](const std::optional<Due>& due) { return !due; };
  return std::all_of(releases_.begin(), releases_.end(), is_none) &&
         std::all_of(answers_.begin(), answers_.end(), is_none) &&
         std::all_of(reports_.begin(), reports_.end(), is_none);
}

bool Checker::Fail(Wrong wrong, unsigned cycle, std::string where, std::string expected,
                   std::string got) {
  failure_ = {wrong, cycle, std::move(where), std::move(expected), std::move(got)};
  return false;
}

// ------------------------------------------------------------------------------------------------
// Operations that take effect
// ------------------------------------------------------------------------------------------------

bool Checker::Effect(unsigned cycle, const Step& step) {
  if (step.port == Port::kWarps) {
    at_[step.warp()] = Where(step);
    released_[step.warp()] = false;
  }
  return step.at_word ? EffectAtWord(cycle, step) : EffectNamed(cycle, step);
}

bool Checker::EffectNamed(unsigned cycle, const Step& step) {
  const Operation& named = step.named;
  const Effects effects = core_.Step(named);
  CountNamed(step, effects);
  if (effects.fault == FaultCause::kCountNotMultiple && features_.odd_counts) {
    reports_[named.warp] = Due{cycle, Where(step)};
    return true;
  }
  if (effects.fault != FaultCause::kNone) {
    return Fail(Wrong::kMisuse, cycle, fmt::format("warp {}, {}", named.warp, Where(step)),
                "not accepted",
                fmt::format("{} took effect, which is {}", Name(named.kind), Name(effects.fault)));
  }
  const std::string where = fmt::format("barrier {} of CTA {}", effects.bar, effects.cta);
  // Of the kinds of a release, those after kSync are reductions.
  ForEachBit(effects.released, [&](unsigned warp) {
    releases_[warp] =
        Due{cycle, where, effects.released_kind > BarKind::kSync, effects.released_value};
  });
  if (effects.responds) {
    answers_[named.warp] = Due{cycle, where, true, effects.data};
    told_[named.warp][named.bar] = effects.data != 0;
  }
  return true;
}

bool Checker::EffectAtWord(unsigned cycle, const Step& step) {
  const MbOperation& word = step.word;
  touched_[{word.cta, step.index()}] = cycle;
  const MbEffects effects = words_.Step(word);
  CountAtWord(step, effects);
  if (AnyRefused(effects)) {
    return Fail(Wrong::kMisuse, cycle, Where(step), "not accepted",
                fmt::format("{} took effect, which is {}", Name(word.op), Name(effects.fault[0])));
  }
  const auto release = [&](unsigned warp) { releases_[warp] = Due{cycle, Where(step)}; };
  for (const MbAnswer& answer : effects.answers) {
    release(answer.warp);
  }
  if (effects.complete != 0) {
    release(word.warp);
  }
  if (word.has_token) {
    answers_[word.warp] =
        Due{cycle, Where(step), true, static_cast<std::uint32_t>(effects.token[0] >> 63)};
  }
  return true;
}

void Checker::CountNamed(const Step& step, const Effects& effects) {
  const Operation& named = step.named;
  const golden::WarpSet others = core_.Waiting() & ~core_.LiveWarps(named.cta);
  tally_.two_ctas += effects.completed && others != 0 ? 1 : 0;
  tally_.refused += effects.fault == FaultCause::kCountNotMultiple ? 1 : 0;
  tally_.answered += effects.responds ? 1 : 0;
  tally_.before_all_joined += IsArrival(named.kind) && core_.ToJoin(named.cta) != 0 ? 1 : 0;
  tally_.repeated += !effects.completed && IsArrival(named.kind) &&
                     core_.TimesArrived(named.cta, named.bar, named.warp) > 1;
  if (IsWaiting(named.kind) && effects.fault == FaultCause::kNone && !effects.completed &&
      effects.released == 0) {
    ++(named.kind == OpKind::kWait ? tally_.waited_for_phase : tally_.waited);
    tally_.waited_for_phase_1 += named.kind == OpKind::kWait ? named.operand & 1 : 0;
  }
  if (effects.completed && (effects.released & ~Bit(named.warp)) != 0) {
    tally_.reduced += IsReduction(named.kind) ? 1 : 0;
    tally_.completed_by_arrival += GoesOn(named.kind) ? 1 : 0;
    tally_.completed_by_exit += named.kind == OpKind::kExit ? 1 : 0;
  }
}

void Checker::CountAtWord(const Step& step, const MbEffects& effects) {
  const MbOperation& word = step.word;
  tally_.parked += effects.parked != 0 ? 1 : 0;
  tally_.remote += word.source == MbSource::kRemote ? 1 : 0;
  if (word.op == MbOp::kCompleteTx) {
    tally_.completed_by_bytes += effects.completions;
    tally_.bytes_first += DecodeMbWord(effects.word).tx < 0 ? 1 : 0;
  }
}

// ------------------------------------------------------------------------------------------------
// What the unit shows
// ------------------------------------------------------------------------------------------------

std::string Checker::WhereIs(unsigned warp) const {
  return fmt::format("warp {}, {}", warp, at_[warp]);
}

bool Checker::OnTime(unsigned cycle, unsigned warp, const char* what, Dues* dues) {
  const Due due = *(*dues)[warp];
  (*dues)[warp].reset();
  return cycle >= due.since + features_.release_from ||
         Fail(Wrong::kEarly, cycle, fmt::format("warp {}, {}", warp, due.where),
              fmt::format("{} from cycle {} on", what, due.since + features_.release_from), what);
}

bool Checker::Release(unsigned cycle, const Seen::Release& release) {
  const unsigned warp = release.warp;
  const std::optional<Due> due = releases_[warp];
  if (!due) {
    if (((core_.Waiting() | words_.Parked()) & Bit(warp)) != 0) {
      return Fail(Wrong::kEarly, cycle, WhereIs(warp), "no release: the warp has to wait",
                  "released");
    }
    return released_[warp]
               ? Fail(Wrong::kTwice, cycle, WhereIs(warp), "one release", "released again")
               : Fail(Wrong::kEarly, cycle, WhereIs(warp), "no release: the warp does not wait",
                      "released");
  }
  released_[warp] = true;
  if (due->has_value && due->value != release.value) {
    return Fail(Wrong::kResult, cycle, fmt::format("warp {}, {}", warp, due->where),
                fmt::format("result {}", due->value), fmt::format("result {}", release.value));
  }
  return OnTime(cycle, warp, "released", &releases_);
}

bool Checker::Answer(unsigned cycle, const Seen::Answer& answer) {
  const std::optional<Due> due = answers_[answer.warp];
  if (!due) {
    return Fail(Wrong::kAnswer, cycle, WhereIs(answer.warp), "no answer",
                fmt::format("phase {}", answer.phase ? 1 : 0));
  }
  if (due->value != (answer.phase ? 1 : 0)) {
    return Fail(Wrong::kAnswer, cycle, fmt::format("warp {}, {}", answer.warp, due->where),
                fmt::format("phase {}", due->value), fmt::format("phase {}", answer.phase ? 1 : 0));
  }
  return OnTime(cycle, answer.warp, "answered", &answers_);
}

bool Checker::Refused(unsigned cycle, unsigned warp) {
  const std::optional<Due> due = reports_[warp];
  return due ? OnTime(cycle, warp, "reported", &reports_)
             : Fail(Wrong::kReport, cycle, WhereIs(warp), "no report", "reported as misuse");
}

bool Checker::CheckDues(unsigned cycle, const Dues& dues, const char* what) {
  for (unsigned warp = 0; warp < features_.warps; ++warp) {
    const std::optional<Due>& due = dues[warp];
    if (due && cycle - due->since >= features_.release_within) {
      return Fail(Wrong::kLate, cycle, fmt::format("warp {}, {}", warp, due->where),
                  fmt::format("{} by cycle {}{}", what, due->since + features_.release_within,
                              due->has_value ? fmt::format(", with {}", due->value) : ""),
                  fmt::format("not {} yet", what));
    }
  }
  return true;
}

bool Checker::EndOfCycle(unsigned cycle, Adapter* adapter) {
  if (!CheckDues(cycle, releases_, "released") || !CheckDues(cycle, answers_, "answered") ||
      !CheckDues(cycle, reports_, "reported")) {
    return false;
  }
  for (const auto& [at, since] : touched_) {
    if (!features_.shown || cycle - since < features_.shown_after) {
      continue;
    }
    const auto [cta, index] = at;
    const WordState state = adapter->State(cta, index);
    const MbWord word = DecodeMbWord(words_.Word(cta, 8 * index));
    if (state.phase != word.phase || state.pending != word.pending || state.bytes != word.tx) {
      const auto text = [](bool phase, unsigned pending, std::int64_t bytes) {
        return fmt::format("phase {}, pending {}, bytes {}", phase ? 1 : 0, pending, bytes);
      };
      return Fail(Wrong::kState, cycle, fmt::format("mbarrier {} of CTA {}", index, cta),
                  text(word.phase, word.pending, word.tx),
                  text(state.phase, state.pending, state.bytes));
    }
  }
  return true;
}

bool Checker::Late(unsigned cycle, const Step& step, const char* what, unsigned within) {
  return Fail(Wrong::kLate, cycle, Where(step), fmt::format("{} within {} cycles", what, within),
              fmt::format("waits still: {}", Describe(step, features_)));
}

}  // namespace muster::adapters
