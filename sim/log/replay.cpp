// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/log/replay.h"

#include <fmt/format.h>

#include <cstddef>
#include <string>

#include "sim/golden/mbarrier.h"
#include "sim/golden/model.h"
#include "sim/isa/mbarrier_operation.h"
#include "sim/isa/operation.h"
#include "sim/log/log.h"
#include "sim/log/members.h"

namespace muster::log {
namespace {

constexpr std::size_t kMaxReports = 10;

}  // namespace

Replayed Replay(const std::string& path) {
  Replayed replayed;
  LogReader reader(path);
  if (reader.config() != nullptr) {
    golden::Model model(*reader.config());
    golden::Mbarriers mbarriers(model, reader.config()->smem_bytes, reader.config()->report);
    LogLine record;
    while (reader.Next(&record)) {
      ++replayed.operations;
      std::string text;
      if (record.reset) {
        model.Reset();
        mbarriers.Reset();
      } else if (record.of_mbarriers) {
        text = Differences(record.mb_effects, mbarriers.Do(record.event));
      } else {
        text = Differences(record.effects, model.Step(record.operation));
      }
      if (!text.empty() && ++replayed.differences <= kMaxReports) {
        replayed.reports.push_back(
            fmt::format("{}:{}: cycle {}, {}{}: {}.", path, reader.line(), record.cycle,
                        record.of_mbarriers ? Describe(record.event) : Describe(record.operation),
                        record.place.empty() ? "" : fmt::format(" ({})", record.place), text));
      }
    }
  }
  replayed.error = reader.error();
  return replayed;
}

}  // namespace muster::log
