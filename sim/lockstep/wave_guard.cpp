// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/lockstep/wave_guard.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <string>
#include <utility>

namespace muster::lockstep {
namespace {

constexpr int kBadInput = 2;  // the programs' exit code
constexpr const char* kWhy =
    ": the waveform cannot be written: its disk, or that of temporary files (/tmp), is full, or a "
    "file must not be so long";

unsigned failed = 0;                      // files that could not be written whole
std::array<const std::string*, 32> open;  // the waveforms; a cluster's units have two each
void (*former)(int) = SIG_DFL;

// No more than a handler of a signal may do.
void EndWithSentence(int /*signal*/) {
  const auto say = [](const char* text, std::size_t size) {
    if (write(STDERR_FILENO, text, size) < 0) {
      _exit(kBadInput);
    }
  };
  for (const std::string* const path : open) {
    if (path != nullptr) {
      say(path->data(), path->size());
      say(kWhy, std::char_traits<char>::length(kWhy));
      say("\n", 1);
      unlink(path->c_str());
    }
  }
  _exit(kBadInput);
}

}  // namespace

WaveGuard::WaveGuard(std::string path) : path_(std::move(path)), failed_before_(failed) {
  if (std::all_of(open.begin(), open.end(), [](const auto* path) { return path == nullptr; })) {
    former = std::signal(SIGBUS, EndWithSentence);
  }
  *std::find(open.begin(), open.end() - 1, nullptr) = &path_;
}

WaveGuard::~WaveGuard() {
  std::replace(open.begin(), open.end(), &path_, static_cast<const std::string*>(nullptr));
  if (std::all_of(open.begin(), open.end(), [](const auto* path) { return path == nullptr; })) {
    std::signal(SIGBUS, former);
  }
}

std::string WaveGuard::Close() {
  if (failed == failed_before_) {
    return "";
  }
  unlink(path_.c_str());
  return path_ + kWhy;
}

}  // namespace muster::lockstep

// Programs are linked with --wrap=fclose: each file's end comes here, and whether a write failed on
// the way. NOLINTBEGIN(bugprone-reserved-identifier): the linker's names.
extern "C" int __real_fclose(std::FILE* file);
extern "C" int __wrap_fclose(std::FILE* file);
int __wrap_fclose(std::FILE* file) {
  const bool bad = std::ferror(file) != 0;
  const int result = __real_fclose(file);
  muster::lockstep::failed += static_cast<unsigned>(bad || result != 0);
  return result;
}
// NOLINTEND(bugprone-reserved-identifier)
