// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Layouts and reports of mbarriers: PTX ISA 9.4, 9.7.15.16 and 9.7.10.28.1.3.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "sim/ptx/syntax/error.h"
#include "tb/unit/ptx_fixture.h"
#include "tb/unit/ptx_forms.h"

namespace muster::ptx {
namespace {

const Form kReportForms[] = {
    {"mbarrier.init.layout::v0.shared::cta.b64 [s], 1;", 93, 90},
    {"mbarrier.init.layout::v1.b64 [%d1], %r1;", 93, 90},
    {"mbarrier.init.layout::v1.shared.b64 [s], 511;", 93, 90},
    {"mbarrier.pending_count.layout::v0.b64 %r1, %d1;", 93, 90},
    {"mbarrier.check_layout.layout::v0.shared::cta.b64 %p1, [s];", 93, 90},
    {"mbarrier.check_layout.layout::v1.b64 %p1, [%d1];", 93, 90},
    {"mbarrier.test_wait.phase_type::primary.shared.b64 %p1, [s], %d1;", 93, 90},
    {"mbarrier.test_wait.phase_type::primary.shared::cta.b64 %p1|%p2, [s], %d1;", 93, 90},
    {"mbarrier.test_wait.parity.phase_type::primary.b64 %p1|%p2, %h1, [%d1], 1;", 93, 90},
    {"mbarrier.test_wait.parity.phase_type::conditional.b64 %p1, [s], %r1;", 93, 90},
    {"mbarrier.try_wait.phase_type::primary.acquire.cta.b64 %p1|%p2, %h1, [s], %d1, %r2;", 93, 90},
    {"mbarrier.try_wait.parity.phase_type::primary.b64 %p1|%p2, [s], 0, 20;", 93, 90},
    {"mbarrier.try_wait.parity.phase_type::conditional.relaxed.cluster.shared::cta.b64 %p1, [s], "
     "%r1, %r2;",
     93, 90},
    {"cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes.mbarrier::report::validity::"
     "per_16bytes::80000000 [s], [%d1], 64, [s];",
     94, 107, "a"},
    {"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.mbarrier::report::validity"
     "::per_element::ff.multicast::cluster [%r1], [g], %r2, [%r3], %h1;",
     94, 107, "f"},
    {"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.mbarrier::report::disabled"
     " [%r1], [g], %r2, [%r3];",
     94, 107, "a"},
    {"cp.async.bulk.tensor.2d.shared::cta.global.tile.mbarrier::complete_tx::bytes.mbarrier::report"
     "::validity::per_16bytes::8000.cta_group::1 [s], [%d1, {%r1, %r2}], [s];",
     94, 107, "a"},
    {"cp.async.bulk.tensor.2d.shared::cluster.global.tile::gather4.mbarrier::complete_tx::bytes"
     ".mbarrier::report::disabled [s], [%d1, {%r1, %r2, %r3, %r4, %r5}], [s];",
     94, 107, "f"},
    {"cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::complete_tx::bytes.mbarrier::report"
     "::validity::per_16bytes::8.multicast::cluster::32b.L2::cache_hint [s], [%d1, {%r1}], [s], "
     "%r2, %d2;",
     94, 107, "f"},
};

TEST(PtxReport, Forms) { CheckForms(std::begin(kReportForms), std::end(kReportForms)); }

TEST(PtxReport, WhatTheTextDoesNotHave) {
  for (const char* const form : {
           "mbarrier.init.layout::v2.b64 [s], 1;",
           "mbarrier.inval.layout::v1.b64 [s];",
           "mbarrier.arrive.layout::v1.b64 %d1, [s];",
           "mbarrier.pending_count.layout::v1.b64 %r1, %d1;",
           "mbarrier.check_layout.b64 %p1, [s];",
           "mbarrier.test_wait.phase_type::conditional.b64 %p1, [s], %d1;",
           "mbarrier.test_wait.b64 %p1|%p2, [s], %d1;",
           "mbarrier.test_wait.parity.phase_type::conditional.b64 %p1|%p2, [s], 0;",
           "mbarrier.test_wait.phase_type::primary.b64 %p1, %h1, [s], %d1;",
           "cp.async.bulk.tensor.1d.global.shared::cta.bulk_group.mbarrier::report::disabled "
           "[%d1, {%r1}], [s];",
           "mbarrier.try_wait.phase_type::primary.b64 %p1|%p2, %h1, [s];",
       }) {
    EXPECT_EQ(Judge(form, 94, "107a"), FormVerdict::kRefused) << form;
  }
  for (const char* const form :
       {"mbarrier.init.layout::v1.b64 [s], 512;", "mbarrier.check_layout.layout::v1.b64 _, [s];"}) {
    EXPECT_EQ(Judge(form, 94, "107a"), FormVerdict::kMisuse) << form;
  }
}

// One thread: a copy of `data` with that mechanism, and what the wait says: the report and its
// value, and whether the conditional phase has completed.
Kernel Inspecting(const std::string& mechanism, const std::vector<std::uint64_t>& data) {
  Kernel kernel(fmt::format(R"(.version 9.4
.target sm_107a
.address_size 64
.visible .entry test(.param .u64 in, .param .u64 out) {{
  .reg .pred %p<4>; .reg .b8 %v; .reg .b32 %r<8>; .reg .b64 %d<4>;
  .shared .align 16 .b32 s[64]; .shared .align 8 .b64 bar;
  ld.param.u64 %d1, [in]; ld.param.u64 %d2, [out]; mov.u32 %r1, s; mov.u32 %r2, bar;
  mbarrier.init.layout::v1.shared::cta.b64 [%r2], 1;
  fence.proxy.async.shared::cta;
  mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r2], {0};
  cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes.mbarrier::report::{1} [%r1], [%d1], {0}, [%r2];
W: mbarrier.try_wait.parity.phase_type::primary.shared::cta.b64 %p1|%p2, %v, [%r2], 0;
  @!%p1 bra W;
  mbarrier.test_wait.parity.phase_type::conditional.shared::cta.b64 %p3, [%r2], 0;
  selp.u32 %r3, 1, 0, %p2; selp.u32 %r4, 2, 0, %p3; cvt.u32.u8 %r5, %v; shl.b32 %r5, %r5, 8;
  or.b32 %r3, %r3, %r4; or.b32 %r3, %r3, %r5; st.global.u32 [%d2], %r3; ret;
}}
)",
                            8 * data.size(), mechanism),
                1);
  kernel.manifest.buffers = {MakeBuffer("in", data), MakeBuffer("out", Type::kU32, 1)};
  return kernel;
}

