// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Between the pins of a cluster scope, a port per field (cluster_ports.svh), and the ports of
// rtl/cluster/muster_cluster.sv, which have scope_ before their names here.
module cluster_fields
  import muster_pkg::*;
  import muster_cluster_pkg::*;
#(
  parameter int unsigned NumUnits = 4,
  parameter int unsigned NumWarps = 32,
  parameter int unsigned NumGrids = 2
) (
  output logic                                       scope_life_valid,
  input  logic                                       scope_life_ready,
  output cluster_life_t                              scope_life,
  input  fault_e                                     scope_life_fault,
  output logic             [NumUnits-1:0]            scope_request_valid,
  input  logic             [NumUnits-1:0]            scope_request_ready,
  output cluster_request_t [NumUnits-1:0]            scope_request,
  input  logic [NumUnits-1:0][NumWarps-1:0]          scope_busy,
  input  logic [NumUnits-1:0][NumWarps-1:0]          scope_fence_req,
  output logic [NumUnits-1:0][NumWarps-1:0]          scope_fence_ack,
  input  logic             [NumUnits-1:0]            scope_go_valid,
  input  cluster_go_t      [NumUnits-1:0]            scope_go,
  input  logic [NumUnits-1:0][NumWarps-1:0]          scope_release,
  input  logic [NumUnits-1:0][NumWarps-1:0]          scope_grid_release,
  input  logic             [NumUnits-1:0]            scope_fault_valid,
  input  cluster_fault_t   [NumUnits-1:0]            scope_fault,
  input  logic             [NumGrids-1:0]            scope_launch,
  input  logic             [NumGrids-1:0]            scope_flush,
  output logic             [NumGrids-1:0]            scope_flushed,
  output logic             [NumUnits-1:0]            scope_send_valid,
  input  logic             [NumUnits-1:0]            scope_send_ready,
  output remote_send_t     [NumUnits-1:0]            scope_send,
  input  logic             [NumUnits-1:0]            scope_remote_valid,
  output logic             [NumUnits-1:0]            scope_remote_ready,
  input  mb_remote_t       [NumUnits-1:0]            scope_remote,
  input  remote_from_t     [NumUnits-1:0]            scope_remote_from,
  input  logic             [NumUnits-1:0]            scope_lost_valid,
  input  remote_lost_t     [NumUnits-1:0]            scope_lost,
  output logic             [NumUnits-1:0]            scope_cancel_valid,
  input  logic             [NumUnits-1:0]            scope_cancel_ready,
  output cancel_t          [NumUnits-1:0]            scope_cancel,
  input  logic                                       scope_take_valid,
  output logic                                       scope_take_ready,
  output cancel_response_t                           scope_take,
  input  logic             [NumUnits-1:0]            scope_write_valid,
  output logic             [NumUnits-1:0]            scope_write_ready,
  input  cancel_write_t                              scope_write,
  input  logic             [NumUnits-1:0]            scope_complete_valid,
  output logic             [NumUnits-1:0]            scope_complete_ready,
  input  mb_async_t                                  scope_complete,
  input  logic                                       scope_cancel_lost_valid,
  input  remote_lost_t                               scope_cancel_lost,
  input  logic                                       scope_active,

`include "cluster_ports.svh"
);

  for (genvar u = 0; u < NumUnits; u++) begin : g_in
    assign scope_request[u] = '{op: cluster_op_e'(request_op_i[u]), warp: request_warp_i[u], cta: request_cta_i[u],
                          lanes: request_lanes_i[u], live: request_live_i[u]};
    assign scope_send[u]    = '{cluster: send_cluster_i[u], rank: send_rank_i[u], warp: send_warp_i[u],
                          op: mb_op_e'(send_op_i[u]), addr: send_addr_i[u], lanes: send_lanes_i[u],
                          operand: send_operand_i[u], has_token: send_has_token_i[u]};
    assign scope_cancel[u]  = '{cluster: cancel_cluster_i[u], rank: cancel_rank_i[u], warp: cancel_warp_i[u],
                          multicast: cancel_multicast_i[u], addr: cancel_addr_i[u], mbar: cancel_mbar_i[u]};
    assign scope_fence_ack[u] = fence_ack_i[u][NumWarps-1:0];
  end

  for (genvar u = 0; u < MaxUnits; u++) begin : g_out
    if (u < NumUnits) begin : g_unit
      assign busy_o[u]             = 64'(scope_busy[u]);
      assign fence_req_o[u]        = 64'(scope_fence_req[u]);
      assign go_warp_o[u]          = scope_go[u].warp;
      assign go_lanes_o[u]         = scope_go[u].lanes;
      assign release_o[u]          = 64'(scope_release[u]);
      assign grid_release_o[u]     = 64'(scope_grid_release[u]);
      assign fault_cause_o[u]      = scope_fault[u].cause;
      assign fault_warp_o[u]       = scope_fault[u].warp;
      assign fault_cta_o[u]        = scope_fault[u].cta;
      assign fault_lanes_o[u]      = scope_fault[u].lanes;
      assign remote_op_o[u]        = scope_remote[u].op;
      assign remote_cta_o[u]       = scope_remote[u].place.cta;
      assign remote_addr_o[u]      = scope_remote[u].place.addr;
      assign remote_lanes_o[u]     = scope_remote[u].lanes;
      assign remote_operand_o[u]   = scope_remote[u].operand;
      assign remote_has_token_o[u] = scope_remote[u].has_token;
      assign {remote_unit_o[u], remote_warp_o[u]} = scope_remote_from[u];
      assign lost_warp_o[u]        = scope_lost[u].warp;
      assign lost_lanes_o[u]       = scope_lost[u].lanes;
      assign lost_cluster_o[u]     = scope_lost[u].cluster;
      assign lost_rank_o[u]        = scope_lost[u].rank;
      assign lost_addr_o[u]        = scope_lost[u].addr;
    end else begin : g_none
      assign busy_o[u]             = '0;
      assign fence_req_o[u]        = '0;
      assign go_warp_o[u]          = '0;
      assign go_lanes_o[u]         = '0;
      assign release_o[u]          = '0;
      assign grid_release_o[u]     = '0;
      assign fault_cause_o[u]      = '0;
      assign fault_warp_o[u]       = '0;
      assign fault_cta_o[u]        = '0;
      assign fault_lanes_o[u]      = '0;
      assign remote_op_o[u]        = '0;
      assign remote_cta_o[u]       = '0;
      assign remote_addr_o[u]      = '0;
      assign remote_lanes_o[u]     = '0;
      assign remote_operand_o[u]   = '0;
      assign remote_has_token_o[u] = '0;
      assign {remote_unit_o[u], remote_warp_o[u]} = '0;
      assign lost_warp_o[u]        = '0;
      assign lost_lanes_o[u]       = '0;
      assign lost_cluster_o[u]     = '0;
      assign lost_rank_o[u]        = '0;
      assign lost_addr_o[u]        = '0;
    end
  end

  assign request_ready_o  = 16'(scope_request_ready);
  assign go_valid_o       = 16'(scope_go_valid);
  assign fault_valid_o    = 16'(scope_fault_valid);
  assign send_ready_o     = 16'(scope_send_ready);
  assign remote_valid_o   = 16'(scope_remote_valid);
  assign lost_valid_o     = 16'(scope_lost_valid);
  assign cancel_ready_o   = 16'(scope_cancel_ready);
  assign write_valid_o    = 16'(scope_write_valid);
  assign complete_valid_o = 16'(scope_complete_valid);
  assign life_fault_o     = scope_life_fault;
  assign launch_o         = 8'(scope_launch);
  assign flush_o          = 8'(scope_flush);
  assign {write_cta_o, write_addr_o} = scope_write.place;
  assign write_data_o     = '{scope_write.data.ctaid[0], scope_write.data.ctaid[1], scope_write.data.ctaid[2],
                              scope_write.data.is_canceled};
  assign complete_op_o    = scope_complete.op;
  assign {complete_cta_o, complete_addr_o} = scope_complete.place;
  assign complete_operand_o    = scope_complete.operand;
  assign cancel_lost_unit_o    = scope_cancel_lost.unit;
  assign cancel_lost_warp_o    = scope_cancel_lost.warp;
  assign cancel_lost_lanes_o   = scope_cancel_lost.lanes;
  assign cancel_lost_cluster_o = scope_cancel_lost.cluster;
  assign cancel_lost_rank_o    = scope_cancel_lost.rank;
  assign cancel_lost_addr_o    = scope_cancel_lost.addr;

  assign scope_life_valid    = life_valid_i;
  assign life_ready_o        = scope_life_ready;
  assign scope_life          = '{op: cluster_life_e'(life_op_i), grid: life_grid_i, awaits: life_awaits_i,
                                 size: life_size_i, cluster: life_cluster_i, rank: life_rank_i, unit: life_unit_i,
                                 cta: life_cta_i};
  assign scope_request_valid  = request_valid_i[NumUnits-1:0];
  assign scope_flushed        = flushed_i[NumGrids-1:0];
  assign scope_send_valid     = send_valid_i[NumUnits-1:0];
  assign scope_remote_ready   = remote_ready_i[NumUnits-1:0];
  assign scope_cancel_valid   = cancel_valid_i[NumUnits-1:0];
  assign take_valid_o         = scope_take_valid;
  assign scope_take_ready     = take_ready_i;
  assign scope_take           = {take_i[3], take_i[2], take_i[1], take_i[0]};
  assign scope_write_ready    = write_ready_i[NumUnits-1:0];
  assign scope_complete_ready = complete_ready_i[NumUnits-1:0];
  assign cancel_lost_valid_o  = scope_cancel_lost_valid;
  assign active_o             = scope_active;

endmodule
