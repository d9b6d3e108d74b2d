// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// What a TLM-2.0 transaction to a muster::tlm::BarrierUnit carries, and a transaction that carries
// it.
#ifndef MUSTER_SIM_TLM_BARRIER_EXTENSION_H_
#define MUSTER_SIM_TLM_BARRIER_EXTENSION_H_

#include <cstdint>
#include <string>
#include <tlm>
#include <vector>

#include "sim/isa/effects.h"
#include "sim/isa/mbarrier_operation.h"
#include "sim/isa/operation.h"

namespace muster::tlm {

// An ignorable extension of the generic payload (TLM-2.0 LRM, "Extensions"): interconnect passes it
// on without knowing it. The initiator puts in what is asked of the unit in one cycle; when
// b_transport returns with TLM_OK_RESPONSE, the effects are in it. One object serves any number of
// transactions, one after the other: Clear() keeps its memory.
//
// In a transaction all events of mbarriers are carried out first, then all operations at named
// barriers, each in the order in which they were added.
class BarrierExtension : public ::tlm::tlm_extension<BarrierExtension> {
 public:
  // A copy of everything, effects included, that the caller owns.
  ::tlm::tlm_extension_base* clone() const override;
  // Makes this one equal to `other`, which is a BarrierExtension.
  void copy_from(const ::tlm::tlm_extension_base& other) override;

  // Nothing is asked, and there are no effects.
  void Clear();

  // Asks for an operation at a named barrier, or one of the CTA scheduler.
  void Add(const Operation& operation);
  // Asks for an operation of a group of lanes at an mbarrier.
  void Add(const MbOperation& operation);
  // Tells of whatever else may happen to mbarriers: an ordinary store, a restore, and, to a unit
  // with Timing::kTold, time limits that have passed and CTAs that leave.
  void Add(const MbEvent& event);

  // What was asked, by number in order of Add().
  unsigned operation_count() const { return static_cast<unsigned>(operations_.size()); }
  const Operation& operation(unsigned number) const { return operations_[number]; }
  unsigned event_count() const { return static_cast<unsigned>(events_.size()); }
  const MbEvent& event(unsigned number) const { return events_[number]; }

  // What it did: an element for each of these. Faults and responses (Rd and pu of B2R, tokens and
  // the answers of waits) are members of the effects. They mean nothing before the unit has
  // answered TLM_OK_RESPONSE.
  const Effects* effects() const { return effects_.data(); }
  const MbEffects* mb_effects() const { return mb_effects_.data(); }

  // After TLM_GENERIC_ERROR_RESPONSE: what is wrong, in a sentence. Else empty.
  const std::string& refusal() const { return refusal_; }

 private:
  friend class BarrierUnit;

  std::vector<Operation> operations_;
  std::vector<MbEvent> events_;
  std::vector<Effects> effects_;       // at least as many as operations
  std::vector<MbEffects> mb_effects_;  // at least as many as events
  std::string refusal_;
};

// A generic payload that carries a BarrierExtension of its own, for an initiator that keeps it:
// both live as long as this object, which no memory manager needs to know of.
class BarrierTransaction {
 public:
  // `address`: that of the unit in the memory map of the platform.
  explicit BarrierTransaction(std::uint64_t address = 0);
  BarrierTransaction(const BarrierTransaction&) = delete;
  BarrierTransaction& operator=(const BarrierTransaction&) = delete;
  ~BarrierTransaction();

  // What is asked and what it did. Clear() it before other things are asked.
  BarrierExtension& extension() { return extension_; }
  const BarrierExtension& extension() const { return extension_; }

  // The payload with all its attributes as an initiator must set them before each b_transport
  // (LRM, "Default values and modifiability of attributes").
  ::tlm::tlm_generic_payload& Prepared();
  // Whether the target has answered TLM_OK_RESPONSE.
  bool ok() const { return payload_.is_response_ok(); }

 private:
  std::uint64_t address_;
  BarrierExtension extension_;
  ::tlm::tlm_generic_payload payload_;
};

}  // namespace muster::tlm

#endif  // MUSTER_SIM_TLM_BARRIER_EXTENSION_H_
