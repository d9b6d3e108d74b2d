// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/simt/async_copies.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "sim/isa/bits.h"

namespace muster::ptx {
namespace {

constexpr unsigned kBulkUnit = 16;        // bytes: sizes and addresses of bulk copies are multiples
constexpr std::uint32_t kLeastShare = 4;  // of the rest: a piece has a quarter or more
constexpr unsigned kWordBytes = 8;

// What .ignore_oob leaves in the bytes that it ignores: "indeterminate".
constexpr std::uint8_t kIndeterminate = 0xff;

// The bytes of each 16 that a mask has.
std::vector<Piece> Masked(const Piece& whole, std::uint32_t mask) {
  std::vector<Piece> pieces;
  for (std::uint32_t at = 0; at < whole.bytes; ++at) {
    if ((mask >> at % kBulkUnit & 1) == 0) {
      continue;
    }
    if (!pieces.empty() && pieces.back().at + pieces.back().bytes == at) {
      ++pieces.back().bytes;
    } else {
      pieces.push_back({whole.address + at, 1, at});
    }
  }
  return pieces;
}

std::uint64_t InWindow(Space space, std::uint64_t address) {
  return IsShared(space) ? address : ByteOf(address);
}

}  // namespace

// The shared memory that an address names, if it is there, as the transfer's target.
bool AsyncCopies::Locate(Warp* warp, unsigned lane, Space space, std::uint64_t address,
                         unsigned bytes, bool write, Transfer* transfer) {
  const bool shared = IsShared(space) || SegmentOf(address) == kSharedSegment;
  if (!shared || x_.space.Reach(warp, lane, space, address, bytes, write) == nullptr) {
    return false;
  }
  transfer->to = CtaAt(*warp, InWindow(space, address));
  transfer->target = {{SharedByte(address), bytes, 0}};
  return true;
}

// The mbarrier at an address: a word of the CTA that the copy goes to.
bool AsyncCopies::LocateMbarrier(Warp* warp, unsigned lane, Space space, std::uint64_t address,
                                 Transfer* transfer) {
  Transfer word;
  if (address % kWordBytes != 0 || !Locate(warp, lane, space, address, kWordBytes, false, &word) ||
      word.to != transfer->to) {
    return false;
  }
  transfer->mbarrier = static_cast<std::uint32_t>(word.target.front().address);
  return true;
}

void AsyncCopies::StartTransfer(Warp* warp, unsigned lane, const Instruction& instruction,
                                CopyGroups* groups, Transfer transfer) {
  transfer.lane = lane;
  if (x_.replay != nullptr) {
    const Cta* const to = transfer.to != nullptr ? transfer.to : warp->cta;
    transfer.pass = x_.replay->StartFor(lane, to->linear_id);
  }
  transfer.pc = static_cast<std::uint32_t>(&instruction - x_.program.code.data());
  transfer.line = instruction.line;
  transfer.issuer = warp->cta;
  transfer.warp = warp->slot;
  transfer.groups = groups;
  transfer.number = groups == nullptr                          ? 0
                    : transfer.kind == Transfer::Kind::kArrive ? groups->next()
                                                               : groups->Start();
  if (transfer.kind == Transfer::Kind::kTensor && !transfer.of_reads) {
    groups->Read(transfer.number);  // matrix A: there is none that it reads by itself
  }
  // The network keeps the order of st.async and red.async by itself.
  if (transfer.mbarrier && instruction.op != Op::kStoreAsync) {
    const auto sent = warp->sent.find({lane, HearerOf(transfer)});
    transfer.follows = sent == warp->sent.end() ? std::weak_ptr<const void>() : sent->second;
  }
  Cta* const engine_of = transfer.to != nullptr ? transfer.to : warp->cta;
  engine_of->engine->Post(std::move(transfer), x_.cycle);
}

StepEvent AsyncCopies::ExecuteAsync(Warp* warp, const Lanes& lanes, std::uint32_t frame) {
  StepEvent event = StepEvent::kNone;
  for (std::uint32_t rest = lanes.mask; rest != 0 && event == StepEvent::kNone; rest &= rest - 1) {
    const unsigned lane = First(rest);
    event = lanes.instruction.op == Op::kCopy     ? StartCopy(warp, lanes, lane)
            : lanes.instruction.op == Op::kBulk   ? StartBulk(warp, lanes, lane)
            : lanes.instruction.op == Op::kTensor ? StartTensor(warp, lanes, lane)
                                                  : StartStore(warp, lanes, frame, lane);
  }
  return event;
}

// cp.async: what is not read is zeroes.
StepEvent AsyncCopies::StartCopy(Warp* warp, const Lanes& lanes, unsigned lane) {
  const auto fault = [&](const std::string& what) {
    return x_.Fault(*warp, lane, lanes.instruction.line, what);
  };
  const auto& i = lanes.instruction.As<SmallCopy>();
  const std::uint64_t to = i.to.From(lanes.Read(i.to.base)[lane]);
  const std::uint64_t from = lanes.Read(i.from)[lane];
  const bool ignores = i.ignores != kNoSlot && (lanes.Read(i.ignores)[lane] != 0) != i.negated;
  const auto bytes = static_cast<std::uint32_t>(
      ignores ? 0 : std::min<std::uint64_t>(lanes.Read(i.read)[lane], i.bytes));
  Transfer transfer;
  if (to % i.bytes != 0 || !Locate(warp, lane, i.to.space, to, i.bytes, true, &transfer)) {
    return fault(x_.space.DescribeAccess(*warp, i.to.space, to, i.bytes, true));
  }
  if (from % i.bytes != 0 ||
      (bytes != 0 && x_.space.Reach(warp, lane, Space::kGlobal, from, bytes, false) == nullptr)) {
    return fault(x_.space.DescribeAccess(*warp, Space::kGlobal, from, i.bytes, false));
  }
  if (bytes != 0) {
    transfer.source = {{from, bytes, 0}};
  }
  transfer.data.resize(i.bytes);
  StartTransfer(warp, lane, lanes.instruction, &warp->copies[lane], std::move(transfer));
  return StepEvent::kNone;
}

// st.async and red.async: the values go as they are now.
StepEvent AsyncCopies::StartStore(Warp* warp, const Lanes& lanes, std::uint32_t frame,
                                  unsigned lane) {
  const auto fault = [&](const std::string& what) {
    return x_.Fault(*warp, lane, lanes.instruction.line, what);
  };
  const auto& i = lanes.instruction.As<AsyncStore>();
  const Space space = i.address.space;
  const unsigned bytes = Bytes(i.type);
  const unsigned size = bytes * i.count;
  const std::uint64_t to = i.address.From(lanes.Read(i.address.base)[lane]);
  Transfer transfer;
  const std::uint64_t mbarrier = i.mbarrier == kNoSlot ? 0 : lanes.Read(i.mbarrier)[lane];
  if (i.mbarrier == kNoSlot) {
    const std::uint64_t segment = SegmentOf(to);
    const bool global = segment == kGlobalSegment || segment >= kFirstBuffer;
    if (to % size != 0 || !global || x_.space.Reach(warp, lane, space, to, size, true) == nullptr) {
      return fault(x_.space.DescribeAccess(*warp, space, to, size, true));
    }
    transfer.target = {{to, size, 0}};
  } else if (to % size != 0 || !Locate(warp, lane, space, to, size, true, &transfer)) {
    return fault(x_.space.DescribeAccess(*warp, space, to, size, true));
  } else if (!LocateMbarrier(warp, lane, space, mbarrier, &transfer)) {
    return fault(fmt::format(
        "names an mbarrier at {:#x}, which is no word of the CTA that it stores to", mbarrier));
  }
  // "The CTA to which they belong is different from the CTA of the executing thread."
  if (transfer.to == warp->cta) {
    return x_.Misuse(
        *warp, lane, lanes.instruction.line, "async_to_own_cta",
        fmt::format("stores asynchronously to its own CTA, and to its mbarrier at {:#x}: "
                    "st.async and red.async are for another CTA of the cluster",
                    *transfer.mbarrier));
  }
  transfer.data.resize(size);
  for (unsigned k = 0; k < i.count; ++k) {
    const std::uint64_t value = lanes.Read(i.values[k])[lane];
    std::memcpy(&transfer.data[std::size_t{k} * bytes], &value, bytes);
  }
  for (unsigned k = 0; k < i.count && x_.tracks_unknown; ++k) {
    transfer.unknown.Set(std::uint64_t{k} * bytes, bytes,
                         UnknownIn(*warp, frame, {i.values[k]}, 1U << lane, nullptr));
  }
  transfer.has_read = true;
  if (i.reduction) {
    transfer.kind = Transfer::Kind::kReduce;
    transfer.atomic = *i.reduction;
    transfer.type = i.type;
  }
  StartTransfer(warp, lane, lanes.instruction, nullptr, std::move(transfer));
  return StepEvent::kNone;
}

// cp.async.bulk and cp.reduce.async.bulk: in pieces, each with a complete_tx of its own.
StepEvent AsyncCopies::StartBulk(Warp* warp, const Lanes& lanes, unsigned lane) {
  const auto fault = [&](const std::string& what) {
    return x_.Fault(*warp, lane, lanes.instruction.line, what);
  };
  const auto& i = lanes.instruction.As<BulkCopy>();
  const std::uint64_t to = lanes.Read(i.to)[lane];
  const std::uint64_t from = lanes.Read(i.from)[lane];
  const std::uint64_t size = lanes.Read(i.size)[lane];
  const bool out = i.space == Space::kGlobal;
  for (const std::uint64_t number : {to, from, size}) {
    if (number % kBulkUnit != 0) {
      return fault(
          fmt::format("copies {} bytes from {:#x} to {:#x}: size and addresses must be "
                      "multiples of {}",
                      size, from, to, kBulkUnit));
    }
  }
  const auto bytes = static_cast<unsigned>(size);
  const Space source_space = i.from_shared ? Space::kShared : Space::kGlobal;
  const auto ignored = [&](Slot slot) { return slot == kNoSlot ? 0 : lanes.Read(slot)[lane]; };
  const std::uint64_t left = ignored(i.ignore_left);
  const std::uint64_t right = ignored(i.ignore_right);
  if (left >= kBulkUnit || right >= kBulkUnit) {
    return fault(fmt::format("ignores {} and {} bytes of a copy's ends: 15 at most", left, right));
  }
  const unsigned read = left + right < bytes ? bytes - static_cast<unsigned>(left + right) : 0;
  Transfer whole;
  if (x_.space.Reach(warp, lane, source_space, from + left, read, false) == nullptr && bytes != 0) {
    return fault(x_.space.DescribeReach(*warp, source_space, from + left, read, false));
  }
  const std::vector<std::uint64_t> places =
      i.multimem ? x_.memory->PlacesOf(to, bytes) : std::vector<std::uint64_t>{to};
  if (places.empty()) {
    return fault(
        fmt::format("copies {} bytes to {:#x}, which are in no multicast object", bytes, to));
  }
  if (out ? !i.multimem && x_.space.Reach(warp, lane, i.space, to, bytes, true) == nullptr
          : !Locate(warp, lane, i.space, to, bytes, true, &whole)) {
    return fault(x_.space.DescribeReach(*warp, i.space, to, bytes, true));
  }
  if (!out && !LocateMbarrier(warp, lane, i.space, lanes.Read(i.mbarrier)[lane], &whole)) {
    return fault(
        fmt::format("names an mbarrier at {:#x}, which is no word of the CTA that it copies to",
                    lanes.Read(i.mbarrier)[lane]));
  }
  whole.source = {
      {(i.from_shared ? SharedByte(from) : from) + left, read, static_cast<std::uint32_t>(left)}};
  whole.from = i.from_shared ? warp->cta : nullptr;
  whole.validity = i.validity;
  whole.data.assign(bytes, kIndeterminate);
  std::optional<std::uint32_t> bytes_of_16;
  if (i.byte_mask != kNoSlot) {
    bytes_of_16 = static_cast<std::uint32_t>(lanes.Read(i.byte_mask)[lane]);
    whole.source = Masked(whole.source.front(), *bytes_of_16);
  }
  if (i.reduction) {
    whole.kind = Transfer::Kind::kReduce;
    whole.atomic = i.reduction->op;
    whole.type = i.reduction->type;
  }
  const std::optional<std::uint64_t> mask = TargetsOf(*warp, lanes, lane, i.ctas, whole);
  if (!mask) {
    return StepEvent::kFault;
  }
  for (const std::uint64_t place : places) {
    if (out) {
      const Piece target{place, bytes, 0};
      whole.target = bytes_of_16 ? Masked(target, *bytes_of_16) : std::vector<Piece>{target};
    }
    StartInParts(warp, lane, lanes.instruction, whole, *mask);
  }
  return StepEvent::kNone;
}

std::optional<std::uint64_t> AsyncCopies::TargetsOf(const Warp& warp, const Lanes& lanes,
                                                    unsigned lane, Slot ctas,
                                                    const Transfer& whole) {
  const std::vector<Cta*>& all = warp.cta->cluster->ctas;
  const std::uint64_t mask = ctas != kNoSlot       ? lanes.Read(ctas)[lane]
                             : whole.to == nullptr ? 0
                                                   : 1ULL << whole.to->rank;
  if (mask >> all.size() != 0) {
    x_.Fault(warp, lane, lanes.instruction.line,
             fmt::format("copies to the CTAs {:#x} of a cluster of {}", mask, all.size()));
    return std::nullopt;
  }
  for (std::uint64_t rest = mask; rest != 0; rest &= rest - 1) {
    if (all[First(rest)]->exited) {
      x_.Fault(
          warp, lane, lanes.instruction.line,
          fmt::format("copies to shared memory of the CTA with rank {} of the cluster, which has "
                      "exited",
                      First(rest)));
      return std::nullopt;
    }
  }
  return mask;
}

// Starts a bulk copy in pieces, each of which completes its own bytes, to shared memory of the
// CTAs of a mask, or to global memory.
void AsyncCopies::StartInParts(Warp* warp, unsigned lane, const Instruction& instruction,
                               const Transfer& whole, std::uint64_t mask) {
  const auto size = static_cast<std::uint32_t>(whole.data.size());
  const std::vector<Cta*>& ctas = warp->cta->cluster->ctas;
  for (std::uint32_t done = 0; done != size;) {
    const std::uint32_t units = (size - done) / kBulkUnit;
    const std::uint32_t bytes = x_.whole_copies
                                    ? size
                                    : kBulkUnit * std::max(1 + x_.random.Below(units),
                                                           (units + kLeastShare - 1) / kLeastShare);
    const Transfer part = PartOf(whole, done, bytes);
    if (whole.to == nullptr) {
      StartTransfer(warp, lane, instruction, &warp->bulk_copies[lane], part);
    }
    ForEachBit(mask, [&](unsigned rank) {
      Transfer transfer = part;
      transfer.to = ctas[rank];
      StartTransfer(warp, lane, instruction, nullptr, std::move(transfer));
    });
    done += bytes;
  }
}

// Returns false while a lane has to wait.
bool AsyncCopies::ExecuteCopyGroup(Warp* warp, const Lanes& lanes) {
  const auto& i = lanes.instruction.As<CopyGroup>();
  auto& copies = i.bulk ? warp->bulk_copies : warp->copies;
  bool done = true;
  lanes.ForEach([&](unsigned lane) {
    if (i.op == CopyGroupOp::kCommit) {
      copies[lane].Commit();
    } else if (i.op == CopyGroupOp::kWaitAll) {
      done = done && copies[lane].AllDone();
    } else {
      const auto groups = static_cast<std::uint32_t>(lanes.Read(i.groups)[lane]);
      done = done && copies[lane].Done(groups, i.op == CopyGroupOp::kWaitRead);
    }
  });
  return done;
}

}  // namespace muster::ptx
