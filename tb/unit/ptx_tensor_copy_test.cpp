// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Which bytes a tensor copy moves, against loops over the coordinates as the text has them: layouts
// from its tables, bounds from its prose. No kernel runs here.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "sim/ptx/simt/tensor_copy.h"

namespace muster::ptx {
namespace {

using Image = std::vector<std::uint8_t>;

constexpr std::uint64_t kBase = 4096;  // of the tensor, among the bytes of global memory
constexpr std::uint8_t kUntouched = 0xee;
constexpr unsigned kLine = 128;
constexpr unsigned kUnit = 16;

// "The pattern of the destination data layout": which 16 bytes of a line of 128 stand where.
using Line = std::array<unsigned, 8>;
const std::vector<Line> kPlain = {{0, 1, 2, 3, 4, 5, 6, 7}};
const std::vector<Line> k32 = {{0, 1, 2, 3, 4, 5, 6, 7}, {1, 0, 3, 2, 5, 4, 7, 6}};
const std::vector<Line> k64 = {{0, 1, 2, 3, 4, 5, 6, 7},
                               {1, 0, 3, 2, 5, 4, 7, 6},
                               {2, 3, 0, 1, 6, 7, 4, 5},
                               {3, 2, 1, 0, 7, 6, 5, 4}};
const std::vector<Line> k128 = {{0, 1, 2, 3, 4, 5, 6, 7}, {1, 0, 3, 2, 5, 4, 7, 6},
                                {2, 3, 0, 1, 6, 7, 4, 5}, {3, 2, 1, 0, 7, 6, 5, 4},
                                {4, 5, 6, 7, 0, 1, 2, 3}, {5, 4, 7, 6, 1, 0, 3, 2},
                                {6, 7, 4, 5, 2, 3, 0, 1}, {7, 6, 5, 4, 3, 2, 1, 0}};
const std::vector<Line> k128Atom32 = {{0, 1, 2, 3, 4, 5, 6, 7},
                                      {2, 3, 0, 1, 6, 7, 4, 5},
                                      {4, 5, 6, 7, 0, 1, 2, 3},
                                      {6, 7, 4, 5, 2, 3, 0, 1}};
const std::vector<Line> k128Atom64 = {{0, 1, 2, 3, 4, 5, 6, 7}, {4, 5, 6, 7, 0, 1, 2, 3}};

const std::vector<Line>& PatternOf(const TensorMap& map) {
  switch (map.swizzle) {
    case TensorSwizzle::kNone:
      return kPlain;
    case TensorSwizzle::k32:
      return k32;
    case TensorSwizzle::k64:
      return k64;
    case TensorSwizzle::k128:
      break;
  }
  return map.atom == TensorAtom::k16 ? k128 : map.atom == TensorAtom::k64 ? k128Atom64 : k128Atom32;
}

unsigned SpanOf(const TensorMap& map) {
  constexpr unsigned kSpans[] = {0, 32, 64, 128};
  return kSpans[static_cast<unsigned>(map.swizzle)];
}

// Where a byte of the plain layout stands: sought in the pattern.
std::uint64_t Placed(const TensorMap& map, std::uint64_t byte) {
  const std::vector<Line>& pattern = PatternOf(map);
  const std::uint64_t line = byte / kLine;
  const Line& order = pattern[line % pattern.size()];
  const auto unit = static_cast<unsigned>(byte % kLine / kUnit);
  const auto place = std::find(order.begin(), order.end(), unit) - order.begin();
  unsigned within = byte % kUnit;
  if (map.atom == TensorAtom::k32Flip8 && line % 2 == 1) {
    within = (within + kUnit / 2) % kUnit;
  }
  return line * kLine + static_cast<std::uint64_t>(place) * kUnit + within;
}

// One element of a box: its coordinates in the tensor, its row of the box and its place there.
struct Element {
  std::array<std::int64_t, 5> at{};
  std::uint64_t row = 0;
  std::uint64_t column = 0;
};

bool Inside(const TensorMap& map, const Element& element) {
  for (unsigned i = 0; i < map.rank; ++i) {
    if (element.at[i] < 0 || element.at[i] >= static_cast<std::int64_t>(map.dims[i])) {
      return false;
    }
  }
  return true;
}

// The size of what a coordinate counts.
unsigned SizeOf(const TensorMap& map) {
  constexpr unsigned kSizes[] = {1, 2, 4, 4, 8, 8, 2, 4, 4, 8, 2, 4, 4};
  constexpr unsigned kSlices[] = {0, 16, 32};
  return map.IsInterleaved() ? kSlices[static_cast<unsigned>(map.interleave)]
                             : kSizes[static_cast<unsigned>(map.element)];
}

// All elements of a tile: "TMA loads ceil(boxDim[i] / elementStrides[i]) elements".
std::vector<Element> Tile(const TensorMap& map, const std::array<std::int32_t, 5>& start) {
  std::array<std::int64_t, 5> box{1, 1, 1, 1, 1};
  std::array<std::int64_t, 5> step{1, 1, 1, 1, 1};
  for (unsigned i = 0; i < map.rank; ++i) {
    box[i] = map.box[i];
    step[i] = i == 0 && !map.IsInterleaved() ? 1 : map.steps[i];
  }
  std::vector<Element> all;
  std::uint64_t row = 0;
  for (std::int64_t e = 0; e < box[4]; e += step[4]) {
    for (std::int64_t d = 0; d < box[3]; d += step[3]) {
      for (std::int64_t c = 0; c < box[2]; c += step[2]) {
        for (std::int64_t b = 0; b < box[1]; b += step[1], ++row) {
          std::uint64_t column = 0;
          for (std::int64_t a = 0; a < box[0]; a += step[0], ++column) {
            all.push_back({{start[0] + a, start[1] + b, start[2] + c, start[3] + d, start[4] + e},
                           row,
                           column});
          }
        }
      }
    }
  }
  return all;
}

// The image of shared memory after a load, and that of the tensor's bytes after a store.
struct Expected {
  Image shared;
  Image global;
  std::uint64_t bytes = 0;
};
Expected Oracle(const TensorMap& map, const std::vector<Element>& elements, std::uint64_t base,
                const Image& global, const Image& shared) {
  Expected expected{shared, global, 0};
  const unsigned size = SizeOf(map);
  std::uint64_t columns = 0;
  for (const Element& element : elements) {
    columns = std::max(columns, element.column + 1);
  }
  const std::uint64_t pitch = std::max<std::uint64_t>(columns * size, SpanOf(map));
  for (const Element& element : elements) {
    std::int64_t from = static_cast<std::int64_t>(kBase) + element.at[0] * size;
    for (unsigned i = 1; i < map.rank; ++i) {
      from += element.at[i] * static_cast<std::int64_t>(map.strides[i - 1]);
    }
    for (unsigned k = 0; k < size; ++k, ++expected.bytes) {
      const std::uint64_t to = Placed(map, base + element.row * pitch + element.column * size + k);
      constexpr std::uint8_t kNan[] = {0xf7, 0x7f};
      if (Inside(map, element)) {
        expected.shared[to] = global[static_cast<std::size_t>(from) + k];
        expected.global[static_cast<std::size_t>(from) + k] = shared[to];
      } else {
        expected.shared[to] = map.fills_nan ? kNan[k % 2] : 0;
      }
    }
  }
  return expected;
}

// What the pieces of a tile do, as a load and as a store.
void Compare(const TensorMap& map, const TensorBox& box, const std::vector<Element>& elements,
             const Image& global) {
  ASSERT_EQ(BrokenRule(map), "");
  ASSERT_EQ(Misfit(map, box), "");
  Image shared(box.shared + 70000 + elements.size() * 128, kUntouched);
  const TensorTile tile = TileOf(map, box);
  const Expected loaded = Oracle(map, elements, box.shared, global, shared);
  ASSERT_EQ(tile.bytes, loaded.bytes);
  Image data = FillOf(map, tile.bytes);
  for (const Piece& piece : tile.global) {
    std::copy_n(&global[piece.address], piece.bytes, &data[piece.at]);
  }
  Image to = shared;
  for (const Piece& piece : tile.shared) {
    std::copy_n(&data[piece.at], piece.bytes, &to[piece.address]);
  }
  ASSERT_TRUE(to == loaded.shared);
  // And back: shared memory with other contents.
  for (std::size_t i = 0; i < shared.size(); ++i) {
    shared[i] = static_cast<std::uint8_t>(i * 7 + i / 256);
  }
  const Expected stored = Oracle(map, elements, box.shared, global, shared);
  for (const Piece& piece : tile.shared) {
    std::copy_n(&shared[piece.address], piece.bytes, &data[piece.at]);
  }
  Image back = global;
  for (const Piece& piece : tile.global) {
    std::copy_n(&data[piece.at], piece.bytes, &back[piece.address]);
  }
  ASSERT_TRUE(back == stored.global);
}

class Draw {
 public:
  explicit Draw(std::uint64_t seed) : engine_(seed) {}
  std::int64_t From(std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(engine_);
  }
  template <typename T>
  T One(std::initializer_list<T> of) {
    return *(of.begin() + From(0, static_cast<std::int64_t>(of.size()) - 1));
  }

