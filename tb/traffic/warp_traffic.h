// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Random requests of lanes that come apart: they join groups that wait, or come to something new.
#ifndef MUSTER_TB_TRAFFIC_WARP_TRAFFIC_H_
#define MUSTER_TB_TRAFFIC_WARP_TRAFFIC_H_

#include <cstdint>
#include <random>
#include <vector>

#include "sim/golden/warp_scope.h"
#include "sim/isa/warp_operation.h"
#include "sim/lockstep/warp_dut.h"

namespace muster::warp {

class Traffic {
 public:
  // A warp that may present something.
  struct Warp {
    unsigned warp = 0;
    std::uint8_t cta = 0;
    std::uint32_t live = 0;
    std::uint32_t free = 0;  // of these, lanes that wait nowhere
  };

  // `model`: which groups wait.
  Traffic(const lockstep::WarpShape& shape, const golden::WarpScope& model, std::uint64_t seed)
      : shape_(shape), model_(model), random_(static_cast<std::mt19937::result_type>(seed)) {}

  unsigned Below(unsigned n) { return static_cast<unsigned>(random_() % n); }
  bool OneIn(unsigned n) { return Below(n) == 0; }
  std::uint32_t Word() { return static_cast<std::uint32_t>(random_()); }
  std::uint32_t SomeOf(std::uint32_t lanes);

  static WarpRequest Request(WarpOp op, const Warp& warp, std::uint32_t lanes, std::uint32_t key);
  // Lanes that are free come to a group that is open, if there is one, or to something new; `key`
  // is that of a new gather.
  WarpRequest Coming(const Warp& warp, std::uint32_t key);
  // Lanes that the warps lack may be anything.
  void Litter(WarpRequest* request);
  // What opens the groups of the warp again, in any order.
  std::vector<WarpRequest> Restore(const Warp& warp);

 private:
  void Fill(WarpRequest* request);
  static unsigned ModesOf(WarpOp op);

  const lockstep::WarpShape shape_;
  const golden::WarpScope& model_;
  std::mt19937 random_;
};

}  // namespace muster::warp

#endif  // MUSTER_TB_TRAFFIC_WARP_TRAFFIC_H_
