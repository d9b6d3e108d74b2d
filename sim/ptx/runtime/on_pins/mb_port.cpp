// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/runtime/on_pins/mb_port.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "sim/golden/mbarrier.h"
#include "sim/isa/bits.h"
#include "sim/isa/config.h"
#include "sim/isa/fault.h"
#include "sim/port/token.h"

namespace muster::ptx {
namespace {

constexpr unsigned kWordBytes = 8;
constexpr std::uint32_t kStall = 8;  // one in so many cycles nothing is presented or taken

}  // namespace

MbPort::MbPort(const Config& config, std::uint64_t seed)
    : config_(config), random_(seed), bank_(this, seed) {
  bank_.timing.more_latency = 2;
  bank_.timing.read_stalls = 10;
  bank_.timing.write_stalls = 10;
}

void MbPort::Launch(unsigned cta, std::vector<std::uint8_t>* shared) {
  memories_[cta] = {shared, std::vector<bool>(shared->size() / kWordBytes), false};
}

// ------------------------------------------------------------------------------------------------
// Memory
// ------------------------------------------------------------------------------------------------

std::uint64_t MbPort::Load(MbPlace place) {
  const Memory& memory = memories_[place.cta];
  std::uint64_t word = 0;
  if (memory.shared != nullptr && place.addr + kWordBytes <= memory.shared->size()) {
    std::memcpy(&word, memory.shared->data() + place.addr, sizeof word);
  }
  return word;
}

void MbPort::Store(MbPlace place, std::uint64_t word) {
  const Memory& memory = memories_[place.cta];
  if (memory.shared != nullptr && place.addr + kWordBytes <= memory.shared->size()) {
    std::memcpy(memory.shared->data() + place.addr, &word, sizeof word);
  }
}

// Shows the checker the contents of a word before the first operation on it.
void MbPort::Watch(const MbOperation& operation) {
  const MbPlace place{operation.cta, operation.addr};
  Memory& memory = memories_[place.cta];
  const std::uint32_t index = place.addr / kWordBytes;
  if (place.addr % kWordBytes != 0 || index >= memory.watched.size() || memory.watched[index]) {
    return;
  }
  memory.watched[index] = true;
  memory.any = true;
  if (Load(place) != 0) {
    ShowStore(place, 0, operation.tag);
  }
}

void MbPort::ShowStore(MbPlace place, unsigned warp, std::uint32_t line) {
  stores_.push_back({place, Load(place), false, static_cast<std::uint8_t>(warp), line});
}

// An access waits for its warp's own operations, and a store waits while the unit has read the word
// and not yet written it.
bool MbPort::MayAccess(unsigned warp, unsigned cta, std::uint64_t addr, unsigned bytes,
                       bool write) {
  return (!write || MayStore(cta, addr, bytes)) &&
         ((busy_ & Bit(warp)) == 0 || !Watches(cta, addr, bytes));
}

bool MbPort::MayStore(unsigned cta, std::uint64_t addr, unsigned bytes) {
  const Memory& memory = memories_[cta];
  bool may = true;
  for (std::uint64_t word = addr / kWordBytes;
       memory.any && word * kWordBytes < addr + bytes && word < memory.watched.size(); ++word) {
    may = may && (!memory.watched[word] ||
                  bank_.MayStore({static_cast<std::uint8_t>(cta),
                                  static_cast<std::uint32_t>(word * kWordBytes)}));
  }
  return may;
}

bool MbPort::Watches(unsigned cta, std::uint64_t addr, unsigned bytes) const {
  const Memory& memory = memories_[cta];
  bool any = false;
  for (std::uint64_t word = addr / kWordBytes;
       memory.any && word * kWordBytes < addr + bytes && word < memory.watched.size(); ++word) {
    any = any || memory.watched[word];
  }
  return any;
}

void MbPort::Stored(unsigned warp, unsigned cta, std::uint64_t addr, unsigned bytes,
                    std::uint32_t line) {
  const Memory& memory = memories_[cta];
  for (std::uint64_t word = addr / kWordBytes;
       memory.any && word * kWordBytes < addr + bytes && word < memory.watched.size(); ++word) {
    if (memory.watched[word]) {
      ShowStore({static_cast<std::uint8_t>(cta), static_cast<std::uint32_t>(word * kWordBytes)},
                warp, line);
    }
  }
}

// ------------------------------------------------------------------------------------------------
// From the unit
// ------------------------------------------------------------------------------------------------

void MbPort::Begin(const MbOutputs& seen, MbInputs* in) {
  bank_.Cycle(seen, in);
  replies_.clear();
  stores_.clear();
  TakeAccepted(seen, in);
  if (seen.commit_valid) {
    TakeCommit(seen.commit);
  }
  if (seen.response_valid && in->response_ready) {
    TakeResponse(seen.response);
  }
  ForEachBit(seen.wake | seen.expire, [&](unsigned warp) {
    MbReply& reply = replies_.emplace_back();
    reply.warp = warp;
    reply.lanes = warps_[warp].parked.front();
    reply.complete = (seen.wake & Bit(warp)) != 0;
    reply.report = reply.complete ? seen.wake_report : MbReport{0};
    warps_[warp].parked.pop_front();
  });
  busy_ = seen.busy | (accepted_ ? Bit(*accepted_) : 0);
  quiet_ = (issuing_ | flying_ | awaiting_ | busy_) == 0 && async_.empty() && remotes_.empty() &&
           async_flights_.empty() && remote_flights_.empty();
}

void MbPort::TakeAccepted(const MbOutputs& seen, MbInputs* in) {
  accepted_ = std::exchange(sent_, std::nullopt);
  if (in->issue_valid && seen.issue_ready) {
    WarpState& warp = warps_[presented_];
    in->issue_valid = false;
    accepted_ = presented_;
    warp.flights.push_back(warp.groups.front());
    flying_ |= Bit(presented_);
    warp.groups.pop_front();
    issuing_ &= warp.groups.empty() ? ~Bit(presented_) : ~std::uint64_t{0};
  }
  const auto take = [](bool* valid, bool ready, std::deque<MbOperation>* from,
                       std::deque<MbOperation>* to) {
    if (*valid && ready) {
      *valid = false;
      to->push_back(from->front());
      from->pop_front();
    }
  };
  take(&in->async_valid, seen.async_ready, &async_, &async_flights_);
  take(&in->remote_valid, seen.remote_ready, &remotes_, &remote_flights_);
}

// A commit is that of the warp's oldest group, or of some of its lanes.
void MbPort::TakeCommit(const MbOutputs::Commit& commit) {
  if (commit.source != MbSource::kWarp) {
    const bool is_async = commit.source == MbSource::kAsync;
    std::deque<MbOperation>& flights = is_async ? async_flights_ : remote_flights_;
    flights.front().lanes &= config_.lanes ? ~commit.lanes : 0;
    if (flights.front().lanes == 0) {
      flights.pop_front();
      if (!is_async) {
        remote_ways_.pop_front();
      }
    }
    return;
  }
  WarpState& warp = warps_[commit.warp];
  MbGroup& flight = warp.flights.front();
  const std::uint32_t lanes = config_.lanes ? commit.lanes : flight.operation.lanes;
  if (commit.parked) {
    warp.parked.push_back(lanes);
  } else if (HasResponse(flight.operation)) {
    warp.responding.push_back(lanes);
    awaiting_ |= Bit(commit.warp);
  }
  flight.operation.lanes &= ~lanes;
  if (flight.operation.lanes == 0) {
    warp.flights.pop_front();
    ++warp.performed;
    flying_ &= warp.flights.empty() ? ~Bit(commit.warp) : ~std::uint64_t{0};
  }
}

void MbPort::TakeResponse(const MbOutputs::Response& response) {
  WarpState& warp = warps_[response.warp];
  MbReply& reply = replies_.emplace_back();
  reply.warp = response.warp;
  reply.lanes = warp.responding.front();
  reply.complete = response.complete;
  if (!IsMbWait(response.op)) {
    unsigned index = 0;
    ForEachBit(reply.lanes,
               [&](unsigned lane) { reply.token[lane] = lockstep::TokenOf(response, index++); });
  } else if (config_.report && reply.complete) {
    reply.report = lockstep::ReportOf(response);
  }
  warp.responding.pop_front();
  awaiting_ &= warp.responding.empty() ? ~Bit(response.warp) : ~std::uint64_t{0};
}

MbReply MbPort::TakeRefused(unsigned warp) {
  WarpState& state = warps_[warp];
  MbReply reply;
  reply.warp = warp;
  reply.lanes = state.responding.back();
  state.responding.pop_back();
  awaiting_ &= state.responding.empty() ? ~Bit(warp) : ~std::uint64_t{0};
  return reply;
}

// ------------------------------------------------------------------------------------------------
// To the unit
// ------------------------------------------------------------------------------------------------

void MbPort::Issue(unsigned warp, unsigned cta, const MbInstruction& instruction) {
  for (const MbGroup& group : GroupsOf(config_, warp, cta, instruction)) {
    if (group.operation.source == MbSource::kWarp) {
      Watch(group.operation);
    }
    warps_[warp].groups.push_back(group);
  }
  issuing_ |= Bit(warp);
}

void MbPort::PostAsync(const MbOperation& operation) {
  async_.push_back(operation);
  Watch(operation);
}

void MbPort::PostRemote(const MbOperation& operation, std::shared_ptr<const void> on_its_way) {
  remotes_.push_back(operation);
  remote_ways_.push_back(std::move(on_its_way));
  Watch(operation);
}

void MbPort::Announce(const MbOperation& operation) {
  Watch(operation);
  announced_.push_back(operation);
}

void MbPort::Abandon(unsigned cta) {
  const auto first = async_.begin() + (async_.empty() ? 0 : 1);  // perhaps at its port
  async_.erase(std::remove_if(first, async_.end(),
                              [&](const MbOperation& posted) { return posted.cta == cta; }),
               async_.end());
}

bool MbPort::IsReached(unsigned cta, const MbInputs& in) const {
  const auto there = [&](const MbOperation& posted) { return posted.cta == cta; };
  const auto any = [&](const std::deque<MbOperation>& posted) {
    return std::any_of(posted.begin(), posted.end(), there);
  };
  return any(async_) || any(async_flights_) || any(remotes_) || any(remote_flights_) ||
         (in.remote_valid && in.remote.cta == cta);
}

void MbPort::Present(std::uint64_t outstanding, bool ending, MbInputs* in) {
  in->stores.insert(in->stores.end(), stores_.begin(), stores_.end());
  in->announced = std::exchange(announced_, {});
  in->response_ready = (awaiting_ | flying_) == 0 || !random_.OneIn(kStall);
  if (ending) {
    return;
  }
  if (!in->async_valid && !async_.empty() && !random_.OneIn(kStall)) {
    in->async_valid = true;
    in->async = async_.front();
  }
  if (!in->remote_valid && !remotes_.empty() && !random_.OneIn(kStall)) {
    in->remote_valid = true;
    in->remote = remotes_.front();
  }
  if (in->issue_valid || issuing_ == 0 || random_.OneIn(kStall)) {
    return;
  }
  std::uint64_t candidates = 0;
  ForEachBit(issuing_, [&](unsigned warp) {
    candidates |= MayIssue(warp, outstanding, *in) ? Bit(warp) : 0;
  });
  if (candidates != 0) {
    const unsigned from = random_.Below(config_.num_warps);
    const std::uint64_t above = candidates >> from << from;
    PresentGroup(static_cast<unsigned>(__builtin_ctzll(above != 0 ? above : candidates)), in);
  }
}

// If the unit has no drain, the core drains for it, and for operations to other CTAs. If the unit
// has no faults, it gets one group at a time, so that the word is known and misuse can be detected.
bool MbPort::MayIssue(unsigned warp, std::uint64_t outstanding, const MbInputs& in) const {
  const MbOperation& operation = warps_[warp].groups.front().operation;
  const bool outbound = operation.source == MbSource::kOutbound;
  const bool drains = operation.releasing && (outbound || !config_.drain);
  return !(drains && (outstanding & Bit(warp)) != 0) &&
         (config_.faults || (flying_ == 0 && busy_ == 0 && async_flights_.empty() &&
                             remote_flights_.empty() && !in.async_valid && !in.remote_valid));
}

void MbPort::PresentGroup(unsigned warp, MbInputs* in) {
  WarpState& state = warps_[warp];
  const MbGroup& group = state.groups.front();
  if (group.operation.source == MbSource::kOutbound) {
    remote_(group.rank, group.operation);
    state.groups.pop_front();
    issuing_ &= state.groups.empty() ? ~Bit(warp) : ~std::uint64_t{0};
    sent_ = warp;
    return;
  }
  if (const FaultCause cause = Judge(group.operation); cause != FaultCause::kNone) {
    refusal_ = {cause, group.operation};
    return;
  }
  in->issue_valid = true;
  in->issue = group.operation;
  presented_ = warp;
}

// A unit without faults must not see misuse, so that the port checks operations as the golden model
// does.
FaultCause MbPort::Judge(const MbOperation& operation) {
  if (config_.faults) {
    return FaultCause::kNone;
  }
  golden::Model core(config_);
  Operation launch;
  launch.kind = OpKind::kLaunch;
  launch.cta = operation.cta;
  launch.size = 1;
  launch.warps = Bit(operation.warp);
  core.Step(launch);
  golden::Mbarriers words(core, config_.smem_bytes, config_.report);
  words.Store(operation.cta, operation.addr, Load({operation.cta, operation.addr}));
  return words.Step(operation).fault[First(operation.lanes)];
}

}  // namespace muster::ptx
