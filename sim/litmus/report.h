// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The answer to a litmus test in words, and as JSON.
#ifndef MUSTER_SIM_LITMUS_REPORT_H_
#define MUSTER_SIM_LITMUS_REPORT_H_

#include <nlohmann/json.hpp>
#include <string>

#include "sim/litmus/answer.h"
#include "sim/litmus/test.h"

namespace muster::litmus {

class Report {
 public:
  Report(const Test& test, const Answer& answer) : test_(test), answer_(answer) {}

  std::string Text() const;
  nlohmann::ordered_json Json() const;

 private:
  std::string Heading() const;
  std::string Question() const;
  // "P0 st.weak x, 1 (line 9)", or "the initial contents of x".
  std::string EventText(const Witness& witness, unsigned event) const;
  std::string EffectText(const Execution& execution, unsigned event) const;
  std::string ExecutionText(const Witness& witness) const;
  // What of an execution contradicts the axiom.
  std::string Reason(const Refusal& refusal) const;
  std::string StuckText() const;
  std::string LassoText() const;
  std::string MemoryName(unsigned memory) const;
  nlohmann::ordered_json ExecutionJson(const Witness& witness) const;

  const Test& test_;
  const Answer& answer_;
};

}  // namespace muster::litmus

#endif  // MUSTER_SIM_LITMUS_REPORT_H_
