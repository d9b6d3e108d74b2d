// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/runtime/late_accesses.h"

#include <algorithm>
#include <cstring>

#include "sim/isa/bits.h"
#include "sim/ptx/program/address.h"
#include "sim/ptx/program/op_class.h"
#include "sim/ptx/program/registers.h"
#include "sim/ptx/simt/address_space.h"

namespace muster::ptx {
namespace {

using Reaches = golden::Visibility::Reach;

constexpr std::uint64_t kWindow = 2048;  // cycles for which a store may be on its way
constexpr std::uint32_t kLongestLoad = 128;
constexpr std::uint32_t kOneBeginsIn = 16;  // the first warp of a slot waits for so many steps
// Knobs, which the seed draws for the whole run: one in so many loads is performed late, if it may
// be; and so many in eight see what is there now, if they need not.
constexpr std::uint32_t kMostLateLoads = 4;
constexpr std::uint32_t kFreshOf = 8;

Reaches ReachOf(Scope scope) {
  return scope == Scope::kCta       ? Reaches::kCta
         : scope == Scope::kCluster ? Reaches::kCluster
                                    : Reaches::kAll;
}

}  // namespace

LateAccesses::LateAccesses(const Program& program, Memory* memory, std::uint64_t seed)
    : program_(program),
      memory_(*memory),
      random_(seed),
      one_late_in_(1 + random_.Below(kMostLateLoads)),
      fresh_(1 + random_.Below(kFreshOf - 1)),
      model_(kWindow),
      touched_(program.code.size()) {}

// A slot has one warp of a CTA after the other; of one CTA it has one.
LateAccesses::Thread LateAccesses::ThreadOf(const Cta& cta, unsigned warp, unsigned lane) {
  const Launch& launch = *cta.launch;
  const std::uint64_t cluster =
      launch.first_cluster + LinearOf(cta.cluster->id, launch.GridOfClusters());
  return {(cta.linear_id * kMaxWarps + warp) * kWarpSize + lane, cta.linear_id, cluster};
}
LateAccesses::Thread LateAccesses::ThreadOf(const Warp& warp, unsigned lane) {
  return ThreadOf(*warp.cta, warp.slot, lane);
}

template <typename F>
void LateAccesses::ForEach(const Warp& warp, std::uint32_t lanes, F f) {
  ForEachBit(lanes, [&](unsigned lane) { f(ThreadOf(warp, lane)); });
}

// Nothing: other threads do not see it, or it is never written.
std::optional<LateAccesses::Place> LateAccesses::PlaceOf(const Warp& warp, Space space,
                                                         std::uint64_t address) {
  const std::uint64_t segment = SegmentOf(address);
  const bool generic = space == Space::kGeneric;
  if (IsShared(space) || (generic && segment == kSharedSegment)) {
    const std::uint64_t shared = generic ? ByteOf(address) : address;
    const Cta* const cta = CtaAt(warp, shared);
    return cta == nullptr ? std::nullopt
                          : std::optional<Place>({cta->linear_id + 1, SharedByte(shared)});
  }
  const bool global = segment == kGlobalSegment || segment >= kFirstBuffer;
  return (generic || space == Space::kGlobal) && global ? std::optional<Place>({0, address})
                                                        : std::nullopt;
}

// ------------------------------------------------------------------------------------------------
// Loads that are performed later
// ------------------------------------------------------------------------------------------------

const std::vector<Slot>& LateAccesses::Touched(std::uint32_t pc) {
  std::vector<Slot>& touched = touched_[pc];
  if (touched.empty()) {
    const Instruction& i = program_.code[pc];
    touched = ResultsOf(i);
    const std::vector<Slot> sources = SourcesOf(i);
    touched.insert(touched.end(), sources.begin(), sources.end());
    touched.push_back(i.guard);
  }
  return touched;
}

// Whether loads before the instruction are performed before it, whatever it accesses.
bool LateAccesses::Orders(const Instruction& i) {
  switch (i.op) {
    case Op::kLoad:
      return i.As<ptx::Load>().ordering.Acquires();
    case Op::kStore:
      return i.As<ptx::Store>().ordering.Releases();
    case Op::kCopy:
    case Op::kBulk:
    case Op::kTensor:
    case Op::kStoreAsync:
    case Op::kBranch:
      return false;
    case Op::kFence:
      return true;
    default:
      return OpClassOf(i) != OpClass::kAlu && OpClassOf(i) != OpClass::kVolatile;
  }
}

bool LateAccesses::Delays(const Warp& warp, const Group& group, unsigned lane,
                          std::uint64_t address) {
  const auto& i = program_.code[group.pc].As<ptx::Load>();
  const std::optional<Place> place = PlaceOf(warp, i.address.space, address);
  if (i.ordering.Acquires() || !place || !program_.opaque.empty() || !random_.OneIn(one_late_in_)) {
    return false;
  }
  ++late_loads_;
  warps_[&warp].loads.push_back({{group.pc, group.frame, lane, address},
                                 *place,
                                 Bytes(i.type) * i.count,
                                 cycle_ + 1 + random_.Below(kLongestLoad)});
  return true;
}

bool LateAccesses::Needs(const Pending& pending, const Warp& warp, const Group& group,
                         const Lanes& lanes) {
  const LateLoad& load = pending.load;
  const Instruction& i = lanes.instruction;
  if (Orders(i)) {
    return true;
  }
  const auto& d = program_.code[load.pc].As<ptx::Load>().d;
  const auto is_its = [&](Slot slot) {
    return slot != kNoSlot && !IsLiteral(slot) && std::any_of(d.begin(), d.end(), [&](Slot own) {
             return own != kNoSlot && load.frame + static_cast<std::uint32_t>(own) ==
                                          group.frame + static_cast<std::uint32_t>(slot);
           });
  };
  const std::vector<Slot>& touched = Touched(group.pc);
  if (std::any_of(touched.begin(), touched.end(), is_its)) {
    return true;
  }
  if (i.op != Op::kLoad && i.op != Op::kStore) {
    return false;
  }
  const Access& access = AccessOf(i);
  const std::uint64_t address = access.address.From(lanes.Read(access.address.base)[load.lane]);
  const std::optional<Place> place = PlaceOf(warp, access.address.space, address);
  return place && place->memory == pending.place.memory &&
         place->address < pending.place.address + pending.bytes &&
         pending.place.address < place->address + Bytes(access.type) * access.count;
}

bool LateAccesses::Await(const Warp& warp, const Group& group, const Lanes& lanes,
                         std::uint64_t cycle, std::vector<LateLoad>* due) {
  cycle_ = cycle;
  const auto asked = warps_.find(&warp);
  if (asked == warps_.end()) {  // it begins late, too
    const bool begins = random_.OneIn(kOneBeginsIn);
    if (begins) {
      warps_[&warp];
    }
    return !begins;
  }
  bool waits = false;
  std::vector<Pending> left;
  for (const Pending& pending : asked->second.loads) {
    if (pending.due <= cycle) {
      due->push_back(pending.load);
      continue;
    }
    waits = waits ||
            ((group.lanes >> pending.load.lane & 1) != 0 && Needs(pending, warp, group, lanes));
    left.push_back(pending);
  }
  asked->second.loads = std::move(left);
  return waits;
}

// ------------------------------------------------------------------------------------------------
// What orders accesses
// ------------------------------------------------------------------------------------------------

void LateAccesses::ReachFence(const Warp& warp, const Lanes& lanes, const MemoryFence& fence) {
  const Reaches scope = ReachOf(fence.ordering.scope);
  ForEach(warp, lanes.mask, [&](const Thread& thread) {
    if (fence.of_maps || fence.of_inits) {  // maps and mbarriers are never late
      return;
    }
    if (fence.sequential) {
      model_.SequentialFence(thread, scope);
      return;
    }
    if (fence.ordering.Acquires()) {
      model_.AcquireFence(thread, scope);
    }
    if (fence.ordering.Releases()) {
      model_.ReleaseFence(thread, scope);
    }
    if (fence.async) {
      model_.ProxyFence(thread, fence.space == Space::kGlobal ? golden::Visibility::Spaces::kGlobal
                                : fence.space == Space::kShared
                                    ? golden::Visibility::Spaces::kShared
                                    : golden::Visibility::Spaces::kAll);
    }
  });
}

void LateAccesses::Reach(const Warp& warp, const Lanes& lanes) {
  model_.Advance(cycle_);
  const Instruction& i = lanes.instruction;
  const auto release = [&](Scope scope) {
    ForEach(warp, lanes.mask,
            [&](const Thread& thread) { model_.Release(thread, ReachOf(scope)); });
  };
  const auto write = [&] {
    ForEach(warp, lanes.mask, [&](const Thread& thread) { model_.StrongWrite(thread); });
  };
  switch (i.op) {
    case Op::kStore:
    case Op::kAtomic: {
      const Ordering ordering = AccessOf(i).ordering;
      if (i.op == Op::kAtomic) {
        warps_[&warp].atomic = ordering;
      }
      if (ordering.Releases()) {
        release(ordering.scope);
      }
      if (ordering.IsStrong()) {
        write();
      }
      break;
    }
    case Op::kMultimem: {  // it finds what is latest
      const Ordering ordering = i.As<MultimemAccess>().ordering;
      if (ordering.Releases()) {
        release(ordering.scope);
      }
      if (ordering.IsStrong()) {
        write();
        ForEach(warp, lanes.mask, [&](const Thread& thread) { model_.StrongRead(thread); });
      }
      if (ordering.Acquires()) {
        Leave(warp, lanes.mask, ordering.scope);
      }
      break;
    }
    case Op::kFence:
      ReachFence(warp, lanes, i.As<MemoryFence>());
      break;
    case Op::kBarrier:
      release(Scope::kCta);
      break;
    case Op::kClusterBarrier:
      if (i.As<ClusterBarrier>().op == ClusterForm::kArrive) {
        release(Scope::kCluster);
      } else if (i.As<ClusterBarrier>().op == ClusterForm::kArriveRelaxed) {
        write();
      }
      break;
    case Op::kMbarrier: {
      const auto& mbarrier = i.As<Mbarrier>();
      if (mbarrier.releasing) {
        release(mbarrier.scope);
      }
      if (!IsMbWait(mbarrier.op)) {
        write();
      }
      ForEachBit(lanes.mask, [&](unsigned lane) {
        warps_[&warp].waits[lane] = {mbarrier.acquiring, mbarrier.scope};
      });
      break;
    }
    case Op::kExchange:
      if (i.As<WarpExchange>().op == WarpOp::kSync) {
        release(Scope::kCta);
      }
      break;
    default:
      break;
  }
}

void LateAccesses::Leave(const Warp& warp, std::uint32_t lanes, Scope scope) {
  ForEach(warp, lanes, [&](const Thread& thread) { model_.Acquire(thread, ReachOf(scope)); });
}

void LateAccesses::EndWait(const Warp& warp, std::uint32_t lanes) {
  ForEachBit(lanes, [&](unsigned lane) {
    const auto [acquires, scope] = warps_[&warp].waits[lane];
    if (acquires) {
      model_.Acquire(ThreadOf(warp, lane), ReachOf(scope));
    } else {
      model_.StrongRead(ThreadOf(warp, lane));
    }
  });
}

// It has seen and written what is latest.
void LateAccesses::EndAtomic(const Warp& warp) {
  const AtomicCall& call = warp.atomic;
  const Ordering ordering = warps_[&warp].atomic;
  ForEachBit(call.instruction.lanes, [&](unsigned lane) {
    const Cta& cta =
        (call.away >> lane & 1) == 0 ? *warp.cta : *warp.cta->cluster->ctas[call.rank[lane]];
    model_.Settle({cta.linear_id + 1, call.instruction.addr[lane]}, BytesOf(call.instruction.size));
    model_.StrongRead(ThreadOf(warp, lane));
    if (ordering.Acquires()) {
      model_.Acquire(ThreadOf(warp, lane), ReachOf(ordering.scope));
    }
  });
}

// ------------------------------------------------------------------------------------------------
// Accesses
// ------------------------------------------------------------------------------------------------

bool LateAccesses::Load(const Warp& warp, unsigned lane, const Instruction& i,
                        std::uint64_t address, const std::uint8_t* now, unsigned bytes,
                        std::uint8_t* seen) {
  const Access& access = AccessOf(i);
  const std::optional<Place> place = PlaceOf(warp, access.address.space, address);
  std::memcpy(seen, now, bytes);
  if (!place) {
    return false;
  }
  const Thread thread = ThreadOf(warp, lane);
  bool stale = false;
  if (model_.MayHide(*place)) {
    const auto points = model_.Points(thread, *place, now, bytes);
    const auto before = static_cast<std::uint32_t>(points.size() - 1);
    stale = before != 0 && random_.Below(kFreshOf) >= fresh_;
    const auto point = stale ? points[random_.Below(before)] : points.back();
    model_.BytesAt(point, *place, now, bytes, seen);
    model_.See(thread, point, *place, bytes);
    if (stale) {
      Note(i.line, model_.TagOf(points.back()), *warp.cta);
    }
  }
  if (access.ordering.Acquires()) {
    model_.Acquire(thread, ReachOf(access.ordering.scope));
  }
  if (access.ordering.IsStrong()) {
    model_.StrongRead(thread);
  }
  return stale;
}

void LateAccesses::Store(const Warp& warp, unsigned lane, const Instruction& i,
                         std::uint64_t address, const std::uint8_t* before,
                         const std::uint8_t* after, unsigned bytes) {
  if (const std::optional<Place> place = PlaceOf(warp, AccessOf(i).address.space, address)) {
    model_.Store(ThreadOf(warp, lane), *place, before, after, bytes, i.line);
  }
}

void LateAccesses::Swap(const Warp& warp, unsigned lane, const Instruction& i,
                        std::uint64_t address, unsigned bytes) {
  const Access& access = AccessOf(i);
  if (const std::optional<Place> place = PlaceOf(warp, access.address.space, address)) {
    model_.Settle(*place, bytes);
  }
  model_.StrongRead(ThreadOf(warp, lane));
  if (access.ordering.Acquires()) {
    model_.Acquire(ThreadOf(warp, lane), ReachOf(access.ordering.scope));
  }
}

void LateAccesses::Note(std::uint32_t line, std::uint32_t store_line, const Cta& cta) {
  const auto same = std::find_if(missed_.begin(), missed_.end(), [&](const Missed& other) {
    return other.line == line && other.store_line == store_line;
  });
  if (same != missed_.end()) {
    ++same->count;
    return;
  }
  missed_.push_back({line, store_line, 1, cycle_, cta.linear_id});
}

// ------------------------------------------------------------------------------------------------
// Copies
// ------------------------------------------------------------------------------------------------

// cp.async is of the generic proxy; what comes of an instruction that is not there is a response.
bool LateAccesses::IsOfAsyncProxy(const Transfer& transfer) const {
  return transfer.kind != Transfer::Kind::kArrive && program_.code[transfer.pc].op != Op::kCopy;
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
      if (before != 0 && random_.Below(kFreshOf) >= fresh_) {
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
