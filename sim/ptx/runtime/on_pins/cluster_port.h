// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The cores' side of the cluster scope (rtl/cluster/README.md): presents the requests of a grid and
// its warps at the pins, in order, and keeps what was sent through the network until it arrives.
// Knows nothing of the instructions behind the requests.
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
#include "sim/ptx/simt/schedule_replay.h"
#include "sim/ptx/simt/transfer.h"
#include "sim/ptx/simt/warp.h"

namespace muster::ptx {

class ClusterPort {
 public:
  struct Cancel {
    muster::CancelRequest request;
    std::uint32_t line = 0;
    std::vector<std::uint32_t> passes;  // of a schedule, by rank
  };

  // `units`: as many as the largest cluster of the launches takes.
  explicit ClusterPort(unsigned units) : units_(units) {}

  ClusterPins* pins() { return &pins_; }
  const ClusterOutputs& out() const { return pins_.out; }

  // Queue life-cycle operations, and requests of a warp by instructions at these lines.
  void Ask(const ClusterLife& life);
  void Ask(unsigned unit, const ClusterRequest& request, std::uint32_t line);
  void Ask(unsigned unit, const muster::CancelRequest& request, const CancelCall& call);
  // Sends what a CTA does to another one of its cluster.
  void Send(Transfer sent);

  // The unit's atomics answer a warp of another one.
  void Answer(unsigned unit, const AtomicResponse& answer);

  // Operations follow this schedule; null: they go in the order in which they were sent.
  void set_replay(ScheduleReplay* replay) { replay_ = replay; }

  // The beginning of a cycle: takes what was accepted, delivered and lost in the cycle before.
  void Begin(std::uint64_t cycle);
  // Warps whose request has ended.
  std::uint64_t settled(unsigned unit) const { return units_[unit].settled; }
  // Whether the latest accepted request of the warp is one of barrier.cluster.
  bool IsAtBarrier(unsigned unit, unsigned warp) const {
    return (units_[unit].at_barrier & Bit(warp)) != 0;
  }
  // The line of a warp's latest request.
  std::uint32_t Line(unsigned unit, unsigned warp) const { return units_[unit].lines[warp]; }
  // The try_cancel in progress, or the latest one; whether its response to a unit waits for its
  // turn.
  const Cancel& cancel() const { return cancel_; }
  bool HoldsResponse(unsigned unit) const {
    const unsigned rank = units_[unit].ranks[pins_.out.write.place.cta];
    return replay_ != nullptr && !replay_->MayPerform(cancel_.passes[rank]);
  }
  // Operations that have arrived at a unit, or that a unit's sender has lost.
  std::optional<Transfer> TakeArrived(unsigned unit);
  const std::optional<Transfer>& lost(unsigned unit) const { return units_[unit].lost; }

  // Whether operations of the CTA's warp are in flight, but for st.async and red.async; returns one
  // to the CTA that is, or null.
  bool IsSending(const Cta* cta, unsigned warp) const;
  const Transfer* Reaching(const Cta* cta) const;

  // The end of a cycle. `ending`: nothing new is presented.
  void Present(bool ending);
  // Whether operations wait for their turns.
  std::uint64_t Held() const;
  // Whether something proceeds by itself.
  bool Moves() const {
    return queued_ != Held() || pins_.awake || (pins_.out.active && !StandsInCancel());
  }
  bool Presents() const { return pins_.awake; }
  // Whether life-cycle operations have not been accepted.
  bool HasLives() const { return !lives_.empty(); }

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
    std::deque<AtomicResponse> answers;  // the first one perhaps presented
    std::deque<Transfer> sent;           // in the network, in their order
    std::optional<Transfer> arriving;
    std::optional<Transfer> lost;
    std::uint64_t busy = 0;   // warps with a request under way
    std::uint64_t fresh = 0;  // of these: accepted in the cycle before
    std::uint64_t settled = 0;
    std::uint64_t at_barrier = 0;  // warps whose latest request is one of barrier.cluster
    std::array<std::uint32_t, kMaxWarps> lines{};
    std::array<std::uint8_t, kMaxWarps> cta{};       // of the warp's latest request
    std::array<std::uint64_t, kMaxCtas> launched{};  // numbers of the latest launches
    std::array<std::uint8_t, kMaxCtas> ranks{};      // of the CTAs of these
    std::optional<std::size_t> presented;            // the index of the presented request
    std::size_t sending = 0;                         // the index of the presented send
    std::size_t cancelling = 0;                      // the index of the presented cancel
  };

  void BeginNetwork();
  Transfer TakeSent(unsigned sender);
  bool MayEnd(const Life& end) const;
  void PresentRequest(Unit* unit, ClusterInputs::Unit* in, bool ending);
  bool MaySend(const Unit& unit, std::size_t which) const;
  bool MayCancel(const Cancel& cancel) const;
  bool StandsInCancel() const;

  ClusterPins pins_;
  ScheduleReplay* replay_ = nullptr;
  std::deque<Life> lives_;
  std::uint64_t asked_ = 0;  // life-cycle operations so far
  std::uint64_t done_ = 0;   // accepted life-cycle operations
  std::vector<Unit> units_;
  Cancel cancel_;
  std::uint64_t queued_ = 0;     // that are not yet accepted
  std::uint64_t in_flight_ = 0;  // operations to other CTAs, until they are taken or lost
  std::uint64_t begun_ = ~std::uint64_t{0};  // the latest cycle
};

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_RUNTIME_ON_PINS_CLUSTER_PORT_H_
