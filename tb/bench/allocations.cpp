// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "tb/bench/allocations.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>

namespace muster::bench {
namespace {

std::uint64_t allocations = 0;

}  // namespace

std::uint64_t Allocations() { return allocations; }

}  // namespace muster::bench

// The other forms of new, but for those with an alignment, come down to this one.
void* operator new(std::size_t size) {
  ++muster::bench::allocations;
  void* memory = std::malloc(size == 0 ? 1 : size);
  return memory != nullptr ? memory : throw std::bad_alloc();
}

void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t /*size*/) noexcept { std::free(memory); }
