// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/simt/execution.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/isa/bits.h"
#include "sim/isa/warp_size.h"
#include "sim/ptx/program/registers.h"

namespace muster::ptx {

Execution::Execution(const Program& of_program, const Launch& of_launch, Memory* in_memory,
                     std::uint64_t seed)
    : program(of_program),
      launch(of_launch),
      memory(in_memory),
      space(in_memory),
      random(seed),
      tracks_unknown(in_memory->origins().possible =
                         in_memory->origins().possible || !of_program.opaque.empty()),
      has_warpgroups(std::any_of(of_program.code.begin(), of_program.code.end(),
                                 [](const Instruction& i) { return IsOfWarpgroup(i.op); })) {}

std::uint32_t Execution::Active(const Warp& warp, const Group& group, const Instruction& i) const {
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

Lanes Execution::LanesOf(Warp* warp, const Group& group, std::uint32_t lanes) const {
  return {program.code[group.pc], &warp->registers[std::size_t{group.frame} * kWarpSize],
          program.literals.data(), lanes};
}

std::uint32_t Execution::ValueOf(const Warp& warp, const Group& group, Slot slot,
                                 unsigned lane) const {
  return static_cast<std::uint32_t>(
      IsLiteral(slot)
          ? program.literals[LiteralIndex(slot)]
          : warp.registers[(std::size_t{group.frame} + static_cast<unsigned>(slot)) * kWarpSize +
                           lane]);
}

// Whether the CTA has enough of what the group waits for.
bool Execution::MayTake(const Warp& warp, const Group& group) const {
  const Cta& cta = *warp.cta;
  const Instruction& i = program.code[group.pc];
  if (i.op == Op::kRegisterLimit) {
    const std::uint32_t own = cta.registers.of_warp[warp.first_thread / kWarpSize];
    const std::uint32_t wanted = i.As<RegisterLimit>().count;
    return wanted <= own || wanted - own <= cta.registers.free;
  }
  const std::uint32_t columns =
      ValueOf(warp, group, i.As<TensorAllocation>().columns, First(group.lanes));
  return cta.tensor == nullptr || !TensorMemory::IsSize(columns) ||
         cta.tensor->Free(columns).has_value();
}

std::string Execution::ThreadName(const Warp& warp, unsigned lane) const {
  const auto thread = PointOf(warp.first_thread + lane, warp.cta->launch->block);
  return fmt::format("thread ({},{},{}) of CTA {}", thread[0], thread[1], thread[2],
                     launch.CtaName(warp.cta->linear_id));
}

StepEvent Execution::Fault(const Warp& warp, unsigned lane, std::uint32_t line,
                           const std::string& what) {
  problem.what = fmt::format("{}: {}", ThreadName(warp, lane), what);
  problem.line = line;
  problem.lanes = 1U << lane;
  return StepEvent::kFault;
}

StepEvent Execution::Misuse(const Warp& warp, unsigned lane, std::uint32_t line, const char* cause,
                            const std::string& what) {
  Fault(warp, lane, line, what);
  problem.cause = cause;
  return StepEvent::kMisuse;
}

}  // namespace muster::ptx
