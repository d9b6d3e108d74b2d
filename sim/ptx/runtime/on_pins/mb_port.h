// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The core's side of the unit's shared-memory scope: divides a warp's instruction into groups,
// presents these, tracks which lanes wait for which answer, and holds the bank of shared memory.
// Operations of copy engines and other CTAs enter through its queues; operations on another CTA's
// word leave through its sink. Knows nothing of clusters.
#ifndef MUSTER_SIM_PTX_RUNTIME_ON_PINS_MB_PORT_H_
#define MUSTER_SIM_PTX_RUNTIME_ON_PINS_MB_PORT_H_

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/golden/model.h"
#include "sim/isa/config.h"
#include "sim/isa/fault.h"
#include "sim/isa/mbarrier_operation.h"
#include "sim/port/bank.h"
#include "sim/port/pins.h"
#include "sim/ptx/simt/mbarriers.h"
#include "sim/ptx/simt/random.h"

namespace muster::ptx {

class MbPort : public MbarrierSink, public lockstep::Bank::Words {
 public:
  // An operation that is refused before it reaches the unit.
  struct Refusal {
    FaultCause cause = FaultCause::kNone;
    MbOperation operation;
  };
  // Sends a group to the CTA of that rank, where it is a kRemote operation.
  using Remote = std::function<void(unsigned rank, const MbOperation& operation)>;

  MbPort(const Config& config, std::uint64_t seed);

  // A CTA with this memory takes the slot.
  void Launch(unsigned cta, std::vector<std::uint8_t>* shared);
  // The CTA has ended. Its memory is gone and reads 0, as in the golden model.
  void Leave(unsigned cta) { memories_[cta] = Memory(); }
  void set_remote(Remote remote) { remote_ = std::move(remote); }

  // The beginning of a cycle: takes what the unit did in the cycle before.
  void Begin(const MbOutputs& seen, MbInputs* in);
  const std::vector<MbReply>& replies() const { return replies_; }
  // The warp of which a group was accepted, if any, and whether more groups follow.
  std::optional<unsigned> accepted() const { return accepted_; }
  bool Issuing(unsigned warp) const { return !warps_[warp].groups.empty(); }
  // Warps with a group between acceptance and commit.
  std::uint64_t busy() const { return busy_; }

  // Executes an instruction of a warp that has no group to be presented.
  void Issue(unsigned warp, unsigned cta, const MbInstruction& instruction);
  void PostAsync(const MbOperation& operation) override;
  // An operation of another CTA of the cluster, which is on its way until it has been performed.
  void PostRemote(const MbOperation& operation, std::shared_ptr<const void> on_its_way);
  bool TakesRemote() const { return remotes_.size() < 2; }
  // Shows an operation to the golden model alone.
  void Announce(const MbOperation& operation);
  // The CTA is about to end: operations of copy engines that have not been presented are lost. It
  // may end when no other operation from outside its warps is in flight to its words.
  void Abandon(unsigned cta);
  bool IsReached(unsigned cta, const MbInputs& in) const;
  // The end of a cycle: drives the pins. `outstanding`: warps with accesses that are not performed.
  void Present(std::uint64_t outstanding, bool ending, MbInputs* in);
  const std::optional<Refusal>& refusal() const { return refusal_; }

  bool MayAccess(unsigned warp, unsigned cta, std::uint64_t addr, unsigned bytes,
                 bool write) override;
  bool MayStore(unsigned cta, std::uint64_t addr, unsigned bytes) override;
  void Stored(unsigned warp, unsigned cta, std::uint64_t addr, unsigned bytes,
              std::uint32_t line) override;
  std::uint64_t Issued(unsigned warp) const override {
    return warps_[warp].performed + warps_[warp].flights.size();
  }
  std::uint64_t Performed(unsigned warp) const override { return warps_[warp].performed; }
  bool Watches(unsigned cta, std::uint64_t addr, unsigned bytes) const override;

  // The unit refused what has just committed and gives no response: the tokens are 0.
  MbReply TakeRefused(unsigned warp);

  // Whether nothing is to be presented, in flight, or to be answered, except for parked lanes.
  bool Quiet() const { return quiet_; }
  std::uint32_t ParkedLanes(unsigned warp) const {
    const std::deque<std::uint32_t>& parked = warps_[warp].parked;
    return parked.empty() ? 0 : parked.back();
  }

  std::uint64_t Load(MbPlace place) override;
  void Store(MbPlace place, std::uint64_t word) override;

 private:
  struct WarpState {
    std::deque<MbGroup> groups;            // to be presented
    std::deque<MbGroup> flights;           // accepted; the lanes that have not committed
    std::uint64_t performed = 0;           // groups that have committed
    std::deque<std::uint32_t> responding;  // committed: lanes that a response answers
    // Oldest first: others may park in the slot before its wake-up has been sent.
    std::deque<std::uint32_t> parked;
  };
  struct Memory {
    std::vector<std::uint8_t>* shared = nullptr;
    std::vector<bool> watched;  // by word: whether mbarrier operations have reached it
    bool any = false;
  };

  void TakeAccepted(const MbOutputs& seen, MbInputs* in);
  void TakeCommit(const MbOutputs::Commit& commit);
  void TakeResponse(const MbOutputs::Response& response);
  void Watch(const MbOperation& operation);
  void PresentGroup(unsigned warp, MbInputs* in);
  bool MayIssue(unsigned warp, std::uint64_t outstanding, const MbInputs& in) const;
  FaultCause Judge(const MbOperation& operation);
  void ShowStore(MbPlace place, unsigned warp, std::uint32_t line);

  const Config config_;
  Random random_;
  lockstep::Bank bank_;
  Remote remote_;
  std::array<Memory, kMaxCtas> memories_;
  std::array<WarpState, kMaxWarps> warps_;
  std::uint64_t issuing_ = 0;   // warps with groups to present
  std::uint64_t flying_ = 0;    // warps with flights
  std::uint64_t awaiting_ = 0;  // warps with responses to come
  std::uint64_t busy_ = 0;
  bool quiet_ = true;
  unsigned presented_ = 0;  // the warp at the port
  std::optional<unsigned> accepted_;
  std::optional<unsigned> sent_;  // the warp of which a group has gone to another CTA
  std::vector<MbReply> replies_;
  std::deque<MbOperation> async_;  // to be presented, the first perhaps at its port
  std::deque<MbOperation> remotes_;
  std::deque<MbOperation> async_flights_;
  std::deque<MbOperation> remote_flights_;
  std::deque<std::shared_ptr<const void>> remote_ways_;  // of remote_flights_, and then remotes_
  std::vector<MbInputs::Store> stores_;                  // in this cycle
  std::vector<MbOperation> announced_;                   // in this cycle
  std::optional<Refusal> refusal_;
};

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_RUNTIME_ON_PINS_MB_PORT_H_
