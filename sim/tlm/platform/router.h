// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The interconnect: sends each transaction to the target in whose part of the memory map its
// address is. It knows nothing of what the transactions carry.
#ifndef MUSTER_SIM_TLM_PLATFORM_ROUTER_H_
#define MUSTER_SIM_TLM_PLATFORM_ROUTER_H_

#include <tlm_utils/multi_passthrough_target_socket.h>
#include <tlm_utils/simple_initiator_socket.h>

#include <cstdint>
#include <systemc>
#include <tlm>

namespace muster::platform {

// The memory map.
inline constexpr std::uint64_t kMemoryBase = 0x0000'0000;
inline constexpr std::uint64_t kMemorySize = 0x1000;
inline constexpr std::uint64_t kUnitBase = 0x4000'0000;

class Router : public sc_core::sc_module {
 public:
  explicit Router(const sc_core::sc_module_name& name);

  tlm_utils::multi_passthrough_target_socket<Router> from;  // any number of initiators
  tlm_utils::simple_initiator_socket<Router> to_memory;
  tlm_utils::simple_initiator_socket<Router> to_unit;

 private:
  void Transport(int id, ::tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  unsigned TransportDebug(int id, ::tlm::tlm_generic_payload& payload);
};

}  // namespace muster::platform

#endif  // MUSTER_SIM_TLM_PLATFORM_ROUTER_H_
