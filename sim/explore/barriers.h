// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Named barriers and cluster barriers: what they order, and arrivals that could fall into another
// generation. Know nothing of memory; whether a barrier completes is told them.
#ifndef MUSTER_SIM_EXPLORE_BARRIERS_H_
#define MUSTER_SIM_EXPLORE_BARRIERS_H_

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "sim/explore/exits.h"
#include "sim/explore/suspicions.h"
#include "sim/explore/threads.h"
#include "sim/explore/transfers.h"
#include "sim/isa/effects.h"
#include "sim/isa/operation.h"

namespace muster::explore {

class NamedBarriers {
 public:
  NamedBarriers(Threads* threads, const Transfers& transfers, Exits* exits, Suspicions* suspicions)
      : threads_(*threads), transfers_(transfers), exits_(*exits), suspicions_(*suspicions) {}

  // As in Observer::OnArrive; `now`: the side of the event.
  void Arrive(const Side& now, const Operation& operation, const Effects& effects,
              const std::vector<Place>& released);
  // Notes the barriers for which no thread waited in the whole run.
  void Conclude();

 private:
  struct Barrier {
    Shared<Known> arrived;
    std::vector<Arrived> arrivals;   // of this generation
    std::vector<Arrived> completes;  // of the latest one
    Thread self;
    EventNumber completed = 0;  // the event of the latest generation's end
    std::uint64_t warps = 0;    // of the latest generation
    std::uint64_t now = 0;
    Side latest;                // arrival
    bool awaited = false;       // this generation
    bool ever_awaited = false;  // or another one
    Side lone;                  // an arrival of a generation for which no warp waited
    Clock told;                 // what comes before the arrivals of such generations
  };

  void CheckGeneration(const Barrier& barrier, const Side& side, unsigned bar, const Clock& must);

  Threads& threads_;
  const Transfers& transfers_;
  Exits& exits_;
  Suspicions& suspicions_;
  std::map<std::pair<std::uint64_t, unsigned>, Barrier> barriers_;
};

class ClusterBarriers {
 public:
  ClusterBarriers(Threads* threads, Exits* exits) : threads_(*threads), exits_(*exits) {}

  void Arrive(const Side& now, std::uint64_t cluster, bool releases);
  void Complete(std::uint64_t cluster);
  void Wait(const Place& at, std::uint64_t cluster);

 private:
  struct Barrier {
    Release now;
    Release done;
    std::vector<Arrived> arrivals;  // of the phase that runs
  };

  Threads& threads_;
  Exits& exits_;
  std::map<std::uint64_t, Barrier> barriers_;
};

}  // namespace muster::explore

#endif  // MUSTER_SIM_EXPLORE_BARRIERS_H_
