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

  input  logic         life_valid_i,
  output logic         life_ready_o,
  output logic [4:0]   life_fault_o,
  input  logic [1:0]   life_op_i,
  input  logic [2:0]   life_grid_i,
  input  logic [7:0]   life_awaits_i,
  input  logic [31:0]  life_size_i,
  input  logic [5:0]   life_cluster_i,
  input  logic [3:0]   life_rank_i,
  input  logic [3:0]   life_unit_i,
  input  logic [4:0]   life_cta_i,

  input  logic [15:0]  request_valid_i,
  output logic [15:0]  request_ready_o,
  input  logic [2:0]   request_op_i    [MaxUnits],
  input  logic [5:0]   request_warp_i  [MaxUnits],
  input  logic [4:0]   request_cta_i   [MaxUnits],
  input  logic [31:0]  request_lanes_i [MaxUnits],
  input  logic [31:0]  request_live_i  [MaxUnits],
  output logic [63:0]  busy_o          [MaxUnits],
  output logic [63:0]  fence_req_o     [MaxUnits],
  input  logic [63:0]  fence_ack_i     [MaxUnits],

  output logic [15:0]  go_valid_o,
  output logic [5:0]   go_warp_o       [MaxUnits],
  output logic [31:0]  go_lanes_o      [MaxUnits],
  output logic [63:0]  release_o       [MaxUnits],
  output logic [63:0]  grid_release_o  [MaxUnits],
  output logic [15:0]  fault_valid_o,
  output logic [4:0]   fault_cause_o   [MaxUnits],
  output logic [5:0]   fault_warp_o    [MaxUnits],
  output logic [4:0]   fault_cta_o     [MaxUnits],
  output logic [31:0]  fault_lanes_o   [MaxUnits],

  output logic [7:0]   launch_o,
  output logic [7:0]   flush_o,
  input  logic [7:0]   flushed_i,

  input  logic [15:0]  send_valid_i,
  output logic [15:0]  send_ready_o,
  input  logic [5:0]   send_cluster_i   [MaxUnits],
  input  logic [3:0]   send_rank_i      [MaxUnits],
  input  logic [5:0]   send_warp_i      [MaxUnits],
  input  logic [3:0]   send_op_i        [MaxUnits],
  input  logic [31:0]  send_addr_i      [MaxUnits],
  input  logic [31:0]  send_lanes_i     [MaxUnits],
  input  logic [31:0]  send_operand_i   [MaxUnits],
  input  logic [15:0]  send_has_token_i,
  output logic [15:0]  remote_valid_o,
  input  logic [15:0]  remote_ready_i,
  output logic [3:0]   remote_op_o      [MaxUnits],
  output logic [4:0]   remote_cta_o     [MaxUnits],
  output logic [31:0]  remote_addr_o    [MaxUnits],
  output logic [31:0]  remote_lanes_o   [MaxUnits],
  output logic [31:0]  remote_operand_o [MaxUnits],
  output logic [15:0]  remote_has_token_o,
  output logic [3:0]   remote_unit_o    [MaxUnits],
  output logic [5:0]   remote_warp_o    [MaxUnits],
  output logic [15:0]  lost_valid_o,
  output logic [5:0]   lost_warp_o      [MaxUnits],
  output logic [31:0]  lost_lanes_o     [MaxUnits],
  output logic [5:0]   lost_cluster_o   [MaxUnits],
  output logic [3:0]   lost_rank_o      [MaxUnits],
  output logic [31:0]  lost_addr_o      [MaxUnits],

  input  logic [15:0]  cancel_valid_i,
  output logic [15:0]  cancel_ready_o,
  input  logic [5:0]   cancel_cluster_i [MaxUnits],
  input  logic [3:0]   cancel_rank_i    [MaxUnits],
  input  logic [5:0]   cancel_warp_i    [MaxUnits],
  input  logic [15:0]  cancel_multicast_i,
  input  logic [31:0]  cancel_addr_i    [MaxUnits],
  input  logic [31:0]  cancel_mbar_i    [MaxUnits],
  output logic         take_valid_o,
  input  logic         take_ready_i,
  input  logic [31:0]  take_i           [4],
  output logic [15:0]  write_valid_o,
  input  logic [15:0]  write_ready_i,
  output logic [4:0]   write_cta_o,
  output logic [31:0]  write_addr_o,
  output logic [31:0]  write_data_o     [4],
  output logic [15:0]  complete_valid_o,
  input  logic [15:0]  complete_ready_i,
  output logic [3:0]   complete_op_o,
  output logic [4:0]   complete_cta_o,
  output logic [31:0]  complete_addr_o,
  output logic [31:0]  complete_operand_o,
  output logic         cancel_lost_valid_o,
  output logic [3:0]   cancel_lost_unit_o,
  output logic [5:0]   cancel_lost_warp_o,
  output logic [5:0]   cancel_lost_cluster_o,
  output logic [3:0]   cancel_lost_rank_o,
  output logic [31:0]  cancel_lost_addr_o,
  output logic         active_o
);

  logic             [NumUnits-1:0] request_ready, go_valid, fault_valid, send_ready, remote_valid, lost_valid;
  logic             [NumUnits-1:0] cancel_ready, write_valid, complete_valid;
  cluster_request_t [NumUnits-1:0] request;
  cluster_go_t      [NumUnits-1:0] go;
  cluster_fault_t   [NumUnits-1:0] fault;
  remote_send_t     [NumUnits-1:0] send;
  mb_remote_t       [NumUnits-1:0] remote;
  remote_from_t     [NumUnits-1:0] from;
  remote_lost_t     [NumUnits-1:0] lost;
  cancel_t          [NumUnits-1:0] cancel;
  cancel_write_t                   write;
  mb_async_t                       complete;
  remote_lost_t                    cancel_lost;
  fault_e                          life_fault;
  logic             [NumGrids-1:0] launch, flush;
  logic [NumUnits-1:0][NumWarps-1:0] busy, fence_req, fence_ack, released, grid_release;

  for (genvar u = 0; u < NumUnits; u++) begin : g_in
    assign request[u] = '{op: cluster_op_e'(request_op_i[u]), warp: request_warp_i[u], cta: request_cta_i[u],
                          lanes: request_lanes_i[u], live: request_live_i[u]};
    assign send[u]    = '{cluster: send_cluster_i[u], rank: send_rank_i[u], warp: send_warp_i[u],
                          op: mb_op_e'(send_op_i[u]), addr: send_addr_i[u], lanes: send_lanes_i[u],
                          operand: send_operand_i[u], has_token: send_has_token_i[u]};
    assign cancel[u]  = '{cluster: cancel_cluster_i[u], rank: cancel_rank_i[u], warp: cancel_warp_i[u],
                          multicast: cancel_multicast_i[u], addr: cancel_addr_i[u], mbar: cancel_mbar_i[u]};
    assign fence_ack[u] = fence_ack_i[u][NumWarps-1:0];
  end

  for (genvar u = 0; u < MaxUnits; u++) begin : g_out
    if (u < NumUnits) begin : g_unit
      assign busy_o[u]             = 64'(busy[u]);
      assign fence_req_o[u]        = 64'(fence_req[u]);
      assign go_warp_o[u]          = go[u].warp;
      assign go_lanes_o[u]         = go[u].lanes;
      assign release_o[u]          = 64'(released[u]);
      assign grid_release_o[u]     = 64'(grid_release[u]);
      assign fault_cause_o[u]      = fault[u].cause;
      assign fault_warp_o[u]       = fault[u].warp;
      assign fault_cta_o[u]        = fault[u].cta;
      assign fault_lanes_o[u]      = fault[u].lanes;
      assign remote_op_o[u]        = remote[u].op;
      assign remote_cta_o[u]       = remote[u].place.cta;
      assign remote_addr_o[u]      = remote[u].place.addr;
      assign remote_lanes_o[u]     = remote[u].lanes;
      assign remote_operand_o[u]   = remote[u].operand;
      assign remote_has_token_o[u] = remote[u].has_token;
      assign {remote_unit_o[u], remote_warp_o[u]} = from[u];
      assign lost_warp_o[u]        = lost[u].warp;
      assign lost_lanes_o[u]       = lost[u].lanes;
      assign lost_cluster_o[u]     = lost[u].cluster;
      assign lost_rank_o[u]        = lost[u].rank;
      assign lost_addr_o[u]        = lost[u].addr;
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

  assign request_ready_o  = 16'(request_ready);
  assign go_valid_o       = 16'(go_valid);
  assign fault_valid_o    = 16'(fault_valid);
  assign send_ready_o     = 16'(send_ready);
  assign remote_valid_o   = 16'(remote_valid);
  assign lost_valid_o     = 16'(lost_valid);
  assign cancel_ready_o   = 16'(cancel_ready);
  assign write_valid_o    = 16'(write_valid);
  assign complete_valid_o = 16'(complete_valid);
  assign life_fault_o     = life_fault;
  assign launch_o         = 8'(launch);
  assign flush_o          = 8'(flush);
  assign {write_cta_o, write_addr_o} = write.place;
  assign write_data_o     = '{write.data.ctaid[0], write.data.ctaid[1], write.data.ctaid[2], write.data.is_canceled};
  assign complete_op_o    = complete.op;
  assign {complete_cta_o, complete_addr_o} = complete.place;
  assign complete_operand_o    = complete.operand;
  assign cancel_lost_unit_o    = cancel_lost.unit;
  assign cancel_lost_warp_o    = cancel_lost.warp;
  assign cancel_lost_cluster_o = cancel_lost.cluster;
  assign cancel_lost_rank_o    = cancel_lost.rank;
  assign cancel_lost_addr_o    = cancel_lost.addr;

  muster_cluster #(
    .NumUnits(NumUnits), .NumWarps(NumWarps), .NumCtas(NumCtas), .NumClusters(NumClusters), .NumGrids(NumGrids)
  ) u_cluster (
    .clk_i, .rst_ni,
    .life_valid_i, .life_ready_o, .life_fault_o (life_fault),
    .life_i ('{op: cluster_life_e'(life_op_i), grid: life_grid_i, awaits: life_awaits_i, size: life_size_i,
               cluster: life_cluster_i, rank: life_rank_i, unit: life_unit_i, cta: life_cta_i}),
    .request_valid_i (request_valid_i[NumUnits-1:0]), .request_ready_o (request_ready), .request_i (request),
    .busy_o (busy), .fence_req_o (fence_req), .fence_ack_i (fence_ack),
    .go_valid_o (go_valid), .go_o (go), .release_o (released), .grid_release_o (grid_release),
    .fault_valid_o (fault_valid), .fault_o (fault),
    .launch_o (launch), .flush_o (flush), .flushed_i (flushed_i[NumGrids-1:0]),
    .send_valid_i (send_valid_i[NumUnits-1:0]), .send_ready_o (send_ready), .send_i (send),
    .remote_valid_o (remote_valid), .remote_ready_i (remote_ready_i[NumUnits-1:0]), .remote_o (remote),
    .remote_from_o (from),
    .lost_valid_o (lost_valid), .lost_o (lost),
    .cancel_valid_i (cancel_valid_i[NumUnits-1:0]), .cancel_ready_o (cancel_ready), .cancel_i (cancel),
    .take_valid_o, .take_ready_i, .take_i ({take_i[3], take_i[2], take_i[1], take_i[0]}),
    .write_valid_o (write_valid), .write_ready_i (write_ready_i[NumUnits-1:0]), .write_o (write),
    .complete_valid_o (complete_valid), .complete_ready_i (complete_ready_i[NumUnits-1:0]),
    .complete_o (complete), .cancel_lost_valid_o, .cancel_lost_o (cancel_lost), .active_o
  );

endmodule
