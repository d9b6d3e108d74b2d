// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Small programs with what is asynchronous: copies in groups, multicast copies and arrivals between
// the CTAs of a cluster, and launches that overlap. Of each warp one lane is active.
#ifndef MUSTER_TB_EXPLORE_ASYNC_PROGRAM_H_
#define MUSTER_TB_EXPLORE_ASYNC_PROGRAM_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tb/explore/outcomes.h"
#include "tb/explore/small_program.h"

namespace muster::explore {

struct AsyncOperation {
  enum class Kind : std::uint8_t {
    kLoad,         // weak, as all accesses are
    kStore,        // of `value`
    kCopy,         // cp.async of `value`, which lies in global memory, to a shared variable
    kCommit,       // cp.async.commit_group
    kWaitGroup,    // cp.async.wait_group with `value`
    kMulticast,    // cp.async.bulk of `value` to the CTAs of `mask`, with 16 bytes to the mbarrier
    kArrive,       // mbarrier.arrive, or with `value` bytes .expect_tx
    kArriveAtAll,  // mbarrier.arrive at the CTAs of `mask`
    kWait,         // mbarrier.try_wait.parity, until it is answered true; parity `value`
    kClusterSync,  // barrier.cluster.arrive and .wait
    kLaunchDependents,  // griddepcontrol.launch_dependents
    kGridWait,          // griddepcontrol.wait
  };
  Kind kind = Kind::kLoad;
  unsigned object = 0;  // variable
  std::uint32_t value = 0;
  unsigned mask = 0;
};

// The only mbarrier of each CTA expects `arrivals`.
struct AsyncProgram {
  enum class Form : std::uint8_t { kGroups, kMulticast, kArrivals, kLaunches };
  struct List {
    unsigned cta = 0;  // of the cluster; or the launch, of one CTA each
    std::vector<AsyncOperation> operations{};
  };
  Form form = Form::kGroups;
  std::vector<List> lists;   // those of a CTA are its warps, in their order
  std::vector<bool> shared;  // of each variable: each CTA has one, in shared memory
  unsigned arrivals = 1;
};

inline constexpr unsigned kAsyncBytes = 16;  // of a variable, and of a multicast copy

AsyncProgram RandomAsync(AsyncProgram::Form form, std::uint64_t seed);

// The results: the variables in global memory, and what each operation has read.
std::size_t WordOf(const AsyncProgram& program, const Site& site);
std::size_t WordsOf(const AsyncProgram& program);

struct AsyncPtx {
  std::string text;  // the kernels "program" and, of two launches, "second"
  std::map<std::uint32_t, Site> sites;
};
AsyncPtx PtxOf(const AsyncProgram& program);

// Every interleaving, by a semantics of its own. Stops after `most`.
Outcomes EnumerateAll(const AsyncProgram& program, std::uint64_t most);

}  // namespace muster::explore

#endif  // MUSTER_TB_EXPLORE_ASYNC_PROGRAM_H_
