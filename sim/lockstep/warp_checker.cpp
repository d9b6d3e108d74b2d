// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/lockstep/warp_checker.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "sim/isa/bits.h"

namespace muster::lockstep {
namespace {

constexpr unsigned kEvaluation = 6;  // cycles of an evaluation beside its beats
constexpr std::size_t kRecords = 64;
constexpr std::size_t kShown = 8;

std::string Describe(const WarpAnswer& answer) {
  return fmt::format("{} of warp {} is answered: lanes {:#010x} data {:#x} pred {}",
                     Name(answer.op), answer.warp, answer.lanes, answer.data, answer.pred);
}

std::string Describe(const WarpArrival& arrival) {
  return fmt::format("warp {} of CTA {} arrives: lanes {:#010x} key {:#x} preds {:#010x}",
                     arrival.warp, arrival.cta, arrival.lanes, arrival.key, arrival.preds);
}

std::string Describe(const WarpRequest& request) {
  return fmt::format("{} of warp {}: lanes {:#010x} live {:#010x} key {:#010x} preds {:#010x}",
                     Name(request.op), request.warp, request.lanes, request.live, request.key,
                     request.preds);
}

template <typename List>
std::string DescribeAll(const List& list) {
  std::string text;
  for (const auto& item : list) {
    text += (text.empty() ? "" : "; ") + Describe(item);
  }
  return text.empty() ? "nothing" : text;
}

bool IsSame(const WarpInputs& a, const WarpInputs& b) {
  const WarpRequest& l = a.request;
  const WarpRequest& r = b.request;
  return a.beat == b.beat && a.last == b.last && l.op == r.op && l.mode == r.mode &&
         l.abs == r.abs && l.nan == r.nan && l.warp == r.warp && l.cta == r.cta &&
         l.lanes == r.lanes && l.live == r.live && l.key == r.key && l.preds == r.preds &&
         l.values == r.values;
}

}  // namespace

unsigned WarpLatency(const WarpShape& shape, WarpOp op, unsigned k) {
  const unsigned beats = shape.Beats();
  const unsigned more = beats > 1 ? 3 : 0;  // start, memory, register
  if (IsMatch(op)) {
    return 2 + more + beats * k;
  }
  const unsigned levels = First(shape.lanes_per_beat);  // halvings of a beat
  return IsRedux(op) ? 3 + more + beats + levels : 2;
}

WarpChecker::WarpChecker(const WarpShape& shape)
    : shape_(shape), model_(shape.num_warps, shape.warp_size) {}

void WarpChecker::Reset() {
  expected_.clear();
  due_.clear();
  waited_ = 0;
  shown_.reset();
  offered_.reset();
  reads_ = 0;
  open_ = 0;
  for (unsigned warp = 0; warp < shape_.num_warps; ++warp) {
    model_.Clear(warp);
    held_[warp] = 0;
  }
}

bool WarpChecker::Wrong(const char* field, std::string unit, std::string golden, unsigned warp) {
  mismatch_ = Mismatch{field, std::move(unit), std::move(golden)};
  mismatch_->warp = static_cast<int>(warp);
  return false;
}

bool WarpChecker::Settled() const {
  return due_.empty() && reads_ == 0 &&
         std::all_of(expected_.begin(), expected_.end(),
                     [](const Expected& request) { return request.Done(); });
}

bool WarpChecker::SettledOf(unsigned warp) const {
  return std::none_of(due_.begin(), due_.end(),
                      [&](const WarpArrival& arrival) { return arrival.warp == warp; }) &&
         std::all_of(expected_.begin(), expected_.end(), [&](const Expected& request) {
           return request.given.warp != warp || request.Done();
         });
}

bool WarpChecker::Check(std::uint64_t cycle, const WarpInputs& in, const WarpOutputs& out) {
  accepted_.reset();
  if (!(CheckQuiet(out) && CheckAnswer(cycle, out) && CheckFault(cycle, out) &&
        CheckArrival(in, out) && CheckDeadlines(cycle, in, out) && CheckRequest(cycle, in, out))) {
    return false;
  }
  ForEachBit(in.clear, [&](unsigned warp) {
    model_.Clear(warp);
    held_[warp] = 0;
    open_ &= ~Bit(warp);
  });
  return true;
}

// What is not active needs no clock.
bool WarpChecker::CheckQuiet(const WarpOutputs& out) {
  if (out.active) {
    return true;
  }
  if (out.answer_valid || out.fault_valid || out.arrival_valid) {
    return Wrong("warp.active", "is low, and something is shown", "high", 0);
  }
  if (!Settled()) {
    return Wrong("warp.active", "is low", "high: something is under way", 0);
  }
  if ((open_ & ~out.open) != 0) {
    return Wrong("warp.open", fmt::format("{:#x}", out.open),
                 fmt::format("{:#x} at least: lanes of these warps wait", open_), First(open_));
  }
  return true;
}

// The oldest request of which something is still to come.
WarpChecker::Expected* WarpChecker::Oldest() {
  while (!expected_.empty() && expected_.front().Done()) {
    expected_.pop_front();
  }
  return expected_.empty() ? nullptr : &expected_.front();
}

bool WarpChecker::CheckAnswer(std::uint64_t cycle, const WarpOutputs& out) {
  if (!out.answer_valid) {
    return true;
  }
  const WarpAnswer& answer = out.answer;
  if (answer.op == WarpOp::kRead) {
    if (reads_ == 0 || answer.lanes != 0) {
      return Wrong("warp.answer", Describe(answer), "of a read that was presented, and for no lane",
                   answer.warp);
    }
    --reads_;
    return !out.group_open || out.group_cta == cta_[answer.warp] ||
           Wrong("warp.group.cta", fmt::format("{}", out.group_cta),
                 fmt::format("{}", cta_[answer.warp]), answer.warp);
  }
  Expected* const request = Oldest();
  if (request == nullptr) {
    return Wrong("warp.answer", Describe(answer), "nothing", answer.warp);
  }
  const auto found = std::find(request->answers.begin(), request->answers.end(), answer);
  if (found == request->answers.end()) {
    return Wrong("warp.answer", Describe(answer), DescribeAll(request->answers), answer.warp);
  }
  ++request->answered;
  if (request->together) {
    if (found != request->answers.begin()) {
      return Wrong("warp.answer", Describe(answer), "first " + Describe(request->answers.front()),
                   answer.warp);
    }
    const std::uint64_t latency = cycle - request->accepted;
    const unsigned published = WarpLatency(shape_, answer.op, request->answered);
    if (latency != published) {
      return Wrong("warp.latency",
                   fmt::format("{}, {} cycles after it was accepted", Describe(answer), latency),
                   fmt::format("{} cycles", published), answer.warp);
    }
  }
  request->answers.erase(found);
  held_[answer.warp] &= ~answer.lanes;
  return true;
}

bool WarpChecker::CheckFault(std::uint64_t cycle, const WarpOutputs& out) {
  if (!out.fault_valid) {
    return true;
  }
  const WarpOutputs::Fault& fault = out.fault;
  const std::string shown = fmt::format("{} of warp {}, lanes {:#010x}", muster::Name(fault.cause),
                                        fault.warp, fault.lanes);
  Expected* const request = Oldest();
  if (request == nullptr || !request->refused) {
    return Wrong("warp.fault", shown,
                 request == nullptr ? "nothing" : DescribeAll(request->answers), fault.warp);
  }
  const WarpRequest& given = request->given;
  if (fault.cause != request->cause || fault.warp != given.warp || fault.lanes != given.lanes) {
    return Wrong("warp.fault", shown,
                 fmt::format("{} of warp {}, lanes {:#010x}", muster::Name(request->cause),
                             given.warp, given.lanes),
                 given.warp);
  }
  const std::uint64_t latency = cycle - request->accepted;
  if (fault.cause == FaultCause::kNotAMember && latency != 2) {
    return Wrong("warp.latency", fmt::format("{}, after {} cycles", shown, latency), "2 cycles",
                 given.warp);
  }
  request->refused = false;
  held_[given.warp] &= ~given.lanes;
  return true;
}

bool WarpChecker::CheckArrival(const WarpInputs& in, const WarpOutputs& out) {
  if (!out.arrival_valid) {
    return !shown_ || Wrong("warp.arrival", "is withdrawn", Describe(*shown_), shown_->warp);
  }
  const WarpArrival& arrival = out.arrival;
  if (shown_ && !(arrival == *shown_)) {
    return Wrong("warp.arrival", Describe(arrival), "as before: " + Describe(*shown_),
                 arrival.warp);
  }
  if ((in.busy & Bit(arrival.warp)) != 0) {
    return Wrong("warp.arrival", Describe(arrival), "not while the warp is busy", arrival.warp);
  }
  const auto found = std::find(due_.begin(), due_.end(), arrival);
  if (found == due_.end()) {
    return Wrong("warp.arrival", Describe(arrival), DescribeAll(due_), arrival.warp);
  }
  shown_ = arrival;
  if (in.arrival_ready) {
    shown_.reset();
    ++counts_.arrivals;
    due_.erase(found);
    held_[arrival.warp] &= ~arrival.lanes;
  }
  return true;
}

bool WarpChecker::CheckDeadlines(std::uint64_t cycle, const WarpInputs& in,
                                 const WarpOutputs& out) {
  const Expected* const oldest = Oldest();
  if (oldest != nullptr && cycle > oldest->deadline) {
    return Wrong("warp.answer",
                 fmt::format("nothing in {} cycles, after {}", cycle - oldest->accepted,
                             Describe(oldest->given)),
                 oldest->refused ? muster::Name(oldest->cause) : DescribeAll(oldest->answers),
                 oldest->given.warp);
  }
  // Arrivals go before requests.
  const auto free = std::find_if(due_.begin(), due_.end(), [&](const WarpArrival& arrival) {
    return (in.busy & Bit(arrival.warp)) == 0;
  });
  const bool waits = oldest == nullptr && free != due_.end() && !out.arrival_valid;
  waited_ = waits ? waited_ + 1 : 0;
  return waited_ <= 2 * LongestWalk() ||  // a request's walk, and its own
         Wrong("warp.arrival", fmt::format("nothing in {} cycles", waited_), Describe(*free),
               free->warp);
}

bool WarpChecker::CheckRequest(std::uint64_t cycle, const WarpInputs& in, const WarpOutputs& out) {
  if (offered_ && (!in.valid || !IsSame(in, *offered_))) {
    return Wrong("warp.request", in.valid ? Describe(in.request) : "is withdrawn",
                 "held until ready: " + Describe(offered_->request), offered_->request.warp);
  }
  if (!in.valid) {
    return true;
  }
  const WarpRequest& request = in.request;
  if (!out.ready) {
    if (!offered_) {
      offered_ = in;
    }
    return true;
  }
  offered_.reset();
  if (!in.last) {
    return true;
  }
  if (request.warp >= shape_.num_warps || !model_.MayBePresented(request)) {
    return Wrong("warp.request", Describe(request), "may not be presented", request.warp);
  }
  Accept(cycle, request);
  return true;
}

void WarpChecker::Accept(std::uint64_t cycle, const WarpRequest& presented) {
  Oldest();  // what is done is forgotten
  WarpEffects effects = model_.Step(presented);
  WarpRequest request = presented;  // of the lanes that the warp has
  request.lanes &= shape_.Lanes();
  if (request.op != WarpOp::kWrite) {
    request.live &= shape_.Lanes();
  }
  if (request.op == WarpOp::kRead) {
    ++reads_;
  }
  Expected expected;
  expected.given = request;
  expected.accepted = cycle;
  expected.deadline =
      cycle + LongestWalk() + effects.answers.size() * (std::size_t{shape_.Beats()} + kEvaluation);
  expected.cause = effects.fault;
  expected.refused = effects.fault != FaultCause::kNone;
  expected.answers = effects.answers;
  expected.together = IsCollective(request.op) && !expected.refused && request.lanes != 0 &&
                      (request.key & request.live & ~request.lanes) == 0;
  if (IsRendezvous(request.op) || request.op == WarpOp::kWrite) {
    held_[request.warp] |= request.lanes;
    cta_[request.warp] = request.cta;
  }
  if (effects.arrival) {
    due_.push_back(*effects.arrival);
  }
  open_ =
      model_.Groups(request.warp).empty() ? open_ & ~Bit(request.warp) : open_ | Bit(request.warp);
  Count(request, effects, expected.together);
  if (!expected.Done()) {
    expected_.push_back(std::move(expected));
  }
  accepted_.emplace(Accepted{request, std::move(effects)});
  history_.push_back({cycle, request});
  if (history_.size() > kRecords) {
    history_.pop_front();
  }
}

void WarpChecker::Count(const WarpRequest& request, const WarpEffects& effects, bool together) {
  const bool exits = request.op == WarpOp::kExit;
  ++counts_.requests;
  if (IsRendezvous(request.op)) {
    counts_.lanes += static_cast<unsigned>(__builtin_popcount(request.lanes));
  }
  counts_.together += together ? 1 : 0;
  counts_.joined += !together && !exits && !effects.answers.empty() ? 1 : 0;
  counts_.by_exit += exits && !effects.answers.empty() ? 1 : 0;
  counts_.several_by_exit += exits && effects.answers.size() > 1 ? 1 : 0;
  counts_.not_a_member += effects.fault == FaultCause::kNotAMember ? 1 : 0;
  counts_.barrier_mismatch += effects.fault == FaultCause::kBarrierMismatch ? 1 : 0;
  counts_.mask_mismatch += effects.fault == FaultCause::kMaskMismatch ? 1 : 0;
  counts_.most_groups =
      std::max<std::uint64_t>(counts_.most_groups, model_.Groups(request.warp).size());
}

std::vector<std::string> WarpChecker::History(unsigned warp) const {
  std::vector<std::string> lines;
  for (auto record = history_.rbegin(); record != history_.rend() && lines.size() < kShown;
       ++record) {
    if (record->request.warp == warp) {
      lines.insert(lines.begin(),
                   fmt::format("{:>8}  {}", record->cycle, Describe(record->request)));
    }
  }
  return lines;
}

}  // namespace muster::lockstep
