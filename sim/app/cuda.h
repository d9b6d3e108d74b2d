// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Compiles CUDA C++ sources with a compiler of the system.
#ifndef MUSTER_SIM_APP_CUDA_H_
#define MUSTER_SIM_APP_CUDA_H_

#include <string>
#include <vector>

namespace muster::app {

struct CudaOptions {
  std::string architecture;        // "sm_100a"; empty: sm_90a with nvcc, sm_80 with clang
  std::vector<std::string> flags;  // further words of the compiler's command
};

// Compiles FILE.cu to FILE.cu.ptx beside it, or FILE.cu.OPTIONS.ptx, with nvcc or, if there is
// none, clang, and prints the command. Returns the path of the PTX. Throws ptx::InputError if there
// is no compiler, or if the file does not compile; the compiler's messages are then on the standard
// error.
std::string CompileCuda(const std::string& source, const CudaOptions& options);

}  // namespace muster::app

#endif  // MUSTER_SIM_APP_CUDA_H_
