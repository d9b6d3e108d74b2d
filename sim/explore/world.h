// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// A grid on golden models as a set of actors, any of which may take the next step: lanes of a warp
// at a visible instruction, waits that can be answered, transfers in flight, and the start of the
// next cluster if threads can cancel it. Knows who may go next, and what a step accesses; not how
// an instruction reaches a scope, which steps conflict, nor what a bad end is.
#ifndef MUSTER_SIM_EXPLORE_WORLD_H_
#define MUSTER_SIM_EXPLORE_WORLD_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "sim/explore/object_access.h"
#include "sim/explore/observer.h"
#include "sim/isa/config.h"
#include "sim/ptx/program/program.h"
#include "sim/ptx/runtime/on_golden/golden_grid.h"
#include "sim/ptx/simt/interpreter.h"
#include "sim/ptx/simt/memory.h"
#include "sim/ptx/simt/schedule.h"

namespace muster::explore {

struct Actor {
  enum class Kind : std::uint8_t {
    kLanes,     // execute the instruction at which they stand
    kWait,      // a wait at an mbarrier is answered
    kTransfer,  // a transfer takes its next step
    kStart,     // the next cluster starts
  };
  Kind kind = Kind::kLanes;
  std::uint8_t unit = 0;       // of kLanes and kWait
  std::uint8_t warp = 0;       // of kLanes and kWait: its warp slot
  bool answer = true;          // kWait: false where the wait gives up
  std::uint32_t lanes = 0;     // of kLanes and kWait
  std::uint32_t pc = 0;        // the instruction; of a transfer, the one that started it
  std::uint64_t transfer = 0;  // of kTransfer: its number
  std::uint64_t object = 0;    // kWait: what it waits for
  bool may_give_up = false;    // kWait: its lanes continue if it is answered false
};

// What a step did at barriers that are not aligned, at which a warp arrives when all its lanes have
// come; and whether its lanes have come to an instruction without executing it.
struct Gathered {
  bool waits = false;  // the step's lanes have come, and other lanes are missing
  bool asks = false;   // what they take from a pool is not there: they execute it later
  std::vector<Place> arrived;
};

// The place of a fault or a hazard.
inline Place PlaceOf(const ptx::Incident& incident) {
  return {incident.cta, incident.warp, incident.lanes, incident.pc};
}

class World : public ptx::GoldenGrid, public ptx::AccessSink {
 public:
  enum class End : std::uint8_t { kNone, kCompletes, kDeadlock, kFault, kEndless };

  // The program must fit the configuration. `memory` is the initial memory.
  World(const Config& config, const ptx::Program& program, const ptx::Launch& launch,
        const ptx::Memory& memory);

  // Splits these lanes from the actor: they are an actor of their own from now on.
  void Split(const Actor& actor, std::uint32_t lanes);
  // Returns to the initial state.
  void Reset();
  void set_observer(Observer* observer) { observer_ = observer; }
  // Asked every few thousand instructions, in the middle of a step too, whether the run must stop:
  // it then has no end, and is_stopped(). Returns what was asked until now.
  using Stop = std::function<bool()>;
  Stop set_stop(Stop stop) { return std::exchange(stop_, std::move(stop)); }
  bool is_stopped() const { return is_stopped_; }

  // Returns the actors that may take the next step. Empty: the run has ended, see end().
  const std::vector<Actor>& Enabled();
  void Step(const Actor& actor);
  // Objects that the latest step accessed.
  const std::vector<ObjectAccess>& object_accesses() const { return object_accesses_; }
  // Other warps that the latest step released.
  const std::vector<Place>& woken() const { return woken_; }
  // Lanes that arrived at a barrier in the latest step, and whether its own lanes wait for others
  // of their warp.
  const Gathered& gathered() const { return gathered_; }
  // The lanes of the step's warp that met at a collective in it.
  std::uint32_t met() const { return met_; }
  // Transfers that the latest step dropped, as processes.
  const std::vector<std::uint64_t>& dropped() const { return dropped_; }
  // Transfers that the latest step started, as processes.
  const std::vector<std::uint64_t>& begun() const { return begun_; }
  // Returns the actor's next step as a turn of a schedule, without the execution count.
  ptx::Turn TurnOf(const Actor& actor) const;
  // Returns the identity of the actor, which is the same in every order.
  std::uint64_t ProcessOf(const Actor& actor) const;

