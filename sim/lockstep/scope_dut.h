// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// A scope beside the unit as a plain C++ class: pins in, pins out, nothing of Verilator.
#ifndef MUSTER_SIM_LOCKSTEP_SCOPE_DUT_H_
#define MUSTER_SIM_LOCKSTEP_SCOPE_DUT_H_

#include <cstdint>
#include <string>

namespace muster::lockstep {

// A cycle is: Settle; Clock.
template <typename ShapeOf, typename InputsOf, typename OutputsOf>
class ScopeDut {
 public:
  using Shape = ShapeOf;
  using Inputs = InputsOf;
  using Outputs = OutputsOf;

  ScopeDut() = default;
  ScopeDut(const ScopeDut&) = delete;
  ScopeDut& operator=(const ScopeDut&) = delete;
  virtual ~ScopeDut() = default;

  virtual const Shape& shape() const = 0;
  // Drives the inputs with the clock low, and returns the settled outputs. Those of a warp scope
  // have a payload only when its valid bit is set.
  virtual void Settle(const Inputs& in, Outputs* out) = 0;
  virtual void Clock() = 0;  // the rising edge
  virtual void Reset() = 0;

  // As of Dut. Cycles that were not clocked are told of by Skip.
  virtual void OpenTrace(const std::string& path, std::uint64_t cycle) = 0;
  virtual void Skip(std::uint64_t cycle) = 0;
  virtual void CloseTrace() = 0;
};

}  // namespace muster::lockstep

#endif  // MUSTER_SIM_LOCKSTEP_SCOPE_DUT_H_
