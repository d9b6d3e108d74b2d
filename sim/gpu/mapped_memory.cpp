// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/gpu/mapped_memory.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>

namespace muster::gpu {

SharedMemory::SharedMemory(std::size_t bytes) : bytes_(std::max<std::size_t>(bytes, 1)) {
  void* const mapped =
      mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) {
    throw ptx::InputError(fmt::format("there is no memory for buffers of {} bytes", bytes));
  }
  data_ = static_cast<std::uint8_t*>(mapped);
}

SharedMemory::~SharedMemory() { munmap(data_, bytes_); }

MappedMemory::MappedMemory(const Driver& driver, std::uint8_t* memory, std::size_t bytes)
    : driver_(driver), memory_(bytes == 0 ? nullptr : memory) {
  if (memory_ == nullptr) {
    return;
  }
  result_ = driver_.MemHostRegister(memory_, bytes, cuda::kDeviceMap);
  if (result_ != cuda::kSuccess) {
    memory_ = nullptr;
    return;
  }
  result_ = driver_.MemHostGetDevicePointer(&pointer_, memory_, 0);
}

MappedMemory::~MappedMemory() {
  if (memory_ != nullptr) {
    driver_.MemHostUnregister(memory_);
  }
}

}  // namespace muster::gpu
