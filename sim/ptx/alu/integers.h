// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Integers lane by lane. They wrap: computed in 64 unsigned bits and cut to their type.
#ifndef MUSTER_SIM_PTX_ALU_INTEGERS_H_
#define MUSTER_SIM_PTX_ALU_INTEGERS_H_

#include <cstdint>

#include "sim/ptx/alu/compute.h"

namespace muster::ptx {

template <typename T>
std::uint64_t Wide(T value) {
  return static_cast<std::uint64_t>(value);
}

template <typename F>
void Unary(const Lanes& l, const Arithmetic& i, F f) {
  WithInteger(i.type, [&](auto zero) {
    using T = decltype(zero);
    const auto a = l.Read(i.a[0]);
    std::uint64_t* const d = l.Write(i.d);
    l.ForEach([&](unsigned lane) { d[lane] = ToBits<T>(f(FromBits<T>(a[lane]))); });
  });
}

template <typename F>
void Binary(const Lanes& l, const Arithmetic& i, F f) {
  WithInteger(i.type, [&](auto zero) {
    using T = decltype(zero);
    const auto a = l.Read(i.a[0]);
    const auto b = l.Read(i.a[1]);
    std::uint64_t* const d = l.Write(i.d);
    l.ForEach(
        [&](unsigned lane) { d[lane] = ToBits<T>(f(FromBits<T>(a[lane]), FromBits<T>(b[lane]))); });
  });
}

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_ALU_INTEGERS_H_
