// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The 128-bit word of the barrier control unit. The ISA text gives the place of every field and the
// names of its values. The codes are chosen here, and again in sim/bcu/instruction.h, whose words
// the decoder's test decodes. rtl/cta/BCU.md shows every form.
package muster_bcu_pkg;

  // Which operation. A word of zeroes is none.
  typedef enum logic [7:0] {
    OptypeBar       = 8'hb0,
    OptypeBarRed    = 8'hb1,
    OptypeB2r       = 8'hb2,
    OptypeB2rResult = 8'hb3,
    OptypeR2b       = 8'hb4
  } optype_e;

  // Where its operands come from. RR is for the reduction alone: the text uses R for its packed
  // register, and for the two registers of BAR.
  typedef enum logic [3:0] {
    StypeX   = 4'd0,  // no operand
    StypeI   = 4'd1,  // immediates
    StypeR   = 4'd2,  // BAR: ra is the id, rb the count; BAR.RED: rb holds both
    StypeRR  = 4'd3,  // BAR.RED: ra is the id, rb the count
    StypeRI  = 4'd4,  // a register and an immediate
    StypeRRI = 4'd5,  // rb is the id, the count an immediate
    StypeRIR = 4'd6   // the id is an immediate, rc the count
  } stype_e;

  typedef enum logic       {ModeSync, ModeArv} bar_mode_e;
  typedef enum logic [1:0] {RedAnd, RedOr, RedPopc} red_op_e;  // 3 is none
  typedef enum logic       {ModeWarp, ModeBar} b2r_mode_e;

  typedef logic [7:0] reg_t;   // general register
  typedef logic [2:0] pred_t;  // predicate register

  localparam reg_t  RegZ  = 8'd255;  // RZ: reads 0, keeps nothing
  localparam pred_t PredT = 3'd7;    // PT: reads true, keeps nothing

  // The text does not say where $sched, $req and $wsb are: bits without a name here are ignored.
  typedef struct packed {
    logic [18:0] unused_127_109;
    pred_t       pu;              // [108:106] written: the logical result
    logic [3:0]  unused_105_102;
    logic        pp_not;          // [101]
    pred_t       pp;              // [100:98]  read: what is reduced
    logic [15:0] unused_97_82;
    logic [1:0]  mode;            // [81:80]   red_op_e; bar_mode_e and b2r_mode_e in bit 80
    logic [23:0] unused_79_56;
    logic [11:0] cnt;             // [55:44]
    logic [3:0]  barid;           // [43:40]
    reg_t        rb;              // [39:32]   read: rb or rc
    reg_t        ra;              // [31:24]   read
    reg_t        rd;              // [23:16]   written
    logic        pg_not;          // [15]
    pred_t       pg;              // [14:12]   read: the guard
    stype_e      stype;           // [11:8]
    optype_e     optype;          // [7:0]
  } word_t;

endpackage
