// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// A grid as a set of actors, any of which may take the next step: lanes of a warp at a visible
// instruction, waits that can be answered, transfers in flight, and the start of the next cluster
// if threads can cancel it. The golden models stand for the units. There are no cycles: the caller
// chooses the next actor, and each step is atomic. Knows nothing of which steps conflict, nor of
// what a bad end is.
#ifndef MUSTER_SIM_EXPLORE_WORLD_H_
#define MUSTER_SIM_EXPLORE_WORLD_H_

#include <array>
#include <cstdint>
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
#include "sim/golden/cluster_scope.h"
#include "sim/golden/mbarrier.h"
#include "sim/golden/model.h"
#include "sim/golden/warp_scope.h"
#include "sim/isa/config.h"
#include "sim/ptx/program/program.h"
#include "sim/ptx/runtime/clusters.h"
#include "sim/ptx/simt/interpreter.h"
#include "sim/ptx/simt/memory.h"
#include "sim/ptx/simt/printf.h"
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
  std::uint8_t unit = 0;       // of kLanes and kWait: the rank of its CTA
  std::uint8_t warp = 0;       // of kLanes and kWait: its warp slot
  bool answer = true;          // kWait: false where the wait gives up
  std::uint32_t lanes = 0;     // of kLanes and kWait
  std::uint32_t pc = 0;        // the instruction; of a transfer, the one that started it
  std::uint64_t transfer = 0;  // of kTransfer: its number
  std::uint64_t object = 0;    // kWait: what it waits for
  bool may_give_up = false;    // kWait: its lanes continue if it is answered false
};

// What a step did at barriers that are not aligned, at which a warp arrives when all its lanes have
// come.
struct Gathered {
  bool waits = false;  // the step's lanes have come, and other lanes are missing
  std::vector<Place> arrived;
};

class World : public ptx::AccessSink {
 public:
  enum class End : std::uint8_t { kNone, kCompletes, kDeadlock, kFault, kEndless };

  // The program must fit the configuration. `memory` is the initial memory.
  World(const Config& config, const ptx::Program& program, const ptx::Launch& launch,
        const ptx::Memory& memory);
  ~World() override;

  // Splits these lanes from the actor: they are an actor of their own from now on.
  void Split(const Actor& actor, std::uint32_t lanes);
  // Returns to the initial state.
  void Reset();
  void set_observer(Observer* observer) { observer_ = observer; }

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
  // Transfers that the latest step dropped, as processes.
  const std::vector<std::uint64_t>& dropped() const { return dropped_; }
  // Transfers that the latest step started, as processes.
  const std::vector<std::uint64_t>& begun() const { return begun_; }
  // Returns the actor's next step as a turn of a schedule, without the execution count.
  ptx::Turn TurnOf(const Actor& actor) const;
  // Returns the identity of the actor, which is the same in every order.
  std::uint64_t ProcessOf(const Actor& actor) const;

  End end() const { return end_; }
  const std::string& fault() const { return fault_; }  // "count_mismatch"
  // Returns the end as a manifest spells it: "completes", "deadlock", "fault:count_mismatch";
  // "timeout" if the run is endless or has not ended.
  std::string Ending() const;
  const Place& fault_at() const { return fault_at_; }
  // Hazards, by name and line of the PTX file.
  struct HazardMet {
    std::uint64_t count = 0;
    Place first;
  };
  using HazardsMet = std::map<std::pair<std::string, std::uint32_t>, HazardMet>;
  const HazardsMet& hazards() const { return hazards_; }
  const ptx::Memory& memory() const { return memory_; }
  std::uint64_t steps() const { return steps_; }
  // Returns the place of the actor's cluster in the order of the grid; 0 for a transfer.
  std::uint64_t ClusterOf(const Actor& actor) const;
  // Returns the channel that keeps this transfer, by its process, in order with others; 0: none.
  std::uint64_t ChannelOf(std::uint64_t process) const;
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
  // Returns where lanes stand that could execute next, or that wait at an mbarrier.
  std::vector<Place> Next() const;
  // Returns where the warps stand that have not exited.
  std::vector<Place> Standing() const;

  void OnAccess(const ptx::Warp& warp, unsigned lane, const ptx::Instruction& instruction,
                const ptx::Access& access, const ptx::Cta* owner, std::uint64_t address,
                bool changed) override;

