// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/lockstep/atomics_checker.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "sim/isa/bits.h"

namespace muster::lockstep {
namespace {

constexpr std::size_t kRecords = 64;
constexpr std::size_t kShown = 8;
constexpr std::size_t kMostFlights = 3;  // places of the pipeline

MbPlace WordOf(const AtomicUpdate& update) { return {update.cta, WordAt(update)}; }
// Of the value, or of the upper half.
MbPlace PlaceOf(const AtomicUpdate& update) {
  return {update.cta, update.addr | (update.upper ? 8U : 0)};
}

std::string Describe(MbPlace place) {
  return fmt::format("{:#x} of CTA {}", place.addr, place.cta);
}

}  // namespace

bool Has(const AtomicsShape& shape, const AtomicUpdate& update) {
  const bool wide = update.size == AtomicSize::k64;
  const bool single = update.size == AtomicSize::k32;
  switch (update.op) {
    case AtomicOp::kInc:
    case AtomicOp::kDec:
      return single;
    case AtomicOp::kExch:
    case AtomicOp::kCas:
      return update.size != AtomicSize::k128 || shape.has_128;
    case AtomicOp::kFAdd:
      return wide ? shape.floats >= 3 : single && shape.floats >= 1;
    case AtomicOp::kHAdd:
    case AtomicOp::kBAdd:
      return (single || update.size == AtomicSize::k16) && shape.floats >= 2;
    default:
      return single || wide;
  }
}

void AtomicsChecker::Reset() {
  flights_.clear();
  reading_ = asks_ = false;
  response_.reset();
  fault_.reset();
  own_ = remote_ = Port();
}

bool AtomicsChecker::Wrong(const char* field, std::string unit, std::string golden, unsigned warp) {
  mismatch_ = Mismatch{field, std::move(unit), std::move(golden)};
  mismatch_->warp = static_cast<int>(warp);
  return false;
}

bool AtomicsChecker::IsRefused(const AtomicUpdate& update) const {
  return shape_.faults &&
         golden::StepAtomic(update, 0, shape_.smem_bytes).fault != FaultCause::kNone;
}

bool AtomicsChecker::Check(std::uint64_t cycle, const AtomicInputs& in, const AtomicOutputs& out) {
  committed_.reset();
  return CheckLevels(in, out) && CheckShown(out) && CheckMemory(in, out) &&
         CheckCommit(cycle, in, out) && CheckIssue(cycle, in, out) && CheckWaits(in, out);
}

// What follows from what is under way: the warps that are busy, the drain that is asked for, and
// whether the block needs a clock.
bool AtomicsChecker::CheckLevels(const AtomicInputs& in, const AtomicOutputs& out) {
  std::uint64_t busy = 0;
  bool remote_busy = false;
  for (const Flight& flight : flights_) {
    busy |= flight.update.from.remote ? 0 : Bit(flight.update.warp);
    remote_busy = remote_busy || flight.update.from.remote;
  }
  if (out.remote_busy != remote_busy) {
    return Wrong("atomics.remote_busy", fmt::format("{}", out.remote_busy),
                 fmt::format("{}", remote_busy), 0);
  }
  if (out.busy != busy) {
    return Wrong("atomics.busy", fmt::format("{:#x}", out.busy), fmt::format("{:#x}", busy),
                 First(out.busy ^ busy));
  }
  const std::uint64_t asked = asks_ ? Bit(own_.offered->warp) : 0;
  if (out.fence_req != asked) {
    return Wrong("atomics.fence_req", fmt::format("{:#x}", out.fence_req),
                 fmt::format("{:#x}", asked), First(out.fence_req ^ asked));
  }
  if (!out.active && (in.issue_valid || in.remote_valid || !Settled())) {
    return Wrong("atomics.active", "is low", "high: something is under way", in.issue.warp);
  }
  return true;
}

// The answer and the fault of the commit in the cycle before.
bool AtomicsChecker::CheckShown(const AtomicOutputs& out) {
  if (out.response_valid != response_.has_value()) {
    return Wrong("atomics.response", response_ ? "nothing" : "is shown",
                 response_ ? "the answer of the commit before" : "nothing",
                 response_ ? response_->warp : out.response.warp);
  }
  if (response_ && !(out.response == *response_)) {
    const auto text = [](const AtomicResponse& response) {
      return fmt::format(
          "{:#018x} to warp {}, lane {}{}", response.word, response.warp, response.lane,
          response.from.remote ? fmt::format(" of unit {}", response.from.unit) : std::string());
    };
    return Wrong("atomics.response", text(out.response), text(*response_), response_->warp);
  }
  if (out.fault_valid != fault_.has_value()) {
    return Wrong("atomics.fault", out.fault_valid ? "is shown" : "nothing",
                 fault_ ? Name(fault_->cause) : "nothing", fault_ ? fault_->warp : out.fault.warp);
  }
  if (fault_ && (out.fault.cause != fault_->cause || !(out.fault.from == fault_->from) ||
                 out.fault.warp != fault_->warp || out.fault.lane != fault_->lane ||
                 !(out.fault.place == fault_->place))) {
    const auto text = [](const AtomicOutputs::Fault& fault) {
      return fmt::format("{} of warp {}, lane {} at {}", Name(fault.cause), fault.warp, fault.lane,
                         Describe(fault.place));
    };
    return Wrong("atomics.fault", text(out.fault), text(*fault_), fault_->warp);
  }
  return true;
}

// Reads are of words that updates need, one at a time; words between their read and their write are
// held.
bool AtomicsChecker::CheckMemory(const AtomicInputs& in, const AtomicOutputs& out) {
  reading_ = reading_ && !in.rdata_valid;
  for (const Flight& flight : flights_) {
    bool held = !flight.read;
    for (unsigned i = 0; i < kAtomicHeld; ++i) {
      held = held || ((out.held_valid >> i & 1) != 0 && out.held[i] == WordOf(flight.update));
    }
    if (!held) {
      return Wrong("smem.held", "does not have it", Describe(WordOf(flight.update)),
                   flight.update.warp);
    }
  }
  for (unsigned i = 0; i < kAtomicHeld; ++i) {
    if ((out.held_valid >> i & 1) != 0 &&
        std::none_of(flights_.begin(), flights_.end(), [&](const Flight& flight) {
          return WordOf(flight.update) == out.held[i] && !IsRefused(flight.update);
        })) {
      return Wrong("smem.held", Describe(out.held[i]), "only words of updates under way", 0);
    }
  }
  if (!out.read_valid) {
    return true;
  }
  const auto reader = std::find_if(flights_.begin(), flights_.end(), [&](const Flight& flight) {
    return WordOf(flight.update) == out.read_place && !IsRefused(flight.update) && !flight.read;
  });
  const bool yields = in.yield && (reader == flights_.end() || !reader->update.upper);
  if (reader == flights_.end() || yields || reading_) {
    return Wrong("smem.read", Describe(out.read_place),
                 yields     ? "nothing while the bank wants it to yield"
                 : reading_ ? "nothing before the data of the read before"
                            : "a word that an update needs",
                 0);
  }
  if (in.read_ready) {
    reader->read = true;
    reading_ = true;
  }
  return true;
}

bool AtomicsChecker::CheckCommit(std::uint64_t cycle, const AtomicInputs& in,
                                 const AtomicOutputs& out) {
  if (response_ && in.response_ready) {
    response_.reset();
  }
  fault_.reset();
  if (!out.commit_valid && !out.write_valid) {
    return true;
  }
  if (flights_.empty()) {
    return Wrong("atomics.commit", "an update", "nothing is under way", out.commit.warp);
  }
  const Flight flight = flights_.front();
  const AtomicUpdate& update = flight.update;
  const MbPlace place = WordOf(update);
  golden::AtomicEffects effects = golden::StepAtomic(update, 0, shape_.smem_bytes);
  const bool refused = IsRefused(update);
  if (!refused) {
    bool also = !update.upper || lower_as_wanted_;
    if (IsLower(update)) {
      if (flights_.size() < 2 || !flights_[1].read) {
        return Wrong("atomics.commit", "the lower half", "waits for the upper one", update.warp);
      }
      const AtomicUpdate& upper = flights_[1].update;
      also = golden::IsAsWanted(upper, in.memory->Load(WordOf(upper)));
      lower_as_wanted_ = golden::IsAsWanted(update, in.memory->Load(place));
    }
    effects = golden::StepAtomic(update, in.memory->Load(place), shape_.smem_bytes, also);
  }
  if (out.write_valid &&
      (refused || !(out.write_place == place) || out.write_data != effects.after)) {
    return Wrong("smem.write",
                 fmt::format("{:#018x} at {}", out.write_data, Describe(out.write_place)),
                 refused ? "nothing: it is refused"
                         : fmt::format("{:#018x} at {}, where {:#018x} was: {}", effects.after,
                                       Describe(place), effects.before, muster::Describe(update)),
                 update.warp);
  }
  if (out.write_valid && update.has_answer && response_) {
    return Wrong("smem.write", "comes", "waits for a place for its answer", update.warp);
  }
  if (out.commit_valid != (refused ? out.commit_valid : out.write_valid && in.write_ready)) {
    return Wrong("atomics.commit", out.commit_valid ? "comes" : "nothing",
                 "with the grant of its write", update.warp);
  }
  if (!out.commit_valid) {
    return true;
  }
  const AtomicOutputs::Commit& commit = out.commit;
  if (commit.warp != update.warp || commit.lane != update.lane || !(commit.from == update.from) ||
      commit.completes != update.completes || commit.written == refused ||
      !(commit.place == PlaceOf(update)) || (!refused && commit.word != effects.after)) {
    return Wrong(
        "atomics.commit",
        fmt::format("{:#018x} at {} by warp {}, lane {}{}", commit.word, Describe(commit.place),
                    commit.warp, commit.lane, commit.written ? "" : ", refused"),
        fmt::format("{:#018x}{}: {}", effects.after, refused ? ", refused" : "",
                    muster::Describe(update)),
        update.warp);
  }
  if (refused) {
    fault_ = {effects.fault, update.from, update.warp, update.lane, PlaceOf(update)};
    ++counts_.faults;
  } else if (update.has_answer) {
    response_ = {update.from, update.warp, update.lane, update.upper, effects.before};
    ++counts_.answers;
  }
  ++counts_.updates;
  counts_.behind += flight.behind ? 1 : 0;
  committed_ =
      Committed{update, effects, static_cast<unsigned>(cycle - flight.accepted), flight.behind};
  history_.push_back({cycle, update});
  if (history_.size() > kRecords) {
    history_.pop_front();
  }
  flights_.pop_front();
  return true;
}

// What is presented at either port, and which of the two enters.
bool AtomicsChecker::CheckIssue(std::uint64_t cycle, const AtomicInputs& in,
                                const AtomicOutputs& out) {
  asks_ = accepted_ = false;
  if (in.issue_valid && out.issue_ready && in.remote_valid && out.remote_ready) {
    return Wrong("atomics.issue", "accepted at both ports", "one at a time", in.issue.warp);
  }
  return CheckPort(cycle, in.issue_valid, in.issue, out.issue_ready, in.fence_ack, &own_) &&
         CheckPort(cycle, in.remote_valid, in.remote, out.remote_ready, in.fence_ack, &remote_);
}

bool AtomicsChecker::CheckPort(std::uint64_t cycle, bool valid, const AtomicUpdate& update,
                               bool ready, std::uint64_t fence_ack, Port* port) {
  if (port->offered && !(valid && update == *port->offered)) {
    return Wrong("atomics.issue", valid ? muster::Describe(update) : "is withdrawn",
                 "held until ready: " + muster::Describe(*port->offered), port->offered->warp);
  }
  if (!valid) {
    return true;
  }
  const bool of_remote = port == &remote_;
  const bool is_upper = update.size == AtomicSize::k128 && update.upper;
  const std::optional<AtomicUpdate>& lower = port->lower;
  const bool follows = lower && is_upper && update.op == lower->op && update.addr == lower->addr &&
                       update.cta == lower->cta && update.warp == lower->warp &&
                       update.from == lower->from;
  if (update.from.remote != of_remote || (!of_remote && update.warp >= shape_.num_warps) ||
      !Has(shape_, update) || follows != (lower || update.upper) ||
      (of_remote && update.releasing)) {
    return Wrong("atomics.issue", muster::Describe(update), "may not be presented", update.warp);
  }
  const bool drains = shape_.drain && update.releasing;
  port->drained = port->drained || !drains || (fence_ack & Bit(update.warp)) != 0;
  if (!ready) {
    if (!of_remote) {
      asks_ = !port->drained;
      counts_.drains += asks_ && !port->offered ? 1 : 0;
    }
    port->offered = update;
    return true;
  }
  Port* const other = of_remote ? &own_ : &remote_;
  if (!port->drained || other->lower) {
    return Wrong("atomics.issue", "is accepted",
                 other->lower ? "waits for the other half of a value of the other port"
                              : "waits for the drain of its warp",
                 update.warp);
  }
  // In turns: of each value that waits, one of the other port goes first, at most.
  if (other->offered && other->drained && !is_upper && ++other->passed > 1) {
    return Wrong("atomics.issue", "is accepted", "lets one of the other port go first",
                 update.warp);
  }
  other->could_issue = 0;
  accepted_ = true;
  const bool behind = std::any_of(flights_.begin(), flights_.end(), [&](const Flight& flight) {
    return WordOf(flight.update) == WordOf(update) && !IsRefused(flight.update);
  });
  *port = Port();
  if (IsLower(update)) {
    port->lower = update;
  }
  flights_.push_back({update, cycle, 0, behind && !IsRefused(update), false});
  return flights_.size() <= kMostFlights ||
         Wrong("atomics.issue", "is accepted", "no place for it", update.warp);
}

// Cycles in which neither the bank nor the receiver of answers keeps the block from going on.
bool AtomicsChecker::CheckWaits(const AtomicInputs& in, const AtomicOutputs& out) {
  const bool kept = in.yield || (out.read_valid && !in.read_ready) ||
                    (reading_ && !out.read_valid) || (out.write_valid && !in.write_ready) ||
                    (out.response_valid && !in.response_ready) || (own_.lower && !in.issue_valid) ||
                    (remote_.lower && !in.remote_valid);
  if (kept) {
    return true;
  }
  for (Flight& flight : flights_) {
    ++flight.could;
    counts_.longest_commit = std::max(counts_.longest_commit, flight.could);
    if (flight.could > LongestCommit(shape_)) {
      return Wrong("atomics.commit", fmt::format("nothing in {} cycles", flight.could),
                   muster::Describe(flight.update), flight.update.warp);
    }
  }
  for (Port* const port : {&own_, &remote_}) {
    if (accepted_ || !port->offered || !port->drained || (port == &own_ && asks_)) {
      continue;
    }
    counts_.longest_issue = std::max(counts_.longest_issue, ++port->could_issue);
    if (port->could_issue > LongestIssue(shape_)) {
      return Wrong("atomics.issue", fmt::format("nothing in {} cycles", port->could_issue),
                   muster::Describe(*port->offered), port->offered->warp);
    }
  }
  return true;
}

std::vector<std::string> AtomicsChecker::History(unsigned warp) const {
  std::vector<std::string> lines;
  for (auto record = history_.rbegin(); record != history_.rend() && lines.size() < kShown;
       ++record) {
    if (record->update.warp == warp) {
      lines.insert(lines.begin(),
                   fmt::format("{:>8}  {}", record->cycle, muster::Describe(record->update)));
    }
  }
  return lines;
}

}  // namespace muster::lockstep
