// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// What copies find late, and what they leave.
#include <algorithm>
#include <cstring>

#include "sim/ptx/runtime/late_accesses.h"
#include "sim/ptx/simt/fence_sink.h"

namespace muster::ptx {

// cp.async is of the generic proxy; what comes of an instruction that is not there is a response.
bool LateAccesses::IsOfAsyncProxy(const Transfer& transfer) const {
  return transfer.kind != Transfer::Kind::kArrive && program_.code[transfer.pc].op != Op::kCopy;
}

void LateAccesses::Start(Transfer* transfer) {
  const Op op = program_.code[transfer->pc].op;
  const bool moves =
      transfer->kind == Transfer::Kind::kMove || transfer->kind == Transfer::Kind::kReduce;
  if (moves && (op == Op::kBulk || op == Op::kTensor)) {
    transfer->outstanding = transfer->issuer->fences->Hold(
        transfer->warp,
        SetOf(AccessClass::kAsync) | (transfer->map ? SetOf(AccessClass::kMap) : 0));
  }
}

std::uint8_t* LateAccesses::Find(Cta* cta, std::uint64_t address, std::uint64_t bytes) {
  if (cta == nullptr) {
    return memory_.Find(address, bytes, false);
  }
  return address + bytes <= cta->shared.size() ? &cta->shared[address] : nullptr;
}

// Calls f(at, then, bytes) for those parts of a piece that the transfer need not find as they are:
// what was there before stores of which it need not know.
template <typename F>
void LateAccesses::ForEachHidden(const Transfer& transfer, Cta* cta, const Piece& piece, F f) {
  constexpr unsigned kBlock = golden::Visibility::kBlock;
  const Thread thread = ThreadOf(*transfer.issuer, transfer.warp, transfer.lane);
  const std::uint64_t memory = cta == nullptr ? 0 : cta->linear_id + 1;
  const std::uint64_t end = piece.address + piece.bytes;
  for (std::uint64_t at = piece.address; at < end;) {
    const std::uint64_t next = std::min(end, (at / kBlock + 1) * kBlock);
    const auto bytes = static_cast<unsigned>(next - at);
    const Place place{memory, at};
    std::uint8_t* const now = model_.MayHide(place) ? Find(cta, at, bytes) : nullptr;
    if (now != nullptr) {
      const auto points = model_.ProxyPoints(thread, place, now, bytes);
      const auto before = static_cast<std::uint32_t>(points.size() - 1);
      if (before != 0 && MissesWhatIsThere()) {
        std::vector<std::uint8_t> then(bytes);
        model_.BytesAt(points[random_.Below(before)], place, now, bytes, then.data());
        f(now, then, bytes);
        Note(transfer.line, model_.TagOf(points.back()), *transfer.issuer);
      }
    }
    at = next;
  }
}

void LateAccesses::BeginRead(const Transfer& transfer) {
  if (!IsOfAsyncProxy(transfer)) {
    return;
  }
  const auto hide = [&](std::uint8_t* now, const std::vector<std::uint8_t>& then, unsigned bytes) {
    kept_.push_back({now, {now, now + bytes}});
    std::memcpy(now, then.data(), bytes);
  };
  const bool of_matrices =
      transfer.kind == Transfer::Kind::kProduct || transfer.kind == Transfer::Kind::kTensor;
  if (of_matrices) {
    Cta* const cta = transfer.from != nullptr ? transfer.from : transfer.issuer;
    ForEachHidden(transfer, cta, {0, static_cast<std::uint32_t>(cta->shared.size()), 0}, hide);
    return;
  }
  for (const Piece& piece : transfer.source) {
    ForEachHidden(transfer, transfer.from, piece, hide);
  }
}

void LateAccesses::Restore() {
  for (const Kept& kept : kept_) {
    std::memcpy(kept.at, kept.bytes.data(), kept.bytes.size());
  }
  kept_.clear();
}

// A store that nothing orders before the copy may come after it: then its bytes stay.
void LateAccesses::BeginWrite(const Transfer& transfer) {
  if (transfer.kind != Transfer::Kind::kMove || !IsOfAsyncProxy(transfer)) {
    return;
  }
  for (const Piece& piece : transfer.target) {
    ForEachHidden(transfer, transfer.to, piece,
                  [&](std::uint8_t* now, const std::vector<std::uint8_t>& then, unsigned bytes) {
                    for (unsigned k = 0; k < bytes; ++k) {
                      if (now[k] != then[k]) {
                        kept_.push_back({now + k, {now[k]}});
                      }
                    }
                  });
  }
}

void LateAccesses::EndWrite(const Transfer& transfer, bool written) {
  Restore();
  for (std::size_t k = 0; written && k < transfer.target.size(); ++k) {
    const Piece& piece = transfer.target[k];
    model_.Settle({transfer.to == nullptr ? 0 : transfer.to->linear_id + 1, piece.address},
                  piece.bytes);
  }
}

}  // namespace muster::ptx
