// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// An address of a multicast object stands for the same byte of each of its
// buffers. These are accessed one after the other, at once: no thread comes between.
#include "sim/ptx/simt/multimem.h"

#include <fmt/format.h>

#include <array>
#include <cstring>
#include <vector>

#include "sim/isa/bits.h"
#include "sim/ptx/alu/small_float.h"

namespace muster::ptx {
namespace {

using What = MultimemAccess::What;

constexpr unsigned kMostBytes = 16;
constexpr unsigned kHalf = 16;  // bits

std::uint64_t BitsAt(const std::uint8_t* at, unsigned bytes) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, at, bytes);
  return bits;
}

// Of the elements at that byte of each place, the sum or what else the operation makes of them.
std::uint64_t Reduced(const MultimemAccess& i, const std::vector<std::uint8_t*>& places,
                      std::size_t byte) {
  const unsigned bytes = Bytes(i.type);
  if (!i.in_f32) {
    std::array<std::uint8_t, 8> all{};
    std::memcpy(all.data(), places.front() + byte, bytes);
    for (std::size_t k = 1; k < places.size(); ++k) {
      SwapInMemory(all.data(), i.type, i.op, BitsAt(places[k] + byte, bytes), 0, false);
    }
    return BitsAt(all.data(), bytes);
  }
  std::uint64_t all = 0;
  for (unsigned first = 0; first < 8 * bytes; first += kHalf) {
    float sum = 0;
    for (std::size_t k = 0; k < places.size(); ++k) {
      const auto element = static_cast<float>(
          FromSmall(ElementOf(i.type), BitsAt(places[k] + byte, bytes) >> first & 0xffff));
      const bool lower = i.op == Atomic::kMin ? element < sum : element > sum;
      sum = k == 0 ? element : i.op == Atomic::kAdd ? sum + element : lower ? element : sum;
    }
    all |= ToSmall(ElementOf(i.type), Round::kNearest, sum) << first;
  }
  return all;
}

}  // namespace

StepEvent Multimem::ExecuteMultimem(Warp* warp, const Lanes& lanes, std::uint32_t frame) {
  const auto& i = lanes.instruction.As<MultimemAccess>();
  const unsigned bytes = Bytes(i.type) * i.count;
  const auto base = lanes.Read(i.address.base);
  for (std::uint32_t rest = lanes.mask; rest != 0; rest &= rest - 1) {
    const unsigned lane = First(rest);
    const std::uint64_t address = i.address.From(base[lane]);
    const std::vector<std::uint64_t> addresses = x_.memory->PlacesOf(address, bytes);
    if (addresses.empty() || address % bytes != 0) {
      return x_.Fault(*warp, lane, lanes.instruction.line,
                      fmt::format("accesses {} bytes at {:#x}, {}", bytes, address,
                                  addresses.empty() ? "which are in no multicast object"
                                                    : "which is no multiple of that"));
    }
    std::vector<std::uint8_t*> places;
    for (const std::uint64_t at : addresses) {
      places.push_back(x_.memory->Find(at, bytes, true));
    }
    AccessPlaces(warp, lanes, frame, lane, addresses, places);
  }
  return StepEvent::kAccess;
}

void Multimem::AccessPlaces(Warp* warp, const Lanes& lanes, std::uint32_t frame, unsigned lane,
                            const std::vector<std::uint64_t>& addresses,
                            const std::vector<std::uint8_t*>& places) {
  const auto& i = lanes.instruction.As<MultimemAccess>();
  const unsigned bytes = Bytes(i.type);
  const bool loads = i.what == What::kLoadReduce;
  std::vector<std::array<std::uint8_t, kMostBytes>> before(places.size());
  for (std::size_t p = 0; p < places.size(); ++p) {
    std::memcpy(before[p].data(), places[p], std::size_t{bytes} * i.count);
  }
  for (unsigned k = 0; k < i.count; ++k) {
    const std::size_t byte = std::size_t{k} * bytes;
    if (loads) {
      lanes.Write(i.d[k])[lane] = Reduced(i, places, byte);
    }
    const std::uint64_t value = loads ? 0 : lanes.Read(i.values[k])[lane];
    for (std::uint8_t* const place : places) {
      if (i.what == What::kStore) {
        std::memcpy(place + byte, &value, bytes);
      } else if (!loads) {
        SwapInMemory(place + byte, i.type, i.op, value, 0, true);
      }
    }
  }
  if (x_.tracks_unknown) {
    SpreadPlaces(warp, i, frame, lane, addresses);
  }
  Instruction as;  // the same by one address
  as.op = loads ? Op::kLoad : i.what == What::kStore ? Op::kStore : Op::kAtomic;
  for (std::size_t p = 0; p < places.size(); ++p) {
    const bool changed =
        std::memcmp(before[p].data(), places[p], std::size_t{bytes} * i.count) != 0;
    x_.changed |= changed;
    if (x_.accesses != nullptr) {
      x_.accesses->OnAccess(*warp, lane, as, i, nullptr, addresses[p], changed);
    }
  }
}

void Multimem::SpreadPlaces(Warp* warp, const MultimemAccess& i, std::uint32_t frame, unsigned lane,
                            const std::vector<std::uint64_t>& addresses) {
  UnknownBytes& unknown = x_.memory->unknown();
  const unsigned bytes = Bytes(i.type);
  for (unsigned k = 0; k < i.count; ++k) {
    const bool loads = i.what == What::kLoadReduce;
    Origin origin = loads ? 0 : UnknownIn(*warp, frame, {i.values[k]}, 1U << lane, nullptr);
    for (const std::uint64_t address : addresses) {
      const std::uint64_t at = address + std::uint64_t{k} * bytes;
      if (loads) {
        origin = origin != 0 ? origin : unknown.Find(at, bytes);
      } else if (i.what == What::kStore || origin != 0) {
        unknown.Set(at, bytes, origin);
      }
    }
    if (loads) {
      SetUnknown(warp, frame, {i.d[k]}, 1U << lane, origin);
    }
  }
}

}  // namespace muster::ptx
