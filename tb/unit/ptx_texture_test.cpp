// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Textures and surfaces: which texels coordinates find, by the rules of the programming guide,
// written here as it has them.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "sim/ptx/syntax/error.h"
#include "tb/unit/ptx_fixture.h"

namespace muster::ptx {
namespace {

constexpr unsigned kLookups = 24;  // threads, each of which has coordinates of its own

// A kernel whose threads look up at their three words of `in`, and store four words to `out`. The
// texture comes as an argument.
std::string Lookup(const std::string& instruction) {
  return R"(.version 8.0
.target sm_80
.address_size 64
.global .texref named;
.visible .entry test(.param .u64 t, .param .u64 in, .param .u64 out) {
  .reg .pred %p<4>; .reg .b16 %h<8>; .reg .b32 %r<16>; .reg .b64 %d<8>; .reg .f32 %f<12>;
  ld.param.u64 %d1, [t]; ld.param.u64 %d2, [in]; ld.param.u64 %d3, [out]; mov.u32 %r1, %tid.x;
  mad.wide.u32 %d2, %r1, 12, %d2; mad.wide.u32 %d3, %r1, 16, %d3;
  ld.global.f32 %f1, [%d2]; ld.global.f32 %f2, [%d2+4]; ld.global.f32 %f3, [%d2+8];
  ld.global.b32 %r11, [%d2]; ld.global.b32 %r12, [%d2+4]; ld.global.b32 %r13, [%d2+8];
  mov.u32 %r14, 1; mov.s32 %r15, -1;
)" + instruction +
         "\n  st.global.v4.u32 [%d3], {%r4, %r5, %r6, %r7};\n  ret;\n}\n";
}
const std::string kResults = "{%r4, %r5, %r6, %r7}";
const std::string kFloats =
    "  mov.b32 %r4, %f4; mov.b32 %r5, %f5; mov.b32 %r6, %f6; mov.b32 %r7, %f7;";

std::uint32_t BitsOf(float value) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

// The words of `out`, by thread.
std::vector<std::uint32_t> Results(const std::string& instruction, const NamedTexture& named,
                                   const Buffer& texels, const std::vector<std::uint32_t>& in) {
  Kernel kernel(Lookup(instruction), kLookups);
  Buffer coordinates = MakeBuffer("in", Type::kU32, 3 * kLookups);
  if (!in.empty()) {
    std::memcpy(coordinates.initial.data(), in.data(),
                std::min(coordinates.initial.size(), 4 * in.size()));
  }
  kernel.manifest.buffers = {texels, coordinates, MakeBuffer("out", Type::kU32, 4 * kLookups)};
  kernel.manifest.textures = {named};
  kernel.manifest.arguments.resize(3);
  kernel.manifest.arguments[0].buffer = named.texture.name;
  kernel.manifest.arguments[1].buffer = "in";
  kernel.manifest.arguments[2].buffer = "out";
  const Ended run(kernel);
  EXPECT_EQ(run.outcome(), "completes") << run.grid().problem();
  return run.Words(2);
}

// Of 8 x 4 texels of floats: texel (x, y) is 10 y + x, and minus that.
NamedTexture Floats() {
  NamedTexture named;
  named.buffer = "texels";
  named.texture.name = "t";
  named.texture.type = Type::kF32;
  named.texture.components = 2;
  named.texture.size = {8, 4, 1};
  named.texture.row = 80;  // there is a gap behind each row
  named.texture.slice = 320;
  return named;
}
float TexelAt(int x, int y) { return static_cast<float>(10 * y + x); }
Buffer FloatTexels() {
  Buffer buffer = MakeBuffer("texels", Type::kU32, 80);
  for (int y = 0; y < 4; ++y) {
    for (int x = 0; x < 8; ++x) {
      const float both[] = {TexelAt(x, y), -TexelAt(x, y)};
      std::memcpy(&buffer.initial[static_cast<std::size_t>(80 * y + 8 * x)], both, 8);
    }
  }
  return buffer;
}

// Coordinates in and around the texture, in texels.
std::vector<std::pair<float, float>> Places() {
  std::vector<std::pair<float, float>> places;
  for (unsigned i = 0; i < kLookups; ++i) {
    places.emplace_back(-3.0F + 0.625F * static_cast<float>(i),
                        5.5F - 0.375F * static_cast<float>(i));
  }
  return places;
}

// "N is the texel size in that dimension": the index that the mode makes of another one; -1:
// zeroes.
int IndexOf(TextureAddress mode, int index, int n) {
  switch (mode) {
    case TextureAddress::kWrap:
      return ((index % n) + n) % n;
    case TextureAddress::kMirror: {
      const int twice = ((index % (2 * n)) + 2 * n) % (2 * n);
      return twice < n ? twice : 2 * n - 1 - twice;
    }
    case TextureAddress::kBorder:
      return index < 0 || index >= n ? -1 : index;
    default:
      return std::min(std::max(index, 0), n - 1);
  }
}
double ValueAt(TextureAddress mode, int x, int y) {
  const int at_x = IndexOf(mode, x, 8);
  const int at_y = IndexOf(mode, y, 4);
  return at_x < 0 || at_y < 0 ? 0 : TexelAt(at_x, at_y);
}

TEST(PtxTexture, FindsTheNearestTexelOrFiltersFour) {
  for (const bool linear : {false, true}) {
    for (const bool normalized : {false, true}) {
      for (const TextureAddress mode : {TextureAddress::kClamp, TextureAddress::kBorder,
                                        TextureAddress::kWrap, TextureAddress::kMirror}) {
        NamedTexture named = Floats();
        named.texture.linear = linear;
        named.texture.normalized = normalized;
        named.texture.addressing.fill(mode);
        std::vector<std::uint32_t> in;
        for (const auto& [x, y] : Places()) {
          in.insert(in.end(), {BitsOf(normalized ? x / 8 : x), BitsOf(normalized ? y / 4 : y), 0});
        }
        const auto got =
            Results("  tex.2d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%d1, {%f1, %f2}];\n" + kFloats,
                    named, FloatTexels(), in);
        // Others than clamp and border are of normalized coordinates alone.
        const bool repeats = mode == TextureAddress::kWrap || mode == TextureAddress::kMirror;
        const TextureAddress real = repeats && !normalized ? TextureAddress::kClamp : mode;
        for (unsigned i = 0; i < kLookups; ++i) {
          const auto [x, y] = Places()[i];
          double wanted = 0;
          if (!linear) {
            wanted =
                ValueAt(real, static_cast<int>(std::floor(x)), static_cast<int>(std::floor(y)));
          } else {
            const double at_x = std::floor(x - 0.5);
            const double at_y = std::floor(y - 0.5);
            const double a = x - 0.5 - at_x;  // multiples of an eighth
            const double b = y - 0.5 - at_y;
            const int ix = static_cast<int>(at_x);
            const int iy = static_cast<int>(at_y);
            wanted = (1 - a) * (1 - b) * ValueAt(real, ix, iy) +
                     a * (1 - b) * ValueAt(real, ix + 1, iy) +
                     (1 - a) * b * ValueAt(real, ix, iy + 1) +
                     a * b * ValueAt(real, ix + 1, iy + 1);
          }
          EXPECT_EQ(got[4 * i], BitsOf(static_cast<float>(wanted)))
              << linear << normalized << static_cast<int>(mode) << " at " << x << " " << y;
          const bool outside = mode == TextureAddress::kBorder && wanted == 0;
          if (!outside) {
            EXPECT_EQ(got[4 * i + 1], BitsOf(static_cast<float>(wanted == 0 ? -0.0 : -wanted)))
                << " at " << x << " " << y;
            EXPECT_EQ(got[4 * i + 2], 0U);
          }
        }
      }
    }
  }
}

// 256ths: 0.501 of a texel is 128 of them.
TEST(PtxTexture, FiltersWithEightBitsOfFraction) {
  NamedTexture named = Floats();
  named.texture.linear = true;
  const auto got =
      Results("  tex.2d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%d1, {%f1, %f2}];\n" + kFloats, named,
              FloatTexels(),
              {BitsOf(2.001F + 0.0F), BitsOf(0.5F), 0, BitsOf(1.5F + 3.0F / 512), BitsOf(0.5F), 0});
  EXPECT_EQ(got[0], BitsOf(1.5F));
  EXPECT_EQ(got[4], BitsOf(1.0F + 2.0F / 256));
}

TEST(PtxTexture, IntegersNameTexels) {
  NamedTexture named;
  named.buffer = "texels";
  named.texture = {"t", 0, Type::kS8, 4, 1, {6, 1, 1}, 0, 24, 24};
  Buffer texels = MakeBuffer("texels", Type::kU32, 6);
  for (unsigned i = 0; i < 24; ++i) {
    texels.initial[i] = static_cast<std::uint8_t>(i * 9 + 100);
  }
  const std::vector<std::uint32_t> in = {0, 0, 0, 5, 0, 0, 9, 0, 0, static_cast<std::uint32_t>(-4)};
  const auto raw =
      Results("  tex.1d.v4.s32.s32 " + kResults + ", [%d1, {%r11}];", named, texels, in);
  const unsigned wanted[] = {0, 5};  // the others are outside
  for (unsigned i = 0; i < 4; ++i) {
    for (unsigned k = 0; k < 4; ++k) {
      const auto value =
          static_cast<std::int8_t>(i < 2 ? texels.initial[4 * wanted[i] + k] : std::uint8_t{0});
      EXPECT_EQ(static_cast<std::int32_t>(raw[4 * i + k]), value) << i << " " << k;
    }
  }
  named.texture.reads_floats = true;
  const auto real = Results("  tex.1d.v4.f32.s32 {%f4, %f5, %f6, %f7}, [%d1, {%r11}];\n" + kFloats,
                            named, texels, in);
  for (unsigned k = 0; k < 4; ++k) {
    const auto value = static_cast<std::int8_t>(texels.initial[k]);
    EXPECT_EQ(real[k], BitsOf(static_cast<float>(std::max(-1.0, value / 127.0)))) << k;
  }
}

TEST(PtxTexture, LayersSlicesOffsetsAndMissingComponents) {
  // Three layers of four texels: layer l, texel x: 100 l + x. As three dimensions: two slices.
  Buffer texels = MakeBuffer("texels", Type::kU32, 12);
  for (unsigned i = 0; i < 12; ++i) {
    const std::uint32_t value = 100 * (i / 4) + i % 4;
    std::memcpy(&texels.initial[std::size_t{4} * i], &value, 4);
  }
  NamedTexture named;
  named.buffer = "texels";
  named.texture = {"t", 0, Type::kU32, 1, 1, {4, 1, 1}, 3, 16, 16};
  const std::vector<std::uint32_t> in = {1, 2, 0, 2, 3, 0, 7, 0, 0};
  const auto layered =
      Results("  tex.a1d.v4.u32.s32 " + kResults + ", [%d1, {%r11, %r12}];", named, texels, in);
  EXPECT_EQ(layered[0], 102U);
  EXPECT_EQ(layered[1], 0U);
  EXPECT_EQ(layered[3], 0U);  // alpha
  EXPECT_EQ(layered[4], 203U);
  EXPECT_EQ(layered[8], 200U);  // the last layer
  named.texture = {"t", 0, Type::kU32, 1, 3, {2, 3, 2}, 0, 8, 24};
  const auto deep = Results("  tex.3d.v4.u32.s32 " + kResults +
                                ", [%d1, {%r11, %r12, %r13, %r13}], {%r14, %r15, %r14, %r14};",
                            named, texels, {0, 1, 0, 0, 2, 0});
  EXPECT_EQ(deep[0], 103U);  // at (1, 0, 1): element 7
  EXPECT_EQ(deep[4], 201U);  // at (1, 1, 1): element 9
}

// Counter-clockwise from the lower left one on; .level names the only level.
TEST(PtxTexture, GathersFourTexels) {
  std::vector<std::uint32_t> in = {BitsOf(3), BitsOf(2), 0, BitsOf(0.25F), BitsOf(0.25F), 0};
  const std::string gather =
      "  tld4.COMP.2d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%d1, {%f1, %f2}];\n" + kFloats;
  for (const bool second : {false, true}) {
    std::string text = gather;
    text.replace(text.find("COMP"), 4, second ? "g" : "r");
    const auto got = Results(text, Floats(), FloatTexels(), in);
    const float sign = second ? -1.0F : 1.0F;
    const float wanted[] = {TexelAt(2, 2), TexelAt(3, 2), TexelAt(3, 1), TexelAt(2, 1)};
    for (unsigned k = 0; k < 4; ++k) {
      EXPECT_EQ(got[k], BitsOf(sign * wanted[k])) << k;
      EXPECT_EQ(got[4 + k], BitsOf(sign * 0.0F)) << k;
    }
  }
  // 1.998 texels from the first one's centre are 2, in 256ths.
  const auto near =
      Results("  tld4.r.2d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%d1, {%f1, %f2}];\n" + kFloats,
              Floats(), FloatTexels(), {BitsOf(2.498046875F), BitsOf(2), 0});
  EXPECT_EQ(near[0], BitsOf(TexelAt(2, 2)));
  const auto level =
      Results("  tex.level.2d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%d1, {%f1, %f2}], %f1;\n" + kFloats,
              Floats(), FloatTexels(), in);
  EXPECT_EQ(level[0], BitsOf(TexelAt(3, 2)));
}

TEST(PtxTexture, NamesAndHandlesAndWhatTheyAre) {
  NamedTexture named = Floats();
  named.texture.name = "named";
  named.texture.normalized = true;
  named.texture.addressing = {TextureAddress::kMirror, TextureAddress::kBorder,
                              TextureAddress::kClamp};
  const auto got = Results(R"(  txq.width.b32 %r4, [named]; txq.height.b32 %r5, [named];
  mov.u64 %d4, named; txq.depth.b32 %r6, [%d4]; txq.normalized_coords.b32 %r7, [%d1];)",
                           named, FloatTexels(), {});
  EXPECT_EQ(std::vector<std::uint32_t>(got.begin(), got.begin() + 4),
            (std::vector<std::uint32_t>{8, 4, 0, 1}));
  const auto more = Results(R"(  txq.addr_mode_0.b32 %r4, [named]; txq.addr_mode_1.b32 %r5, [named];
  txq.filter_mode.b32 %r6, [%d1]; suq.array_size.b32 %r7, [%d1];)",
                            named, FloatTexels(), {});
  EXPECT_EQ(std::vector<std::uint32_t>(more.begin(), more.begin() + 4),
            (std::vector<std::uint32_t>{1, 4, 0, 0}));
}

