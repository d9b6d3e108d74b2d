// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The regression of whole GPCs, as regress.cpp is that of units: random traffic that fits together,
// checked in every cycle in each block and between them. The tests regress.GPC.N of CTest run a
// shard of it each, and regress.cover.GPC puts the shards' files together.
#include "tb/gpc/gpc_regress.h"

#include <fmt/format.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "sim/lockstep/gpc.h"
#include "sim/lockstep/lockstep.h"
#include "tb/gpc/gpc_cover.h"
#include "tb/gpc/gpc_traffic.h"
#include "tb/lockstep/regress_program.h"

namespace muster::gpc {
namespace {

using lockstep::Result;

const lockstep::Layout kLayout = {
    "GPC",
    {{"resets", "resets", 10, &Result::resets},
     {"gated", "gated", 10, &Result::gated},
     {"commits", "commits", 10, &Result::commits},
     {"releases", "releases", 10, &Result::releases},
     {"faults", "faults", 10, &Result::faults},
     {"mb_commits", "mb_commits", 10, &Result::mb_commits},
     {"mb_phases", "mb_phases", 10, &Result::mb_phases},
     {"warp_requests", "warp_requests", 13, &Result::warp_requests},
     {"warp_lanes", "warp_lanes", 10, &Result::warp_lanes},
     {"cluster_operations", "cluster_operations", 18, &Result::cluster_operations},
     {"atomic_updates", "atomic_updates", 14, &Result::atomic_updates}},
    1};

struct GpcResult : lockstep::RegressResult {
  explicit GpcResult(const std::string& name) : RegressResult(name, kLayout) {}
  lockstep::CoverPoints& points() override { return cover.points(); }

  GpcCover cover{lockstep::GpcHasAtomics(), lockstep::GpcRanks() > 16};
};

void RunSeed(const lockstep::RegressOptions& arguments, std::uint64_t seed,
             lockstep::RegressResult* of) {
  GpcResult& result = static_cast<GpcResult&>(*of);
  result.cover.NextRun();
  lockstep::Options options = arguments.run;
  options.seed = seed;
  options.power_up = {seed, seed % 3 == 0};
  options.gates = lockstep::GatingOf(seed);
  options.rerun =
      fmt::format("{} --seed {} --cycles {}", arguments.program, seed, options.max_cycles);
  const auto make = [&](const lockstep::GpcShape& shape, const lockstep::GpcChecks& checks) {
    return std::make_unique<GpcTraffic>(shape, checks, seed, &result.cover);
  };
  result.Add(seed, lockstep::RunGpc(make, options), "");
}

std::vector<std::string> Names(const std::vector<std::string>& asked) {
  const std::string own = lockstep::GpcName();
  for (const std::string& name : asked) {
    if (name != own) {
      throw std::runtime_error(fmt::format("--config {}: this program has {}", name, own));
    }
  }
  return {own};
}

}  // namespace

int Regress(int argc, char** argv) {
  return lockstep::Regress(
      argc, argv,
      {"Constrained-random traffic on Verilated GPCs, checked every cycle", kLayout, Names,
       [](const std::string& name) { return std::make_unique<GpcResult>(name); }, RunSeed});
}

}  // namespace muster::gpc
