// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/simt/tensor_copy.h"

#include <fmt/format.h>

#include <algorithm>

namespace muster::ptx {
namespace {

constexpr unsigned kSharedAlign = 128;
constexpr std::int64_t kColumnBits = 128;   // a row is read from a multiple of 16 bytes on
constexpr unsigned kChunk = 16;             // bytes: what a swizzle keeps together, at least
constexpr unsigned kInChunk = 16;           // elements of a padded type that share a chunk
constexpr unsigned kStartUnit = 128;        // elements: where a copy of a padded type may begin
constexpr std::uint32_t kWideColumn = 128;  // pixels
// The text does not give the bits of OOB-NaN. These are what public emulators have.
constexpr std::array<std::uint8_t, 2> kOutsideNan = {0xf7, 0x7f};

using Point = std::array<std::int64_t, kMaxTensorRank>;

// Adds a piece, to the one before it where they are one.
void Add(std::vector<Piece>* pieces, const Piece& piece) {
  if (!pieces->empty()) {
    Piece& last = pieces->back();
    if (last.address + last.bytes == piece.address && last.at + last.bytes == piece.at) {
      last.bytes += piece.bytes;
      return;
    }
  }
  pieces->push_back(piece);
}

// The byte of shared memory at which the swizzle puts what would be at `byte`.
std::uint64_t Swizzled(const TensorMap& map, std::uint64_t byte) {
  if (map.swizzle == TensorSwizzle::kNone) {
    return byte;
  }
  const unsigned atom = map.atom == TensorAtom::k16 ? 16 : map.atom == TensorAtom::k64 ? 64 : 32;
  const std::uint64_t line = byte / 128;  // of the pattern, which stays where it is in memory
  const std::uint64_t flip = map.atom == TensorAtom::k32Flip8 ? line % 2 * 8 : 0;
  return (byte ^ line % (BytesOf(map.swizzle) / atom) * atom) ^ flip;
}

// The rows of a box: each has the innermost dimension's elements, from the same one on.
class Rows {
 public:
  Rows(const TensorMap& map, const TensorBox& box) : map_(map), box_(box) {
    switch (map.layout) {
      case TensorLayout::kTile:
        box.mode == TensorMode::kRows ? AddFour() : AddTile();
        break;
      default:
        AddPixels();
    }
  }
  const std::vector<Point>& points() const { return points_; }

 private:
  Point Start() const {
    Point point{};
    std::copy(box_.coordinates.begin(), box_.coordinates.end(), point.begin());
    return point;
  }

  void AddFour() {
    for (unsigned i = 1; i < kMaxTensorRank; ++i) {
      points_.push_back({box_.coordinates[0], box_.coordinates[i]});
    }
  }

  void AddTile() {
    std::array<std::uint32_t, kMaxTensorRank> extent{};
    std::uint64_t rows = 1;
    for (unsigned i = 1; i < map_.rank; ++i) {
      extent[i] = (map_.box[i] + map_.steps[i] - 1) / map_.steps[i];
      rows *= extent[i];
    }
    for (std::uint64_t row = 0; row < rows; ++row) {
      Point point = Start();
      std::uint64_t rest = row;
      for (unsigned i = 1; i < map_.rank; ++i) {
        point[i] += static_cast<std::int64_t>(rest % extent[i] * map_.steps[i]);
        rest /= extent[i];
      }
      points_.push_back(point);
    }
  }

