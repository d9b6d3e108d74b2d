// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// A small platform around one muster::tlm::BarrierUnit, put together anew for each test.
#ifndef MUSTER_TB_UNIT_TLM_FIXTURE_H_
#define MUSTER_TB_UNIT_TLM_FIXTURE_H_

#include <gtest/gtest.h>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/tlm_quantumkeeper.h>

#include <cstdint>
#include <cstdlib>
#include <functional>
#include <ostream>
#include <string>
#include <systemc>
#include <tlm>
#include <utility>
#include <vector>

#include "sim/isa/config.h"
#include "sim/isa/mbarrier_operation.h"
#include "sim/isa/operation.h"
#include "sim/lockstep/fresh_context.h"
#include "sim/tlm/barrier_extension.h"
#include "sim/tlm/barrier_unit.h"

namespace muster::tlm {

inline constexpr std::uint32_t kAllLanes = ~std::uint32_t{0};

// Cycles from acceptance to commit at mbarriers with a drain (rtl/mbarrier/README.md, Latency): of
// a warp's group, and of a copy engine's or another CTA's.
inline constexpr unsigned kWarpToCommit = 6;
inline constexpr unsigned kOtherToCommit = 5;

inline sc_core::sc_time Ns(double ns) { return {ns, sc_core::SC_NS}; }

Operation Launch(unsigned cta, std::uint64_t warps);
Operation Lifecycle(OpKind kind, unsigned cta, unsigned warp = 0);  // exit, join: all lanes
// Of CTA 0, with all lanes. `warps`: how many are expected, 0: all live ones.
Operation At(OpKind kind, unsigned warp, unsigned bar, unsigned warps = 0);
// Of lane 0 of a warp of CTA 0.
MbOperation At(MbOp op, unsigned warp, std::uint32_t addr, std::uint32_t operand);
// A try_wait.parity of lane 0, without a hint, or with one in nanoseconds.
MbOperation TryWait(unsigned warp, std::uint32_t addr, bool parity);
MbOperation TryWait(unsigned warp, std::uint32_t addr, bool parity, std::uint32_t hint);

// Before the members of a test's class that belong to SystemC.
struct Simulation {
  Simulation() {
    setenv("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE", "1", 0);
    sc_core::sc_report_handler::set_actions(sc_core::SC_ID_NO_SC_START_ACTIVITY_,
                                            sc_core::SC_DO_NOTHING);  // a test may run no process
  }
  lockstep::FreshContext context;
};

// An initiator whose processes are functions of the test.
class Core : public sc_core::sc_module {
 public:
  explicit Core(const sc_core::sc_module_name& name) : sc_core::sc_module(name), socket("socket") {}

  // Runs `body` as a thread of the simulation, from its beginning.
  void Start(std::function<void()> body) { sc_core::sc_spawn(std::move(body)); }

  // Sends one thing by a transaction of its own, at the sender's local time *delay, or at none. The
  // unit must take it.
  Effects Send(const Operation& operation, sc_core::sc_time* delay);
  Effects Send(const Operation& operation);
  MbEffects Send(const MbEvent& event, sc_core::sc_time* delay);
  MbEffects Send(const MbOperation& operation, sc_core::sc_time* delay);
  MbEffects Send(const MbOperation& operation);

  tlm_utils::simple_initiator_socket<Core> socket;
};

// Notes each time at which something is shown.
class Witness : public sc_core::sc_module, public ::tlm::tlm_analysis_if<Fault> {
 public:
  Witness(const sc_core::sc_module_name& name, BarrierUnit* unit, unsigned num_warps);

  struct Seen {
    sc_core::sc_time at;
    std::string what;  // "warp 3 released", "warp 3 answered true"
    bool operator==(const Seen& other) const { return at == other.at && what == other.what; }
  };
  // In the order of time, and of warps at one time: then there is none.
  std::vector<Seen> seen() const;
  struct SeenFault {
    sc_core::sc_time at;
    Fault fault;
  };
  std::vector<SeenFault> faults;

  void write(const Fault& fault) override { faults.push_back({sc_core::sc_time_stamp(), fault}); }

 private:
  std::vector<Seen> seen_;
};

std::ostream& operator<<(std::ostream& out, const Witness::Seen& seen);

// A unit, a core and a witness.
class Platform : public testing::Test, private Simulation {
 protected:
  explicit Platform(const char* config = "small", Timing timing = Timing::kModelled)
      : unit("unit", *FindConfig(config), timing),
        core("core"),
        witness("witness", &unit, FindConfig(config)->num_warps) {
    core.socket.bind(unit.socket);
  }

  using List = std::vector<Witness::Seen>;

  // A 32-bit and a 64-bit word as transport_dbg reads it.
  std::uint32_t Debug32(std::uint64_t address);
  std::uint64_t Debug64(std::uint64_t address);

  BarrierUnit unit;
  Core core;
  Witness witness;
};

}  // namespace muster::tlm

#endif  // MUSTER_TB_UNIT_TLM_FIXTURE_H_
