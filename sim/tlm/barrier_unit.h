// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The barrier unit as a SystemC TLM-2.0 module: the golden model (sim/golden) behind a target
// socket, loosely timed and temporally decoupled, without a clock. What an operation does is what
// the ISA texts say (/sim/golden/README.md has the readings); when it does so are the latencies
// that rtl/README.md and rtl/mbarrier/README.md publish.
#ifndef MUSTER_SIM_TLM_BARRIER_UNIT_H_
#define MUSTER_SIM_TLM_BARRIER_UNIT_H_

#include <tlm_utils/simple_target_socket.h>

#include <array>
#include <cstdint>
#include <map>
#include <systemc>
#include <tlm>

#include "sim/golden/mbarrier.h"
#include "sim/golden/model.h"
#include "sim/isa/config.h"
#include "sim/isa/effects.h"
#include "sim/isa/latency.h"
#include "sim/isa/mbarrier_operation.h"
#include "sim/isa/operation.h"
#include "sim/tlm/barrier_extension.h"
#include "sim/tlm/debug_map.h"
#include "sim/tlm/publisher.h"
#include "sim/tlm/wake_ports.h"

namespace muster::tlm {

// An interface to what knows when things happen.
enum class Timing {
  // The unit does, as in a virtual platform. The initiator's local time is that of acceptance, to
  // which the unit adds its latencies; it answers parked waits false at their time limits, and when
  // their CTA leaves its slot.
  kModelled,
  // The initiator does, as the lockstep harness, which sees the Verilated unit. Its local time is
  // that of commit, and it sends MbEvents of the kinds kExpire and kLeave.
  kTold,
};

// Operations take effect when they are transported, in the order of transport, whatever the local
// times of their initiators are. If initiators run ahead of SystemC's time by quantum keepers, that
// order may differ from that of their local times, by as much as their quantum. What is promised
// then: an operation at a barrier or at an mbarrier commits no earlier than those transported
// before it that have changed that barrier or mbarrier. So no warp is released, and no wait is
// answered true, before any arrival that this takes. An initiator that wants the order of local
// times synchronizes before it transports (tlm_quantumkeeper::sync).
//
// The unit calls neither wait() nor sc_start(), and defines no sc_main. Several units in one
// simulation share nothing.
class BarrierUnit : public sc_core::sc_module {
 public:
  // A unit of the configuration `config`, whose member clock_period_ps is the length of a cycle
  // here. Misuse is refused and reported in every configuration, in one without `faults` too.
  BarrierUnit(const sc_core::sc_module_name& name, const Config& config,
              Timing timing = Timing::kModelled);

  // b_transport takes transactions with the command TLM_IGNORE_COMMAND, the address 0, no data and
  // a BarrierExtension. They are carried out whole or not at all:
  //   TLM_OK_RESPONSE           carried out. The effects are in the extension, and the delay has
  //                             grown to the time at which the unit shows the last of them: the
  //                             fault, the response, the release, or, of what has none, the time at
  //                             which a fault would have been shown.
  //   TLM_COMMAND_ERROR_RESPONSE      a read, a write, or no extension
  //   TLM_ADDRESS_ERROR_RESPONSE      another address
  //   TLM_BYTE_ENABLE_ERROR_RESPONSE  byte enables
  //   TLM_BURST_ERROR_RESPONSE        data
  //   TLM_GENERIC_ERROR_RESPONSE      something is asked for that no core may present to this unit;
  //                                   the extension's refusal() says what
  // After an error the delay is as it was. A fault is not an error: it is an effect. No data
  // pointer is ever followed, but by transport_dbg.
  //
  // transport_dbg reads what debug_map.h lays out, and changes nothing. It returns the number of
  // bytes read: fewer than asked for where they leave the map, 0 for another command than
  // TLM_READ_COMMAND.
  tlm_utils::simple_target_socket<BarrierUnit> socket;

  // Who may run again, and when (wake_ports.h).
  sc_core::sc_export<ReleaseIf> releases;
  sc_core::sc_export<AnswerIf> answers;
  // Each operation that is refused, at the time at which the unit shows the fault. Lanes of one
  // operation that are refused for different causes are reported apart.
  ::tlm::tlm_analysis_port<Fault> faults;

  // Everything as after power-up: no CTA is resident, and what was not shown yet never will be. A
  // warp that waits is not woken. May be called at any time, but not from within b_transport.
  void Reset();

  // What the unit knows at this moment, ahead of what it has shown: for reports and checks.
  const golden::Model& model() const { return model_; }
  const golden::Mbarriers& mbarriers() const { return mbarriers_; }

 private:
  // A parked warp: since which commit, until which limit, and at which word.
  struct Parked {
    sc_core::sc_time since;
    sc_core::sc_time limit;
    std::uint8_t cta = 0;
    std::uint32_t addr = 0;
  };

  // The latencies that most operations add to their local time.
  struct Delays {
    sc_core::sc_time effect;
    sc_core::sc_time response;
    sc_core::sc_time mb_wake;
    sc_core::sc_time mb_fault;
    sc_core::sc_time mb_response;
  };

  void Transport(::tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  unsigned TransportDebug(::tlm::tlm_generic_payload& payload);

  // Carries out what was given at a local time; returns when the last of its effects is shown.
  sc_core::sc_time CarryOut(const Operation& operation, const sc_core::sc_time& given,
                            Effects* effects);
  sc_core::sc_time CarryOut(const MbEvent& event, const sc_core::sc_time& given,
                            MbEffects* effects);
  void Leave(const Operation& operation, const sc_core::sc_time& commit, Effects* effects);
  void Park(const MbOperation& operation, const sc_core::sc_time& commit);
  void ReportFaults(const MbOperation& operation, const MbEffects& effects,
                    const sc_core::sc_time& at);

  // Answers false whoever waits at the word and has a limit before `commit`.
  void ExpireBefore(const sc_core::sc_time& commit, unsigned cta, std::uint32_t addr);
  void ForgetLimits();
  void Expire(unsigned warp);
  void ExpireDue();

  sc_core::sc_time Cycles(std::uint64_t count) const;

  const Config config_;
  const Latency latency_;
  const Timing timing_;
  const sc_core::sc_time cycle_;
  const Delays delays_;
  golden::Model model_;
  golden::Mbarriers mbarriers_;
  DebugMap debug_map_;
  Publisher publisher_;

  // With Timing::kModelled: the latest commit that changed a barrier, and a word of an mbarrier.
  std::array<std::array<sc_core::sc_time, kNumBars>, kMaxCtas> changed_;
  std::array<std::map<std::uint32_t, sc_core::sc_time>, kMaxCtas> mb_changed_;
  std::array<Parked, kMaxWarps> parked_;
  sc_core::sc_event limit_due_;
};

}  // namespace muster::tlm

#endif  // MUSTER_SIM_TLM_BARRIER_UNIT_H_
