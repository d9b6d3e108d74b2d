// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The decoder with a port per field, so that C++ sees names and no offsets.
module bcu_decode_flat
  import muster_pkg::*;
  import muster_bcu_pkg::*;
(
  input  logic [63:0] word_lo_i,
  input  logic [63:0] word_hi_i,
  input  cta_t        cta_i,
  input  warp_t       warp_i,
  input  lanes_t      active_i,

  output reg_t        ra_o,
  output logic        ra_read_o,
  output reg_t        rb_o,
  output logic        rb_read_o,
  output pred_t       pg_o,
  output pred_t       pp_o,
  output logic        pp_read_o,
  input  logic [31:0] ra_i [MaxLanes],
  input  logic [31:0] rb_i [MaxLanes],
  input  lanes_t      pg_i,
  input  lanes_t      pp_i,

  output logic        illegal_o,
  output logic [3:0]  op_o,
  output cta_t        cta_o,
  output warp_t       warp_o,
  output bar_t        bar_o,
  output logic [11:0] count_o,
  output lanes_t      lanes_o,
  output logic [31:0] operand_o,

  output reg_t        rd_o,
  output logic        rd_write_o,
  output pred_t       pu_o,
  output logic        pu_write_o
);

  logic [MaxLanes-1:0][31:0] ra, rb;
  always_comb begin
    for (int unsigned lane = 0; lane < MaxLanes; lane++) begin
      ra[lane] = ra_i[lane];
      rb[lane] = rb_i[lane];
    end
  end

  issue_t issue;
  assign op_o      = issue.op;
  assign cta_o     = issue.cta;
  assign warp_o    = issue.warp;
  assign bar_o     = issue.bar;
  assign count_o   = issue.count;
  assign lanes_o   = issue.lanes;
  assign operand_o = issue.operand;

  muster_bcu_decode u_decode (
    .word_i ({word_hi_i, word_lo_i}),
    .cta_i, .warp_i, .active_i,
    .ra_o, .ra_read_o, .rb_o, .rb_read_o, .pg_o, .pp_o, .pp_read_o,
    .ra_i (ra), .rb_i (rb), .pg_i, .pp_i,
    .illegal_o, .issue_o (issue),
    .rd_o, .rd_write_o, .pu_o, .pu_write_o
  );

endmodule