  End end() const;
  // Returns the end as a manifest spells it: "completes", "deadlock", "fault:count_mismatch";
  // "timeout" if the run is endless or has not ended.
  std::string Ending() const;
  std::uint64_t steps() const { return steps_; }
  // Returns the place of the actor's cluster in the order of the grid; 0 for a transfer.
  std::uint64_t ClusterOf(const Actor& actor) const;
  // Returns the channel that keeps this transfer, by its process, in order with others; 0: none.
  std::uint64_t ChannelOf(std::uint64_t process) const;
  // Returns the transfers, as processes, that this one, by its process, comes after.
  std::vector<std::uint64_t> FollowedBy(std::uint64_t process) const;
  // Returns how many clusters have started or were cancelled.
  std::uint64_t begun_clusters() const { return clusters_.begun(); }
  // Instructions, executed in this order or an earlier one, whose effect depends on a clock or on
  // which lanes are together. A run may show other effects.
  const std::set<std::uint32_t>& volatile_pcs() const { return volatile_pcs_; }
  const ptx::Program& program() const { return program_; }
  const ptx::Launch& launch() const { return launch_; }
  // Returns the pending waits, as actors.
  std::vector<Actor> Waiting() const;
  // Returns transfers that are in flight, or were lost with their CTA: none of them has happened.
  std::vector<ptx::Turn> Flying() const;
  // Returns where lanes stand that could execute next, or that wait at an mbarrier or for what they
  // take from a pool.
  std::vector<Place> Next() const;
  // Returns where the warps stand that have not exited.
  std::vector<Place> Standing() const;
  // Returns a word of a CTA's shared memory, and how many warps have arrived at one of its
  // barriers; nothing: the CTA is not resident.
  std::optional<std::uint64_t> WordAt(std::uint64_t cta, std::uint32_t address) const;
  std::optional<unsigned> ArrivedAt(std::uint64_t cta, unsigned barrier) const;

  // AccessSink, TransferSink, Grid and GoldenGrid: what a step does.
  void OnAccess(const ptx::Warp& warp, unsigned lane, const ptx::Instruction& instruction,
                const ptx::Access& access, const ptx::Cta* owner, std::uint64_t address,
                bool changed) override;

  void OnTensorAccess(const ptx::Warp& warp, const std::vector<ptx::TensorRange>& ranges) override;
  void OnResource(const ptx::Warp& warp) override;

  void Post(ptx::Transfer transfer, std::uint64_t cycle) override;
  void Change(std::uint64_t cycle) override;
  void Abandon(const ptx::Cta* cta) override;
  void OnBarrier(const ptx::Core& core, const Operation& operation,
                 const Effects& effects) override;
  void OnCluster(const ptx::Core& core, const ClusterRequest& request,
                 const ClusterEffects& effects, bool completes) override;
  void OnMbarrier(const ptx::Core& core, const MbOperation& operation,
                  const MbEffects& effects) override;
  void OnWarpScope(const ptx::Core& core, const WarpRequest& request,
                   const WarpEffects& effects) override;
  void OnExit(const ptx::Core& core, unsigned warp) override;
  void OnRelease(const ptx::Core& core, std::uint64_t warps) override;
  void OnClusterRelease(const std::vector<ClusterLanes>& lanes) override;
  void OnGridRelease(const std::vector<ClusterLanes>& lanes) override;
  void OnLaunchable(std::uint8_t grids) override;
  void OnLaunchEnd(std::size_t launch) override;
  void OnWait(const ptx::Core& core, const MbOperation& wait) override;
  void OnCancel(const ptx::Core& core, const ptx::Warp& warp, const ptx::CancelCall& call) override;

