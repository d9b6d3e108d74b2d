// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Input and output files of commands on many manifests.
#ifndef MUSTER_SIM_APP_SUITE_FILES_H_
#define MUSTER_SIM_APP_SUITE_FILES_H_

#include <string>
#include <vector>

namespace muster::app {

// Returns the manifests named, and those below the directories named, in order. Throws
// ptx::InputError if there is none.
std::vector<std::string> ManifestsBelow(const std::vector<std::string>& paths);

// Returns the names of manifests in reports: that of the file, with those of as many folders as it
// takes to tell it from the others ("stage_reused_too_early/wrong").
std::vector<std::string> NamesOf(const std::vector<std::string>& manifests);

// Checks that the output files with a name can be written, and that none is an input of the
// manifests. Throws ptx::InputError.
void CheckSuiteOutputs(const std::vector<std::string>& manifests,
                       const std::vector<std::string>& outputs);

// A row of a JUnit file.
struct TestCase {
  enum class Result { kPassed, kFailed, kSkipped };

  std::string name;
  double seconds = 0;
  Result result = Result::kPassed;
  std::string message;  // empty if the kernel passed
  std::string text;
};
std::string JUnit(const std::vector<TestCase>& cases);

}  // namespace muster::app

#endif  // MUSTER_SIM_APP_SUITE_FILES_H_
