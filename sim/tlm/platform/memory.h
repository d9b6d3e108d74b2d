// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The data part of a CTA's shared memory: an ordinary loosely-timed target.
#ifndef MUSTER_SIM_TLM_PLATFORM_MEMORY_H_
#define MUSTER_SIM_TLM_PLATFORM_MEMORY_H_

#include <tlm_utils/simple_target_socket.h>

#include <cstring>
#include <systemc>
#include <tlm>
#include <vector>

namespace muster::platform {

class Memory : public sc_core::sc_module {
 public:
  // `bytes` of memory, all zero, each access to which takes `latency`.
  Memory(const sc_core::sc_module_name& name, std::size_t bytes, const sc_core::sc_time& latency)
      : sc_core::sc_module(name), socket("socket"), data_(bytes), latency_(latency) {
    socket.register_b_transport(this, &Memory::Transport);
  }

  // Reads and writes within the memory, without byte enables; anything else is answered with the
  // error that TLM-2.0 has for it.
  tlm_utils::simple_target_socket<Memory> socket;

 private:
  void Transport(::tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    payload.set_dmi_allowed(false);
    const std::size_t length = payload.get_data_length();
    if (payload.get_byte_enable_ptr() != nullptr) {
      payload.set_response_status(::tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
      return;
    }
    if (payload.get_address() > data_.size() || length > data_.size() - payload.get_address()) {
      payload.set_response_status(::tlm::TLM_ADDRESS_ERROR_RESPONSE);
      return;
    }
    unsigned char* const at = data_.data() + payload.get_address();
    if (payload.is_read()) {
      std::memcpy(payload.get_data_ptr(), at, length);
    } else if (payload.is_write()) {
      std::memcpy(at, payload.get_data_ptr(), length);
    }
    delay += latency_;
    payload.set_response_status(::tlm::TLM_OK_RESPONSE);
  }

  std::vector<unsigned char> data_;
  const sc_core::sc_time latency_;
};

}  // namespace muster::platform

#endif  // MUSTER_SIM_TLM_PLATFORM_MEMORY_H_
