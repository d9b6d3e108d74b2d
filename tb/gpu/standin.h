// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// What all functions of the stand-in for NVIDIA's driver have in common.
#ifndef MUSTER_TB_GPU_STANDIN_H_
#define MUSTER_TB_GPU_STANDIN_H_

#include <cstddef>
#include <cstdint>
#include <string>

namespace standin {

inline constexpr int kSuccess = 0;
inline constexpr int kInvalidValue = 1;

// Returns what the environment says of the stand-in.
const char* Setting(const char* name, const char* otherwise);
// Notes a call, and returns what comes of it before it does anything.
int Enter(const std::string& name, const std::string& given = "");
// Returns the host's side of an address of the GPU's; null: there is no memory.
std::uint32_t* Words(std::uint64_t pointer, std::size_t bytes);

// Returns the texels of a texture or of a surface; null: the handle is none.
std::uint8_t* Texels(std::uint64_t handle, bool surface);

}  // namespace standin

#endif  // MUSTER_TB_GPU_STANDIN_H_
