// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The ends of CTAs and launches: who uses the memory of a CTA, so that this must come before its
// end, and what a launch that waits for those before it learns. Does not know how threads wait.
#ifndef MUSTER_SIM_EXPLORE_LIFETIMES_H_
#define MUSTER_SIM_EXPLORE_LIFETIMES_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "sim/explore/memory_races.h"
#include "sim/explore/suspicions.h"
#include "sim/explore/threads.h"
#include "sim/explore/transfers.h"

namespace muster::explore {

class CtaMemory {
 public:
  CtaMemory(const Threads& threads, const Transfers& transfers, const MemoryRaces& memory,
            Suspicions* suspicions)
      : threads_(threads), transfers_(transfers), memory_(memory), suspicions_(*suspicions) {}

  // A thread has accessed memory of another CTA, the owner.
  void NoteVisit(std::uint64_t owner, const Thread& by, std::uint32_t access) {
    visits_[owner][{by.cta, by.index}] = access;
  }
  // A thread has sent a transfer to memory of another CTA, the owner.
  void NoteSent(std::uint64_t owner, std::uint64_t transfer) { sent_[owner].push_back(transfer); }
  // Suspects accesses that need not have come before the end of the CTA, of which `exit` is the
  // last one: none of its threads has waited for them.
  void End(std::uint64_t cta, const Side& exit);

 private:
  const Threads& threads_;
  const Transfers& transfers_;
  const MemoryRaces& memory_;
  Suspicions& suspicions_;
  // By owner: the latest access of each thread of other CTAs, and the transfers.
  std::map<std::uint64_t, std::map<std::pair<std::uint64_t, std::uint32_t>, std::uint32_t>> visits_;
  std::map<std::uint64_t, std::vector<std::uint64_t>> sent_;
};

class LaunchEnds {
 public:
  LaunchEnds(const ptx::Launch& launch, Threads* threads, Transfers* transfers)
      : launch_(launch), threads_(*threads), transfers_(*transfers) {}

  void End(std::size_t launch);
  // Lanes of the launch have waited for the ends of all launches before it.
  void Wait(const Place& at, std::size_t launch);

 private:
  const ptx::Launch& launch_;
  Threads& threads_;
  Transfers& transfers_;
  std::map<std::size_t, EventNumber> ends_;
};

}  // namespace muster::explore

#endif  // MUSTER_SIM_EXPLORE_LIFETIMES_H_