// ------------------------------------------------------------------------------------------------
// Surfaces
// ------------------------------------------------------------------------------------------------

// Of 4 x 2 words, of which a row has 16 bytes and a gap of 16.
struct Surface {
  explicit Surface(const std::string& body) : kernel(Lookup(body), 1) {
    NamedTexture named;
    named.buffer = "texels";
    named.texture = {"t", 0, Type::kU32, 1, 2, {4, 2, 1}, 0, 32, 64};
    Buffer texels = MakeBuffer("texels", Type::kU32, 16);
    for (std::uint32_t i = 0; i < 16; ++i) {
      texels.initial[std::size_t{4} * i] = static_cast<std::uint8_t>(i + 1);
    }
    kernel.manifest.buffers = {texels, MakeBuffer("in", Type::kU32, 3),
                               MakeBuffer("out", Type::kU32, 4)};
    kernel.manifest.textures = {named};
    kernel.manifest.arguments.resize(3);
    kernel.manifest.arguments[0].buffer = "t";
    kernel.manifest.arguments[1].buffer = "in";
    kernel.manifest.arguments[2].buffer = "out";
  }
  Kernel kernel;
};

TEST(PtxSurface, LoadsStoresAndReduces) {
  const Ended run(Surface(R"(
  mov.u32 %r1, 4; mov.u32 %r2, 1; mov.u32 %r3, 77; mov.u32 %r8, 20; mov.s32 %r9, -8; mov.u32 %r10, 12;
  suld.b.2d.b32.trap %r4, [%d1, {%r1, %r2}];
  suld.b.2d.v2.b32.clamp {%r5, %r6}, [%d1, {%r8, %r2}];
  suld.b.2d.b32.zero %r7, [%d1, {%r9, %r2}];
  sust.b.2d.b32.trap [%d1, {%r1, %r2}], %r3;
  sust.b.2d.b32.zero [%d1, {%r8, %r2}], %r3;
  sured.b.add.2d.u32.trap [%d1, {%r10, %r2}], %r3;
  mov.b16 %h1, 0x55; sust.b.2d.b8.clamp [%d1, {%r9, %r2}], %h1;
)")
                      .kernel);
  ASSERT_EQ(run.outcome(), "completes") << run.grid().problem();
  EXPECT_EQ(run.Words(2), (std::vector<std::uint32_t>{10, 11, 12, 0}));
  EXPECT_EQ(run.Words(0),
            (std::vector<std::uint32_t>{1, 2, 3, 4, 5, 6, 7, 8, 0x55, 77, 11, 89, 13, 14, 15, 16}));
}

