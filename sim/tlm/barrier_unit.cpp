// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/tlm/barrier_unit.h"

#include <algorithm>
#include <new>

#include "sim/isa/bits.h"
#include "sim/isa/fault.h"
#include "sim/tlm/presentable.h"

namespace muster::tlm {
namespace {

// What is wrong with the payload itself.
::tlm::tlm_response_status Judge(const ::tlm::tlm_generic_payload& payload,
                                 const BarrierExtension* extension) {
  if (extension == nullptr || payload.get_command() != ::tlm::TLM_IGNORE_COMMAND) {
    return ::tlm::TLM_COMMAND_ERROR_RESPONSE;
  }
  if (payload.get_address() != 0) {
    return ::tlm::TLM_ADDRESS_ERROR_RESPONSE;
  }
  if (payload.get_byte_enable_ptr() != nullptr) {
    return ::tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE;
  }
  return payload.get_data_length() != 0 ? ::tlm::TLM_BURST_ERROR_RESPONSE : ::tlm::TLM_OK_RESPONSE;
}

}  // namespace

BarrierUnit::BarrierUnit(const sc_core::sc_module_name& name, const Config& config, Timing timing)
    : sc_core::sc_module(name),
      socket("socket"),
      releases("releases"),
      answers("answers"),
      faults("faults"),
      config_(config),
      latency_(LatencyOf(config)),
      timing_(timing),
      cycle_(config.clock_period_ps, sc_core::SC_PS),
      delays_{Cycles(latency_.effect), Cycles(latency_.response), Cycles(latency_.mb_wake),
              Cycles(latency_.mb_fault), Cycles(latency_.mb_response)},
      model_(config),
      mbarriers_(model_, config.smem_bytes, config.report),
      debug_map_(config, model_, mbarriers_),
      publisher_("publisher", config.num_warps, model_, mbarriers_) {
  socket.register_b_transport(this, &BarrierUnit::Transport);
  socket.register_transport_dbg(this, &BarrierUnit::TransportDebug);
  releases.bind(publisher_);
  answers.bind(publisher_);
  publisher_.faults.bind(faults);
  SC_HAS_PROCESS(BarrierUnit);
  SC_METHOD(ExpireDue);
  sensitive << limit_due_;
  dont_initialize();
}

void BarrierUnit::Reset() {
  model_.Reset();
  mbarriers_.Reset();
  publisher_.Reset();
  limit_due_.cancel();
  for (auto& bars : changed_) {
    bars.fill(sc_core::SC_ZERO_TIME);
  }
  for (auto& words : mb_changed_) {
    words.clear();
  }
}

// ------------------------------------------------------------------------------------------------
// The socket
// ------------------------------------------------------------------------------------------------

void BarrierUnit::Transport(::tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  payload.set_dmi_allowed(false);
  auto* const extension = payload.get_extension<BarrierExtension>();
  ::tlm::tlm_response_status status = Judge(payload, extension);
  if (status == ::tlm::TLM_OK_RESPONSE &&
      !IsPresentable(config_, timing_ == Timing::kModelled ? &model_ : nullptr, *extension,
                     &extension->refusal_)) {
    status = ::tlm::TLM_GENERIC_ERROR_RESPONSE;
  }
  payload.set_response_status(status);
  if (status != ::tlm::TLM_OK_RESPONSE) {
    return;
  }
  extension->refusal_.clear();
  const sc_core::sc_time& now = sc_core::sc_time_stamp();
  const sc_core::sc_time given = now + delay;
  sc_core::sc_time shown = given;
  const unsigned events = extension->event_count();
  for (unsigned i = 0; i < events; ++i) {
    shown = std::max(shown, CarryOut(extension->event(i), given, &extension->mb_effects_[i]));
  }
  const unsigned operations = extension->operation_count();
  for (unsigned i = 0; i < operations; ++i) {
    shown = std::max(shown, CarryOut(extension->operation(i), given, &extension->effects_[i]));
  }
  delay = shown - now;
}

unsigned BarrierUnit::TransportDebug(::tlm::tlm_generic_payload& payload) {
  const bool reads = payload.is_read() && payload.get_data_ptr() != nullptr;
  const unsigned count = reads ? debug_map_.Read(payload.get_address(), payload.get_data_ptr(),
                                                 payload.get_data_length())
                               : 0;
  payload.set_response_status(reads && count == payload.get_data_length()
                                  ? ::tlm::TLM_OK_RESPONSE
                                  : ::tlm::TLM_GENERIC_ERROR_RESPONSE);
  return count;
}

// ------------------------------------------------------------------------------------------------
// Named barriers, and the life of a CTA
// ------------------------------------------------------------------------------------------------

sc_core::sc_time BarrierUnit::CarryOut(const Operation& operation, const sc_core::sc_time& given,
                                       Effects* effects) {
  new (effects) Effects(model_.Step(operation));  // in place: no copy
  sc_core::sc_time commit = given;
  if (timing_ == Timing::kModelled) {
    commit += Cycles(ToCommit(latency_, operation.kind));
    if (effects->entry_written) {
      sc_core::sc_time& changed = changed_[effects->cta][effects->bar];
      commit = changed = std::max(commit, changed);
    } else if (operation.kind == OpKind::kWait && operation.cta < kMaxCtas) {
      // It finds what was before it, and what comes later finds it.
      sc_core::sc_time& changed = changed_[operation.cta][operation.bar];
      commit = changed = std::max(commit, changed);
    }
    if ((operation.kind == OpKind::kSuspend || operation.kind == OpKind::kEnd) &&
        effects->fault == FaultCause::kNone) {
      Leave(operation, commit, effects);
    }
  }
  const sc_core::sc_time shown = commit + delays_.effect;
  if (effects->released != 0) {
    publisher_.Wake(shown, effects->released,
                    {effects->cta, effects->bar, effects->released_kind, effects->released_value});
  }
  if (effects->fault != FaultCause::kNone) {
    Fault fault;
    fault.cause = effects->fault;
    fault.cta = operation.cta;
    fault.warp = operation.warp;
    fault.lanes = operation.lanes & model_.LanesOfWarp();
    fault.bar = operation.bar;
    publisher_.Report(shown, fault);
  }
  return effects->responds ? commit + delays_.response : shown;
}

// With the CTA its mbarriers go, and the waits at them.
void BarrierUnit::Leave(const Operation& operation, const sc_core::sc_time& commit,
                        Effects* effects) {
  const MbEffects left = mbarriers_.Leave(operation.cta, operation.kind);
  effects->hazards |= left.hazards;
  for (const MbAnswer& answer : left.answers) {
    publisher_.Give(commit + Cycles(latency_.mb_leave), answer);
  }
  ForgetLimits();
  mb_changed_[operation.cta].clear();
}

// ------------------------------------------------------------------------------------------------
// Mbarriers
// ------------------------------------------------------------------------------------------------

sc_core::sc_time BarrierUnit::CarryOut(const MbEvent& event, const sc_core::sc_time& given,
                                       MbEffects* effects) {
  const MbOperation& operation = event.operation;
  const bool step = event.kind == MbEvent::Kind::kStep;
  sc_core::sc_time commit = given;
  if (timing_ == Timing::kModelled && step) {
    commit += Cycles(ToCommit(latency_, operation.source));
    if (operation.cta < kMaxCtas) {
      const auto& changed = mb_changed_[operation.cta];
      const auto found = changed.find(operation.addr);
      commit = found == changed.end() ? commit : std::max(commit, found->second);
    }
    ExpireBefore(commit, operation.cta, operation.addr);
  }
  effects->~MbEffects();
  new (effects) MbEffects(mbarriers_.Do(event));
  if (timing_ == Timing::kModelled && effects->written) {
    sc_core::sc_time& changed = mb_changed_[operation.cta][operation.addr];
    changed = std::max(commit, changed);
  }
  if (effects->parked != 0) {
    Park(operation, commit);
  }
  for (const MbAnswer& answer : effects->answers) {
    const sc_core::sc_time completion = std::max(commit, parked_[answer.warp].since);
    publisher_.Give(step ? completion + delays_.mb_wake : commit, answer);
  }
  if (!effects->answers.empty()) {
    ForgetLimits();
  }
  if (!step) {
    return commit;
  }
  ReportFaults(operation, *effects, commit + delays_.mb_fault);
  const bool responds = operation.source == MbSource::kWarp && HasResponse(operation);
  return commit + (responds ? delays_.mb_response : delays_.mb_fault);
}

void BarrierUnit::ReportFaults(const MbOperation& operation, const MbEffects& effects,
                               const sc_core::sc_time& at) {
  if (!AnyRefused(effects)) {
    return;
  }
  std::uint32_t left = operation.lanes & model_.LanesOfWarp();
  while (left != 0) {
    Fault fault;
    fault.cause = effects.fault[First(left)];
    fault.cta = operation.cta;
    fault.warp = operation.warp;
    fault.mbarrier = true;
    fault.source = operation.source;
    fault.addr = operation.addr;
    for (unsigned lane = 0; lane < kMaxLanes; ++lane) {
      fault.lanes |= static_cast<std::uint32_t>(effects.fault[lane] == fault.cause) << lane;
    }
    fault.lanes &= left;
    left &= ~fault.lanes;
    if (fault.cause != FaultCause::kNone) {
      publisher_.Report(at, fault);
    }
  }
}

// ------------------------------------------------------------------------------------------------
// Time limits. They count from the commit, in whole cycles (rtl/mbarrier/README.md, "Waits").
// ------------------------------------------------------------------------------------------------

void BarrierUnit::Park(const MbOperation& operation, const sc_core::sc_time& commit) {
  if (timing_ == Timing::kTold) {
    return;
  }
  const std::uint64_t ns = operation.has_hint ? operation.operand : config_.wait_limit_ns;
  const std::uint64_t period = config_.clock_period_ps;
  const sc_core::sc_time limit = commit + Cycles((ns * kPsPerNs + period - 1) / period);
  parked_[operation.warp] = {commit, limit, operation.cta, operation.addr};
  if (config_.mb_limit) {
    limit_due_.notify(limit - sc_core::sc_time_stamp());  // the earliest notification counts
  }
}

void BarrierUnit::ExpireBefore(const sc_core::sc_time& commit, unsigned cta, std::uint32_t addr) {
  if (!config_.mb_limit) {
    return;
  }
  ForEachBit(mbarriers_.Parked(), [&](unsigned warp) {
    const Parked& parked = parked_[warp];
    if (parked.cta == cta && parked.addr == addr && parked.limit < commit) {
      Expire(warp);
    }
  });
}

// An event for which no process waits would keep the simulation going.
void BarrierUnit::ForgetLimits() {
  if (mbarriers_.Parked() == 0) {
    limit_due_.cancel();
  }
}

void BarrierUnit::Expire(unsigned warp) {
  for (const MbAnswer& answer : mbarriers_.Expire(warp).answers) {
    publisher_.Give(parked_[warp].limit, answer);
  }
  ForgetLimits();
}

void BarrierUnit::ExpireDue() {
  const sc_core::sc_time& now = sc_core::sc_time_stamp();
  ForEachBit(mbarriers_.Parked(), [&](unsigned warp) {
    if (parked_[warp].limit <= now) {
      Expire(warp);
    } else {
      limit_due_.notify(parked_[warp].limit - now);
    }
  });
}

sc_core::sc_time BarrierUnit::Cycles(std::uint64_t count) const {
  return sc_core::sc_time::from_value(cycle_.value() * count);
}

}  // namespace muster::tlm
