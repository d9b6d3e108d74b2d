// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Rounds the sum of two significands to nearest even, the second half of muster_atomics_float:
//
//     count, shift, round, pack
//
// The number is there in the cycle of the last of these, three after the sum.
module muster_atomics_round
  import muster_atomics_pkg::*;
#(
  parameter  int unsigned Floats = 3,  // as of muster_atomics, not 0
  localparam int unsigned SigW   = (Floats >= 3) ? 53 : 24,  // of the widest format
  localparam int unsigned SumW   = SigW + 4  // with a carry; with guard, round and sticky bits
) (
  input  logic            clk_i,
  input  at_format_e      format_i,
  input  logic [SumW-1:0] total_i,
  input  logic [SumW-1:0] lowest_i,  // the bit that leads if the exponent is the lowest
  input  at_aside_t       aside_i,
  output logic [63:0]     sum_o      // in all places that it may have in a word
);

  localparam int unsigned ExpW   = (Floats >= 3) ? 11 : 8;
  localparam int unsigned FracW  = SigW - 1;
  localparam int unsigned CountW = $clog2(SumW);

  typedef struct packed {
    logic             sign;
    logic [ExpW-1:0]  exp;
    logic [FracW-1:0] frac;
  } number_t;

  // ---------------------------------------------------------------------------------------------
  // Count
  // ---------------------------------------------------------------------------------------------

  logic [SumW-1:0]   leading, counted_q;
  logic [CountW-1:0] zeros, zeros_q;
  logic              unused_any;
  at_aside_t         count_q;

  always_comb begin
    for (int unsigned i = 0; i < SumW; i++) begin
      leading[i] = total_i[SumW-1-i] || lowest_i[SumW-1-i];
    end
  end

  muster_first #(.Width(SumW)) u_zeros (
    .bits_i (leading), .any_o (unused_any), .index_o (zeros)
  );

  always_ff @(posedge clk_i) begin
    counted_q <= total_i;
    zeros_q   <= zeros;
    count_q   <= aside_i;
    // The sum of a number and its negative is +0.
    if (aside_i.subtracts && total_i == '0) count_q.sign <= 1'b0;
  end

  // ---------------------------------------------------------------------------------------------
  // Shift
  // ---------------------------------------------------------------------------------------------

  logic [SumW-1:0] normal_q;
  at_aside_t        shift_q;

  always_ff @(posedge clk_i) begin
    normal_q    <= counted_q << zeros_q;
    shift_q     <= count_q;
    shift_q.exp <= count_q.exp + 11'd1 - 11'(zeros_q);
  end

  // ---------------------------------------------------------------------------------------------
  // Round
  // ---------------------------------------------------------------------------------------------

  logic             guard, odd, rest, infinite_q, nan_q;
  logic [FracW-1:0] unit;  // the last bit that the format keeps
  logic  [ExpW-1:0] exp;
  number_t          rounded_q;

  always_comb begin
    unique case (format_i)
      AtF16:   unit = FracW'(1) << (FracW - 10);
      AtBf16:  unit = FracW'(1) << (FracW - 7);
      AtF32:   unit = FracW'(1) << (FracW - 23);
      default: unit = FracW'(1);
    endcase
  end

  assign exp   = ExpW'(shift_q.exp);
  assign odd   = |(normal_q & {1'b0, unit, 4'd0});
  assign guard = |(normal_q & {2'b0, unit, 3'd0});
  assign rest  = |(normal_q & ({2'b0, unit, 3'd0} - SumW'(1)));

  // A carry out of the fraction is one of the exponent. Without a leading bit a sum is subnormal.
  always_ff @(posedge clk_i) begin
    {rounded_q.exp, rounded_q.frac} <=
        {normal_q[SumW-1] ? exp : '0, normal_q[SumW-2 -: FracW]} +
        {ExpW'(0), unit & {FracW{guard && (odd || rest)}}};
    rounded_q.sign <= shift_q.sign || shift_q.invalid;
    infinite_q     <= exp == ExpW'(highest_of(format_i)) && normal_q[SumW-1];
    nan_q          <= shift_q.nan;
  end

  // ---------------------------------------------------------------------------------------------
  // Pack
  // ---------------------------------------------------------------------------------------------

  number_t result;

  always_comb begin
    result = rounded_q;
    if (infinite_q && !nan_q) result.frac = '0;
    if (nan_q) result.frac[FracW-1] = 1'b1;
    unique case (format_i)
      AtF16:   sum_o = {4{result.sign, result.exp[4:0], result.frac[FracW-1 -: 10]}};
      AtBf16:  sum_o = {4{result.sign, result.exp[7:0], result.frac[FracW-1 -: 7]}};
      AtF32:   sum_o = {2{result.sign, result.exp[7:0], result.frac[FracW-1 -: 23]}};
      default: sum_o = 64'(result);
    endcase
    if (nan_q && format_i == AtF32) sum_o = {2{32'h7fff_ffff}};
    else if (nan_q && format_i != AtF64) sum_o = {4{16'h7fff}};
  end

endmodule