 private:
  std::mt19937_64 engine_;
};

Image GlobalMemory(std::uint64_t bytes) {
  Image memory(bytes);
  for (std::uint64_t i = 0; i < bytes; ++i) {
    memory[i] = static_cast<std::uint8_t>(i * 131 + (i >> 8) * 29 + (i >> 16));
  }
  return memory;
}

constexpr TensorElement kWhole[] = {
    TensorElement::kU8,  TensorElement::kU16,  TensorElement::kU32,    TensorElement::kS32,
    TensorElement::kU64, TensorElement::kS64,  TensorElement::kF16,    TensorElement::kF32,
    TensorElement::kF64, TensorElement::kBF16, TensorElement::kF32Ftz, TensorElement::kTF32};

// A map of a random tensor, with strides that leave gaps; its bytes end below *end.
TensorMap RandomTensor(Draw* random, unsigned least_rank, unsigned align, std::uint64_t* end) {
  TensorMap map;
  map.address = kBase;
  map.rank = static_cast<std::uint8_t>(random->From(least_rank, 5));
  map.element = kWhole[random->From(0, std::size(kWhole) - 1)];
  map.fills_nan = IsFloat(map.element) && random->From(0, 1) == 1;
  std::uint64_t stride = SizeOf(map);
  for (unsigned i = 0; i < map.rank; ++i) {
    map.steps[i] =
        static_cast<std::uint32_t>(i != 0 && random->From(0, 3) == 0 ? random->From(2, 4) : 1);
    map.dims[i] = static_cast<std::uint64_t>(i == 0 ? random->From(1, 150) : random->From(1, 9));
    stride *= map.dims[i];
    stride = (stride + align - 1) / align * align + align * random->From(0, 2);
    if (i + 1 < map.rank) {
      map.strides[i] = stride;
    }
  }
  *end = kBase + stride;
  return map;
}

void RandomSwizzle(Draw* random, TensorMap* map) {
  map->swizzle = random->One({TensorSwizzle::kNone, TensorSwizzle::k32, TensorSwizzle::k64,
                              TensorSwizzle::k128, TensorSwizzle::k128});
  if (map->swizzle == TensorSwizzle::k128) {
    map->atom =
        random->One({TensorAtom::k16, TensorAtom::k32, TensorAtom::k32Flip8, TensorAtom::k64});
  }
}

TEST(PtxTensorCopy, TilesAreThoseOfLoopsOverTheirCoordinates) {
  for (std::uint64_t seed = 1; seed <= 3000; ++seed) {
    Draw random(seed);
    std::uint64_t end = 0;
    TensorMap map = RandomTensor(&random, 1, 16, &end);
    RandomSwizzle(&random, &map);
    const unsigned most = SpanOf(map) == 0 ? 256 : SpanOf(map);
    const unsigned in_unit = kUnit / SizeOf(map);
    map.box[0] = std::min<std::uint32_t>(
        256, static_cast<std::uint32_t>(random.From(1, most / kUnit)) * in_unit);
    TensorBox box;
    box.dims = map.rank;
    box.shared = static_cast<std::uint64_t>(random.From(0, 16)) * kLine;
    for (unsigned i = 0; i < map.rank; ++i) {
      map.box[i] = i == 0 ? map.box[0] : static_cast<std::uint32_t>(random.From(1, 6));
      box.coordinates[i] = static_cast<std::int32_t>(random.From(
          -static_cast<std::int64_t>(map.box[i]), static_cast<std::int64_t>(map.dims[i]) + 1));
    }
    box.coordinates[0] += static_cast<std::int32_t>(in_unit) - 1;  // begins at a unit
    EXPECT_EQ(Misfit(map, box).empty(),
              box.coordinates[0] % static_cast<std::int32_t>(in_unit) == 0);
    box.coordinates[0] -= box.coordinates[0] % static_cast<std::int32_t>(in_unit);
    Compare(map, box, Tile(map, box.coordinates), GlobalMemory(end));
    ASSERT_FALSE(HasFatalFailure()) << "seed " << seed;
  }
}

TEST(PtxTensorCopy, FourRowsAreAsFourTilesOfOneRow) {
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    Draw random(seed);
    std::uint64_t end = 0;
    TensorMap map = RandomTensor(&random, 2, 16, &end);
    map.rank = 2;
    RandomSwizzle(&random, &map);
    const unsigned most = SpanOf(map) == 0 ? 128 : SpanOf(map);
    map.box = {static_cast<std::uint32_t>(random.From(1, most / kUnit)) * kUnit / SizeOf(map), 1};
    TensorBox box;
    box.mode = TensorMode::kRows;
    box.dims = 2;
    box.shared = static_cast<std::uint64_t>(random.From(0, 8)) * kLine;
    box.coordinates[0] = static_cast<std::int32_t>(random.From(-5, 20));
    std::vector<Element> elements;
    for (unsigned i = 1; i <= 4; ++i) {
      box.coordinates[i] = static_cast<std::int32_t>(random.From(-2, 10));
      for (Element element : Tile(map, {box.coordinates[0], box.coordinates[i]})) {
        element.row = i - 1;
        elements.push_back(element);
      }
    }
    Compare(map, box, elements, GlobalMemory(end));
    ASSERT_FALSE(HasFatalFailure()) << "seed " << seed;
  }
}

// An element of an interleaved tensor is a slice of channels.
TEST(PtxTensorCopy, InterleavedTilesHaveSlices) {
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    Draw random(seed);
    std::uint64_t end = 0;
    TensorMap map = RandomTensor(&random, 3, 32, &end);
    map.interleave = random.One({TensorInterleave::k16, TensorInterleave::k32});
    map.swizzle =
        map.interleave == TensorInterleave::k32 ? TensorSwizzle::k32 : TensorSwizzle::kNone;
    map.steps[0] = static_cast<std::uint32_t>(random.From(1, 3));
    std::uint64_t stride = SizeOf(map);
    TensorBox box;
    box.dims = map.rank;
    box.shared = static_cast<std::uint64_t>(random.From(0, 8)) * kLine;
    for (unsigned i = 0; i < map.rank; ++i) {
      map.dims[i] = static_cast<std::uint64_t>(random.From(1, 8));
      map.box[i] = i + 2 == map.rank ? 1 : static_cast<std::uint32_t>(random.From(1, 9));
      box.coordinates[i] = static_cast<std::int32_t>(random.From(-3, 8));
      stride *= map.dims[i];
      if (i + 1 < map.rank) {
        map.strides[i] = stride;
      }
    }
    Compare(map, box, Tile(map, box.coordinates), GlobalMemory(kBase + stride));
    ASSERT_FALSE(HasFatalFailure()) << "seed " << seed;
  }
}

