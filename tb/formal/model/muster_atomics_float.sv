// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// For proofs of what is around it: an adder whose sums have one bit, the first ones of its numbers,
// added, after as many cycles as the real one takes.
module muster_atomics_float
  import muster_atomics_pkg::*;
#(
  parameter int unsigned Floats = 3
) (
  input  logic        clk_i,
  input  at_format_e  format_i,
  input  logic [1:0]  quarter_i,
  input  logic [63:0] a_i,
  input  logic [63:0] b_i,
  output logic [63:0] sum_o
);

  logic [AtFloatSteps-2:0] sums_q;  // under way
  logic              [5:0] first;

  always_comb begin
    unique case ((Floats == 1) ? AtF32 : format_i)
      AtF64:   first = '0;
      AtF32:   first = {quarter_i[1], 5'd0};
      default: first = {quarter_i, 4'd0};
    endcase
  end

  always_ff @(posedge clk_i) sums_q <= {sums_q[AtFloatSteps-3:0], a_i[first] ^ b_i[first]};

  assign sum_o = {4{15'd0, sums_q[AtFloatSteps-2]}};

endmodule