TEST(PtxSurface, MisuseIsAFaultWithItsName) {
  const auto fault = [](const std::string& body, const std::string& sentence) {
    const Ended run(
        Surface("  mov.u32 %r1, 16; mov.u32 %r2, 1; mov.u32 %r3, 2;\n  " + body).kernel);
    EXPECT_EQ(run.outcome(), "fault:bad_texture") << body;
    EXPECT_NE(run.grid().problem().find(sentence), std::string::npos) << run.grid().problem();
  };
  fault("suld.b.2d.b32.trap %r4, [%d1, {%r1, %r2}];",
        "from byte 16 of a row of t on, which is outside");
  fault("suld.b.2d.b32.trap %r4, [%d1, {%r3, %r2}];", "which is no multiple of them");
  fault("suld.b.1d.b32.trap %r4, [%d1, {%r3}];", "takes t for of 1 dimensions, and it has 2");
  fault("suld.b.2d.b32.trap %r4, [%d2, {%r3, %r2}];", "which the manifest has not");
  fault("tex.2d.v4.u32.s32 {%r4, %r5, %r6, %r7}, [named, {%r3, %r2}];",
        "which the manifest has not");
}

TEST(PtxTexture, FormsThatThereAreNot) {
  for (const std::string instruction :
       {"tex.2d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%d1, {%f1}];",
        "tex.2d.v2.f16x2.f32 {%r4, %r5}, [%d1, {%f1, %f2}];",
        "tex.2d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%d1, %d2, {%f1, %f2}];",
        "tex.2d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%d1, {%f1, %f2}], %f3;",
        "tex.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%d1, {%f1, %f2}];",
        "tld4.r.2d.v4.f32.s32 {%f4, %f5, %f6, %f7}, [%d1, {%r1, %r2}];",
        "tld4.2d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%d1, {%f1, %f2}];",
        "txq.channel_order.b32 %r4, [%d1];", "suq.filter_mode.b32 %r4, [%d1];",
        "suld.p.2d.b32.trap %r4, [%d1, {%r1, %r2}];",
        "sust.b.2d.v8.b32.trap [%d1, {%r1, %r2}], %r4;",
        "sured.b.2d.u32.trap [%d1, {%r1, %r2}], %r4;",
        "sured.b.add.a2d.u32.trap [%d1, {%r1, %r2, %r2}], %r4;", "istypep.texref %p1, %d1;"}) {
    try {
      const Ended run(Surface("  " + instruction).kernel);
      ADD_FAILURE() << instruction << " is accepted";
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find(":12:"), std::string::npos) << error.what();
    }
  }
}

