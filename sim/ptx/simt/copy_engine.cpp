// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/simt/copy_engine.h"

#include <algorithm>
#include <utility>

#include "sim/ptx/simt/mbarriers.h"
#include "sim/ptx/simt/tensor_operation.h"
#include "sim/ptx/simt/warp.h"

namespace muster::ptx {
namespace {

constexpr std::uint32_t kMaxLatency = 96;  // cycles, of a copy's read or write

}  // namespace

void CopyEngine::Post(Transfer transfer, std::uint64_t cycle) {
  transfer.launch = transfer.issuer->launch;
  transfer.port = transfer.issuer->port;
  transfer.issued = transfer.port == nullptr ? 0 : transfer.port->Issued(transfer.warp);
  if (late_ != nullptr) {
    late_->Start(&transfer);
  }
  transfers_.emplace(cycle + 1 + random_.Below(kMaxLatency), std::move(transfer));
}

bool CopyEngine::HasOf(const Launch& launch) const {
  return std::any_of(transfers_.begin(), transfers_.end(),
                     [&](const auto& one) { return one.second.launch == &launch; });
}

bool CopyEngine::Step(std::uint64_t cycle) {
  changed_ = false;
  const auto end = transfers_.upper_bound(cycle);
  for (auto next = transfers_.begin(); next != end;) {
    const std::uint64_t due = Advance(&next->second, cycle);
    if (due > cycle) {
      transfers_.emplace(due, std::move(next->second));
    }
    next = due == cycle ? std::next(next) : transfers_.erase(next);
  }
  return changed_;
}

// What comes to shared memory is read and written at one time, what goes to global memory at two.
// In `cycle` itself: as soon as it can.
std::uint64_t CopyEngine::Advance(Transfer* transfer, std::uint64_t cycle) {
  switch (transfer->kind) {
    case Transfer::Kind::kArrive:
      if (!IsNext(*transfer) || !MayPerform(*transfer)) {
        return cycle;
      }
      Complete(*transfer);
      return 0;
    case Transfer::Kind::kTensor:
      if (ReadsApart(*transfer)) {
        if (!MayRead(*transfer)) {
          return cycle;
        }
        Reading(*transfer, [&] { transfer->tensor->ReadA(); });
        transfer->has_read = true;
        transfer->groups->Read(transfer->number);
        if (replay_ != nullptr) {
          replay_->Read(transfer->pass);
        }
        return cycle + 1 + random_.Below(kMaxLatency);
      }
      if (!IsNext(*transfer) || !MayPerform(*transfer)) {
        return cycle;
      }
      Reading(*transfer, [&] { transfer->tensor->Perform(); });
      changed_ = true;
      transfer->groups->End(transfer->number);
      Complete(*transfer);
      return 0;
    case Transfer::Kind::kProduct:
      if (!transfer->groups->DoneBefore(transfer->number) || !MayRead(*transfer)) {
        return cycle;
      }
      Reading(*transfer, [&] { transfer->product.Perform(transfer->from->shared); });
      transfer->groups->End(transfer->number);
      if (replay_ != nullptr) {
        replay_->Read(transfer->pass);
      }
      return 0;
    default:
      break;
  }
  if (!transfer->has_read) {
    if (!MayRead(*transfer)) {
      return cycle;
    }
    Reading(*transfer, [&] { ReadSource(&memory_, transfer); });
    if (replay_ != nullptr) {
      replay_->Read(transfer->pass);
    }
    if (transfer->to == nullptr) {
      if (transfer->groups != nullptr) {
        transfer->groups->Read(transfer->number);
      }
      return cycle + 1 + random_.Below(kMaxLatency);
    }
  }
  if (!MayPerform(*transfer)) {
    return cycle;
  }
  if (network_ && network_(*transfer)) {
    return 0;
  }
  if (!Write(*transfer)) {
    return cycle;
  }
  changed_ = true;
  if (transfer->groups != nullptr) {
    transfer->groups->End(transfer->number);
  }
  Complete(*transfer);
  return 0;
}

template <typename F>
void CopyEngine::Reading(const Transfer& transfer, F read) {
  if (late_ == nullptr) {
    read();
    return;
  }
  late_->BeginRead(transfer);
  read();
  late_->EndRead();
}

bool CopyEngine::Write(const Transfer& transfer) {
  if (late_ == nullptr) {
    return WriteTarget(&memory_, transfer);
  }
  late_->BeginWrite(transfer);
  const bool written = WriteTarget(&memory_, transfer);
  late_->EndWrite(transfer, written);
  return written;
}

void CopyEngine::Complete(const Transfer& transfer) {
  if (transfer.mbarrier) {
    if (transfer.reports) {
      HearerOf(transfer)->port->PostAsync(ReportOf(transfer));
    }
    HearerOf(transfer)->port->PostAsync(CompletionOf(transfer));
  } else if (replay_ != nullptr) {
    replay_->Perform(transfer.pass, 1);
  }
}

bool CopyEngine::MayPerform(const Transfer& transfer) const {
  return IsAfterItsThread(transfer) && (replay_ == nullptr || replay_->MayPerform(transfer.pass));
}

// An asynchronous operation comes after what its thread has done before: an mbarrier hears of its
// bytes after the thread's arrivals there.
bool CopyEngine::IsAfterItsThread(const Transfer& transfer) {
  return transfer.follows.expired() &&
         (transfer.port == nullptr || transfer.port->Performed(transfer.warp) >= transfer.issued);
}

// What is read and written at one time is not read before it may be written, unless the schedule
// says when it is read.
bool CopyEngine::MayRead(const Transfer& transfer) const {
  return replay_ == nullptr || (replay_->MayRead(transfer.pass) &&
                                (transfer.to == nullptr || ReadsApart(transfer) ||
                                 replay_->ReadsApart(transfer.pass) || MayPerform(transfer)));
}

bool CopyEngine::Moves() const {
  return std::any_of(transfers_.begin(), transfers_.end(), [this](const auto& entry) {
    const Transfer& transfer = entry.second;
    if (replay_ == nullptr) {
      return true;
    }
    const bool follows =
        transfer.kind == Transfer::Kind::kArrive || transfer.kind == Transfer::Kind::kTensor;
    const bool multiplies = transfer.kind == Transfer::Kind::kProduct;
    if (ReadsApart(transfer)) {
      return MayRead(transfer);
    }
    return follows             ? IsNext(transfer) && MayPerform(transfer)
           : multiplies        ? transfer.groups->DoneBefore(transfer.number) && MayRead(transfer)
           : transfer.has_read ? MayPerform(transfer)
                               : MayRead(transfer);
  });
}

std::optional<Transfer> CopyEngine::Abandon(const Cta* cta) {
  std::optional<Transfer> of_another;
  for (auto entry = transfers_.begin(); entry != transfers_.end();) {
    Transfer& transfer = entry->second;
    const Loss loss = AbandonWith(*cta, &transfer);
    if (!of_another && loss == Loss::kOfAnother) {
      of_another = transfer;
    }
    entry = loss != Loss::kNone ? transfers_.erase(entry) : std::next(entry);
  }
  return of_another;
}

}  // namespace muster::ptx
