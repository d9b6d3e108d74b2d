// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Adds two floating-point numbers as IEEE 754 does, rounded to nearest even, subnormal ones too.
// A pair of numbers may come in each cycle:
//
//     unpack, compare, swap, align, add
//
// and count, shift, round and pack in muster_atomics_round. The sum is there in the cycle of the
// last of these, AtFloatSteps - 1 after its numbers. All
// formats share one adder, as wide as the widest needs. Significands begin at its highest bit, with
// the hidden one, and exponents are as their format has them, so that the format matters only where
// numbers are unpacked, rounded and packed. Infinities and NaNs have the highest exponent; what is
// added to them is taken for zero, so that they pass through.
module muster_atomics_float
  import muster_atomics_pkg::*;
#(
  parameter int unsigned Floats = 3  // as of muster_atomics, not 0
) (
  input  logic        clk_i,
  input  at_format_e  format_i,   // of all numbers that are under way
  input  logic [1:0]  quarter_i,  // of the words, at which the numbers begin
  input  logic [63:0] a_i,        // has precedence, if both are NaNs
  input  logic [63:0] b_i,
  output logic [63:0] sum_o       // in all places that it may have in a word
);

  localparam int unsigned SigW   = (Floats >= 3) ? 53 : 24;  // of the widest format
  localparam int unsigned ExpW   = (Floats >= 3) ? 11 : 8;
  localparam int unsigned FracW  = SigW - 1;
  localparam int unsigned SumW   = SigW + 4;  // with a carry; with guard, round and sticky bits
  localparam int unsigned ByW    = $clog2(SumW - 1);

  typedef struct packed {
    logic             sign;
    logic [ExpW-1:0]  exp;
    logic [FracW-1:0] frac;
  } number_t;

  at_format_e      format;
  logic [ExpW-1:0] highest;  // exponent

  assign format  = (Floats == 1) ? AtF32 : format_i;
  assign highest = ExpW'(highest_of(format));

  // The exponent that counts: subnormal numbers have that of the lowest normal ones.
  function automatic logic [ExpW-1:0] scale_of(number_t n);
    return n.exp | ExpW'(n.exp == '0);
  endfunction

  function automatic logic [SigW-1:0] significand_of(number_t n);
    return {n.exp != '0, n.frac};
  endfunction

  // ---------------------------------------------------------------------------------------------
  // Unpack
  // ---------------------------------------------------------------------------------------------

  function automatic number_t unpacked(logic [1:0] quarter, logic [63:0] word);
    logic [15:0] half;
    logic [31:0] single;
    half   = word[16*quarter +: 16];
    single = word[32*quarter[1] +: 32];
    unique case (format)
      AtF16:   return '{half[15], ExpW'(half[14:10]), {half[9:0], (FracW-10)'(0)}};
      AtBf16:  return '{half[15], ExpW'(half[14:7]), {half[6:0], (FracW-7)'(0)}};
      AtF32:   return '{single[31], ExpW'(single[30:23]), FracW'(single[22:0]) << (FracW - 23)};
      default: return word[63 -: $bits(number_t)];
    endcase
  endfunction

  number_t a_q, b_q;

  always_ff @(posedge clk_i) begin
    a_q <= unpacked(quarter_i, a_i);
    b_q <= unpacked(quarter_i, b_i);
  end

  // ---------------------------------------------------------------------------------------------
  // Compare
  // ---------------------------------------------------------------------------------------------

  logic            a_tops, b_tops, below_q, a_nan_q, b_nan_q, invalid_q, tops_q;
  number_t         first_q, second_q;
  logic [ExpW-1:0] above_by_q, below_by_q;

  assign a_tops = a_q.exp == highest;
  assign b_tops = b_q.exp == highest;

  always_ff @(posedge clk_i) begin
    first_q    <= a_q;
    second_q   <= b_q;
    below_q    <= {a_q.exp, a_q.frac} < {b_q.exp, b_q.frac};
    above_by_q <= scale_of(a_q) - scale_of(b_q);
    below_by_q <= scale_of(b_q) - scale_of(a_q);
    tops_q     <= a_tops || b_tops;
    a_nan_q    <= a_tops && a_q.frac != '0;
    b_nan_q    <= b_tops && b_q.frac != '0;
    invalid_q  <= a_tops && b_tops && a_q.frac == '0 && b_q.frac == '0 && a_q.sign != b_q.sign;
  end

  // ---------------------------------------------------------------------------------------------
  // Swap
  // ---------------------------------------------------------------------------------------------

  logic            swaps;
  logic [SigW-1:0] larger_q, smaller_q;
  logic [ExpW-1:0] by_q;
  at_aside_t        swap_q;

  assign swaps = below_q && !a_nan_q;

  always_ff @(posedge clk_i) begin
    larger_q  <= significand_of(swaps ? second_q : first_q);
    smaller_q <= significand_of(swaps ? first_q : second_q) & {SigW{!tops_q}};
    by_q      <= swaps ? below_by_q : above_by_q;
    swap_q    <= '{
      sign:      swaps ? second_q.sign : first_q.sign,
      nan:       a_nan_q || b_nan_q || invalid_q,
      invalid:   invalid_q,
      subtracts: first_q.sign != second_q.sign,
      exp:       11'(scale_of(swaps ? second_q : first_q))
    };
  end

  // ---------------------------------------------------------------------------------------------
  // Align
  // ---------------------------------------------------------------------------------------------

  logic            sticky;
  logic [SumW-2:0] aligned, aligned_q;
  logic [SigW-1:0] augend_q;
  at_aside_t        align_q;

  // The last bit stands for all behind it.
  always_comb begin
    aligned = {smaller_q, 3'b0};
    sticky  = 1'b0;
    for (int s = ByW - 1; s >= 0; s--) begin
      if (by_q[s]) begin
        sticky  = sticky || |(aligned & ~('1 << (1 << s)));
        aligned = aligned >> (1 << s);
      end
    end
    if (by_q >> ByW != '0) begin
      sticky  = smaller_q != '0;
      aligned = '0;
    end
    aligned[0] = aligned[0] || sticky;
  end

  always_ff @(posedge clk_i) begin
    aligned_q <= aligned;
    augend_q  <= larger_q;
    align_q   <= swap_q;
  end

  // ---------------------------------------------------------------------------------------------
  // Add
  // ---------------------------------------------------------------------------------------------

  logic [SumW-1:0] augend, addend, total_q, lowest_q;
  at_aside_t        add_q;

  assign augend = {1'b0, augend_q, 3'b0};
  assign addend = {1'b0, aligned_q} ^ {SumW{align_q.subtracts}};

  always_ff @(posedge clk_i) begin
    total_q <= augend + addend + SumW'(align_q.subtracts);
    add_q   <= align_q;
    // A one at the bit that leads if the exponent is the lowest: beyond that nothing is shifted.
    for (int unsigned i = 0; i < SumW; i++) lowest_q[i] <= align_q.exp == 11'(SumW - 1 - i);
  end

  muster_atomics_round #(.Floats(Floats)) u_round (
    .clk_i, .format_i (format), .total_i (total_q), .lowest_i (lowest_q), .aside_i (add_q), .sum_o
  );

endmodule
