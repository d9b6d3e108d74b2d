// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Whether a block of the unit needs no edge of its clock. What an operation has set off, such as
// its release, comes two cycles after its commit at the latest.
module muster_idle (
  input  logic clk_i,     // the clock that idle_o lets one leave out
  input  logic rst_ni,
  input  logic active_i,  // an operation is in the block, or something is to be done there
  output logic idle_o     // this cycle needs no edge of clk_i
);

  logic [1:0] active_q;  // one cycle ago, and two

  assign idle_o = !active_i && active_q == '0;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      active_q <= '1;
    end else begin
      active_q <= {active_q[0], active_i};
    end
  end

endmodule
