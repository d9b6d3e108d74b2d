// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/app/cuda.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <sstream>
#include <string>

#include "sim/ptx/launch/direct.h"
#include "sim/ptx/launch/manifest.h"
#include "sim/ptx/syntax/error.h"

namespace muster::app {
namespace {

// Whether a program is in one of the folders of PATH.
bool IsThere(const std::string& program) {
  const char* const path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    if (access((folder + "/" + program).c_str(), X_OK) == 0) {
      return true;
    }
  }
  return false;
}

}  // namespace

std::string CompileCuda(const std::string& source) {
  ptx::ReadFile(source, "CUDA file");  // checks that the file exists
  std::string compiler;
  if (IsThere("nvcc")) {
    compiler = "nvcc -arch=sm_90 -lineinfo -ptx";
  } else {
    // Without NVIDIA's headers: the file declares what it uses.
    for (const char* const clang : {"clang", "clang-19", "clang-16", "clang-14"}) {
      if (compiler.empty() && IsThere(clang)) {
        compiler = fmt::format(
            "{} -x cuda --cuda-device-only --cuda-gpu-arch=sm_80 --cuda-path=/nonexistent "
            "-nocudainc -nocudalib -fno-rtti -O2 -gline-tables-only -S",
            clang);
      }
    }
  }
  if (compiler.empty()) {
    throw ptx::InputError(fmt::format(
        "{}: there is neither nvcc nor clang to compile it; give the PTX that your compiler makes",
        source));
  }
  std::string ptx = source + ".ptx";
  const std::string command =
      fmt::format("{} {} -o {}", compiler, ptx::Quoted(source), ptx::Quoted(ptx));
  fmt::print("{}\n", command);
  std::fflush(stdout);
  if (std::system(command.c_str()) != 0) {  // NOLINT(cert-env33-c): the words are quoted
    throw ptx::InputError(fmt::format("{} does not compile", source));
  }
  return ptx;
}

}  // namespace muster::app