TEST(PtxTexture, ManifestsDescribeWhatThereIs) {
  const auto with = [](const std::string& texture) {
    WriteTestFile("k.ptx", "");
    return ManifestRefusal(
        R"({"ptx": "k.ptx", "block": [1, 1, 1], "args": [{"texture": "t"}],
            "buffers": {"a": {"type": "u8", "count": 64}}, "textures": {"t": )" +
        texture + "}}");
  };
  const auto expect = [&](const std::string& texture, const std::string& sentence) {
    EXPECT_NE(with(texture).find(sentence), std::string::npos) << with(texture);
  };
  EXPECT_EQ(with(R"({"buffer": "a", "type": "u8", "size": [8, 8], "address": ["wrap", "clamp"]})"),
            "accepted");
  expect(R"({"buffer": "b", "type": "u8", "size": [8, 8]})", "names the buffer b");
  expect(R"({"buffer": "a", "type": "u8", "size": [8, 9]})",
         "reaches up to byte 72 of the buffer a");
  expect(R"({"buffer": "a", "type": "u8", "size": [8, 2], "pitch": 7})", "has a pitch of 7 bytes");
  expect(R"({"buffer": "a", "type": "u8", "size": [8], "filter": "linear"})", "filters integers");
  expect(R"({"buffer": "a", "type": "f32", "size": [8], "read": "normalized"})",
         "reads as normalized");
  expect(R"({"buffer": "a", "type": "u8", "size": [2, 2, 2], "layers": 2})",
         "has layers and three");
}

}  // namespace
}  // namespace muster::ptx
