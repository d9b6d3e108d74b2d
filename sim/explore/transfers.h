// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Copies, products and other asynchronous operations: what was known when each started, in which
// group it is, and with which events threads have waited for its end. Does not know what they
// access.
#ifndef MUSTER_SIM_EXPLORE_TRANSFERS_H_
#define MUSTER_SIM_EXPLORE_TRANSFERS_H_

#include <cstdint>
#include <map>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "sim/explore/suspicion.h"
#include "sim/explore/threads.h"
#include "sim/explore/world.h"

namespace muster::explore {

// What of a transfer: all of it; what it reads; what a product reads of matrix A in shared memory.
// Each has those after it.
enum class Part : std::uint8_t { kAll, kReads, kMatrixA };

// The event with which a thread's wait for a transfer, or for a part of it, ends. Events ordered
// after it are ordered after that.
struct Waited {
  Thread thread;
  EventNumber event = 0;
  Part part = Part::kAll;

  bool IsFor(Part accessed) const { return part <= accessed; }
};

struct Transfer {
  Place at;
  std::uint64_t step = 0;
  Shared<Known> known;  // when it was started
  std::vector<Published> fences;
  bool async = false;
  bool of_tensor_core = false;
  bool reduces = false;
  unsigned element = 1;  // bytes
  bool arrives = false;
  std::vector<std::uint64_t> copies;  // that an arrive-on waits for
  Part awaited = Part::kAll;          // of these
  std::vector<Range> matrix_a;        // of a product
  std::vector<Waited> waited;
};

// An arrival of lanes that arrived together, or the exit of lanes that exited together.
struct Arrived {
  Side side;
  EventNumber event = 0;
};

class Transfers {
 public:
  Transfers(const World& world, Threads* threads) : world_(world), threads_(*threads) {}

  void Start(const Place& at, std::uint64_t number, const ptx::Transfer& transfer);
  const Transfer& Of(std::uint64_t number) const { return all_.at(number); }
  // Threads commit groups of their copies, or have waited for some.
  void CopyGroup(const Place& at, ptx::CopyGroupOp op, bool bulk, std::uint64_t groups);
  void ProductGroup(const Place& at, const ptx::WarpgroupOrder& order);
  // The event ends a wait for the transfer.
  void NoteWait(std::uint64_t number, const Waited& waited) {
    all_.at(number).waited.push_back(waited);
  }
  // The event ends each transfer that threads of the launch have started.
  void NoteLaunchEnd(std::size_t launch, EventNumber event);

  // What part of the transfer a read of these bytes is.
  Part PartOf(std::uint64_t number, const Range& read) const;
  // Whether `must` orders the part of the transfer before what comes next.
  bool HasWaited(std::uint64_t number, const Clock& must, Part part) const;
  // Whether `must` orders an access of a thread, or all of a transfer, before what comes next.
  bool ComesBefore(const Side& side, EventNumber event, const Clock& must) const {
    return side.transfer != 0 ? HasWaited(side.transfer, must, Part::kAll)
                              : must.Knows(ThreadOf(side.at, First(side.at.lanes)), event);
  }
  // Returns the latest of the arrivals that need not come before an event of these lanes, which
  // knows `must`; or null.
  const Arrived* Unknown(const std::vector<Arrived>& arrivals, const Place& at,
                         const Clock& must) const;

 private:
  // Transfers of a thread or warp that it has not waited for.
  struct Groups {
    std::uint32_t group = 0;                                       // the one not yet committed
    std::vector<std::pair<std::uint64_t, std::uint32_t>> started;  // number and group
  };
  enum class Queue : std::uint8_t { kCopies, kBulkCopies, kTensor };

  Groups& GroupsOf(const Place& at, unsigned lane, Queue queue) {
    const Thread thread = ThreadOf(at, lane);
    return by_thread_[{thread.cta, thread.index, queue}];
  }

  const World& world_;
  Threads& threads_;
  std::unordered_map<std::uint64_t, Transfer> all_;
  std::map<std::tuple<std::uint64_t, std::uint32_t, Queue>, Groups> by_thread_;
  std::map<std::pair<std::uint64_t, unsigned>, Groups> products_;  // by warp
};

}  // namespace muster::explore

#endif  // MUSTER_SIM_EXPLORE_TRANSFERS_H_
