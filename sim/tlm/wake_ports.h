// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// What the warps of a platform wait on, and what it is told of faults. A platform's warp has an
// sc_port of ReleaseIf and one of AnswerIf, bound to the exports of its BarrierUnit.
#ifndef MUSTER_SIM_TLM_WAKE_PORTS_H_
#define MUSTER_SIM_TLM_WAKE_PORTS_H_

#include <cstdint>
#include <systemc>

#include "sim/isa/fault.h"
#include "sim/isa/mbarrier_operation.h"
#include "sim/isa/operation.h"

namespace muster::tlm {

// The end of a wait at a named barrier.
struct Release {
  std::uint8_t cta = 0;           // CTA slot
  std::uint8_t bar = 0;           // barrier id
  BarKind kind = BarKind::kIdle;  // kSync: without a result; kIdle: the warp was never released
  std::uint32_t value = 0;        // POPC: a count of lanes; AND, OR: 0 or 1

  bool predicate() const { return value != 0; }  // of AND and OR
};

// Releases from named barriers (PTX 9.7.13.1). Warps are numbered by slot, from 0 to NumWarps - 1;
// another number is an error in the caller.
class ReleaseIf : public virtual sc_core::sc_interface {
 public:
  // Notified whenever the warp is released, at the time of the release.
  virtual const sc_core::sc_event& released(unsigned warp) const = 0;
  // Whether the warp waits: from the transport of its operation on, and until released() is
  // notified. So a warp that comes to wait() late misses nothing:
  //   while (port->waits(warp)) { wait(port->released(warp)); }
  virtual bool waits(unsigned warp) const = 0;
  // The latest release of the warp so far.
  virtual const Release& latest_release(unsigned warp) const = 0;
};

// The answer to a try_wait that was parked.
struct Answer {
  std::uint32_t lanes = 0;  // that were parked; 0: the warp was never answered
  bool complete = false;    // waitComplete; false: a time limit has passed, or the CTA has left
};

// Answers to parked waits at mbarriers (PTX 9.7.13.15.16). Likewise by warp slot.
class AnswerIf : public virtual sc_core::sc_interface {
 public:
  // Notified whenever parked lanes of the warp are answered, at the time of the answer.
  virtual const sc_core::sc_event& answered(unsigned warp) const = 0;
  // Whether lanes of the warp are parked: from the transport of the try_wait on, and until
  // answered() is notified.
  virtual bool parked(unsigned warp) const = 0;
  // The latest answer to the warp so far.
  virtual const Answer& latest_answer(unsigned warp) const = 0;
};

// An operation that was refused, or lanes of one. It has changed nothing.
struct Fault {
  FaultCause cause = FaultCause::kNone;
  std::uint8_t cta = 0;     // CTA slot
  std::uint8_t warp = 0;    // warp slot; of a warp's operations
  std::uint32_t lanes = 0;  // that are refused for this cause

  bool mbarrier = false;              // at an mbarrier; false: at a named barrier, or of the
                                      // CTA scheduler
  std::uint8_t bar = 0;               // named: barrier id
  MbSource source = MbSource::kWarp;  // mbarrier: whose operation
  std::uint32_t addr = 0;             // mbarrier: bytes from the start of the CTA's shared memory
};

}  // namespace muster::tlm

#endif  // MUSTER_SIM_TLM_WAKE_PORTS_H_