TEST(PtxReport, EachMechanismLooksForItsPattern) {
  const struct {
    const char* mechanism;
    std::vector<std::uint64_t> data;
    bool reports;
  } rows[] = {
      {"disabled", {0x80000000, 0, 0xff, 0}, false},
      {"validity::per_16bytes::80000000", {1, 2, 0x580000000, 4}, true},
      {"validity::per_16bytes::80000000", {0x8000000000000000, 0x80000000, 1, 1}, false},
      {"validity::per_16bytes::80000000", {0x80000001, 0, 0x8000, 0}, false},
      {"validity::per_16bytes::8000", {1, 2, 0x18000, 4}, true},
      {"validity::per_16bytes::8000", {0x80000000, 0x8000, 0x8001, 0}, false},
      {"validity::per_16bytes::80", {0x180, 2, 3, 4}, true},
      {"validity::per_16bytes::80", {0x8000, 0x80, 0x81, 0}, false},
      {"validity::per_16bytes::8", {0x28, 2, 3, 4}, true},
      {"validity::per_16bytes::8", {0x80, 0x8, 0x89, 0}, false},
      {"validity::per_element::ff", {0, 0xff00000000000000, 0, 0}, true},
      {"validity::per_element::ff", {0x0ff0, 0xfefe, 0x7f, 0}, false},
  };
  for (const auto& row : rows) {
    for (std::uint64_t seed = 1; seed <= 2; ++seed) {
      const Ended run(Inspecting(row.mechanism, row.data), "full", seed);
      ASSERT_EQ(run.outcome(), "completes") << run.grid().problem();
      EXPECT_EQ(run.Words(1), (std::vector<std::uint32_t>{row.reports ? 1U : 2U}))
          << row.mechanism << fmt::format(" {:#x}", row.data[0]);
    }
  }
}

