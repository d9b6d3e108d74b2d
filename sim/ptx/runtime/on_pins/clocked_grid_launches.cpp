// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The grid's part in launches that overlap: when the next one begins, and when one is over.
#include <algorithm>

#include "sim/isa/bits.h"
#include "sim/ptx/runtime/on_pins/clocked_grid.h"

namespace muster::ptx {
namespace {

// From the time when a launch may begin: "There is no guarantee that the dependent will launch
// before the completion of the current grid."
constexpr std::uint32_t kMaxLaunchDelay = 256;  // cycles

}  // namespace

void ClockedGrid::FollowLaunches(std::uint64_t cycle) {
  if (launch_.programmatic.empty()) {
    return;
  }
  const ClusterPins& pins = *cluster_port_->pins();
  for (std::size_t i = 0, known = announced(); i < known; ++i) {
    if (!IsOver(i) && (pins.out.flush & pins.in.flushed & Bit(GridOf(i))) != 0) {
      EndLaunch(i);
    }
  }
  const std::size_t next = clusters_.NextLaunch();
  if (next != beginning_ && clusters_.IsFirst() && LaunchMayBegin()) {
    beginning_ = next;
    begins_at_ = replay_ == nullptr ? cycle + random_.Below(kMaxLaunchDelay) : cycle;
  }
}

// What a grid has done to memory is performed when its transfers are done.
std::uint8_t ClockedGrid::Flushed() const {
  auto flushed = static_cast<std::uint8_t>(~0U);
  for (std::size_t i = 0; i < announced() && !launch_.programmatic.empty(); ++i) {
    const bool flies = std::any_of(machines_.begin(), machines_.end(), [&](const auto& machine) {
      return machine->engine().HasOf(launch_.At(i));
    });
    if (!IsOver(i) && flies) {
      flushed = static_cast<std::uint8_t>(flushed & ~Bit(GridOf(i)));
    }
  }
  return flushed;
}

// The outputs are those of grids whose launches the scope has accepted.
std::uint8_t ClockedGrid::Launchable() const {
  return cluster_port_->HasLives() ? std::uint8_t{0} : cluster_port_->out().launch;
}

}  // namespace muster::ptx