 private:
  struct Wait {
    MbOperation operation;
    std::uint32_t pc = 0;
    bool returns = false;  // if answered false, the lanes would only come back here
  };
  struct Spin {
    std::uint64_t epoch = 0;
    std::uint64_t state = 0;
  };
  struct WarpState {
    ptx::WarpSlot* slot = nullptr;
    unsigned unit = 0;
    std::uint32_t pc = 0;  // its latest instruction
    std::vector<Wait> waits;
    std::uint32_t spinning = 0;  // lanes that repeat a loop until something changes
    std::uint64_t spun = 0;      // the epoch in which `spinning` was found
    std::unordered_map<std::uint64_t, Spin> loops;  // by pc and lowest lane
    std::uint32_t stuck_at_copies = 0;              // lanes at a wait for copies that are not done
    std::set<std::uint32_t> is_volatile{};          // registers, by frame and slot

    ptx::Warp& warp() const { return slot->warp; }
    bool exists() const {
      return slot->phase != ptx::WarpPhase::kFree && slot->phase != ptx::WarpPhase::kExited;
    }
    bool IsAtBarrier() const {
      return slot->phase == ptx::WarpPhase::kWaiting || slot->in_cluster != 0;
    }
    bool MayGo() const { return slot->phase == ptx::WarpPhase::kReady; }
  };
  struct Flight {
    ptx::Transfer transfer;
    std::uint64_t number = 0;
    std::uint64_t process = 0;
    std::uint32_t time = 1;      // which execution of the instruction by its lane
    bool asks = false;           // try_cancel: for the next cluster
    std::uint64_t asked_by = 0;  // a response: the number of its request
    bool is_lost = false;        // a response: a CTA that it is for has ended
    // The latest operation of each of its threads on mbarriers of the CTA that hears of it, as
    // processes: it comes after these.
    std::vector<std::uint64_t> follows;
    unsigned unit = 0;      // of its issuing warp
    std::uint64_t cta = 0;  // its issuer, linear
    unsigned warp_index = 0;
  };

  // world.cpp
  WarpState& StateOf(const ptx::Core& core, unsigned warp) { return warps_[core.unit()][warp]; }
  void OnStart(const ptx::Cluster& cluster) override;
  void Locate(ptx::Incident* incident) const override;
  static bool IsBarrier(const ptx::Instruction& i) {
    return i.op == ptx::Op::kBarrier || i.op == ptx::Op::kClusterBarrier;
  }
  static bool IsAligned(const ptx::Instruction& i) {
    return (i.op == ptx::Op::kBarrier && i.As<ptx::CtaBarrier>().aligned) ||
           (i.op == ptx::Op::kClusterBarrier && i.As<ptx::ClusterBarrier>().aligned) ||
           i.op == ptx::Op::kWarpgroupProduct || i.op == ptx::Op::kRegisterLimit ||
           i.op == ptx::Op::kTensorAllocation || i.op == ptx::Op::kTensorAccess;
  }
  // The instruction may have to wait for transfers, and come again.
  static bool AwaitsTransfers(const ptx::Instruction& i) {
    return i.op == ptx::Op::kCopyGroup || i.op == ptx::Op::kWarpgroupOrder;
  }
  void Advance(WarpState* state, std::uint32_t moved = 0);
  void Run(WarpState* state, std::uint32_t pc);
  bool MustStop();
  void TakeDue(WarpState* state);
  bool IsSeen(const WarpState& state, const ptx::Group& group) const;
  std::uint64_t ValueOf(const WarpState& state, const ptx::Group& group, ptx::Slot slot,
                        unsigned lane) const;
  std::uint32_t ActiveOf(const WarpState& state, const ptx::Group& group) const;
  void Observe(const Place& at);
  void NoteVolatile(WarpState* state, const ptx::Group& group, std::uint32_t active);
  void NoteSpin(WarpState* state, const ptx::Group& group);
  bool Retries(const ptx::Core& core, const ptx::Warp& warp, const ptx::Group& group,
               std::uint32_t lanes);
  void NoteHeapAccess(std::uint64_t address);
  void NoteAccess(std::uint64_t object, ObjectAccess::Mode mode, std::uint32_t form = 0) {
    object_accesses_.push_back({object, mode, 0, form});
  }

