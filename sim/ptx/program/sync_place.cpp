// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/program/sync_place.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <variant>

#include "sim/ptx/program/demangle.h"
#include "sim/ptx/syntax/error.h"

namespace muster::ptx {
namespace {

constexpr std::string_view kNothing = "nothing is done";

bool IsClusterWait(const Instruction& i) {
  return i.op == Op::kClusterBarrier && i.As<ClusterBarrier>().op == ClusterForm::kWait;
}

SyncPlace Barrier(const Program& program, const CtaBarrier& barrier) {
  const bool reduces = barrier.d != kNoSlot;
  const char* const form = reduces ? "red" : barrier.kind == OpKind::kArrive ? "arrive" : "sync";
  SyncPlace place;
  place.what = fmt::format("{}.{}", barrier.aligned ? "bar" : "barrier", form);
  if (IsLiteral(barrier.id) && barrier.id != kNoSlot) {
    place.what += fmt::format(" {}", program.literals[LiteralIndex(barrier.id)]);
  }
  place.instead = reduces ? "each thread gets the result of its own predicate" : kNothing;
  return place;
}

SyncPlace Fence(const MemoryFence& fence) {
  constexpr std::string_view kScopes[] = {"cta", "cluster", "gpu", "sys"};
  const std::string_view scope = kScopes[static_cast<unsigned>(fence.ordering.scope)];
  SyncPlace place;
  place.instead = kNothing;
  if (fence.of_maps) {
    place.what = "fence.proxy.tensormap";
  } else if (fence.async) {
    place.what = "fence.proxy.async";
    place.unseen =
        "an mbarrier's init, and loads that a barrier orders before a copy, are taken to need none";
  } else if (fence.of_inits) {
    place.what = "fence.mbarrier_init";
  } else if (fence.ordering.order == Order::kWeak) {
    place.what = "fence.proxy.alias";
    place.untried = "no address is an alias of another one here";
  } else {
    const std::string_view order = fence.sequential                          ? "sc"
                                   : fence.ordering.order == Order::kAcquire ? "acquire"
                                   : fence.ordering.order == Order::kRelease ? "release"
                                                                             : "acq_rel";
    place.what = fmt::format("fence.{}.{}", order, scope);
    place.unseen = "values that only a weaker machine would load are not looked for";
  }
  return place;
}

// Nothing if the instruction does not synchronize.
std::optional<SyncPlace> PlaceOf(const Program& program, const Instruction& i) {
  SyncPlace place;
  place.instead = kNothing;
  switch (i.op) {
    case Op::kBarrier:
      return Barrier(program, i.As<CtaBarrier>());
    case Op::kClusterBarrier:
      place.what = IsClusterWait(i) ? "barrier.cluster.wait" : "barrier.cluster.arrive";
      return place;
    case Op::kFence:
      return Fence(i.As<MemoryFence>());
    case Op::kMbarrier:
      place.what = fmt::format("mbarrier.{}", Name(i.As<Mbarrier>().op));
      place.instead = "it answers true at once";
      return IsMbWait(i.As<Mbarrier>().op) ? std::optional(place) : std::nullopt;
    case Op::kExchange:
      place.what = "bar.warp.sync";
      return i.As<WarpExchange>().op == WarpOp::kSync ? std::optional(place) : std::nullopt;
    case Op::kCopyGroup: {
      const auto& group = i.As<CopyGroup>();
      place.what = fmt::format("cp.async.{}{}", group.bulk ? "bulk." : "",
                               group.op == CopyGroupOp::kWaitAll ? "wait_all" : "wait_group");
      return group.op != CopyGroupOp::kCommit ? std::optional(place) : std::nullopt;
    }
    case Op::kWarpgroupOrder: {
      const WarpgroupOp op = i.As<WarpgroupOrder>().op;
      place.what = op == WarpgroupOp::kFence ? "wgmma.fence" : "wgmma.wait_group";
      return op != WarpgroupOp::kCommit ? std::optional(place) : std::nullopt;
    }
    case Op::kTensorWait:
      place.what = fmt::format("tcgen05.wait::{}", i.As<TensorWait>().stores ? "st" : "ld");
      place.untried = "accesses to tensor memory are done at once here";
      return place;
    case Op::kGridControl:
      place.what = "griddepcontrol.wait";
      place.untried = "there is no grid before this one here";
      return i.As<GridControl>().waits ? std::optional(place) : std::nullopt;
    default:
      return std::nullopt;
  }
}

// Lets the instruction do what is tried instead of it. `program` has the literals.
void Replace(Program* program, Instruction* i) {
  const auto literal = [&](std::uint64_t value) {
    program->literals.push_back(value);
    return LiteralSlot(static_cast<std::uint32_t>(program->literals.size() - 1));
  };
  const auto move = [&](Slot d, Slot a, bool negated) {
    i->op = Op::kMov;
    auto& mov = i->Make<Move>();
    mov.type = Type::kPred;
    mov.d = d;
    mov.a = a;
    mov.negated = negated;
  };
  if (i->op == Op::kMbarrier) {
    move(i->As<Mbarrier>().d, literal(1), false);
  } else if (i->op == Op::kBarrier && i->As<CtaBarrier>().d != kNoSlot) {
    const CtaBarrier barrier = i->As<CtaBarrier>();
    if (barrier.kind != OpKind::kRedPopc) {
      move(barrier.d, barrier.predicate, barrier.negated);
      return;
    }
    i->op = Op::kSelp;
    auto& select = i->Make<Selection>();
    select.type = Type::kU32;
    select.d = barrier.d;
    select.a = {literal(barrier.negated ? 0 : 1), literal(barrier.negated ? 1 : 0)};
    select.c = barrier.predicate;
  } else {
    i->op = Op::kNop;
    i->Make<std::monostate>();
  }
}

// Copies that a compiler has made of an instruction have the same key. Empty: it is no copy.
std::string KeyOf(const Program& program, const SyncPlace& place, std::uint32_t line) {
  std::string key;
  for (const SourcePlace& source : program.sources.At(line)) {
    key += fmt::format("{}:{}:{}\n", source.file, source.line, source.function);
  }
  return key.empty() ? key : key + place.what;
}

}  // namespace

std::vector<SyncPlace> SyncPlacesOf(const Program& program) {
  std::vector<SyncPlace> places;
  places.reserve(program.code.size());       // they stay where they are
  std::map<std::string, std::size_t> known;  // by key
  SyncPlace* arrived = nullptr;  // the latest arrival at a cluster barrier, so far alone
  for (std::uint32_t pc = 0; pc < program.code.size(); ++pc) {
    const Instruction& i = program.code[pc];
    std::optional<SyncPlace> place = PlaceOf(program, i);
    if (!place) {
      continue;
    }
    const bool waits = IsClusterWait(i);
    if (waits && arrived != nullptr) {
      arrived->pcs.push_back(pc);
      arrived->what = "barrier.cluster.arrive and its wait";
      arrived = nullptr;
      continue;
    }
    const std::string key = KeyOf(program, *place, i.line);
    const auto at = key.empty() ? known.end() : known.find(key);
    const std::size_t index = at == known.end() ? places.size() : at->second;
    if (index == places.size()) {
      places.push_back(std::move(*place));
      known.emplace(key, index);
    }
    places[index].pcs.push_back(pc);
    if (i.op == Op::kClusterBarrier && !waits) {
      arrived = &places[index];
    }
  }
  return places;
}

Program Without(Program program, const std::vector<std::uint32_t>& numbers) {
  const std::vector<SyncPlace> places = SyncPlacesOf(program);
  for (const std::uint32_t number : numbers) {
    if (number == 0 || number > places.size()) {
      throw InputError(fmt::format(
          "--without {}: the kernel {} has {} barriers, fences and waits, which muster explore "
          "--needless numbers from 1 on",
          number, Demangled(program.Kernel().name), places.size()));
    }
    const SyncPlace& place = places[number - 1];
    if (!place.untried.empty()) {
      throw InputError(fmt::format("--without {}: {} at {} stays, since {}", number, place.what,
                                   program.Where(program.code[place.pcs.front()].line),
                                   place.untried));
    }
    for (const std::uint32_t pc : place.pcs) {
      Replace(&program, &program.code[pc]);
    }
  }
  return program;
}

}  // namespace muster::ptx
