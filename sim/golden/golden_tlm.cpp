// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/golden/golden_tlm.h"

#include <new>
#include <systemc>
#include <tlm>

#include "sim/isa/config.h"
#include "sim/isa/effects.h"
#include "sim/isa/operation.h"

namespace muster::golden {
namespace {

// What is wrong with a payload, as TLM-2.0 names it.
tlm::tlm_response_status Check(const tlm::tlm_generic_payload& payload) {
  if (!payload.is_write()) {
    return tlm::TLM_COMMAND_ERROR_RESPONSE;
  }
  if (payload.get_address() != 0) {
    return tlm::TLM_ADDRESS_ERROR_RESPONSE;
  }
  if (payload.get_byte_enable_ptr() != nullptr) {
    return tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE;
  }
  if (payload.get_data_length() != sizeof(Batch) || payload.get_streaming_width() < sizeof(Batch)) {
    return tlm::TLM_BURST_ERROR_RESPONSE;
  }
  const auto* batch = reinterpret_cast<const Batch*>(payload.get_data_ptr());
  const bool complete =
      batch != nullptr &&
      (batch->count == 0 || (batch->operations != nullptr && batch->effects != nullptr)) &&
      (batch->event_count == 0 || (batch->events != nullptr && batch->event_effects != nullptr));
  return complete ? tlm::TLM_OK_RESPONSE : tlm::TLM_GENERIC_ERROR_RESPONSE;
}

}  // namespace

Target::Target(const sc_core::sc_module_name& name, const Config& config,
               const sc_core::sc_time& cycle)
    : sc_core::sc_module(name),
      socket("socket"),
      model_(config),
      mbarriers_(model_, config.smem_bytes),
      cycle_(cycle) {
  socket.register_b_transport(this, &Target::Transport);
}

void Target::Transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  payload.set_dmi_allowed(false);
  const tlm::tlm_response_status status = Check(payload);
  payload.set_response_status(status);
  if (status != tlm::TLM_OK_RESPONSE) {
    return;
  }
  const auto* batch = reinterpret_cast<const Batch*>(payload.get_data_ptr());
  for (unsigned i = 0; i < batch->event_count; ++i) {
    batch->event_effects[i] = mbarriers_.Do(batch->events[i]);
  }
  for (unsigned i = 0; i < batch->count; ++i) {
    new (&batch->effects[i]) Effects(model_.Step(batch->operations[i]));  // in place: no copy
  }
  delay += cycle_;
}

void Prepare(Batch* batch, tlm::tlm_generic_payload* payload) {
  payload->set_command(tlm::TLM_WRITE_COMMAND);
  payload->set_address(0);
  payload->set_data_ptr(reinterpret_cast<unsigned char*>(batch));
  payload->set_data_length(sizeof(Batch));
  payload->set_streaming_width(sizeof(Batch));
  payload->set_byte_enable_ptr(nullptr);
  payload->set_dmi_allowed(false);
  payload->set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
}

}  // namespace muster::golden
