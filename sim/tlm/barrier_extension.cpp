// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/tlm/barrier_extension.h"

namespace muster::tlm {

::tlm::tlm_extension_base* BarrierExtension::clone() const { return new BarrierExtension(*this); }

void BarrierExtension::copy_from(const ::tlm::tlm_extension_base& other) {
  *this = static_cast<const BarrierExtension&>(other);
}

void BarrierExtension::Clear() {
  operations_.clear();
  events_.clear();
  refusal_.clear();
}

void BarrierExtension::Add(const Operation& operation) {
  operations_.push_back(operation);
  if (effects_.size() < operations_.size()) {
    effects_.emplace_back();
  }
}

void BarrierExtension::Add(const MbOperation& operation) {
  MbEvent event;
  event.operation = operation;
  Add(event);
}

void BarrierExtension::Add(const MbEvent& event) {
  events_.push_back(event);
  if (mb_effects_.size() < events_.size()) {
    mb_effects_.emplace_back();
  }
}

BarrierTransaction::BarrierTransaction(std::uint64_t address) : address_(address) {
  payload_.set_extension(&extension_);
}

// A payload deletes the extensions that it still has.
BarrierTransaction::~BarrierTransaction() { payload_.clear_extension(&extension_); }

::tlm::tlm_generic_payload& BarrierTransaction::Prepared() {
  payload_.set_command(::tlm::TLM_IGNORE_COMMAND);
  payload_.set_address(address_);
  payload_.set_data_ptr(nullptr);
  payload_.set_data_length(0);
  payload_.set_streaming_width(1);
  payload_.set_byte_enable_ptr(nullptr);
  payload_.set_dmi_allowed(false);
  payload_.set_response_status(::tlm::TLM_INCOMPLETE_RESPONSE);
  return payload_;
}

}  // namespace muster::tlm
