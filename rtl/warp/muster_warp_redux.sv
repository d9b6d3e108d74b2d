// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// redux.sync of the values of some lanes (PTX 9.7.13.12), beat by beat. A value becomes a number
// that compares without sign as the value does: then max is the same for u32, s32 and f32, where
// +0.0 > -0.0. Min is the max, and and the or, of inverted numbers. So 0 changes nothing, and is
// the value of a lane that does not take part.
//
//     cycle    0       1              Levels + 1       Levels + 2, with Late
//     beat     given   as numbers     as one number    in the number of all beats
module muster_warp_redux
  import muster_pkg::*;
  import muster_warp_pkg::*;
#(
  parameter warp_cfg_t Cfg,
  localparam int unsigned LanesPerBeat = Cfg.LanesPerBeat,
  localparam int unsigned Levels = $clog2(LanesPerBeat),
  localparam bit Late = Cfg.WarpSize > LanesPerBeat  // with several beats
) (
  input  logic        clk_i,
  input  warp_code_t  code_i,    // stays from the first beat to the result
  input  logic        first_i,   // the beat in this cycle is the first
  input  logic [LanesPerBeat-1:0]       lanes_i,   // of it, that take part
  input  logic [LanesPerBeat-1:0][31:0] values_i,
  // With the beat that was given Levels + 1 cycles ago; with Late, Levels + 2.
  output logic [31:0] result_o
);

  localparam logic [31:0] CanonicalNan = 32'h7fffffff;
  localparam logic [31:0] Sign = 32'h80000000;

  typedef struct packed {
    logic        some;   // there is a value
    logic        nan;    // some value was a NaN
    logic [31:0] value;
  } part_t;

  logic extreme, float, inverts;

  assign extreme = code_i.op inside {4'(WarpReduxMin), 4'(WarpReduxMax)};
  assign float   = extreme && code_i.mode == ModeF32;
  assign inverts = code_i.op inside {4'(WarpReduxMin), 4'(WarpReduxAnd)};

  function automatic part_t part_of(logic takes_part, logic [31:0] value, logic abs, logic flt,
                                    logic flip, logic invert);
    logic [31:0] bits;
    logic        nan, negative;
    nan      = flt && (&value[30:23]) && value[22:0] != '0;
    negative = flt && value[31] && !abs;
    bits     = {(value[31] && !(flt && abs)) ^ flip ^ invert,
                value[30:0] ^ {31{negative ^ invert}}};
    return '{some: takes_part && !nan, nan: takes_part && nan,
             value: bits & {32{takes_part && !nan}}};
  endfunction

  function automatic logic [31:0] sum_of(logic [31:0] a, logic [31:0] b, logic [3:0] op);
    unique case (op)
      4'(WarpReduxAdd): return a + b;
      4'(WarpReduxXor): return a ^ b;
      default:          return a | b;
    endcase
  endfunction

  function automatic part_t join_of(part_t a, part_t b, logic [3:0] op, logic ext);
    logic [31:0] value;
    value = (a.value > b.value) ? a.value : b.value;
    return '{some: a.some || b.some, nan: a.nan || b.nan,
             value: ext ? value : sum_of(a.value, b.value, op)};
  endfunction

  // By halves: node n has the children 2n and 2n+1. Each level is a stage.
  part_t [2*LanesPerBeat-1:0] node_q;
  part_t                      beat, all;  // the lanes of the beat, of all beats

  always_ff @(posedge clk_i) begin
    node_q[0] <= '0;  // there is none
    for (int l = 0; l < LanesPerBeat; l++) begin
      node_q[LanesPerBeat+l] <= part_of(lanes_i[l], values_i[l], code_i.abs, float,
                                        extreme && code_i.mode inside {ModeS32, ModeF32}, inverts);
    end
    for (int n = 1; n < LanesPerBeat; n++) begin
      node_q[n] <= join_of(node_q[2*n], node_q[2*n+1], code_i.op, extreme);
    end
  end

  assign beat = node_q[1];

  if (Late) begin : g_beats
    part_t           sum_q;
    logic [Levels:0] first, first_q;  // the first beat is at this level of the tree
    logic            larger;
    logic [31:0]     kept;  // the value, if the beat's is not larger

    // By halves, since a carry through all bits is long. Terms, not a choice: of that, synthesis
    // would make an enable, which comes late.
    assign larger = extreme && (beat.value[31:16] > sum_q.value[31:16] ||
                                (beat.value[31:16] == sum_q.value[31:16] &&
                                 beat.value[15:0] > sum_q.value[15:0]));
    assign kept   = (sum_q.value & {32{extreme}}) |
                    (sum_of(sum_q.value, beat.value, code_i.op) & {32{!extreme}});

    assign first = (Levels+1)'({first_q, first_i});

    always_ff @(posedge clk_i) begin
      first_q <= first;
      if (first[Levels]) begin
        sum_q <= '0;
      end else begin
        sum_q <= '{some: beat.some || sum_q.some, nan: beat.nan || sum_q.nan,
                   value: larger ? beat.value : kept};
      end
    end

    assign all = sum_q;
  end else begin : g_beat
    logic unused;
    assign unused = first_i;
    assign all    = beat;
  end

  logic [31:0] value;
  assign value = all.value ^ {32{inverts}};

  always_comb begin
    result_o = value;
    if (float) begin
      result_o = value[31] ? value ^ Sign : ~value;
      if (!all.some || (code_i.nan && all.nan)) result_o = CanonicalNan;
    end else if (extreme && code_i.mode == ModeS32) begin
      result_o = value ^ Sign;
    end
  end

endmodule
