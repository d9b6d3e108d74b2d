// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The faults and hazards of a core, in words.
#include <fmt/format.h>

#include <string>
#include <utility>

#include "sim/isa/bits.h"
#include "sim/isa/mbarrier_word.h"
#include "sim/ptx/runtime/core.h"
#include "sim/ptx/runtime/explain.h"
#include "sim/ptx/runtime/grid.h"
#include "sim/ptx/runtime/operations.h"

namespace muster::ptx {

Incident Core::IncidentOf(const char* name, unsigned warp, std::uint32_t lanes, std::uint32_t line,
                          std::uint64_t cycle) const {
  return {name, line, cycle, residents_.LinearCta(warp), residents_.IndexInCta(warp), 0, lanes};
}

Incident Core::IncidentOf(const char* name, unsigned warp, std::uint32_t lanes,
                          std::uint32_t line) const {
  return IncidentOf(name, warp, lanes, line, grid_.cycle());
}

// Why an arrival at a named barrier is refused, with its numbers; "" for what has none.
std::string Core::WhyRefused(FaultCause cause, const Operation& operation) const {
  const auto counted = [](unsigned count) {
    return count == 0 ? std::string("all threads that have not exited")
                      : fmt::format("{} threads", count);
  };
  const BarrierArrivals::Entry& entry = barrier_arrivals_.At(operation.cta, operation.bar);
  const std::string before =
      entry.members.empty()
          ? ""
          : fmt::format("warp {} came before it at {}", entry.members.front().warp,
                        program_.Place(entry.members.front().line));
  switch (cause) {
    case FaultCause::kCountMismatch:
      return fmt::format("for {}; {} for {}", counted(operation.count), before,
                         counted(entry.count));
    case FaultCause::kKindMismatch:
      return fmt::format("{}; {} to {}", Name(operation.kind), before, Name(entry.kind));
    default:
      return WrongCount(cause, operation.count, launch_.Threads());
  }
}

// Why the count of an arrival at an mbarrier is refused.
std::string Core::WhyRefused(const MbOperation& operation) const {
  const std::uint64_t count = ExpectsTx(operation.op) ? 1 : operation.operand;
  if (count == 0) {
    return "the count is 0";
  }
  if (count > kMaxMbCount) {
    return fmt::format("the count {} is above {}", count, kMaxMbCount);
  }
  const MbWord word =
      DecodeMbWord(mbarrier_arrivals_.HistoryOf(operation.cta, operation.addr).word, true);
  const std::uint64_t arrivals =
      count * (operation.source == MbSource::kWarp ? Ones(operation.lanes) : 1);
  const std::string arrive =
      fmt::format("{} arrival{}", arrivals, arrivals == 1 ? " comes" : "s come");
  if (IsDrop(operation.op) && arrivals > word.expected) {
    return fmt::format("{} to be dropped, and a phase expects {}", arrive, word.expected);
  }
  if (word.pending != 0) {
    return fmt::format("{}, and the phase lacks {} of its {}", arrive, word.pending, word.expected);
  }
  return fmt::format(
      "{} too many: the phase has had all of its {}{}", arrive, word.expected,
      word.tx == 0 ? "" : fmt::format(", and lacks {} bytes before the next one begins", word.tx));
}

void Core::EndWithProblem(Outcome outcome, const char* cause, unsigned warp) {
  grid_.EndWithFault(outcome,
                     IncidentOf(cause, warp, interpreter_.execution().problem.lanes,
                                interpreter_.execution().problem.line),
                     interpreter_.execution().problem.what);
}

void Core::EndWithRefusal(unsigned warp, FaultCause cause, std::uint32_t lanes) {
  const Refusal refusal =
      interpreter_.standing().DescribeRefusal(residents_.warps[warp].warp, cause, lanes);
  grid_.EndWithFault(
      Outcome::kFault, IncidentOf(Name(cause), warp, lanes, refusal.line),
      fmt::format("warp {} of CTA {}, lanes {:#010x}, cycle {}: {}", residents_.IndexInCta(warp),
                  grid_.CtaName(residents_.LinearCta(warp)), lanes, grid_.cycle(), refusal.why));
}

void Core::EndWithClusterFault(unsigned warp, FaultCause cause, std::uint32_t lanes,
                               std::uint32_t line) {
  residents_.warps[warp].in_cluster &= ~lanes;
  grid_.EndWithFault(Outcome::kFault, IncidentOf(Name(cause), warp, lanes, line));
}

void Core::EndWithCancelLost(const RemoteLost& lost, std::uint32_t line) {
  grid_.EndWithFault(
      Outcome::kFault, IncidentOf(Name(FaultCause::kRankNotThere), lost.warp, 0, line),
      fmt::format("warp {} of CTA {} asks for a response at {:#x} of the CTA with "
                  "rank {} of its cluster, which has exited",
                  residents_.IndexInCta(lost.warp), grid_.CtaName(residents_.LinearCta(lost.warp)),
                  lost.addr, lost.rank));
}

void Core::EndWithLost(const Transfer& lost) {
  const bool remote = lost.kind == Transfer::Kind::kRemote;
  const std::uint32_t lanes = remote && !lost.update.valid ? lost.operation.lanes : 1U << lost.lane;
  const std::string sender =
      remote ? interpreter_.execution().ThreadName(residents_.warps[lost.warp].warp, First(lanes))
             : fmt::format("warp {} of CTA {}", residents_.IndexInCta(lost.warp),
                           grid_.CtaName(residents_.LinearCta(lost.warp)));
  grid_.EndWithFault(
      Outcome::kMemoryFault, IncidentOf("memory_fault", lost.warp, lanes, lost.line),
      fmt::format("{}: {} the CTA with rank {} of the cluster, which has exited", sender,
                  lost.update.valid ? "an atomic on shared memory of"
                  : remote          ? "an mbarrier operation on"
                                    : "a copy to shared memory of",
                  lost.to->rank));
}

void Core::EndWithMbFault(FaultCause cause, unsigned warp, const MbOperation& operation,
                          std::uint64_t cycle) {
  Incident refused = IncidentOf(Name(cause), warp, operation.lanes, operation.tag, cycle);
  refused.mbarrier = MbarrierName(program_, operation.addr);
  refused.explanation =
      fmt::format("{}: {}{}", Name(operation.op),
                  cause == FaultCause::kBadArriveCount ? WhyRefused(operation) : Explain(cause),
                  cause == FaultCause::kWordExhausted ? WhoInvalidated(operation, warp) : "");
  grid_.EndWithFault(Outcome::kFault, std::move(refused));
}

void Core::AddHazard(Hazard hazard, unsigned warp, unsigned bar, std::uint32_t line,
                     std::uint64_t cycle) {
  Incident met =
      IncidentOf(Name(hazard), warp, residents_.warps[warp].warp.arrival.lanes, line, cycle);
  met.barrier = bar;
  grid_.AddHazard(std::move(met));
}

void Core::AddMbHazards(std::uint32_t hazards, unsigned warp, const MbOperation& operation,
                        std::uint32_t line, std::uint64_t cycle) {
  ForEachBit(hazards, [&](unsigned bit) {
    const auto hazard = static_cast<Hazard>(bit);
    Incident met = IncidentOf(Name(hazard), warp, operation.lanes, line, cycle);
    met.mbarrier = MbarrierName(program_, operation.addr);
    met.explanation = Explain(hazard);
    met.explanation += hazard == Hazard::kUninitialisedWord ? WhoInvalidated(operation, warp) : "";
    grid_.AddHazard(std::move(met));
  });
}

// Returns which operation invalidated the object, if it was one of another thread.
const MbarrierArrivals::Member* Core::InvalidatedByAnother(const MbOperation& operation,
                                                           unsigned warp) const {
  const MbarrierArrivals::Member* const inval =
      mbarrier_arrivals_.InvalidatedBy(operation.cta, operation.addr);
  const bool own = inval != nullptr && operation.source == MbSource::kWarp &&
                   inval->warp == residents_.IndexInCta(warp) &&
                   (inval->lanes & operation.lanes) != 0;
  return own ? nullptr : inval;
}

std::string Core::WhoInvalidated(const MbOperation& operation, unsigned warp) const {
  const MbarrierArrivals::Member* const inval = InvalidatedByAnother(operation, warp);
  return inval == nullptr ? ""
                          : fmt::format(
                                "; warp {} invalidated it at {}, and did not wait for "
                                "the thread that comes here",
                                inval->warp, program_.Place(inval->line));
}

}  // namespace muster::ptx