// One thread: a tensor copy from 16 x 8 words, in a box of 8 x 4, with that mechanism. All words
// are 1 but for one of them.
Kernel InspectingABox(const std::string& mechanism, TensorElement element, std::pair<int, int> from,
                      unsigned at, std::uint32_t word) {
  Kernel kernel(fmt::format(R"(.version 9.4
.target sm_107a
.address_size 64
.visible .entry test(.param .u64 in, .param .u64 out, .param .u64 maps) {{
  .reg .pred %p<4>; .reg .b8 %v; .reg .b32 %r<4>; .reg .b64 %d<4>;
  .shared .align 128 .b32 s[32]; .shared .align 8 .b64 bar;
  ld.param.u64 %d1, [maps]; ld.param.u64 %d2, [out]; mov.u32 %r1, s; mov.u32 %r2, bar;
  mbarrier.init.layout::v1.shared::cta.b64 [%r2], 1;
  fence.proxy.async.shared::cta;
  mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r2], 128;
  cp.async.bulk.tensor.2d.shared::cta.global.mbarrier::complete_tx::bytes.mbarrier::report::{} [%r1], [%d1, {{{}, {}}}], [%r2];
W: mbarrier.try_wait.parity.phase_type::primary.shared::cta.b64 %p1|%p2, %v, [%r2], 0;
  @!%p1 bra W;
  selp.u32 %r3, 1, 0, %p2; st.global.u32 [%d2], %r3; ret;
}}
)",
                            mechanism, from.first, from.second),
                1);
  std::vector<std::uint64_t> pairs(64, 0x100000001);
  pairs[at / 2] ^= (std::uint64_t{1} ^ word) << 32 * (at % 2);
  NamedMap named;
  named.name = "m";
  named.buffer = "in";
  named.map.element = element;
  named.map.rank = 2;
  named.map.dims = {16, 8};
  named.map.strides = {64};
  named.map.box = {8, 4};
  named.map.steps.fill(1);
  Buffer maps = MakeBuffer("maps", Type::kU64, 16);
  maps.maps = {"m"};
  kernel.manifest.buffers = {MakeBuffer("in", pairs), MakeBuffer("out", Type::kU32, 1), maps};
  kernel.manifest.maps = {named};
  return kernel;
}

// Of each 16 bytes that a tensor copy reads the first element is looked at, as it is in global
// memory.
TEST(PtxReport, ATensorCopyLooksAtWhatItReads) {
  const std::string first = "validity::per_16bytes::80000000";
  const struct {
    std::string mechanism;
    TensorElement element;
    std::pair<int, int> from;
    unsigned at;
    std::uint32_t word;
    bool reports;
  } rows[] = {
      {first, TensorElement::kF32, {0, 0}, 16, 0x80000000, true},
      {first, TensorElement::kF32, {0, 0}, 17, 0x80000000, false},
      {first, TensorElement::kF32, {4, 0}, 20, 0x80000000, true},
      {first, TensorElement::kF32, {0, 0}, 8, 0x80000000, false},   // beside the box
      {first, TensorElement::kF32, {0, 4}, 48, 0x80000000, false},  // above it
      {first, TensorElement::kF32, {-4, 0}, 0, 0x80000000, true},   // after four words of fill
      {first, TensorElement::kTF32, {0, 0}, 0, 0x80000001, false},  // is -0 when it is rounded
      {"validity::per_element::ff", TensorElement::kF32, {0, 0}, 35, 0xff0000, true},
      {"validity::per_element::ff", TensorElement::kF32, {0, 0}, 35, 0xf0f000, false},
      {"disabled", TensorElement::kF32, {0, 0}, 16, 0x80000000, false},
  };
  for (const auto& row : rows) {
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {  // in one piece and in several
      const Ended run(InspectingABox(row.mechanism, row.element, row.from, row.at, row.word),
                      "full", seed);
      ASSERT_EQ(run.outcome(), "completes") << run.grid().problem();
      EXPECT_EQ(run.Words(1), (std::vector<std::uint32_t>{row.reports ? 1U : 0U}))
          << fmt::format("{} {} {:#x}", row.mechanism, row.at, row.word);
    }
  }
  try {
    const Ended run(InspectingABox(first, TensorElement::kF32, {0, 0}, 0, 1), "small");
    ADD_FAILURE();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("use --config full"), std::string::npos);
  }
}

TEST(PtxReport, NeedsAUnitThatHasThem) {
  try {
    const Ended run(Inspecting("disabled", {0, 0}), "small");
    ADD_FAILURE();
  } catch (const InputError& error) {
    const std::string what = error.what();
    EXPECT_NE(what.find("the configuration small has no reports and layouts of mbarriers "
                        "(EnReport): use --config full"),
              std::string::npos)
        << what;
    EXPECT_NE(what.find("test.ptx:8"), std::string::npos) << what;
  }
}

}  // namespace
}  // namespace muster::ptx