  // world_actors.cpp
  void EnableWarp(const WarpState& state);
  void EnableTransfers();
  bool IsDraining(const WarpState& state, std::uint32_t pc) const;
  ptx::Turn TurnOf(const Flight& flight) const;
  static std::uint32_t StandingWith(const WarpState& state, const ptx::Group& group);
  static Place PlaceOf(const WarpState& state, std::uint32_t lanes, std::uint32_t pc);
  static std::uint32_t LanesOf(const ptx::Transfer& transfer);
  std::uint64_t ThreadOf(const Flight& flight, unsigned lane) const {
    return (flight.cta * launch_.MaxWarps() + flight.warp_index) * kWarpSize + lane;
  }
  static Place PlaceOf(const Flight& flight);  // of the issuing warp
  const Flight* FlightOf(const Actor& actor) const;
  const Flight* FlightOf(std::uint64_t process) const;  // null: it is over
  std::optional<std::pair<unsigned, unsigned>> SlotOf(std::uint64_t cta) const;
  static ptx::Group* GroupOf(const WarpState& state, std::uint32_t lanes);

  // world_effects.cpp
  bool Overlap() const { return !launch_.programmatic.empty(); }
  bool IsInFlight(std::size_t launch) const override;
  void NoteLaunch(const WarpState& state, const ClusterRequest& request,
                  const ClusterEffects& effects);
  void Answer(WarpState* state, std::size_t index, bool answer);
  void ObserveWholeWarp(const WarpState& state, const Place& at);
  void NoteExit(const ptx::Core& core, const Operation& exit, const Effects& effects);

  // world_transfer.cpp
  std::vector<std::uint64_t> SentBefore(const Flight& flight, const ptx::Transfer& transfer);
  bool MayStep(const Flight& flight) const;
  void StepTransfer(std::size_t index);
  void StepProduct(std::size_t index);
  void LetGo(WarpState* state);
  void Perform(const Flight& flight);
  void PerformTensor(const Flight& flight);
  void ReadMatrixA(Flight* flight);
  void EndWithResponseLost(const Flight& response);
  void TakeCluster(std::size_t index);
  bool MayAsk() const;
  bool IsAsking(std::uint64_t request) const;

  static Range RangeOf(const ptx::TensorRange& range);
  static std::vector<Range> RangesOf(const ptx::Cta* cta, const std::vector<ptx::Piece>& pieces);
  void NoteAccesses(const std::vector<Range>& ranges, ObjectAccess::Mode mode);

  const ptx::Program& program_;
  std::vector<std::vector<WarpState>> warps_;  // by unit and slot
  // Threads can cancel clusters, so that the starts of clusters are steps.
  const bool starts_are_steps_;
  const bool has_heap_;
  // What each instruction reads and writes. Filled for programs that read clocks or active masks.
  struct Uses {
    std::vector<ptx::Slot> sources;
    std::vector<ptx::Slot> results;
  };
  std::vector<Uses> uses_;
  // Results of dry runs so far, by place and state. They are the same in every run.
  std::unordered_map<std::uint64_t, bool> retries_;
  std::vector<std::unique_ptr<Flight>> flights_;
  const Flight* performing_ = nullptr;  // the transfer that takes effect
  const WarpState* running_ = nullptr;  // the warp whose instruction is executed
  std::uint64_t next_flight_ = 1;
  std::unordered_map<std::uint64_t, std::uint64_t> started_;  // transfers, by thread
  // The latest operation on another CTA's mbarriers, as a process, by thread and that CTA.
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::uint64_t> sent_;
  struct Times {
    std::uint32_t count = 0;
    std::uint64_t step = 0;  // the latest
  };
  std::map<std::pair<std::uint64_t, std::uint32_t>, Times> times_;  // executions, by thread and pc
  Observer* observer_ = nullptr;
  Stop stop_;
  std::uint32_t unasked_ = 0;  // instructions since it was asked
  bool is_stopped_ = false;

  std::vector<Actor> enabled_;
  std::vector<ObjectAccess> object_accesses_;
  std::vector<Place> woken_;
  Gathered gathered_;
  std::uint32_t met_ = 0;
  std::vector<std::uint64_t> dropped_;
  std::vector<ptx::Turn> lost_;
  std::vector<std::uint64_t> begun_;
  std::uint64_t epoch_ = 1;  // counts changes that a thread can see
  std::uint64_t steps_ = 0;
  bool started_up_ = false;  // all warps have run to their first visible instruction
  std::set<std::uint32_t> volatile_pcs_;
};

}  // namespace muster::explore

#endif  // MUSTER_SIM_EXPLORE_WORLD_H_
