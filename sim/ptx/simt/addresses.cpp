// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// What is computed of addresses: cvta, isspacep, mapa, getctarank.
#include <algorithm>

#include "sim/isa/bits.h"
#include "sim/ptx/simt/memory_access.h"

namespace muster::ptx {

void MemoryAccess::ExecuteAddress(Warp* warp, const Lanes& lanes) {
  const Op op = lanes.instruction.op;
  const auto& i = lanes.instruction.As<AddressConversion>();
  std::uint64_t* const d = lanes.Write(i.d);
  const auto a = lanes.Read(i.a);
  if (op != Op::kIsSpace) {
    const std::uint64_t window = WindowOf(i.space);
    const std::uint64_t add = op == Op::kCvta ? window : ~window + 1;
    lanes.ForEach([&](unsigned lane) { d[lane] = a[lane] + add; });
    return;
  }
  lanes.ForEach([&](unsigned lane) {
    const std::uint64_t segment = SegmentOf(a[lane]);
    const Cta* const cta = segment == kSharedSegment ? CtaAt(*warp, ByteOf(a[lane])) : nullptr;
    d[lane] = i.space == Space::kGlobal    ? IsInGlobalWindow(segment)
              : i.space == Space::kShared  ? cta == warp->cta
              : i.space == Space::kCluster ? cta != nullptr
              : i.space == Space::kLocal   ? segment == kLocalSegment
              : i.space == Space::kConst   ? segment == kConstSegment
                                           : segment == kParamSegment;
  });
}

// mapa and getctarank. Compilers carry them out ahead of the branch that guards them: what they
// make of an address or a rank that is none is refused where it is used.
void MemoryAccess::ExecuteMap(const Warp& warp, const Lanes& lanes) {
  const auto& i = lanes.instruction.As<ClusterMapping>();
  const auto a = lanes.Read(i.a);
  std::uint64_t* const d = lanes.Write(i.d);
  const bool generic = i.space == Space::kGeneric;
  const std::uint64_t window = generic ? WindowOf(Space::kCluster) : 0;
  lanes.ForEach([&](unsigned lane) {
    const bool shared = !generic || SegmentOf(a[lane]) == kSharedSegment;
    const Cta* const cta = shared ? CtaAt(warp, ByteOf(a[lane])) : nullptr;
    if (lanes.instruction.op == Op::kRankOf) {
      d[lane] = cta == nullptr ? 0xffffffff : cta->rank;
      return;
    }
    const std::uint64_t rank =
        cta == nullptr ? kNoRank : std::min<std::uint64_t>(lanes.Read(i.rank)[lane], kNoRank);
    d[lane] = window + ClusterAddress(static_cast<unsigned>(rank), ByteOf(a[lane]));
  });
}

}  // namespace muster::ptx
