// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// What commands on many manifests read and write.
#ifndef MUSTER_SIM_APP_SUITE_FILES_H_
#define MUSTER_SIM_APP_SUITE_FILES_H_

#include <string>
#include <vector>

namespace muster::app {

// The manifests named, and those below the directories named, in order. Throws ptx::InputError
// where there is none.
std::vector<std::string> ManifestsBelow(const std::vector<std::string>& paths);

// The output files, those of them that have a name, can be written and are none that the manifests
// are made of. Throws ptx::InputError.
void CheckSuiteOutputs(const std::vector<std::string>& manifests,
                       const std::vector<std::string>& outputs);

// A row of a JUnit file.
struct TestCase {
  enum class Result { kPassed, kFailed, kSkipped };

  std::string name;
  double seconds = 0;
  Result result = Result::kPassed;
  std::string message;  // of one that has not passed
  std::string text;
};
std::string JUnit(const std::vector<TestCase>& cases);

}  // namespace muster::app

#endif  // MUSTER_SIM_APP_SUITE_FILES_H_
