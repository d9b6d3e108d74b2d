// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/app/cuda.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <cstdlib>
#include <initializer_list>
#include <sstream>
#include <string>
#include <vector>

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

bool Has(const std::vector<std::string>& flags, std::initializer_list<const char*> any) {
  return std::find_first_of(flags.begin(), flags.end(), any.begin(), any.end()) != flags.end();
}

// ".DBUG_1" for -DBUG=1, so that what was compiled with other options is another file, to which
// other manifests may belong. Long ones become a number.
std::string SuffixOf(const CudaOptions& options) {
  constexpr std::size_t kLongest = 40;
  std::string suffix;
  for (std::string word : options.flags) {
    word.erase(0, word.find_first_not_of('-'));
    std::replace_if(
        word.begin(), word.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
    suffix += "." + word;
  }
  if (!options.architecture.empty()) {
    suffix += "." + options.architecture;
  }
  if (suffix.size() <= kLongest) {
    return suffix;
  }
  std::uint32_t hash = 2166136261;  // FNV-1a
  for (const char c : suffix) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 16777619;
  }
  return fmt::format(".{:08x}", hash);
}

// Returns the file that stands in for NVIDIA's headers, of the installation or of the tree that the
// program was built from; empty if neither is there.
std::string HeaderForClang() {
  for (const char* const path : {MUSTER_SHARE "/cuda.h", MUSTER_KERNELS "/cuda.h"}) {
    if (access(path, R_OK) == 0) {
      return path;
    }
  }
  return "";
}

}  // namespace

std::string CompileCuda(const std::string& source, const CudaOptions& options) {
  ptx::ReadFile(source, "CUDA file");  // checks that the file exists
  std::string target = options.architecture;
  const auto architecture = [&target](const char* usual) {
    target = target.empty() ? usual : target;
    return ptx::Quoted(target);
  };
  std::string compiler;
  std::string lacks;  // what may be the matter if it does not compile
  if (IsThere("nvcc")) {
    // -G has the lines, too.
    const bool has_debug = Has(options.flags, {"-G", "--device-debug"});
    compiler =
        fmt::format("nvcc -arch={}{} -ptx", architecture("sm_90a"), has_debug ? "" : " -lineinfo");
  } else {
    const std::string header = HeaderForClang();
    lacks = ": clang compiles it, without NVIDIA's headers; nvcc in the PATH would have them";
    for (const char* const clang : {"clang", "clang-19", "clang-16", "clang-14"}) {
      if (compiler.empty() && IsThere(clang)) {
        compiler = fmt::format(
            "{} -x cuda --cuda-device-only --cuda-gpu-arch={} --cuda-path=/nonexistent "
            // Without --cuda-noopt-device-debug, clang leaves -g out of what it optimizes.
            "-nocudainc -nocudalib -fno-rtti -O2 -g --cuda-noopt-device-debug -S",
            clang, architecture("sm_80"));
        compiler += header.empty() ? "" : " -include " + ptx::Quoted(header);
      }
    }
  }
  if (compiler.empty()) {
    throw ptx::InputError(fmt::format(
        "{}: there is neither nvcc nor clang to compile it; give the PTX that your compiler makes",
        source));
  }
  for (const std::string& flag : options.flags) {
    compiler += " " + ptx::Quoted(flag);
  }
  std::string ptx = source + SuffixOf(options) + ".ptx";
  const std::string command =
      fmt::format("{} {} -o {}", compiler, ptx::Quoted(source), ptx::Quoted(ptx));
  fmt::print("{}\n", command);
  std::fflush(stdout);
  if (std::system(command.c_str()) != 0) {  // NOLINT(cert-env33-c): the words are quoted
    throw ptx::InputError(fmt::format("{} does not compile for {}{}", source, target, lacks));
  }
  return ptx;
}

}  // namespace muster::app