// "Boundaries along other dimensions are specified by Pixels-per-Column and Channels-per-Pixel":
// the positions of the filter's base in the box of pixels, image after image, and of these some in
// a row.
TEST(PtxTensorCopy, ColumnsAreSomeOfAllPositionsInARow) {
  for (std::uint64_t seed = 1; seed <= 2000; ++seed) {
    Draw random(seed);
    std::uint64_t end = 0;
    TensorMap map = RandomTensor(&random, 3, 16, &end);
    RandomSwizzle(&random, &map);
    const bool wide = map.swizzle != TensorSwizzle::kNone && map.atom != TensorAtom::k32Flip8 &&
                      random.From(0, 1) == 1;
    map.layout = !wide ? TensorLayout::kIm2col
                       : random.One({TensorLayout::kIm2colW, TensorLayout::kIm2colW128});
    const unsigned most = SpanOf(map) == 0 ? 128 : SpanOf(map);
    map.channels = static_cast<std::uint32_t>(random.From(1, most / kUnit)) * kUnit / SizeOf(map);
    map.pixels = static_cast<std::uint32_t>(random.From(1, 200));
    const unsigned spatial = map.rank - 2U;
    TensorBox box;
    box.dims = map.rank;
    box.mode = !wide                                  ? TensorMode::kIm2col
               : map.layout == TensorLayout::kIm2colW ? TensorMode::kIm2colW
                                                      : TensorMode::kIm2colW128;
    box.shared = static_cast<std::uint64_t>(random.From(0, 8)) * kLine;
    std::array<std::vector<std::int64_t>, 3> positions;  // in W, H and D
    std::array<std::size_t, 3> begin{};
    for (unsigned i = 0; i < spatial; ++i) {
      map.dims[i + 1] = std::max<std::uint64_t>(map.dims[i + 1], 4);
      map.lower[i] = static_cast<std::int32_t>(random.From(-2, 1));
      map.upper[i] = static_cast<std::int32_t>(random.From(-2, 1));
      const std::int64_t last = static_cast<std::int64_t>(map.dims[i + 1]) - 1 + map.upper[i];
      for (std::int64_t at = map.lower[i]; at <= last; at += map.steps[i + 1]) {
        positions[i].push_back(at);
      }
      box.offsets[i] = static_cast<std::uint32_t>(random.From(0, 3));
    }
    std::uint64_t stride = SizeOf(map);
    for (unsigned i = 0; i < map.rank; ++i) {
      stride = (stride * map.dims[i] + 15) / 16 * 16;
      if (i + 1 < map.rank) {
        map.strides[i] = stride;
      }
    }
    if (wide) {
      box.offsets = {0, static_cast<std::uint32_t>(random.From(0, 3)), 0};
    }
    box.coordinates[0] = static_cast<std::int32_t>(random.From(-4, 20));
    for (unsigned i = 0; i < spatial; ++i) {
      begin[i] = static_cast<std::size_t>(
          random.From(0, static_cast<std::int64_t>(positions[i].size()) - 1));
      box.coordinates[i + 1] = static_cast<std::int32_t>(positions[i][begin[i]]);
      if (wide && i > 0) {
        positions[i] = {box.coordinates[i + 1]};  // it stays in its row
        begin[i] = 0;
      }
    }
    const auto image = static_cast<std::int32_t>(random.From(0, 3));
    box.coordinates[map.rank - 1] = image;
    for (unsigned i = spatial; i < 3; ++i) {
      positions[i] = {0};
    }
    // All positions of the images from that one on, and where among them the column begins.
    std::vector<std::array<std::int64_t, 4>> all;
    const std::uint32_t pixels = map.layout == TensorLayout::kIm2colW128 ? 128 : map.pixels;
    for (std::int64_t n = image; n <= image + static_cast<std::int64_t>(pixels); ++n) {
      for (const std::int64_t d : positions[2]) {
        for (const std::int64_t h : positions[1]) {
          for (const std::int64_t w : positions[0]) {
            all.push_back({w, h, d, n});
          }
        }
      }
    }
    const std::size_t first =
        (begin[2] * positions[1].size() + begin[1]) * positions[0].size() + begin[0];
    std::vector<Element> elements;
    for (std::uint32_t p = 0; p < pixels; ++p) {
      for (std::uint32_t c = 0; c < map.channels; ++c) {
        Element element;
        element.row = p;
        element.column = c;
        element.at[0] = box.coordinates[0] + static_cast<std::int64_t>(c);
        for (unsigned i = 0; i < spatial; ++i) {
          const std::int64_t offset = !wide ? box.offsets[i] : i == 0 ? box.offsets[1] : 0;
          element.at[i + 1] = all[first + p][i] + offset;
        }
        element.at[map.rank - 1] = all[first + p][3];
        elements.push_back(element);
      }
    }
    Compare(map, box, elements, GlobalMemory(kBase + stride));
    ASSERT_FALSE(HasFatalFailure()) << "seed " << seed;
  }
}

