// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Bad input: what a user gave that cannot be run. The program prints it and exits with code 2.
#ifndef MUSTER_SIM_PTX_ERROR_H_
#define MUSTER_SIM_PTX_ERROR_H_

#include <stdexcept>
#include <string>

namespace muster::ptx {

// One sentence per problem, a line each, with file, line and column where there are any.
class InputError : public std::runtime_error {
 public:
  explicit InputError(const std::string& message) : std::runtime_error(message) {}
};

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_ERROR_H_
