// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The sum of the operands of n lanes, which is n times the common operand. It is ready at once for one
// lane and for operand 1, and otherwise after six more cycles, which take a bit of n each, from the top.
module muster_mb_amount
  import muster_pkg::*;
  import muster_mb_pkg::*;
(
  input  logic      clk_i,
  input  logic      rst_ni,
  input  logic      load_i,     // a new sum, from the next cycle on
  input  nlanes_t   lanes_i,
  input  mb_count_t operand_i,

  input  mb_count_t operand_q_i,  // the same, held
  output logic      done_o,
  output nlanes_t   lanes_o,
  output total_t    total_o
);

  logic    done_q, at_once;
  nlanes_t lanes_q, bits_q;
  logic [2:0] left_q;
  total_t  total_q;

  assign at_once = lanes_i == 6'd1 || operand_i == 20'd1;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      done_q <= 1'b1;
    end else if (load_i) begin
      done_q <= at_once;
    end else if (left_q == 3'd0) begin
      done_q <= 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (load_i) begin
      lanes_q <= lanes_i;
      bits_q  <= lanes_i;
      left_q  <= 3'd5;
      total_q <= !at_once ? '0 : lanes_i == 6'd1 ? TotalW'(operand_i) : TotalW'(lanes_i);
    end else if (!done_q) begin
      bits_q  <= bits_q << 1;
      left_q  <= left_q - 3'd1;
      total_q <= (total_q << 1) + (bits_q[5] ? TotalW'(operand_q_i) : '0);
    end
  end

  assign done_o  = done_q;
  assign lanes_o = lanes_q;
  assign total_o = total_q;

endmodule
