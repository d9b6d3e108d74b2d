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

bool CopyGroups::ReadBefore(std::uint32_t number) const {
  return std::all_of(outstanding_.begin(), outstanding_.end(),
                     [&](const Copy& copy) { return copy.read || copy.number >= number; });
}

std::vector<Piece> Merged(std::vector<Piece> pieces) {
  std::sort(pieces.begin(), pieces.end(),
            [](const Piece& a, const Piece& b) { return a.address < b.address; });
  std::vector<Piece> merged;
  for (const Piece& piece : pieces) {
    if (!merged.empty() && merged.back().address + merged.back().bytes == piece.address) {
      merged.back().bytes += piece.bytes;
    } else {
      merged.push_back(piece);
    }
  }
  return merged;
}

Transfer PartOf(const Transfer& whole, std::uint32_t from, std::uint32_t bytes) {
  const auto cut = [&](const std::vector<Piece>& pieces) {
    std::vector<Piece> part;
    for (const Piece& piece : pieces) {
      const std::uint32_t first = std::max(piece.at, from);
      const std::uint32_t end = std::min(piece.at + piece.bytes, from + bytes);
      if (first < end) {
        part.push_back({piece.address + (first - piece.at), end - first, first - from});
      }
    }
    return part;
  };
  Transfer part = whole;
  part.target = cut(whole.target);
  part.source = cut(whole.source);
  part.data.assign(whole.data.begin() + from, whole.data.begin() + from + bytes);
  part.unknown.Copy(0, whole.unknown, from, bytes);
  return part;
}

namespace {

// To nearest even with ten bits behind the point, subnormal numbers too.
void RoundToTF32(std::uint8_t* data, std::uint32_t bytes) {
  constexpr std::uint32_t kInfinity = 0x7f800000;
  constexpr std::uint32_t kNan = 0x7fffe000;
  constexpr unsigned kDropped = 13;  // bits
  for (std::uint32_t k = 0; k < bytes; k += sizeof(std::uint32_t)) {
    std::uint32_t word = 0;
    std::memcpy(&word, data + k, sizeof word);
    if ((word & 0x7fffffff) > kInfinity) {
      word = kNan;
    } else {
      word += (1U << (kDropped - 1)) - 1 + (word >> kDropped & 1);
      word &= ~std::uint32_t{0} << kDropped;
    }
    std::memcpy(data + k, &word, sizeof word);
  }
}

// Whether the element at `data` is what the transfer looks for. Elements are little-endian, and the
// first of two in a byte is the lower one.
bool IsSought(Validity validity, const std::uint8_t* data) {
  std::uint32_t element = 0;
  switch (validity) {
    case Validity::kF32:
      std::memcpy(&element, data, 4);
      return element == 0x80000000;
    case Validity::kF16:
      std::memcpy(&element, data, 2);
      return element == 0x8000;
    case Validity::kF8:
      return *data == 0x80;
    case Validity::kF4:
      return (*data & 0xfU) == 0x8;
    case Validity::kEachFf:
      return *data == 0xff;
    case Validity::kDisabled:
      break;
  }
  return false;
}

// PTX ISA 9.4, 9.7.10.28.1.3: of each 16 bytes one element is looked at, and the text leaves open
// which: it is the first. Or each byte is. A piece begins where 16 bytes of the target do.
bool Finds(Validity validity, const std::uint8_t* data, std::uint32_t bytes) {
  const std::uint32_t step = validity == Validity::kEachFf ? 1 : 16;
  for (std::uint32_t k = 0; k < bytes; k += step) {
    if (IsSought(validity, data + k)) {
      return true;
    }
  }
  return false;
}

}  // namespace

void ReadSource(Memory* memory, Transfer* transfer) {
  for (const Piece& piece : transfer->source) {
    const std::uint8_t* const from = transfer->from != nullptr
                                         ? &transfer->from->shared[piece.address]
                                         : memory->Find(piece.address, piece.bytes, false);
    if (from != nullptr) {
      std::memcpy(&transfer->data[piece.at], from, piece.bytes);
      if (transfer->validity != Validity::kDisabled &&
          Finds(transfer->validity, from, piece.bytes)) {
        transfer->reports = true;
      }
      if (transfer->rounds_to_tf32) {
        RoundToTF32(&transfer->data[piece.at], piece.bytes);
      }
      transfer->unknown.Copy(
          piece.at, transfer->from != nullptr ? transfer->from->unknown : memory->unknown(),
          piece.address, piece.bytes);
    }
  }
  transfer->has_read = true;
}

