// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Groups of lanes, control flow and barriers; sim/ptx/access.cpp has memory.
#include "sim/ptx/interpreter.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace muster::ptx {
namespace {

// A group stands at an aligned barrier for this many instructions of its warp's other lanes before
// it arrives without them: they may be in a long loop, or spin until it arrives.
constexpr std::uint32_t kPatience = 1U << 16;

constexpr std::size_t kMaxSlots = 1U << 17;       // registers of a thread, all its frames
constexpr std::size_t kMaxLocalBytes = 1U << 19;  // local memory of a thread (CUDA's limit)

// One in so many times the group that runs is a random one, so that lanes which spin let others go
// on; else it is the one that is furthest behind, so that lanes come together again.
constexpr std::uint32_t kRandomPick = 16;

unsigned LowestLane(std::uint32_t lanes) { return static_cast<unsigned>(__builtin_ctz(lanes)); }

}  // namespace

std::array<std::uint32_t, 3> PointOf(std::uint64_t index,
                                     const std::array<std::uint32_t, 3>& extent) {
  const std::uint64_t row = index / extent[0];
  return {static_cast<std::uint32_t>(index % extent[0]),
          static_cast<std::uint32_t>(row % extent[1]), static_cast<std::uint32_t>(row / extent[1])};
}

Interpreter::Interpreter(const Program& program, const Launch& launch, Memory* memory,
                         LaneGather* gather, std::uint64_t seed)
    : program_(program), launch_(launch), memory_(memory), gather_(gather), random_(seed) {}

void Interpreter::Start(Warp* warp) {
  const Function& kernel = program_.Kernel();
  const std::uint64_t threads =
      std::min<std::uint64_t>(launch_.Threads() - warp->first_thread, kWarpSize);
  warp->live = threads == kWarpSize ? ~0U : (1U << threads) - 1;
  warp->groups.assign(1, Group{kernel.entry, 0, warp->live});
  warp->held = 0;
  warp->patience = 0;
  warp->registers.assign(std::size_t{kernel.slots} * kWarpSize, 0);
  for (auto& local : warp->local) {
    local.assign(kernel.local_bytes, 0);
  }
  gather_->Reset(warp->slot);
}

std::string Interpreter::ThreadName(const Warp& warp, unsigned lane) const {
  const auto thread = PointOf(warp.first_thread + lane, launch_.block);
  const auto& cta = warp.cta->id;
  return fmt::format("thread ({},{},{}) of CTA ({},{},{})", thread[0], thread[1], thread[2], cta[0],
                     cta[1], cta[2]);
}

// ------------------------------------------------------------------------------------------------
// Groups
// ------------------------------------------------------------------------------------------------

Group* Interpreter::Pick(Warp* warp) {
  std::vector<Group>& groups = warp->groups;
  if (groups.size() == 1) {
    return groups.front().state == Group::State::kReady ? &groups.front() : nullptr;
  }
  const bool any = random_.OneIn(kRandomPick);
  const std::size_t first = any ? random_.Below(static_cast<std::uint32_t>(groups.size())) : 0;
  Group* best = nullptr;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    Group& group = groups[(first + i) % groups.size()];
    if (group.state != Group::State::kReady) {
      continue;
    }
    if (any) {
      return &group;
    }
    if (best == nullptr || group.pc < best->pc) {
      best = &group;
    }
  }
  return best;
}

void Interpreter::Remove(Warp* warp, std::size_t index) {
  warp->groups[index] = warp->groups.back();
  warp->groups.pop_back();
}

// Joins the group with one that stands at the same place.
void Interpreter::Merge(Warp* warp, std::size_t index) {
  std::vector<Group>& groups = warp->groups;
  if (groups.size() == 1) {
    return;
  }
  const Group group = groups[index];
  for (std::size_t i = 0; i < groups.size(); ++i) {
    Group& other = groups[i];
    if (i == index || other.pc != group.pc || other.frame != group.frame ||
        other.state != group.state) {
      continue;
    }
    other.lanes |= group.lanes;
    other.beside |= group.beside;
    if (group.state != Group::State::kReady) {
      --warp->held;
    }
    Remove(warp, index);
    return;
  }
}

