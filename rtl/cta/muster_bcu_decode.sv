// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Decodes the 128-bit word of one warp instruction into an operation of the issue port. It has no
// state: it names the registers to fetch, and in the same cycle takes their values. A bad
// encoding raises `illegal_o`. Bad operands (a count that is not a multiple of the warp size, ARV
// with count 0) are passed on to the barrier table, which reports a fault.
//
// Masks and operands have the lanes of the largest warp. A core whose warps have fewer ties the
// others to 0.
//
// If registers differ between lanes, the value of the lowest participating lane is used.
module muster_bcu_decode
  import muster_pkg::*;
  import muster_bcu_pkg::*;
(
  // The instruction
  input  word_t  word_i,        // bits of no field are ignored
  input  cta_t   cta_i,         // whose instruction it is
  input  warp_t  warp_i,
  input  lanes_t active_i,      // the lanes at this instruction

  // Operand fetch. A register that the form does not read need not be fetched.
  output reg_t   ra_o,          // field<24, 8> ra
  output logic   ra_read_o,
  output reg_t   rb_o,          // field<32, 8> rb, or rc in the form RIR
  output logic   rb_read_o,
  output pred_t  pg_o,          // field<12, 3> pg, the guard: read by every form
  output pred_t  pp_o,          // field<98, 3> pp, the predicate that is reduced
  output logic   pp_read_o,
  input  logic [MaxLanes-1:0][31:0] ra_i,  // each lane's value; ignored where the register is RZ
  input  logic [MaxLanes-1:0][31:0] rb_i,
  input  lanes_t pg_i,                     // each lane's value; ignored where it is PT
  input  lanes_t pp_i,

  // The operation
  output logic   illegal_o,     // not an instruction of this unit; issue_o then has no lanes
  output issue_t issue_o,       // bar, count and operand mean nothing when no lane takes part

  // Where the response goes, in the lanes of issue_o
  output reg_t   rd_o,          // field<16, 8> rd: takes the data
  output logic   rd_write_o,    // the form has rd, and it is not RZ
  output pred_t  pu_o,          // field<106, 3> pu: takes the predicate
  output logic   pu_write_o     // the form has pu, and it is not PT
);

  // -----------------------------------------------------------------------------------------------
  // The form: which fields the word has
  // -----------------------------------------------------------------------------------------------

  typedef enum logic [1:0] {
    FromNone,
    FromImm,
    FromRa,
    FromRb
  } source_e;

  op_e     op;
  source_e id_source, count_source;
  logic    legal, packed_rb, has_pp, has_state, has_rd, has_pu;

  always_comb begin
    op           = OpSync;
    id_source    = FromNone;
    count_source = FromNone;
    packed_rb    = 1'b0;
    has_pp       = 1'b0;
    has_state    = 1'b0;
    has_rd       = 1'b0;
    has_pu       = 1'b0;
    legal        = 1'b1;

    unique case (word_i.optype)
      OptypeBar: begin
        op = (word_i.mode[0] == ModeArv) ? OpArrive : OpSync;
        unique case (word_i.stype)
          StypeI:   {id_source, count_source} = {FromImm, FromImm};
          StypeR:   {id_source, count_source} = {FromRa, FromRb};
          StypeRRI: {id_source, count_source} = {FromRb, FromImm};
          StypeRIR: {id_source, count_source} = {FromImm, FromRb};
          default:  legal = 1'b0;
        endcase
      end

      OptypeBarRed: begin
        has_pp = 1'b1;
        unique case (word_i.mode)
          RedAnd:  op = OpRedAnd;
          RedOr:   op = OpRedOr;
          RedPopc: op = OpRedPopc;
          default: legal = 1'b0;
        endcase
        unique case (word_i.stype)
          StypeI:   {id_source, count_source} = {FromImm, FromImm};
          StypeR:   {id_source, count_source, packed_rb} = {FromRb, FromRb, 1'b1};
          StypeRR:  {id_source, count_source} = {FromRa, FromRb};
          StypeRRI: {id_source, count_source} = {FromRb, FromImm};
          StypeRIR: {id_source, count_source} = {FromImm, FromRb};
          default:  legal = 1'b0;
        endcase
      end

      OptypeB2r: begin
        op        = (word_i.mode[0] == ModeBar) ? OpB2rBar : OpB2rWarp;
        id_source = (word_i.mode[0] == ModeBar) ? FromImm : FromNone;
        has_rd    = 1'b1;
        legal     = word_i.stype == StypeI;
      end

      OptypeB2rResult: begin
        op     = OpB2rResult;
        has_rd = 1'b1;
        has_pu = 1'b1;
        legal  = word_i.stype == StypeX;
      end

      OptypeR2b: begin
        op        = (word_i.mode[0] == ModeBar) ? OpR2bBar : OpR2bWarp;
        id_source = (word_i.mode[0] == ModeBar) ? FromImm : FromNone;
        has_state = 1'b1;
        legal     = word_i.stype == StypeRI;
      end

      default: legal = 1'b0;
    endcase
  end

  assign illegal_o  = !legal;
  assign ra_o       = word_i.ra;
  assign ra_read_o  = legal && (has_state || id_source == FromRa);
  assign rb_o       = word_i.rb;
  assign rb_read_o  = legal && (id_source == FromRb || count_source == FromRb);
  assign pg_o       = word_i.pg;
  assign pp_o       = word_i.pp;
  assign pp_read_o  = legal && has_pp;
  assign rd_o       = word_i.rd;
  assign rd_write_o = legal && has_rd && word_i.rd != RegZ;
  assign pu_o       = word_i.pu;
  assign pu_write_o = legal && has_pu && word_i.pu != PredT;

  // -----------------------------------------------------------------------------------------------
  // The participating lanes, and the values of the lowest one
  // -----------------------------------------------------------------------------------------------

  lanes_t guard, reduced, lanes;
  assign guard   = (word_i.pg == PredT ? '1 : pg_i) ^ {MaxLanes{word_i.pg_not}};
  assign reduced = (word_i.pp == PredT ? '1 : pp_i) ^ {MaxLanes{word_i.pp_not}};
  assign lanes   = active_i & guard & {MaxLanes{legal}};

  logic [$clog2(MaxLanes)-1:0] ruler;
  logic                        any_lane;
  muster_first #(.Width(MaxLanes)) u_first (
    .bits_i (lanes), .any_o (any_lane), .index_o (ruler)
  );

  logic [31:0] ra, rb;
  assign ra = (word_i.ra == RegZ) ? '0 : ra_i[ruler];
  assign rb = (word_i.rb == RegZ) ? '0 : rb_i[ruler];

  // -----------------------------------------------------------------------------------------------
  // The operation
  // -----------------------------------------------------------------------------------------------

  always_comb begin
    issue_o       = '0;
    issue_o.op    = op;
    issue_o.cta   = cta_i;
    issue_o.warp  = warp_i;
    issue_o.lanes = lanes;

    // Wide operands keep their low 4 and low 12 bits.
    unique case (id_source)
      FromImm: issue_o.bar = word_i.barid;
      FromRa:  issue_o.bar = ra[3:0];
      FromRb:  issue_o.bar = rb[3:0];
      default: ;
    endcase
    unique case (count_source)
      FromImm: issue_o.count = word_i.cnt;
      FromRb:  issue_o.count = packed_rb ? rb[15:4] : rb[11:0];
      default: ;
    endcase
    if (has_pp)    issue_o.operand = reduced;
    if (has_state) issue_o.operand = ra;
  end

  logic unused;
  assign unused = ^{any_lane, rb[31:16], word_i.unused_127_109, word_i.unused_105_102,
                    word_i.unused_97_82, word_i.unused_79_56};

endmodule
