// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The forms of section 9.7.13 of the PTX text, continued: mbarriers, launch control, tensor maps;
// and of copies and stores that are not waited for.
#include <gtest/gtest.h>

#include <iterator>

#include "tb/unit/ptx_forms.h"

namespace muster::ptx {
namespace {

const Form kMbarriers[] = {
    {"mbarrier.init.b64 [%d1], %r1;", 70, 80},
    {"mbarrier.init.shared.b64 [s], 12;", 70, 80},
    {"mbarrier.init.shared::cta.b64 [%r1+8], %u1;", 78, 80},
    {"mbarrier.inval.b64 [%d1];", 70, 80},
    {"mbarrier.inval.shared.b64 [s];", 70, 80},
    {"mbarrier.inval.shared::cta.b64 [s];", 78, 80},
    {"mbarrier.expect_tx.b64 [%d1], 32;", 80, 90},
    {"mbarrier.expect_tx.relaxed.cta.shared.b64 [s], 512;", 80, 90},
    {"mbarrier.expect_tx.relaxed.cluster.shared::cluster.b64 [%r1], %r2;", 80, 90},
    {"mbarrier.complete_tx.b64 [%d1], 32;", 80, 90},
    {"mbarrier.complete_tx.shared::cta.b64 [s], 512;", 80, 90},
    {"mbarrier.complete_tx.relaxed.cta.b64 [%d1], %r1;", 80, 90},
    {"mbarrier.complete_tx.shared::cluster.b64 [%r1], 0;", 80, 90},
    {"mbarrier.arrive.b64 %d1, [%d2];", 70, 80},
    {"mbarrier.arrive.shared.b64 %d1, [s];", 70, 80},
    {"mbarrier.arrive.shared.b64 _, [s];", 71, 80},
    {"mbarrier.arrive.shared::cta.b64 %d1, [s];", 78, 80},
    {"mbarrier.arrive.b64 %d1, [%d2], 4;", 78, 90},
    {"mbarrier.arrive.shared.b64 _, [s], %r1;", 78, 90},
    {"mbarrier.arrive.release.cta.b64 %d1, [%d2];", 80, 80},
    {"mbarrier.arrive.release.b64 %d1, [%d2];", 80, 80},
    {"mbarrier.arrive.cta.b64 %d1, [%d2];", 80, 80},
    {"mbarrier.arrive.release.cluster.b64 _, [%d1], %r1;", 80, 90},
    {"mbarrier.arrive.release.cta.shared::cluster.b64 _, [%r1];", 80, 90},
    {"mbarrier.arrive.relaxed.cta.b64 %d1, [%d2];", 86, 80},
    {"mbarrier.arrive.relaxed.cluster.shared::cluster.b64 _, [%r1], 2;", 86, 90},
    {"mbarrier.arrive.expect_tx.b64 %d1, [%d2], %r1;", 80, 90},
    {"mbarrier.arrive.expect_tx.shared::cta.b64 _, [s], 16;", 80, 90},
    {"mbarrier.arrive.expect_tx.release.cluster.b64 _, [%d1], %r1;", 80, 90},
    {"mbarrier.arrive.expect_tx.relaxed.cluster.shared::cluster.b64 _, [%r1], %r2;", 86, 90},
    {"mbarrier.arrive.noComplete.b64 %d1, [%d2], 2;", 70, 80},
    {"mbarrier.arrive.noComplete.shared.b64 _, [s], %r1;", 71, 80},
    {"mbarrier.arrive.noComplete.release.cta.shared::cta.b64 %d1, [s], 1;", 80, 80},
    {"mbarrier.arrive_drop.shared.b64 _, [s];", 70, 80},
    {"mbarrier.arrive_drop.b64 %d1, [%d2];", 70, 80},
    {"mbarrier.arrive_drop.b64 %d1, [%d2], 3;", 78, 90},
    {"mbarrier.arrive_drop.shared::cluster.b64 _, [%r1];", 80, 90},
    {"mbarrier.arrive_drop.shared::cta.release.cluster.b64 _, [%r1], %r2;", 80, 90},
    {"mbarrier.arrive_drop.relaxed.cta.shared.b64 %d1, [s];", 86, 80},
    {"mbarrier.arrive_drop.expect_tx.shared::cta.relaxed.cluster.b64 %d1, [s], %r1;", 86, 90},
    {"mbarrier.arrive_drop.expect_tx.shared::cluster.b64 _, [%r1], 8;", 80, 90},
    {"mbarrier.arrive_drop.noComplete.shared.b64 _, [s], %r1;", 70, 80},
    {"mbarrier.arrive_drop.noComplete.release.cta.b64 %d1, [%d2], 1;", 80, 80},
    {"mbarrier.test_wait.b64 %p1, [%d1], %d2;", 70, 80},
    {"mbarrier.test_wait.shared.b64 %p1, [s], %d2;", 70, 80},
    {"mbarrier.test_wait.shared::cta.b64 %p1, [s], %d2;", 78, 80},
    {"mbarrier.test_wait.parity.shared.b64 %p1, [s], %r1;", 71, 80},
    {"mbarrier.test_wait.parity.b64 %p1, [%d1], 1;", 71, 80},
    {"mbarrier.test_wait.acquire.cta.b64 %p1, [%d1], %d2;", 80, 80},
    {"mbarrier.test_wait.parity.acquire.cluster.shared::cta.b64 %p1, [s], 0;", 80, 90},
    {"mbarrier.test_wait.relaxed.cta.b64 %p1, [%d1], %d2;", 86, 80},
    {"mbarrier.try_wait.b64 %p1, [%d1], %d2;", 78, 90},
    {"mbarrier.try_wait.shared::cta.b64 %p1, [s], %d2, %r1;", 78, 90},
    {"mbarrier.try_wait.shared.b64 %p1, [s], %d2, 1000;", 78, 90},
    {"mbarrier.try_wait.parity.shared.b64 %p1, [s], %r1;", 78, 90},
    {"mbarrier.try_wait.parity.b64 %p1, [%d1], 0, %r1;", 78, 90},
    {"mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p1, [s], 0;", 80, 90},
    {"mbarrier.try_wait.relaxed.cluster.shared.b64 %p1, [s], %d1;", 86, 90},
    {"mbarrier.pending_count.b64 %r1, %d1;", 70, 80},
    {"cp.async.mbarrier.arrive.b64 [%d1];", 70, 80},
    {"cp.async.mbarrier.arrive.shared.b64 [s];", 70, 80},
    {"cp.async.mbarrier.arrive.noinc.shared.b64 [%r1];", 70, 80},
    {"cp.async.mbarrier.arrive.noinc.shared::cta.b64 [s];", 78, 80},
};

const Form kAsync[] = {
    {"cp.async.ca.shared.global [s], [%d1], 4;", 70, 80},
    {"cp.async.ca.shared::cta.global [%r1], [g], 8;", 78, 80},
    {"cp.async.cg.shared.global [s], [%d1], 16;", 70, 80},
    {"cp.async.cg.shared.global.L2::128B [s], [%d1], 16, 8;", 74, 80},
    {"cp.async.ca.shared.global [s], [%d1], 8, %r1;", 70, 80},
    {"cp.async.ca.shared.global [s], [%d1], 4, %p1;", 75, 80},
    {"cp.async.cg.shared.global.L2::cache_hint [s], [%d1], 16, %d2;", 74, 80},
    {"cp.async.commit_group;", 70, 80},
    {"cp.async.wait_group 3;", 70, 80},
    {"cp.async.wait_all;", 70, 80},
    {("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s], [%d1], 64, "
      "[s+16];"),
     80, 90},
    {("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster "
      "[%r1], [g], %r2, [%r3], %h1;"),
     80, 90},
    {("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint [%r1], "
      "[g], %r2, [%r3], %d1;"),
     80, 90},
    {("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster"
      ".L2::cache_hint [%r1], [%d2+16], 32, [%r3], %h1, %d1;"),
     80, 90},
    {"cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [s], [%d1], 64, [s];", 86, 90},
    {("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%r1], [s], 64, "
      "[%r2];"),
     80, 90},
    {"cp.async.bulk.global.shared::cta.bulk_group [%d1], [s], 64;", 80, 90},
    {"cp.async.bulk.global.shared::cta.bulk_group.cp_mask [%d1], [s], 64, %h1;", 86, 100},
    {("cp.async.bulk.global.shared::cta.bulk_group.L2::cache_hint.cp_mask [%d1], [s], 64, %d2, "
      "%h1;"),
     86, 100},
    {"cp.async.bulk.weak.global.shared::cta.bulk_group [%d1], [s], 64;", 93, 90},
    {("cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes.ignore_oob [s], [%d1], 64, "
      "%r1, 3, [s];"),
     92, 90},
    {"st.bulk.weak.shared::cta [s], 64, 0;", 86, 100},
    {"st.bulk [%d1], %d2, 0;", 86, 100},
    {"cp.async.bulk.global.shared::cta.bulk_group.L2::cache_hint [g], [%r1], %r2, %d1;", 80, 90},
    {"cp.async.bulk.commit_group;", 80, 90},
    {"cp.async.bulk.wait_group 0;", 80, 90},
    {"cp.async.bulk.wait_group.read 2;", 80, 90},
    {"cp.async.bulk.prefetch.L2.global [%d1], 64;", 80, 90},
    {"cp.async.bulk.prefetch.L2.global.L2::cache_hint [g], %r1, %d1;", 80, 90},
    {("cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.add.u64 "
      "[%r1], [s], 64, [%r2];"),
     80, 90},
    {("cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.inc.u32 "
      "[%r1], [s], %r3, [%r2];"),
     80, 90},
    {("cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.xor.b32 "
      "[%r1], [s], %r3, [%r2];"),
     80, 90},
    {"cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [%d1], [s], 64;", 80, 90},
    {"cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f64 [%d1], [s], 64;", 80, 90},
    {"cp.reduce.async.bulk.global.shared::cta.bulk_group.max.s64 [%d1], [s], 64;", 80, 90},
    {"cp.reduce.async.bulk.global.shared::cta.bulk_group.and.b64 [%d1], [s], 64;", 80, 90},
    {("cp.reduce.async.bulk.global.shared::cta.bulk_group.L2::cache_hint.min.u32 [%d1], [s], 64, "
      "%d2;"),
     80, 90},
    {"st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r1], %r2, [%r3];", 81, 90},
    {"st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b64 [%r1+8], %d2, [%r3+8];", 81,
     90},
    {"st.async.mbarrier::complete_tx::bytes.s32 [%d1], %r2, [%d3];", 81, 90},
    {"st.async.shared::cluster.mbarrier::complete_tx::bytes.v2.f64 [%r1], {%g1, %g2}, [%r3];", 81,
     90},
    {"st.async.cluster.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r1], %r2, [%r3];", 87,
     90},
    {"st.async.weak.mbarrier::complete_tx::bytes.v4.f32 [%d1], {%f1, %f2, %f3, %f4}, [%d3];", 81,
     90},
    {"st.async.release.gpu.global.u32 [%d1], %r2;", 87, 100},
    {"st.async.sys.release.f64 [%d1+8], %g2;", 87, 100},
    {"st.async.mmio.release.sys.global.b8 [%d1], %h2;", 87, 100},
    {"red.async.release.gpu.global.add.u64 [%d1], %d2;", 87, 100},
    {"red.async.release.cluster.add.s64 [%d1], %d2;", 87, 100},
    {"red.async.mmio.release.sys.global.add.s32 [g], 1;", 87, 100},
    {"cp.reduce.async.bulk.global.shared::cta.bulk_group.add.noftz.f16 [%d1], [s], 64;", 80, 90},
    {"cp.reduce.async.bulk.global.shared::cta.bulk_group.add.noftz.bf16 [%d1], [s], 64;", 80, 90},
    {"cp.reduce.async.bulk.global.shared::cta.bulk_group.min.f16 [%d1], [s], 64;", 80, 90},
    {"cp.reduce.async.bulk.global.shared::cta.bulk_group.max.bf16 [%d1], [s], 64;", 80, 90},
    {("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.inc.u32 [%r1], %r2, "
      "[%r3];"),
     81, 90},
    {"red.async.relaxed.cluster.dec.u32 [%d1], %r2, [%d3];", 81, 90},
    {"red.async.relaxed.cluster.shared::cluster.min.s32 [%r1], %r2, [%r3];", 81, 90},
    {"red.async.relaxed.cluster.shared::cluster.max.u32 [%r1], %r2, [%r3];", 81, 90},
    {"red.async.relaxed.cluster.shared::cluster.and.b32 [%r1], %r2, [%r3];", 81, 90},
    {"red.async.relaxed.cluster.shared::cluster.add.u64 [%r1], %d2, [%r3];", 81, 90},
};

const Form kLaunchControl[] = {
    {"clusterlaunchcontrol.try_cancel.async.mbarrier::complete_tx::bytes.b128 [%d1], [%d2];", 86,
     100},
    {("clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 [s], "
      "[%r1+16];"),
     86, 100},
    {("clusterlaunchcontrol.try_cancel.async.mbarrier::complete_tx::bytes.multicast::cluster::all"
      ".b128 [%d1], [%d2];"),
     86, 100, "a"},
    {("clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes"
      ".multicast::cluster::all.b128 [s], [s+16];"),
     88, 100, "f"},
    {"clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 %p1, %q1;", 86, 100},
    {("clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32.b128 {%r1, %r2, %r3, %r4}, "
      "%q1;"),
     86, 100},
    {"clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32.b128 {%r1, _, _, _}, %q1;", 86, 100},
    {"clusterlaunchcontrol.query_cancel.get_first_ctaid::x.b32.b128 %r1, %q1;", 86, 100},
    {"clusterlaunchcontrol.query_cancel.get_first_ctaid::y.b32.b128 %r1, %q1;", 86, 100},
    {"clusterlaunchcontrol.query_cancel.get_first_ctaid::z.b32.b128 %r1, %q1;", 86, 100},
};

const Form kTensorMaps[] = {
    {("tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.cta.sync.aligned "
      "[g], [s], 128;"),
     83, 90},
    {("tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.cluster.sync.aligned "
      "[%d1], [s], 128;"),
     83, 90},
    {("tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned "
      "[g], [%r1], 128;"),
     83, 90},
    {("tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.sys.sync.aligned "
      "[%d1+128], [%r1], 128;"),
     83, 90},
};

TEST(PtxCorpus, Mbarriers) { CheckForms(std::begin(kMbarriers), std::end(kMbarriers)); }
TEST(PtxCorpus, Asynchronous) { CheckForms(std::begin(kAsync), std::end(kAsync)); }
TEST(PtxCorpus, LaunchControl) { CheckForms(std::begin(kLaunchControl), std::end(kLaunchControl)); }
TEST(PtxCorpus, TensorMaps) { CheckForms(std::begin(kTensorMaps), std::end(kTensorMaps)); }

TEST(PtxCorpus, MatrixOrder) {
  for (const char* const form :
       {"wgmma.fence.sync.aligned;", "wgmma.commit_group.sync.aligned;",
        "wgmma.wait_group.sync.aligned 0;", "wgmma.wait_group.sync.aligned 7;"}) {
    EXPECT_EQ(Judge(form, 80, "90a"), FormVerdict::kAccepted) << form;
    EXPECT_EQ(Judge(form, 78, "90a"), FormVerdict::kMisuse) << form;
    EXPECT_EQ(Judge(form, 80, "90"), FormVerdict::kMisuse) << form;
    EXPECT_EQ(Judge(form, 88, "100a"), FormVerdict::kMisuse) << form;
  }
  const char* const others[] = {
      "wgmma.fence;",
      "wgmma.fence.sync;",
      "wgmma.fence.sync.aligned 0;",
      "wgmma.wait_group.sync.aligned;",
      "wgmma.wait_group.sync.aligned %r1;",
      "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f1, %f2, %f3, %f4}, %d1, %d2, 1, 1, 1;",
  };
  for (const char* const form : others) {
    EXPECT_EQ(Judge(form, 80, "90a"), FormVerdict::kRefused) << form;
  }
}

TEST(PtxCorpus, TensorMapFencesOfOtherMemory) {
  const char* const forms[] = {
      "fence.proxy.tensormap::generic.acquire.gpu [%d1], 64;",
      "fence.proxy.tensormap::generic.acquire.gpu [%d1], %r1;",
      "fence.proxy.tensormap::generic.acquire.gpu [s], 128;",
  };
  for (const char* const form : forms) {
    EXPECT_EQ(Judge(form), FormVerdict::kRefused) << form;
  }
}

}  // namespace
}  // namespace muster::ptx