// Some lanes of the group go their own way, to `pc`.
void Interpreter::Split(Warp* warp, std::size_t index, std::uint32_t lanes, std::uint32_t pc) {
  const Group fresh{pc, warp->groups[index].frame, lanes};
  warp->groups[index].lanes &= ~lanes;
  warp->groups.push_back(fresh);
  Merge(warp, warp->groups.size() - 1);
}

void Interpreter::Advance(Warp* warp, std::size_t index) {
  ++warp->groups[index].pc;
  Merge(warp, index);
}

std::uint32_t Interpreter::Active(const Warp& warp, const Group& group,
                                  const Instruction& i) const {
  if (i.guard == kNoSlot) {
    return group.lanes;
  }
  const std::uint64_t* const guard =
      &warp.registers[(std::size_t{group.frame} + static_cast<std::uint32_t>(i.guard)) * kWarpSize];
  std::uint32_t active = 0;
  ForEachBit(group.lanes, [&](unsigned lane) {
    if ((guard[lane] != 0) != i.guard_negated) {
      active |= 1U << lane;
    }
  });
  return active;
}

Lanes Interpreter::LanesOf(Warp* warp, const Group& group, std::uint32_t lanes) const {
  return {program_.code[group.pc], &warp->registers[std::size_t{group.frame} * kWarpSize],
          program_.literals.data(), lanes};
}

// ------------------------------------------------------------------------------------------------
// One step
// ------------------------------------------------------------------------------------------------

Interpreter::Event Interpreter::Step(Warp* warp, std::uint64_t cycle) {
  cycle_ = cycle;
  std::size_t aligned = warp->groups.size();
  if (warp->held != 0) {
    const Event gathered = TakeGathered(warp);
    if (gathered != Event::kNone) {
      return gathered;
    }
    for (std::size_t i = 0; i < warp->groups.size(); ++i) {
      if (warp->groups[i].state == Group::State::kWarpSync && LeaveWarpSync(warp, i)) {
        return Event::kNone;
      }
    }
    aligned = warp->groups.size();
    for (std::size_t i = 0; i < warp->groups.size(); ++i) {
      if (warp->groups[i].state != Group::State::kAligned) {
        continue;
      }
      if (aligned == warp->groups.size() || warp->groups[i].pc < warp->groups[aligned].pc) {
        aligned = i;
      }
    }
  }
  const bool stands = aligned != warp->groups.size();
  if (stands && ++warp->patience > kPatience) {
    return Arrive(warp, aligned);
  }
  Group* const group = Pick(warp);
  if (group == nullptr) {
    return stands ? Arrive(warp, aligned) : Event::kStuck;
  }
  return Execute(warp, static_cast<std::size_t>(group - warp->groups.data()));
}

