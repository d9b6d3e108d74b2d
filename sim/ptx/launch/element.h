// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// An element of a buffer as a number: its bytes, little-endian, are those of the kernel's memory.
#ifndef MUSTER_SIM_PTX_LAUNCH_ELEMENT_H_
#define MUSTER_SIM_PTX_LAUNCH_ELEMENT_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "sim/ptx/program/types.h"

namespace muster::ptx {

// Returns the type of elements of that name ("u32", "e4m3"); kNone: there is none.
Type ElementTypeOf(std::string_view name);

// Whether elements of the type are floating-point numbers: f64, f32, f16, bf16, e4m3, e5m2.
constexpr bool IsReal(Type type) { return IsFloat(type) || IsSmallFloat(type); }

// Returns the number that the bytes at `element` hold. The type is a real one.
double RealOf(Type type, const std::uint8_t* element);
// Returns the bits of the number, rounded to the nearest one of the type, which is a real one. What
// is beyond its numbers becomes infinity, and NaN where the type has no infinity.
std::uint64_t BitsOf(Type type, double number);

// Returns the element as decimal text.
std::string FormatElement(Type type, const std::uint8_t* element);

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_LAUNCH_ELEMENT_H_
