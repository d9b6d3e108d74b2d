// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// multimem.ld_reduce, .st and .red. Knows what they do to the buffers of a multicast object; its
// bulk copies are AsyncCopies'.
#ifndef MUSTER_SIM_PTX_SIMT_MULTIMEM_H_
#define MUSTER_SIM_PTX_SIMT_MULTIMEM_H_

#include <cstdint>
#include <vector>

#include "sim/ptx/simt/execution.h"

namespace muster::ptx {

class Multimem {
 public:
  explicit Multimem(Execution* execution) : x_(*execution) {}

  StepEvent ExecuteMultimem(Warp* warp, const Lanes& lanes, std::uint32_t frame);

 private:
  void AccessPlaces(Warp* warp, const Lanes& lanes, std::uint32_t frame, unsigned lane,
                    const std::vector<std::uint64_t>& addresses,
                    const std::vector<std::uint8_t*>& places);
  void SpreadPlaces(Warp* warp, const MultimemAccess& i, std::uint32_t frame, unsigned lane,
                    const std::vector<std::uint64_t>& addresses);

  Execution& x_;
};

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_SIMT_MULTIMEM_H_
