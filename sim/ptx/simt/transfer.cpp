// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/simt/transfer.h"

#include <algorithm>
#include <cstring>

#include "sim/ptx/alu/compute.h"
#include "sim/ptx/simt/mbarriers.h"
#include "sim/ptx/simt/tensor_operation.h"
#include "sim/ptx/simt/warp.h"

namespace muster::ptx {

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

void ReadSource(Memory* memory, Transfer* transfer) {
  const std::uint8_t* const from =
      transfer->from != nullptr ? &transfer->from->shared[transfer->source]
      : transfer->bytes == 0    ? nullptr
                                : memory->Find(transfer->source, transfer->bytes, false);
  transfer->data.assign(std::size_t{transfer->bytes} + transfer->zeroes, 0);
  if (from != nullptr && transfer->bytes != 0) {
    std::memcpy(transfer->data.data(), from, transfer->bytes);
  }
  transfer->has_read = true;
}

bool WriteTarget(Memory* memory, const Transfer& transfer) {
  const auto size = static_cast<unsigned>(transfer.data.size());
  MbarrierSink* const port = transfer.to == nullptr ? nullptr : transfer.to->port;
  if (port != nullptr && !port->MayStore(transfer.to->slot, transfer.address, size)) {
    return false;
  }
  std::uint8_t* const at = transfer.to != nullptr ? &transfer.to->shared[transfer.address]
                                                  : memory->Find(transfer.address, size, true);
  if (at == nullptr) {
    return true;
  }
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

Loss AbandonWith(const Cta& cta, Transfer* transfer) {
  if (transfer->issuer == &cta) {
    transfer->groups = nullptr;
  }
  const bool lost = transfer->to == &cta || (transfer->from == &cta && !transfer->has_read) ||
                    (transfer->tensor != nullptr && transfer->tensor->Touches(&cta));
  return !lost ? Loss::kNone : transfer->issuer != &cta ? Loss::kOfAnother : Loss::kOwn;
}

MbOperation CompletionOf(const Transfer& transfer) {
  const bool arrives = transfer.kind == Transfer::Kind::kArrive;
  MbOperation operation;
  operation.op = arrives ? MbOp::kArrive : MbOp::kCompleteTx;
  operation.source = MbSource::kAsync;
  operation.tag = transfer.line;
  operation.pass = transfer.pass;
  operation.cta = static_cast<std::uint8_t>(transfer.to->slot);
  operation.lanes = 1;
  operation.addr = *transfer.mbarrier;
  operation.operand = arrives ? 1 : static_cast<std::uint32_t>(transfer.data.size());
  return operation;
}

}  // namespace muster::ptx
