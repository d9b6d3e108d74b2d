// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/simt/address_space.h"

#include <fmt/format.h>

#include "sim/ptx/program/address.h"

namespace muster::ptx {
namespace {

// An mbarrier of another CTA is not to be stored over: that CTA's unit would not know.
bool IsMbarrier(const Cta& cta, std::uint64_t byte, unsigned bytes) {
  return cta.port != nullptr && cta.port->Watches(cta.slot, byte, bytes);
}

}  // namespace

std::string Moves(unsigned bytes, bool write) {
  return fmt::format("{} {} byte{}", write ? "writes" : "reads", bytes, bytes == 1 ? "" : "s");
}

Cta* CtaAt(const Warp& warp, std::uint64_t shared) {
  const std::uint64_t field = RankField(shared);
  if (field == 0) {
    return warp.cta;
  }
  const std::vector<Cta*>& ctas = warp.cta->cluster->ctas;
  return field <= ctas.size() ? ctas[field - 1] : nullptr;
}

std::uint8_t* AddressSpace::Resolve(Warp* warp, unsigned lane, Space space, std::uint64_t address,
                                    unsigned bytes, bool write) const {
  return (address & (bytes - 1)) != 0 ? nullptr : Reach(warp, lane, space, address, bytes, write);
}

std::uint8_t* AddressSpace::Reach(Warp* warp, unsigned lane, Space space, std::uint64_t address,
                                  unsigned bytes, bool write) const {
  if (space == Space::kGeneric) {
    const std::uint64_t segment = SegmentOf(address);
    space = segment == kSharedSegment  ? Space::kCluster
            : segment == kLocalSegment ? Space::kLocal
                                       : Space::kGlobal;
    if (space != Space::kGlobal) {
      address = ByteOf(address);
    }
  } else if (space == Space::kGlobal) {
    if (!IsInGlobalWindow(SegmentOf(address))) {
      return nullptr;
    }
  }
  if (IsShared(space)) {
    Cta* const cta = CtaAt(*warp, address);
    const bool reached =
        cta == warp->cta || (cta != nullptr && space == Space::kCluster && !cta->exited);
    const std::uint64_t byte = SharedByte(address);
    if (cta != warp->cta && reached && write && IsMbarrier(*cta, byte, bytes)) {
      return nullptr;
    }
    if (!reached || byte >= cta->shared.size() || cta->shared.size() - byte < bytes) {
      return nullptr;
    }
    return cta->shared.data() + byte;
  }
  if (space == Space::kLocal) {
    std::vector<std::uint8_t>& memory = warp->local[lane];
    if (address >= memory.size() || memory.size() - address < bytes) {
      return nullptr;
    }
    return memory.data() + address;
  }
  return memory_->Find(InMemory(*warp, address), bytes, write);
}

UnknownPlace AddressSpace::UnknownAt(Warp* warp, unsigned lane, Space space,
                                     std::uint64_t address) const {
  const std::uint64_t segment = SegmentOf(address);
  const bool generic = space == Space::kGeneric;
  if (IsShared(space) || (generic && segment == kSharedSegment)) {
    const std::uint64_t shared = generic ? ByteOf(address) : address;
    Cta* const cta = CtaAt(*warp, shared);
    return {cta == nullptr ? &warp->cta->unknown : &cta->unknown, SharedByte(shared)};
  }
  if (space == Space::kLocal || (generic && segment == kLocalSegment)) {
    return {&warp->unknown_stacks, std::uint64_t{lane} << kStackBits | ByteOf(address)};
  }
  return {&memory_->unknown(), address};
}

std::string AddressSpace::DescribeAccess(const Warp& warp, Space space, std::uint64_t address,
                                         unsigned bytes, bool write) const {
  return (address & (bytes - 1)) == 0 ? DescribeReach(warp, space, address, bytes, write)
                                      : fmt::format("{} at {:#x}, which is not a multiple of {}",
                                                    Moves(bytes, write), address, bytes);
}

std::string AddressSpace::DescribeReach(const Warp& warp, Space space, std::uint64_t address,
                                        unsigned bytes, bool write) const {
  const std::string access = Moves(bytes, write);
  const std::uint64_t segment = SegmentOf(address);
  if (IsShared(space) || (space == Space::kGeneric && segment == kSharedSegment)) {
    const std::uint64_t shared = IsShared(space) ? address : ByteOf(address);
    const Cta* const cta = CtaAt(warp, shared);
    const std::size_t ctas = warp.cta->cluster->ctas.size();
    if (cta == nullptr && ctas != 1 && RankField(shared) <= kNoRank) {
      return fmt::format("{} of the CTA with rank {}, in a cluster of {} CTAs", access,
                         RankField(shared) - 1, ctas);
    }
    if (cta == nullptr && RankField(shared) == kNoRank + 1) {
      return access +
             " at what mapa made of no address of the cluster's shared memory, or of no rank";
    }
    if (cta == nullptr || cta == warp.cta) {
      return fmt::format("{} at byte {} of shared memory, of which the CTA has {}", access,
                         cta == nullptr ? shared : SharedByte(shared), warp.cta->shared.size());
    }
    const std::string other = fmt::format("the CTA with rank {} of the cluster", cta->rank);
    if (space == Space::kShared) {
      return fmt::format("{} of {}, which only .shared::cluster and generic addresses reach",
                         access, other);
    }
    if (cta->exited) {
      return fmt::format(
          "{} of shared memory of {}, which has exited: it must stay until "
          "barrier.cluster says that nobody needs it",
          access, other);
    }
    if (IsMbarrier(*cta, SharedByte(shared), bytes)) {
      return fmt::format("{} over an mbarrier of {}", access, other);
    }
    return fmt::format("{} at byte {} of shared memory of {}, which has {}", access,
                       SharedByte(shared), other, cta->shared.size());
  }
  if (space == Space::kLocal || (space == Space::kGeneric && segment == kLocalSegment)) {
    return fmt::format("{} at byte {} of local memory, which is not the thread's", access,
                       space == Space::kLocal ? address : ByteOf(address));
  }
  const Region* const region = memory_->RegionAt(InMemory(warp, address));
  if (region != nullptr && !region->copies.empty()) {
    return fmt::format("{} of {}, which multimem instructions alone access", access, region->name);
  }
  if (region != nullptr && !region->name.empty()) {
    if (ByteOf(address) + bytes <= region->bytes.size()) {
      return fmt::format("{} at byte {} of {}, which that instruction cannot reach", access,
                         ByteOf(address), region->name);
    }
    return fmt::format("{} at byte {} of {}, which has {}", access, ByteOf(address), region->name,
                       region->bytes.size());
  }
  // Below a buffer: the address has run back into the gap before it.
  const Region* const next = memory_->RegionAt(address + kSegmentBytes);
  if (next != nullptr && !next->name.empty() && ByteOf(address) > kSegmentBytes / 2) {
    return fmt::format("{} at byte -{} of {}", access, kSegmentBytes - ByteOf(address), next->name);
  }
  return fmt::format("{} at {:#x}, where there is no memory", access, address);
}

}  // namespace muster::ptx
