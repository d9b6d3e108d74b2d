// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/port/warp_pins.h"

namespace muster {

std::vector<unsigned> BeatsOf(const WarpRequest& request, unsigned lanes_per_beat, bool all,
                              unsigned warp_size) {
  const WarpOp op = request.op == WarpOp::kWrite ? DecodeInstruction(request.live).op : request.op;
  std::vector<unsigned> beats;
  for (unsigned beat = 0; HasValues(op) && beat < warp_size / lanes_per_beat; ++beat) {
    const auto lanes = static_cast<std::uint32_t>(((std::uint64_t{1} << lanes_per_beat) - 1)
                                                  << beat * lanes_per_beat);
    if (all || (request.lanes & lanes) != 0) {
      beats.push_back(beat);
    }
  }
  if (beats.empty()) {
    beats.push_back(0);
  }
  return beats;
}

}  // namespace muster
