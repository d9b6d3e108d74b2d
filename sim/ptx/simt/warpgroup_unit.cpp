// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/simt/warpgroup_unit.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "sim/isa/bits.h"
#include "sim/ptx/program/registers.h"

namespace muster::ptx {

// All lanes of a warp have come.
StepEvent WarpgroupUnit::ExecuteWarpgroup(Warp* warp, std::size_t index) {
  const Group group = warp->groups[index];
  const Lanes lanes = x_.LanesOf(warp, group, group.lanes);
  const auto* const order = std::get_if<WarpgroupOrder>(&lanes.instruction.payload);
  if (group.state != Group::State::kReady) {
    --warp->held;
    warp->groups[index].state = Group::State::kReady;
  }
  if (order != nullptr && order->op == WarpgroupOp::kWait &&
      !warp->products.Done(order->groups, false)) {
    --x_.warp_instructions;  // it comes again
    x_.thread_instructions -= kWarpSize;
    return StepEvent::kNone;
  }
  StartedProduct product;
  if (order == nullptr) {
    if (const auto refused = Prepare(warp, lanes, group.frame, &product)) {
      return *refused;
    }
  }
  if (const auto refused = RefusePartial(*warp, lanes.instruction.line)) {
    return *refused;
  }
  if (const auto refused = JoinWarpgroup(warp, {group.pc, product.matrices})) {
    return *refused;
  }
  if (order == nullptr) {
    if (const auto refused = TakeFragments(warp, lanes, group.frame)) {
      return *refused;
    }
    Start(warp, lanes.instruction, product);
  } else if (order->op == WarpgroupOp::kFence) {
    warp->fragments.Fence();
  } else if (order->op == WarpgroupOp::kCommit) {
    warp->products.Commit();
    warp->fragments.Commit();
  } else {
    warp->fragments.Wait(order->groups);
  }
  Advance(warp, index);
  return StepEvent::kNone;
}

// The block has a whole warpgroup of four warps there.
std::optional<StepEvent> WarpgroupUnit::RefusePartial(const Warp& warp, std::uint32_t line) {
  const unsigned warps =
      warp.cta->warpgroups[warp.first_thread / kWarpSize / kWarpgroupWarps].warps();
  return warps == kWarpgroupWarps
             ? std::nullopt
             : std::optional(x_.Misuse(
                   warp, 0, line, "partial_warpgroup",
                   fmt::format("comes to an instruction of four warps, of which its block has {}",
                               warps)));
}

// "All threads in the warpgroup must execute the same [...] instruction", with the same
// descriptors.
std::optional<StepEvent> WarpgroupUnit::JoinWarpgroup(Warp* warp, const Warpgroup::Step& step) {
  const std::uint32_t line = x_.program.code[step.pc].line;
  const unsigned index = warp->first_thread / kWarpSize;
  Warpgroup& warpgroup = warp->cta->warpgroups[index / kWarpgroupWarps];
  const auto differs = warpgroup.Join(index % kWarpgroupWarps, step);
  if (!differs) {
    return std::nullopt;
  }
  const unsigned other = index / kWarpgroupWarps * kWarpgroupWarps + differs->warp;
  if (!differs->step) {
    return x_.Misuse(
        *warp, 0, line, "partial_warpgroup",
        fmt::format("comes to an instruction of four warps, of which warp {} has exited", other));
  }
  const std::string where = x_.program.Place(x_.program.code[differs->step->pc].line);
  if (differs->step->pc != step.pc) {
    return x_.Misuse(*warp, 0, line, "partial_warpgroup",
                     fmt::format("comes to an instruction of four warps, where warp {} has come to "
                                 "that of {}",
                                 other, where));
  }
  return x_.Misuse(*warp, 0, line, "divergent_operand",
                   fmt::format("names other matrices than warp {} of its warpgroup", other));
}

std::optional<StepEvent> WarpgroupUnit::LeaveWarpgroup(Warp* warp, std::uint32_t line) {
  const unsigned index = warp->first_thread / kWarpSize;
  const auto differs =
      warp->cta->warpgroups[index / kWarpgroupWarps].Leave(index % kWarpgroupWarps);
  if (!differs) {
    return std::nullopt;
  }
  return x_.Misuse(
      *warp, First(warp->live), line, "partial_warpgroup",
      fmt::format("exits, where warp {} has come to the instruction of four warps of {}",
                  index / kWarpgroupWarps * kWarpgroupWarps + differs->warp,
                  x_.program.Place(x_.program.code[differs->step->pc].line)));
}

// Reads the operands that are the same for all lanes, and looks whether the matrices are there.
std::optional<StepEvent> WarpgroupUnit::Prepare(Warp* warp, const Lanes& lanes, std::uint32_t frame,
                                                StartedProduct* product) {
  const auto& i = lanes.instruction.As<WarpgroupProduct>();
  const std::uint32_t line = lanes.instruction.line;
  std::uint64_t scale = 0;
  const std::pair<Slot, std::uint64_t*> uniform[] = {
      {i.a_matrix, &product->matrices[0]}, {i.b_matrix, &product->matrices[1]}, {i.scale, &scale}};
  for (const auto& [slot, value] : uniform) {
    if (slot == kNoSlot) {
      continue;
    }
    const auto values = lanes.Read(slot);
    *value = values[0];
    for (unsigned lane = 1; lane < kWarpSize; ++lane) {
      if (values[lane] != values[0]) {
        return x_.Misuse(*warp, lane, line, "divergent_operand",
                         "has another descriptor or scale-d than lane 0 of its warp");
      }
    }
  }
  if (i.sparse) {
    const auto metadata = lanes.Read(i.metadata);
    for (unsigned lane = 0; lane < kWarpSize; ++lane) {
      product->metadata[lane] = static_cast<std::uint32_t>(metadata[lane]);
    }
  }
  product->instruction = &i;
  product->warp = warp;
  product->frame = frame;
  product->adds = (scale != 0) != i.scale_negated;
  if (i.sparse && UnknownIn(*warp, frame, {i.metadata}, warp->live, nullptr) == 0) {
    const SparseColumns columns(product->Rows());
    if (const auto lane = columns.BadLane()) {
      return x_.Misuse(*warp, *lane, line, "bad_metadata", columns.Complaint(*lane));
    }
  }
  const std::size_t size = warp->cta->shared.size();
  for (const auto& [at, bytes] : product->Ranges()) {
    if (at + bytes > size) {
      return x_.Misuse(
          *warp, 0, line, "bad_descriptor",
          fmt::format("names a matrix that goes on to byte {} of shared memory, of which "
                      "the CTA has {}: its descriptors are {:#018x} and {:#018x}",
                      at + bytes - 1, size, product->matrices[0], product->matrices[1]));
    }
  }
  return std::nullopt;
}

// "wgmma.fence must be used to order register accesses between wgmma.mma_async and other
// operations", but for accumulators of one shape.
std::optional<StepEvent> WarpgroupUnit::TakeFragments(Warp* warp, const Lanes& lanes,
                                                      std::uint32_t frame) {
  const auto& i = lanes.instruction.As<WarpgroupProduct>();
  const std::uint32_t line = lanes.instruction.line;
  Fragments& fragments = warp->fragments;
  if (!fragments.IsFenced()) {
    return x_.Misuse(*warp, 0, line, "wgmma_without_fence",
                     "comes to the first wgmma.mma_async of its warp without a wgmma.fence");
  }
  Fragments::Use use;
  use.pc = static_cast<std::uint32_t>(&lanes.instruction - x_.program.code.data());
  use.n = i.n;
  use.depth = PackedIn(i.a_type);
  const auto place = [&](std::uint32_t pc) { return x_.program.Place(x_.program.code[pc].line); };
  const auto take = [&](Slot slot, bool accumulates) -> std::optional<StepEvent> {
    const std::uint32_t reg = frame + static_cast<std::uint32_t>(slot);
    if (const auto by = fragments.TouchedBy(reg)) {
      return x_.Misuse(*warp, 0, line, "wgmma_without_fence",
                       fmt::format("has a register that {} reads or writes, with no wgmma.fence "
                                   "between",
                                   place(*by)));
    }
    if (const auto other = fragments.InFlight(reg)) {
      const bool alike = other->accumulates == accumulates;
      const bool same = other->n == i.n && other->depth == use.depth;
      if (!alike || (accumulates && !same && !other->fenced)) {
        return x_.Misuse(
            *warp, 0, line, "wgmma_in_flight",
            fmt::format("has a register of the product of {}, which is in flight and {}",
                        place(other->pc),
                        alike ? "of another shape" : "uses it for another matrix"));
      }
    }
    use.accumulates = accumulates;
    fragments.Take(reg, use);
    return std::nullopt;
  };
  for (const Slot slot : i.d) {
    if (const auto refused = take(slot, true)) {
      return refused;
    }
  }
  for (const Slot slot : i.a) {
    if (slot != kNoSlot) {
      if (const auto refused = take(slot, false)) {
        return refused;
      }
    }
  }
  return std::nullopt;
}

void WarpgroupUnit::Start(Warp* warp, const Instruction& instruction,
                          const StartedProduct& product) {
  if (x_.tracks_unknown) {
    Origin origin = UnknownIn(*warp, product.frame, SourcesOf(instruction), warp->live, nullptr);
    for (const auto& [at, bytes] : product.Ranges()) {
      origin = origin != 0 ? origin : warp->cta->unknown.Find(at, bytes);
    }
    SetUnknown(warp, product.frame, ResultsOf(instruction), warp->live, origin);
  }
  Transfer transfer;
  transfer.kind = Transfer::Kind::kProduct;
  transfer.from = warp->cta;
  transfer.product = product;
  copies_.StartTransfer(warp, 0, instruction, &warp->products, std::move(transfer));
}

// "setmaxnreg.inc blocks the execution until enough registers are available in the CTA's register
// pool": nothing. Where it is not known how many a thread has, there is no effect.
std::optional<StepEvent> WarpgroupUnit::SetRegisters(Warp* warp, const Group& group) {
  const Instruction& i = x_.program.code[group.pc];
  const auto& limit = i.As<RegisterLimit>();
  if (const auto refused = RefusePartial(*warp, i.line)) {
    return *refused;
  }
  RegisterPool& pool = warp->cta->registers;
  std::uint32_t& own = pool.of_warp[warp->first_thread / kWarpSize];
  const bool known = warp->cta->launch->registers != 0;
  if (x_.accesses != nullptr && known) {
    x_.accesses->OnResource(*warp);
  }
  const bool fewer = limit.more && limit.count < own;
  if (known && (fewer ? !warp->cta->launch->registers_at_most : !limit.more && limit.count > own)) {
    return x_.Misuse(
        *warp, 0, i.line, "bad_register_count",
        fmt::format("sets the number of its registers to {}, with .{}, where it has {}",
                    limit.count, limit.more ? "inc" : "dec", own));
  }
  if (known && !x_.MayTake(*warp, group)) {
    return std::nullopt;
  }
  if (const auto refused = JoinWarpgroup(warp, {group.pc, {}, limit})) {
    return *refused;
  }
  if (known) {
    x_.released |= limit.count < own;
    pool.free += own - limit.count;  // wraps where there will be less
    own = limit.count;
  }
  return StepEvent::kNone;
}

// "setmaxnreg for 232 registers a thread: its launch has given 128 to each, warps 0 to 3 have 40",
// and so on.
std::string WarpgroupUnit::DescribeRegisters(const Warp& warp) const {
  const RegisterPool& pool = warp.cta->registers;
  std::vector<std::string> have;
  for (std::size_t first = 0; first < pool.of_warp.size();) {
    std::size_t last = first;
    while (last + 1 < pool.of_warp.size() && pool.of_warp[last + 1] == pool.of_warp[first] &&
           (last + 1) % kWarpgroupWarps != 0) {
      ++last;
    }
    have.push_back(fmt::format("{} {}",
                               first == last ? fmt::format("warp {} has", first)
                                             : fmt::format("warps {} to {} have", first, last),
                               pool.of_warp[first]));
    first = last + 1;
  }
  const auto group = std::find_if(warp.groups.begin(), warp.groups.end(), [](const Group& one) {
    return one.state == Group::State::kAwaitsResource;
  });
  return fmt::format(
      "setmaxnreg for {} registers a thread, of which the launch gave {}, {}, and {} "
      "are free for the threads of one warp",
      x_.program.code[group->pc].As<RegisterLimit>().count, warp.cta->launch->registers,
      fmt::join(have, ", "), pool.free);
}

// "Accessing the registers [...] before the wait_group [...] is undefined."
std::optional<StepEvent> WarpgroupUnit::TouchFragments(Warp* warp, const Group& group,
                                                       std::uint32_t active) {
  const Instruction& i = x_.program.code[group.pc];
  std::vector<Slot> slots = SourcesOf(i);
  const std::vector<Slot> results = ResultsOf(i);
  slots.insert(slots.end(), results.begin(), results.end());
  for (const Slot slot : slots) {
    if (IsLiteral(slot)) {
      continue;
    }
    const auto use =
        warp->fragments.Touch(group.frame + static_cast<std::uint32_t>(slot), group.pc);
    if (use) {
      return x_.Misuse(
          *warp, First(active), i.line, "wgmma_in_flight",
          fmt::format("reads or writes a register of the wgmma.mma_async of {}, for which "
                      "no wgmma.wait_group has waited",
                      x_.program.Place(x_.program.code[use->pc].line)));
    }
  }
  return std::nullopt;
}

}  // namespace muster::ptx
