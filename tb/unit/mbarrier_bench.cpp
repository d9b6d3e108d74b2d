// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "tb/unit/mbarrier_bench.h"

#include <algorithm>
#include <iterator>
#include <sstream>

#include "sim/port/structs.h"

namespace muster::mb {
namespace {

constexpr std::uint64_t kYieldAfter = 8;  // cycles that a store has waited

std::string Text(const Group& group) {
  std::ostringstream text;
  text << "operation " << static_cast<unsigned>(group.op) << " of warp " << group.warp
       << " lanes 0x" << std::hex << group.lanes << " at " << group.place.first << ":0x"
       << group.place.second << " operand 0x" << group.operand;
  return text.str();
}

MbOperation OperationOf(const Group& group) {
  MbOperation operation;
  operation.op = static_cast<MbOp>(group.op);
  operation.cta = static_cast<std::uint8_t>(group.place.first);
  operation.addr = group.place.second;
  operation.warp = static_cast<std::uint8_t>(group.warp);
  operation.lanes = group.lanes;
  operation.operand = group.operand;
  operation.phase = group.phase;
  operation.has_token = group.has_token;
  operation.has_hint = group.has_hint;
  operation.whole = group.whole;
  operation.releasing = group.releasing;
  return operation;
}

Place PlaceOf(const MbPlace& place) { return {place.cta, place.addr}; }

template <typename Port>
Place PlaceAt(const Port& port, unsigned index = 0) {
  MbPlace place;
  sv::mb_place_t::Get(port, &place, index * sv::mb_place_t::kWidth);
  return PlaceOf(place);
}

}  // namespace

Cause Judge(const Group& group, Source source) {
  const bool allowed = (Arrives(group.op) && !NoComplete(group.op) && !group.has_token) ||
                       group.op == Op::kExpectTx || group.op == Op::kCompleteTx;
  if (source == kRemote && (!allowed || group.has_token)) {
    return Cause::kRemoteNotAllowed;
  }
  if (group.place.second % 8 != 0 || group.place.second >= kSmemBytes) {
    return Cause::kBadAddress;
  }
  return JudgeOperand(group.op, group.operand);
}

Bench::Bench(std::uint64_t seed) : random(seed) {
  unit_.rst_ni = 1;
  unit_.eval();
  Reset();
}

void Bench::Reset() {
  if (!Idle()) {
    Fail("a reset while something is on its way");
  }
  parked_.fill(std::nullopt);
  for (const int reset : {0, 1}) {
    unit_.rst_ni = reset;
    unit_.eval();
  }
}

void Bench::Fail(const std::string& what) {
  if (error_.empty()) {
    error_ = "cycle " + std::to_string(cycle) + ": " + what;
  }
}

void Bench::Present(Source source, const Group& group) {
  presented_.at(source) = group;
  presented_since_.at(source) = cycle;
}

Object Bench::Word(Place place) const {
  const auto found = objects_.find(place);
  return found == objects_.end() ? Object() : found->second;
}

void Bench::Store(Place place, std::uint64_t word) {
  memory_[place] = word;
  objects_[place] = Object::Decode(word);
}

// A core lets a CTA leave only when its warps' groups have committed.
void Bench::Leave(unsigned cta) {
  for (unsigned w = 0; w < kWarps; ++w) {
    if (parked_[w] && parked_[w]->place.first == cta && !of_warp_[w].empty()) {
      return;
    }
  }
  leave_ = cta;
}

bool Bench::Idle() const {
  const auto empty = [](const auto& queue) { return queue.empty(); };
  return std::all_of(of_warp_.begin(), of_warp_.end(), empty) &&
         std::all_of(of_source_.begin(), of_source_.end(), empty) && Free(kWarp) && Free(kAsync) &&
         Free(kRemote) && expected_responses_.empty() && !store_ && wake_at_.empty() &&
         !expected_fault_;
}

void Bench::Drain() {
  for (unsigned i = 0; i < 10'000 && error_.empty() && !Idle(); ++i) {
    Cycle();
  }
  if (!Idle()) {
    Fail("something is still on its way");
  }
}

void Bench::Cycle() {
  Drive();
  unit_.eval();
  Observe();
  unit_.clk_i = 1;
  unit_.eval();
  unit_.clk_i = 0;
  ++cycle;
}

bool Bench::Held(Place place) const {
  for (unsigned i = 0; i < kMbHeld; ++i) {
    if ((unit_.smem_held_valid_o >> i & 1) != 0 && PlaceAt(unit_.smem_held_place_o, i) == place) {
      return true;
    }
  }
  return false;
}

void Bench::Drive() {
  const Group none;
  unit_.issue_valid_i = presented_[kWarp].has_value();
  sv::mb_group_t::Put(OperationOf(presented_[kWarp].value_or(none)), &unit_.issue_i);
  unit_.async_valid_i = presented_[kAsync].has_value();
  sv::mb_async_t::Put(OperationOf(presented_[kAsync].value_or(none)), &unit_.async_i);
  unit_.remote_valid_i = presented_[kRemote].has_value();
  sv::mb_remote_t::Put(OperationOf(presented_[kRemote].value_or(none)), &unit_.remote_i);

  // Accesses come and go; one that a drain is requested for is performed sooner or later.
  unit_.fence_ack_i = 0;
  for (unsigned w = 0; w < kWarps; ++w) {
    if ((unit_.fence_req_o >> w & 1) != 0) {
      outstanding_[w] = outstanding_[w] && !Percent(20);
    } else if (random() % 4 == 0) {
      outstanding_[w] = Percent(environment.outstanding);
    }
    unit_.fence_ack_i |= std::uint32_t{!outstanding_[w]} << w;
  }

  unit_.smem_write_ready_i = !Percent(environment.write_stalls);
  const bool may_read = !read_.has_value() || read_->first == cycle;
  unit_.smem_read_ready_i =
      may_read && !Percent(environment.read_stalls) &&
      !(environment.one_port && unit_.smem_write_valid_o && unit_.smem_write_ready_i);
  unit_.smem_rdata_valid_i = read_.has_value() && read_->first == cycle;
  if (unit_.smem_rdata_valid_i) {
    unit_.smem_rdata_i = read_->second;
  }
  unit_.smem_yield_i = store_.has_value() && cycle - store_since_ > kYieldAfter;
  unit_.response_ready_i = !Percent(environment.response_stalls);
  unit_.leave_valid_i = leave_.has_value();
  unit_.leave_cta_i = leave_.value_or(0);
}

// An answer false that is seen now was given before the commit of the last cycle.
void Bench::Observe() {
  sv::mb_commit_t::Get(unit_.commit_o, &seen_);
  sv::mb_response_t::Get(unit_.response_o, &seen_.response);
  sv::mb_fault_t::Get(unit_.fault_o, &seen_.fault);
  ObserveFalseAnswers();
  ObserveCommit();
  for (unsigned w = 0; w < kWarps; ++w) {
    if (((unit_.busy_o >> w & 1) != 0) == of_warp_[w].empty()) {
      Fail("busy is wrong of warp " + std::to_string(w));
    }
  }
  ObserveResults();
  leaving_ = 0;
  for (unsigned w = 0; w < kWarps; ++w) {
    if (leave_ && parked_[w] && parked_[w]->place.first == *leave_) {
      leaving_ |= 1U << w;
    }
  }
  leave_.reset();
  commit_.reset();
  if (seen_.commit_valid) {
    const MbOutputs::Commit& commit = seen_.commit;
    const Place place = PlaceOf(commit.place);
    const auto found = memory_.find(place);
    commit_ = Commit{static_cast<unsigned>(commit.source),
                     commit.warp % kWarps,
                     commit.lanes,
                     place,
                     commit.written,
                     commit.completed,
                     commit.parked,
                     commit.word,
                     found == memory_.end() ? 0 : found->second};
  }
  const bool writes = unit_.smem_write_valid_o && unit_.smem_write_ready_i;
  if (writes != (commit_ && commit_->written)) {
    Fail("commit and write differ");
  }
  ObserveMemory();
  ObserveHandshakes();
}

void Bench::ObserveMemory() {
  if (unit_.smem_rdata_valid_i) {
    read_.reset();
  }
  const Place read_place = PlaceAt(unit_.smem_read_place_o);
  const bool reads = unit_.smem_read_valid_o && unit_.smem_read_ready_i;
  if (store_ && !Held(store_->first) && !(reads && read_place == store_->first)) {
    Store(store_->first, store_->second);
    store_.reset();
    ++stores;
  }
  if (store_ && cycle - store_since_ > 1000) {
    Fail("a store has waited for 1000 cycles");
  }
  held += unit_.smem_held_valid_o != 0;
  if (reads) {
    ++this->reads;
    const auto found = memory_.find(read_place);
    const unsigned more =
        environment.more_latency == 0 ? 0 : random() % (environment.more_latency + 1);
    read_ = {cycle + environment.latency + more, found == memory_.end() ? 0 : found->second};
  }
  if (unit_.smem_write_valid_o && unit_.smem_write_ready_i) {
    memory_[PlaceAt(unit_.smem_write_place_o)] = unit_.smem_write_data_o;
  }
  if (!store_ && !objects_.empty() && Percent(environment.stores)) {
    auto place = objects_.begin();
    std::advance(place, random() % objects_.size());
    Object object = place->second;
    object.pending += static_cast<std::int64_t>(random() % 2);
    store_ = {place->first, random() % 8 == 0 ? random() : object.Encode()};
    store_since_ = cycle;
  }
}

void Bench::ObserveHandshakes() {
  const std::array<bool, kNumSources> ready = {unit_.issue_ready_o != 0, unit_.async_ready_o != 0,
                                               unit_.remote_ready_o != 0};
  for (unsigned source = 0; source < kNumSources; ++source) {
    if (!presented_.at(source) || !ready.at(source)) {
      continue;
    }
    const Group& group = *presented_.at(source);
    worst_wait.at(source) = std::max(worst_wait.at(source), cycle - presented_since_.at(source));
    const bool drained = (unit_.fence_ack_i >> group.warp & 1) != 0;
    (source == kWarp ? of_warp_.at(group.warp) : of_source_.at(source))
        .push_back({group, drained || !group.releasing || source != kWarp});
    drains += !of_warp_.at(group.warp).empty() && !of_warp_.at(group.warp).back().drained;
    presented_.at(source).reset();
  }
  for (unsigned w = 0; w < kWarps; ++w) {
    if ((unit_.fence_req_o & unit_.fence_ack_i) >> w & 1) {
      if (of_warp_[w].empty()) {
        Fail("a drain is requested for warp " + std::to_string(w) + ", which has nothing to drain");
        continue;
      }
      of_warp_[w].back().drained = true;
    }
  }
}

void Bench::ObserveCommit() {
  if (!commit_) {
    return;
  }
  auto& queue =
      commit_->source == kWarp ? of_warp_.at(commit_->warp) : of_source_.at(commit_->source);
  if (queue.empty()) {
    Fail("a commit of nothing");
    return;
  }
  Accepted& accepted = queue.front();
  if (!accepted.drained) {
    Fail("a commit before its drain: " + Text(accepted.group));
  }
  Expect(accepted, Word(accepted.group.place));
  back_to_back += commits != 0 && last_commit + 2 == cycle;
  last_commit = cycle - 1;
  ++commits;
  accepted.group.lanes &= ~commit_->lanes;
  if (accepted.group.lanes == 0) {
    queue.pop_front();
  } else {
    accepted.split = true;
    ++splits;
  }
}

// The lanes of the group one by one, as far as they are one update. A group that is split goes lane
// by lane.
void Bench::Expect(const Accepted& accepted, const Object& before) {
  const Group& group = accepted.group;
  const Commit& seen = *commit_;
  const unsigned source = seen.source;
  const std::uint32_t lanes = seen.lanes;
  const std::uint64_t now = cycle - 1;
  const unsigned left = __builtin_popcount(group.lanes);
  Object after = before;
  Outcome outcome;
  outcome.cause = Judge(group, static_cast<Source>(source));
  unsigned taken = 0;
  if (outcome.cause == Cause::kNone) {
    while (taken < left && outcome.cause == Cause::kNone && !outcome.completed) {
      outcome = Step(after, group.op, group.operand);
      taken += outcome.cause == Cause::kNone ? 1 : 0;
    }
  }
  const bool refused = taken == 0;
  const bool tx_alone = group.op == Op::kExpectTx || group.op == Op::kCompleteTx;
  const bool one = lanes == (group.lanes & -group.lanes);
  const bool whole =
      left == 1 || (!accepted.split && taken == left && !(tx_alone && before.pending == 0));
  if (refused || whole ? lanes != group.lanes : !one) {
    Fail("other lanes than those of one update: " + Text(group));
    return;
  }
  if (!refused && !whole) {
    after = before;
    outcome = Step(after, group.op, group.operand);
  }
  const Cause cause = refused ? outcome.cause : Cause::kNone;
  const bool completed = !refused && outcome.completed;
  ++causes.at(static_cast<unsigned>(cause));
  completions += completed;

  const bool written = cause == Cause::kNone && !Waits(group.op);
  if (seen.written != written || (written && seen.word != after.Encode()) ||
      seen.completed != completed || seen.place != group.place) {
    std::ostringstream text;
    text << Text(group) << std::hex << ": word 0x" << seen.word << ", not 0x" << after.Encode()
         << ", completed " << seen.completed;
    Fail(text.str());
  }

  // What follows from it.
  const unsigned warp = group.warp % kWarps;
  const bool passed = Waits(group.op) && group.phase != before.phase;
  const bool parks_now = source == kWarp && cause == Cause::kNone &&
                         (group.op == Op::kTryWait || group.op == Op::kTryWaitParity) && !passed &&
                         group.whole && !(group.has_hint && group.operand == 0) && !parked_[warp];
  if (seen.parked != parks_now) {
    Fail("parks, or does not: " + Text(group));
  }
  if (written) {
    objects_[group.place] = after;
  }
  if (cause != Cause::kNone) {
    expected_fault_ = Fault{cause, source, warp, lanes, group.place};
  }
  if (completed) {
    for (unsigned w = 0; w < kWarps; ++w) {
      if (parked_[w] && parked_[w]->place == group.place && parked_[w]->phase == before.phase) {
        wake_at_[now + kCompletionToWake] |= 1U << w;
        parked_[w].reset();
      }
    }
  }
  if (parks_now) {
    parked_[warp] = Parked{group.place, group.phase, now,
                           group.has_hint ? std::uint64_t{group.operand} : kLimitNs};
    ++parks;
  } else if (source == kWarp && cause == Cause::kNone &&
             (Waits(group.op) || (Arrives(group.op) && group.has_token))) {
    const std::uint64_t token = Object::Decode(seen.found).Encode();
    expected_responses_.push_back({warp, lanes, group.op, group.operand & 0xfffff, passed, token});
  }
}

void Bench::ObserveFalseAnswers() {
  for (unsigned w = 0; w < kWarps; ++w) {
    const bool answered = (unit_.expire_o >> w & 1) != 0;
    const bool leaves = (leaving_ >> w & 1) != 0;
    if (answered && !parked_[w]) {
      Fail("warp " + std::to_string(w) + " is answered false, and is not parked");
    }
    if (!parked_[w]) {
      continue;
    }
    const Parked& parked = *parked_[w];
    const std::uint64_t cycles = (parked.limit_ns * 1000 + kClockPeriodPs - 1) / kClockPeriodPs;
    const std::uint64_t limit = parked.since + cycles;
    if (answered && !leaves && cycle < limit) {
      Fail("warp " + std::to_string(w) + " is answered false before its limit");
    }
    if (!answered && (leaves || cycle > limit + kExpiry)) {
      Fail("warp " + std::to_string(w) + " is not answered at its limit, " + std::to_string(limit));
    }
    if (answered) {
      parked_[w].reset();
      ++expiries;
    }
  }
}

void Bench::ObserveResults() {
  if (expected_fault_ || unit_.fault_valid_o) {
    const Fault f = expected_fault_.value_or(Fault{});
    const MbOutputs::Fault& fault = seen_.fault;
    const auto cause = static_cast<unsigned>(fault.cause);
    if (!expected_fault_ || !unit_.fault_valid_o || cause != static_cast<unsigned>(f.cause) ||
        static_cast<unsigned>(fault.source) != f.source ||
        (f.source == kWarp && fault.warp != f.warp) || fault.lanes != f.lanes ||
        PlaceOf(fault.place) != f.place) {
      Fail("fault " + std::to_string(cause) + " where " +
           std::to_string(static_cast<unsigned>(f.cause)) + " is due");
    }
    expected_fault_.reset();
  }
  std::uint32_t wakes_due = 0;
  if (const auto due = wake_at_.find(cycle); due != wake_at_.end()) {
    wakes_due = due->second;
    wake_at_.erase(due);
  }
  if (unit_.wake_o != wakes_due) {
    std::ostringstream text;
    text << std::hex << "wakes 0x" << unit_.wake_o << ", not 0x" << wakes_due;
    Fail(text.str());
  }
  wakes += __builtin_popcount(wakes_due);
  if (unit_.response_valid_o && unit_.response_ready_i) {
    if (expected_responses_.empty()) {
      Fail("a response that nobody waits for");
      return;
    }
    const Response& r = expected_responses_.front();
    const MbOutputs::Response& seen = seen_.response;
    if (seen.warp != r.warp || seen.lanes != r.lanes || static_cast<Op>(seen.op) != r.op ||
        seen.complete != r.complete ||
        (Arrives(r.op) && (seen.token != r.token || seen.operand != r.operand))) {
      Fail("another response than that of warp " + std::to_string(r.warp));
    }
    expected_responses_.pop_front();
    ++responses;
  }
}

}  // namespace muster::mb
