// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// tex, tld4, txq, suld, sust, sured and suq. Knows what threads read and write of textures and
// surfaces; texture.h knows where their texels are.
#ifndef MUSTER_SIM_PTX_SIMT_TEXTURING_H_
#define MUSTER_SIM_PTX_SIMT_TEXTURING_H_

#include <cstdint>

#include "sim/ptx/simt/execution.h"
#include "sim/ptx/simt/texture.h"

namespace muster::ptx {

class Texturing {
 public:
  explicit Texturing(Execution* execution) : x_(*execution) {}

  StepEvent ExecuteTexture(Warp* warp, const Lanes& lanes, std::uint32_t frame);

 private:
  const Texture* TextureAt(Warp* warp, unsigned lane, std::uint64_t value);
  static std::uint32_t PropertyOf(const Texture& texture, TextureProperty property);
  const std::uint8_t* ReadTexel(const Warp& warp, unsigned lane, const Texture& texture,
                                std::uint64_t address, Origin* origin);
  StepEvent LookUp(Warp* warp, const Lanes& lanes, std::uint32_t frame, unsigned lane,
                   const Texture& texture);
  StepEvent AccessSurface(Warp* warp, const Lanes& lanes, std::uint32_t frame, unsigned lane,
                          const Texture& texture);

  Execution& x_;
};

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_SIMT_TEXTURING_H_