Interpreter::Event Interpreter::Execute(Warp* warp, std::size_t index) {
  const Group group = warp->groups[index];
  const Instruction& i = program_.code[group.pc];
  const std::uint32_t active = Active(*warp, group, i);
  ++warp_instructions_;
  thread_instructions_ += static_cast<unsigned>(__builtin_popcount(active));
  if (active == 0) {
    Advance(warp, index);
    return Event::kNone;
  }
  Event event = Event::kNone;
  switch (i.op) {
    case Op::kLoad:
    case Op::kStore:
    case Op::kAtomic:
      event = ExecuteAccess(warp, group, active);
      break;
    case Op::kSpecial:
      ExecuteSpecial(warp, LanesOf(warp, group, active));
      break;
    case Op::kSetp:
    case Op::kSet:
    case Op::kSelp:
      ComputeCompare(LanesOf(warp, group, active));
      break;
    case Op::kCvt:
      ComputeConvert(LanesOf(warp, group, active));
      break;
    case Op::kFence:
    case Op::kNop:
      break;
    case Op::kBranch:
      ExecuteBranch(warp, index, active);
      return Event::kNone;
    case Op::kCall:
      return ExecuteCall(warp, index, active);
    case Op::kReturn:
      ExecuteReturn(warp, index, active);
      return Event::kNone;
    case Op::kExit:
      return ExecuteExit(warp, index, active);
    case Op::kTrap:
      Fault(*warp, LowestLane(active), i.line, "trap");
      return Event::kAssert;
    case Op::kAssert:
      return ExecuteAssert(warp, group, active);
    case Op::kActiveMask: {
      const Lanes lanes = LanesOf(warp, group, active);
      lanes.ForEach([d = lanes.d(0), active](unsigned lane) { d[lane] = active; });
      break;
    }
    case Op::kBarrier:
    case Op::kVote:
    case Op::kShuffle:
    case Op::kWarpSync:
      return ComeToBarrier(warp, index);
    case Op::kCvta:
    case Op::kCvtaTo: {
      const Lanes lanes = LanesOf(warp, group, active);
      const std::uint64_t window = WindowOf(i.space);
      const std::uint64_t add = i.op == Op::kCvta ? window : ~window + 1;
      lanes.ForEach(
          [d = lanes.d(0), a = lanes.a(0), add](unsigned lane) { d[lane] = a[lane] + add; });
      break;
    }
    case Op::kIsSpace: {
      const Lanes lanes = LanesOf(warp, group, active);
      lanes.ForEach([&, d = lanes.d(0), a = lanes.a(0)](unsigned lane) {
        const std::uint64_t segment = SegmentOf(a[lane]);
        const bool global = segment == kGlobalSegment || segment >= kFirstBuffer;
        d[lane] = i.space == Space::kGlobal   ? global
                  : i.space == Space::kShared ? segment == kSharedSegment
                  : i.space == Space::kLocal  ? segment == kLocalSegment
                  : i.space == Space::kConst  ? segment == kConstSegment
                                              : segment == kParamSegment;
      });
      break;
    }
    default:
      Compute(LanesOf(warp, group, active));
  }
  if (event == Event::kFault) {
    return event;
  }
  Advance(warp, index);
  return event;
}

// ------------------------------------------------------------------------------------------------
// Control flow
// ------------------------------------------------------------------------------------------------

void Interpreter::ExecuteBranch(Warp* warp, std::size_t index, std::uint32_t active) {
  Group& group = warp->groups[index];
  const std::uint32_t target = program_.code[group.pc].target;
  if (active == group.lanes) {
    group.pc = target;
    Merge(warp, index);
  } else {
    const std::uint32_t next = group.pc + 1;
    group.pc = target;
    Split(warp, index, group.lanes & ~active, next);
    Merge(warp, index);
  }
}

Interpreter::Event Interpreter::ExecuteCall(Warp* warp, std::size_t index, std::uint32_t active) {
  const Group group = warp->groups[index];
  const Instruction& i = program_.code[group.pc];
  const Call& call = program_.calls[i.target];
  const Function& caller = program_.functions[call.caller];
  const Function& callee = program_.functions[call.function];
  const std::uint32_t frame = group.frame + caller.slots;
  if (std::size_t{frame} + callee.slots > kMaxSlots) {
    return Fault(*warp, LowestLane(active), i.line, "the calls are nested too deeply");
  }
  const std::size_t registers = (std::size_t{frame} + callee.slots) * kWarpSize;
  if (warp->registers.size() < registers) {
    warp->registers.resize(registers);
  }
  const Lanes lanes = LanesOf(warp, group, active);
  bool overflow = false;
  lanes.ForEach([&](unsigned lane) {
    const std::uint64_t from = warp->Register(group.frame, kStackSlot, lane);
    const std::uint64_t to = from + caller.local_bytes;
    std::vector<std::uint8_t>& local = warp->local[lane];
    if (to + callee.local_bytes > kMaxLocalBytes) {
      overflow = true;
      return;
    }
    if (local.size() < to + callee.local_bytes) {
      local.resize(to + callee.local_bytes);
    }
    warp->Register(frame, kReturnSlot, lane) = group.pc + 1;
    warp->Register(frame, kFrameSlot, lane) = group.frame;
    warp->Register(frame, kStackSlot, lane) = to;
    for (const Transfer& transfer : call.arguments) {
      if (transfer.bytes == 0) {
        warp->Register(frame, transfer.callee, lane) = lanes.Read(transfer.caller)[lane];
      } else {
        std::memcpy(&local[to + transfer.callee_offset], &local[from + transfer.caller_offset],
                    transfer.bytes);
      }
    }
  });
  if (overflow) {
    return Fault(*warp, LowestLane(active), i.line, "the stack is larger than 512 KiB");
  }
  if (active != group.lanes) {
    Split(warp, index, group.lanes & ~active, group.pc + 1);
  }
  warp->groups[index].pc = callee.entry;
  warp->groups[index].frame = frame;
  Merge(warp, index);
  return Event::kNone;
}

