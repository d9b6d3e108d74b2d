// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The golden model of floating-point additions on shared memory, written from PTX ISA 9.7.13.5:
// ".add operation rounds to nearest even", and "preserves subnormal inputs and results".
#ifndef MUSTER_SIM_GOLDEN_FLOAT_SUM_H_
#define MUSTER_SIM_GOLDEN_FLOAT_SUM_H_

#include <cstdint>

namespace muster::golden {

// Of bits from bit 0 on. A NaN is the one that additions of the type have for a result: 0x7fff of
// 16 bits and 0x7fffffff of 32; of 64 bits the first operand that is one, quiet, and
// 0xfff8000000000000 from infinities of different signs.
std::uint64_t AddF64(std::uint64_t a, std::uint64_t b);
std::uint32_t AddF32(std::uint32_t a, std::uint32_t b);
std::uint16_t AddF16(std::uint16_t a, std::uint16_t b);
std::uint16_t AddBf16(std::uint16_t a, std::uint16_t b);

}  // namespace muster::golden

#endif  // MUSTER_SIM_GOLDEN_FLOAT_SUM_H_
