// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Host memory that a GPU accesses over the bus.
#ifndef MUSTER_SIM_GPU_MAPPED_MEMORY_H_
#define MUSTER_SIM_GPU_MAPPED_MEMORY_H_

#include <cstddef>
#include <cstdint>

#include "sim/gpu/driver.h"

namespace muster::gpu {

// Memory that this process shares with its child processes.
class SharedMemory {
 public:
  // Throws ptx::InputError if there is not enough memory.
  explicit SharedMemory(std::size_t bytes);
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;
  ~SharedMemory();

  std::uint8_t* data() const { return data_; }

 private:
  std::size_t bytes_;
  std::uint8_t* data_ = nullptr;
};

// Registers such memory with the driver as long as this object exists.
class MappedMemory {
 public:
  MappedMemory(const Driver& driver, std::uint8_t* memory, std::size_t bytes);
  MappedMemory(const MappedMemory&) = delete;
  MappedMemory& operator=(const MappedMemory&) = delete;
  ~MappedMemory();

  cuda::Result result() const { return result_; }     // of the driver
  cuda::Pointer pointer() const { return pointer_; }  // the address for the GPU

 private:
  const Driver& driver_;
  std::uint8_t* memory_;  // null: empty, and not registered
  cuda::Result result_ = cuda::kSuccess;
  cuda::Pointer pointer_ = 0;
};

}  // namespace muster::gpu

#endif  // MUSTER_SIM_GPU_MAPPED_MEMORY_H_
