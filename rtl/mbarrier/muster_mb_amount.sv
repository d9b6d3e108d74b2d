// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The sum of the operands of n lanes, which is n times the common operand. It is ready at once for
// one lane and for operand 1, and otherwise after six more cycles, which take a bit of n each, from
// the top.
module muster_mb_amount
  import muster_pkg::*;
  import muster_mb_pkg::*;
(
  input  logic      clk_i,
  input  logic      load_i,     // the other inputs change with this edge
  input  nlanes_t   lanes_i,
  input  logic      single_i,   // one lane
  input  logic      one_i,      // the operand is 1
  input  mb_count_t operand_i,
  output logic      done_o,
  output total_t    total_o
);

  logic       fresh_q, done_q;
  logic [2:0] left_q;
  nlanes_t    bits_q, bits;
  total_t     sum_q, sum;

  assign bits = fresh_q ? lanes_i : bits_q;
  assign sum  = fresh_q ? '0 : sum_q << 1;

  always_ff @(posedge clk_i) begin
    fresh_q <= load_i;
    done_q  <= !load_i && !fresh_q && left_q <= 3'd1;
    left_q  <= fresh_q ? 3'd5 : left_q - 3'(left_q != 3'd0);
    if (fresh_q || left_q != 3'd0) begin
      bits_q <= bits << 1;
      sum_q  <= sum + (bits[5] ? TotalW'(operand_i) : '0);
    end
  end

  assign done_o  = single_i || one_i || done_q;
  assign total_o = one_i ? TotalW'(lanes_i) : single_i ? TotalW'(operand_i) : sum_q;

endmodule
