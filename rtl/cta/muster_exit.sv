// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The front of the exit port. If operations can be overtaken before they commit (in drain, or at
// another port), an exit waits for the operation of its warp that is on its way when it is
// presented; not for one that is accepted later. The port is answered when the exit has passed the
// checks.
module muster_exit
  import muster_pkg::*;
#(
  parameter int unsigned NumWarps = 32,
  parameter int unsigned NumIssue = 1,
  parameter bit          InOrder  = 1'b0,  // no operation can be overtaken
  localparam int unsigned WarpW   = $clog2(NumWarps),
  localparam int unsigned NumPlaces = 1 << WarpW
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,

  input  logic                 valid_i,
  output logic                 ready_o,
  input  exit_t                exit_i,
  input  logic [NumPlaces-1:0] busy_i,   // has an operation between issue and commit
  input  logic  [NumIssue-1:0] commits_i,       // an operation of each port commits
  input  warp_t [NumIssue-1:0] commit_warps_i,  // the warp of that operation

  output logic                 valid_o,  // to select
  input  logic                 ready_i,
  input  logic                 done_i    // the exit passed the checks
);

  logic clear_q;  // the warp has been seen without an operation since valid
  logic sent_q, clear;

  always_comb begin
    clear = !busy_i[exit_i.warp[WarpW-1:0]];
    for (int p = 0; p < NumIssue; p++) begin
      if (commits_i[p] && commit_warps_i[p][WarpW-1:0] == exit_i.warp[WarpW-1:0]) clear = 1'b1;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      clear_q <= 1'b0;
      sent_q  <= 1'b0;
    end else begin
      clear_q <= valid_i && !done_i && (clear_q || clear);
      sent_q  <= !done_i && (sent_q || (valid_o && ready_i));
    end
  end

  assign valid_o = valid_i && (InOrder || clear_q) && !sent_q;
  assign ready_o = done_i;

endmodule