void Interpreter::ExecuteReturn(Warp* warp, std::size_t index, std::uint32_t active) {
  const Group group = warp->groups[index];
  if (active != group.lanes) {
    Split(warp, index, group.lanes & ~active, group.pc + 1);
  }
  // Lanes may have come from different calls.
  std::uint32_t rest = active;
  while (rest != 0) {
    const unsigned first = LowestLane(rest);
    const auto pc = static_cast<std::uint32_t>(warp->Register(group.frame, kReturnSlot, first));
    const auto frame = static_cast<std::uint32_t>(warp->Register(group.frame, kFrameSlot, first));
    const Call& call = program_.calls[program_.code[pc - 1].target];
    std::uint32_t together = 0;
    ForEachBit(rest, [&](unsigned lane) {
      if (warp->Register(group.frame, kReturnSlot, lane) != pc) {
        return;
      }
      if (warp->Register(group.frame, kFrameSlot, lane) != frame) {
        return;
      }
      together |= 1U << lane;
      const std::uint64_t from = warp->Register(group.frame, kStackSlot, lane);
      const std::uint64_t to = warp->Register(frame, kStackSlot, lane);
      for (const Transfer& transfer : call.results) {
        if (transfer.bytes == 0) {
          warp->Register(frame, transfer.caller, lane) =
              warp->Register(group.frame, transfer.callee, lane);
        } else {
          std::memcpy(&warp->local[lane][to + transfer.caller_offset],
                      &warp->local[lane][from + transfer.callee_offset], transfer.bytes);
        }
      }
    });
    rest &= ~together;
    warp->groups.push_back(Group{pc, frame, together});
    if (rest == 0) {
      Remove(warp, index);
    }
  }
  for (std::size_t i = warp->groups.size(); i-- > 0;) {
    if (i < warp->groups.size()) {
      Merge(warp, i);
    }
  }
}

Interpreter::Event Interpreter::ExecuteExit(Warp* warp, std::size_t index, std::uint32_t active) {
  Group& group = warp->groups[index];
  warp->exited = active;
  warp->exit_line = program_.code[group.pc].line;
  warp->live &= ~active;
  if (active == group.lanes) {
    Remove(warp, index);
  } else {
    group.lanes &= ~active;
    Advance(warp, index);
  }
  return Event::kExit;
}

// ------------------------------------------------------------------------------------------------
// Barriers, and instructions of several lanes
// ------------------------------------------------------------------------------------------------

Interpreter::Event Interpreter::ComeToBarrier(Warp* warp, std::size_t index) {
  const Group group = warp->groups[index];
  const Instruction& i = program_.code[group.pc];
  const std::uint32_t active = Active(*warp, group, i);
  if (active != group.lanes) {
    Split(warp, index, group.lanes & ~active, group.pc + 1);
  }
  Group& here = warp->groups[index];
  if (i.op == Op::kBarrier && i.aligned && active == warp->live) {
    return Arrive(warp, index);
  }
  here.state = i.op != Op::kBarrier ? Group::State::kWarpSync
               : i.aligned          ? Group::State::kAligned
                                    : Group::State::kGather;
  ++warp->held;
  if (here.state == Group::State::kGather) {
    gather_->Come(warp->slot, ArrivalOf(warp, here));
    Merge(warp, index);
    return Event::kNone;
  }
  Merge(warp, index);
  // With the lanes that stood here already, all may have come.
  for (std::size_t k = 0; k < warp->groups.size(); ++k) {
    if (warp->groups[k].state == Group::State::kAligned && warp->groups[k].lanes == warp->live) {
      return Arrive(warp, k);
    }
  }
  return Event::kNone;
}

