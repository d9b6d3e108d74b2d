// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/runtime/late_accesses.h"

#include <algorithm>
#include <cstring>

#include "sim/isa/bits.h"
#include "sim/ptx/program/address.h"
#include "sim/ptx/program/registers.h"
#include "sim/ptx/runtime/late_classes.h"
#include "sim/ptx/simt/address_space.h"
#include "sim/ptx/simt/fence_sink.h"

namespace muster::ptx {
namespace {

using Reaches = golden::Visibility::Reach;

constexpr std::uint64_t kWindow = 2048;  // cycles for which a store may be on its way
constexpr std::uint32_t kLongestLoad = 128;
constexpr std::uint32_t kLongestStore = 256;
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

// While a warp drains, it begins nothing at mbarriers, which its drain would wait for.
bool LateAccesses::IsHeldUp(const Warp& warp, const Group& group, const Instruction& i) {
  FenceSink& fences = *warp.cta->fences;
  if (i.op == Op::kMbarrier && fences.Drains(warp.slot)) {
    return true;
  }
  const ClassSet begun = BegunBy(i);
  if (begun != 0 && !fences.HasRoom(warp.slot, begun)) {
    return true;
  }
  const ClassSet awaited = AwaitedBy(i);
  return awaited != 0 && !fences.Drain(warp.slot, group.pc, group.lanes, awaited);
}

bool LateAccesses::Delays(const Warp& warp, const Group& group, unsigned lane,
                          std::uint64_t address) {
  const auto& i = program_.code[group.pc].As<ptx::Load>();
  const std::optional<Place> place = PlaceOf(warp, i.address.space, address);
  if (i.ordering.Acquires() || !place || !program_.opaque.empty() || !random_.OneIn(one_late_in_)) {
    return false;
  }
  ++late_loads_;
  const std::uint64_t due = cycle_ + 1 + random_.Below(kLongestLoad);
  Asked& asked = warps_[&warp];
  asked.loads.push_back(
      {{group.pc, group.frame, lane, address}, *place, Bytes(i.type) * i.count, due});
  asked.performed_by = std::max(asked.performed_by, due);
  warp.cta->fences->Begin(warp.slot, AccessClass::kGeneric, due);
  return true;
}

bool LateAccesses::Needs(const Pending& pending, const Warp& warp, const Group& group,
                         const Lanes& lanes) {
  const LateLoad& load = pending.load;
  const Instruction& i = lanes.instruction;
  if (Orders(i) && (AwaitedBy(i) & SetOf(AccessClass::kGeneric)) == 0) {
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
  return waits || IsHeldUp(warp, group, lanes.instruction);
}

// ------------------------------------------------------------------------------------------------
// What orders accesses
// ------------------------------------------------------------------------------------------------

// The first store of the lane by these classes that is not performed: none, if the warp was let go
// in time.
golden::Visibility::Point LateAccesses::FirstOutstanding(const Warp& warp, unsigned lane,
                                                         ClassSet classes) {
  golden::Visibility::Point first = golden::Visibility::kAll;
  for (const Stored& store : warps_[&warp].stores) {
    if (store.lane == lane && store.until > cycle_ && (classes & SetOf(store.of)) != 0) {
      first = std::min(first, store.point);
    }
  }
  return first;
}

void LateAccesses::ReleasePerformed(const Warp& warp, const Lanes& lanes, Scope scope) {
  ForEachBit(lanes.mask, [&](unsigned lane) {
    model_.Release(ThreadOf(warp, lane), ReachOf(scope),
                   FirstOutstanding(warp, lane, AwaitedBy(lanes.instruction)));
  });
}

void LateAccesses::ReachFence(const Warp& warp, const Lanes& lanes, const MemoryFence& fence) {
  const Reaches scope = ReachOf(fence.ordering.scope);
  ForEachBit(lanes.mask, [&](unsigned lane) {
    const Thread thread = ThreadOf(warp, lane);
    const auto before = FirstOutstanding(warp, lane, AwaitedBy(lanes.instruction));
    if (fence.of_maps || fence.of_inits) {  // maps and mbarriers are never late
      return;
    }
    if (fence.sequential) {
      model_.SequentialFence(thread, scope, before);
      return;
    }
    if (fence.ordering.Acquires()) {
      model_.AcquireFence(thread, scope);
    }
    if (fence.ordering.Releases()) {
      model_.ReleaseFence(thread, scope, before);
    }
    if (fence.async) {
      using Spaces = golden::Visibility::Spaces;
      model_.ProxyFence(thread,
                        fence.space == Space::kGlobal   ? Spaces::kGlobal
                        : fence.space == Space::kShared ? Spaces::kShared
                                                        : Spaces::kAll,
                        before);
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
        ReleasePerformed(warp, lanes, ordering.scope);
      }
      if (ordering.IsStrong()) {
        write();
      }
      break;
    }
    case Op::kMultimem: {  // it finds what is latest
      const Ordering ordering = i.As<MultimemAccess>().ordering;
      if (ordering.Releases()) {
        ReleasePerformed(warp, lanes, ordering.scope);
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
    stale = before != 0 && MissesWhatIsThere();
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
  const std::optional<Place> place = PlaceOf(warp, AccessOf(i).address.space, address);
  if (!place) {
    return;
  }
  Asked& asked = warps_[&warp];
  if (asked.stored_in != cycle_) {
    asked.stored_in = cycle_;
    asked.stores.erase(std::remove_if(asked.stores.begin(), asked.stores.end(),
                                      [&](const Stored& one) { return one.until <= cycle_; }),
                       asked.stores.end());
    asked.stores_until = cycle_ + 1 + random_.Below(kLongestStore);
    asked.performed_by = std::max(asked.performed_by, asked.stores_until);
  }
  const AccessClass of = place->memory == 0 ? AccessClass::kGlobal : AccessClass::kGeneric;
  asked.stores.push_back({model_.Next(), lane, of, asked.stores_until});
  warp.cta->fences->Begin(warp.slot, of, asked.stores_until);
  model_.Store(ThreadOf(warp, lane), *place, before, after, bytes, i.line);
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

bool LateAccesses::MissesWhatIsThere() { return random_.Below(kFreshOf) >= fresh_; }

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

}  // namespace muster::ptx
