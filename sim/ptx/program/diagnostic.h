// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// A diagnostic says what is wrong with a PTX file, and where.
#ifndef MUSTER_SIM_PTX_PROGRAM_DIAGNOSTIC_H_
#define MUSTER_SIM_PTX_PROGRAM_DIAGNOSTIC_H_

#include <cstdint>
#include <string>

#include "sim/ptx/syntax/syntax.h"

namespace muster::ptx {

struct Diagnostic {
  enum class Kind : std::uint8_t {
    kError,   // it cannot be run
    kMisuse,  // it can, but a compiler would not let it pass
  };
  syntax::Position at;
  std::string message;
  Kind kind = Kind::kError;
};

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_PROGRAM_DIAGNOSTIC_H_
