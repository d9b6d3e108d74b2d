// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// What the writer of waveforms does not tell: that the disk is full, or a file as long as it may
// be.
#ifndef MUSTER_SIM_LOCKSTEP_WAVE_GUARD_H_
#define MUSTER_SIM_LOCKSTEP_WAVE_GUARD_H_

#include <string>

namespace muster::lockstep {

// There while a waveform is written. The writer maps temporary files, and does not look at what its
// calls return: where it fails by a signal (SIGBUS), the program ends with a sentence and exit code
// 2; what it could not write is found as it closes its files. A waveform that is cut is removed.
class WaveGuard {
 public:
  explicit WaveGuard(std::string path);
  WaveGuard(const WaveGuard&) = delete;
  WaveGuard& operator=(const WaveGuard&) = delete;
  ~WaveGuard();

  // The writer has closed the file: a sentence that says what is wrong, or nothing.
  std::string Close();

 private:
  const std::string path_;
  const unsigned failed_before_;
};

}  // namespace muster::lockstep

#endif  // MUSTER_SIM_LOCKSTEP_WAVE_GUARD_H_
