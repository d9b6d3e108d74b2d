// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The textures and surfaces of a manifest as the GPU's driver makes them: arrays, which are copies
// of what lies in the buffers. Knows nothing of lookups.
#ifndef MUSTER_SIM_GPU_TEXTURES_H_
#define MUSTER_SIM_GPU_TEXTURES_H_

#include <cstdint>
#include <vector>

#include "sim/gpu/driver.h"
#include "sim/gpu/ending.h"
#include "sim/gpu/task.h"

namespace muster::gpu {

// Exist in the driver as long as this object does.
class Textures {
 public:
  Textures(const Driver& driver, const Task& task, std::uint8_t* memory)
      : driver_(driver), task_(task), memory_(memory) {}
  Textures(const Textures&) = delete;
  Textures& operator=(const Textures&) = delete;
  ~Textures();

  // Makes all of them. Where the driver refuses one, the ending says so.
  Ending Make(Task::Objects* objects);
  // Copies surfaces back into their buffers.
  Ending CopyBack() const;

 private:
  struct Made {
    const ptx::NamedTexture* named = nullptr;
    cuda::Array array = nullptr;
    cuda::Handle texture = 0;
    cuda::Handle surface = 0;
  };

  cuda::Result Make(Made* made) const;
  cuda::Result Copy(const Made& made, bool back) const;

  const Driver& driver_;
  const Task& task_;
  std::uint8_t* memory_;
  std::vector<Made> made_;
};

}  // namespace muster::gpu

#endif  // MUSTER_SIM_GPU_TEXTURES_H_
