// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/lockstep/unit_log.h"

#include <cstddef>
#include <string>
#include <vector>

#include "sim/isa/mbarrier_operation.h"
#include "sim/lockstep/files.h"

namespace muster::lockstep {

UnitLog::UnitLog(const Config& config, const Options& options, int number)
    : options_(options), writer_(Numbered(options.log, number), config.name, options.seed) {}

void UnitLog::Write(std::uint64_t cycle, const Commits& commits, const MbChecker& mb_checker,
                    const tlm::BarrierExtension& done, const Driver& driver) {
  const std::vector<MbEvent>& events = mb_checker.events();
  for (std::size_t i = 0; i < events.size(); ++i) {
    writer_.Write(mb_checker.CycleOf(events[i], cycle), events[i], done.mb_effects()[i],
                  PlaceOf(driver.LineOf(events[i])));
  }
  for (unsigned i = 0; i < commits.count; ++i) {
    writer_.Write(cycle, commits.operations[i], done.effects()[i],
                  PlaceOf(driver.LineOf(commits.operations[i])));
  }
}

// Returns what the log says of a line of the program, or an empty text.
std::string UnitLog::PlaceOf(std::uint32_t line) const {
  return line != 0 && options_.place ? options_.place(line) : "";
}

}  // namespace muster::lockstep
