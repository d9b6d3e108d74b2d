// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The cluster scope with a port per field, of the same width in every configuration: units and warps beyond the
// block's are tied off.
module cluster_flat
  import muster_pkg::*;
  import muster_cluster_pkg::*;
#(
  parameter int unsigned NumUnits    = 4,
  parameter int unsigned NumWarps    = 32,
  parameter int unsigned NumCtas     = 8,
  parameter int unsigned NumClusters = 8,
  parameter int unsigned NumGrids    = 2
) (
  input  logic         clk_i,
  input  logic         rst_ni,

`include "cluster_ports.svh"
);

  logic scope_life_valid, scope_life_ready, scope_take_valid, scope_take_ready, scope_cancel_lost_valid, scope_active;
  cluster_life_t scope_life;
  fault_e scope_life_fault;
  logic [NumUnits-1:0] scope_request_valid, scope_request_ready, scope_go_valid, scope_fault_valid, scope_send_valid,
                       scope_send_ready, scope_remote_valid, scope_remote_ready, scope_lost_valid, scope_cancel_valid,
                       scope_cancel_ready, scope_write_valid, scope_write_ready, scope_complete_valid,
                       scope_complete_ready;
  cluster_request_t [NumUnits-1:0] scope_request;
  logic [NumUnits-1:0][NumWarps-1:0] scope_busy, scope_fence_req, scope_fence_ack, scope_release, scope_grid_release;
  cluster_go_t [NumUnits-1:0] scope_go;
  cluster_fault_t [NumUnits-1:0] scope_fault;
  logic [NumGrids-1:0] scope_launch, scope_flush, scope_flushed;
  remote_send_t [NumUnits-1:0] scope_send;
  mb_remote_t [NumUnits-1:0] scope_remote;
  remote_from_t [NumUnits-1:0] scope_remote_from;
  remote_lost_t [NumUnits-1:0] scope_lost;
  cancel_t [NumUnits-1:0] scope_cancel;
  cancel_response_t scope_take;
  cancel_write_t scope_write;
  mb_async_t scope_complete;
  remote_lost_t scope_cancel_lost;

  cluster_fields #(.NumUnits(NumUnits), .NumWarps(NumWarps), .NumGrids(NumGrids)) u_fields (.*);

  muster_cluster #(
    .NumUnits(NumUnits), .NumWarps(NumWarps), .NumCtas(NumCtas), .NumClusters(NumClusters), .NumGrids(NumGrids)
  ) u_cluster (
    .clk_i, .rst_ni, .life_valid_i (scope_life_valid), .life_ready_o (scope_life_ready), .life_i (scope_life),
    .life_fault_o (scope_life_fault), .request_valid_i (scope_request_valid), .request_ready_o (scope_request_ready),
    .request_i (scope_request), .busy_o (scope_busy), .fence_req_o (scope_fence_req), .fence_ack_i (scope_fence_ack),
    .go_valid_o (scope_go_valid), .go_o (scope_go), .release_o (scope_release), .grid_release_o (scope_grid_release),
    .fault_valid_o (scope_fault_valid), .fault_o (scope_fault), .launch_o (scope_launch), .flush_o (scope_flush),
    .flushed_i (scope_flushed), .send_valid_i (scope_send_valid), .send_ready_o (scope_send_ready),
    .send_i (scope_send), .remote_valid_o (scope_remote_valid), .remote_ready_i (scope_remote_ready),
    .remote_o (scope_remote), .remote_from_o (scope_remote_from), .lost_valid_o (scope_lost_valid),
    .lost_o (scope_lost), .cancel_valid_i (scope_cancel_valid), .cancel_ready_o (scope_cancel_ready),
    .cancel_i (scope_cancel), .take_valid_o (scope_take_valid), .take_ready_i (scope_take_ready),
    .take_i (scope_take), .write_valid_o (scope_write_valid), .write_ready_i (scope_write_ready),
    .write_o (scope_write), .complete_valid_o (scope_complete_valid), .complete_ready_i (scope_complete_ready),
    .complete_o (scope_complete), .cancel_lost_valid_o (scope_cancel_lost_valid), .cancel_lost_o (scope_cancel_lost),
    .active_o (scope_active)
  );

endmodule
