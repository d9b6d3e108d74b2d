// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// A warp of the platform: a thread of SystemC that runs a program and keeps its own time, up to a
// quantum ahead of SystemC's. All its lanes go together.
#ifndef MUSTER_SIM_TLM_PLATFORM_WARP_H_
#define MUSTER_SIM_TLM_PLATFORM_WARP_H_

#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/tlm_quantumkeeper.h>

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <systemc>
#include <vector>

#include "sim/isa/effects.h"
#include "sim/isa/mbarrier_operation.h"
#include "sim/isa/operation.h"
#include "sim/tlm/barrier_extension.h"
#include "sim/tlm/wake_ports.h"

namespace muster::platform {

// The places at which a warp may wait.
enum class Place : std::uint8_t { kFull, kEmpty, kBarrier };
inline constexpr std::size_t kPlaces = 3;

// How long it has waited there so far.
struct Waits {
  unsigned count = 0;
  sc_core::sc_time total;
};

inline constexpr unsigned kWarpSize = 32;  // lanes of these warps

class Warp : public sc_core::sc_module {
 public:
  using Program = std::function<void(Warp*)>;

  // Warp slot `slot` of CTA 0, which runs `program` once `start` is notified.
  Warp(const sc_core::sc_module_name& name, unsigned slot, Program program,
       const sc_core::sc_event& start);

  tlm_utils::simple_initiator_socket<Warp> socket;
  sc_core::sc_port<tlm::ReleaseIf> releases;
  sc_core::sc_port<tlm::AnswerIf> answers;

  // What a program may do. Addresses of mbarriers are those of shared memory.
  void Compute(const sc_core::sc_time& time);
  void Store(std::uint64_t address, std::vector<std::uint32_t> words);
  std::vector<std::uint32_t> Load(std::uint64_t address, std::size_t count);
  void Init(std::uint32_t mbarrier, std::uint32_t arrivals);
  void Arrive(std::uint32_t mbarrier);  // of each of its lanes
  // Until the phase of this parity has completed.
  void WaitFor(std::uint32_t mbarrier, bool parity, Place place);
  // Meets the other warps of the CTA.
  void Sync(unsigned bar);
  // The same; returns whether the predicate is true of all of them.
  bool All(unsigned bar, bool predicate);

  bool done() const { return done_; }
  unsigned slot() const { return slot_; }
  const Waits& waits(Place place) const { return waits_[static_cast<std::size_t>(place)]; }
  // Shows where it waits: a signal for each place.
  void Trace(sc_core::sc_trace_file* file) const;

 private:
  void Run();
  // One transaction to the unit, at the warp's local time.
  void Send(tlm::BarrierTransaction* transaction);
  MbEffects Ask(MbOperation operation);
  void Access(::tlm::tlm_command command, std::uint64_t address, std::vector<std::uint32_t>* words);
  void Block(Place place, const std::function<bool()>& waits, const sc_core::sc_event& end);

  const unsigned slot_;
  const Program program_;
  const sc_core::sc_event& start_;
  tlm_utils::tlm_quantumkeeper keeper_;
  tlm::BarrierTransaction transaction_;
  bool done_ = false;
  std::array<Waits, kPlaces> waits_;
  std::array<bool, kPlaces> waiting_{};
  sc_core::sc_time since_;  // when it began to wait
};

}  // namespace muster::platform

#endif  // MUSTER_SIM_TLM_PLATFORM_WARP_H_
