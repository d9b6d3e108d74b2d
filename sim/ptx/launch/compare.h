// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Compares what a buffer holds with what a manifest expects of it.
#ifndef MUSTER_SIM_PTX_LAUNCH_COMPARE_H_
#define MUSTER_SIM_PTX_LAUNCH_COMPARE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "sim/ptx/launch/manifest.h"
#include "sim/ptx/simt/unknown.h"

namespace muster::ptx {

// How far a number is from the one that is expected. All are infinite or the most that there is
// where one of the two is not finite.
struct Error {
  double absolute = 0;
  double relative = 0;     // to the expected number
  std::uint64_t ulps = 0;  // how many numbers of the type lie from the one to the other
};
Error ErrorOf(Type type, const std::uint8_t* there, const std::uint8_t* expected);

// In a sentence, where elements differ by more than the buffer's tolerance, or are not known;
// empty: none does. An element that has the expected bits is right, and any NaN is where one is
// expected. `unknown`: of the contents.
std::string Difference(const Buffer& buffer, const std::vector<std::uint8_t>& contents,
                       const UnknownBytes& unknown = {}, const Origins& origins = {});

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_LAUNCH_COMPARE_H_
