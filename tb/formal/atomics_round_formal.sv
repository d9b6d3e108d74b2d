// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// For the proof of the second half of the adder of floating-point numbers, for all sums, signs and
// exponents, and all formats but f64: what it makes of a sum is the nearest number of the format,
// of two the even one.
module atomics_round_formal
  import muster_atomics_pkg::*;
(
  input logic        clk_i,
  input at_format_e  format_i,
  input logic [27:0] total_i,
  input logic [10:0] exp_i,
  input logic        sign_i,
  input logic        subtracts_i
);

  localparam int Behind = 28;
  localparam int Hidden = Behind + 26;  // bit of the larger number's hidden one

  typedef logic [Behind+27:0] exact_t;

  // The bits of the number below its sign. Its last bit stands for bit `cut` of the sum.
  function automatic logic [30:0] defined(at_format_e format, logic [27:0] total, int exp);
    int          fraction, first, cut;
    exact_t      exact, kept, rest, half;
    logic [31:0] bits;
    fraction = format == AtF16 ? 10 : format == AtBf16 ? 7 : 23;
    exact    = exact_t'(total) << Behind;
    first    = 0;
    for (int i = 0; i < $bits(exact_t); i++) if (exact[i]) first = i;
    cut = first - fraction;
    // The lowest exponent is 1.
    if (cut < Hidden - (exp - 1) - fraction) cut = Hidden - (exp - 1) - fraction;
    kept = exact >> cut;
    rest = exact & ((exact_t'(1) << cut) - exact_t'(1));
    half = (exact_t'(1) << cut) >> 1;
    bits = 32'((exp + cut + fraction - Hidden - 1) << fraction) + kept[31:0] +
           32'(rest > half || (rest == half && kept[0]));
    if (total == '0) return '0;
    if (bits > 32'(highest_of(format)) << fraction) bits = 32'(highest_of(format)) << fraction;
    return bits[30:0];
  endfunction

  logic        begun = 1'b0;
  logic  [3:0] cycle_q = '0;
  at_format_e  format_q;
  logic [27:0] total_q, lowest;
  at_aside_t   aside_q;
  logic [63:0] sum;
  logic [30:0] bits;
  logic        sign;

  always_ff @(posedge clk_i) begin
    begun   <= 1'b1;
    cycle_q <= cycle_q + 4'(cycle_q != '1);
    if (!begun) begin
      format_q <= format_i;
      total_q  <= total_i;
      aside_q  <= '{sign: sign_i, nan: 1'b0, invalid: 1'b0, subtracts: subtracts_i, exp: exp_i};
    end
  end

  always_comb begin
    for (int unsigned i = 0; i < 28; i++) lowest[i] = aside_q.exp == 11'(27 - i);
  end

  muster_atomics_round #(.Floats (2)) u_round (
    .clk_i, .format_i (format_q), .total_i (total_q), .lowest_i (lowest), .aside_i (aside_q),
    .sum_o (sum)
  );

  assign bits = defined(format_q, total_q, int'(aside_q.exp));
  assign sign = aside_q.sign && !(aside_q.subtracts && total_q == '0);

  always_ff @(posedge clk_i) begin
    // Sums of finite numbers, each of which is at most the greatest one.
    assume (format_i != AtF64 && exp_i != '0 && exp_i < highest_of(format_i));
    assume (total_i <= (format_i == AtF16 ? {11'h7ff, 17'd0} : format_i == AtBf16 ? {8'hff, 20'd0} :
                                                               {24'hff_ffff, 4'd0}));

    if (cycle_q == 4'd4) begin
      // 1. The number is the nearest one, wherever in the word it is.
      P01_number: assert (format_q == AtF32 ? sum == {2{sign, bits}} : sum == {4{sign, bits[14:0]}});

      C01_number: cover (format_q == AtBf16 && sum[15:0] == 16'hff80);
    end
  end

endmodule
