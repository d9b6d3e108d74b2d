// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/simt/control_flow.h"

#include <fmt/format.h>

#include <cstring>

#include "sim/isa/bits.h"
#include "sim/isa/warp_size.h"

namespace muster::ptx {
namespace {

constexpr std::size_t kMaxSlots = 1U << 18;       // registers of a thread, all its frames
constexpr std::size_t kMaxLocalBytes = 1U << 19;  // local memory of a thread (CUDA's limit)

// Whether an indirect call passes what the function takes.
bool Matches(const std::vector<Place>& places, const std::vector<Parameter>& parameters) {
  if (places.size() != parameters.size()) {
    return false;
  }
  for (std::size_t i = 0; i < places.size(); ++i) {
    const bool in_register = parameters[i].slot != kNoSlot;
    if (in_register ? places[i].bytes != 0 : places[i].bytes != parameters[i].bytes) {
      return false;
    }
  }
  return true;
}

// The bytes that alloca has added to the frame.
std::uint64_t Allocated(Warp* warp, const Function& function, std::uint32_t frame, unsigned lane) {
  return function.top == kNoSlot ? 0 : warp->Register(frame, function.top, lane);
}

}  // namespace

// Every loop goes back somewhere: by a branch, since what calls itself for ever runs out of stack.
void ControlFlow::GoBack(const Warp& warp, const Group& group) {
  if (x_.livelock != nullptr) {
    x_.livelock->GoBack(warp, group, x_.cycle);
  }
}

void ControlFlow::ExecuteBranch(Warp* warp, std::size_t index, std::uint32_t active) {
  Group& group = warp->groups[index];
  const auto [target, delays] = x_.program.code[group.pc].As<Branch>();
  const std::uint32_t next = group.pc + 1;
  if (target < next) {
    YieldSometimes(warp, index, &x_.random);
  }
  if (x_.program.code[target].op == Op::kExit) {
    warp->leaving = active;
    warp->leaving_at = x_.program.code[group.pc].line;
  }
  group.pc = target;
  if (target < next && !delays) {
    GoBack(*warp, {target, group.frame, active});
  }
  if (active != group.lanes) {
    Split(warp, index, group.lanes & ~active, next);
  }
  Merge(warp, index);
}

StepEvent ControlFlow::ExecuteBranchIndexed(Warp* warp, std::size_t index, std::uint32_t active) {
  const Group group = warp->groups[index];
  const Instruction& i = x_.program.code[group.pc];
  const auto& branch = i.As<IndexedBranch>();
  const std::vector<std::uint32_t>& table = x_.program.tables[branch.table];
  const auto indices = x_.LanesOf(warp, group, active).Read(branch.index);
  for (std::uint32_t rest = active; rest != 0; rest &= rest - 1) {
    const unsigned lane = First(rest);
    if (indices[lane] >= table.size()) {
      return x_.Fault(
          *warp, lane, i.line,
          fmt::format("branches to target {}, where there are {}", indices[lane], table.size()));
    }
  }
  ForEachBit(active, [&](unsigned lane) {
    if (table[indices[lane]] <= group.pc) {
      GoBack(*warp, {table[indices[lane]], group.frame, 1U << lane});
    }
  });
  Disperse(warp, index, active, [&](unsigned lane) {
    return Group{table[indices[lane]], group.frame, 0};
  });
  return StepEvent::kNone;
}

StepEvent ControlFlow::ExecuteCall(Warp* warp, std::size_t index, std::uint32_t active) {
  const Group& group = warp->groups[index];
  const Instruction& i = x_.program.code[group.pc];
  const auto& instruction = i.As<FunctionCall>();
  const Call& call = x_.program.calls[instruction.call];
  if (call.function != Call::kIndirect) {
    return Enter(warp, index, active, active, call.function);
  }
  // Those that call the same function go together; the others have the call still before them.
  const auto targets = x_.LanesOf(warp, group, active).Read(instruction.function);
  const unsigned first = First(active);
  const std::uint64_t function = FunctionAt(targets[first], x_.program.functions.size());
  if (function == x_.program.functions.size()) {
    return x_.Fault(*warp, first, i.line,
                    fmt::format("calls {:#x}, where there is no function", targets[first]));
  }
  const Function& callee = x_.program.functions[function];
  if (!callee.has_body || callee.is_entry || !Matches(call.arguments, callee.parameters) ||
      !Matches(call.results, callee.returns)) {
    return x_.Fault(
        *warp, first, i.line,
        fmt::format("calls {} through a pointer to another kind of function", callee.name));
  }
  std::uint32_t together = 0;
  ForEachBit(active, [&](unsigned lane) {
    together |= (targets[lane] == targets[first] ? 1U : 0U) << lane;
  });
  return Enter(warp, index, active, together, static_cast<std::uint32_t>(function));
}

// `lanes` of the `active` ones enter the function.
StepEvent ControlFlow::Enter(Warp* warp, std::size_t index, std::uint32_t active,
                             std::uint32_t entering, std::uint32_t function) {
  const Group group = warp->groups[index];
  const Instruction& i = x_.program.code[group.pc];
  const Call& call = x_.program.calls[i.As<FunctionCall>().call];
  const Function& caller = x_.program.functions[call.caller];
  const Function& callee = x_.program.functions[function];
  const std::uint32_t frame = group.frame + caller.slots;
  if (std::size_t{frame} + callee.slots > kMaxSlots) {
    return x_.Fault(*warp, First(entering), i.line, "the calls are nested too deeply");
  }
  const std::size_t registers = (std::size_t{frame} + callee.slots) * kWarpSize;
  if (warp->registers.size() < registers) {
    warp->registers.resize(registers);
  }
  const Lanes lanes = x_.LanesOf(warp, group, entering);
  bool overflow = false;
  lanes.ForEach([&](unsigned lane) {
    const std::uint64_t from = warp->Register(group.frame, kStackSlot, lane);
    const std::uint64_t to = from + caller.local_bytes + Allocated(warp, caller, group.frame, lane);
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
    if (callee.top != kNoSlot) {
      warp->Register(frame, callee.top, lane) = 0;
    }
    for (std::size_t k = 0; k < call.arguments.size(); ++k) {
      const Place& argument = call.arguments[k];
      const Parameter& parameter = callee.parameters[k];
      if (argument.bytes == 0) {
        warp->Register(frame, parameter.slot, lane) = lanes.Read(argument.slot)[lane];
      } else {
        std::memcpy(&local[to + parameter.offset], &local[from + argument.offset], argument.bytes);
      }
      if (x_.tracks_unknown) {
        unknowns_.SpreadValue(warp, lane, {frame, parameter.slot, parameter.offset},
                              {group.frame, argument.slot, argument.offset}, argument.bytes);
      }
    }
  });
  if (overflow) {
    return x_.Fault(*warp, First(entering), i.line, "the stack is larger than 512 KiB");
  }
  warp->groups[index] = Group{callee.entry, frame, entering};
  if (entering != active) {
    warp->groups.push_back(Group{group.pc, group.frame, active & ~entering});
  }
  if (active != group.lanes) {
    warp->groups.push_back(Group{group.pc + 1, group.frame, group.lanes & ~active});
  }
  MergeAll(warp);
  return StepEvent::kNone;
}

void ControlFlow::ExecuteReturn(Warp* warp, std::size_t index, std::uint32_t active) {
  const Group group = warp->groups[index];
  const Function& callee = x_.program.functions[x_.program.code[group.pc].As<Return>().function];
  const auto back = [&](unsigned lane) {  // lanes may have come from different calls
    return Group{static_cast<std::uint32_t>(warp->Register(group.frame, kReturnSlot, lane)),
                 static_cast<std::uint32_t>(warp->Register(group.frame, kFrameSlot, lane)), 0};
  };
  ForEachBit(active, [&](unsigned lane) {
    const Group to = back(lane);
    const Call& call = x_.program.calls[x_.program.code[to.pc - 1].As<FunctionCall>().call];
    const std::uint64_t callee_stack = warp->Register(group.frame, kStackSlot, lane);
    const std::uint64_t caller_stack = warp->Register(to.frame, kStackSlot, lane);
    for (std::size_t k = 0; k < call.results.size(); ++k) {
      const Place& result = call.results[k];
      const Parameter& value = callee.returns[k];
      if (result.bytes == 0) {
        warp->Register(to.frame, result.slot, lane) = warp->Register(group.frame, value.slot, lane);
      } else {
        std::memcpy(&warp->local[lane][caller_stack + result.offset],
                    &warp->local[lane][callee_stack + value.offset], result.bytes);
      }
      if (x_.tracks_unknown) {
        unknowns_.SpreadValue(warp, lane, {to.frame, result.slot, result.offset},
                              {group.frame, value.slot, value.offset}, result.bytes);
      }
    }
  });
  Disperse(warp, index, active, back);
}

// The stack grows upwards: what alloca gives begins where it ended.
StepEvent ControlFlow::ExecuteStack(Warp* warp, const Group& group, std::uint32_t active) {
  const Lanes lanes = x_.LanesOf(warp, group, active);
  const auto& i = lanes.instruction.As<StackChange>();
  const Function& function = x_.program.functions[i.function];
  for (std::uint32_t rest = active; rest != 0; rest &= rest - 1) {
    const unsigned lane = First(rest);
    std::uint64_t& added = warp->Register(group.frame, function.top, lane);
    const std::uint64_t base = warp->Register(group.frame, kStackSlot, lane) + function.local_bytes;
    std::uint64_t end = base + added;
    if (i.what == Stacked::kSave) {
      lanes.Write(i.d)[lane] = end;
    } else if (i.what == Stacked::kRestore) {
      end = lanes.Read(i.a)[lane];
    } else {
      const std::uint64_t align = i.alignment;
      const std::uint64_t begin = (end + align - 1) & ~(align - 1);
      const std::uint64_t size = lanes.Read(i.a)[lane];
      lanes.Write(i.d)[lane] = begin;
      end = size > kMaxLocalBytes ? size : (begin + size + 15) & ~std::uint64_t{15};
    }
    if (end < base || end > kMaxLocalBytes) {
      return x_.Fault(*warp, lane, lanes.instruction.line,
                      i.what == Stacked::kRestore ? "restores what is no stack of this function"
                                                  : "the stack is larger than 512 KiB");
    }
    added = end - base;
    if (warp->local[lane].size() < end) {
      warp->local[lane].resize(end);
    }
  }
  return StepEvent::kNone;
}

StepEvent ControlFlow::ExecuteExit(Warp* warp, std::size_t index, std::uint32_t active) {
  Group& group = warp->groups[index];
  // "All of the Tensor Memory that was allocated in a kernel, must be explicitly deallocated before
  // the kernel exits."
  Cta& cta = *warp->cta;
  const bool is_last =
      active == warp->live && cta.exited_warps + 1 == cta.launch->Warps() && cta.tensor != nullptr;
  if (is_last && cta.tensor->allocated() != 0) {
    return x_.Misuse(
        *warp, First(active), x_.program.code[group.pc].line, "tensor_memory_not_released",
        fmt::format("is the last of its CTA to exit, and {} columns of tensor memory are "
                    "allocated, the first at {}",
                    cta.tensor->allocated(), x_.program.Place(cta.tensor->allocated_line())));
  }
  cta.exited_warps += active == warp->live ? 1 : 0;
  if (x_.has_warpgroups && active == warp->live) {
    if (const auto refused = warpgroup_unit_.LeaveWarpgroup(warp, x_.program.code[group.pc].line)) {
      return *refused;
    }
  }
  warp->exited = active;
  warp->exit_line = x_.program.code[group.pc].line;
  warp->exit_from = (active & ~warp->leaving) == 0 ? warp->leaving_at : warp->exit_line;
  warp->live &= ~active;
  if (active == group.lanes) {
    Remove(warp, index);
  } else {
    group.lanes &= ~active;
    Advance(warp, index);
  }
  return StepEvent::kExit;
}

}  // namespace muster::ptx
