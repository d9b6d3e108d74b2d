// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Transfers: asynchronous operations that threads have started, and their later steps.
#include <algorithm>
#include <cstring>
#include <utility>

#include "sim/explore/world.h"
#include "sim/explore/world_unit.h"
#include "sim/isa/bits.h"
#include "sim/isa/fault.h"
#include "sim/ptx/runtime/operations.h"

namespace muster::explore {
namespace {

using Kind = ptx::Transfer::Kind;

}  // namespace

void World::Post(Unit* /*to*/, ptx::Transfer transfer) {
  Unit& issuer = *units_[transfer.issuer->rank];
  const WarpState& state = issuer.warps[transfer.warp];
  auto flight = std::make_unique<Flight>();
  flight->number = next_flight_++;
  flight->unit = issuer.rank;
  flight->cta = transfer.issuer->linear_id;
  flight->warp_index = state.index;
  const std::uint64_t thread =
      (flight->cta * launch_.Warps() + state.index) * kWarpSize + transfer.lane;
  constexpr unsigned kThreadBits = 32;
  flight->process = ++started_[thread] << kThreadBits | thread;
  begun_.push_back(flight->process);
  // The parts of a multicast belong to one execution.
  Times& times = times_[{thread, transfer.pc}];
  times.count += times.count == 0 || times.step != steps_ ? 1 : 0;
  times.step = steps_;
  flight->time = times.count;
  if (observer_ != nullptr) {
    const bool together = transfer.kind == Kind::kRemote;
    const std::uint32_t lanes = together ? transfer.operation.lanes : 1U << transfer.lane;
    observer_->OnStart(PlaceOf(state, lanes, transfer.pc), flight->number, transfer);
  }
  if (transfer.map) {
    NoteAccesses({{kGlobal, *transfer.map, ptx::kTensorMapBytes}}, ObjectAccess::Mode::kRead);
  }
  flight->transfer = std::move(transfer);
  flights_.push_back(std::move(flight));
}

// Starts the arrive-ons of the copies that each lane has started so far.
void World::StartArrivals(Unit* unit, WarpState* state, std::uint32_t lanes,
                          const std::array<std::uint32_t, kWarpSize>& addr, std::uint32_t pc) {
  ForEachBit(lanes, [&](unsigned lane) {
    ptx::Transfer arrival = ptx::ArriveOn(&state->warp, lane, addr[lane], program_.code[pc].line);
    arrival.pc = pc;
    Post(unit, std::move(arrival));
  });
}

// Sends the request, and after it the response to each CTA that it is for.
void World::Cancel(Unit* unit, const ptx::Warp& warp, const ptx::CancelCall& call,
                   std::uint32_t pc) {
  ptx::Transfer request;
  request.issuer = warp.cta;
  request.warp = warp.slot;
  request.lane = call.lane;
  request.pc = pc;
  request.line = call.line;
  Post(unit, std::move(request));
  flights_.back()->asks = true;
  const std::uint64_t number = flights_.back()->number;
  for (ptx::Cta* const cta : warp.cta->cluster->ctas) {
    if (!call.multicast && cta != warp.cta) {
      continue;
    }
    if (cta->exited) {
      Fault(Name(FaultCause::kRankNotThere), here_);
      return;
    }
    ptx::Transfer transfer;
    transfer.to = cta;
    transfer.issuer = warp.cta;
    transfer.target = {{call.response, sizeof(CancelResponse), 0}};
    transfer.mbarrier = call.mbarrier;
    transfer.warp = warp.slot;
    transfer.lane = call.lane;
    transfer.pc = pc;
    transfer.line = call.line;
    transfer.has_read = true;
    transfer.data.resize(sizeof(CancelResponse));
    Post(unit, std::move(transfer));
    flights_.back()->asked_by = number;
  }
}

// The request cancels the next cluster, if one is left: that cluster will not start.
void World::TakeCluster(std::size_t index) {
  const std::uint64_t number = flights_[index]->number;
  const Place at = PlaceOf(*flights_[index]);
  flights_.erase(flights_.begin() + static_cast<std::ptrdiff_t>(index));
  NoteAccess(ObjectOf(kQueue, 0),
             clusters_.AllBegun() ? ObjectAccess::Mode::kRead : ObjectAccess::Mode::kWrite);
  const CancelResponse response = clusters_.Cancel();
  for (const auto& flight : flights_) {
    if (flight->asked_by != number) {
      continue;
    }
    NoteAccess(ObjectOf(kCtas, flight->transfer.to->linear_id), ObjectAccess::Mode::kRead);
    if (flight->is_lost) {
      Fault(Name(FaultCause::kRankNotThere), at);
      return;
    }
    std::memcpy(flight->transfer.data.data(), response.data(), sizeof response);
    begun_.push_back(flight->process);
  }
}

// Requests are answered one at a time, as by the unit.
bool World::MayAsk() const {
  return std::none_of(flights_.begin(), flights_.end(), [this](const auto& response) {
    return response->asked_by != 0 && !IsAsking(response->asked_by);
  });
}

bool World::IsAsking(std::uint64_t request) const {
  return std::any_of(flights_.begin(), flights_.end(),
                     [&](const auto& flight) { return flight->number == request; });
}

Place World::PlaceOf(const Flight& flight) {
  const ptx::Transfer& transfer = flight.transfer;
  const bool together = transfer.kind == Kind::kRemote;
  return {flight.cta, flight.warp_index, together ? transfer.operation.lanes : 1U << transfer.lane,
          transfer.pc};
}

bool World::MayStep(const Flight& flight) const {
  const ptx::Transfer& transfer = flight.transfer;
  if (flight.asks) {
    return MayAsk();
  }
  if (flight.asked_by != 0) {
    return !IsAsking(flight.asked_by);
  }
  if (transfer.kind == Kind::kArrive) {
    return transfer.groups == nullptr || transfer.groups->DoneBefore(transfer.number);
  }
  if (transfer.kind != Kind::kRemote) {
    return true;
  }
  // The network keeps the order of each pair of units.
  const auto first = std::find_if(flights_.begin(), flights_.end(), [&](const auto& other) {
    return other->transfer.kind == Kind::kRemote && other->unit == flight.unit &&
           other->transfer.to->rank == transfer.to->rank;
  });
  return (*first)->number == flight.number;
}

std::vector<Range> World::RangesOf(const ptx::Cta* cta, const std::vector<ptx::Piece>& pieces) {
  std::vector<Range> ranges;
  for (const ptx::Piece& piece : ptx::Merged(pieces)) {
    ranges.push_back({cta == nullptr ? kGlobal : cta->linear_id, piece.address, piece.bytes});
  }
  return ranges;
}

// Notes accesses of the step to these bytes.
void World::NoteAccesses(const std::vector<Range>& ranges, ObjectAccess::Mode mode) {
  constexpr unsigned kGranule = 4;
  for (const Range& bytes : ranges) {
    for (std::uint64_t at = bytes.address / kGranule; at * kGranule < bytes.address + bytes.size;
         ++at) {
      NoteAccess(ObjectOf(bytes.owner, at), mode);
    }
    if (bytes.owner == kGlobal) {
      NoteHeapAccess(bytes.address);
    }
  }
}

void World::StepTransfer(std::size_t index) {
  if (flights_[index]->asks) {
    TakeCluster(index);
    return;
  }
  Flight& flight = *flights_[index];
  ptx::Transfer& transfer = flight.transfer;
  here_ = PlaceOf(flight);
  Unit& issuer = *units_[flight.unit];
  WarpState& state = issuer.warps[transfer.warp];
  const bool moves = transfer.kind == Kind::kMove || transfer.kind == Kind::kReduce;
  bool done = true;
  if (moves && !transfer.has_read) {
    const std::vector<Range> source = RangesOf(transfer.from, transfer.source);
    NoteAccesses(source, ObjectAccess::Mode::kRead);
    ReadSource(&memory_, &transfer);
    if (observer_ != nullptr && !source.empty()) {
      observer_->OnRead(flight.number, source);
    }
    done = transfer.to != nullptr;
    if (!done && transfer.groups != nullptr) {
      transfer.groups->Read(transfer.number);
    }
  }
  if (done) {
    std::unique_ptr<Flight> last = std::move(flights_[index]);
    flights_.erase(flights_.begin() + static_cast<std::ptrdiff_t>(index));
    if (moves) {
      NoteAccesses(RangesOf(last->transfer.to, last->transfer.target), ObjectAccess::Mode::kWrite);
    }
    Perform(last.get());
  }
  // The issuing thread may wait for the transfer.
  if (state.exists && state.stuck_at_copies != 0) {
    state.stuck_at_copies = 0;
    woken_.push_back(PlaceOf(state, ~0U, 0));
    Advance(&issuer, &state);
  }
}

void World::Perform(Flight* flight) {
  const ptx::Transfer& transfer = flight->transfer;
  Change();
  if (transfer.to != nullptr) {
    NoteAccess(ObjectOf(kCtas, transfer.to->linear_id), ObjectAccess::Mode::kRead);
  }
  if (flight->is_lost) {
    Fault(Name(FaultCause::kRankNotThere), PlaceOf(*flight));
    return;
  }
  if (transfer.kind == Kind::kRemote) {
    PerformRemote(*flight);
    return;
  }
  if (transfer.kind != Kind::kArrive) {
    WriteTarget(&memory_, transfer);
    if (observer_ != nullptr && !transfer.target.empty()) {
      observer_->OnWrite(flight->number, RangesOf(transfer.to, transfer.target));
    }
    if (transfer.groups != nullptr) {
      transfer.groups->End(transfer.number);
    }
  }
  if (transfer.mbarrier) {
    StepMbarrier(units_[HearerOf(transfer)->rank].get(), PlaceOf(*flight), CompletionOf(transfer),
                 nullptr, flight->number);
  }
}

void World::PerformRemote(const Flight& flight) {
  const ptx::Transfer& transfer = flight.transfer;
  if (transfer.to->exited) {
    Fault("memory_fault", PlaceOf(flight));
    return;
  }
  StepMbarrier(units_[transfer.to->rank].get(), PlaceOf(flight), transfer.operation,
               &program_.code[transfer.pc].As<ptx::Mbarrier>(), flight.number);
}

// Ends the CTA: transfers to its memory, or not yet read from there, are lost. If another CTA sent
// one of them, that is a fault.
void World::Abandon(const ptx::Cta& cta) {
  for (std::size_t i = flights_.size(); i-- > 0;) {
    ptx::Transfer& transfer = flights_[i]->transfer;
    if (flights_[i]->asks || flights_[i]->asked_by != 0) {
      flights_[i]->is_lost = flights_[i]->is_lost || transfer.to == &cta;
      continue;
    }
    const bool lost = IsLostWith(cta, transfer);
    if (GoesTo(cta, transfer) && transfer.issuer != &cta) {
      Fault("memory_fault", PlaceOf(*flights_[i]));
    }
    if (transfer.issuer == &cta) {
      transfer.groups = nullptr;
    }
    if (lost) {
      dropped_.push_back(flights_[i]->process);
      lost_.push_back(TurnOf(*flights_[i]));
      flights_.erase(flights_.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }
}

}  // namespace muster::explore
