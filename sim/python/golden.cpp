// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// muster._golden: the golden models of sim/golden, for scoreboards in Python.
#include <nanobind/nanobind.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <stdexcept>
#include <string>

#include "sim/golden/cluster_scope.h"
#include "sim/golden/mbarrier.h"
#include "sim/golden/model.h"
#include "sim/golden/warp_scope.h"
#include "sim/isa/cluster_operation.h"
#include "sim/isa/config.h"
#include "sim/isa/effects.h"
#include "sim/isa/fault.h"
#include "sim/isa/latency.h"
#include "sim/isa/mbarrier_operation.h"
#include "sim/isa/operation.h"
#include "sim/isa/warp_operation.h"

namespace nb = nanobind;
using nb::literals::operator""_a;

namespace muster {
namespace {

using golden::ClusterScope;
using golden::Mbarriers;
using golden::Model;
using golden::WarpScope;

Config ConfigNamed(const std::string& name) {
  if (const Config* const config = FindConfig(name); config != nullptr) {
    return *config;
  }
  throw std::invalid_argument("there is no configuration " + name + ": there are " + ConfigNames());
}

// The models take for granted that the contract of the RTL is kept.
void Require(bool may_be_presented) {
  if (!may_be_presented) {
    throw std::invalid_argument(
        "the contract of the hardware does not let this be presented: may_be_presented and "
        "may_begin ask before");
  }
}

// ------------------------------------------------------------------------------------------------
// The vocabulary of sim/isa
// ------------------------------------------------------------------------------------------------

void AddFaults(nb::module_& module) {
  nb::enum_<FaultCause> causes(module, "FaultCause", nb::is_arithmetic());
  for (unsigned i = 0; i < kNumFaultCauses; ++i) {
    const auto cause = static_cast<FaultCause>(i);
    causes.value(Name(cause), cause);
  }
  nb::enum_<Hazard> hazards(module, "Hazard", nb::is_arithmetic());
  for (unsigned i = 0; i < kNumHazards; ++i) {
    const auto hazard = static_cast<Hazard>(i);
    hazards.value(Name(hazard), hazard);
  }
}

void AddConfig(nb::module_& module) {
  nb::class_<Config>(module, "Config")
      .def(nb::init<>())
      .def_rw("num_warps", &Config::num_warps)
      .def_rw("num_ctas", &Config::num_ctas)
      .def_rw("num_issue", &Config::num_issue)
      .def_rw("warp_size", &Config::warp_size)
      .def_rw("reduce", &Config::reduce)
      .def_rw("result", &Config::result)
      .def_rw("state", &Config::state)
      .def_rw("faults", &Config::faults)
      .def_rw("drain", &Config::drain)
      .def_rw("lanes", &Config::lanes)
      .def_rw("split", &Config::split)
      .def_rw("join", &Config::join)
      .def_rw("mbarrier", &Config::mbarrier)
      .def_rw("mb_limit", &Config::mb_limit)
      .def_rw("smem_bytes", &Config::smem_bytes);
  module.def("config", &ConfigNamed, "name"_a, "A configuration of rtl/configs.json");
  nb::class_<Latency>(module, "Latency")
      .def_ro("issue", &Latency::issue)
      .def_ro("launch", &Latency::launch)
      .def_ro("leave", &Latency::leave)
      .def_ro("exit", &Latency::exit)
      .def_ro("effect", &Latency::effect)
      .def_ro("response", &Latency::response)
      .def_ro("mb_issue", &Latency::mb_issue)
      .def_ro("mb_other", &Latency::mb_other)
      .def_ro("mb_wake", &Latency::mb_wake)
      .def_ro("mb_response", &Latency::mb_response);
  module.def("latency", &LatencyOf, "config"_a, "The published latencies, in cycles");
}

void AddNamedBarriers(nb::module_& module) {
  nb::enum_<OpKind>(module, "OpKind", nb::is_arithmetic())
      .value("sync", OpKind::kSync)
      .value("arrive", OpKind::kArrive)
      .value("red_and", OpKind::kRedAnd)
      .value("red_or", OpKind::kRedOr)
      .value("red_popc", OpKind::kRedPopc)
      .value("arrive_phase", OpKind::kArrivePhase)
      .value("b2r_bar", OpKind::kB2rBar)
      .value("b2r_warp", OpKind::kB2rWarp)
      .value("b2r_result", OpKind::kB2rResult)
      .value("wait", OpKind::kWait)
      .value("r2b_bar", OpKind::kR2bBar)
      .value("r2b_warp", OpKind::kR2bWarp)
      .value("launch", OpKind::kLaunch)
      .value("open", OpKind::kOpen)
      .value("suspend", OpKind::kSuspend)
      .value("end", OpKind::kEnd)
      .value("join", OpKind::kJoin)
      .value("exit", OpKind::kExit);
  nb::enum_<BarKind>(module, "BarKind", nb::is_arithmetic())
      .value("idle", BarKind::kIdle)
      .value("sync", BarKind::kSync)
      .value("red_and", BarKind::kAnd)
      .value("red_or", BarKind::kOr)
      .value("red_popc", BarKind::kPopc);
  nb::class_<Operation>(module, "Operation")
      .def(nb::init<>())
      .def_rw("kind", &Operation::kind)
      .def_rw("cta", &Operation::cta)
      .def_rw("warp", &Operation::warp)
      .def_rw("bar", &Operation::bar)
      .def_rw("count", &Operation::count)
      .def_rw("size", &Operation::size)
      .def_rw("lanes", &Operation::lanes)
      .def_rw("operand", &Operation::operand)
      .def_rw("warps", &Operation::warps)
      .def("__repr__", [](const Operation& operation) { return Describe(operation); });
  nb::class_<Effects>(module, "Effects")
      .def_ro("released", &Effects::released)
      .def_ro("released_value", &Effects::released_value)
      .def_ro("released_kind", &Effects::released_kind)
      .def_ro("data", &Effects::data)
      .def_ro("pred", &Effects::pred)
      .def_ro("responds", &Effects::responds)
      .def_ro("word", &Effects::word)
      .def_ro("hazards", &Effects::hazards)
      .def_ro("fault", &Effects::fault)
      .def_ro("completed", &Effects::completed)
      .def_ro("entry_written", &Effects::entry_written)
      .def_ro("cta", &Effects::cta)
      .def_ro("bar", &Effects::bar);
  nb::class_<Model>(module, "Model")
      .def(nb::init<const Config&>(), "config"_a)
      .def("reset", &Model::Reset)
      .def("step", &Model::Step, "operation"_a)
      .def("entry_word", &Model::EntryWord, "cta"_a, "bar"_a)
      .def("warp_word", &Model::WarpWord, "warp"_a)
      .def_prop_ro("live", &Model::Live)
      .def_prop_ro("waiting", &Model::Waiting)
      .def("resident", &Model::Resident, "cta"_a)
      .def("live_warps", &Model::LiveWarps, "cta"_a)
      .def("arrived", &Model::Arrived, "cta"_a, "bar"_a)
      .def("waiting_at", &Model::WaitingAt, "cta"_a, "bar"_a)
      .def(
          "describe",
          [](const Model& model, unsigned cta, unsigned bar) { return model.Describe(cta, bar); },
          "cta"_a, "bar"_a);
}

void AddMbarriers(nb::module_& module) {
  nb::enum_<MbOp>(module, "MbOp", nb::is_arithmetic())
      .value("init", MbOp::kInit)
      .value("inval", MbOp::kInval)
      .value("arrive", MbOp::kArrive)
      .value("arrive_no_complete", MbOp::kArriveNoComplete)
      .value("arrive_expect_tx", MbOp::kArriveExpectTx)
      .value("arrive_drop", MbOp::kArriveDrop)
      .value("arrive_drop_no_complete", MbOp::kArriveDropNoComplete)
      .value("arrive_drop_expect_tx", MbOp::kArriveDropExpectTx)
      .value("expect_tx", MbOp::kExpectTx)
      .value("complete_tx", MbOp::kCompleteTx)
      .value("test_wait", MbOp::kTestWait)
      .value("test_wait_parity", MbOp::kTestWaitParity)
      .value("try_wait", MbOp::kTryWait)
      .value("try_wait_parity", MbOp::kTryWaitParity)
      .value("copy_arrive", MbOp::kCopyArrive)
      .value("report_on", MbOp::kReportOn)
      .value("copy_arrive_no_inc", MbOp::kCopyArriveNoInc);
  nb::enum_<MbAsks>(module, "MbAsks", nb::is_arithmetic())
      .value("primary", MbAsks::kPrimary)
      .value("conditional", MbAsks::kConditional)
      .value("layout", MbAsks::kLayout);
  nb::enum_<MbSource>(module, "MbSource", nb::is_arithmetic())
      .value("warp", MbSource::kWarp)
      .value("async_", MbSource::kAsync)
      .value("remote", MbSource::kRemote)
      .value("outbound", MbSource::kOutbound);
  nb::class_<MbOperation>(module, "MbOperation")
      .def(nb::init<>())
      .def_rw("op", &MbOperation::op)
      .def_rw("source", &MbOperation::source)
      .def_rw("cta", &MbOperation::cta)
      .def_rw("warp", &MbOperation::warp)
      .def_rw("lanes", &MbOperation::lanes)
      .def_rw("addr", &MbOperation::addr)
      .def_rw("operand", &MbOperation::operand)
      .def_rw("phase", &MbOperation::phase)
      .def_rw("asks", &MbOperation::asks)
      .def_rw("has_token", &MbOperation::has_token)
      .def_rw("has_hint", &MbOperation::has_hint)
      .def_rw("whole", &MbOperation::whole)
      .def_rw("releasing", &MbOperation::releasing)
      .def_rw("behind", &MbOperation::behind)
      .def("__repr__", [](const MbOperation& operation) {
        MbEvent event;
        event.operation = operation;
        return Describe(event);
      });
  nb::class_<MbAnswer>(module, "MbAnswer")
      .def_ro("warp", &MbAnswer::warp)
      .def_ro("lanes", &MbAnswer::lanes)
      .def_ro("complete", &MbAnswer::complete)
      .def_ro("report", &MbAnswer::report);
  nb::class_<MbEffects>(module, "MbEffects")
      .def_ro("fault", &MbEffects::fault)
      .def_ro("token", &MbEffects::token)
      .def_ro("complete", &MbEffects::complete)
      .def_ro("report", &MbEffects::report)
      .def_ro("parked", &MbEffects::parked)
      .def_ro("written", &MbEffects::written)
      .def_ro("word", &MbEffects::word)
      .def_ro("completions", &MbEffects::completions)
      .def_ro("answers", &MbEffects::answers)
      .def_ro("hazards", &MbEffects::hazards);
  nb::class_<Mbarriers>(module, "Mbarriers")
      .def(nb::init<const Model&, std::uint32_t, bool>(), "core"_a, "smem_bytes"_a,
           "layouts"_a = false, nb::keep_alive<1, 2>())
      .def("reset", &Mbarriers::Reset)
      .def("step", &Mbarriers::Step, "operation"_a)
      .def("expire", &Mbarriers::Expire, "warp"_a)
      .def("leave", &Mbarriers::Leave, "cta"_a, "kind"_a)
      .def("store", &Mbarriers::Store, "cta"_a, "addr"_a, "word"_a)
      .def("word", &Mbarriers::Word, "cta"_a, "addr"_a)
      .def_prop_ro("parked", &Mbarriers::Parked)
      .def("parked_lanes", &Mbarriers::ParkedLanes, "warp"_a)
      .def("describe", &Mbarriers::Describe, "cta"_a, "addr"_a);
}

void AddWarpScope(nb::module_& module) {
  nb::enum_<WarpOp>(module, "WarpOp", nb::is_arithmetic())
      .value("sync", WarpOp::kSync)
      .value("shuffle", WarpOp::kShuffle)
      .value("elect", WarpOp::kElect)
      .value("vote_all", WarpOp::kVoteAll)
      .value("vote_any", WarpOp::kVoteAny)
      .value("vote_uni", WarpOp::kVoteUni)
      .value("ballot", WarpOp::kBallot)
      .value("match_any", WarpOp::kMatchAny)
      .value("match_all", WarpOp::kMatchAll)
      .value("redux_add", WarpOp::kReduxAdd)
      .value("redux_min", WarpOp::kReduxMin)
      .value("redux_max", WarpOp::kReduxMax)
      .value("redux_and", WarpOp::kReduxAnd)
      .value("redux_or", WarpOp::kReduxOr)
      .value("redux_xor", WarpOp::kReduxXor)
      .value("gather", WarpOp::kGather)
      .value("exit", WarpOp::kExit)
      .value("read", WarpOp::kRead)
      .value("write", WarpOp::kWrite);
  nb::class_<WarpRequest>(module, "WarpRequest")
      .def(nb::init<>())
      .def_rw("op", &WarpRequest::op)
      .def_rw("mode", &WarpRequest::mode)
      .def_rw("abs", &WarpRequest::abs)
      .def_rw("nan", &WarpRequest::nan)
      .def_rw("warp", &WarpRequest::warp)
      .def_rw("cta", &WarpRequest::cta)
      .def_rw("lanes", &WarpRequest::lanes)
      .def_rw("live", &WarpRequest::live)
      .def_rw("key", &WarpRequest::key)
      .def_rw("preds", &WarpRequest::preds)
      .def_rw("values", &WarpRequest::values);
  nb::class_<WarpAnswer>(module, "WarpAnswer")
      .def_ro("op", &WarpAnswer::op)
      .def_ro("warp", &WarpAnswer::warp)
      .def_ro("lanes", &WarpAnswer::lanes)
      .def_ro("data", &WarpAnswer::data)
      .def_ro("pred", &WarpAnswer::pred);
  nb::class_<WarpArrival>(module, "WarpArrival")
      .def_ro("warp", &WarpArrival::warp)
      .def_ro("cta", &WarpArrival::cta)
      .def_ro("lanes", &WarpArrival::lanes)
      .def_ro("key", &WarpArrival::key)
      .def_ro("preds", &WarpArrival::preds);
  nb::class_<WarpEffects>(module, "WarpEffects")
      .def_ro("fault", &WarpEffects::fault)
      .def_ro("answers", &WarpEffects::answers)
      .def_ro("arrival", &WarpEffects::arrival);
  nb::class_<WarpScope>(module, "WarpScope")
      .def(nb::init<unsigned, unsigned>(), "num_warps"_a, "warp_size"_a = kMaxLanes)
      .def("may_be_presented", &WarpScope::MayBePresented, "request"_a)
      .def(
          "step",
          [](WarpScope& scope, const WarpRequest& request) {
            Require(scope.MayBePresented(request));
            return scope.Step(request);
          },
          "request"_a)
      .def("clear", &WarpScope::Clear, "warp"_a)
      .def("waiting", &WarpScope::Waiting, "warp"_a);
}

void AddClusterScope(nb::module_& module) {
  nb::enum_<ClusterLifeOp>(module, "ClusterLifeOp", nb::is_arithmetic())
      .value("grid", ClusterLifeOp::kGrid)
      .value("open", ClusterLifeOp::kOpen)
      .value("launch", ClusterLifeOp::kLaunch)
      .value("end", ClusterLifeOp::kEnd);
  nb::enum_<ClusterOp>(module, "ClusterOp", nb::is_arithmetic())
      .value("arrive", ClusterOp::kArrive)
      .value("arrive_relaxed", ClusterOp::kArriveRelaxed)
      .value("wait", ClusterOp::kWait)
      .value("exit", ClusterOp::kExit)
      .value("trigger", ClusterOp::kTrigger)
      .value("grid_wait", ClusterOp::kGridWait);
  nb::class_<ClusterConfig>(module, "ClusterConfig")
      .def(nb::init<>())
      .def_rw("num_units", &ClusterConfig::num_units)
      .def_rw("num_warps", &ClusterConfig::num_warps)
      .def_rw("num_ctas", &ClusterConfig::num_ctas)
      .def_rw("num_clusters", &ClusterConfig::num_clusters)
      .def_rw("num_grids", &ClusterConfig::num_grids)
      .def_rw("num_ranks", &ClusterConfig::num_ranks);
  nb::class_<ClusterLife>(module, "ClusterLife")
      .def(nb::init<>())
      .def_rw("op", &ClusterLife::op)
      .def_rw("grid", &ClusterLife::grid)
      .def_rw("awaits", &ClusterLife::awaits)
      .def_rw("size", &ClusterLife::size)
      .def_rw("cluster", &ClusterLife::cluster)
      .def_rw("rank", &ClusterLife::rank)
      .def_rw("unit", &ClusterLife::unit)
      .def_rw("cta", &ClusterLife::cta);
  nb::class_<ClusterRequest>(module, "ClusterRequest")
      .def(nb::init<>())
      .def_rw("op", &ClusterRequest::op)
      .def_rw("warp", &ClusterRequest::warp)
      .def_rw("cta", &ClusterRequest::cta)
      .def_rw("lanes", &ClusterRequest::lanes)
      .def_rw("live", &ClusterRequest::live);
  nb::class_<ClusterLanes>(module, "ClusterLanes")
      .def_ro("unit", &ClusterLanes::unit)
      .def_ro("warp", &ClusterLanes::warp)
      .def_ro("lanes", &ClusterLanes::lanes);
  nb::class_<ClusterEffects>(module, "ClusterEffects")
      .def_ro("fault", &ClusterEffects::fault)
      .def_ro("at_fault", &ClusterEffects::at_fault)
      .def_ro("go", &ClusterEffects::go)
      .def_ro("releases", &ClusterEffects::releases)
      .def_ro("grid_releases", &ClusterEffects::grid_releases)
      .def_ro("launches", &ClusterEffects::launches)
      .def_ro("flushes", &ClusterEffects::flushes);
  nb::class_<ClusterScope>(module, "ClusterScope")
      .def(nb::init<const ClusterConfig&>(), "config"_a)
      .def(
          "may_begin",
          [](const ClusterScope& scope, const ClusterLife& life) {
            return scope.MayBePresented(life);
          },
          "life"_a)
      .def(
          "begin",
          [](ClusterScope& scope, const ClusterLife& life) {
            Require(scope.MayBePresented(life));
            return scope.Step(life);
          },
          "life"_a)
      .def("flushed", &ClusterScope::Flushed, "grid"_a)
      .def(
          "may_be_presented",
          [](const ClusterScope& scope, unsigned unit, const ClusterRequest& request) {
            return scope.MayBePresented(unit, request);
          },
          "unit"_a, "request"_a)
      .def(
          "step",
          [](ClusterScope& scope, unsigned unit, const ClusterRequest& request) {
            Require(scope.MayBePresented(unit, request));
            return scope.Step(unit, request);
          },
          "unit"_a, "request"_a)
      .def("phases", &ClusterScope::Phases, "cluster"_a)
      .def_prop_ro("waiting", &ClusterScope::Waiting);
}

NB_MODULE(_golden, module) {
  AddFaults(module);
  AddConfig(module);
  AddNamedBarriers(module);
  AddMbarriers(module);
  AddWarpScope(module);
  AddClusterScope(module);
}

}  // namespace
}  // namespace muster
