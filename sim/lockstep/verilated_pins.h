// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Between plain C++ pins and the variables that Verilator makes of a port per field: members of the
// class of muster_flat, warp_flat or cluster_flat, or of one of the instances inside gpc_flat.
#ifndef MUSTER_SIM_LOCKSTEP_VERILATED_PINS_H_
#define MUSTER_SIM_LOCKSTEP_VERILATED_PINS_H_

#include <cstdint>

#include "sim/isa/cluster_operation.h"
#include "sim/isa/fault.h"
#include "sim/isa/mbarrier_operation.h"
#include "sim/isa/warp_operation.h"
#include "sim/lockstep/warp_dut.h"
#include "sim/port/cluster_pins.h"
#include "sim/port/pins.h"
#include "sim/port/warp_pins.h"

namespace muster::lockstep {

// ------------------------------------------------------------------------------------------------
// A unit
// ------------------------------------------------------------------------------------------------

template <typename Pins>
void DriveMbarrier(const MbInputs& mb, Pins* pins) {
  pins->mb_issue_valid_i = static_cast<std::uint8_t>(mb.issue_valid);
  if (mb.issue_valid) {
    pins->mb_issue_op_i = static_cast<std::uint8_t>(mb.issue.op);
    pins->mb_issue_cta_i = mb.issue.cta;
    pins->mb_issue_addr_i = mb.issue.addr;
    pins->mb_issue_warp_i = mb.issue.warp;
    pins->mb_issue_lanes_i = mb.issue.lanes;
    pins->mb_issue_operand_i = mb.issue.operand;
    pins->mb_issue_phase_i = static_cast<std::uint8_t>(mb.issue.phase);
    pins->mb_issue_has_token_i = static_cast<std::uint8_t>(mb.issue.has_token);
    pins->mb_issue_has_hint_i = static_cast<std::uint8_t>(mb.issue.has_hint);
    pins->mb_issue_whole_i = static_cast<std::uint8_t>(mb.issue.whole);
    pins->mb_issue_releasing_i = static_cast<std::uint8_t>(mb.issue.releasing);
  }
  pins->mb_async_valid_i = static_cast<std::uint8_t>(mb.async_valid);
  if (mb.async_valid) {
    pins->mb_async_op_i = static_cast<std::uint8_t>(mb.async.op);
    pins->mb_async_cta_i = mb.async.cta;
    pins->mb_async_addr_i = mb.async.addr;
    pins->mb_async_operand_i = mb.async.operand;
  }
  pins->mb_remote_valid_i = static_cast<std::uint8_t>(mb.remote_valid);
  if (mb.remote_valid) {
    pins->mb_remote_op_i = static_cast<std::uint8_t>(mb.remote.op);
    pins->mb_remote_cta_i = mb.remote.cta;
    pins->mb_remote_addr_i = mb.remote.addr;
    pins->mb_remote_lanes_i = mb.remote.lanes;
    pins->mb_remote_operand_i = mb.remote.operand;
    pins->mb_remote_has_token_i = static_cast<std::uint8_t>(mb.remote.has_token);
  }
  pins->mb_fence_ack_i = mb.fence_ack;
  pins->read_ready_i = static_cast<std::uint8_t>(mb.read_ready);
  pins->rdata_valid_i = static_cast<std::uint8_t>(mb.rdata_valid);
  if (mb.rdata_valid) {
    pins->rdata_i = mb.rdata;
  }
  pins->write_ready_i = static_cast<std::uint8_t>(mb.write_ready);
  pins->yield_i = static_cast<std::uint8_t>(mb.yield);
  pins->stopped_ns_i = mb.stopped_ns;
  pins->mb_response_ready_i = static_cast<std::uint8_t>(mb.response_ready);
}

template <unsigned kNumIssue, bool kMbarrier, typename Pins>
void DriveUnit(const Inputs& in, Pins* pins) {
  pins->issue_valid_i = in.issue_valid;
  for (unsigned port = 0; port < kNumIssue; ++port) {
    if ((in.issue_valid >> port & 1) != 0) {
      const Operation& operation = in.issue[port];
      pins->issue_op_i[port] = static_cast<std::uint8_t>(operation.kind);
      pins->issue_cta_i[port] = operation.cta;
      pins->issue_warp_i[port] = operation.warp;
      pins->issue_bar_i[port] = operation.bar;
      pins->issue_count_i[port] = operation.count;
      pins->issue_lanes_i[port] = operation.lanes;
      pins->issue_operand_i[port] = operation.operand;
    }
  }
  pins->lc_valid_i = static_cast<std::uint8_t>(in.lifecycle_valid);
  if (in.lifecycle_valid) {
    const Operation& operation = in.lifecycle;
    pins->lc_op_i =
        static_cast<std::uint8_t>(operation.kind) - static_cast<std::uint8_t>(OpKind::kLaunch);
    pins->lc_cta_i = operation.cta;
    pins->lc_size_i = operation.size;
    pins->lc_warps_i = operation.warps;
    pins->lc_warp_i = operation.warp;
    pins->lc_lanes_i = operation.lanes;
  }
  pins->exit_valid_i = static_cast<std::uint8_t>(in.exit_valid);
  if (in.exit_valid) {
    pins->exit_cta_i = in.exit.cta;
    pins->exit_warp_i = in.exit.warp;
    pins->exit_lanes_i = in.exit.lanes;
  }
  pins->fence_ack_i = in.fence_ack;
  pins->response_ready_i = static_cast<std::uint8_t>(in.response_ready);
  pins->debug_cta_i = in.debug_cta;
  pins->debug_bar_i = in.debug_bar;
  pins->debug_warp_i = in.debug_warp;
  if constexpr (kMbarrier) {
    DriveMbarrier(in.mb, pins);
  }
}

template <typename Pins>
void SampleMbarrier(const Pins& pins, MbOutputs* mb) {
  mb->issue_ready = pins.mb_issue_ready_o != 0;
  mb->async_ready = pins.mb_async_ready_o != 0;
  mb->remote_ready = pins.mb_remote_ready_o != 0;
  mb->busy = pins.mb_busy_o;
  mb->fence_req = pins.mb_fence_req_o;
  mb->read_valid = pins.read_valid_o != 0;
  if (mb->read_valid) {
    mb->read_place = {pins.read_cta_o, pins.read_addr_o};
  }
  mb->write_valid = pins.write_valid_o != 0;
  if (mb->write_valid) {
    mb->write_place = {pins.write_cta_o, pins.write_addr_o};
    mb->write_data = pins.write_data_o;
  }
  mb->held_valid = pins.held_valid_o;
  for (unsigned i = 0; mb->held_valid >> i != 0; ++i) {
    mb->held[i] = {pins.held_cta_o[i], pins.held_addr_o[i]};
  }
  mb->commit_valid = pins.mb_commit_valid_o != 0;
  if (mb->commit_valid) {
    mb->commit.source = static_cast<MbSource>(pins.mb_commit_source_o);
    mb->commit.warp = pins.mb_commit_warp_o;
    mb->commit.written = pins.mb_commit_written_o != 0;
    mb->commit.completed = pins.mb_commit_completed_o != 0;
    mb->commit.parked = pins.mb_commit_parked_o != 0;
    mb->commit.lanes = pins.mb_commit_lanes_o;
    mb->commit.place = {pins.mb_commit_cta_o, pins.mb_commit_addr_o};
    mb->commit.word = pins.mb_commit_word_o;
  }
  mb->wake = pins.mb_wake_o;
  mb->expire = pins.mb_expire_o;
  mb->response_valid = pins.mb_response_valid_o != 0;
  if (mb->response_valid) {
    mb->response.warp = pins.mb_response_warp_o;
    mb->response.op = static_cast<MbOp>(pins.mb_response_op_o);
    mb->response.complete = pins.mb_response_complete_o != 0;
    mb->response.lanes = pins.mb_response_lanes_o;
    mb->response.operand = pins.mb_response_operand_o;
    mb->response.token = pins.mb_response_token_o;
  }
  mb->fault_valid = pins.mb_fault_valid_o != 0;
  if (mb->fault_valid) {
    mb->fault.cause = static_cast<FaultCause>(pins.mb_fault_cause_o);
    mb->fault.source = static_cast<MbSource>(pins.mb_fault_source_o);
    mb->fault.warp = pins.mb_fault_warp_o;
    mb->fault.lanes = pins.mb_fault_lanes_o;
    mb->fault.place = {pins.mb_fault_cta_o, pins.mb_fault_addr_o};
  }
}

template <unsigned kNumIssue, bool kMbarrier, typename Pins>
void SampleUnit(const Pins& pins, Outputs* out) {
  out->issue_ready = pins.issue_ready_o;
  out->lifecycle_ready = pins.lc_ready_o != 0;
  out->exit_ready = pins.exit_ready_o != 0;
  out->commit_valid = pins.commit_valid_o;
  out->commit_lifecycle = pins.commit_lc_o != 0;
  out->commit_exit = pins.commit_exit_o != 0;
  if (out->commit_valid != 0) {
    for (unsigned port = 0; port < kNumIssue; ++port) {
      out->commit_warp[port] = pins.commit_warp_o[port];
    }
  }
  out->idle = pins.idle_o != 0;
  out->busy = pins.busy_o;
  out->fence_req = pins.fence_req_o;
  out->released = pins.release_warps_o;
  if (out->released != 0) {
    out->release_cta = pins.release_cta_o;
    out->release_bar = pins.release_bar_o;
    out->release_kind = static_cast<BarKind>(pins.release_kind_o);
    out->release_value = pins.release_value_o;
  }
  out->response_valid = pins.response_valid_o != 0;
  if (out->response_valid) {
    out->response_warp = pins.response_warp_o;
    out->response_data = pins.response_data_o;
    out->response_pred = pins.response_pred_o != 0;
  }
  out->fault_valid = pins.fault_valid_o;
  if (out->fault_valid != 0) {
    for (unsigned port = 0; port < kNumIssue + 2; ++port) {
      Outputs::Fault& fault = out->fault[port];
      fault.cause = static_cast<FaultCause>(pins.fault_cause_o[port]);
      fault.cta = pins.fault_cta_o[port];
      fault.warp = pins.fault_warp_o[port];
      fault.bar = pins.fault_bar_o[port];
      fault.lanes = pins.fault_lanes_o[port];
    }
  }
  out->entry_valid = pins.entry_valid_o != 0;
  if (out->entry_valid) {
    out->entry_cta = pins.entry_cta_o;
    out->entry_bar = pins.entry_bar_o;
    out->entry_word = pins.entry_word_o;
  }
  out->debug_word = pins.debug_word_o;
  out->debug_live = pins.debug_live_o != 0;
  out->debug_waiting = pins.debug_waiting_o != 0;
  out->debug_warp_cta = pins.debug_warp_cta_o;
  if constexpr (kMbarrier) {
    SampleMbarrier(pins, &out->mb);
  }
}

// ------------------------------------------------------------------------------------------------
// A warp scope
// ------------------------------------------------------------------------------------------------

template <typename Pins>
void DriveScope(const WarpShape& shape, const WarpInputs& in, Pins* pins) {
  pins->clear_i = in.clear;
  pins->busy_i = in.busy;
  pins->arrival_ready_i = static_cast<std::uint8_t>(in.arrival_ready);
  pins->valid_i = static_cast<std::uint8_t>(in.valid);
  const WarpRequest& request = in.request;
  pins->op_i = static_cast<std::uint8_t>(request.op);
  pins->warp_i = request.warp;
  if (!in.valid) {
    return;
  }
  pins->mode_i = request.mode;
  pins->abs_i = static_cast<std::uint8_t>(request.abs);
  pins->nan_i = static_cast<std::uint8_t>(request.nan);
  pins->cta_i = request.cta;
  // Of an exit, the pins have the lanes that are left.
  pins->lanes_i = request.op == WarpOp::kExit ? request.live : request.lanes;
  pins->live_i = request.live;
  pins->key_i = request.key;
  pins->preds_i = request.preds;
  pins->beat_i = static_cast<std::uint8_t>(in.beat);
  pins->last_i = static_cast<std::uint8_t>(in.last);
  for (unsigned l = 0; l < shape.lanes_per_beat; ++l) {
    pins->values_i[l] = request.values[in.beat * shape.lanes_per_beat + l];
  }
}

template <typename Pins>
void SampleGroup(const Pins& pins, WarpOutputs* out) {
  out->group_open = pins.group_open_o != 0;
  out->group_cta = pins.group_cta_o;
  out->group = DecodeInstruction(pins.group_code_o);
  out->group.key = pins.group_key_o;
  out->group.lanes = pins.group_lanes_o;
  out->group.preds = pins.group_preds_o;
  out->value = pins.value_o;
}

template <typename Pins>
void SampleScope(const WarpShape& /*shape*/, const Pins& pins, WarpOutputs* out) {
  out->ready = pins.ready_o != 0;
  out->active = pins.active_o != 0;
  out->open = pins.open_o;
  out->answer_valid = pins.answer_valid_o != 0;
  if (out->answer_valid) {
    out->answer.op = static_cast<WarpOp>(pins.answer_op_o);
    out->answer.warp = pins.answer_warp_o;
    out->answer.lanes = pins.answer_lanes_o;
    out->answer.data = pins.answer_data_o;
    out->answer.pred = pins.answer_pred_o != 0;
    if (out->answer.op == WarpOp::kRead) {
      SampleGroup(pins, out);
    }
  }
  out->arrival_valid = pins.arrival_valid_o != 0;
  if (out->arrival_valid) {
    out->arrival = {pins.arrival_warp_o, pins.arrival_cta_o, pins.arrival_lanes_o,
                    pins.arrival_key_o, pins.arrival_preds_o};
  }
  out->fault_valid = pins.fault_valid_o != 0;
  if (out->fault_valid) {
    out->fault = {static_cast<FaultCause>(pins.fault_cause_o), pins.fault_warp_o,
                  pins.fault_lanes_o};
  }
}

// ------------------------------------------------------------------------------------------------
// A cluster scope
// ------------------------------------------------------------------------------------------------

inline void SetBit(unsigned u, bool value, std::uint16_t* bits) {
  *bits = static_cast<std::uint16_t>((*bits & ~(1U << u)) | static_cast<unsigned>(value) << u);
}
inline bool IsSet(unsigned u, std::uint16_t bits) { return (bits >> u & 1) != 0; }

template <typename Pins>
void DriveClusterUnit(unsigned u, const ClusterInputs::Unit& in, Pins* pins) {
  SetBit(u, in.request_valid, &pins->request_valid_i);
  if (in.request_valid) {
    pins->request_op_i[u] = static_cast<std::uint8_t>(in.request.op);
    pins->request_warp_i[u] = in.request.warp;
    pins->request_cta_i[u] = in.request.cta;
    pins->request_lanes_i[u] = in.request.lanes;
    pins->request_live_i[u] = in.request.live;
  }
  pins->fence_ack_i[u] = in.fence_ack;
  SetBit(u, in.send_valid, &pins->send_valid_i);
  if (in.send_valid) {
    pins->send_cluster_i[u] = in.send.cluster;
    pins->send_rank_i[u] = in.send.rank;
    pins->send_warp_i[u] = in.send.warp;
    pins->send_op_i[u] = static_cast<std::uint8_t>(in.send.op);
    pins->send_addr_i[u] = in.send.addr;
    pins->send_lanes_i[u] = in.send.lanes;
    pins->send_operand_i[u] = in.send.operand;
    SetBit(u, in.send.has_token, &pins->send_has_token_i);
  }
  SetBit(u, in.remote_ready, &pins->remote_ready_i);
  SetBit(u, in.cancel_valid, &pins->cancel_valid_i);
  if (in.cancel_valid) {
    pins->cancel_cluster_i[u] = in.cancel.cluster;
    pins->cancel_rank_i[u] = in.cancel.rank;
    pins->cancel_warp_i[u] = in.cancel.warp;
    SetBit(u, in.cancel.multicast, &pins->cancel_multicast_i);
    pins->cancel_addr_i[u] = in.cancel.addr;
    pins->cancel_mbar_i[u] = in.cancel.mbar;
  }
  SetBit(u, in.write_ready, &pins->write_ready_i);
  SetBit(u, in.complete_ready, &pins->complete_ready_i);
}

template <typename Pins>
void DriveScope(const ClusterConfig& config, const ClusterInputs& in, Pins* pins) {
  pins->life_valid_i = static_cast<std::uint8_t>(in.life_valid);
  if (in.life_valid) {
    pins->life_op_i = static_cast<std::uint8_t>(in.life.op);
    pins->life_grid_i = in.life.grid;
    pins->life_awaits_i = in.life.awaits;
    pins->life_size_i = in.life.size;
    pins->life_cluster_i = in.life.cluster;
    pins->life_rank_i = in.life.rank;
    pins->life_unit_i = in.life.unit;
    pins->life_cta_i = in.life.cta;
  }
  for (unsigned u = 0; u < config.num_units; ++u) {
    DriveClusterUnit(u, in.units[u], pins);
  }
  pins->flushed_i = in.flushed;
  pins->take_ready_i = static_cast<std::uint8_t>(in.take_ready);
  for (unsigned word = 0; in.take_ready && word < in.take.size(); ++word) {
    pins->take_i[word] = in.take[word];
  }
}

inline std::uint8_t FirstUnit(std::uint16_t bits) {
  return static_cast<std::uint8_t>(__builtin_ctz(bits));
}

template <typename Pins>
void SampleClusterUnit(unsigned u, const Pins& pins, ClusterOutputs::Unit* out) {
  out->request_ready = IsSet(u, pins.request_ready_o);
  out->busy = pins.busy_o[u];
  out->fence_req = pins.fence_req_o[u];
  out->release = pins.release_o[u];
  out->grid_release = pins.grid_release_o[u];
  out->go_valid = IsSet(u, pins.go_valid_o);
  if (out->go_valid) {
    out->go = {static_cast<std::uint8_t>(u), pins.go_warp_o[u], pins.go_lanes_o[u]};
  }
  out->fault_valid = IsSet(u, pins.fault_valid_o);
  if (out->fault_valid) {
    out->fault = {static_cast<FaultCause>(pins.fault_cause_o[u]), pins.fault_warp_o[u],
                  pins.fault_cta_o[u], pins.fault_lanes_o[u]};
  }
  out->cancel_ready = IsSet(u, pins.cancel_ready_o);
  out->write_valid = IsSet(u, pins.write_valid_o);
  out->complete_valid = IsSet(u, pins.complete_valid_o);
}

template <typename Pins>
void SampleNetwork(unsigned u, const Pins& pins, ClusterOutputs::Unit* out) {
  out->send_ready = IsSet(u, pins.send_ready_o);
  out->remote_valid = IsSet(u, pins.remote_valid_o);
  if (out->remote_valid) {
    out->remote = {static_cast<MbOp>(pins.remote_op_o[u]),
                   {static_cast<std::uint8_t>(u), pins.remote_cta_o[u]},
                   pins.remote_addr_o[u],
                   pins.remote_lanes_o[u],
                   pins.remote_operand_o[u],
                   IsSet(u, pins.remote_has_token_o)};
    out->from = {pins.remote_unit_o[u], pins.remote_warp_o[u], pins.remote_lanes_o[u]};
  }
  out->lost_valid = IsSet(u, pins.lost_valid_o);
  if (out->lost_valid) {
    out->lost = {static_cast<std::uint8_t>(u), pins.lost_warp_o[u], pins.lost_lanes_o[u],
                 pins.lost_cluster_o[u],       pins.lost_rank_o[u], pins.lost_addr_o[u]};
  }
}

template <typename Pins>
void SampleScope(const ClusterConfig& config, const Pins& pins, ClusterOutputs* out) {
  out->life_ready = pins.life_ready_o != 0;
  out->life_fault = static_cast<FaultCause>(pins.life_fault_o);
  for (unsigned u = 0; u < config.num_units; ++u) {
    SampleClusterUnit(u, pins, &out->units[u]);
    SampleNetwork(u, pins, &out->units[u]);
  }
  out->launch = pins.launch_o;
  out->flush = pins.flush_o;
  out->take_valid = pins.take_valid_o != 0;
  if (pins.write_valid_o != 0) {
    out->write = CancelStep();
    out->write.writes = true;
    out->write.place = {FirstUnit(pins.write_valid_o), pins.write_cta_o};
    out->write.addr = pins.write_addr_o;
    for (unsigned word = 0; word < out->write.data.size(); ++word) {
      out->write.data[word] = pins.write_data_o[word];
    }
  }
  if (pins.complete_valid_o != 0) {
    out->complete = CancelStep();
    out->complete.place = {FirstUnit(pins.complete_valid_o), pins.complete_cta_o};
    out->complete.addr = pins.complete_addr_o;
    const bool completes_tx = static_cast<MbOp>(pins.complete_op_o) == MbOp::kCompleteTx;
    out->complete.bytes = completes_tx ? pins.complete_operand_o : 0;
  }
  out->cancel_lost_valid = pins.cancel_lost_valid_o != 0;
  if (out->cancel_lost_valid) {
    out->cancel_lost = {pins.cancel_lost_unit_o,  pins.cancel_lost_warp_o,
                        pins.cancel_lost_lanes_o, pins.cancel_lost_cluster_o,
                        pins.cancel_lost_rank_o,  pins.cancel_lost_addr_o};
  }
  out->active = pins.active_o != 0;
}

}  // namespace muster::lockstep

#endif  // MUSTER_SIM_LOCKSTEP_VERILATED_PINS_H_
