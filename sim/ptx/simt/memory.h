// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The memories that a launch shares: buffers, the file's variables, constants and parameters. Each
// has a segment of the generic address space, and nothing lies between them.
#ifndef MUSTER_SIM_PTX_SIMT_MEMORY_H_
#define MUSTER_SIM_PTX_SIMT_MEMORY_H_

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "sim/ptx/program/address.h"
#include "sim/ptx/simt/texture.h"
#include "sim/ptx/simt/unknown.h"

namespace muster::ptx {

struct Region {
  std::string name;
  std::vector<std::uint8_t> bytes;
  bool writable = false;
  // Of a multicast object, which has no bytes of its own: the addresses of its buffers.
  std::vector<std::uint64_t> copies{};
};

class Memory {
 public:
  Memory() : regions_(kFirstBuffer) {}

  void Set(Segment segment, Region region) { regions_[segment] = std::move(region); }
  // Returns the buffer's address.
  std::uint64_t Add(Region region) {
    regions_.push_back(std::move(region));
    return GenericAddress(regions_.size() - 1, 0);
  }

  // The addresses that one of a multicast object stands for, if all of these bytes are there; none:
  // it is of no such object.
  std::vector<std::uint64_t> PlacesOf(std::uint64_t address, std::uint64_t bytes) {
    std::vector<std::uint64_t> places;
    const Region* const region = RegionAt(address);
    for (std::size_t k = 0; region != nullptr && k < region->copies.size(); ++k) {
      places.push_back(region->copies[k] + ByteOf(address));
      if (Find(places.back(), bytes, true) == nullptr) {
        return {};
      }
    }
    return places;
  }

  // Returns the texture's handle.
  std::uint64_t Add(Texture texture) {
    textures_.push_back(std::move(texture));
    return kFirstHandle + textures_.size() - 1;
  }
  // Null: the value is no handle.
  const Texture* TextureOf(std::uint64_t handle) const {
    const std::uint64_t index = handle - kFirstHandle;
    return index < textures_.size() ? &textures_[index] : nullptr;
  }

  // malloc: a region of its own, so that nothing reaches beyond it; 0 where that would be more than
  // `most` bytes of all. It is not used again once it is freed.
  std::uint64_t Allocate(std::uint64_t bytes, std::uint64_t most) {
    if (bytes == 0 || bytes > most - allocated_) {
      return 0;
    }
    allocated_ += bytes;
    const std::uint64_t address =
        Add({"memory from malloc", std::vector<std::uint8_t>(bytes), true});
    first_allocation_ = std::min(first_allocation_, SegmentOf(address));
    return address;
  }
  // Returns false if malloc has not given the address, or it has been freed.
  bool Free(std::uint64_t address) {
    if (address == 0) {
      return true;
    }
    const std::uint64_t segment = SegmentOf(address);
    const bool is_own = segment >= first_allocation_ && segment < regions_.size();
    if (!is_own || ByteOf(address) != 0 || regions_[segment].bytes.empty()) {
      return false;
    }
    allocated_ -= regions_[segment].bytes.size();
    regions_[segment] = {"memory that was freed", {}, false};
    return true;
  }

  // The bytes from `address` on, or null where they are not all there (or may not be written).
  std::uint8_t* Find(std::uint64_t address, std::uint64_t size, bool write) {
    const std::uint64_t segment = SegmentOf(address);
    if (segment >= regions_.size()) {
      return nullptr;
    }
    Region& region = regions_[segment];
    const std::uint64_t byte = ByteOf(address);
    if (byte + size > region.bytes.size() || (write && !region.writable)) {
      return nullptr;
    }
    return region.bytes.data() + byte;
  }
  // What of it is unknown, by address; and where that comes from, here and in all other memories.
  UnknownBytes& unknown() { return unknown_; }
  const UnknownBytes& unknown() const { return unknown_; }
  Origins& origins() { return origins_; }
  const Origins& origins() const { return origins_; }
  std::uint64_t segments() const { return regions_.size(); }
  const Region* RegionAt(std::uint64_t address) const {
    const std::uint64_t segment = SegmentOf(address);
    return segment < regions_.size() ? &regions_[segment] : nullptr;
  }

 private:
  static constexpr std::uint64_t kFirstHandle = std::uint64_t{1} << 62;  // no address

  std::vector<Region> regions_;  // by segment
  std::vector<Texture> textures_;
  UnknownBytes unknown_;
  Origins origins_;
  std::uint64_t allocated_ = 0;
  std::uint64_t first_allocation_ = ~std::uint64_t{0};
};

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_SIMT_MEMORY_H_