 private:
  class Unit;
  friend class Unit;

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
    ptx::Warp warp;
    unsigned index = 0;            // of its CTA
    bool exists = false;           // the slot has a warp that has not exited
    bool at_barrier = false;       // waits at a barrier
    std::uint32_t in_cluster = 0;  // lanes that wait at barrier.cluster
    std::uint32_t barrier_pc = 0;  // of the barrier where it waits
    std::vector<Wait> waits;
    std::optional<WarpArrival> due;  // from the warp scope
    std::uint32_t spinning = 0;      // lanes that repeat a loop until something changes
    std::uint64_t spun = 0;          // the epoch in which `spinning` was found
    std::unordered_map<std::uint64_t, Spin> loops;  // by pc and lowest lane
    std::uint32_t stuck_at_copies = 0;              // lanes at a wait for copies that are not done
    std::set<std::uint32_t> is_volatile{};          // registers, by frame and slot
  };
  struct CtaState {
    ptx::Cta cta;
    bool taken = false;
    std::uint64_t warps = 0;
    std::uint64_t exited = 0;
  };
  struct Flight {
    ptx::Transfer transfer;
    std::uint64_t number = 0;
    std::uint64_t process = 0;
    std::uint32_t time = 1;      // which execution of the instruction by its lane
    bool asks = false;           // try_cancel: for the next cluster
    std::uint64_t asked_by = 0;  // a response: the number of its request
    bool is_lost = false;        // a response: a CTA that it is for has ended
    unsigned unit = 0;           // of its issuing warp
    std::uint64_t cta = 0;       // its issuer, linear
    unsigned warp_index = 0;
  };

  // world.cpp
  bool HasRoom() const;
  void LaunchClusters();
  void LaunchCluster();
  void LaunchCta(unsigned unit, unsigned slot, const ptx::Cluster* cluster);
  void EnableWarp(unsigned unit, unsigned warp);
  void EnableTransfers();
  ptx::Turn TurnOf(const Flight& flight) const;
  static bool IsBarrier(const ptx::Instruction& i) {
    return i.op == ptx::Op::kBarrier || i.op == ptx::Op::kClusterBarrier;
  }
  static bool IsAligned(const ptx::Instruction& i) {
    return (i.op == ptx::Op::kBarrier && i.As<ptx::CtaBarrier>().aligned) ||
           (i.op == ptx::Op::kClusterBarrier && i.As<ptx::ClusterBarrier>().aligned);
  }
  static std::uint32_t StandingWith(const WarpState& state, const ptx::Group& group);
  bool IsDraining(const WarpState& state, std::uint32_t pc) const;
  void Advance(Unit* unit, WarpState* state, std::uint32_t moved = 0);
  bool IsSeen(const WarpState& state, const ptx::Group& group) const;
  std::uint64_t ValueOf(const WarpState& state, const ptx::Group& group, ptx::Slot slot,
                        unsigned lane) const;
  std::uint32_t ActiveOf(const WarpState& state, const ptx::Group& group) const;
  void Observe(const Place& at);
  void NoteVolatile(WarpState* state, const ptx::Group& group, std::uint32_t active);
  bool MayGo(const WarpState& state) const {
    return state.exists && !state.at_barrier && state.in_cluster == 0;
  }
  void NoteSpin(Unit* unit, WarpState* state, const ptx::Group& group);
  void Change() { ++epoch_; }
  void Fault(std::string cause, const Place& at);
  void Hazards(std::uint32_t hazards, const Place& at);
  void NoteHeapAccess(std::uint64_t address);
  void NoteAccess(std::uint64_t object, ObjectAccess::Mode mode, std::uint32_t form = 0) {
    object_accesses_.push_back({object, mode, 0, form});
  }
  Place PlaceOf(const WarpState& state, std::uint32_t lanes, std::uint32_t pc) const;
  const Flight* FlightOf(const Actor& actor) const;
  static ptx::Group* GroupOf(WarpState* state, std::uint32_t lanes);

  // world_sync.cpp
  void Handle(Unit* unit, WarpState* state, ptx::Interpreter::Event event, std::uint32_t pc);
  void ReachBarrier(Unit* unit, WarpState* state, std::uint32_t pc);
  void ReachCluster(Unit* unit, WarpState* state, std::uint32_t pc);
  void ReachMbarrier(Unit* unit, WarpState* state, std::uint32_t pc);
  void Answer(Unit* unit, WarpState* state, std::size_t index, bool answer);
  MbEffects StepMbarrier(Unit* unit, const Place& at, const MbOperation& operation,
                         const ptx::Mbarrier* instruction, std::uint64_t of);
  void ReachWarpScope(Unit* unit, const WarpRequest& request);
  void TakeDue(Unit* unit, WarpState* state);
  void Released(Unit* unit, const Effects& effects, const Place& at, const Operation& operation);
  ClusterEffects StepCluster(std::uint64_t cluster, unsigned unit, const ClusterRequest& request,
                             unsigned slot);
  void ReleaseCluster(const ClusterEffects& effects, std::uint64_t cluster);
  void Exit(Unit* unit, WarpState* state, std::uint32_t pc);
  void EndCta(Unit* unit, unsigned slot, const Place& at);

  // world_transfer.cpp
  void Post(Unit* unit, ptx::Transfer transfer);
  static Place PlaceOf(const Flight& flight);  // of the issuing warp
  bool MayStep(const Flight& flight) const;
  void StepTransfer(std::size_t index);
  void Perform(Flight* flight);
  void PerformRemote(const Flight& flight);
  void StartArrivals(Unit* unit, WarpState* state, std::uint32_t lanes,
                     const std::array<std::uint32_t, kWarpSize>& addr, std::uint32_t pc);
  void Cancel(Unit* unit, const ptx::Warp& warp, const ptx::CancelCall& call, std::uint32_t pc);
  void TakeCluster(std::size_t index);
  bool MayAsk() const;
  bool IsAsking(std::uint64_t request) const;
  void Abandon(const ptx::Cta& cta);
  static std::vector<Range> RangesOf(const ptx::Cta* cta, const std::vector<ptx::Piece>& pieces);
  void NoteAccesses(const std::vector<Range>& ranges, ObjectAccess::Mode mode);

  const Config config_;
  const ptx::Program& program_;
  const ptx::Launch& launch_;
  const ptx::Memory& initial_;
  ptx::Memory memory_;
  ptx::Printed printed_;
  std::vector<std::unique_ptr<Unit>> units_;  // by rank
  ptx::Clusters clusters_;
  golden::ClusterScope cluster_scope_;
  // Threads can cancel clusters, so that the starts of clusters are steps.
  const bool starts_are_steps_;
  const bool has_heap_;
  // What each instruction reads and writes. Filled for programs that read clocks or active masks.
  struct Uses {
    std::vector<ptx::Slot> sources;
    std::vector<ptx::Slot> results;
  };
  std::vector<Uses> uses_;
  std::vector<std::unique_ptr<Flight>> flights_;
  std::uint64_t next_flight_ = 1;
  std::unordered_map<std::uint64_t, std::uint64_t> started_;  // transfers, by thread
  struct Times {
    std::uint32_t count = 0;
    std::uint64_t step = 0;  // the latest
  };
  std::map<std::pair<std::uint64_t, std::uint32_t>, Times> times_;  // executions, by thread and pc
  // The latest arrival of each open generation, by CTA and barrier.
  std::map<std::pair<std::uint64_t, unsigned>, Place> latest_arrivals_;
  Observer* observer_ = nullptr;

  std::vector<Actor> enabled_;
  std::vector<ObjectAccess> object_accesses_;
  std::vector<Place> woken_;
  Gathered gathered_;
  std::vector<std::uint64_t> dropped_;
  std::vector<ptx::Turn> lost_;
  std::vector<std::uint64_t> begun_;
  std::uint64_t epoch_ = 1;  // counts changes that a thread can see
  std::uint64_t steps_ = 0;
  std::uint64_t cycle_ = 0;  // the value of clocks
  Place here_;               // the place of the current instruction or transfer
  bool started_up_ = false;  // all warps have run to their first visible instruction
  End end_ = End::kNone;
  std::string fault_;
  Place fault_at_;
  HazardsMet hazards_;
  std::set<std::uint32_t> volatile_pcs_;
};

}  // namespace muster::explore

#endif  // MUSTER_SIM_EXPLORE_WORLD_H_
