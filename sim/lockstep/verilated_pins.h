// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Between plain C++ pins and the ports of the classes that Verilator makes of muster, muster_warp,
// muster_atomics, muster_fence_tracker and muster_cluster, or of muster_gpc, whose ports are
// vectors of theirs, or of bundles of them: `u` is the unit's number, 0 where there is one. The
// fields of structs have the bits that the SystemVerilog packages give them (sim/port/structs.h).
#ifndef MUSTER_SIM_LOCKSTEP_VERILATED_PINS_H_
#define MUSTER_SIM_LOCKSTEP_VERILATED_PINS_H_

#include <cstdint>

#include "sim/isa/bits.h"
#include "sim/isa/cluster_operation.h"
#include "sim/isa/fault.h"
#include "sim/isa/mbarrier_operation.h"
#include "sim/isa/warp_operation.h"
#include "sim/lockstep/atomics_dut.h"
#include "sim/lockstep/fence_dut.h"
#include "sim/lockstep/warp_dut.h"
#include "sim/port/atomic_pins.h"
#include "sim/port/bits.h"
#include "sim/port/cluster_pins.h"
#include "sim/port/fence_pins.h"
#include "sim/port/pins.h"
#include "sim/port/structs.h"
#include "sim/port/warp_pins.h"

namespace muster::lockstep {

// The bit, and the struct, of unit `u` in a vector over units.
template <typename Port>
void SetBit(Port* port, unsigned u, bool value) {
  SetElement(port, u, 1, static_cast<std::uint64_t>(value));
}
template <typename Port>
bool IsSet(const Port& port, unsigned u) {
  return GetElement(port, u, 1) != 0;
}
template <typename Struct, typename Value, typename Port>
void PutStruct(const Value& value, unsigned u, Port* port) {
  Struct::Put(value, VectorOf(port), PlaceOf(*port, u, Struct::kWidth));
}
template <typename Struct, typename Port, typename Value>
void GetStruct(const Port& port, unsigned u, Value* value) {
  Struct::Get(*VectorOf(&port), value, PlaceOf(port, u, Struct::kWidth));
}

// ------------------------------------------------------------------------------------------------
// A unit
// ------------------------------------------------------------------------------------------------

// What the ports depend on.
template <unsigned kWarps, unsigned kPorts, bool kHasMbarrier, bool kHasRemote = kHasMbarrier>
struct UnitShape {
  static constexpr unsigned kNumWarps = kWarps;
  static constexpr unsigned kNumIssue = kPorts;
  static constexpr bool kMbarrier = kHasMbarrier;
  static constexpr bool kRemote = kHasRemote;  // as a port: within a GPC it is none
};

// The answer of a bank, and what is asked of it, with so many words held.
template <typename Pins>
void DriveSmem(unsigned u, const SmemAnswer& answer, Pins* pins) {
  SetBit(&pins->smem_read_ready_i, u, answer.read_ready);
  SetBit(&pins->smem_rdata_valid_i, u, answer.rdata_valid);
  if (answer.rdata_valid) {
    SetElement(&pins->smem_rdata_i, u, 64, answer.rdata);
  }
  SetBit(&pins->smem_write_ready_i, u, answer.write_ready);
  SetBit(&pins->smem_yield_i, u, answer.yield);
}
template <unsigned kHeld, typename Pins>
void SampleSmem(unsigned u, const Pins& pins, SmemRequest* request) {
  request->read_valid = IsSet(pins.smem_read_valid_o, u);
  if (request->read_valid) {
    GetStruct<sv::mb_place_t>(pins.smem_read_place_o, u, &request->read_place);
  }
  request->write_valid = IsSet(pins.smem_write_valid_o, u);
  if (request->write_valid) {
    GetStruct<sv::mb_place_t>(pins.smem_write_place_o, u, &request->write_place);
    request->write_data = GetElement(pins.smem_write_data_o, u, 64);
  }
  request->held_valid = static_cast<std::uint8_t>(GetElement(pins.smem_held_valid_o, u, kHeld));
  const auto& places = *VectorOf(&pins.smem_held_place_o);
  const unsigned first = PlaceOf(pins.smem_held_place_o, u, kHeld * sv::mb_place_t::kWidth);
  for (unsigned i = 0; request->held_valid >> i != 0; ++i) {
    sv::mb_place_t::Get(places, &request->held[i], first + i * sv::mb_place_t::kWidth);
  }
}

template <typename Shape, typename Pins>
void DriveMbarrier(unsigned u, const MbInputs& mb, Pins* pins) {
  SetBit(&pins->mb_issue_valid_i, u, mb.issue_valid);
  if (mb.issue_valid) {
    PutStruct<sv::mb_group_t>(mb.issue, u, &pins->mb_issue_i);
  }
  SetBit(&pins->mb_async_valid_i, u, mb.async_valid);
  if (mb.async_valid) {
    PutStruct<sv::mb_async_t>(mb.async, u, &pins->mb_async_i);
  }
  if constexpr (Shape::kRemote) {
    SetBit(&pins->mb_remote_valid_i, u, mb.remote_valid);
    if (mb.remote_valid) {
      PutStruct<sv::mb_remote_t>(mb.remote, u, &pins->mb_remote_i);
    }
  }
  SetElement(&pins->mb_fence_ack_i, u, Shape::kNumWarps, mb.fence_ack);
  DriveSmem(u, mb, pins);
  SetElement(&pins->mb_stopped_ns_i, u, 32, mb.stopped_ns);
  SetBit(&pins->mb_response_ready_i, u, mb.response_ready);
}

template <typename Shape, typename Pins>
void DriveUnit(unsigned u, const Inputs& in, Pins* pins) {
  SetElement(&pins->issue_valid_i, u, Shape::kNumIssue, in.issue_valid);
  for (unsigned port = 0; port < Shape::kNumIssue; ++port) {
    if ((in.issue_valid >> port & 1) != 0) {
      PutStruct<sv::issue_t>(in.issue[port], u * Shape::kNumIssue + port, &pins->issue_i);
    }
  }
  SetBit(&pins->lifecycle_valid_i, u, in.lifecycle_valid);
  if (in.lifecycle_valid) {
    static_assert(static_cast<unsigned>(OpKind::kLaunch) % 8 == 0);  // the op is cut to its bits
    PutStruct<sv::lifecycle_t>(in.lifecycle, u, &pins->lifecycle_i);
    SetElement(&pins->lifecycle_warps_i, u, Shape::kNumWarps, in.lifecycle.warps);
  }
  SetBit(&pins->exit_valid_i, u, in.exit_valid);
  if (in.exit_valid) {
    PutStruct<sv::exit_t>(in.exit, u, &pins->exit_i);
  }
  SetElement(&pins->fence_ack_i, u, Shape::kNumWarps, in.fence_ack);
  SetBit(&pins->response_ready_i, u, in.response_ready);
  SetElement(&pins->debug_cta_i, u, 5, in.debug_cta);
  SetElement(&pins->debug_bar_i, u, 4, in.debug_bar);
  SetElement(&pins->debug_warp_i, u, 6, in.debug_warp);
  if constexpr (Shape::kMbarrier) {
    DriveMbarrier<Shape>(u, in.mb, pins);
  }
}

// The bits of a unit's warps in a vector over units.
template <typename Shape, typename Port>
std::uint64_t WarpsOf(const Port& port, unsigned u) {
  return GetElement(port, u, Shape::kNumWarps);
}

template <typename Shape, typename Pins>
void SampleMbarrier(unsigned u, const Pins& pins, MbOutputs* mb) {
  mb->issue_ready = IsSet(pins.mb_issue_ready_o, u);
  mb->async_ready = IsSet(pins.mb_async_ready_o, u);
  if constexpr (Shape::kRemote) {
    mb->remote_ready = IsSet(pins.mb_remote_ready_o, u);
  }
  mb->idle = IsSet(pins.mb_idle_o, u);
  mb->busy = WarpsOf<Shape>(pins.mb_busy_o, u);
  mb->fence_req = WarpsOf<Shape>(pins.mb_fence_req_o, u);
  SampleSmem<kMbHeld>(u, pins, mb);
  GetBits(*VectorOf(&pins.mb_commit_o), PlaceOf(pins.mb_commit_o, u, sv::mb_commit_t::kWidth),
          sv::mb_commit_t::kValid, &mb->commit_valid);
  if (mb->commit_valid) {
    GetStruct<sv::mb_commit_t>(pins.mb_commit_o, u, mb);
  }
  mb->wake = WarpsOf<Shape>(pins.mb_wake_o, u);
  if (mb->wake != 0) {
    mb->wake_report = static_cast<MbReport>(GetElement(pins.mb_wake_report_o, u, kMbReportBits));
  }
  mb->expire = WarpsOf<Shape>(pins.mb_expire_o, u);
  mb->response_valid = IsSet(pins.mb_response_valid_o, u);
  if (mb->response_valid) {
    GetStruct<sv::mb_response_t>(pins.mb_response_o, u, &mb->response);
  }
  mb->fault_valid = IsSet(pins.mb_fault_valid_o, u);
  if (mb->fault_valid) {
    GetStruct<sv::mb_fault_t>(pins.mb_fault_o, u, &mb->fault);
  }
}

template <typename Shape, typename Pins>
void SampleUnit(unsigned u, const Pins& pins, Outputs* out) {
  constexpr unsigned kPorts = Shape::kNumIssue;
  constexpr unsigned kFaults = kPorts + 2;
  out->issue_ready = static_cast<std::uint8_t>(GetElement(pins.issue_ready_o, u, kPorts));
  out->lifecycle_ready = IsSet(pins.lifecycle_ready_o, u);
  out->exit_ready = IsSet(pins.exit_ready_o, u);
  GetStruct<sv::commit_t>(pins.commit_o, u, out);
  out->idle = IsSet(pins.idle_o, u);
  out->busy = WarpsOf<Shape>(pins.busy_o, u);
  out->fence_req = WarpsOf<Shape>(pins.fence_req_o, u);
  out->released = WarpsOf<Shape>(pins.release_o, u);
  if (out->released != 0) {
    GetStruct<sv::release_t>(pins.release_info_o, u, out);
  }
  out->response_valid = IsSet(pins.response_valid_o, u);
  if (out->response_valid) {
    GetStruct<sv::response_t>(pins.response_o, u, out);
  }
  out->fault_valid = static_cast<std::uint8_t>(GetElement(pins.fault_valid_o, u, kFaults));
  for (unsigned port = 0; out->fault_valid >> port != 0; ++port) {
    GetStruct<sv::fault_t>(pins.fault_o, u * kFaults + port, &out->fault[port]);
  }
  out->debug_word = static_cast<std::uint32_t>(GetElement(pins.debug_word_o, u, 32));
  GetStruct<sv::debug_warp_t>(pins.debug_warp_o, u, out);
  if constexpr (Shape::kMbarrier) {
    SampleMbarrier<Shape>(u, pins, &out->mb);
  }
}

// ------------------------------------------------------------------------------------------------
// A warp scope; but active_o, which is no port of a GPC
// ------------------------------------------------------------------------------------------------

template <typename Pins>
void DriveScope(const WarpShape& shape, const WarpInputs& in, Pins* pins, unsigned u = 0) {
  const WarpRequest& request = in.request;
  auto* const requests = VectorOf(&pins->request_i);
  const unsigned low = PlaceOf(pins->request_i, u, sv::warp_request_t::kWidth);
  SetElement(&pins->clear_i, u, shape.num_warps, in.clear);
  SetElement(&pins->busy_i, u, shape.num_warps, in.busy);
  SetBit(&pins->arrival_ready_i, u, in.arrival_ready);
  SetBit(&pins->valid_i, u, in.valid);
  SetBits(requests, low, sv::warp_request_t::kOp, request.op);
  SetBits(requests, low, sv::warp_request_t::kWarp, request.warp);
  if (!in.valid) {
    return;
  }
  sv::warp_request_t::Put(request, requests, low);
  if (request.op == WarpOp::kExit) {  // the pins have the lanes that are left
    SetBits(requests, low, sv::warp_request_t::kLanes, request.live);
  }
  SetElement(&pins->beat_i, u, shape.BeatWidth(), in.beat);
  SetBit(&pins->last_i, u, in.last);
  for (unsigned l = 0; l < shape.lanes_per_beat; ++l) {
    SetBits(&pins->values_i, 64 * (u * shape.lanes_per_beat + l), 64,
            request.values[in.beat * shape.lanes_per_beat + l]);
  }
}

template <typename Pins>
void SampleScope(const WarpShape& shape, const Pins& pins, WarpOutputs* out, unsigned u = 0) {
  out->ready = IsSet(pins.ready_o, u);
  out->open = GetElement(pins.open_o, u, shape.num_warps);
  out->answer_valid = IsSet(pins.answer_valid_o, u);
  if (out->answer_valid) {
    GetStruct<sv::warp_answer_t>(pins.answer_o, u, &out->answer);
    if (out->answer.op == WarpOp::kRead) {
      GetStruct<sv::warp_group_t>(pins.group_o, u, out);
      out->value = GetElement(pins.value_o, u, 64);
    }
  }
  out->arrival_valid = IsSet(pins.arrival_valid_o, u);
  if (out->arrival_valid) {
    GetStruct<sv::warp_arrival_t>(pins.arrival_o, u, &out->arrival);
  }
  out->fault_valid = IsSet(pins.fault_valid_o, u);
  if (out->fault_valid) {
    GetStruct<sv::warp_fault_t>(pins.fault_o, u, &out->fault);
  }
}

// ------------------------------------------------------------------------------------------------
// Atomics on shared memory; but active_o
// ------------------------------------------------------------------------------------------------

template <typename Pins>
void DriveScope(const AtomicsShape& shape, const AtomicInputs& in, Pins* pins, unsigned u = 0) {
  SetBit(&pins->issue_valid_i, u, in.issue_valid);
  if (in.issue_valid) {
    PutStruct<sv::at_update_t>(in.issue, u, &pins->issue_i);
  }
  SetBit(&pins->remote_valid_i, u, in.remote_valid);
  if (in.remote_valid) {
    PutStruct<sv::at_update_t>(in.remote, u, &pins->remote_i);
  }
  SetElement(&pins->fence_ack_i, u, shape.num_warps, in.fence_ack);
  DriveSmem(u, in, pins);
  SetBit(&pins->response_ready_i, u, in.response_ready);
}

template <typename Pins>
void SampleScope(const AtomicsShape& shape, const Pins& pins, AtomicOutputs* out, unsigned u = 0) {
  out->issue_ready = IsSet(pins.issue_ready_o, u);
  out->remote_ready = IsSet(pins.remote_ready_o, u);
  out->remote_busy = IsSet(pins.remote_busy_o, u);
  out->busy = GetElement(pins.busy_o, u, shape.num_warps);
  out->fence_req = GetElement(pins.fence_req_o, u, shape.num_warps);
  SampleSmem<kAtomicHeld>(u, pins, out);
  out->response_valid = IsSet(pins.response_valid_o, u);
  if (out->response_valid) {
    GetStruct<sv::at_response_t>(pins.response_o, u, &out->response);
  }
  out->fault_valid = IsSet(pins.fault_valid_o, u);
  if (out->fault_valid) {
    GetStruct<sv::at_fault_t>(pins.fault_o, u, &out->fault);
  }
  GetStruct<sv::at_commit_t>(pins.commit_o, u, out);
}

// ------------------------------------------------------------------------------------------------
// A tracker that answers drains
// ------------------------------------------------------------------------------------------------

template <typename Pins>
void DriveScope(const FenceShape& shape, const FenceInputs& in, Pins* pins) {
  WarpsByClass begun{};
  WarpsByClass done{};
  WarpsByClass epochs{};
  for (const FenceInputs::Access& access : in.begun) {
    begun[access.of] |= Bit(access.warp);
  }
  for (const FenceInputs::Access& access : in.done) {
    done[access.of] |= Bit(access.warp);
    epochs[access.of] |= access.epoch ? Bit(access.warp) : 0;
  }
  for (unsigned of = 0; of < shape.num_classes; ++of) {
    SetElement(&pins->begin_i, of, shape.num_warps, begun[of]);
    SetElement(&pins->done_i, of, shape.num_warps, done[of]);
    SetElement(&pins->done_epoch_i, of, shape.num_warps, epochs[of]);
    SetElement(&pins->busy_i, of, shape.num_warps, in.busy[of]);
    SetElement(&pins->fence_classes_i, of, shape.num_warps, in.classes[of]);
  }
  SetElement(&pins->fence_req_i, 0, shape.num_warps, in.request);
}

template <typename Pins>
void SampleScope(const FenceShape& shape, const Pins& pins, FenceOutputs* out) {
  for (unsigned of = 0; of < shape.num_classes; ++of) {
    out->epoch[of] = GetElement(pins.epoch_o, of, shape.num_warps);
    out->full[of] = GetElement(pins.full_o, of, shape.num_warps);
  }
  out->acknowledge = GetElement(pins.fence_ack_o, 0, shape.num_warps);
}

// ------------------------------------------------------------------------------------------------
// A cluster scope; but active_o
// ------------------------------------------------------------------------------------------------

template <typename Pins>
void DriveScope(const ClusterConfig& config, const ClusterInputs& in, Pins* pins) {
  SetBit(&pins->life_valid_i, 0, in.life_valid);
  if (in.life_valid) {
    PutStruct<sv::cluster_life_t>(in.life, 0, &pins->life_i);
  }
  for (unsigned u = 0; u < config.num_units; ++u) {
    const ClusterInputs::Unit& unit = in.units[u];
    SetBit(&pins->request_valid_i, u, unit.request_valid);
    if (unit.request_valid) {
      PutStruct<sv::cluster_request_t>(unit.request, u, &pins->request_i);
    }
    SetElement(&pins->fence_ack_i, u, config.num_warps, unit.fence_ack);
    SetBit(&pins->send_valid_i, u, unit.send_valid);
    if (unit.send_valid) {
      PutStruct<sv::remote_send_t>(unit.send, u, &pins->send_i);
    }
    SetBit(&pins->remote_ready_i, u, unit.remote_ready);
    SetBit(&pins->answer_valid_i, u, unit.answer_valid);
    if (unit.answer_valid) {
      PutStruct<sv::at_response_t>(unit.answer, u, &pins->answer_i);
    }
    SetBit(&pins->reply_ready_i, u, unit.reply_ready);
    SetBit(&pins->cancel_valid_i, u, unit.cancel_valid);
    if (unit.cancel_valid) {
      PutStruct<sv::cancel_t>(unit.cancel, u, &pins->cancel_i);
    }
    SetBit(&pins->write_ready_i, u, unit.write_ready);
    SetBit(&pins->complete_ready_i, u, unit.complete_ready);
  }
  SetBits(&pins->flushed_i, 0, config.num_grids, in.flushed);
  SetBit(&pins->take_ready_i, 0, in.take_ready);
  if (in.take_ready) {
    PutStruct<sv::cancel_response_t>(in.take, 0, &pins->take_i);
  }
}

// The first unit of which this is set, or their number.
inline unsigned UnitWith(const ClusterConfig& config, const ClusterOutputs& out,
                         bool ClusterOutputs::Unit::*member) {
  unsigned u = 0;
  while (u < config.num_units && !(out.units[u].*member)) {
    ++u;
  }
  return u;
}

template <typename Pins>
void SampleClusterUnit(const ClusterConfig& config, unsigned u, const Pins& pins,
                       ClusterOutputs::Unit* out) {
  const unsigned warps = config.num_warps;
  const auto of_unit = [&](const auto& port) { return GetElement(port, u, warps); };
  out->request_ready = IsSet(pins.request_ready_o, u);
  out->busy = of_unit(pins.busy_o);
  out->fence_req = of_unit(pins.fence_req_o);
  out->release = of_unit(pins.release_o);
  out->grid_release = of_unit(pins.grid_release_o);
  out->go_valid = IsSet(pins.go_valid_o, u);
  if (out->go_valid) {
    out->go.unit = static_cast<std::uint8_t>(u);
    GetStruct<sv::cluster_go_t>(pins.go_o, u, &out->go);
  }
  out->fault_valid = IsSet(pins.fault_valid_o, u);
  if (out->fault_valid) {
    GetStruct<sv::cluster_fault_t>(pins.fault_o, u, &out->fault);
  }
  out->cancel_ready = IsSet(pins.cancel_ready_o, u);
  out->write_valid = IsSet(pins.write_valid_o, u);
  out->complete_valid = IsSet(pins.complete_valid_o, u);
  out->send_ready = IsSet(pins.send_ready_o, u);
  out->remote_valid = IsSet(pins.remote_valid_o, u);
  if (out->remote_valid) {
    MbOperation remote;
    GetStruct<sv::mb_remote_t>(pins.remote_o, u, &remote);
    out->remote = {remote.op,
                   {static_cast<std::uint8_t>(u), remote.cta},
                   remote.addr,
                   remote.lanes,
                   remote.operand,
                   remote.has_token,
                   {}};
    GetStruct<sv::at_remote_t>(pins.remote_atomic_o, u, &out->remote.atomic);
    out->from.lanes =
        out->remote.atomic.valid ? std::uint32_t{1} << out->remote.atomic.lane : remote.lanes;
    GetStruct<sv::remote_from_t>(pins.remote_from_o, u, &out->from);
  }
  out->answer_ready = IsSet(pins.answer_ready_o, u);
  out->reply_valid = IsSet(pins.reply_valid_o, u);
  if (out->reply_valid) {
    GetStruct<sv::at_response_t>(pins.reply_o, u, &out->reply);
  }
  out->lost_valid = IsSet(pins.lost_valid_o, u);
  if (out->lost_valid) {
    GetStruct<sv::remote_lost_t>(pins.lost_o, u, &out->lost);
  }
}

template <typename Pins>
void SampleScope(const ClusterConfig& config, const Pins& pins, ClusterOutputs* out) {
  out->life_ready = IsSet(pins.life_ready_o, 0);
  out->life_fault =
      static_cast<FaultCause>(GetElement(pins.life_fault_o, 0, sv::fault_t::kCause.width));
  for (unsigned u = 0; u < config.num_units; ++u) {
    SampleClusterUnit(config, u, pins, &out->units[u]);
  }
  out->launch = pins.launch_o;
  out->flush = pins.flush_o;
  out->take_valid = IsSet(pins.take_valid_o, 0);
  const unsigned writes = UnitWith(config, *out, &ClusterOutputs::Unit::write_valid);
  if (writes < config.num_units) {
    out->write = CancelStep();
    out->write.writes = true;
    GetStruct<sv::cancel_write_t>(pins.write_o, 0, &out->write);
    out->write.place.unit = static_cast<std::uint8_t>(writes);
  }
  const unsigned completes = UnitWith(config, *out, &ClusterOutputs::Unit::complete_valid);
  if (completes < config.num_units) {
    MbOperation complete;
    GetStruct<sv::mb_async_t>(pins.complete_o, 0, &complete);
    out->complete = CancelStep();
    out->complete.place = {static_cast<std::uint8_t>(completes), complete.cta};
    out->complete.addr = complete.addr;
    out->complete.bytes = complete.op == MbOp::kCompleteTx ? complete.operand : 0;
  }
  out->cancel_lost_valid = IsSet(pins.cancel_lost_valid_o, 0);
  if (out->cancel_lost_valid) {
    GetStruct<sv::remote_lost_t>(pins.cancel_lost_o, 0, &out->cancel_lost);
  }
}

}  // namespace muster::lockstep

#endif  // MUSTER_SIM_LOCKSTEP_VERILATED_PINS_H_
