// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The 128 bytes of a tensor map, and the rules by which CUDA's driver makes one. No kernel runs
// here.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "sim/ptx/simt/tensor_map.h"

namespace muster::ptx {
namespace {

TensorMap GoodTile() {
  TensorMap map;
  map.element = TensorElement::kF16;
  map.swizzle = TensorSwizzle::k128;
  map.rank = 3;
  map.address = kBase;
  map.dims = {64, 32, 4};
  map.strides = {128, 4096};
  map.box = {64, 8, 1};
  map.steps = {1, 1, 1};
  return map;
}

TensorMap GoodColumn() {
  TensorMap map = GoodTile();
  map.layout = TensorLayout::kIm2col;
  map.rank = 4;
  map.dims = {64, 9, 9, 4};
  map.strides = {128, 1152, 10368};
  map.steps = {1, 1, 1, 1};
  map.lower = {-1, -1, 0};
  map.upper = {-1, -1, 0};
  map.channels = 64;
  map.pixels = 32;
  return map;
}

TEST(PtxTensorMap, ItsBytesSayAllOfItAndNothingElseIsOne) {
  for (const TensorMap& map : {GoodTile(), GoodColumn()}) {
    const TensorMapImage image = Encode(map);
    const std::optional<TensorMap> again = DecodeTensorMap(image.data());
    ASSERT_TRUE(again);
    EXPECT_EQ(Encode(*again), image);
    EXPECT_EQ(again->lower, map.lower);
    EXPECT_EQ(again->strides, map.strides);
    for (std::size_t i = 0; i < image.size(); ++i) {
      TensorMapImage spoilt = image;
      spoilt[i] ^= 1;
      EXPECT_FALSE(DecodeTensorMap(spoilt.data())) << i;
    }
  }
  const TensorMapImage zeroes{};
  EXPECT_FALSE(DecodeTensorMap(zeroes.data()));
}

TEST(PtxTensorMap, WhatNoDriverMakesIsToldByItsRule) {
  const auto tile = [](auto change) {
    TensorMap map = GoodTile();
    change(&map);
    return BrokenRule(map);
  };
  const auto column = [](auto change) {
    TensorMap map = GoodColumn();
    change(&map);
    return BrokenRule(map);
  };
  using M = TensorMap;
  EXPECT_EQ(tile([](M*) {}), "");
  EXPECT_EQ(column([](M*) {}), "");
  EXPECT_EQ(tile([](M* m) { m->rank = 0; }), "tensorRank is 0, not from 1 to 5");
  EXPECT_EQ(column([](M* m) { m->rank = 2; }), "tensorRank is 2, not from 3 to 5");
  EXPECT_EQ(tile([](M* m) { m->address += 8; }), "globalAddress 0x1008 is not a multiple of 16");
  EXPECT_EQ(tile([](M* m) { m->dims[1] = 0; }), "globalDim[1] is 0, not from 1 to 2^32");
  EXPECT_EQ(tile([](M* m) { m->strides[0] = 136; }),
            "globalStrides[0] is 136, not a multiple of 16 below 2^40");
  EXPECT_EQ(tile([](M* m) { m->strides[1] = 1ULL << 40; }),
            "globalStrides[1] is 1099511627776, not a multiple of 16 below 2^40");
  EXPECT_EQ(tile([](M* m) { m->box[1] = 257; }), "boxDim[1] is 257, not from 1 to 256");
  EXPECT_EQ(tile([](M* m) { m->box[0] = 60; }),
            "boxDim[0] is 60, which is no multiple of 16 bytes");
  EXPECT_EQ(tile([](M* m) { m->box[0] = 128; }),
            "boxDim[0] is 128, which takes 256 bytes where the swizzle has 128");
  EXPECT_EQ(tile([](M* m) { m->steps[2] = 9; }), "elementStrides[2] is 9, not from 1 to 8");
  EXPECT_EQ(tile([](M* m) { m->steps[0] = 9; }), "");  // "the first element is ignored"
  EXPECT_EQ(tile([](M* m) { m->interleave = TensorInterleave::k32; }),
            "interleave is of 32 bytes, which requires CU_TENSOR_MAP_SWIZZLE_32B");
  EXPECT_EQ(tile([](M* m) {
              m->interleave = TensorInterleave::k32;
              m->swizzle = TensorSwizzle::k32;
              m->strides[0] = 144;
            }),
            "globalStrides[0] is 144, not a multiple of 32 below 2^40");
  EXPECT_EQ(tile([](M* m) {
              m->swizzle = TensorSwizzle::k64;
              m->box[0] = 32;
              m->atom = TensorAtom::k32;
            }),
            "swizzle keeps more than 16 bytes together, which only that of 128 bytes can");
  EXPECT_EQ(tile([](M* m) {
              m->element = TensorElement::kU16;
              m->fills_nan = true;
            }),
            "oobFill asks for NaN, which only floating-point types have");
  EXPECT_EQ(tile([](M* m) { m->element = TensorElement::kB6Padded; }),
            "globalDim[0] is 64, which is not a multiple of 128 for this type");
  EXPECT_EQ(column([](M* m) { m->lower[1] = -129; }),
            "pixelBoxLowerCorner[1] is -129, not from -128 to 127");
  EXPECT_EQ(column([](M* m) { m->upper[0] = -10; }),
            "the box of pixels from pixelBoxLowerCorner[0] to pixelBoxUpperCorner[0] is empty");
  EXPECT_EQ(column([](M* m) { m->channels = 257; }), "channelsPerPixel is 257, not from 1 to 256");
  EXPECT_EQ(column([](M* m) { m->pixels = 1025; }), "pixelsPerColumn is 1025, not from 1 to 1024");
  EXPECT_EQ(column([](M* m) {
              m->layout = TensorLayout::kIm2colW;
              m->atom = TensorAtom::k32Flip8;
            }),
            "swizzle is none, or swaps parts of 8 bytes, which im2col::w does not have");
}

}  // namespace
}  // namespace muster::ptx
