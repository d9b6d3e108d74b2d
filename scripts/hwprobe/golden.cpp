// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The probe's scripts on the golden model: what it decided, in the form of the probe's output.
#include <cstdio>
#include <string>
#include <vector>

#include "scripts/hwprobe/report.h"
#include "sim/golden/mbarrier.h"
#include "sim/golden/model.h"
#include "sim/isa/config.h"
#include "sim/isa/mbarrier_operation.h"
#include "sim/isa/operation.h"

namespace muster::hwprobe {
namespace {

MbOperation Operation(const Step& step, const std::vector<Record>& before) {
  MbOperation operation;
  operation.op =
      step.op == Op::kCopyArriveNoInc ? MbOp::kCopyArriveNoInc : static_cast<MbOp>(step.op);
  operation.lanes = step.lanes == 32 ? ~0U : (1U << step.lanes) - 1;
  operation.has_token = IsMbArrival(operation.op);
  if (!IsMbWait(operation.op)) {
    operation.operand = step.operand;
  } else if (step.op == Op::kTestWait || step.op == Op::kTryWait) {
    operation.phase = before[step.operand].first >> 63 != 0;
  } else {
    operation.phase = (step.operand & 1) != 0;
  }
  return operation;
}

Finding Run(const Scenario& scenario) {
  golden::Model core(*FindConfig("small"));
  core.Reset();
  muster::Operation launch;
  launch.kind = OpKind::kLaunch;
  launch.size = 1;
  launch.warps = 1;
  launch.lanes = ~0U;
  core.Step(launch);
  golden::Mbarriers mbarriers(core, FindConfig("small")->smem_bytes);
  mbarriers.Reset();

  Finding finding;
  for (const Step& step : scenario.steps) {
    const MbOperation operation = Operation(step, finding.records);
    const MbEffects effects = mbarriers.Step(operation);
    const unsigned last = step.lanes - 1;
    std::string refused;
    for (unsigned lane = 0; lane < step.lanes && refused.empty(); ++lane) {
      refused = effects.fault[lane] == FaultCause::kNone ? "" : Name(effects.fault[lane]);
    }
    const bool copies = operation.op == MbOp::kCopyArrive || operation.op == MbOp::kCopyArriveNoInc;
    if (copies && refused.empty()) {  // nothing is copied: its arrive-on comes at once
      MbOperation arrive_on;
      arrive_on.source = MbSource::kAsync;
      arrive_on.lanes = 1;
      arrive_on.operand = 1;
      mbarriers.Step(arrive_on);
    }
    Record record = {};
    record.word = mbarriers.Word(0, 0);
    const auto value = [&](unsigned lane) {
      return IsMbWait(operation.op) ? effects.complete >> lane & 1 : effects.token[lane];
    };
    record.first = value(0);
    record.last = value(last);
    finding.records.push_back(record);
    finding.refused.push_back(refused);
  }
  return finding;
}

}  // namespace
}  // namespace muster::hwprobe

int main() {
  std::printf("{\n  \"kind\": \"golden\",\n  \"device\": \"Muster's golden model\",\n");
  std::vector<muster::hwprobe::Finding> findings;
  for (const auto& scenario : muster::hwprobe::Scenarios()) {
    findings.push_back(muster::hwprobe::Run(scenario));
  }
  muster::hwprobe::PrintFindings(findings);
  std::printf("\n}\n");
}
