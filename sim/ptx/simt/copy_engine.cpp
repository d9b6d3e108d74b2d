// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/simt/copy_engine.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "sim/ptx/alu/compute.h"
#include "sim/ptx/simt/mbarriers.h"
#include "sim/ptx/simt/warp.h"

namespace muster::ptx {
namespace {

constexpr std::uint32_t kMaxLatency = 96;  // cycles, of a copy's read or write

}  // namespace

void CopyGroups::Read(std::uint32_t number) {
  for (Copy& copy : outstanding_) {
    copy.read = copy.read || copy.number == number;
  }
}

void CopyGroups::End(std::uint32_t number) {
  outstanding_.erase(std::remove_if(outstanding_.begin(), outstanding_.end(),
                                    [&](const Copy& copy) { return copy.number == number; }),
                     outstanding_.end());
}

// A copy that no group has been made of yet is not waited for.
bool CopyGroups::Done(std::uint32_t groups, bool read) const {
  return std::all_of(outstanding_.begin(), outstanding_.end(), [&](const Copy& copy) {
    return (read && copy.read) || group_ - copy.group <= groups;
  });
}

bool CopyGroups::DoneBefore(std::uint32_t number) const {
  return std::all_of(outstanding_.begin(), outstanding_.end(),
                     [&](const Copy& copy) { return copy.number >= number; });
}

void CopyEngine::Post(Transfer transfer, std::uint64_t cycle) {
  transfers_.emplace(cycle + 1 + random_.Below(kMaxLatency), std::move(transfer));
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
      if (!transfer->groups->DoneBefore(transfer->number)) {
        return cycle;
      }
      Complete(*transfer);
      return 0;
    default:
      break;
  }
  if (!transfer->has_read) {
    transfer->has_read = Read(transfer);
    if (transfer->to == nullptr) {
      if (transfer->groups != nullptr) {
        transfer->groups->Read(transfer->number);
      }
      return cycle + 1 + random_.Below(kMaxLatency);
    }
  }
  if (!Write(*transfer)) {
    return cycle;
  }
  if (transfer->groups != nullptr) {
    transfer->groups->End(transfer->number);
  }
  Complete(*transfer);
  return 0;
}

// Where it was found when it was started: only a buffer that has been freed is not there any more.
bool CopyEngine::Read(Transfer* transfer) {
  const std::uint8_t* const from =
      transfer->from != nullptr ? &transfer->from->shared[transfer->source]
      : transfer->bytes == 0    ? nullptr
                                : memory_.Find(transfer->source, transfer->bytes, false);
  transfer->data.assign(std::size_t{transfer->bytes} + transfer->zeroes, 0);
  if (from != nullptr && transfer->bytes != 0) {
    std::memcpy(transfer->data.data(), from, transfer->bytes);
  }
  return true;
}

// Returns false while the unit holds one of the words.
bool CopyEngine::Write(const Transfer& transfer) {
  const auto size = static_cast<unsigned>(transfer.data.size());
  MbarrierSink* const port = transfer.to == nullptr ? nullptr : transfer.to->port;
  if (port != nullptr && !port->MayStore(transfer.to->slot, transfer.address, size)) {
    return false;
  }
  std::uint8_t* const at = transfer.to != nullptr ? &transfer.to->shared[transfer.address]
                                                  : memory_.Find(transfer.address, size, true);
  if (at == nullptr) {
    return true;
  }
  changed_ = true;
  if (transfer.kind == Transfer::Kind::kMove) {
    std::memcpy(at, transfer.data.data(), size);
  } else {
    const unsigned bytes = Bytes(transfer.type);
    for (unsigned k = 0; k < size; k += bytes) {
      std::uint64_t value = 0;
      std::memcpy(&value, &transfer.data[k], bytes);
      SwapInMemory(at + k, transfer.type, transfer.atomic, value, 0, transfer.to == nullptr);
    }
  }
  if (port != nullptr) {
    port->Stored(transfer.warp, transfer.to->slot, transfer.address, size, transfer.line);
  }
  return true;
}

void CopyEngine::Complete(const Transfer& transfer) {
  if (!transfer.mbarrier) {
    return;
  }
  const bool arrives = transfer.kind == Transfer::Kind::kArrive;
  MbOperation operation;
  operation.op = arrives ? MbOp::kArrive : MbOp::kCompleteTx;
  operation.source = MbSource::kAsync;
  operation.tag = transfer.line;
  operation.cta = static_cast<std::uint8_t>(transfer.to->slot);
  operation.lanes = 1;
  operation.addr = *transfer.mbarrier;
  operation.operand = arrives ? 1 : static_cast<std::uint32_t>(transfer.data.size());
  transfer.to->port->PostAsync(operation);
}

std::optional<Transfer> CopyEngine::Abandon(const Cta* cta) {
  std::optional<Transfer> of_another;
  for (auto entry = transfers_.begin(); entry != transfers_.end();) {
    Transfer& transfer = entry->second;
    const bool lost = transfer.to == cta || (transfer.from == cta && !transfer.has_read);
    if (!of_another && transfer.to == cta && transfer.issuer != cta) {
      of_another = transfer;
    }
    if (transfer.issuer == cta) {
      transfer.groups = nullptr;
    }
    entry = lost ? transfers_.erase(entry) : std::next(entry);
  }
  return of_another;
}

}  // namespace muster::ptx
