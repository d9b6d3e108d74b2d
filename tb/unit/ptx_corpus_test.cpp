// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The forms of section 9.7.13 of the PTX text, of barriers, fences, atomics and warp-wide
// instructions: what is accepted, from which .version and .target on, and what is refused.
#include <gtest/gtest.h>

#include <iterator>
#include <string>

#include "sim/ptx/program/program.h"
#include "sim/ptx/syntax/error.h"
#include "sim/ptx/syntax/parser.h"
#include "tb/unit/ptx_forms.h"

namespace muster::ptx {
namespace {

// Every optional part with and without, operands in registers and as numbers.
const Form kBarriers[] = {
    {"bar.sync 0;", 0, 0},
    {"bar.sync 15;", 0, 0},
    {"bar.sync %r1;", 20, 20},
    {"bar.sync %u1;", 20, 20},
    {"bar.sync 0, 64;", 20, 20},
    {"bar.sync 0, %r2;", 20, 20},
    {"bar.sync 0, 0;", 20, 20},
    {"bar.sync %r1, %r2;", 20, 20},
    {"bar.sync 0, 2048;", 20, 20},
    {"bar.sync 0, WARP_SZ;", 20, 20},
    {"bar.cta.sync 1;", 78, 20},
    {"bar.cta.sync %r1, %r2;", 78, 20},
    {"bar.arrive 0, 64;", 20, 20},
    {"bar.arrive %r1, %r2;", 20, 20},
    {"bar.cta.arrive 0, 64;", 78, 20},
    {"bar.red.popc.u32 %r1, 0, %p1;", 20, 20},
    {"bar.red.popc.u32 %r1, 0, !%p1;", 20, 20},
    {"bar.red.popc.u32 %r1, %r2, 64, %p1;", 20, 20},
    {"bar.cta.red.popc.u32 %r1, 0, %r2, !%p1;", 78, 20},
    {"bar.red.and.pred %p1, 0, %p2;", 20, 20},
    {"bar.red.and.pred %p1, 0, 64, !%p2;", 20, 20},
    {"bar.red.or.pred %p1, %r1, %p2;", 20, 20},
    {"bar.cta.red.or.pred %p1, 0, 64, %p2;", 78, 20},
    {"barrier.sync 0;", 60, 30},
    {"barrier.sync.aligned 0;", 60, 30},
    {"barrier.sync %r1, %r2;", 60, 30},
    {"barrier.cta.sync 0, 64;", 78, 30},
    {"barrier.cta.sync.aligned 0;", 78, 30},
    {"barrier.arrive 0, 64;", 60, 30},
    {"barrier.arrive.aligned %r1, %r2;", 60, 30},
    {"barrier.cta.arrive 0, 64;", 78, 30},
    {"barrier.cta.arrive.aligned 0, 64;", 78, 30},
    {"barrier.red.popc.u32 %r1, 0, %p1;", 60, 30},
    {"barrier.red.popc.aligned.u32 %r1, 0, 64, !%p1;", 60, 30},
    {"barrier.cta.red.popc.u32 %r1, %r2, %p1;", 78, 30},
    {"barrier.cta.red.popc.aligned.u32 %r1, %r2, %r3, %p1;", 78, 30},
    {"barrier.red.and.pred %p1, 0, %p2;", 60, 30},
    {"barrier.red.and.aligned.pred %p1, 0, 64, %p2;", 60, 30},
    {"barrier.cta.red.or.pred %p1, 0, !%p2;", 78, 30},
    {"barrier.cta.red.or.aligned.pred %p1, %r1, %r2, !%p2;", 78, 30},
    {"bar.warp.sync -1;", 60, 30},
    {"bar.warp.sync 0xffffffff;", 60, 30},
    {"bar.warp.sync %r1;", 60, 30},
};

const Form kFences[] = {
    {"fence.sc.cta;", 60, 70},
    {"fence.sc.gpu;", 60, 70},
    {"fence.sc.sys;", 60, 70},
    {"fence.sc.cluster;", 78, 90},
    {"fence.acq_rel.cta;", 60, 70},
    {"fence.cluster.acq_rel;", 78, 90},
    {"fence.gpu;", 60, 70},
    {"fence.acquire.gpu;", 86, 90},
    {"fence.release.sys;", 86, 90},
    {"fence.acquire.sync_restrict::shared::cluster.cluster;", 86, 90},
    {"fence.release.sync_restrict::shared::cta.cluster;", 86, 90},
    {"fence.mbarrier_init.release.cluster;", 80, 90},
    {"fence.proxy.alias;", 75, 70},
    {"fence.proxy.async;", 80, 90},
    {"fence.proxy.async.global;", 80, 90},
    {"fence.proxy.async.shared::cta;", 80, 90},
    {"fence.proxy.async.shared::cluster;", 80, 90},
    {"fence.proxy.tensormap::generic.release.gpu;", 83, 90},
    {"fence.proxy.tensormap::generic.acquire.sys [%d1], 128;", 83, 90},
    {"fence.proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster;", 86, 90},
    {"fence.proxy.async::generic.release.sync_restrict::shared::cta.cluster;", 86, 90},
    {"membar.cta;", 0, 0},
    {"membar.gl;", 0, 0},
    {"membar.sys;", 0, 0},
    {"membar.proxy.alias;", 75, 60},
};

const Form kAtomics[] = {
    {"atom.global.add.s32 %r1, [%d1], 1;", 0, 0},
    {"atom.add.u64 %d1, [%d2], %d3;", 0, 0},
    {"atom.shared::cta.max.u32 %r1, [s+4], 0;", 78, 30},
    {"atom.shared::cluster.min.s64 %d1, [%d2], %d3;", 78, 90},
    {"atom.global.cas.b32 %r1, [%d1], %r2, %r3;", 0, 0},
    {"atom.global.cas.b16 %h1, [%d1], %h2, %h3;", 63, 70},
    {"atom.shared.cas.b128 %q1, [s], %q2, %q3;", 83, 90},
    {"atom.global.b128.exch %q1, [%d1], %q2;", 83, 90},
    {"atom.global.sys.add.u32 %r1, [%d1], 1;", 0, 0},
    {"atom.global.acquire.sys.inc.u32 %r1, [%d1], %r2;", 60, 70},
    {"atom.release.cta.dec.u32 %r1, [%d1], %r2;", 60, 70},
    {"atom.acq_rel.gpu.xor.b64 %d1, [%d2], %d3;", 60, 70},
    {"atom.global.cluster.relaxed.add.u32 %r1, [%d1], 1;", 78, 90},
    {"atom.add.noftz.f16x2 %r1, [%d1], %r2;", 62, 60},
    {"atom.add.noftz.f16 %h1, [%d1], %h2;", 63, 70},
    {"atom.add.noftz.bf16 %h1, [%d1], %h2;", 78, 90},
    {"atom.add.noftz.bf16x2 %r1, [%d1], %r2;", 78, 90},
    {"atom.add.f64 %g1, [%d1], %g2;", 50, 60},
    {"atom.global.add.L2::cache_hint.s32 %r1, [%d1], 1, %d2;", 74, 80},
    {"atom.global.v8.f16.max.noftz {%h1,%h2,%h3,%h4,%h5,%h6,%h7,%h8}, [%d1], "
     "{%h1,%h2,%h3,%h4,%h5,%h6,%h7,%h8};",
     81, 90},
    {"atom.global.v2.bf16.add.noftz {%h1, %h2}, [%d1], {%h3, %h4};", 81, 90},
    {"atom.global.v2.f16x2.min.noftz {%r1, %r2}, [%d1], {%r3, %r4};", 81, 90},
    {"atom.global.v4.f32.add {%f1, %f2, %f3, %f4}, [%d1], {%f1, %f2, %f3, %f4};", 81, 90},
    {"atom.add.u32 _, [%d1], 1;", 0, 0},
    {"red.global.add.s32 [%d1], 1;", 0, 0},
    {"red.shared::cluster.max.u32 [s+4], 0;", 78, 90},
    {"red.global.and.b32 [%d1], %r1;", 0, 0},
    {"red.relaxed.gpu.add.u32 [%d1], 1;", 60, 70},
    {"red.release.sys.global.or.b64 [%d1], %d2;", 60, 70},
    {"red.add.noftz.f16x2 [%d1], %r1;", 62, 60},
    {"red.global.v8.f16.add.noftz [g], {%h1,%h2,%h3,%h4,%h5,%h6,%h7,%h8};", 81, 90},
    {"red.global.v2.f32.add [g], {%f1, %f2};", 81, 90},
    {"red.global.and.L2::cache_hint.b32 [g], 1, %d1;", 74, 80},
};

const Form kWarps[] = {
    {"vote.sync.all.pred %p1, %p2, -1;", 60, 30},
    {"vote.sync.any.pred %p1, !%p2, %r1;", 60, 30},
    {"vote.sync.uni.pred %p1, %p2, 0xffff;", 60, 30},
    {"vote.sync.ballot.b32 %r1, %p2, -1;", 60, 30},
    {"match.any.sync.b32 %r1, %r2, -1;", 60, 70},
    {"match.any.sync.b64 %r1, %d2, %r3;", 60, 70},
    {"match.all.sync.b32 %r1|%p1, %r2, -1;", 60, 70},
    {"match.all.sync.b64 %r1, %d2, -1;", 60, 70},
    {"match.all.sync.b32 _|%p1, %r2, -1;", 60, 70},
    {"activemask.b32 %r1;", 62, 30},
    {"redux.sync.add.s32 %r1, %r2, 0xff;", 70, 80},
    {"redux.sync.min.u32 %r1, %r2, %r3;", 70, 80},
    {"redux.sync.max.s32 %r1, %r2, -1;", 70, 80},
    {"redux.sync.and.b32 %r1, %r2, -1;", 70, 80},
    {"redux.sync.or.b32 %r1, %r2, -1;", 70, 80},
    {"redux.sync.xor.b32 %r1, %r2, -1;", 70, 80},
    {"redux.sync.min.f32 %f1, %f2, -1;", 86, 100, "a"},
    {"redux.sync.max.f32 %f1, %f2, %r3;", 88, 100, "f"},
    {"redux.sync.min.abs.NaN.f32 %f1, %f2, -1;", 86, 100, "a"},
    {"griddepcontrol.launch_dependents;", 78, 90},
    {"griddepcontrol.wait;", 78, 90},
    {"elect.sync %r1|%p1, -1;", 80, 90},
    {"elect.sync _|%p1, %r2;", 80, 90},
};

const Form kClusters[] = {
    {"barrier.cluster.arrive;", 78, 90},
    {"barrier.cluster.arrive.aligned;", 78, 90},
    {"barrier.cluster.arrive.release;", 80, 90},
    {"barrier.cluster.arrive.relaxed.aligned;", 80, 90},
    {"barrier.cluster.wait;", 78, 90},
    {"barrier.cluster.wait.aligned;", 78, 90},
    {"barrier.cluster.wait.acquire;", 80, 90},
    {"barrier.cluster.wait.acquire.aligned;", 80, 90},
    {"mapa.u64 %d1, %d2, %r1;", 78, 90},
    {"mapa.u64 %d1, %d2, 3;", 78, 90},
    {"mapa.shared::cluster.u32 %r1, %r2, %r3;", 78, 90},
    {"mapa.shared::cluster.u32 %r1, s, 1;", 78, 90},
    {"mapa.shared::cluster.u64 %d1, s+8, %r1;", 78, 90},
    {"getctarank.u64 %r1, %d1;", 78, 90},
    {"getctarank.shared::cluster.u32 %r1, %r2;", 78, 90},
    {"getctarank.shared::cluster.u32 %r1, s+4;", 78, 90},
    {"getctarank.shared::cluster.u64 %r1, %d1;", 78, 90},
    {"isspacep.shared::cluster %p1, %d1;", 78, 90},
    {"cvta.shared::cluster.u64 %d1, %d2;", 78, 90},
    {"cvta.to.shared::cluster.u64 %d1, %d2;", 78, 90},
    {"ld.shared::cluster.u32 %r1, [%r2];", 78, 90},
    {"ld.shared::cluster.v2.u32 {%r1, %r2}, [%d2+8];", 78, 90},
    {"ld.relaxed.cluster.shared::cluster.u32 %r1, [s];", 78, 90},
    {"st.shared::cluster.u64 [%r2], %d1;", 78, 90},
};

TEST(PtxCorpus, Barriers) { CheckForms(std::begin(kBarriers), std::end(kBarriers)); }
TEST(PtxCorpus, Fences) { CheckForms(std::begin(kFences), std::end(kFences)); }
TEST(PtxCorpus, Atomics) { CheckForms(std::begin(kAtomics), std::end(kAtomics)); }
TEST(PtxCorpus, WarpWideInstructions) { CheckForms(std::begin(kWarps), std::end(kWarps)); }

TEST(PtxCorpus, Clusters) { CheckForms(std::begin(kClusters), std::end(kClusters)); }

TEST(PtxCorpus, WhatTheTextDoesNotHave) {
  const char* const forms[] = {
      "bar;",
      "bar.sync;",
      "bar.sync 0, 64, 32;",
      "bar.sync %p1;",
      "bar.sync %d1;",
      "bar.sync %h1;",
      "bar.sync 1.5;",
      "bar.sync [s];",
      "bar.sync.aligned 0;",
      "bar.sync.u32 0;",
      "bar.gpu.sync 0;",
      "bar.wait 0;",
      "bar.arrive 0;",
      "bar.arrive 0, 64, %p1;",
      "bar.arrive.aligned 0, 64;",
      "bar.red.popc.u32 %r1, 0;",
      "bar.red.popc.u32 %r1, %p1;",
      "bar.red.popc.u32 %r1, 0, 64, %p1, %p2;",
      "bar.red.popc.u32 %p1, 0, %p2;",
      "bar.red.popc.s32 %r1, 0, %p2;",
      "bar.red.popc.pred %p1, 0, %p2;",
      "bar.red.popc %r1, 0, %p2;",
      "bar.red.and.u32 %r1, 0, %p2;",
      "bar.red.and.pred %r1, 0, %p2;",
      "bar.red.and.pred %p1, 0, %r2;",
      "bar.red.xor.pred %p1, 0, %p2;",
      "bar.red.pred %p1, 0, %p2;",
      "bar.red.and.or.pred %p1, 0, %p2;",
      "barrier 0;",
      "barrier.aligned.red.popc.u32 %r1, 0, %p1;",
      "barrier.cta.cluster.arrive;",
      "barrier.cluster.cta.wait;",
      "barrier.sync.cta.gpu 0;",
      "barrier.sync.unaligned 0;",
      "barrier.arrive 0;",
      "barrier.red.aligned.pred %p1, 0, %p2;",
      "barrier.warp.sync -1;",
      "bar.warp.sync;",
      "bar.warp.sync -1, 32;",
      "bar.warp.arrive -1;",
      "bar.warp.sync %p1;",
      "cp.async.shared.global [s], [%d1], 4;",
      "cp.async.ca.shared.global [s], [%d1], 5;",
      "cp.async.cg.shared.global [s], [%d1], 8;",
      "cp.async.wait_group;",
      "cp.async.wait_group %r1;",
      "cp.async.bulk.wait_all;",
      "cp.async.bulk.shared::cluster.global.bulk_group [s], [%d1], 64;",
      "cp.async.bulk.global.shared::cta.mbarrier::complete_tx::bytes [%d1], [s], 64, [s];",
      "cp.async.bulk.global.shared::cluster.bulk_group [%d1], [s], 64;",
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s], [%d1], 64;",
      ("cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::complete_tx::bytes [s], "
       "[%d1, {%r1}], [s];"),
      "cp.reduce.async.bulk.global.shared::cta.bulk_group.inc.u64 [%d1], [s], 64;",
      ("cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.add.f32 "
       "[%r1], [s], 64, [%r2];"),
      "st.async.shared::cta.u32 [%r1], %r2, [%r3];",
      "st.async.u16 [%d1], %h1, [%d2];",
      ("st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.u64 [%r1], {%d1,%d2,%d3,%d4}, "
       "[%r3];"),
      "st.async.global.u32 [%d1], %r2;",
      "st.async.release.global.u32 [%d1], %r2;",
      "st.async.release.cta.global.u32 [%d1], %r2;",
      "st.async.relaxed.gpu.global.u32 [%d1], %r2;",
      "st.async.mmio.release.gpu.global.u32 [%d1], %r2;",
      "st.async.release.gpu.shared::cluster.u32 [%r1], %r2;",
      "st.async.release.gpu.global.v2.f32 [%d1], {%f1, %f2};",
      "st.async.release.gpu.global.u32 [%d1], %r2, [%d3];",
      "red.async.release.gpu.global.min.u32 [%d1], %r2;",
      "red.async.release.gpu.global.add.f32 [%d1], %f2;",
      "red.async.release.global.add.u32 [%d1], %r2;",
      "red.async.relaxed.gpu.global.add.u32 [%d1], %r2;",
      "red.async.mmio.release.gpu.global.add.u32 [%d1], %r2;",
      "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f16 [%d1], [s], 64;",
      "cp.reduce.async.bulk.global.shared::cta.bulk_group.min.noftz.f16 [%d1], [s], 64;",
      "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.noftz.f32 [%d1], [s], 64;",
      "cp.reduce.async.bulk.global.shared::cta.bulk_group.and.f16 [%d1], [s], 64;",
      "cp.reduce.async.bulk.global.shared::cta.bulk_group.min.f32 [%d1], [s], 64;",
      "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.s64 [%d1], [s], 64;",
      "cp.reduce.async.bulk.global.shared::cta.bulk_group.xor.s32 [%d1], [s], 64;",
      "st.async.shared::cluster.u32 [%r1], %r2;",
      "red.async.shared::cluster.add.u32 [%r1], %r2, [%r3];",
      "red.async.relaxed.cluster.inc.s32 [%d1], %r2, [%d3];",
      "barrier.cluster.arrive 0;",
      "barrier.cluster.arrive.acquire;",
      "barrier.cluster.wait.release;",
      "barrier.cluster.sync;",
      "barrier.cluster.red.popc.u32 %r1, 0, %p1;",
      "bar.cluster.arrive;",
      "mapa.shared::cta.u32 %r1, s, 1;",
      "mapa.shared::cluster.s32 %r1, s, 1;",
      "mapa.u64 %d1, %d2;",
      "getctarank.shared::cluster.u32 %d1, s;",
      "fence;",
      "fence.acq_rel;",
      "fence.sc.gl;",
      "fence.sc.cta 0;",
      "fence.mbarrier_init.acquire.cluster;",
      "fence.mbarrier_init.release.gpu;",
      "fence.acquire.sync_restrict::shared::cta.cluster;",
      "fence.release.sync_restrict::shared::cluster.cluster;",
      "fence.acquire.sync_restrict::shared::cluster.gpu;",
      "fence.proxy;",
      "fence.proxy.texture;",
      "fence.proxy.tensormap::generic.acquire.gpu;",
      "fence.proxy.tensormap::generic.release.gpu [%d1], 128;",
      "membar;",
      "membar.gpu;",
      "membar.proxy;",
      "atom.global.s32 %r1, [%d1], 1;",
      "atom.local.add.s32 %r1, [%d1], 1;",
      "atom.const.add.s32 %r1, [%d1], 1;",
      "atom.add.s32 %r1, %d1, 1;",
      "atom.add.s32 [%d1], 1;",
      "atom.cas.b32 %r1, [%d1], %r2;",
      "atom.cas.u32 %r1, [%d1], %r2, %r3;",
      "atom.exch.b16 %h1, [%d1], %h2;",
      "atom.and.u32 %r1, [%d1], %r2;",
      "atom.and.b16 %h1, [%d1], %h2;",
      "atom.inc.s32 %r1, [%d1], %r2;",
      "atom.inc.u64 %d1, [%d2], %d3;",
      "atom.min.f32 %f1, [%d1], %f2;",
      "atom.add.f16 %h1, [%d1], %h2;",
      "atom.add.b32 %r1, [%d1], %r2;",
      "atom.shared.add.v2.f32 {%f1, %f2}, [s], {%f1, %f2};",
      ("atom.global.add.v8.f32 {%f1,%f2,%f3,%f4,%f5,%f6,%f7,%f8}, [g], "
       "{%f1,%f2,%f3,%f4,%f5,%f6,%f7,%f8};"),
      "atom.global.min.v2.f32 {%f1, %f2}, [g], {%f1, %f2};",
      "atom.global.add.s32 %r1, [%d1], 1, %d2;",
      "red.exch.b32 [%d1], %r2;",
      "red.cas.b32 [%d1], %r2, %r3;",
      "red.acq_rel.gpu.add.u32 [%d1], 1;",
      "red.add.u32 %r1, [%d1], 1;",
      "vote.sync.all.pred %p1, %p2;",
      "vote.sync.none.pred %p1, %p2, -1;",
      "vote.sync.ballot.pred %p1, %p2, -1;",
      "vote.sync.all.b32 %r1, %p2, -1;",
      "match.sync.b32 %r1, %r2, -1;",
      "match.any.b32 %r1, %r2, -1;",
      "match.any.sync.u32 %r1, %r2, -1;",
      "match.any.sync.b32 %r1|%p1, %r2, -1;",
      "activemask %r1;",
      "activemask.u32 %r1;",
      "redux.add.s32 %r1, %r2, -1;",
      "redux.sync.add.b32 %r1, %r2, -1;",
      "redux.sync.and.u32 %r1, %r2, -1;",
      "redux.sync.add.f32 %f1, %f2, -1;",
      "redux.sync.min.abs.s32 %r1, %r2, -1;",
      "griddepcontrol;",
      "griddepcontrol.wait 0;",
      "elect %r1|%p1, -1;",
      "elect.sync %r1, -1;",
      "elect.sync %r1|_, -1;",
      "elect.sync %r1|%p1, -1, 2;",
      "elect.sync %p1|%r1, -1;",
      "mbarrier;",
      "mbarrier.b64 [s];",
      "mbarrier.init [s], 1;",
      "mbarrier.init.b64 [s];",
      "mbarrier.init.b32 [s], 1;",
      "mbarrier.init.shared.b64 s, 1;",
      "mbarrier.init.shared.b64 [s], %d1;",
      "mbarrier.init.shared::cluster.b64 [s], 1;",
      "mbarrier.init.global.b64 [g], 1;",
      "mbarrier.init.b64 [g], 1;",
      "mbarrier.init.release.cta.b64 [s], 1;",
      "mbarrier.inval.b64 [s], 1;",
      "mbarrier.inval.shared::cluster.b64 [s];",
      "mbarrier.expect_tx.b64 [s];",
      "mbarrier.expect_tx.release.cta.b64 [s], 1;",
      "mbarrier.expect_tx.relaxed.gpu.b64 [s], 1;",
      "mbarrier.expect_tx.b64 %d1, [s], 1;",
      "mbarrier.complete_tx.acquire.cta.b64 [s], 1;",
      "mbarrier.arrive.b64 [s];",
      "mbarrier.arrive.b64 %d1;",
      "mbarrier.arrive.b64 %r1, [s];",
      "mbarrier.arrive.b64 %d1, [s], 1, 2;",
      "mbarrier.arrive.b64 %d1, [s], %d2;",
      "mbarrier.arrive.acquire.cta.b64 %d1, [s];",
      "mbarrier.arrive.release.gpu.b64 %d1, [s];",
      "mbarrier.arrive.shared::cluster.b64 %d1, [s];",
      "mbarrier.arrive.expect_tx.b64 %d1, [s];",
      "mbarrier.arrive.expect_tx.shared::cluster.b64 %d1, [s], 1;",
      "mbarrier.arrive.expect_tx.noComplete.b64 %d1, [s], 1;",
      "mbarrier.arrive.noComplete.b64 %d1, [s];",
      "mbarrier.arrive.noComplete.relaxed.cta.b64 %d1, [s], 1;",
      "mbarrier.arrive.noComplete.release.cluster.b64 %d1, [s], 1;",
      "mbarrier.arrive.noComplete.shared::cluster.b64 _, [s], 1;",
      "mbarrier.arrive_drop.b64 [s];",
      "mbarrier.arrive_drop.acquire.cta.b64 %d1, [s];",
      "mbarrier.arrive_drop.shared::cluster.b64 %d1, [s];",
      "mbarrier.arrive_drop.noComplete.b64 %d1, [s];",
      "mbarrier.test_wait.b64 %p1, [s];",
      "mbarrier.test_wait.b64 %r1, [s], %d1;",
      "mbarrier.test_wait.b64 %p1, [s], %r1;",
      "mbarrier.test_wait.b64 %p1, [s], %d1, 20;",
      "mbarrier.test_wait.parity.b64 %p1, [s], %d1;",
      "mbarrier.test_wait.release.cta.b64 %p1, [s], %d1;",
      "mbarrier.test_wait.shared::cluster.b64 %p1, [s], %d1;",
      "mbarrier.try_wait.b64 %p1, [s], %d1, %d2;",
      "mbarrier.try_wait.parity.b64 %p1, [s];",
      "mbarrier.try_wait.acquire.gpu.b64 %p1, [s], %d1;",
      "mbarrier.try_wait.shared::cluster.b64 %p1, [s], %d1;",
      "mbarrier.pending_count.b64 %d1, %d2;",
      "mbarrier.pending_count.b64 %r1, %r2;",
      "mbarrier.pending_count.shared.b64 %r1, %d1;",
      "mbarrier.pending_count %r1, %d1;",
      "clusterlaunchcontrol.try_cancel.mbarrier::complete_tx::bytes.b128 [%d1], [%d2];",
      "clusterlaunchcontrol.try_cancel.async.b128 [%d1], [%d2];",
      "clusterlaunchcontrol.try_cancel.async.mbarrier::complete_tx::bytes [%d1], [%d2];",
      "clusterlaunchcontrol.try_cancel.async.mbarrier::complete_tx::bytes.b64 [%d1], [%d2];",
      "clusterlaunchcontrol.try_cancel.async.mbarrier::complete_tx::bytes.b128 [%d1];",
      ("clusterlaunchcontrol.try_cancel.async.shared::cluster.mbarrier::complete_tx::bytes.b128 "
       "[%r1], [%r2];"),
      ("clusterlaunchcontrol.try_cancel.async.mbarrier::complete_tx::bytes.multicast::cluster"
       ".b128 [%d1], [%d2];"),
      "clusterlaunchcontrol.query_cancel.is_canceled.b128 %p1, %q1;",
      "clusterlaunchcontrol.query_cancel.is_canceled.pred %p1, %q1;",
      "clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 %r1, %q1;",
      "clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 %p1, %d1;",
      "clusterlaunchcontrol.query_cancel.get_first_ctaid::w.b32.b128 %r1, %q1;",
      "clusterlaunchcontrol.query_cancel.get_first_ctaid::x.b32.b128 %d1, %q1;",
      "clusterlaunchcontrol.query_cancel.get_first_ctaid::x.v4.b32.b128 {%r1,_,_,_}, %q1;",
      "clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32.b128 {%r1, %r2, %r3}, %q1;",
      "clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32.b128 %r1, %q1;",
      "clusterlaunchcontrol.query_cancel.b128 %p1, %q1;",
      ("tensormap.cp_fenceproxy.shared::cta.global.tensormap::generic.release.gpu.sync.aligned "
       "[s], [g], 128;"),
      ("tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.acquire.gpu.sync.aligned "
       "[g], [s], 128;"),
      ("tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.sync.aligned [g], "
       "[s], 128;"),
      ("tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.aligned [g], "
       "[s], 128;"),
      ("tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync [g], [s], "
       "128;"),
      ("tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned "
       "[g], [s], 64;"),
      ("tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned "
       "[g], [s];"),
      "tensormap.replace.tile.rank.global.b1024.b32 [g], 1;",
      "atom.global.cas.L2::cache_hint.b32 %r1, [%d1], 1, 2, %d2;",
      "atom.shared.add.L2::cache_hint.s32 %r1, [s], 1, %d2;",
      "atom.global.add.L2::cache_hint.s32 %r1, [%d1], 1, %r2;",
      "atom.gl.add.u32 %r1, [%d1], %r2;",
      "cp.async.mbarrier.b64 [s];",
      "cp.async.mbarrier.arrive [s];",
      "cp.async.mbarrier.arrive.b64 [s], 1;",
      "cp.async.mbarrier.arrive.shared::cluster.b64 [s];",
      "cp.async.mbarrier.arrive.noComplete.b64 [s];",
  };
  for (const char* const form : forms) {
    EXPECT_EQ(Judge(form), Verdict::kRefused) << form;
  }
}

TEST(PtxCorpus, MisuseThatCanBeSeen) {
  const char* const forms[] = {
      "bar.sync 16;",
      "bar.sync -1;",
      "bar.sync 0, 33;",
      "bar.sync 0, 4096;",
      "bar.arrive 0, 0;",
      "bar.arrive 3, 40;",
      "barrier.sync 99;",
      "bar.red.and.pred %p1, 16, %p2;",
      "bar.red.and.pred %p1, 0, 31, %p2;",
      "bar.sync %f1;",
      "bar.red.popc.u32 _, 0, %p1;",
      "barrier.red.or.pred _, 0, %p1;",
      "vote.sync.all.pred _, %p2, -1;",
      "vote.sync.ballot.b32 _, %p2, -1;",
      "match.any.sync.b32 _, %r2, -1;",
      "match.all.sync.b32 _|_, %r2, -1;",
      "mbarrier.test_wait.b64 _, [s], %d2;",
      "mbarrier.try_wait.parity.b64 _, [s], 1;",
      "mbarrier.pending_count.b64 _, %d1;",
      "clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 _, %q1;",
      "clusterlaunchcontrol.query_cancel.get_first_ctaid::x.b32.b128 _, %q1;",
      "st.async.s32 [%d1], %r2, [%d3];",
      "vote.all.pred %p1, %p2;",
      "vote.ballot.b32 %r1, %p2;",
      "setmaxnreg.inc.sync.aligned.u32 20;",
      "mbarrier.init.b64 [s], 0;",
      "mbarrier.init.b64 [s], 0x100000;",
      "mbarrier.expect_tx.b64 [s], 0x100000;",
      "mbarrier.arrive.b64 _, [s], 0;",
      "mbarrier.arrive_drop.b64 _, [s], -1;",
      "mbarrier.test_wait.parity.b64 %p1, [s], 2;",
  };
  for (const char* const form : forms) {
    EXPECT_EQ(Judge(form), Verdict::kMisuse) << form;
  }
}

TEST(PtxCheck, NamesEverythingByLine) {
  const auto module = Parse("f.ptx", R"(.version 7.5
.target sm_80
.address_size 64
.entry a() { .reg .b32 %r<4>; bar.sync 17; frob %r1; ret; }
.func f() { bar.cta.sync 0, 40;
  elect.sync %r1|%p1, -1;
  bar.sync 1, -32; bar.sync 1, 4096; }
)");
  std::string text;
  for (const Finding& finding : Check(*module)) {
    text += (finding.runs ? "- " : "! ") + finding.text + "\n";
  }
  EXPECT_EQ(text,
            "- f.ptx:4:40: there is no barrier 17: they are 0 to 15\n"
            "! f.ptx:4:44: the instruction frob is not supported\n"
            "- f.ptx:5:13: .cta needs .version 7.8\n"
            "- f.ptx:5:29: the thread count 40 is not a multiple of 32\n"
            "- f.ptx:6:3: elect needs .version 8.0\n"
            "! f.ptx:6:14: %r1 is not declared\n"
            "- f.ptx:7:15: the thread count -32 is below zero\n"
            "- f.ptx:7:32: the thread count 4096 is more than a CTA has\n");
}

TEST(PtxCheck, UnknownInstructionsAllAtOnce) {
  const auto module = Parse("f.ptx", R"(.version 8.7
.target sm_100a
.address_size 64
.func f() { .reg .b32 %r<4>; .reg .f32 %f<4>;
  tex.1d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [t, {%f0}];
  ret; }
.entry k() { .reg .b32 %r<4>; .reg .b64 %d<4>; .shared .b32 s[4];
  add.u32 %r1, %r2, 1; frobnicate.b32 %r1, %r2; wgmma.mma_async.sp;
  { .reg .b16 %h<2>; @%p1 bra L; L: add.u7 %r1, %r2, %r3; }
  tcgen05.fence::before_thread_sync;
  cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::complete_tx::bytes [s], [%d1, {%r1}], [s];
  call f; ret; }
)");
  std::string text;
  try {
    Link(*module, "k");
  } catch (const InputError& error) {
    text = error.what();
  }
  EXPECT_EQ(text,
            "f.ptx:5:3: the instruction tex.1d.v4.f32.f32 is not supported\n"
            "f.ptx:8:24: the instruction frobnicate.b32 is not supported\n"
            "f.ptx:8:49: the instruction wgmma.mma_async.sp is not supported: there are no tensor "
            "cores\n"
            "f.ptx:9:27: %p1 is not declared\n"
            "f.ptx:9:37: the modifier .u7 of add.u7 is not supported\n"
            "f.ptx:10:3: the instruction tcgen05.fence::before_thread_sync is not supported\n"
            "f.ptx:11:3: the instruction cp.async.bulk.tensor.1d.shared::cluster.global"
            ".mbarrier::complete_tx::bytes is not supported: there are no tensor maps");
}

}  // namespace
}  // namespace muster::ptx
