// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Knows the warps that have an operation between issue and commit. The next operation of such a
// warp waits at its port. There is a bit per warp, from the acceptance of its operation to the
// commit. If no operation can be overtaken, each is in the check or the count stage meanwhile, and
// comparisons with these two take the place of the bits.
module muster_busy
  import muster_pkg::*;
#(
  parameter int unsigned  NumWarps = 32,
  parameter int unsigned  NumIssue = 1,
  parameter bit           InOrder  = 1'b0,  // no operation can be overtaken
  localparam int unsigned WarpW    = $clog2(NumWarps)
) (
  input  logic                              clk_i,
  input  logic                              rst_ni,
  input  logic [NumIssue-1:0][NumWarps-1:0] accept_i,       // of each port
  input  logic [NumIssue-1:0][NumWarps-1:0] commit_i,
  // An operation is in count (0), in check (1).
  input  logic [1:0]                        stage_valid_i,
  input  logic [1:0][WarpW-1:0]             stage_warp_i,   // the warp of that operation
  input  issue_t [NumIssue-1:0]             issue_i,        // the operation at each port
  output logic [NumIssue-1:0]               held_o,         // the warp of that operation is busy
  output logic [NumWarps-1:0]               busy_o
);

  if (InOrder) begin : g_in_order
    always_comb begin
      busy_o = '0;
      held_o = '0;
      for (int s = 0; s < 2; s++) begin
        if (stage_valid_i[s]) begin
          busy_o[stage_warp_i[s]] = 1'b1;
          if (stage_warp_i[s] == issue_i[0].warp[WarpW-1:0]) held_o[0] = 1'b1;
        end
      end
    end

    logic unused;
    assign unused = &{clk_i, rst_ni, accept_i, commit_i};
  end else begin : g_bits
    logic [NumWarps-1:0] busy_q, busy_d;

    always_comb begin
      busy_d = busy_q;
      for (int p = 0; p < NumIssue; p++) busy_d = busy_d & ~commit_i[p];
      for (int p = 0; p < NumIssue; p++) busy_d = busy_d | accept_i[p];
      for (int p = 0; p < NumIssue; p++) held_o[p] = busy_q[issue_i[p].warp[WarpW-1:0]];
    end

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        busy_q <= '0;
      end else begin
        busy_q <= busy_d;
      end
    end

    assign busy_o = busy_q;

    logic unused;
    assign unused = &{stage_valid_i, stage_warp_i};
  end

endmodule
