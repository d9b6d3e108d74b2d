// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// For the proof of the first half of the adder, for all pairs of finite numbers of f16: the sum
// that it hands on to be rounded is the exact one, which is a multiple of the least subnormal
// number, but for a last bit that stands for all behind it. Together with the proof of the second
// half (atomics_round_formal.sv), the sum is the one that IEEE 754 defines: where bits are behind
// the last one, that is not among those which the format keeps, nor the next one.
module atomics_float_formal
  import muster_atomics_pkg::*;
(
  input logic        clk_i,
  input logic [15:0] a_i,
  input logic [15:0] b_i
);

  localparam int unsigned ExactW = 42;
  localparam int unsigned Behind = 17;  // bits of the sum below the least subnormal number
  typedef logic [ExactW+Behind-1:0] exact_t;

  function automatic exact_t magnitude_of(logic [15:0] n);
    return n[14:10] == '0 ? exact_t'(n[9:0]) : exact_t'({1'b1, n[9:0]}) << (n[14:10] - 5'd1);
  endfunction

  function automatic logic [4:0] scale_of(logic [15:0] n);
    return n[14:10] == '0 ? 5'd1 : n[14:10];
  endfunction

  logic        begun = 1'b0;
  logic  [3:0] cycle_q = '0;
  logic [15:0] a_q, b_q;
  logic [63:0] unused_sum;
  logic        negative, sticky;
  logic  [4:0] scale;
  exact_t      ma, mb, exact;

  always_ff @(posedge clk_i) begin
    begun   <= 1'b1;
    cycle_q <= cycle_q + 4'(cycle_q != '1);
    if (!begun) begin
      a_q <= a_i;
      b_q <= b_i;
    end
  end

  muster_atomics_float #(.Floats (2)) u_float (
    .clk_i, .format_i (AtF16), .quarter_i ('0), .a_i ({48'd0, a_q}), .b_i ({48'd0, b_q}),
    .sum_o (unused_sum)
  );

  // The exact sum, with bit Behind for the least subnormal number; then with bit 26 for the hidden
  // bit of the larger number.
  assign ma       = magnitude_of(a_q) << Behind;
  assign mb       = magnitude_of(b_q) << Behind;
  assign negative = ma == mb ? a_q[15] && b_q[15] : ma > mb ? a_q[15] : b_q[15];
  assign exact    = a_q[15] == b_q[15] ? ma + mb : ma > mb ? ma - mb : mb - ma;
  assign scale    = a_q[14:0] > b_q[14:0] ? scale_of(a_q) : scale_of(b_q);
  assign sticky   = (exact & ((exact_t'(1) << scale) - exact_t'(1))) != '0;

  always_ff @(posedge clk_i) begin
    assume (a_i[14:10] != '1 && b_i[14:10] != '1);

    if (cycle_q == 4'd6) begin
      // 1. The sum is the exact one, but for its last bit.
      P01_sum: assert (u_float.total_q == 28'((exact >> scale) | exact_t'(sticky)));

      // 2. Its exponent and sign are those of the larger number.
      P02_scale: assert (u_float.add_q.exp == 11'(scale) &&
                         (u_float.total_q == '0 || u_float.add_q.sign == negative));

      // 3. If there are bits behind the last one, two bits at most are missing before the first.
      P03_sticky: assert (!sticky || u_float.total_q[27:25] != '0);

      C01_sum:    cover (sticky && a_q[15] != b_q[15] && u_float.total_q[27:25] == 3'b001);
      C02_scale:  cover (negative && scale == 5'd1);
      C03_sticky: cover (sticky && a_q[15] == b_q[15]);
    end
  end

endmodule
