// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The outputs that must follow from an event at an mbarrier.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "sim/isa/bits.h"
#include "sim/isa/effects.h"
#include "sim/isa/fault.h"
#include "sim/lockstep/mb_checker.h"
#include "sim/port/token.h"

namespace muster::lockstep {
namespace {

template <typename Visit>
void ForEachLane(std::uint32_t lanes, Visit visit) {
  for (std::uint32_t left = lanes; left != 0; left &= left - 1) {
    visit(First(left));
  }
}

std::string Describe(bool valid, const MbOutputs::Fault& fault) {
  return valid ? fmt::format("{} ({}, warp {}, lanes {:#x}, CTA {}, {:#x})", Name(fault.cause),
                             Name(fault.source), fault.warp, fault.lanes, fault.place.cta,
                             fault.place.addr)
               : std::string("none");
}

}  // namespace

bool MbChecker::Compare(std::uint64_t cycle, const Inputs& in, const Outputs& out,
                        const MbEffects* effects) {
  if (rests_) {
    NoteLeave(in, out);
    return true;
  }
  const MbOutputs& mb = out.mb;
  const std::uint64_t wake = std::exchange(wake_, 0);
  if (mb.wake != wake) {
    return Differ("mb.wake", fmt::format("{:#x}", mb.wake), fmt::format("{:#x}", wake));
  }
  if (wake != 0 && mb.wake_report != wake_report_) {
    return Differ("mb.wake_report", fmt::format("{:#x}", mb.wake_report),
                  fmt::format("{:#x}", wake_report_));
  }
  bool stepped = false;
  for (std::size_t i = 0; i < events_.size(); ++i) {
    const MbEvent& event = events_[i];
    Keep(CycleOf(event, cycle), event, effects[i]);
    if (event.kind == MbEvent::Kind::kStep && event.operation.op != MbOp::kCopyArriveNoInc) {
      stepped = true;
      if (!CompareStep(cycle, event.operation, effects[i], mb)) {
        return false;
      }
    } else if (event.kind == MbEvent::Kind::kLeave &&
               !CompareLeave(event.operation, effects[i], mb)) {
      return false;
    }
  }
  if (!stepped && mb.fault_valid) {
    return Differ("mb.fault", Describe(true, mb.fault), "none", mb.fault.place);
  }
  if ((mb.response_valid || !responses_.empty()) && !CompareResponse(cycle, in.mb, mb)) {
    return false;
  }
  NoteLeave(in, out);
  if (!quiet_) {
    quiet_ = busy_ == 0 && of_async_.empty() && of_remote_.empty() && responses_.empty() &&
             !commit_ && wake_ == 0;
  }
  return true;
}

void MbChecker::NoteLeave(const Inputs& in, const Outputs& out) {
  leave_.reset();
  if (in.lifecycle_valid && out.lifecycle_ready &&
      (in.lifecycle.kind == OpKind::kSuspend || in.lifecycle.kind == OpKind::kEnd)) {
    leave_.emplace();
    leave_->kind = MbEvent::Kind::kLeave;
    leave_->how = in.lifecycle.kind;
    leave_->operation.cta = in.lifecycle.cta;
  }
}

void MbChecker::Keep(std::uint64_t cycle, const MbEvent& event, const MbEffects& effects) {
  MbRecord& record = records_[kept_++ % kRecords];
  record.cycle = cycle;
  record.event = event;
  record.refused = FaultCause::kNone;
  if (AnyRefused(effects)) {
    record.refused = *std::find_if(effects.fault.begin(), effects.fault.end(),
                                   [](FaultCause cause) { return cause != FaultCause::kNone; });
  }
  record.written = effects.written;
  record.completes = effects.completions != 0;
  record.parked = effects.parked != 0;
  record.complete = effects.complete != 0;
  record.word = effects.word;
  record.answers = effects.answers;
}

// `operation` committed in the cycle before, as commit_ says.
bool MbChecker::CompareStep(std::uint64_t cycle, const MbOperation& operation,
                            const MbEffects& effects, const MbOutputs& out) {
  const MbPlace place{operation.cta, operation.addr};
  const MbOutputs::Commit& seen = before_.commit;
  const FaultCause cause = effects.fault[First(operation.lanes)];
  bool alike = true;
  if (AnyRefused(effects)) {
    ForEachLane(operation.lanes, [&](unsigned lane) { alike &= effects.fault[lane] == cause; });
  }
  if (!alike) {
    return Differ("mb.commit.lanes", fmt::format("{:#x} together", operation.lanes),
                  "some are refused, and others not, or by another cause", place);
  }
  const bool refused = cause != FaultCause::kNone;
  MbOutputs::Fault fault;
  if (refused) {
    fault.cause = cause;
    fault.source = operation.source;
    fault.warp = operation.source == MbSource::kWarp ? operation.warp : out.fault.warp;
    fault.lanes = LanesShown(operation.lanes);
    fault.place = place;
  }
  const MbOutputs::Fault& is = out.fault;
  if (out.fault_valid != refused ||
      (refused && !(is.cause == fault.cause && is.source == fault.source && is.warp == fault.warp &&
                    is.lanes == fault.lanes && is.place == place))) {
    return Differ("mb.fault", Describe(out.fault_valid, is), Describe(refused, fault), place);
  }
  const auto word = [](bool written, std::uint64_t value) {
    return written ? fmt::format("{:#018x}", value) : std::string("not written");
  };
  if (seen.written != effects.written || (seen.written && seen.word != effects.word)) {
    return Differ("mb.word", word(seen.written, seen.word), word(effects.written, effects.word),
                  place);
  }
  if (seen.completed != (effects.completions != 0)) {
    return Differ("mb.completed", seen.completed ? "1" : "0", seen.completed ? "0" : "1", place);
  }
  if (seen.parked != (effects.parked != 0)) {
    return Differ("mb.parked", seen.parked ? "1" : "0", seen.parked ? "0" : "1", place);
  }
  for (const MbAnswer& answer : effects.answers) {
    wake_ |= Bit(answer.warp);
    wake_report_ = answer.report;  // the same for all: a conditional phase completes without one
  }
  if (seen.parked) {
    Park(cycle - 1, operation);
  } else if (!refused && operation.source == MbSource::kWarp && HasResponse(operation)) {
    responses_.push_back(
        {cycle - 1, operation, effects.token, effects.complete == operation.lanes, effects.report});
  }
  return true;
}

// The hint in nanoseconds, rounded up to cycles.
void MbChecker::Park(std::uint64_t commit, const MbOperation& operation) {
  const std::uint64_t limit = operation.has_hint ? operation.operand : config_.wait_limit_ns;
  const std::uint64_t period = config_.clock_period_ps;
  Parked& slot = parked_[PlaceOf(operation.warp)];
  slot.limit = commit + (limit * 1000 + period - 1) / period;
  slot.cta = operation.cta;
  deadline_ = std::min(deadline_, slot.limit + latency_.mb_expiry);
}

std::uint64_t MbChecker::EarliestLimit() const {
  std::uint64_t earliest = Driver::kNever;
  for (std::uint64_t left = config_.mb_limit ? model_.Parked() : 0; left != 0; left &= left - 1) {
    earliest = std::min(earliest, parked_[__builtin_ctzll(left)].limit);
  }
  return earliest;
}

bool MbChecker::CompareLeave(const MbOperation& operation, const MbEffects& effects,
                             const MbOutputs& out) {
  for (const MbAnswer& answer : effects.answers) {
    if ((out.expire & Bit(answer.warp)) == 0) {
      return Differ("mb.expire", fmt::format("not warp {}", answer.warp),
                    fmt::format("answered false: CTA {} leaves", operation.cta));
    }
  }
  return true;
}

bool MbChecker::CompareResponse(std::uint64_t cycle, const MbInputs& in, const MbOutputs& out) {
  if (responses_.empty()) {
    return Differ("mb.response_valid", "1", "0: none is outstanding");
  }
  const Response& must = responses_.front();
  const MbOperation& operation = must.operation;
  const MbPlace place{operation.cta, operation.addr};
  // Each response has a cycle of its own, at the earliest that in which the one before it is gone.
  const bool due = cycle >= std::max(must.commit + latency_.mb_response, next_response_);
  if (out.response_valid != due) {
    return Differ("mb.response_valid", due ? "0" : "1",
                  fmt::format("{}: of warp {}, {} cycles after its commit", due ? 1 : 0,
                              operation.warp, cycle - must.commit),
                  place);
  }
  if (!due) {
    return true;
  }
  const MbOutputs::Response& is = out.response;
  if (PlaceOf(is.warp) != PlaceOf(operation.warp) || is.op != operation.op ||
      is.lanes != LanesShown(operation.lanes)) {
    return Differ("mb.response",
                  fmt::format("{} of warp {}, lanes {:#x}", Name(is.op), is.warp, is.lanes),
                  fmt::format("{} of warp {}, lanes {:#x}", Name(operation.op), operation.warp,
                              LanesShown(operation.lanes)),
                  place);
  }
  if (IsMbWait(operation.op)) {
    if (is.complete != must.complete) {
      return Differ("mb.response.complete", is.complete ? "1" : "0", must.complete ? "1" : "0",
                    place);
    }
    const bool reports = config_.report && operation.asks == MbAsks::kPrimary && is.complete;
    if (reports && ReportOf(is) != must.report) {
      return Differ("mb.response.report", fmt::format("{:#x}", ReportOf(is)),
                    fmt::format("{:#x}", must.report), place);
    }
  } else {
    unsigned index = 0;
    for (std::uint32_t left = operation.lanes; left != 0; left &= left - 1, ++index) {
      const std::uint64_t token = must.token[First(left)];
      if (TokenOf(is, index) != token) {
        return Differ(fmt::format("mb.response.token of lane {}", First(left)),
                      fmt::format("{:#018x}", TokenOf(is, index)), fmt::format("{:#018x}", token),
                      place);
      }
    }
  }
  if (in.response_ready) {
    responses_.pop_front();
    next_response_ = cycle + 1;
  }
  return true;
}

bool MbChecker::Differ(std::string field, std::string unit, std::string golden) {
  mismatch_ = Mismatch{std::move(field), std::move(unit), std::move(golden)};
  return false;
}

bool MbChecker::Differ(std::string field, std::string unit, std::string golden, MbPlace place) {
  mismatch_ = Mismatch{std::move(field), std::move(unit), std::move(golden)};
  mismatch_->place = place;
  return false;
}

}  // namespace muster::lockstep