Arrival Interpreter::ArrivalOf(Warp* warp, const Group& group) const {
  const Instruction& i = program_.code[group.pc];
  const Lanes lanes = LanesOf(warp, group, group.lanes);
  const auto bar = lanes.a(0);
  const auto count = lanes.a(1);
  const unsigned first = LowestLane(group.lanes);
  Arrival arrival;
  arrival.kind = static_cast<OpKind>(i.mode);
  arrival.bar = static_cast<std::uint32_t>(bar[first]);
  arrival.count = static_cast<std::uint32_t>(count[first]);
  arrival.lanes = group.lanes;
  arrival.pc = group.pc;
  arrival.line = i.line;
  lanes.ForEach([&](unsigned lane) {
    arrival.divergent_operand |= bar[lane] != bar[first] || count[lane] != count[first];
  });
  if (IsReduction(arrival.kind)) {
    const auto c = lanes.a(2);
    lanes.ForEach([&](unsigned lane) {
      if ((c[lane] != 0) != i.negated) {
        arrival.operand |= 1U << lane;
      }
    });
    arrival.results.push_back({group.frame, i.d[0], group.lanes});
  }
  return arrival;
}

// The group arrives, with or without the rest of its warp.
Interpreter::Event Interpreter::Arrive(Warp* warp, std::size_t index) {
  Group& group = warp->groups[index];
  warp->arrival = ArrivalOf(warp, group);
  if (group.lanes != warp->live) {
    for (Group& other : warp->groups) {
      if (other.state == Group::State::kAligned) {
        other.beside |= warp->live;
      }
    }
  }
  warp->arrival.diverged_aligned = (std::exchange(group.beside, 0) & ~group.lanes) != 0;
  if (group.state != Group::State::kReady) {
    --warp->held;
  }
  group.state = Group::State::kReady;
  warp->patience = 0;
  Advance(warp, index);
  return Event::kBarrier;
}

Interpreter::Event Interpreter::TakeGathered(Warp* warp) {
  if (!gather_->Take(warp->slot, warp->live, &warp->arrival)) {
    return Event::kNone;
  }
  const std::uint32_t lanes = warp->arrival.lanes;
  std::vector<Group> moved;
  for (std::size_t i = warp->groups.size(); i-- > 0;) {
    Group& group = warp->groups[i];
    const std::uint32_t here = group.lanes & lanes;
    if (group.state != Group::State::kGather || here == 0) {
      continue;
    }
    moved.push_back(Group{group.pc + 1, group.frame, here});
    group.lanes &= ~here;
    if (group.lanes != 0) {
      continue;
    }
    --warp->held;
    Remove(warp, i);
  }
  for (const Group& group : moved) {
    warp->groups.push_back(group);
    Merge(warp, warp->groups.size() - 1);
  }
  return Event::kBarrier;
}

