// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Each family of instructions against values that the host computes.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "tb/unit/ptx_fixture.h"
#include "tb/unit/ptx_rows.h"

namespace muster::ptx {
namespace {

TEST(PtxInstruction, IntegerArithmetic) {
  RunRows({
      {"add.u16 %h10, %h1, %h2;", 'h', [](U a, U b, U) { return Low16(SignedLong(a + b)); }},
      {"add.s32 %r10, %r1, %r2;", 'r', [](U a, U b, U) { return Low32(SignedLong(a + b)); }},
      {"add.u64 %d10, %d1, -5;", 'd', [](U a, U, U) { return a - 5; }},
      {"sub.s16 %h10, %h1, %h2;", 'h', [](U a, U b, U) { return Low16(SignedLong(a - b)); }},
      {"sub.u32 %r10, %r1, 0x10;", 'r', [](U a, U, U) { return Low32(SignedLong(a - 16)); }},
      {"sub.s64 %d10, %d1, %d2;", 'd', [](U a, U b, U) { return a - b; }},
      {"mul.lo.u32 %r10, %r1, %r2;", 'r', [](U a, U b, U) { return Low32(SignedLong(a * b)); }},
      {"mul.lo.s64 %d10, %d1, %d2;", 'd', [](U a, U b, U) { return a * b; }},
      {"mul.hi.u32 %r10, %r1, %r2;", 'r',
       [](U a, U b, U) { return Long(Word(a)) * Word(b) >> 32; }},
      {"mul.hi.s32 %r10, %r1, %r2;", 'r',
       [](U a, U b, U) { return Low32(SignedLong(SignedWord(a)) * SignedWord(b) >> 32); }},
      {"mul.hi.u64 %d10, %d1, %d2;", 'd',
       [](U a, U b, U) { return Long(static_cast<unsigned __int128>(a) * b >> 64); }},
      {"mul.hi.s64 %d10, %d1, %d2;", 'd',
       [](U a, U b, U) {
         return Long(static_cast<__int128>(SignedLong(a)) * SignedLong(b) >> 64);
       }},
      {"mul.wide.u16 %r10, %h1, %h2;", 'r', [](U a, U b, U) { return Long(Half(a)) * Half(b); }},
      {"mul.wide.s16 %r10, %h1, %h2;", 'r',
       [](U a, U b, U) { return Low32(SignedLong(SignedHalf(a)) * SignedHalf(b)); }},
      {"mul.wide.u32 %d10, %r1, %r2;", 'd', [](U a, U b, U) { return Long(Word(a)) * Word(b); }},
      {"mul.wide.s32 %d10, %r1, %r2;", 'd',
       [](U a, U b, U) { return Long(SignedLong(SignedWord(a)) * SignedWord(b)); }},
      {"mad.lo.s32 %r10, %r1, %r2, %r3;", 'r',
       [](U a, U b, U c) { return Low32(SignedLong(a * b + c)); }},
      {"mad.lo.u64 %d10, %d1, %d2, %d3;", 'd', [](U a, U b, U c) { return a * b + c; }},
      {"mad.hi.u32 %r10, %r1, %r2, %r3;", 'r',
       [](U a, U b, U c) { return Low32(SignedLong((Long(Word(a)) * Word(b) >> 32) + c)); }},
      {"mad.wide.u32 %d10, %r1, %r2, %d3;", 'd',
       [](U a, U b, U c) { return Long(Word(a)) * Word(b) + c; }},
      {"mad.wide.s32 %d10, %r1, %r2, %d3;", 'd',
       [](U a, U b, U c) { return Long(SignedLong(SignedWord(a)) * SignedWord(b)) + c; }},
      {"div.u32 %r10, %r1, %r2;", 'r',
       [](U a, U b, U) { return Word(b) == 0 ? 0xffffffffU : Long(Word(a) / Word(b)); }},
      {"div.s32 %r10, %r1, %r2;", 'r',
       [](U a, U b, U) {
         return Word(b) == 0 ? 0xffffffffU : Low32(SignedLong(SignedWord(a)) / SignedWord(b));
       }},
      {"div.u64 %d10, %d1, %d2;", 'd', [](U a, U b, U) { return b == 0 ? ~U{0} : a / b; }},
      {"rem.u32 %r10, %r1, %r2;", 'r',
       [](U a, U b, U) { return Word(b) == 0 ? Long(Word(a)) : Long(Word(a) % Word(b)); }},
      {"rem.s32 %r10, %r1, %r2;", 'r',
       [](U a, U b, U) {
         return Word(b) == 0 ? Long(Word(a)) : Low32(SignedLong(SignedWord(a)) % SignedWord(b));
       }},
      {"min.s32 %r10, %r1, %r2;", 'r',
       [](U a, U b, U) { return Low32(std::min(SignedWord(a), SignedWord(b))); }},
      {"min.u64 %d10, %d1, %d2;", 'd', [](U a, U b, U) { return std::min(a, b); }},
      {"max.u16 %h10, %h1, %h2;", 'h',
       [](U a, U b, U) { return Long(std::max(Half(a), Half(b))); }},
      {"max.s64 %d10, %d1, %d2;", 'd',
       [](U a, U b, U) { return Long(std::max(SignedLong(a), SignedLong(b))); }},
      {"abs.s32 %r10, %r1;", 'r',
       [](U a, U, U) { return Low32(std::abs(SignedLong(SignedWord(a)))); }},
      {"neg.s64 %d10, %d1;", 'd', [](U a, U, U) { return ~a + 1; }},
      {"neg.s16 %h10, %h1;", 'h', [](U a, U, U) { return Low16(SignedLong(~a + 1)); }},
  });
}

TEST(PtxInstruction, Bits) {
  RunRows({
      {"and.b32 %r10, %r1, %r2;", 'r', [](U a, U b, U) { return Long(Word(a & b)); }},
      {"or.b64 %d10, %d1, %d2;", 'd', [](U a, U b, U) { return a | b; }},
      {"xor.b16 %h10, %h1, %h2;", 'h', [](U a, U b, U) { return Long(Half(a ^ b)); }},
      {"not.b32 %r10, %r1;", 'r', [](U a, U, U) { return Long(Word(~a)); }},
      {"not.b64 %d10, %d1;", 'd', [](U a, U, U) { return ~a; }},
      {"cnot.b32 %r10, %r1;", 'r', [](U a, U, U) { return Long(Word(a) == 0); }},
      {"shl.b32 %r10, %r1, %r2;", 'r',
       [](U a, U b, U) { return Word(b) > 31 ? 0 : Long(Word(a) << Word(b)); }},
      {"shl.b64 %d10, %d1, %r2;", 'd', [](U a, U b, U) { return Word(b) > 63 ? 0 : a << Word(b); }},
      {"shr.u32 %r10, %r1, %r2;", 'r',
       [](U a, U b, U) { return Word(b) > 31 ? 0 : Long(Word(a) >> Word(b)); }},
      {"shr.s32 %r10, %r1, %r2;", 'r',
       [](U a, U b, U) { return Low32(SignedWord(a) >> (Word(b) > 31 ? 31 : Word(b))); }},
      {"shr.s64 %d10, %d1, %r2;", 'd',
       [](U a, U b, U) { return Long(SignedLong(a) >> (Word(b) > 63 ? 63 : Word(b))); }},
      {"shr.s16 %h10, %h1, 3;", 'h', [](U a, U, U) { return Low16(SignedHalf(a) >> 3); }},
      {"shf.l.wrap.b32 %r10, %r1, %r2, %r3;", 'r',
       [](U a, U b, U c) { return Long(Word((((b << 32) | Word(a)) << (c & 31)) >> 32)); }},
      {"shf.r.clamp.b32 %r10, %r1, %r2, %r3;", 'r',
       [](U a, U b, U c) {
         return Long(Word(((b << 32) | Word(a)) >> (Word(c) > 32 ? 32 : Word(c))));
       }},
      {"popc.b32 %r10, %r1;", 'r', [](U a, U, U) { return Long(__builtin_popcount(Word(a))); }},
      {"popc.b64 %r10, %d1;", 'r', [](U a, U, U) { return Long(__builtin_popcountll(a)); }},
      {"clz.b32 %r10, %r1;", 'r',
       [](U a, U, U) { return Long(Word(a) == 0 ? 32 : __builtin_clz(Word(a))); }},
      {"clz.b64 %r10, %d1;", 'r', [](U a, U, U) { return Long(a == 0 ? 64 : __builtin_clzll(a)); }},
      {"brev.b32 %r10, %r1;", 'r',
       [](U a, U, U) {
         U result = 0;
         for (int i = 0; i < 32; ++i) {
           result |= ((a >> i) & 1) << (31 - i);
         }
         return result;
       }},
      {"bfe.u32 %r10, %r1, 5, 7;", 'r', [](U a, U, U) { return (a >> 5) & 0x7f; }},
      {"bfe.s32 %r10, %r1, 4, 8;", 'r',
       [](U a, U, U) { return Low32(static_cast<std::int8_t>(a >> 4)); }},
      {"bfe.s32 %r10, %r1, 28, 8;", 'r', [](U a, U, U) { return Low32(SignedWord(a) >> 28); }},
      {"bfe.u64 %d10, %d1, 40, 10;", 'd', [](U a, U, U) { return (a >> 40) & 0x3ff; }},
      {"bfi.b32 %r10, %r1, %r2, 8, 4;", 'r',
       [](U a, U b, U) { return Long(Word((b & ~U{0xf00}) | ((a & 0xf) << 8))); }},
      {"prmt.b32 %r10, %r1, %r2, 0x5410;", 'r',
       [](U a, U b, U) { return Long(Word((b << 16) | (a & 0xffff))); }},
      {"prmt.b32 %r10, %r1, %r2, 0x8b07;", 'r',
       [](U a, U b, U) {
         const U sign0 = (a & 0x80) != 0 ? 0xff : 0;
         const U sign3 = (a & 0x80000000U) != 0 ? 0xff : 0;
         return (sign0 << 24) | (sign3 << 16) | ((a & 0xff) << 8) | ((b >> 24) & 0xff);
       }},
      {"lop3.b32 %r10, %r1, %r2, %r3, 0xe8;", 'r',
       [](U a, U b, U c) { return Long(Word((a & b) | (a & c) | (b & c))); }},
      {"lop3.b32 %r10, %r1, %r2, %r3, 0x96;", 'r',
       [](U a, U b, U c) { return Long(Word(a ^ b ^ c)); }},
  });
}

TEST(PtxInstruction, ComparisonAndChoice) {
  RunRows({
      {"setp.eq.s32 %p10, %r1, %r2;", 'p', [](U a, U b, U) { return Long(Word(a) == Word(b)); }},
      {"setp.ne.b64 %p10, %d1, %d2;", 'p', [](U a, U b, U) { return Long(a != b); }},
      {"setp.lt.s32 %p10, %r1, %r2;", 'p',
       [](U a, U b, U) { return Long(SignedWord(a) < SignedWord(b)); }},
      {"setp.lt.u32 %p10, %r1, %r2;", 'p', [](U a, U b, U) { return Long(Word(a) < Word(b)); }},
      {"setp.le.s16 %p10, %h1, %h2;", 'p',
       [](U a, U b, U) { return Long(SignedHalf(a) <= SignedHalf(b)); }},
      {"setp.gt.u64 %p10, %d1, %d2;", 'p', [](U a, U b, U) { return Long(a > b); }},
      {"setp.ge.s64 %p10, %d1, %d2;", 'p',
       [](U a, U b, U) { return Long(SignedLong(a) >= SignedLong(b)); }},
      {"setp.hi.u32 %p10, %r1, %r2;", 'p', [](U a, U b, U) { return Long(Word(a) > Word(b)); }},
      {"setp.lt.and.u32 %p10, %r1, %r2, %p1;", 'p',
       [](U a, U b, U c) { return Long(Word(a) < Word(b) && (c & 1) != 0); }},
      {"setp.eq.or.u32 %p10, %r1, %r2, !%p1;", 'p',
       [](U a, U b, U c) { return Long(Word(a) == Word(b) || (c & 1) == 0); }},
      {"setp.ge.xor.u32 %p10, %r1, %r2, %p1;", 'p',
       [](U a, U b, U c) { return Long((Word(a) >= Word(b)) != ((c & 1) != 0)); }},
      {"setp.lt.and.u32 %p3|%p10, %r1, %r2, %p1;", 'p',
       [](U a, U b, U c) { return Long(Word(a) >= Word(b) && (c & 1) != 0); }},
      {"selp.b32 %r10, %r1, %r2, %p1;", 'r',
       [](U a, U b, U c) { return Long(Word((c & 1) != 0 ? a : b)); }},
      {"selp.u64 %d10, %d1, 7, %p2;", 'd', [](U a, U, U c) { return (c & 1) != 0 ? U{7} : a; }},
      {"set.lt.u32.s32 %r10, %r1, %r2;", 'r',
       [](U a, U b, U) { return SignedWord(a) < SignedWord(b) ? U{0xffffffff} : 0; }},
      {"and.pred %p10, %p1, %p2;", 'p', [](U, U, U) { return U{0}; }},
      {"xor.pred %p10, %p1, %p2;", 'p', [](U, U, U) { return U{1}; }},
      {"mov.u32 %r10, 5; @%p1 mov.u32 %r10, %r1;", 'r',
       [](U a, U, U c) { return (c & 1) != 0 ? Long(Word(a)) : 5; }},
      {"mov.u32 %r10, 5; @!%p1 add.u32 %r10, %r10, 1;", 'r',
       [](U, U, U c) { return (c & 1) != 0 ? U{5} : 6; }},
  });
}

TEST(PtxInstruction, MovesAndConversions) {
  RunRows({
      {"mov.b64 %d10, {%r1, %r2};", 'd', [](U a, U b, U) { return (b << 32) | Word(a); }},
      {"mov.b64 {%r3, %r10}, %d1;", 'r', [](U a, U, U) { return a >> 32; }},
      {"mov.b32 %r10, {%h1, %h2};", 'r', [](U a, U b, U) { return Long(Word(b << 16)) | Half(a); }},
      {"mov.b64 {_, %h10, %h4, %h5}, %d1;", 'h', [](U a, U, U) { return (a >> 16) & 0xffff; }},
      {"cvt.u32.u64 %r10, %d1;", 'r', [](U a, U, U) { return Long(Word(a)); }},
      {"cvt.s64.s32 %d10, %r1;", 'd', [](U a, U, U) { return Long(SignedLong(SignedWord(a))); }},
      {"cvt.u64.u32 %d10, %r1;", 'd', [](U a, U, U) { return Long(Word(a)); }},
      {"cvt.s32.s8 %r10, %r1;", 'r', [](U a, U, U) { return Low32(static_cast<std::int8_t>(a)); }},
      {"cvt.u32.u8 %r10, %h1;", 'r', [](U a, U, U) { return a & 0xff; }},
      {"cvt.s16.s8 %h10, %h1;", 'h', [](U a, U, U) { return Low16(static_cast<std::int8_t>(a)); }},
      {"cvt.s8.s32 %h10, %r1;", 'h', [](U a, U, U) { return Low16(static_cast<std::int8_t>(a)); }},
      {"cvt.sat.u8.s32 %h10, %r1;", 'h',
       [](U a, U, U) {
         return Long(SignedWord(a) < 0 ? 0 : SignedWord(a) > 255 ? 255 : SignedWord(a));
       }},
      {"cvt.sat.s16.s64 %h10, %d1;", 'h',
       [](U a, U, U) {
         return Low16(SignedLong(a) < -32768  ? -32768
                      : SignedLong(a) > 32767 ? 32767
                                              : SignedLong(a));
       }},
      {"cvt.rn.f32.s32 %f10, %r1;", 'f',
       [](U a, U, U) { return Bits(static_cast<float>(SignedWord(a))); }},
      {"cvt.rn.f32.u64 %f10, %d1;", 'f', [](U a, U, U) { return Bits(static_cast<float>(a)); }},
      {"cvt.rn.f64.s64 %g10, %d1;", 'g',
       [](U a, U, U) { return Bits(static_cast<double>(SignedLong(a))); }},
  });
}

TEST(PtxInstruction, SinglePrecision) {
  RunRows(
      {
          {"add.f32 %f10, %f1, %f2;", 'f', [](U a, U b, U) { return Bits(F(a) + F(b)); }},
          {"sub.rn.f32 %f10, %f1, 0f3FC00000;", 'f', [](U a, U, U) { return Bits(F(a) - 1.5F); }},
          {"mul.f32 %f10, %f1, %f2;", 'f', [](U a, U b, U) { return Bits(F(a) * F(b)); }},
          {"fma.rn.f32 %f10, %f1, %f2, %f3;", 'f',
           [](U a, U b, U c) { return Bits(std::fma(F(a), F(b), F(c))); }},
          {"mad.f32 %f10, %f1, %f2, %f3;", 'f',
           [](U a, U b, U c) { return Bits(std::fma(F(a), F(b), F(c))); }},
          {"div.rn.f32 %f10, %f1, %f2;", 'f', [](U a, U b, U) { return Bits(F(a) / F(b)); }},
          {"sqrt.rn.f32 %f10, %f1;", 'f', [](U a, U, U) { return Bits(std::sqrt(F(a))); }},
          {"rcp.rn.f32 %f10, %f1;", 'f', [](U a, U, U) { return Bits(1.0F / F(a)); }},
          {"neg.f32 %f10, %f1;", 'f', [](U a, U, U) { return Bits(-F(a)); }},
          {"abs.f32 %f10, %f1;", 'f', [](U a, U, U) { return Bits(std::fabs(F(a))); }},
          {"min.f32 %f10, %f1, %f2;", 'f',
           [](U a, U b, U) {
             if (F(a) == 0 && F(b) == 0) {
               return Word(a) > Word(b) ? Long(Word(a)) : Long(Word(b));
             }
             return Bits(std::fmin(F(a), F(b)));
           }},
          {"max.f32 %f10, %f1, %f2;", 'f',
           [](U a, U b, U) {
             if (F(a) == 0 && F(b) == 0) {
               return Word(a) < Word(b) ? Long(Word(a)) : Long(Word(b));
             }
             return Bits(std::fmax(F(a), F(b)));
           }},
          {"setp.lt.f32 %p10, %f1, %f2;", 'p', [](U a, U b, U) { return Long(F(a) < F(b)); }},
          {"setp.geu.f32 %p10, %f1, %f2;", 'p', [](U a, U b, U) { return Long(!(F(a) < F(b))); }},
          {"setp.neu.f32 %p10, %f1, %f2;", 'p', [](U a, U b, U) { return Long(F(a) != F(b)); }},
          {"setp.ne.f32 %p10, %f1, %f2;", 'p',
           [](U a, U b, U) { return Long(F(a) < F(b) || F(a) > F(b)); }},
          {"setp.nan.f32 %p10, %f1, %f2;", 'p',
           [](U a, U b, U) { return Long(std::isnan(F(a)) || std::isnan(F(b))); }},
          {"cvt.rzi.s32.f32 %r10, %f1;", 'r',
           [](U a, U, U) {
             const float x = F(a);
             if (std::isnan(x)) {
               return U{0};
             }
             if (x >= 2147483648.0F) {
               return U{0x7fffffff};
             }
             if (x < -2147483648.0F) {
               return U{0x80000000};
             }
             return Low32(static_cast<S64>(x));
           }},
          {"cvt.rni.u32.f32 %r10, %f1;", 'r',
           [](U a, U, U) {
             const float x = std::nearbyint(F(a));
             if (!(x > 0)) {
               return U{0};
             }
             return x >= 4294967296.0F ? U{0xffffffff} : static_cast<U>(x);
           }},
          {"cvt.rmi.f32.f32 %f10, %f1;", 'f', [](U a, U, U) { return Bits(std::floor(F(a))); }},
          {"cvt.f64.f32 %g10, %f1;", 'g',
           [](U a, U, U) { return Bits(static_cast<double>(F(a))); }},
          {"selp.f32 %f10, %f1, 0f40000000, %p1;", 'f',
           [](U a, U, U c) { return (c & 1) != 0 ? Long(Word(a)) : Bits(2.0F); }},
      },
      Operands::kSingle);
}

TEST(PtxInstruction, DoublePrecision) {
  RunRows(
      {
          {"add.f64 %g10, %g1, %g2;", 'g', [](U a, U b, U) { return Bits(G(a) + G(b)); }},
          {"mul.rn.f64 %g10, %g1, 0d4002000000000000;", 'g',
           [](U a, U, U) { return Bits(G(a) * 2.25); }},
          {"fma.rn.f64 %g10, %g1, %g2, %g3;", 'g',
           [](U a, U b, U c) { return Bits(std::fma(G(a), G(b), G(c))); }},
          {"div.rn.f64 %g10, %g1, %g2;", 'g', [](U a, U b, U) { return Bits(G(a) / G(b)); }},
          {"sqrt.rn.f64 %g10, %g1;", 'g', [](U a, U, U) { return Bits(std::sqrt(G(a))); }},
          {"setp.gt.f64 %p10, %g1, %g2;", 'p', [](U a, U b, U) { return Long(G(a) > G(b)); }},
          {"cvt.rn.f32.f64 %f10, %g1;", 'f',
           [](U a, U, U) { return Bits(static_cast<float>(G(a))); }},
          {"cvt.rpi.s64.f64 %d10, %g1;", 'd',
           [](U a, U, U) {
             const double x = std::ceil(G(a));
             if (std::isnan(x)) {
               return U{1} << 63;
             }
             if (x >= 0x1p63) {
               return U{0x7fffffffffffffff};
             }
             return x < -0x1p63 ? U{1} << 63 : Long(static_cast<S64>(x));
           }},
      },
      Operands::kDouble);
}

TEST(PtxInstruction, SpecialRegisters) {
  Kernel kernel(Header() + R"(
.visible .entry test(.param .u64 out) {
  .reg .b32 %r<20>; .reg .b64 %d<4>;
  mov.u32 %r1, %tid.x; mov.u32 %r2, %tid.y; mov.u32 %r3, %tid.z;
  mov.u32 %r4, %ntid.x; mov.u32 %r5, %ntid.y;
  mad.lo.u32 %r6, %r3, %r5, %r2; mad.lo.u32 %r6, %r6, %r4, %r1;
  mov.u32 %r7, %ctaid.y; mad.lo.u32 %r8, %r7, %nctaid.x, %ctaid.x;
  mov.u32 %r9, %ntid.z; mul.lo.u32 %r9, %r9, %r5; mul.lo.u32 %r9, %r9, %r4;
  mad.lo.u32 %r8, %r8, %r9, %r6;
  mov.u32 %r10, %laneid; mov.u32 %r11, %warpid; shl.b32 %r11, %r11, 5; add.u32 %r10, %r10, %r11;
  mov.u32 %r12, %lanemask_lt; popc.b32 %r12, %r12; shl.b32 %r12, %r12, 16; or.b32 %r10, %r10, %r12;
  ld.param.u64 %d1, [out]; mul.wide.u32 %d2, %r8, 4; add.u64 %d1, %d1, %d2;
  st.global.u32 [%d1], %r10;
})");
  kernel.manifest.block = {5, 3, 4};
  kernel.manifest.grid = {2, 3, 1};
  kernel.manifest.buffers = {MakeBuffer("out", Type::kU32, 360)};
  const Ended run(kernel);
  ASSERT_EQ(run.outcome(), "completes") << run.grid().problem();
  const auto out = run.Words(0);
  for (std::uint32_t i = 0; i < 360; ++i) {
    const std::uint32_t thread = i % 60;
    EXPECT_EQ(out[i], thread | ((thread % 32) << 16)) << i;
  }
}

}  // namespace
}  // namespace muster::ptx
