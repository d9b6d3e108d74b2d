// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The parameters of a unit, and the configurations that the program knows by name: those of
// rtl/configs.json, unless CMake was given another file.
#ifndef MUSTER_SIM_ISA_CONFIG_H_
#define MUSTER_SIM_ISA_CONFIG_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sim/isa/operation.h"

namespace muster {

// The parameters of a unit, as rtl/configs.json has them. The defaults are a small unit with
// all features.
struct Config {
  const char* name = "";
  unsigned num_warps = 8;
  unsigned num_ctas = 2;
  unsigned num_issue = 1;
  unsigned warp_size = 32;  // lanes of a warp
  bool reduce = true;       // BAR.RED and B2R (B2R.BAR also with split)
  bool result = true;       // with reduce: each warp has a copy of its result, and B2R.RESULT
  bool state = true;        // R2B
  bool faults = true;       // misuse is refused and reported; without it, misuse is undefined
  bool drain = true;        // the memory-drain handshake
  bool lanes = true;  // exits lane by lane, several lanes in an mbarrier group; without it, any
                      // exit is the warp's, and a group is one lane, unless it waits
  bool split = true;  // warps arrive at one point and wait for the phase at another
  bool join = true;   // a CTA opens its slot, and its warps join one by one

  bool mbarrier = true;  // the shared-memory scope
  bool mb_limit = true;  // time limits of try_wait, and the end of waits when a CTA leaves
  bool report = true;    // mbarriers of layout v1, conditional phases, check_layout and report-on
  std::uint32_t smem_bytes = 4096;     // shared memory of a CTA
  unsigned clock_period_ps = 1000;     // of the unit's clock
  std::uint64_t wait_limit_ns = 3000;  // of a try_wait without a hint
  unsigned mb_responses = 8;           // places for tokens and answers to waits
};

inline constexpr std::uint64_t kPsPerNs = 1000;

// The lanes that a warp has. Others may be named, and take no part.
constexpr std::uint32_t LanesOfWarp(const Config& config) {
  return ~std::uint32_t{0} >> (kMaxLanes - config.warp_size);
}

// Whether the unit has the operation. One that it lacks must not be presented, whatever its fields.
constexpr bool Has(const Config& config, OpKind kind) {
  if (kind == OpKind::kArrivePhase || kind == OpKind::kWait) {
    return config.split;
  }
  if (kind == OpKind::kB2rBar) {
    return config.reduce || config.split;
  }
  if (kind == OpKind::kB2rResult) {
    return config.reduce && config.result;
  }
  if (IsReduction(kind) || IsRead(kind)) {
    return config.reduce;
  }
  if (kind == OpKind::kOpen || kind == OpKind::kJoin) {
    return config.join;
  }
  return (kind != OpKind::kR2bBar && kind != OpKind::kR2bWarp) || config.state;
}

const std::vector<Config>& Configs();
const Config* FindConfig(std::string_view name);  // null: there is none of that name
std::string ConfigNames();                        // "small, default, ..."

}  // namespace muster

#endif  // MUSTER_SIM_ISA_CONFIG_H_
