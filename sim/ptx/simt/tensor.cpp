// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// cp.async.bulk.tensor and its reductions and prefetches, and tensormap.replace.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "sim/isa/bits.h"
#include "sim/ptx/simt/async_copies.h"
#include "sim/ptx/simt/tensor_copy.h"

namespace muster::ptx {
namespace {

constexpr const char* kBadMap = "bad_tensor_map";
constexpr const char* kBadCopy = "bad_tensor_copy";
constexpr unsigned kMbarrierBytes = 8;

// Whether elements of that type can be reduced so (PTX, cp.reduce.async.bulk.tensor).
bool Reduces(TensorElement element, Atomic op) {
  const auto is_one_of = [&](std::initializer_list<TensorElement> elements) {
    return std::find(elements.begin(), elements.end(), element) != elements.end();
  };
  using E = TensorElement;
  switch (op) {
    case Atomic::kAdd:
      return is_one_of(
          {E::kU32, E::kS32, E::kU64, E::kF32, E::kF32Ftz, E::kF64, E::kF16, E::kBF16});
    case Atomic::kMin:
    case Atomic::kMax:
      return is_one_of({E::kU32, E::kS32, E::kU64, E::kS64, E::kF16, E::kBF16});
    case Atomic::kIncrement:
    case Atomic::kDecrement:
      return element == E::kU32;
    default:
      return is_one_of({E::kU32, E::kS32, E::kU64, E::kS64});
  }
}

void Set(const TensorReplace& i, std::uint64_t value, TensorMap* map) {
  const auto narrow = static_cast<std::uint32_t>(value);
  switch (i.field) {
    case TensorField::kGlobalAddress:
      map->address = value;
      break;
    case TensorField::kRank:
      map->rank = static_cast<std::uint8_t>(std::min<std::uint32_t>(narrow, kMaxTensorRank) + 1);
      break;
    case TensorField::kBoxDim:
      map->box[i.ordinal] = std::min<std::uint32_t>(narrow, 0xffff);
      break;
    case TensorField::kGlobalDim:
      map->dims[i.ordinal] = narrow;
      break;
    case TensorField::kGlobalStride:
      map->strides[i.ordinal] = value;
      break;
    case TensorField::kElementStride:
      map->steps[i.ordinal] = std::min<std::uint32_t>(narrow, 0xff);
      break;
    case TensorField::kElementType:
      map->element = static_cast<TensorElement>(narrow);
      break;
    case TensorField::kInterleave:
      map->interleave = static_cast<TensorInterleave>(narrow);
      break;
    case TensorField::kSwizzle:
      map->swizzle = static_cast<TensorSwizzle>(narrow);
      break;
    case TensorField::kAtomicity:
      map->atom = static_cast<TensorAtom>(narrow);
      break;
    case TensorField::kFill:
      map->fills_nan = narrow != 0;
      break;
  }
}

}  // namespace

// The map at a generic address, if a driver would make it; otherwise that is a misuse.
std::optional<TensorMap> AsyncCopies::MapAt(const Warp& warp, const Lanes& lanes, unsigned lane,
                                            std::uint64_t address) {
  const std::uint32_t line = lanes.instruction.line;
  const std::uint8_t* const bytes =
      IsInGlobalWindow(SegmentOf(address))
          ? x_.memory->Find(InMemory(warp, address), kTensorMapBytes, false)
          : nullptr;
  if (bytes == nullptr || address % kTensorMapAlign != 0) {
    x_.Misuse(warp, lane, line, kBadMap,
              fmt::format("copies by a tensor map at {:#x}, where {}{}", address,
                          bytes == nullptr
                              ? "there are no 128 bytes of parameters, constants or global memory"
                              : "it is not aligned to 64 bytes",
                          SegmentOf(address) == kNullSegment
                              ? ": cvta.param makes a generic address of a parameter's"
                              : ""));
    return std::nullopt;
  }
  if (const Origin origin = x_.memory->unknown().Find(address, kTensorMapBytes); origin != 0) {
    unknowns_.RefuseUnknown(warp, lane, line, "copies by a tensor map", origin);
    return std::nullopt;
  }
  const std::optional<TensorMap> map = DecodeTensorMap(bytes);
  if (!map) {
    x_.Misuse(
        warp, lane, line, kBadMap,
        fmt::format("copies by a tensor map at {:#x}, where there is none: a manifest describes "
                    "one in \"tensor_maps\"",
                    address));
    return std::nullopt;
  }
  if (const std::string broken = BrokenRule(*map); !broken.empty()) {
    x_.Misuse(warp, lane, line, kBadMap,
              fmt::format("copies by a tensor map that no driver makes: {}", broken));
    return std::nullopt;
  }
  return map;
}

// Finds the shared memory and the mbarrier of a copy that goes there.
bool AsyncCopies::AimAtShared(Warp* warp, const Lanes& lanes, unsigned lane, Transfer* transfer) {
  const auto& i = lanes.instruction.As<TensorCopy>();
  const std::uint64_t address = lanes.Read(i.mbarrier)[lane];
  Transfer word;
  const bool there = address % kMbarrierBytes == 0 &&
                     Locate(warp, lane, i.space, address, kMbarrierBytes, false, &word);
  const bool pair = there && i.signals_pair && word.to->rank / 2 == transfer->to->rank / 2;
  if (!there || (word.to != transfer->to && !pair)) {
    x_.Fault(
        *warp, lane, lanes.instruction.line,
        fmt::format("names an mbarrier at {:#x}, which is no word of the CTA that it copies to{}",
                    address, i.signals_pair ? ", nor of the other one of its pair" : ""));
    return false;
  }
  transfer->mbarrier = static_cast<std::uint32_t>(word.target.front().address);
  transfer->peer = word.to == transfer->to ? nullptr : word.to;
  return true;
}

StepEvent AsyncCopies::StartTensor(Warp* warp, const Lanes& lanes, unsigned lane) {
  const std::uint32_t line = lanes.instruction.line;
  const auto& i = lanes.instruction.As<TensorCopy>();
  const std::uint64_t map_at = lanes.Read(i.map)[lane];
  const std::optional<TensorMap> map = MapAt(*warp, lanes, lane, map_at);
  if (!map) {
    return StepEvent::kMisuse;
  }
  const bool out = i.space == Space::kGlobal;
  const std::uint64_t shared = i.prefetches ? 0 : lanes.Read(i.shared)[lane];
  TensorBox box;
  box.mode = i.mode;
  box.to_global = out && !i.prefetches;
  box.dims = i.dims;
  for (unsigned k = 0; k < i.coordinates.size() && i.coordinates[k] != kNoSlot; ++k) {
    box.coordinates[k] = static_cast<std::int32_t>(lanes.Read(i.coordinates[k])[lane]);
  }
  for (unsigned k = 0; k < i.offsets.size() && i.offsets[k] != kNoSlot; ++k) {
    box.offsets[k] = static_cast<std::uint32_t>(lanes.Read(i.offsets[k])[lane]);
  }
  const bool generic = SegmentOf(shared) == kSharedSegment;
  box.shared = SharedByte(generic ? ByteOf(shared) : shared);
  if (const std::string misfit = Misfit(*map, box); !misfit.empty()) {
    return x_.Misuse(*warp, lane, line, kBadCopy, misfit);
  }
  if (i.reduction && !Reduces(map->element, *i.reduction)) {
    return x_.Misuse(*warp, lane, line, kBadCopy,
                     "reduces elements of a type that does not have this operation");
  }
  TensorTile tile = TileOf(*map, box);
  for (const Piece& piece : Merged(tile.global)) {
    const bool inside = SegmentOf(piece.address) == SegmentOf(map->address);
    if (!inside || x_.space.Reach(warp, lane, Space::kGlobal, piece.address, piece.bytes,
                                  box.to_global) == nullptr) {
      return x_.Fault(
          *warp, lane, line,
          x_.space.DescribeReach(*warp, Space::kGlobal, piece.address, piece.bytes, box.to_global) +
              ", by its tensor map");
    }
  }
  if (i.prefetches) {
    return StepEvent::kNone;
  }
  std::uint64_t end = box.shared;
  for (const Piece& piece : tile.shared) {
    end = std::max(end, piece.address + piece.bytes);
  }
  Transfer whole;
  const Space space = out ? Space::kShared : i.space;
  const auto extent = static_cast<unsigned>(end - box.shared);
  if (!Locate(warp, lane, space, shared, extent, !out, &whole)) {
    return x_.Fault(*warp, lane, line, x_.space.DescribeReach(*warp, space, shared, extent, !out));
  }
  if (out) {
    whole.from = std::exchange(whole.to, nullptr);
    whole.source = std::move(tile.shared);
    whole.target = std::move(tile.global);
    whole.data.resize(tile.bytes);
  } else if (AimAtShared(warp, lanes, lane, &whole)) {
    whole.source = std::move(tile.global);
    whole.target = std::move(tile.shared);
    whole.data = FillOf(*map, tile.bytes);
    whole.validity = i.validity;
    whole.rounds_to_tf32 =
        map->element == TensorElement::kTF32 || map->element == TensorElement::kTF32Ftz;
  } else {
    return StepEvent::kFault;
  }
  if (i.reduction) {
    whole.kind = Transfer::Kind::kReduce;
    whole.atomic = *i.reduction;
    whole.type = TypeOf(map->element);
  }
  if (SegmentOf(map_at) != kParamSegment && SegmentOf(map_at) != kConstSegment) {
    whole.map = map_at;
  }
  const std::optional<std::uint64_t> mask = TargetsOf(*warp, lanes, lane, i.ctas, whole);
  if (!mask) {
    return StepEvent::kFault;
  }
  StartInParts(warp, lane, lanes.instruction, whole, *mask);
  return StepEvent::kNone;
}

StepEvent AsyncCopies::ExecuteTensorReplace(Warp* warp, const Lanes& lanes) {
  const auto& i = lanes.instruction.As<TensorReplace>();
  const std::uint32_t line = lanes.instruction.line;
  for (std::uint32_t rest = lanes.mask; rest != 0; rest &= rest - 1) {
    const unsigned lane = First(rest);
    const std::uint64_t address = i.address.From(lanes.Read(i.address.base)[lane]);
    std::uint8_t* const at =
        address % kTensorMapAlign == 0
            ? x_.space.Reach(warp, lane, i.address.space, address, kTensorMapBytes, true)
            : nullptr;
    if (at == nullptr) {
      return x_.Fault(
          *warp, lane, line,
          address % kTensorMapAlign == 0
              ? x_.space.DescribeReach(*warp, i.address.space, address, kTensorMapBytes, true)
              : fmt::format("changes a tensor map at {:#x}, which is not aligned to 64 "
                            "bytes",
                            address));
    }
    const UnknownPlace there = x_.space.UnknownAt(warp, lane, i.address.space, address);
    if (const Origin origin = there.bytes->Find(there.at, kTensorMapBytes); origin != 0) {
      return unknowns_.RefuseUnknown(*warp, lane, line, "changes a tensor map", origin);
    }
    std::optional<TensorMap> map = DecodeTensorMap(at);
    if (!map &&
        std::all_of(at, at + kTensorMapBytes, [](std::uint8_t byte) { return byte == 0; })) {
      map = TensorMap();  // compilers begin with zeroes, and set each field
    }
    if (!map) {
      return x_.Misuse(
          *warp, lane, line, kBadMap,
          fmt::format("changes a tensor map at {:#x}, where there is none, nor 128 bytes "
                      "of zeroes from which to make one",
                      address));
    }
    Set(i, lanes.Read(i.value)[lane], &*map);
    const TensorMapImage image = Encode(*map);
    const bool changed = std::memcmp(at, image.data(), image.size()) != 0;
    std::copy(image.begin(), image.end(), at);
    x_.changed |= changed;
    if (x_.accesses != nullptr) {
      Access access;  // "a weak memory operation on the entire 1024-bit [...] object"
      access.type = Type::kB64;
      access.count = kTensorMapBytes / kMbarrierBytes;
      access.address = i.address;
      access_.Tell(*warp, lane, lanes.instruction, access, address, changed);
    }
  }
  return StepEvent::kAccess;
}

}  // namespace muster::ptx