  // Pixels of the images one after the other, W first, from the base on. A column that is wide
  // stays in its row of each image.
  void AddPixels() {
    const bool wide = map_.layout != TensorLayout::kIm2col;
    const unsigned images = map_.rank - 1U;
    Point base = Start();
    const std::uint32_t pixels =
        map_.layout == TensorLayout::kIm2colW128 ? kWideColumn : map_.pixels;
    for (std::uint32_t pixel = 0; pixel < pixels; ++pixel) {
      Point point = base;
      for (unsigned i = 1; i < images; ++i) {
        point[i] += wide ? (i == 1 ? box_.offsets[1] : 0) : box_.offsets[i - 1];
      }
      points_.push_back(point);
      unsigned i = 1;
      for (; i < (wide ? 2 : images); ++i) {
        base[i] += map_.steps[i];
        if (base[i] < static_cast<std::int64_t>(map_.dims[i]) + map_.upper[i - 1]) {
          break;
        }
        base[i] = map_.lower[i - 1];
      }
      base[images] += i == (wide ? 2 : images) ? 1 : 0;
    }
  }

  const TensorMap& map_;
  const TensorBox& box_;
  std::vector<Point> points_;
};

// What of a row moves at once: elements, and the bytes that they have here and there.
struct Unit {
  unsigned elements = 1;
  unsigned global = 0;
  unsigned shared = 0;
};
Unit UnitOf(const TensorMap& map) {
  if (map.IsInterleaved()) {
    const unsigned slice = BytesOf(map.interleave);
    return {1, slice, slice};
  }
  const unsigned bits = BitsOf(map.element);
  if (IsPadded(map.element)) {
    return {kInChunk, kInChunk * bits / 8, kChunk};
  }
  return bits == 4 ? Unit{2, 1, 1} : Unit{1, bits / 8, bits / 8};
}

// Units of a row.
std::uint32_t Extent(const TensorMap& map, const Unit& unit) {
  const std::uint32_t elements = map.layout != TensorLayout::kTile ? map.channels
                                 : map.IsInterleaved()
                                     ? (map.box[0] + map.steps[0] - 1) / map.steps[0]
                                     : map.box[0];
  return elements / unit.elements;
}

std::string MisfitOfStore(const TensorMap& map, const TensorBox& box) {
  if (map.atom == TensorAtom::k32Flip8) {
    return "writes to global memory by a map whose swizzle swaps parts of 8 bytes, which copies to "
           "shared memory alone have";
  }
  if (IsPadded(map.element)) {
    return "writes to global memory by a map of a padded type, which Muster does not have";
  }
  if (std::any_of(box.coordinates.begin(), box.coordinates.end(),
                  [](std::int32_t c) { return c < 0; })) {
    return "writes to global memory from a negative coordinate on";
  }
  for (unsigned i = 0; map.layout != TensorLayout::kTile && i < map.lower.size(); ++i) {
    if (map.lower[i] < 0 || map.upper[i] > 0) {
      return "writes to global memory by a map whose box of pixels reaches outside of the tensor";
    }
  }
  return "";
}

std::string MisfitOfMode(const TensorMap& map, const TensorBox& box) {
  constexpr const char* kNames[] = {"a tile", "im2col", "im2col::w", "im2col::w::128"};
  const auto layout = static_cast<unsigned>(map.layout);
  const bool fits = box.mode == TensorMode::kTile || box.mode == TensorMode::kRows
                        ? map.layout == TensorLayout::kTile
                    : box.mode == TensorMode::kIm2colNoOffsets
                        ? map.layout == TensorLayout::kIm2col
                        : layout == static_cast<unsigned>(box.mode) -
                                        static_cast<unsigned>(TensorMode::kIm2col) + 1;
  if (!fits) {
    return fmt::format("copies in another way than its map, which is for {}", kNames[layout]);
  }
  if (box.mode == TensorMode::kRows && (map.rank != 2 || map.box[1] != 1)) {
    return "copies four rows by a map whose box is not one row of two dimensions";
  }
  if (box.mode == TensorMode::kRows && map.IsInterleaved()) {
    return "copies four rows by a map with interleave";
  }
  if ((box.mode == TensorMode::kIm2colW || box.mode == TensorMode::kIm2colW128) &&
      box.offsets[0] != 0) {
    return fmt::format("has a wHalo of {}: Muster has none but 0", box.offsets[0]);
  }
  if (map.IsInterleaved() && map.layout != TensorLayout::kTile) {
    return "copies by a map of im2col with interleave, which Muster does not have";
  }
  if (map.IsInterleaved() && map.box[map.rank - 2U] != 1) {
    return "copies several slices of channels by a map with interleave: Muster has boxes of one";
  }
  if (map.interleave == TensorInterleave::k16 && map.swizzle != TensorSwizzle::kNone) {
    return "copies by a map with both an interleave of 16 bytes and a swizzle, which Muster does "
           "not have";
  }
  return "";
}

}  // namespace

std::string Misfit(const TensorMap& map, const TensorBox& box) {
  if (box.dims != map.rank) {
    return fmt::format("copies in {} dimension{} by a map of {}", box.dims,
                       box.dims == 1 ? "" : "s", map.rank);
  }
  if (std::string misfit = MisfitOfMode(map, box); !misfit.empty()) {
    return misfit;
  }
  const std::int64_t column = std::int64_t{box.coordinates[0]} * BitsOf(map.element);
  if (box.mode == TensorMode::kTile && !map.IsInterleaved() && !IsPadded(map.element) &&
      column % kColumnBits != 0) {
    return fmt::format("begins at element {} of a row, which is no multiple of 16 bytes",
                       box.coordinates[0]);
  }
  if (box.shared % kSharedAlign != 0) {
    return fmt::format("copies at byte {} of shared memory, which is not a multiple of {}",
                       box.shared, kSharedAlign);
  }
  const unsigned unit = IsPadded(map.element)               ? kStartUnit
                        : map.element == TensorElement::kB4 ? 2
                                                            : 1;
  if (box.coordinates[0] % static_cast<int>(unit) != 0) {
    return fmt::format("has the first coordinate {}, which is not a multiple of {} for this type",
                       box.coordinates[0], unit);
  }
  return box.to_global ? MisfitOfStore(map, box) : "";
}

TensorTile TileOf(const TensorMap& map, const TensorBox& box) {
  const Unit unit = UnitOf(map);
  const std::uint32_t extent = Extent(map, unit);
  const std::int64_t step = map.IsInterleaved() ? map.steps[0] : unit.elements;
  const unsigned row_bytes = extent * unit.shared;
  const unsigned pitch = std::max(row_bytes, BytesOf(map.swizzle));
  const unsigned grain = map.atom == TensorAtom::k32Flip8 ? kChunk / 2 : kChunk;
  const unsigned piece = IsPadded(map.element) ? unit.global : grain;
  TensorTile tile;
  std::uint64_t row_at = box.shared;
  const Rows rows(map, box);
  for (const Point& point : rows.points()) {
    bool inside = true;
    std::uint64_t address = map.address;
    for (unsigned i = 1; i < map.rank; ++i) {
      inside = inside && point[i] >= 0 && static_cast<std::uint64_t>(point[i]) < map.dims[i];
      address += static_cast<std::uint64_t>(point[i]) * map.strides[i - 1];
    }
    for (std::uint32_t k = 0; inside && k < extent; ++k) {
      const std::int64_t first = point[0] + k * step;
      if (first >= 0 && static_cast<std::uint64_t>(first) < map.dims[0]) {
        Add(&tile.global,
            {address + static_cast<std::uint64_t>(first) / unit.elements * unit.global, unit.global,
             tile.bytes + k * unit.global});
      }
    }
    for (unsigned at = 0; at < row_bytes; at += IsPadded(map.element) ? kChunk : grain) {
      Add(&tile.shared, {Swizzled(map, row_at + at), piece, tile.bytes});
      tile.bytes += piece;
    }
    row_at += pitch;
  }
  return tile;
}

std::vector<std::uint8_t> FillOf(const TensorMap& map, std::uint32_t bytes) {
  std::vector<std::uint8_t> fill(bytes);
  for (std::uint32_t i = 0; map.fills_nan && i < bytes; ++i) {
    fill[i] = kOutsideNan[i % 2];
  }
  return fill;
}

}  // namespace muster::ptx
