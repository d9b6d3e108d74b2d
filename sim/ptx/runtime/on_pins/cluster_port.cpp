// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/runtime/on_pins/cluster_port.h"

#include <algorithm>
#include <utility>

#include "sim/ptx/runtime/operations.h"

namespace muster::ptx {

void ClusterPort::Ask(const ClusterLife& life) {
  lives_.push_back({life, ++asked_});
  if (life.op == ClusterLifeOp::kLaunch) {
    units_[life.unit].launched[life.cta] = asked_;
    units_[life.unit].ranks[life.cta] = life.rank;
  }
  ++queued_;
}

void ClusterPort::Ask(unsigned unit, const ClusterRequest& request, std::uint32_t line) {
  Unit& asking = units_[unit];
  asking.requests.push_back({request, line, asking.launched[request.cta]});
  ++queued_;
}

void ClusterPort::Ask(unsigned unit, const muster::CancelRequest& request, const CancelCall& call) {
  units_[unit].cancels.push_back({request, call.line, call.passes});
  ++queued_;
}

void ClusterPort::Send(Transfer sent) {
  units_[sent.issuer->unit].sends.push_back({SendOf(sent), std::move(sent)});
  ++queued_;
  ++in_flight_;
}

void ClusterPort::Answer(unsigned unit, const AtomicResponse& answer) {
  units_[unit].answers.push_back(answer);
  ++queued_;
}

void ClusterPort::Begin(std::uint64_t cycle) {
  if (std::exchange(begun_, cycle) == cycle) {
    return;
  }
  BeginNetwork();
  ClusterInputs& in = pins_.in;
  const ClusterOutputs& out = pins_.out;
  if (in.life_valid && out.life_ready) {
    done_ = lives_.front().number;
    lives_.pop_front();
    in.life_valid = false;
    --queued_;
  }
  for (unsigned u = 0; u < units_.size(); ++u) {
    Unit& unit = units_[u];
    ClusterInputs::Unit& pins = in.units[u];
    const ClusterOutputs::Unit& seen = out.units[u];
    unit.settled = unit.busy & ~unit.fresh & ~seen.busy;
    unit.busy &= ~unit.settled;
    unit.fresh = 0;
    if (pins.request_valid && seen.request_ready) {
      const auto accepted = unit.requests.begin() + static_cast<std::ptrdiff_t>(*unit.presented);
      const unsigned warp = accepted->request.warp;
      unit.lines[warp] = accepted->line;
      unit.cta[warp] = accepted->request.cta;
      unit.busy |= Bit(warp);
      unit.fresh = Bit(warp);
      const muster::ClusterOp op = accepted->request.op;
      const bool at_barrier = op == muster::ClusterOp::kArrive ||
                              op == muster::ClusterOp::kArriveRelaxed ||
                              op == muster::ClusterOp::kWait;
      unit.at_barrier = (unit.at_barrier & ~Bit(warp)) | (at_barrier ? Bit(warp) : 0);
      unit.requests.erase(accepted);
      unit.presented.reset();
      pins.request_valid = false;
      --queued_;
    }
    if (pins.send_valid && seen.send_ready) {
      unit.sent.push_back(std::move(unit.sends[unit.sending].sent));
      unit.sends.erase(unit.sends.begin() + static_cast<std::ptrdiff_t>(unit.sending));
      pins.send_valid = false;
      --queued_;
    }
    if (pins.answer_valid && seen.answer_ready) {
      unit.answers.pop_front();
      pins.answer_valid = false;
      --queued_;
    }
    if (pins.cancel_valid && seen.cancel_ready) {
      const auto accepted = unit.cancels.begin() + static_cast<std::ptrdiff_t>(unit.cancelling);
      cancel_ = std::move(*accepted);
      unit.cancels.erase(accepted);
      pins.cancel_valid = false;
      --queued_;
    }
  }
}

// Operations leave their sender in order: the delivered ones come before those that are lost now.
void ClusterPort::BeginNetwork() {
  for (unsigned u = 0; u < units_.size(); ++u) {
    const ClusterOutputs::Unit& seen = pins_.out.units[u];
    if (seen.remote_valid && !units_[u].arriving) {
      units_[u].arriving = TakeSent(seen.from.unit);
    }
  }
  for (unsigned u = 0; u < units_.size(); ++u) {
    units_[u].lost.reset();
    if (pins_.out.units[u].lost_valid) {
      units_[u].lost = TakeSent(u);
      --in_flight_;
    }
  }
}

std::optional<Transfer> ClusterPort::TakeArrived(unsigned unit) {
  if (!pins_.out.units[unit].remote_valid || !pins_.in.units[unit].remote_ready) {
    return std::nullopt;
  }
  in_flight_ -= units_[unit].arriving ? 1 : 0;
  return std::exchange(units_[unit].arriving, std::nullopt);
}

Transfer ClusterPort::TakeSent(unsigned sender) {
  Transfer sent = std::move(units_[sender].sent.front());
  units_[sender].sent.pop_front();
  return sent;
}

bool ClusterPort::IsSending(const Cta* cta, unsigned warp) const {
  const auto is = [&](const Transfer& sent) {
    return sent.kind == Transfer::Kind::kRemote && sent.issuer == cta && sent.warp == warp;
  };
  if (in_flight_ == 0) {
    return false;
  }
  return std::any_of(units_.begin(), units_.end(), [&](const Unit& unit) {
    return std::any_of(unit.sent.begin(), unit.sent.end(), is) ||
           (unit.arriving && is(*unit.arriving)) ||
           std::any_of(unit.sends.begin(), unit.sends.end(),
                       [&](const Outgoing& outgoing) { return is(outgoing.sent); });
  });
}

const Transfer* ClusterPort::Reaching(const Cta* cta) const {
  for (const Unit& unit : units_) {
    for (const Transfer& sent : unit.sent) {
      if (sent.to == cta) {
        return &sent;
      }
    }
    if (unit.arriving && unit.arriving->to == cta) {
      return &*unit.arriving;
    }
    for (const Outgoing& outgoing : unit.sends) {
      if (outgoing.sent.to == cta) {
        return &outgoing.sent;
      }
    }
  }
  return nullptr;
}

// Whether the CTA may end: all requests of its warps have ended.
bool ClusterPort::MayEnd(const Life& end) const {
  const Unit& unit = units_[end.life.unit];
  const bool waits =
      std::any_of(unit.requests.begin(), unit.requests.end(), [&](const Request& request) {
        return request.request.cta == end.life.cta && request.after < end.number;
      });
  bool busy = false;
  ForEachBit(unit.busy, [&](unsigned warp) { busy = busy || unit.cta[warp] == end.life.cta; });
  return !waits && !busy;
}

void ClusterPort::Present(bool ending) {
  ClusterInputs& in = pins_.in;
  if (!in.life_valid && !lives_.empty() && !ending) {
    const Life& next = lives_.front();
    if (next.life.op != ClusterLifeOp::kEnd || MayEnd(next)) {
      in.life_valid = true;
      in.life = next.life;
    }
  }
  pins_.awake = in.life_valid || in.take_ready || (pins_.out.flush & in.flushed) != 0;
  for (unsigned u = 0; u < units_.size(); ++u) {
    Unit& unit = units_[u];
    ClusterInputs::Unit& pins = in.units[u];
    PresentRequest(&unit, &pins, ending);
    for (std::size_t i = 0; i < unit.sends.size() && !pins.send_valid && !ending; ++i) {
      if (MaySend(unit, i)) {
        pins.send_valid = true;
        pins.send = unit.sends[i].send;
        unit.sending = i;
      }
    }
    for (std::size_t i = 0; i < unit.cancels.size() && !pins.cancel_valid && !ending; ++i) {
      if (MayCancel(unit.cancels[i])) {
        pins.cancel_valid = true;
        pins.cancel = unit.cancels[i].request;
        unit.cancelling = i;
      }
    }
    if (!pins.answer_valid && !unit.answers.empty() && !ending) {
      pins.answer_valid = true;
      pins.answer = unit.answers.front();
    }
    pins_.awake = pins_.awake || pins.request_valid || pins.send_valid || pins.answer_valid ||
                  pins.cancel_valid;
  }
}

// Operations of a lane to one CTA keep their order, even if a schedule holds some back.
bool ClusterPort::MaySend(const Unit& unit, std::size_t which) const {
  if (replay_ == nullptr) {
    return true;
  }
  const Transfer& next = unit.sends[which].sent;
  const auto before = unit.sends.begin() + static_cast<std::ptrdiff_t>(which);
  return replay_->MayPerform(next.operation.pass) &&
         std::none_of(unit.sends.begin(), before, [&](const Outgoing& earlier) {
           return earlier.sent.to == next.to && earlier.sent.warp == next.warp &&
                  (earlier.sent.operation.lanes & next.operation.lanes) != 0;
         });
}

// A try_cancel is presented only when it may take the next cluster by the schedule.
bool ClusterPort::MayCancel(const Cancel& cancel) const {
  return replay_ == nullptr ||
         std::all_of(cancel.passes.begin(), cancel.passes.end(),
                     [this](std::uint32_t pass) { return replay_->MayRead(pass); });
}

// Whether a response at the pins waits for its turn, which blocks the cancel.
bool ClusterPort::StandsInCancel() const {
  for (unsigned u = 0; u < units_.size(); ++u) {
    if (pins_.out.units[u].write_valid && HoldsResponse(u)) {
      return true;
    }
  }
  return false;
}

std::uint64_t ClusterPort::Held() const {
  std::uint64_t held = 0;
  for (std::size_t u = 0; u < units_.size() && replay_ != nullptr; ++u) {
    for (std::size_t i = 0; i < units_[u].sends.size(); ++i) {
      held += MaySend(units_[u], i) ? 0 : 1;
    }
    for (const Cancel& cancel : units_[u].cancels) {
      held += MayCancel(cancel) ? 0 : 1;
    }
  }
  return held;
}

// Selects the first request whose CTA has been launched and whose warp has no earlier one.
void ClusterPort::PresentRequest(Unit* unit, ClusterInputs::Unit* in, bool ending) {
  std::uint64_t earlier = unit->busy;
  for (std::size_t i = 0; i < unit->requests.size() && !in->request_valid && !ending; ++i) {
    const Request& next = unit->requests[i];
    if (next.after <= done_ && (earlier & Bit(next.request.warp)) == 0) {
      in->request_valid = true;
      in->request = next.request;
      unit->presented = i;
    }
    earlier |= Bit(next.request.warp);
  }
}

}  // namespace muster::ptx
