// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// What enters the pipeline of atomics: updates of the core's warps, behind their drain, and those
// of other CTAs in turns with these.
module muster_atomics_enter
  import muster_atomics_pkg::*;
#(
  parameter int unsigned NumWarps = 32,
  parameter bit          EnDrain  = 1'b1,
  parameter bit          En128    = 1'b0,
  parameter bit          EnRemote = 1'b0
) (
  input  logic                clk_i,
  input  logic                rst_ni,

  input  logic                issue_valid_i,
  output logic                issue_ready_o,
  input  at_update_t          issue_i,
  input  logic                remote_valid_i,
  output logic                remote_ready_o,
  input  at_update_t          remote_i,
  output logic [NumWarps-1:0] fence_req_o,
  input  logic [NumWarps-1:0] fence_ack_i,

  output logic                valid_o,
  input  logic                ready_i,
  output at_update_t          update_o
);

  localparam int unsigned WarpW = $clog2(NumWarps);

  logic drained_valid, drained_ready;

  if (EnDrain) begin : g_drain
    muster_atomics_drain #(.NumWarps(NumWarps)) u_drain (
      .clk_i, .rst_ni, .valid_i (issue_valid_i), .ready_o (issue_ready_o),
      .releasing_i (issue_i.releasing), .warp_i (issue_i.warp[WarpW-1:0]),
      .fence_req_o, .fence_ack_i, .valid_o (drained_valid), .ready_i (drained_ready)
    );
  end else begin : g_no_drain
    assign issue_ready_o = drained_ready;
    assign drained_valid = issue_valid_i;
    assign fence_req_o   = '0;
  end

  if (EnRemote) begin : g_remote
    muster_atomics_turn #(.En128(En128)) u_turn (
      .clk_i, .rst_ni,
      .issue_valid_i (drained_valid), .issue_ready_o (drained_ready), .issue_i,
      .remote_valid_i, .remote_ready_o, .remote_i, .valid_o, .ready_i, .update_o
    );
  end else begin : g_no_remote
    always_comb begin
      update_o           = issue_i;
      update_o.from      = '0;
      update_o.completes = 1'b0;
    end
    assign valid_o        = drained_valid;
    assign drained_ready  = ready_i;
    assign remote_ready_o = 1'b0;
  end

endmodule
