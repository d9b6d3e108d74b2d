// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The cores' side of the cluster scope (rtl/cluster/README.md): what a grid and its warps ask of it
// goes to the pins, in order, and what was sent through its network is kept until it arrives.
#ifndef MUSTER_SIM_PTX_RUNTIME_ON_PINS_CLUSTER_PORT_H_
#define MUSTER_SIM_PTX_RUNTIME_ON_PINS_CLUSTER_PORT_H_

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "sim/isa/bits.h"
#include "sim/isa/cluster_operation.h"
#include "sim/isa/operation.h"
#include "sim/port/cluster_pins.h"
#include "sim/ptx/simt/transfer.h"
#include "sim/ptx/simt/turnstile.h"
#include "sim/ptx/simt/warp.h"

namespace muster::ptx {

class ClusterPort {
 public:
  struct Cancel {
    muster::CancelRequest request;
    std::uint32_t line = 0;
    std::vector<std::uint32_t> passes;  // of a schedule, by rank
  };

  ClusterPins* pins() { return &pins_; }
  const ClusterOutputs& out() const { return pins_.out; }

  // Is to be presented, after what was asked before: life-cycle operations; of a warp, requests, of
  // instructions of these lines.
  void Ask(const ClusterLife& life);
  void Ask(unsigned unit, const ClusterRequest& request, std::uint32_t line);
  void Ask(unsigned unit, const muster::CancelRequest& request, const CancelCall& call);
  // An operation sets out: what it is at the pins, and what it is to the one that receives it.
  void Send(unsigned unit, const RemoteSend& send, Transfer sent);

  // Operations take their turns there; null: in the order in which they set out.
  void set_turnstile(Turnstile* turnstile) { turnstile_ = turnstile; }

  // The beginning of a cycle: what was accepted, arrived and was lost in the one before.
  void Begin(std::uint64_t cycle);
  // Warps of which a request has come to its end.
  std::uint64_t settled(unsigned unit) const { return units_[unit].settled; }
  // The latest request of the warp that was accepted is one of barrier.cluster.
  bool IsAtBarrier(unsigned unit, unsigned warp) const {
    return (units_[unit].at_barrier & Bit(warp)) != 0;
  }
  // The line of a warp's latest request.
  std::uint32_t Line(unsigned unit, unsigned warp) const { return units_[unit].lines[warp]; }
  // The one that is under way, or was the latest; its response to a unit waits for its turn.
  const Cancel& cancel() const { return cancel_; }
  bool HoldsResponse(unsigned unit) const {
    return turnstile_ != nullptr && !turnstile_->MayPerform(cancel_.passes[unit]);
  }
  // What stands before a unit, or was lost by one.
  std::optional<Transfer> TakeArrived(unsigned unit);
  const std::optional<Transfer>& lost(unsigned unit) const { return units_[unit].lost; }

  // Something that the CTA's warp has sent is on its way, or to the CTA.
  bool IsSending(const Cta* cta, unsigned warp) const;
  const Transfer* Reaching(const Cta* cta) const;

  // The end of a cycle. `ending`: nothing new is presented.
  void Present(bool ending);
  // Operations that wait for their turns.
  std::uint64_t Held() const;
  // Something goes on by itself.
  bool Moves() const {
    return queued_ != Held() || pins_.awake || (pins_.out.active && !StandsInCancel());
  }
  bool Presents() const { return pins_.awake; }

 private:
  struct Life {
    ClusterLife life;
    std::uint64_t number = 0;
  };
  struct Request {
    ClusterRequest request;
    std::uint32_t line = 0;
    std::uint64_t after = 0;  // the launch of its CTA: a number
  };
  struct Outgoing {
    RemoteSend send;
    Transfer sent;
  };
  struct Unit {
    std::deque<Request> requests;  // not yet accepted
    std::deque<Cancel> cancels;
    std::deque<Outgoing> sends;
    std::deque<Transfer> sent;  // in the network, in their order
    std::optional<Transfer> arriving;
    std::optional<Transfer> lost;
    std::uint64_t busy = 0;   // warps with a request under way
    std::uint64_t fresh = 0;  // of these: accepted in the cycle before
    std::uint64_t settled = 0;
    std::uint64_t at_barrier = 0;  // warps whose latest request is one of barrier.cluster
    std::array<std::uint32_t, kMaxWarps> lines{};
    std::array<std::uint8_t, kMaxWarps> cta{};       // of the warp's latest request
    std::array<std::uint64_t, kMaxCtas> launched{};  // numbers of the latest launches
    std::optional<std::size_t> presented;            // which of the requests
    std::size_t sending = 0;                         // likewise of the sends, ...
    std::size_t cancelling = 0;                      // ... and of the cancels
  };

  void BeginNetwork();
  Transfer TakeSent(unsigned sender);
  bool MayEnd(const Life& end) const;
  void PresentRequest(Unit* unit, ClusterInputs::Unit* in, bool ending);
  bool MaySend(const Unit& unit, std::size_t which) const;
  bool MayCancel(const Cancel& cancel) const;
  bool StandsInCancel() const;

  ClusterPins pins_;
  Turnstile* turnstile_ = nullptr;
  std::deque<Life> lives_;
  std::uint64_t asked_ = 0;  // life-cycle operations, ...
  std::uint64_t done_ = 0;   // ... and how many of these were accepted
  std::array<Unit, kMaxUnits> units_;
  Cancel cancel_;
  std::uint64_t queued_ = 0;                 // that are not yet accepted
  std::uint64_t begun_ = ~std::uint64_t{0};  // the latest cycle
};

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_RUNTIME_ON_PINS_CLUSTER_PORT_H_
