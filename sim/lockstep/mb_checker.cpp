// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/lockstep/mb_checker.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "sim/isa/bits.h"
#include "sim/isa/config.h"
#include "sim/lockstep/bounds.h"

namespace muster::lockstep {
namespace {

bool Same(const MbOperation& a, const MbOperation& b) {
  return a.op == b.op && a.cta == b.cta && a.warp == b.warp && a.lanes == b.lanes &&
         a.addr == b.addr && a.operand == b.operand && a.phase == b.phase && a.asks == b.asks &&
         a.has_token == b.has_token && a.has_hint == b.has_hint && a.whole == b.whole &&
         a.releasing == b.releasing;
}

MbPlace PlaceOfWord(const MbOperation& operation) { return {operation.cta, operation.addr}; }

}  // namespace

MbChecker::MbChecker(const Config& config, const golden::Mbarriers& model)
    : config_(config),
      model_(model),
      warp_mask_(WarpMask(config.num_warps)),
      longest_(BoundsOf(config).mb_longest),
      latency_(LatencyOf(config)),
      records_(config.mbarrier ? kRecords : 0) {
  events_.reserve(kMaxWarps);
}

bool MbChecker::Check(std::uint64_t cycle, const Inputs& in, const Outputs& out) {
  const MbInputs& mb_in = in.mb;
  const MbOutputs& mb = out.mb;
  events_.clear();
  rests_ = Rests(cycle, mb_in, mb);
  if (rests_) {
    return true;
  }
  if ((mb.expire != 0 || leave_ || cycle > deadline_) && !TakeFalseAnswers(cycle, mb)) {
    return false;
  }
  if (commit_) {
    MbEvent& event = events_.emplace_back();
    event.operation = committed_;
    before_.commit = *commit_;
  }
  for (const MbInputs::Store& store : mb_in.stores) {
    events_.push_back(EventOf(store));
  }
  for (const MbOperation& operation : mb_in.announced) {
    events_.emplace_back().operation = operation;
  }
  if (mb.busy != busy_) {
    return Differ("mb.busy", fmt::format("{:#x}", mb.busy),
                  fmt::format("{:#x}: from acceptance to commit", busy_));
  }
  if (mb.fence_req != undrained_) {
    return Differ("mb.fence_req", fmt::format("{:#x}", mb.fence_req),
                  fmt::format("{:#x}: from acceptance to acknowledge", undrained_));
  }
  return CountWaits(mb_in, mb) && CheckSources(mb_in, mb) && CheckBank(mb_in, mb) &&
         CheckResponseHeld(mb_in, mb);
}

// Whether nothing happens: no pin is active, and none has to be. All other checks hold then.
bool MbChecker::Rests(std::uint64_t cycle, const MbInputs& in, const MbOutputs& out) const {
  const bool driven = in.issue_valid || in.async_valid || in.remote_valid || in.rdata_valid ||
                      !in.stores.empty() || !in.announced.empty();
  const bool shown = out.commit_valid || out.read_valid || out.write_valid || out.response_valid ||
                     out.fault_valid || (out.busy | out.fence_req | out.wake | out.expire) != 0;
  const bool held =
      held_issue_ || held_async_ || held_remote_ || held_read_ || held_write_ || held_response_;
  const bool awaited = !quiet_ || wake_ != 0 || !responses_.empty() || leave_;
  return !driven && !shown && !held && !awaited && cycle <= deadline_;
}

// The answers seen now were given before the commit of the cycle before.
bool MbChecker::TakeFalseAnswers(std::uint64_t cycle, const MbOutputs& out) {
  std::uint64_t leaving = 0;
  if (leave_) {
    events_.push_back(*leave_);
  }
  deadline_ = std::numeric_limits<std::uint64_t>::max();
  for (std::uint64_t left = model_.Parked() | out.expire; left != 0; left &= left - 1) {
    const auto warp = static_cast<unsigned>(__builtin_ctzll(left));
    const bool parked = (model_.Parked() & Bit(warp)) != 0;
    const bool answered = (out.expire & Bit(warp)) != 0;
    const Parked& slot = parked_[warp];
    if (!parked) {
      return Differ("mb.expire", fmt::format("warp {}", warp), "no: it is not parked");
    }
    if (leave_ && slot.cta == leave_->operation.cta && config_.mb_limit) {
      leaving |= Bit(warp);  // the golden model answers these
      continue;
    }
    if (answered && cycle < slot.limit) {
      return Differ("mb.expire", fmt::format("warp {}", warp),
                    fmt::format("not before cycle {}", slot.limit));
    }
    if (!answered && config_.mb_limit) {
      if (cycle > slot.limit + latency_.mb_expiry) {
        return Differ("mb.expire", fmt::format("not warp {}", warp),
                      fmt::format("at most {} cycles after its limit, cycle {}", latency_.mb_expiry,
                                  slot.limit));
      }
      deadline_ = std::min(deadline_, slot.limit + latency_.mb_expiry);
    }
  }
  for (std::uint64_t left = out.expire & ~leaving; left != 0; left &= left - 1) {
    MbEvent& event = events_.emplace_back();
    event.kind = MbEvent::Kind::kExpire;
    event.operation.warp = static_cast<std::uint8_t>(__builtin_ctzll(left));
  }
  return true;
}

bool MbChecker::CheckSources(const MbInputs& in, const MbOutputs& out) {
  const auto held = [&](const char* port, bool was, bool valid, const MbOperation& now,
                        const MbOperation& before) {
    return !was || (valid && Same(now, before)) ||
           Differ(port, "changes before it is accepted", "held until ready (by the driver)");
  };
  if (!held("mb.issue", held_issue_, in.issue_valid, in.issue, before_in_.issue) ||
      !held("mb.async", held_async_, in.async_valid, in.async, before_in_.async) ||
      !held("mb.remote", held_remote_, in.remote_valid, in.remote, before_in_.remote)) {
    return false;
  }
  const auto resident = [&](const char* port, bool valid, const MbOperation& operation) {
    return !valid || model_.core().Resident(operation.cta % kMaxCtas) ||
           Differ(port, fmt::format("of CTA {} (by the driver)", operation.cta),
                  "none of it: the CTA is not resident", PlaceOfWord(operation));
  };
  if (!resident("mb.issue", in.issue_valid, in.issue) ||
      !resident("mb.async", in.async_valid, in.async) ||
      !resident("mb.remote", in.remote_valid, in.remote)) {
    return false;
  }
  if (!config_.mb_limit && in.issue_valid && WaitsWhole(PlaceOf(in.issue.warp))) {
    return Differ("mb.issue", fmt::format("of warp {}, which waits (by the driver)", in.issue.warp),
                  "nothing of it before its answer: a wait without time limits is the warp's",
                  PlaceOfWord(in.issue));
  }
  commit_.reset();
  if (out.commit_valid && !TakeCommit(out.commit)) {
    return false;
  }
  const bool writes = out.write_valid && in.write_ready;
  const bool must = out.commit_valid && out.commit.written;
  if (writes != must ||
      (writes && !(out.write_place == out.commit.place && out.write_data == out.commit.word))) {
    return Differ("smem.write", writes ? "granted" : "none", "what commits, and in that cycle");
  }
  // Acknowledged groups count as drained from the next cycle on.
  for (std::uint64_t left = undrained_ & in.fence_ack; left != 0; left &= left - 1) {
    Flight& flight = of_warp_[__builtin_ctzll(left)].back();
    flight.drained = true;
    flight.since = counted_;
  }
  undrained_ &= ~in.fence_ack;
  // What was held already is the same.
  const auto hold = [](bool valid, bool ready, const MbOperation& now, bool* held,
                       MbOperation* before) {
    const bool holds = valid && !ready;
    if (holds && !*held) {
      *before = now;
    }
    *held = holds;
  };
  hold(in.issue_valid, out.issue_ready, in.issue, &held_issue_, &before_in_.issue);
  hold(in.async_valid, out.async_ready, in.async, &held_async_, &before_in_.async);
  hold(in.remote_valid, out.remote_ready, in.remote, &held_remote_, &before_in_.remote);
  if (in.issue_valid || in.async_valid || in.remote_valid) {
    Accept(in, out);
  }
  return true;
}

// Whether the warp is parked, or a wait of it that may park is on its way.
bool MbChecker::WaitsWhole(unsigned warp) const {
  const Queue<Flight>& flights = of_warp_[warp];
  return (model_.Parked() & Bit(warp)) != 0 ||
         std::any_of(flights.begin(), flights.end(), [](const Flight& flight) {
           return IsTryWait(flight.operation.op) && flight.operation.whole;
         });
}

void MbChecker::Accept(const MbInputs& in, const MbOutputs& out) {
  if (in.issue_valid && out.issue_ready) {
    const unsigned warp = PlaceOf(in.issue.warp);
    const bool drained = !config_.drain || !in.issue.releasing || (in.fence_ack & Bit(warp)) != 0;
    of_warp_[warp].push_back({TakesPart(in.issue), drained, !drained, counted_});
    busy_ |= Bit(warp);
    undrained_ |= drained ? 0 : Bit(warp);
    quiet_ = false;
  }
  if (in.async_valid && out.async_ready) {
    of_async_.push_back({in.async, true, false, counted_});
    quiet_ = false;
  }
  if (in.remote_valid && out.remote_ready) {
    of_remote_.push_back({TakesPart(in.remote), true, false, counted_});
    quiet_ = false;
  }
}

Queue<MbChecker::Flight>& MbChecker::QueueOf(MbSource source, unsigned warp) {
  if (source == MbSource::kAsync) {
    return of_async_;
  }
  return source == MbSource::kRemote ? of_remote_ : of_warp_[PlaceOf(warp)];
}

// The oldest group of its warp or source, or its first lanes.
bool MbChecker::TakeCommit(const MbOutputs::Commit& commit) {
  Queue<Flight>& queue = QueueOf(commit.source, commit.warp);
  const auto from = [&commit] {
    return commit.source == MbSource::kWarp ? fmt::format("warp {}", commit.warp)
                                            : std::string(Name(commit.source));
  };
  if (queue.empty()) {
    return Differ("mb.commit", "of " + from(), "none of it was accepted", commit.place);
  }
  Flight& flight = queue.front();
  if (!flight.drained) {
    return Differ("mb.commit", "of " + from(), "not before its drain", commit.place);
  }
  MbOperation& operation = flight.operation;
  if (!(PlaceOfWord(operation) == commit.place)) {
    return Differ("mb.commit", fmt::format("of {} at {:#x}", from(), commit.place.addr),
                  fmt::format("at CTA {}, {:#x}", operation.cta, operation.addr), commit.place);
  }
  const std::uint32_t lanes = config_.lanes ? commit.lanes : operation.lanes;
  const std::uint32_t rest = operation.lanes & ~lanes;
  const bool ordered = rest == 0 || (lanes >> __builtin_ctz(rest)) == 0;
  if (lanes == 0 || (lanes & ~operation.lanes) != 0 || !ordered ||
      commit.lanes != LanesShown(lanes)) {
    return Differ("mb.commit.lanes", fmt::format("{:#x}", commit.lanes),
                  fmt::format("the first of {:#x}", LanesShown(operation.lanes)), commit.place);
  }
  commit_ = commit;
  committed_ = operation;
  committed_.lanes = lanes;
  committed_.behind |= rest;
  operation.lanes = rest;
  if (rest == 0) {
    if (!CountWait(flight.parked ? kMbDrainWait : kMbCommitWait, counted_ - flight.since,
                   committed_)) {
      return false;
    }
    queue.pop_front();
    if (commit.source == MbSource::kWarp && queue.empty()) {
      busy_ &= ~Bit(PlaceOf(commit.warp));
    }
  }
  return true;
}

// Counts cycles in which the memory grants all requests, and a response is taken.
bool MbChecker::CountWaits(const MbInputs& in, const MbOutputs& out) {
  const bool stalled = in.yield || (reading_ && !in.rdata_valid) ||
                       (out.read_valid && !in.read_ready) || (out.write_valid && !in.write_ready) ||
                       (out.response_valid && !in.response_ready);
  const std::uint64_t counts = stalled ? 0 : 1;
  counted_ += counts;
  if (!(in.issue_valid || in.async_valid || in.remote_valid)) {
    return true;
  }
  const auto port = [&](MbWait wait, bool waits, bool ready, const MbOperation& operation,
                        std::uint64_t* cycles) {
    *cycles += counts;
    if (waits && !ready) {
      return CountWait(wait, *cycles, operation);
    }
    *cycles = 0;
    return true;
  };
  const bool alone = in.issue_valid && (busy_ & Bit(PlaceOf(in.issue.warp))) == 0;
  return port(kMbIssueWait, alone, out.issue_ready, in.issue, &issue_wait_) &&
         port(kMbOtherWait, in.async_valid, out.async_ready, in.async, &async_wait_) &&
         port(kMbOtherWait, in.remote_valid, out.remote_ready, in.remote, &remote_wait_);
}

bool MbChecker::CountWait(MbWait wait, std::uint64_t cycles, const MbOperation& operation) {
  waits_[wait] = std::max(waits_[wait], cycles);
  return cycles <= longest_[wait] || TooLong(wait, cycles, operation);
}

bool MbChecker::TooLong(MbWait wait, std::uint64_t cycles, const MbOperation& operation) {
  return Differ(fmt::format("wait.{}", kMbWaitNames[wait]),
                fmt::format("{} cycles, and not over", cycles),
                fmt::format("{} at most, as published", longest_[wait]), PlaceOfWord(operation));
}

bool MbChecker::CheckBank(const MbInputs& in, const MbOutputs& out) {
  if (held_write_ && !(out.write_valid && out.write_place == before_.write_place &&
                       out.write_data == before_.write_data)) {
    return Differ("smem.write", "changes", "held until it is granted", before_.write_place);
  }
  if (in.yield && out.read_valid) {
    return Differ("smem.read", "valid", "no read while a store makes the unit yield",
                  out.read_place);
  }
  if (held_read_ && !in.yield && !(out.read_valid && out.read_place == before_.read_place)) {
    return Differ("smem.read", "changes", "held until it is granted", before_.read_place);
  }
  if (in.rdata_valid) {
    if (!reading_) {
      return Differ("smem.rdata", "valid (by the driver)", "no read is on its way");
    }
    const std::uint64_t word = model_.Word(reading_->cta, reading_->addr);
    if (in.rdata != word) {
      return Differ("smem.rdata", fmt::format("{:#x} (by the driver)", in.rdata),
                    fmt::format("{:#x}", word), *reading_);
    }
    reading_.reset();
  }
  if (out.read_valid && in.read_ready) {
    if (reading_) {
      return Differ("smem.read", "granted (by the driver)", "one at a time", out.read_place);
    }
    reading_ = out.read_place;
  }
  held_write_ = out.write_valid && !in.write_ready;
  held_read_ = out.read_valid && !in.read_ready;
  if (held_write_ || held_read_) {
    before_.write_place = out.write_place;
    before_.write_data = out.write_data;
    before_.read_place = out.read_place;
  }
  return true;
}

bool MbChecker::CheckResponseHeld(const MbInputs& in, const MbOutputs& out) {
  if (held_response_ && !out.response_valid) {
    return Differ("mb.response_valid", "0", "held until ready");
  }
  held_response_ = out.response_valid && !in.response_ready;
  return true;
}

std::vector<MbRecord> MbChecker::History(MbPlace place) const {
  std::vector<MbRecord> history;
  for (std::uint64_t i = kept_; i != kept_ - std::min(kept_, kRecords); --i) {
    const MbRecord& record = records_[(i - 1) % kRecords];
    if (PlaceOfWord(record.event.operation) == place && history.size() < kReported) {
      history.push_back(record);
    }
  }
  std::reverse(history.begin(), history.end());
  return history;
}

std::optional<MbRecord> MbChecker::Latest() const {
  return kept_ == 0 ? std::nullopt : std::optional(records_[(kept_ - 1) % kRecords]);
}

}  // namespace muster::lockstep
