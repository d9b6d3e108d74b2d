// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Mbarriers: which phase an arrival could fall into, which phase a wait could find, and what a wait
// acquires. Knows each phase by its arrivals, and not by its counts: which operation completes a
// phase is told it.
#ifndef MUSTER_SIM_EXPLORE_MBARRIERS_H_
#define MUSTER_SIM_EXPLORE_MBARRIERS_H_

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "sim/explore/memory_races.h"
#include "sim/explore/suspicions.h"
#include "sim/explore/threads.h"
#include "sim/explore/transfers.h"
#include "sim/isa/mbarrier_operation.h"

namespace muster::explore {

class Mbarriers {
 public:
  Mbarriers(const World& world, Threads* threads, Transfers* transfers, MemoryRaces* memory,
            Suspicions* suspicions)
      : world_(world),
        threads_(*threads),
        transfers_(*transfers),
        memory_(*memory),
        suspicions_(*suspicions) {}

  // As in Observer::OnMbarrier.
  void Operate(const Place& at, std::uint64_t owner, const MbOperation& operation,
               const ptx::Mbarrier* instruction, const MbEffects& effects, std::uint64_t of);
  // Notes the mbarriers for which no thread waited in the whole run.
  void Conclude();
  // Says where more threads arrive in a round than the mbarrier expects. Call at any end of a run.
  void CountArrivals();

 private:
  struct Waiter {
    EventNumber event = 0;
    Side side;
    std::uint32_t idle = 0;  // lanes for which it was over at once
    bool is_fresh = false;
  };
  struct Object {
    Range word;
    Thread self;
    EventNumber completed = 0;
    Release now;                                            // of the phase that runs
    Release done;                                           // of the phase before
    std::vector<std::pair<std::uint64_t, Part>> transfers;  // of the phase that runs
    std::vector<Arrived> arrivals;                          // likewise
    std::vector<Arrived> completes;                         // the phase before
    std::vector<Waiter> waits;                              // for the phase before
    Side made;
    Side latest;
    bool awaited = false;
    bool arrived = false;
    std::optional<Past> init;    // the latest
    std::uint32_t expected = 0;  // arrivals, by that init
    // The lanes that have arrived, by instruction and warp of a CTA.
    std::map<std::uint32_t, std::map<std::pair<std::uint64_t, unsigned>, std::uint32_t>> arrivers;
  };

  // The side of an operation on an mbarrier, by lanes or by a transfer.
  Side SideOf(const Place& at, MbOp op, std::uint64_t of) const;
  void Make(Object* object, const Place& at, MbOp op, std::uint32_t access, std::uint64_t word);
  std::uint32_t WaitedBefore(const Object& object, const Place& at) const;
  void Wait(Object* object, const Place& at, const ptx::Mbarrier& instruction, EventNumber event);
  void Arrive(Object* object, const Place& at, MbOp op, const ptx::Mbarrier* instruction,
              EventNumber event, std::uint64_t of);
  void CheckPhase(const Object& object, const Place& at, MbOp op, std::uint64_t of);
  void CheckWaits(Object* object);
  void NoteBeforeFirst(const Object& object, const Waiter& waiter);
  void Complete(Object* object, EventNumber event);

  const World& world_;
  Threads& threads_;
  Transfers& transfers_;
  MemoryRaces& memory_;
  Suspicions& suspicions_;
  std::map<std::pair<std::uint64_t, std::uint32_t>, Object> objects_;
};

}  // namespace muster::explore

#endif  // MUSTER_SIM_EXPLORE_MBARRIERS_H_
