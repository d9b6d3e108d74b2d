// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// A GPC as a plain C++ class: the pins of its units, of the atomics and warp scopes beside them and
// of the cluster scope, and what passes between these inside; nothing of Verilator.
#ifndef MUSTER_SIM_LOCKSTEP_GPC_DUT_H_
#define MUSTER_SIM_LOCKSTEP_GPC_DUT_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/isa/cluster_operation.h"
#include "sim/isa/config.h"
#include "sim/isa/mbarrier_operation.h"
#include "sim/lockstep/atomics_dut.h"
#include "sim/lockstep/dut.h"
#include "sim/lockstep/warp_dut.h"
#include "sim/port/atomic_pins.h"
#include "sim/port/cluster_pins.h"
#include "sim/port/warp_pins.h"

namespace muster::lockstep {

// The parameters of muster_gpc.
struct GpcShape {
  Config unit;  // by the name of the GPC
  WarpShape warps;
  std::optional<AtomicsShape> atomics;
  ClusterConfig cluster;
};

// What passes inside, as the ports of either end show it: at those of the atomics.
struct AtomicCrossing {
  bool remote_valid = false;
  bool remote_ready = false;
  AtomicUpdate remote;
  bool remote_busy = false;
  bool response_valid = false;  // to the core, or to another unit
  bool response_ready = false;
  AtomicResponse response;
};

// At the others.
struct GpcCrossing {
  // At the ports of the unit.
  bool async_valid = false;
  bool async_ready = false;
  bool remote_valid = false;
  bool remote_ready = false;
  MbOperation async;
  MbOperation remote;
  // At the ports of the cluster scope: the same of `ready`.
  bool network_ready = false;
  bool complete_ready = false;
  AtomicCrossing atomics;
};

// The unit's own pins, as its checker wants them; the GPC settles and clocks them all at once.
class GpcPort final : public Dut {
 public:
  void Settle() override {}
  void Clock() override {}
  void OpenTrace(const std::string& /*path*/, std::uint64_t /*cycle*/) override {}
  void CloseTrace() override {}
};

struct GpcUnitPins {
  Dut* port = nullptr;  // in.mb.async is the copy engine's, and in.mb.remote has no meaning
  WarpInputs warp_in;   // `busy` has no meaning
  WarpOutputs warp_out;
  AtomicInputs atomic_in;
  AtomicOutputs atomic_out;
  GpcCrossing crossing;
};

// A cycle's worth.
struct GpcPins {
  bool reset = false;  // all pins of a cycle in reset have no meaning
  bool gated = false;  // the cycle ends without a clock edge
  std::vector<GpcUnitPins> units;
  ClusterInputs cluster_in;  // remote_ready and complete_ready have no meaning
  ClusterOutputs cluster_out;
};

// A cycle is: change the inputs; Settle(); perhaps both again; Clock().
class GpcDut {
 public:
  GpcDut() = default;
  GpcDut(const GpcDut&) = delete;
  GpcDut& operator=(const GpcDut&) = delete;
  virtual ~GpcDut() = default;

  GpcPins pins;
  std::vector<std::unique_ptr<Dut>> ports;  // of the units; the pins refer to them

  virtual const GpcShape& shape() const = 0;
  // Drives the inputs with the clock low, and sets the outputs.
  virtual void Settle() = 0;
  virtual void Clock() = 0;

  // As of Dut.
  virtual void OpenTrace(const std::string& path, std::uint64_t cycle) = 0;
  virtual void CloseTrace() = 0;
};

// The GPC that this program has, Verilated and out of reset.
std::unique_ptr<GpcDut> MakeGpc(const PowerUp& power_up);
const char* GpcName();
bool GpcHasAtomics();
unsigned GpcRanks();  // CTAs of a cluster, at most

}  // namespace muster::lockstep

#endif  // MUSTER_SIM_LOCKSTEP_GPC_DUT_H_
