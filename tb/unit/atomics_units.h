// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The Verilated blocks of atomics, and their shapes.
#ifndef TB_UNIT_ATOMICS_UNITS_H_
#define TB_UNIT_ATOMICS_UNITS_H_

#include "Vatomics_bare.h"
#include "Vatomics_full.h"
#include "Vatomics_one.h"
#include "Vatomics_small.h"
#include "tb/unit/atomics_bench.h"

namespace muster::atomics {

template <>
inline const Shape kShape<Vatomics_small> = {8, 4096, true, true, 3, true};
template <>
inline const Shape kShape<Vatomics_full> = {64, 262144, true, true, 2, true};
template <>
inline const Shape kShape<Vatomics_one> = {5, 64, true, false, 1, false};
template <>
inline const Shape kShape<Vatomics_bare> = {12, 1024, false, false, 0, true};

}  // namespace muster::atomics

#endif  // TB_UNIT_ATOMICS_UNITS_H_
