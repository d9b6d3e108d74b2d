// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/simt/unknowns.h"

#include <fmt/format.h>

#include "sim/isa/bits.h"
#include "sim/ptx/program/op_class.h"
#include "sim/ptx/program/registers.h"

namespace muster::ptx {
namespace {

// What an instruction cannot do without, and what it does with that.
struct Need {
  std::vector<Slot> slots;
  const char* what = "has an operand";
  bool all = false;  // so that its results are known
};
Need NeedOf(const Instruction& i) {
  switch (i.op) {
    case Op::kLoad:
      return {{i.As<Load>().address.base}, "reads at an address"};
    case Op::kStore:
      return {{i.As<Store>().address.base}, "writes at an address"};
    case Op::kAtomic:
      return {{i.As<AtomicAccess>().address.base}, "swaps at an address"};
    case Op::kSurface: {
      const auto& surface = i.As<SurfaceAccess>();
      Need need{{surface.surface, surface.layer}, "names a place of a surface"};
      need.slots.insert(need.slots.end(), surface.coordinates.begin(), surface.coordinates.end());
      return need;
    }
    case Op::kTexture:
      return {SourcesOf(i), "names a place of a texture"};
    case Op::kMultimem:
      return {{i.As<MultimemAccess>().address.base}, "accesses an address"};
    case Op::kStoreAsync: {
      const auto& store = i.As<AsyncStore>();
      return {{store.address.base, store.mbarrier}, "writes at an address"};
    }
    case Op::kExchange: {
      const auto& exchange = i.As<WarpExchange>();
      return {{exchange.members, exchange.from, exchange.clamp}};
    }
    case Op::kTensorAccess:
      return {{i.As<TensorAccess>().address}, "names an address of tensor memory"};
    case Op::kWarpgroupProduct: {
      const auto& product = i.As<WarpgroupProduct>();
      return {{product.a_matrix, product.b_matrix, product.scale}, "has a descriptor or scale-d"};
    }
    case Op::kMatrixProduct:
    case Op::kMatrixLayout:
    case Op::kOpaque:
      return {};
    default:
      return {SourcesOf(i), "has an operand", true};
  }
}

bool IsArithmetic(const Instruction& i) {
  const OpClass of = OpClassOf(i);
  return (of == OpClass::kAlu || of == OpClass::kVolatile) && i.op != Op::kFence;
}

}  // namespace

StepEvent Unknowns::RefuseUnknown(const Warp& warp, unsigned lane, std::uint32_t line,
                                  const char* what, Origin origin) {
  return x_.Misuse(
      warp, lane, line, "unknown_value",
      fmt::format("{} that is not known: it depends on what {} has written, which is not "
                  "computed",
                  what, x_.memory->origins().NameOf(origin)));
}

// Of the instruction that the group is about to execute. Arithmetic is carried out, with results
// that may be unknown; of other instructions, their results are told of when they have them.
std::optional<StepEvent> Unknowns::MeetUnknown(Warp* warp, const Group& group,
                                               std::uint32_t active) {
  const Instruction& i = x_.program.code[group.pc];
  const bool computes = IsArithmetic(i);
  unsigned lane = 0;
  if (const Origin origin = UnknownIn(*warp, group.frame, {i.guard}, group.lanes, &lane)) {
    if (!computes) {
      return RefuseUnknown(*warp, lane, i.line, "has a guard", origin);
    }
    ForEachBit(group.lanes, [&](unsigned of) {
      const Origin own = UnknownIn(*warp, group.frame, {i.guard}, 1U << of, nullptr);
      if (own != 0) {
        SetUnknown(warp, group.frame, ResultsOf(i), 1U << of, own);
        active &= ~(1U << of);
      }
    });
  }
  if (computes) {
    const std::vector<Slot> sources = SourcesOf(i);
    const std::vector<Slot> results = ResultsOf(i);
    const Lanes lanes = x_.LanesOf(warp, group, active);
    ForEachBit(active, [&](unsigned of) {
      const auto in = [&](const std::vector<Slot>& slots) {
        return UnknownIn(*warp, group.frame, slots, 1U << of, nullptr);
      };
      Origin origin = in(sources);
      if (i.op == Op::kSelp && origin != 0) {  // what is not selected does not matter
        const auto& selection = i.As<Selection>();
        origin = in({selection.c, selection.a[lanes.Read(selection.c)[of] != 0 ? 0 : 1]});
      }
      SetUnknown(warp, group.frame, results, 1U << of, origin);
    });
    return std::nullopt;
  }
  const Need need = NeedOf(i);
  if (const Origin origin = UnknownIn(*warp, group.frame, need.slots, active, &lane)) {
    return RefuseUnknown(*warp, lane, i.line, need.what, origin);
  }
  if (i.op == Op::kRuntime) {
    ForEachBit(active,
               [&](unsigned of) { lane = UnknownOnStack(warp, group, of) != 0 ? of : lane; });
    if (const Origin origin = UnknownOnStack(warp, group, lane)) {
      return RefuseUnknown(*warp, lane, i.line, "is given a value on its stack", origin);
    }
  }
  if (need.all) {
    SetUnknown(warp, group.frame, ResultsOf(i), active, 0);
  }
  return std::nullopt;
}

// What the lane's frame has in memory from its beginning on.
Origin Unknowns::UnknownOnStack(Warp* warp, const Group& group, unsigned lane) const {
  const UnknownPlace stack =
      x_.space.UnknownAt(warp, lane, Space::kLocal, warp->Register(group.frame, kStackSlot, lane));
  return stack.bytes->Find(stack.at, (std::uint64_t{lane} + 1) * (1U << kStackBits) - stack.at);
}

// Returns the lanes that make a difference to what is known of memory. Of lanes that store to one
// place any may be the last.
std::uint32_t Unknowns::SpreadAccess(Warp* warp, const Lanes& lanes, std::uint32_t frame) {
  const Instruction& i = lanes.instruction;
  const Access& access = AccessOf(i);
  const unsigned bytes = Bytes(access.type);
  const auto base = lanes.Read(access.address.base);
  const auto place = [&](unsigned of) {
    return x_.space.UnknownAt(warp, of, access.address.space, access.address.From(base[of]));
  };
  std::uint32_t changes = 0;
  if (i.op == Op::kLoad) {
    const auto& load = i.As<Load>();
    lanes.ForEach([&](unsigned of) {
      const UnknownPlace from = place(of);
      for (unsigned k = 0; k < load.count; ++k) {
        SetUnknown(warp, frame, {load.d[k]}, 1U << of,
                   from.bytes->Find(from.at + std::uint64_t{k} * bytes, bytes));
      }
    });
    return 0;
  }
  if (i.op == Op::kStore) {
    const auto& store = i.As<Store>();
    for (const bool known : {true, false}) {
      lanes.ForEach([&](unsigned of) {
        const UnknownPlace to = place(of);
        for (unsigned k = 0; k < store.count; ++k) {
          const Origin origin = UnknownIn(*warp, frame, {store.values[k]}, 1U << of, nullptr);
          if ((origin == 0) == known &&
              to.bytes->Set(to.at + std::uint64_t{k} * bytes, bytes, origin)) {
            changes |= 1U << of;
          }
        }
      });
    }
    return changes;
  }
  // What is there once was unknown stays so, whichever lane comes first.
  const auto& atomic = i.As<AtomicAccess>();
  const std::uint64_t all = std::uint64_t{bytes} * atomic.count;
  std::vector<Slot> sources(atomic.b.begin(), atomic.b.end());
  sources.insert(sources.end(), atomic.c.begin(), atomic.c.end());
  lanes.ForEach([&](unsigned of) {
    const UnknownPlace at = place(of);
    const Origin origin = UnknownIn(*warp, frame, sources, 1U << of, nullptr);
    changes |= (origin != 0 && at.bytes->Set(at.at, all, origin) ? 1U : 0U) << of;
  });
  lanes.ForEach([&](unsigned of) {
    const UnknownPlace at = place(of);
    SetUnknown(warp, frame, ResultsOf(i), 1U << of, at.bytes->Find(at.at, all));
  });
  return changes;
}

Origin Unknowns::OriginOf(std::uint32_t opaque, std::uint32_t line) {
  return x_.memory->origins().Number(
      fmt::format("{} ({})", x_.program.opaque[opaque], x_.program.Where(line)));
}

// Of an instruction that all lanes of the warp execute together: a fragment has elements of them
// all.
void Unknowns::SpreadMatrix(Warp* warp, const Lanes& lanes, std::uint32_t frame) {
  const Instruction& i = lanes.instruction;
  Origin origin = UnknownIn(*warp, frame, SourcesOf(i), lanes.mask, nullptr);
  if (i.op == Op::kOpaque) {
    origin = OriginOf(i.As<Opaque>().text, i.line);
  }
  SetUnknown(warp, frame, ResultsOf(i), lanes.mask, origin);
}

// Parameters and results of a function: from a lane's frame to another one.
void Unknowns::SpreadValue(Warp* warp, unsigned lane, const FramePlace& to, const FramePlace& from,
                           std::uint32_t bytes) {
  if (bytes == 0) {
    SetUnknown(warp, to.frame, {to.slot}, 1U << lane,
               UnknownIn(*warp, from.frame, {from.slot}, 1U << lane, nullptr));
    return;
  }
  const auto place = [&](const FramePlace& of) {
    return x_.space
        .UnknownAt(warp, lane, Space::kLocal,
                   warp->Register(of.frame, kStackSlot, lane) + of.offset)
        .at;
  };
  warp->unknown_stacks.Copy(place(to), warp->unknown_stacks, place(from), bytes);
}

}  // namespace muster::ptx
