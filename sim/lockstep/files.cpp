// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/lockstep/files.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>

namespace muster::lockstep {

namespace fs = std::filesystem;

namespace {

// The word stands before the extension. No path remains none.
std::string Inserted(const std::string& path, const std::string& word) {
  if (path.empty()) {
    return path;
  }
  const std::size_t dot = path.rfind('.');
  const bool dotted = dot != std::string::npos && path.find('/', dot) == std::string::npos;
  return fmt::format("{}.{}{}", path.substr(0, dotted ? dot : path.size()), word,
                     dotted ? path.substr(dot) : "");
}

}  // namespace

std::string Numbered(const std::string& path, int unit) {
  return unit < 1 ? path : Inserted(path, std::to_string(unit));
}

std::string OfWarpScope(const std::string& wave) { return Inserted(wave, "warp"); }

std::string OfAtomics(const std::string& wave, unsigned bank) {
  return Numbered(Inserted(wave, "atomics"), static_cast<int>(bank));
}

std::string OfFences(const std::string& wave, unsigned tracker) {
  return Numbered(Inserted(wave, "fences"), static_cast<int>(tracker));
}

std::string OfClusterScope(const std::string& wave) { return Inserted(wave, "cluster"); }

std::string OfLaunch(const std::string& path, std::size_t launch) {
  return Inserted(path, fmt::format("launch{}", launch));
}

std::string Resolved(const std::string& path) {
  constexpr unsigned kMostLinks = 40;  // as the system follows
  fs::path file = path;
  std::error_code error;
  for (unsigned link = 0; link < kMostLinks && fs::is_symlink(file, error); ++link) {
    file = file.parent_path() / fs::read_symlink(file, error);
  }
  const fs::path folder = fs::weakly_canonical(fs::absolute(file, error).parent_path(), error);
  return (folder / file.filename()).string();
}

bool Writable(const std::string& path) {
  std::error_code error;
  const bool there = fs::exists(path, error);
  const bool opens = std::ofstream(path, std::ios::app).is_open();
  if (opens && !there) {
    fs::remove(Resolved(path), error);
  }
  return opens;
}

}  // namespace muster::lockstep
