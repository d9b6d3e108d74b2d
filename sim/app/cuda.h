// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// CUDA C++ sources are compiled by a compiler that the system has.
#ifndef MUSTER_SIM_APP_CUDA_H_
#define MUSTER_SIM_APP_CUDA_H_

#include <string>

namespace muster::app {

// Compiles FILE.cu to FILE.cu.ptx beside it, by nvcc, or by clang where there is none, and prints
// the command. Returns the path of the PTX. Throws ptx::InputError: there is no compiler, or the
// file does not compile, of which the compiler has said more on the standard error.
std::string CompileCuda(const std::string& source);

}  // namespace muster::app

#endif  // MUSTER_SIM_APP_CUDA_H_
