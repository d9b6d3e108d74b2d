// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The warps that have an operation between issue and commit. The next operation of such a warp
// waits at its port.
module muster_busy #(
  parameter int unsigned NumWarps = 32,
  parameter int unsigned NumIssue = 1
) (
  input  logic                              clk_i,
  input  logic                              rst_ni,
  input  logic [NumIssue-1:0][NumWarps-1:0] accept_i,  // of each port
  input  logic [NumIssue-1:0][NumWarps-1:0] commit_i,
  output logic               [NumWarps-1:0] busy_o
);

  logic [NumWarps-1:0] busy_q, busy_d;

  always_comb begin
    busy_d = busy_q;
    for (int p = 0; p < NumIssue; p++) busy_d = busy_d & ~commit_i[p];
    for (int p = 0; p < NumIssue; p++) busy_d = busy_d | accept_i[p];
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      busy_q <= '0;
    end else begin
      busy_q <= busy_d;
    end
  end

  assign busy_o = busy_q;

endmodule
