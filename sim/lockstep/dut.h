// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// A unit as a plain C++ class: pins in, pins out, nothing of Verilator.
#ifndef MUSTER_SIM_LOCKSTEP_DUT_H_
#define MUSTER_SIM_LOCKSTEP_DUT_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sim/isa/config.h"
#include "sim/isa/operation.h"
#include "sim/lockstep/power_up.h"
#include "sim/port/pins.h"

namespace muster::lockstep {

// A cycle is: write in; Settle(); read out; Clock().
class Dut {
 public:
  Dut() = default;
  Dut(const Dut&) = delete;
  Dut& operator=(const Dut&) = delete;
  virtual ~Dut() = default;

  Inputs in;
  Outputs out;
  std::string lost;  // why the unit cannot be reached, or empty; `out` is meaningless then

  // Drives `in` with the clock low, and copies the settled outputs to `out`: a payload only when
  // its valid bit is set.
  virtual void Settle() = 0;
  // The rising clock edge, unless `in` says that it is gated.
  virtual void Clock() = 0;

  // Runs so many cycles, and so many of the mbarriers, with the pins of the one before, in which
  // nothing is presented; `out` stays as it is.
  virtual bool CanCatchUp() const { return false; }
  virtual void CatchUp(std::uint64_t /*cycles*/, std::uint64_t /*mb_cycles*/) {}

  // Writes an FST of everything from now on, if WritesWaveforms(); `cycle` is the current one on
  // its time axis.
  virtual void OpenTrace(const std::string& path, std::uint64_t cycle) = 0;
  virtual void CloseTrace() = 0;
};

// Returns a Verilated unit of the configuration, out of reset; null if this program has none of
// that name.
std::unique_ptr<Dut> MakeDut(const Config& config, const PowerUp& power_up = {});
// The configurations of which it has one.
std::vector<std::string_view> UnitNames();
bool HasUnit(const Config& config);

// Whether the units of this program can (MUSTER_TRACE of CMake).
bool WritesWaveforms();

// The SystemVerilog assertion that failed first since the latest MakeDut or ForgetAssertion.
struct Assertion {
  std::string at;     // file and line; empty: none has failed
  std::string scope;  // "u_muster.u_cta.IssueHeld"
  std::string says;   // its sentence, or that it has none
};
const Assertion& FailedAssertion();
void ForgetAssertion();

// On the time axis of a trace: nanoseconds per cycle. The rising edge is in the middle.
inline constexpr unsigned kCycleNs = 10;

}  // namespace muster::lockstep

#endif  // MUSTER_SIM_LOCKSTEP_DUT_H_