void SpreadUnknown(const Transfer& transfer, UnknownBytes* unknown) {
  for (const Piece& piece : transfer.target) {
    if (transfer.kind == Transfer::Kind::kMove) {
      unknown->Copy(piece.address, transfer.unknown, piece.at, piece.bytes);
      continue;
    }
    const unsigned bytes = Bytes(transfer.type);
    for (unsigned k = 0; k < piece.bytes; k += bytes) {
      if (const Origin origin = transfer.unknown.Find(piece.at + k, bytes); origin != 0) {
        unknown->Set(piece.address + k, bytes, origin);
      }
    }
  }
}

bool WriteTarget(Memory* memory, const Transfer& transfer) {
  MbarrierSink* const port = transfer.to == nullptr ? nullptr : transfer.to->port;
  if (port != nullptr &&
      !std::all_of(transfer.target.begin(), transfer.target.end(), [&](const Piece& piece) {
        return port->MayStore(transfer.to->slot, piece.address, piece.bytes);
      })) {
    return false;
  }
  AtomicSink* const atomics = transfer.to == nullptr ? nullptr : transfer.to->atomics;
  if (atomics != nullptr && atomics->HoldsAny() &&
      !std::all_of(transfer.target.begin(), transfer.target.end(), [&](const Piece& piece) {
        return atomics->MayStore(transfer.to->slot, piece.address, piece.bytes);
      })) {
    return false;
  }
  for (const Piece& piece : transfer.target) {
    std::uint8_t* const at = transfer.to != nullptr
                                 ? &transfer.to->shared[piece.address]
                                 : memory->Find(piece.address, piece.bytes, true);
    if (at == nullptr) {
      continue;
    }
    const std::uint8_t* const data = &transfer.data[piece.at];
    if (transfer.kind == Transfer::Kind::kMove) {
      std::memcpy(at, data, piece.bytes);
    } else {
      const unsigned bytes = Bytes(transfer.type);
      for (unsigned k = 0; k < piece.bytes; k += bytes) {
        std::uint64_t value = 0;
        std::memcpy(&value, data + k, bytes);
        // Not as atomics in global memory do: a bulk reduction keeps subnormal numbers.
        SwapInMemory(at + k, transfer.type, transfer.atomic, value, 0, false);
      }
    }
    if (port != nullptr) {
      port->Stored(transfer.warp, transfer.to->slot, piece.address, piece.bytes, transfer.line);
    }
  }
  SpreadUnknown(transfer, transfer.to != nullptr ? &transfer.to->unknown : &memory->unknown());
  return true;
}

Loss AbandonWith(const Cta& cta, Transfer* transfer) {
  if (transfer->issuer == &cta) {
    transfer->groups = nullptr;
  }
  const bool lost = GoesTo(cta, *transfer) || (transfer->from == &cta && !transfer->has_read) ||
                    (transfer->tensor != nullptr && transfer->tensor->Touches(&cta));
  return !lost ? Loss::kNone : transfer->issuer != &cta ? Loss::kOfAnother : Loss::kOwn;
}

// "Report value is altered in an idempotent way (atomically OR'ed with 0)".
MbOperation ReportOf(const Transfer& transfer) {
  MbOperation operation = CompletionOf(transfer);
  operation.op = MbOp::kReportOn;
  operation.pass = 0;  // a schedule counts the bytes alone
  operation.operand = 0;
  return operation;
}

MbOperation CompletionOf(const Transfer& transfer) {
  const bool arrives = transfer.kind == Transfer::Kind::kArrive;
  MbOperation operation;
  operation.op = arrives ? MbOp::kArrive : MbOp::kCompleteTx;
  operation.source = MbSource::kAsync;
  operation.tag = transfer.line;
  operation.pass = transfer.pass;
  operation.cta = static_cast<std::uint8_t>(HearerOf(transfer)->slot);
  operation.lanes = 1;
  operation.addr = *transfer.mbarrier;
  operation.operand = arrives ? 1 : static_cast<std::uint32_t>(transfer.data.size());
  return operation;
}

}  // namespace muster::ptx
