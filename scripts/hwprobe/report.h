// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// What was found, as JSON: one form for hardware and for the golden model, so that they compare.
#ifndef MUSTER_SCRIPTS_HWPROBE_REPORT_H_
#define MUSTER_SCRIPTS_HWPROBE_REPORT_H_

#include <cstdio>
#include <string>
#include <vector>

#include "scripts/hwprobe/scenarios.h"

namespace muster::hwprobe {

// Of a scenario: as many records as steps were done.
struct Finding {
  std::vector<Record> records;
  std::vector<std::string> refused;  // golden model: by step the fault's cause, or nothing
  std::string error;                 // hardware: what ended the run
};

inline const char* Name(Op op) {
  static const char* const kNames[] = {"init",
                                       "inval",
                                       "arrive",
                                       "arrive.noComplete",
                                       "arrive.expect_tx",
                                       "arrive_drop",
                                       "arrive_drop.noComplete",
                                       "arrive_drop.expect_tx",
                                       "expect_tx",
                                       "complete_tx",
                                       "test_wait",
                                       "test_wait.parity",
                                       "try_wait",
                                       "try_wait.parity",
                                       "cp.async.mbarrier.arrive",
                                       "cp.async.mbarrier.arrive.noinc"};
  return kNames[static_cast<unsigned>(op)];
}

inline const char* Name(Timed what) {
  static const char* const kNames[] = {"bar.sync",
                                       "bar.arrive",
                                       "bar.red.popc",
                                       "mbarrier.arrive by a lane of each warp",
                                       "mbarrier.arrive by all lanes",
                                       "mbarrier.test_wait, not complete",
                                       "mbarrier.try_wait, complete",
                                       "mbarrier.arrive and try_wait by a lane of each warp",
                                       "barrier.cluster, arrive and wait"};
  return kNames[static_cast<unsigned>(what)];
}

inline void PrintFinding(const Scenario& scenario, const Finding& finding, bool last) {
  std::printf("    {\"name\": \"%s\", \"question\": \"%s\", \"error\": \"%s\", \"steps\": [",
              scenario.name, scenario.question, finding.error.c_str());
  for (std::size_t i = 0; i < finding.records.size(); ++i) {
    const Step& step = scenario.steps[i];
    const Record& record = finding.records[i];
    std::printf(
        "%s\n      {\"do\": \"%s %u\", \"lanes\": %u, \"word\": \"0x%016llx\", "
        "\"first\": \"0x%llx\", \"last\": \"0x%llx\"",
        i == 0 ? "" : ",", Name(step.op), step.operand, step.lanes, record.word, record.first,
        record.last);
    if (!finding.refused.empty() && !finding.refused[i].empty()) {
      std::printf(", \"refused\": \"%s\"", finding.refused[i].c_str());
    }
    std::printf("}");
  }
  std::printf("]}%s\n", last ? "" : ",");
}

// The scenarios, by their numbers.
inline void PrintFindings(const std::vector<Finding>& findings) {
  std::printf("  \"scenarios\": [\n");
  for (std::size_t i = 0; i < findings.size(); ++i) {
    PrintFinding(Scenarios()[i], findings[i], i + 1 == findings.size());
  }
  std::printf("  ]");
}

}  // namespace muster::hwprobe

#endif  // MUSTER_SCRIPTS_HWPROBE_REPORT_H_
