// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/tlm/platform/router.h"

#include "sim/tlm/debug_map.h"

namespace muster::platform {

Router::Router(const sc_core::sc_module_name& name)
    : sc_core::sc_module(name), from("from"), to_memory("to_memory"), to_unit("to_unit") {
  from.register_b_transport(this, &Router::Transport);
  from.register_transport_dbg(this, &Router::TransportDebug);
}

void Router::Transport(int /*id*/, ::tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  const std::uint64_t address = payload.get_address();
  if (address - kMemoryBase < kMemorySize) {
    payload.set_address(address - kMemoryBase);
    to_memory->b_transport(payload, delay);
  } else if (address - kUnitBase < tlm::DebugMap::kSize) {
    payload.set_address(address - kUnitBase);
    to_unit->b_transport(payload, delay);
  } else {
    payload.set_response_status(::tlm::TLM_ADDRESS_ERROR_RESPONSE);
  }
}

unsigned Router::TransportDebug(int /*id*/, ::tlm::tlm_generic_payload& payload) {
  const std::uint64_t address = payload.get_address();
  if (address - kUnitBase >= tlm::DebugMap::kSize) {
    return 0;  // this memory cannot be looked into
  }
  payload.set_address(address - kUnitBase);
  return to_unit->transport_dbg(payload);
}

}  // namespace muster::platform