// By hand: 4 of 16 bytes in a row of 8 numbers, from the sixth on; three rows from the last on.
TEST(PtxTensorCopy, ATileAtTheEdgeByHand) {
  TensorMap map;
  map.element = TensorElement::kU32;
  map.rank = 2;
  map.address = kBase;
  map.dims = {8, 3};
  map.strides = {32};
  map.box = {4, 3};
  map.steps = {1, 1};
  TensorBox box;
  box.dims = 2;
  box.coordinates = {6, 2};
  const TensorTile tile = TileOf(map, box);
  EXPECT_EQ(tile.bytes, 48U);
  ASSERT_EQ(tile.global.size(), 1U);
  EXPECT_EQ(tile.global[0].address, kBase + 2 * 32 + 6 * 4);
  EXPECT_EQ(tile.global[0].bytes, 8U);
  EXPECT_EQ(tile.global[0].at, 0U);
  ASSERT_EQ(tile.shared.size(), 1U);
  EXPECT_EQ(tile.shared[0].bytes, 48U);
}

// By hand: sixteen numbers of six bits take 12 bytes of global memory and 16 of shared memory.
TEST(PtxTensorCopy, PaddedTypesLeaveGapsInSharedMemory) {
  for (const auto& [element, bytes] :
       {std::pair(TensorElement::kB6Padded, 12U), std::pair(TensorElement::kB4Padded, 8U)}) {
    TensorMap map;
    map.element = element;
    map.rank = 2;
    map.address = kBase;
    map.dims = {256, 2};
    map.strides = {bytes * 16};
    map.box = {128, 1};
    map.steps = {1, 1};
    TensorBox box;
    box.dims = 2;
    box.coordinates = {128, 1};
    ASSERT_EQ(BrokenRule(map), "");
    const TensorTile tile = TileOf(map, box);
    EXPECT_EQ(tile.bytes, 8 * bytes);
    ASSERT_EQ(tile.global.size(), 1U);
    EXPECT_EQ(tile.global[0].address, kBase + bytes * 16 + bytes * 8);
    ASSERT_EQ(tile.shared.size(), 8U);
    EXPECT_EQ(tile.shared[3].address, 48U);
    EXPECT_EQ(tile.shared[3].bytes, bytes);
    EXPECT_EQ(tile.shared[3].at, 3 * bytes);
  }
}

}  // namespace
}  // namespace muster::ptx
