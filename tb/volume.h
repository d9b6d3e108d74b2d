// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// How much a random test runs.
#ifndef MUSTER_TB_VOLUME_H_
#define MUSTER_TB_VOLUME_H_

#include <cstdlib>

namespace muster {

// Returns `by_day`; `by_night` in the tests `long.*` of CTest, which `make regress` runs
// (muster_long_test in tb/CMakeLists.txt).
inline unsigned Volume(unsigned by_day, unsigned by_night) {
  return std::getenv("MUSTER_LONG") == nullptr ? by_day : by_night;
}

}  // namespace muster

#endif  // MUSTER_TB_VOLUME_H_