// Lets the group go on if the lanes that its warp-wide instruction names have come to it.
bool Interpreter::LeaveWarpSync(Warp* warp, std::size_t index) {
  const Group group = warp->groups[index];
  const Instruction& i = program_.code[group.pc];
  const Lanes lanes = LanesOf(warp, group, group.lanes);
  const std::uint64_t named = lanes.a(0)[LowestLane(group.lanes)];
  // Lanes may come to bar.warp.sync on several paths; to the others they come together.
  std::uint32_t came = group.lanes;
  const auto belongs = [&](const Group& other) {
    if (other.state != Group::State::kWarpSync || i.op != Op::kWarpSync) {
      return false;
    }
    if (program_.code[other.pc].op != Op::kWarpSync) {
      return false;
    }
    const Instruction& theirs = program_.code[other.pc];
    const Lanes them{theirs, &warp->registers[std::size_t{other.frame} * kWarpSize],
                     program_.literals.data(), other.lanes};
    return them.a(0)[LowestLane(other.lanes)] == named;
  };
  for (const Group& other : warp->groups) {
    if (belongs(other)) {
      came |= other.lanes;
    }
  }
  if ((named & warp->live & ~came) != 0) {
    return false;
  }
  if (i.op == Op::kVote) {
    ExecuteVote(lanes);
  }
  if (i.op == Op::kShuffle) {
    ExecuteShuffle(lanes);
  }
  for (Group& other : warp->groups) {
    if ((other.lanes & came) == 0) {
      continue;
    }
    other.state = Group::State::kReady;
    ++other.pc;
    --warp->held;
  }
  for (std::size_t k = warp->groups.size(); k-- > 0;) {
    if (k < warp->groups.size()) {
      Merge(warp, k);
    }
  }
  return true;
}

void Interpreter::ExecuteVote(const Lanes& lanes) {
  const Instruction& i = lanes.instruction;
  const auto c = lanes.a(1);
  std::uint32_t yes = 0;
  lanes.ForEach([&](unsigned lane) {
    if ((c[lane] != 0) != i.negated) {
      yes |= 1U << lane;
    }
  });
  std::uint32_t result = yes;
  switch (static_cast<VoteMode>(i.mode)) {
    case VoteMode::kAll:
      result = yes == lanes.mask ? 1 : 0;
      break;
    case VoteMode::kAny:
      result = yes != 0 ? 1 : 0;
      break;
    case VoteMode::kUniform:
      result = yes == 0 || yes == lanes.mask ? 1 : 0;
      break;
    case VoteMode::kBallot:
      break;
  }
  std::uint64_t* const d = lanes.d(0);
  lanes.ForEach([&](unsigned lane) { d[lane] = result; });
}

void Interpreter::ExecuteShuffle(const Lanes& lanes) {
  const Instruction& i = lanes.instruction;
  const auto b = lanes.a(2);
  const auto c = lanes.a(3);
  std::array<std::uint64_t, kWarpSize> values{};
  for (unsigned lane = 0; lane < kWarpSize; ++lane) {
    values[lane] = lanes.a(1)[lane];
  }
  std::uint64_t* const d = lanes.d(0);
  std::uint64_t* const p = lanes.d(1);
  lanes.ForEach([&](unsigned lane) {
    const unsigned offset = b[lane] & 0x1fU;
    const unsigned clamp = c[lane] & 0x1fU;
    const unsigned segment = (c[lane] >> 8) & 0x1fU;
    const unsigned last = (lane & segment) | (clamp & ~segment);
    const unsigned first = lane & segment;
    int from = 0;
    bool inside = false;
    switch (static_cast<ShuffleMode>(i.mode)) {
      case ShuffleMode::kUp:
        from = static_cast<int>(lane) - static_cast<int>(offset);
        inside = from >= static_cast<int>(last);
        break;
      case ShuffleMode::kDown:
        from = static_cast<int>(lane + offset);
        inside = from <= static_cast<int>(last);
        break;
      case ShuffleMode::kButterfly:
        from = static_cast<int>(lane ^ offset);
        inside = from <= static_cast<int>(last);
        break;
      case ShuffleMode::kIndex:
        from = static_cast<int>(first | (offset & ~segment));
        inside = from <= static_cast<int>(last);
        break;
    }
    d[lane] = values[inside ? static_cast<unsigned>(from) : lane];
    p[lane] = inside ? 1 : 0;
  });
}

void Interpreter::WriteResult(Warp* warp, std::uint32_t value) {
  for (const Arrival::Result& result : warp->arrival.results) {
    ForEachBit(result.lanes,
               [&](unsigned lane) { warp->Register(result.frame, result.slot, lane) = value; });
  }
}

}  // namespace muster::ptx
