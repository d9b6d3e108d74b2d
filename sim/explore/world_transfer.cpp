// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Transfers: asynchronous operations that threads have started, and their later steps.
#include <algorithm>
#include <cstring>
#include <utility>

#include "sim/explore/world.h"
#include "sim/isa/bits.h"
#include "sim/ptx/runtime/operations.h"
#include "sim/ptx/simt/mbarriers.h"
#include "sim/ptx/simt/tensor_operation.h"

namespace muster::explore {
namespace {

using TransferKind = ptx::Transfer::Kind;

}  // namespace

void World::Post(ptx::Transfer transfer, std::uint64_t /*cycle*/) {
  const WarpState& state = warps_[transfer.issuer->unit][transfer.warp];
  const Place at = PlaceOf(state, LanesOf(transfer), state.pc);
  transfer.pc = state.pc;
  auto flight = std::make_unique<Flight>();
  flight->number = next_flight_++;
  flight->unit = state.unit;
  flight->cta = at.cta;
  flight->warp_index = at.warp;
  const std::uint64_t thread = ThreadOf(*flight, transfer.lane);
  constexpr unsigned kThreadBits = 32;
  flight->process = ++started_[thread] << kThreadBits | thread;
  begun_.push_back(flight->process);
  // The parts of a multicast belong to one execution.
  Times& times = times_[{thread, transfer.pc}];
  times.count += times.count == 0 || times.step != steps_ ? 1 : 0;
  times.step = steps_;
  flight->time = times.count;
  if (observer_ != nullptr) {
    observer_->OnStart(at, flight->number, transfer);
  }
  if (transfer.map) {
    NoteAccesses({{kGlobal, *transfer.map, ptx::kTensorMapBytes}}, ObjectAccess::Mode::kRead);
  }
  flight->follows = SentBefore(*flight, transfer);
  flight->transfer = std::move(transfer);
  flights_.push_back(std::move(flight));
}

// An mbarrier hears of a transfer after the operations that its thread has sent to that CTA before,
// which the network keeps in their order.
std::vector<std::uint64_t> World::SentBefore(const Flight& flight, const ptx::Transfer& transfer) {
  const bool is_sent = transfer.kind == TransferKind::kRemote;
  std::set<std::uint64_t> before;
  ForEachBit(is_sent || transfer.mbarrier ? LanesOf(transfer) : 0, [&](unsigned lane) {
    const std::pair channel(ThreadOf(flight, lane), HearerOf(transfer)->linear_id);
    if (const auto latest = sent_.find(channel); latest != sent_.end()) {
      before.insert(latest->second);
    }
    if (is_sent) {
      sent_[channel] = flight.process;
    }
  });
  return {before.begin(), before.end()};
}

// Sends the request, and after it the response to each CTA that it is for.
void World::OnCancel(const ptx::Core& core, const ptx::Warp& warp, const ptx::CancelCall& call) {
  ptx::Transfer request;
  request.issuer = warp.cta;
  request.warp = warp.slot;
  request.lane = call.lane;
  request.line = call.line;
  Post(request, cycle_);
  flights_.back()->asks = true;
  const std::uint64_t number = flights_.back()->number;
  const CancelPlan plan = cluster_scope().Cancel(core.unit(), RequestOf(warp, call));
  if (plan.lost) {
    At(core.unit()).core().EndWithCancelLost(*plan.lost, call.line);
    return;
  }
  for (const CtaPlace& place : plan.places) {
    ptx::Transfer response = request;
    response.to = &At(place.unit).core().residents().ctas[place.cta].cta;
    response.target = {{call.response, sizeof(CancelResponse), 0}};
    response.mbarrier = call.mbarrier;
    response.has_read = true;
    response.data.resize(sizeof(CancelResponse));
    Post(std::move(response), cycle_);
    flights_.back()->asked_by = number;
  }
}

// The request cancels the next cluster, if one is left: that cluster will not start.
void World::TakeCluster(std::size_t index) {
  const std::uint64_t number = flights_[index]->number;
  const ptx::Launch& launch = launch_.OfCta(flights_[index]->cta);
  const bool none = clusters_.AllBegun() || &launch_.OfCluster(clusters_.begun()) != &launch;
  flights_.erase(flights_.begin() + static_cast<std::ptrdiff_t>(index));
  NoteAccess(ObjectOf(kQueue, 0), none ? ObjectAccess::Mode::kRead : ObjectAccess::Mode::kWrite);
  const CancelResponse response = CancelNext(launch);
  for (const auto& flight : flights_) {
    if (flight->asked_by != number) {
      continue;
    }
    NoteAccess(ObjectOf(kCtas, flight->transfer.to->linear_id), ObjectAccess::Mode::kRead);
    if (flight->is_lost) {
      EndWithResponseLost(*flight);
      return;
    }
    std::memcpy(flight->transfer.data.data(), response.data(), sizeof response);
    begun_.push_back(flight->process);
  }
}

// A CTA that the response is for has exited.
void World::EndWithResponseLost(const Flight& response) {
  const ptx::Transfer& transfer = response.transfer;
  RemoteLost lost;
  lost.unit = static_cast<std::uint8_t>(response.unit);
  lost.warp = static_cast<std::uint8_t>(transfer.warp);
  lost.rank = static_cast<std::uint8_t>(transfer.to->rank);
  lost.addr = static_cast<std::uint32_t>(transfer.target.front().address);
  At(response.unit).core().EndWithCancelLost(lost, transfer.line);
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

// The lanes that have started the transfer together.
std::uint32_t World::LanesOf(const ptx::Transfer& transfer) {
  return transfer.kind == TransferKind::kRemote    ? transfer.operation.lanes
         : transfer.kind == TransferKind::kProduct ? ~0U
                                                   : 1U << transfer.lane;
}

Place World::PlaceOf(const Flight& flight) {
  return {flight.cta, flight.warp_index, LanesOf(flight.transfer), flight.transfer.pc};
}

bool World::MayStep(const Flight& flight) const {
  const ptx::Transfer& transfer = flight.transfer;
  if (flight.asks) {
    return MayAsk();
  }
  if (flight.asked_by != 0) {
    return !IsAsking(flight.asked_by);
  }
  if (std::any_of(flight.follows.begin(), flight.follows.end(),
                  [&](std::uint64_t process) { return FlightOf(process) != nullptr; })) {
    return false;
  }
  if (transfer.kind == TransferKind::kArrive || transfer.kind == TransferKind::kTensor ||
      transfer.kind == TransferKind::kProduct) {
    return ReadsApart(transfer) || IsNext(transfer);
  }
  if (transfer.kind != TransferKind::kRemote) {
    return true;
  }
  // The network keeps the order of each pair of units.
  const auto first = std::find_if(flights_.begin(), flights_.end(), [&](const auto& other) {
    return other->transfer.kind == TransferKind::kRemote && other->unit == flight.unit &&
           other->transfer.to->unit == transfer.to->unit;
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

Range World::RangeOf(const ptx::TensorRange& range) {
  return {(range.in_tensor ? kTensorMemory : 0) | range.cta->linear_id, range.first, range.bytes};
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
  if (Overlap()) {
    NoteAccess(ObjectOf(kLaunchEnds, launch_.IndexOfCta(flights_[index]->cta)),
               ObjectAccess::Mode::kArrive);
  }
  if (flights_[index]->asks) {
    TakeCluster(index);
    return;
  }
  if (flights_[index]->transfer.kind == TransferKind::kProduct) {
    StepProduct(index);
    return;
  }
  Flight& flight = *flights_[index];
  ptx::Transfer& transfer = flight.transfer;
  if (ReadsApart(transfer)) {
    ReadMatrixA(&flight);
    return;
  }
  WarpState& state = warps_[flight.unit][transfer.warp];
  const bool moves = transfer.kind == TransferKind::kMove || transfer.kind == TransferKind::kReduce;
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
    performing_ = last.get();
    Perform(*last);
    performing_ = nullptr;
  }
  LetGo(&state);
}

// The issuing threads may wait for the transfer.
void World::LetGo(WarpState* state) {
  if (state->exists() && state->stuck_at_copies != 0) {
    state->stuck_at_copies = 0;
    woken_.push_back(PlaceOf(*state, ~0U, 0));
    Advance(state);
  }
}

// A product reads its operands and writes registers of the warp that has started it.
void World::StepProduct(std::size_t index) {
  const std::unique_ptr<Flight> flight = std::move(flights_[index]);
  flights_.erase(flights_.begin() + static_cast<std::ptrdiff_t>(index));
  const ptx::Transfer& transfer = flight->transfer;
  for (const auto& [address, bytes] : transfer.product.Ranges()) {
    const std::vector<Range> range = RangesOf(transfer.from, {{address, bytes, 0}});
    NoteAccesses(range, ObjectAccess::Mode::kRead);
    if (observer_ != nullptr) {
      observer_->OnRead(flight->number, range);
    }
  }
  transfer.product.Perform(transfer.from->shared);
  transfer.groups->End(transfer.number);
  LetGo(&warps_[flight->unit][transfer.warp]);
}

void World::Perform(const Flight& flight) {
  const ptx::Transfer& transfer = flight.transfer;
  Change(cycle_);
  if (transfer.to != nullptr) {
    NoteAccess(ObjectOf(kCtas, transfer.to->linear_id), ObjectAccess::Mode::kRead);
  }
  if (flight.is_lost) {
    EndWithResponseLost(flight);
    return;
  }
  if (transfer.kind == TransferKind::kRemote) {
    At(transfer.to->unit).core().Receive(transfer);
    return;
  }
  if (transfer.kind == TransferKind::kTensor) {
    PerformTensor(flight);
    return;
  }
  if (transfer.kind != TransferKind::kArrive) {
    WriteTarget(&memory_, transfer);
    if (observer_ != nullptr && !transfer.target.empty()) {
      observer_->OnWrite(flight.number, RangesOf(transfer.to, transfer.target));
    }
    if (transfer.groups != nullptr) {
      transfer.groups->End(transfer.number);
    }
  }
  if (transfer.mbarrier) {
    if (transfer.reports) {
      HearerOf(transfer)->port->PostAsync(ReportOf(transfer));
    }
    HearerOf(transfer)->port->PostAsync(CompletionOf(transfer));
  }
}

void World::ReadMatrixA(Flight* flight) {
  ptx::Transfer& transfer = flight->transfer;
  for (const ptx::TensorRange& range : transfer.tensor->ranges()) {
    if (range.of_a) {
      NoteAccesses({RangeOf(range)}, ObjectAccess::Mode::kRead);
      if (observer_ != nullptr) {
        observer_->OnRead(flight->number, {RangeOf(range)});
      }
    }
  }
  transfer.tensor->ReadA();
  transfer.has_read = true;
  transfer.groups->Read(transfer.number);
}

void World::PerformTensor(const Flight& flight) {
  const ptx::Transfer& transfer = flight.transfer;
  for (const bool writes : {false, true}) {
    for (const ptx::TensorRange& range : transfer.tensor->ranges()) {
      if (range.writes != writes || (range.of_a && transfer.has_read)) {
        continue;
      }
      NoteAccesses({RangeOf(range)},
                   writes ? ObjectAccess::Mode::kWrite : ObjectAccess::Mode::kRead);
      if (observer_ != nullptr && writes) {
        observer_->OnWrite(flight.number, {RangeOf(range)});
      } else if (observer_ != nullptr) {
        observer_->OnRead(flight.number, {RangeOf(range)});
      }
    }
  }
  transfer.tensor->Perform();
  if (transfer.groups != nullptr) {
    transfer.groups->End(transfer.number);
  }
}

void World::Abandon(const ptx::Cta* cta) {
  NoteAccess(ObjectOf(kCtas, cta->linear_id), ObjectAccess::Mode::kWrite);
  for (std::size_t i = flights_.size(); i-- > 0;) {
    Flight& flight = *flights_[i];
    if (flight.asks || flight.asked_by != 0) {
      flight.is_lost = flight.is_lost || flight.transfer.to == cta;
      continue;
    }
    const ptx::Loss loss = AbandonWith(*cta, &flight.transfer);
    if (loss == ptx::Loss::kOfAnother) {
      performing_ = &flight;
      EndWithLost(flight.transfer);
      performing_ = nullptr;
    }
    if (loss != ptx::Loss::kNone) {
      dropped_.push_back(flight.process);
      lost_.push_back(TurnOf(flight));
      flights_.erase(flights_.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }
}

}  // namespace muster::explore
