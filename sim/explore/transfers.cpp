// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/explore/transfers.h"

#include <algorithm>

#include "sim/ptx/simt/tensor_operation.h"

namespace muster::explore {

void Transfers::Start(const Place& at, std::uint64_t number, const ptx::Transfer& transfer) {
  const EventNumber event = threads_.NewEvent();
  const unsigned lane = First(at.lanes);
  const ptx::Op op = world_.program().code[at.pc].op;
  const bool bulk = ptx::IsBulk(op);
  const bool multiplies = transfer.kind == ptx::Transfer::Kind::kProduct;
  Transfer& fresh = all_[number];
  fresh.at = at;
  fresh.step = world_.steps();
  fresh.known = threads_.Gather(at, event);
  fresh.fences = threads_.FencesOf(at);
  fresh.of_tensor_core = transfer.kind == ptx::Transfer::Kind::kTensor;
  fresh.async = bulk || multiplies || fresh.of_tensor_core;
  fresh.reduces = transfer.kind == ptx::Transfer::Kind::kReduce;
  fresh.element = Bytes(transfer.type);
  fresh.arrives = transfer.kind == ptx::Transfer::Kind::kArrive;
  fresh.awaited = fresh.arrives && transfer.of_reads ? Part::kMatrixA : Part::kAll;
  if (fresh.of_tensor_core) {
    const auto& ranges = transfer.tensor->ranges();
    for (const ptx::TensorRange& range : ranges) {
      const bool is_b = std::any_of(ranges.begin(), ranges.end(), [&](const auto& other) {
        return !other.of_a && !other.in_tensor && other.cta == range.cta &&
               other.first < range.first + range.bytes && range.first < other.first + other.bytes;
      });
      if (range.of_a && !is_b) {
        fresh.matrix_a.push_back({range.cta->linear_id, range.first, range.bytes});
      }
    }
  }
  if (transfer.kind == ptx::Transfer::Kind::kRemote) {
    // The threads do this operation themselves: an event ordered after their next event is ordered
    // after the operation, too.
    ForEachBit(at.lanes, [&](unsigned each) {
      fresh.waited.push_back({ThreadOf(at, each), event});
    });
  }
  if (fresh.arrives) {
    const Queue queue = op == ptx::Op::kTensorCommit ? Queue::kTensor : Queue::kCopies;
    for (const auto& [copy, group] : GroupsOf(at, lane, queue).started) {
      fresh.copies.push_back(copy);
    }
  } else if (multiplies) {
    Groups& products = products_[{at.cta, at.warp}];
    products.started.emplace_back(number, products.group);
  } else if (transfer.groups != nullptr) {
    const Queue queue = fresh.of_tensor_core ? Queue::kTensor
                        : bulk               ? Queue::kBulkCopies
                                             : Queue::kCopies;
    Groups& copies = GroupsOf(at, lane, queue);
    copies.started.emplace_back(number, copies.group);
  }
}

void Transfers::CopyGroup(const Place& at, ptx::CopyGroupOp op, bool bulk, std::uint64_t groups) {
  const EventNumber event = threads_.NewEvent();
  ForEachBit(at.lanes, [&](unsigned lane) {
    Groups& copies = GroupsOf(at, lane, bulk ? Queue::kBulkCopies : Queue::kCopies);
    if (op == ptx::CopyGroupOp::kCommit) {
      ++copies.group;
      return;
    }
    const bool all = op == ptx::CopyGroupOp::kWaitAll;
    const bool reading = op == ptx::CopyGroupOp::kWaitRead;
    auto& started = copies.started;
    for (const auto& [number, group] : started) {
      if (all || copies.group - group > groups) {
        NoteWait(number, {ThreadOf(at, lane), event, reading ? Part::kReads : Part::kAll});
      }
    }
    if (!reading) {
      started.erase(std::remove_if(started.begin(), started.end(),
                                   [&](const auto& copy) {
                                     return all || copies.group - copy.second > groups;
                                   }),
                    started.end());
    }
  });
}

void Transfers::ProductGroup(const Place& at, const ptx::WarpgroupOrder& order) {
  Groups& products = products_[{at.cta, at.warp}];
  if (order.op != ptx::WarpgroupOp::kWait) {
    products.group += order.op == ptx::WarpgroupOp::kCommit ? 1 : 0;
    return;
  }
  const EventNumber event = threads_.NewEvent();
  auto& started = products.started;
  started.erase(std::remove_if(started.begin(), started.end(),
                               [&](const auto& product) {
                                 if (products.group - product.second <= order.groups) {
                                   return false;
                                 }
                                 ForEachBit(at.lanes, [&](unsigned lane) {
                                   NoteWait(product.first, {ThreadOf(at, lane), event});
                                 });
                                 return true;
                               }),
                started.end());
}

void Transfers::NoteLaunchEnd(std::size_t launch, EventNumber event) {
  for (auto& [number, transfer] : all_) {
    if (world_.launch().IndexOfCta(transfer.at.cta) == launch) {
      transfer.waited.push_back({ThreadOf(transfer.at, First(transfer.at.lanes)), event});
    }
  }
}

Part Transfers::PartOf(std::uint64_t number, const Range& read) const {
  const std::vector<Range>& ranges = Of(number).matrix_a;
  const bool of_a = std::any_of(ranges.begin(), ranges.end(), [&](const Range& range) {
    return range.owner == read.owner && range.address == read.address && range.size == read.size;
  });
  return of_a ? Part::kMatrixA : Part::kReads;
}

bool Transfers::HasWaited(std::uint64_t number, const Clock& must, Part part) const {
  const std::vector<Waited>& waited = Of(number).waited;
  return std::any_of(waited.begin(), waited.end(), [&](const Waited& one) {
    return one.IsFor(part) && must.Knows(one.thread, one.event);
  });
}

// An event that comes after all arrivals comes after the end of the phase, whichever arrival is the
// last.
const Arrived* Transfers::Unknown(const std::vector<Arrived>& arrivals, const Place& at,
                                  const Clock& must) const {
  const auto unknown = std::find_if(arrivals.rbegin(), arrivals.rend(), [&](const Arrived& one) {
    const Place& its = one.side.at;
    const bool is_own = its.cta == at.cta && its.warp == at.warp;
    return one.side.transfer != 0 ? !HasWaited(one.side.transfer, must, Part::kAll)
                                  : !must.Knows(ThreadOf(its, 0), one.event,
                                                is_own ? its.lanes & ~at.lanes : its.lanes);
  });
  return unknown == arrivals.rend() ? nullptr : &*unknown;
}

}  // namespace muster::explore
