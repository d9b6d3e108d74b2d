// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Detects errors that the writer of waveforms does not report: the disk is full, or a file has
// reached its size limit.
#ifndef MUSTER_SIM_LOCKSTEP_WAVE_GUARD_H_
#define MUSTER_SIM_LOCKSTEP_WAVE_GUARD_H_

#include <string>

namespace muster::lockstep {

// Exists while a waveform is written. The writer maps temporary files, and does not check what its
// calls return. If it fails by a signal (SIGBUS), the program ends with a sentence and exit code 2;
// other failed writes are found when it closes its files. An incomplete waveform is removed.
class WaveGuard {
 public:
  explicit WaveGuard(std::string path);
  WaveGuard(const WaveGuard&) = delete;
  WaveGuard& operator=(const WaveGuard&) = delete;
  ~WaveGuard();

  // Called when the writer has closed the file. Returns a sentence that names the error, or
  // nothing.
  std::string Close();

 private:
  const std::string path_;
  const unsigned failed_before_;
};

}  // namespace muster::lockstep

#endif  // MUSTER_SIM_LOCKSTEP_WAVE_GUARD_H_
