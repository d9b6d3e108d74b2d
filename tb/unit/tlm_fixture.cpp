// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "tb/unit/tlm_fixture.h"

#include <algorithm>

namespace muster::tlm {

Operation Launch(unsigned cta, std::uint64_t warps) {
  Operation operation;
  operation.kind = OpKind::kLaunch;
  operation.cta = static_cast<std::uint8_t>(cta);
  operation.warps = warps;
  operation.size = static_cast<std::uint8_t>(__builtin_popcountll(warps));
  return operation;
}

Operation Lifecycle(OpKind kind, unsigned cta, unsigned warp) {
  Operation operation;
  operation.kind = kind;
  operation.cta = static_cast<std::uint8_t>(cta);
  operation.warp = static_cast<std::uint8_t>(warp);
  operation.lanes = kind == OpKind::kExit || kind == OpKind::kJoin ? kAllLanes : 0;
  return operation;
}

Operation At(OpKind kind, unsigned warp, unsigned bar, unsigned warps) {
  Operation operation;
  operation.kind = kind;
  operation.warp = static_cast<std::uint8_t>(warp);
  operation.bar = static_cast<std::uint8_t>(bar);
  operation.count = static_cast<std::uint16_t>(warps * Config().warp_size);
  operation.lanes = kAllLanes;
  return operation;
}

MbOperation At(MbOp op, unsigned warp, std::uint32_t addr, std::uint32_t operand) {
  MbOperation operation;
  operation.op = op;
  operation.warp = static_cast<std::uint8_t>(warp);
  operation.lanes = 1;
  operation.addr = addr;
  operation.operand = operand;
  return operation;
}

MbOperation TryWait(unsigned warp, std::uint32_t addr, bool parity) {
  MbOperation operation = At(MbOp::kTryWaitParity, warp, addr, 0);
  operation.phase = parity;
  return operation;
}

MbOperation TryWait(unsigned warp, std::uint32_t addr, bool parity, std::uint32_t hint) {
  MbOperation operation = TryWait(warp, addr, parity);
  operation.has_hint = true;
  operation.operand = hint;
  return operation;
}

Effects Core::Send(const Operation& operation, sc_core::sc_time* delay) {
  BarrierTransaction transaction;
  transaction.extension().Add(operation);
  socket->b_transport(transaction.Prepared(), *delay);
  EXPECT_TRUE(transaction.ok()) << transaction.extension().refusal();
  return *transaction.extension().effects();
}

Effects Core::Send(const Operation& operation) {
  sc_core::sc_time delay;
  return Send(operation, &delay);
}

MbEffects Core::Send(const MbEvent& event, sc_core::sc_time* delay) {
  BarrierTransaction transaction;
  transaction.extension().Add(event);
  socket->b_transport(transaction.Prepared(), *delay);
  EXPECT_TRUE(transaction.ok()) << transaction.extension().refusal();
  return *transaction.extension().mb_effects();
}

MbEffects Core::Send(const MbOperation& operation, sc_core::sc_time* delay) {
  MbEvent event;
  event.operation = operation;
  return Send(event, delay);
}

MbEffects Core::Send(const MbOperation& operation) {
  sc_core::sc_time delay;
  return Send(operation, &delay);
}

Witness::Witness(const sc_core::sc_module_name& name, BarrierUnit* unit, unsigned num_warps)
    : sc_core::sc_module(name) {
  unit->faults.bind(*this);
  for (unsigned warp = 0; warp < num_warps; ++warp) {
    const auto watch = [](const sc_core::sc_event& event, const std::function<void()>& note) {
      sc_core::sc_spawn_options options;
      options.spawn_method();
      options.dont_initialize();
      options.set_sensitivity(&event);
      sc_core::sc_spawn(note, nullptr, &options);
    };
    watch(unit->releases->released(warp), [this, warp] {
      seen_.push_back({sc_core::sc_time_stamp(), "warp " + std::to_string(warp) + " released"});
    });
    watch(unit->answers->answered(warp), [this, warp, unit] {
      const bool complete = unit->answers->latest_answer(warp).complete;
      seen_.push_back({sc_core::sc_time_stamp(), "warp " + std::to_string(warp) + " answered " +
                                                     (complete ? "true" : "false")});
    });
  }
}

std::vector<Witness::Seen> Witness::seen() const {
  std::vector<Seen> sorted = seen_;
  std::sort(sorted.begin(), sorted.end(), [](const Seen& a, const Seen& b) {
    return a.at != b.at ? a.at < b.at : a.what < b.what;
  });
  return sorted;
}

std::ostream& operator<<(std::ostream& out, const Witness::Seen& seen) {
  return out << seen.what << " at " << seen.at;
}

std::uint32_t Platform::Debug32(std::uint64_t address) {
  std::uint32_t word = 0;
  ::tlm::tlm_generic_payload payload;
  payload.set_read();
  payload.set_address(address);
  payload.set_data_ptr(reinterpret_cast<unsigned char*>(&word));
  payload.set_data_length(sizeof(word));
  EXPECT_EQ(core.socket->transport_dbg(payload), sizeof(word));
  return word;
}

std::uint64_t Platform::Debug64(std::uint64_t address) {
  std::uint64_t word = 0;
  ::tlm::tlm_generic_payload payload;
  payload.set_read();
  payload.set_address(address);
  payload.set_data_ptr(reinterpret_cast<unsigned char*>(&word));
  payload.set_data_length(sizeof(word));
  EXPECT_EQ(core.socket->transport_dbg(payload), sizeof(word));
  return word;
}

}  // namespace muster::tlm
