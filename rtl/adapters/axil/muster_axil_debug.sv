// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Reads an entry and a warp through the debug read port, all the time. That port is not exact while
// the entry is being updated; each update is reported with its word, so a report of the last three
// cycles goes before what was read:
//
//   cycle        0                          1             2
//                debug_cta_o, debug_bar_o   debug_word_i  entry_o
//                reports of these cycles: an update that the read may have missed, or later ones
//
// The unit leaves the entries of a slot without a CTA, and the warps of a CTA that has left, as
// they were. They read 0 here.
module muster_axil_debug
  import muster_pkg::*;
  import muster_axil_pkg::*;
#(
  parameter int unsigned NumWarps = 32,
  parameter int unsigned NumCtas  = 8
) (
  input  logic               clk_i,

  input  debug_index_reg_t   index_i,
  input  logic [MaxCtas-1:0] resident_i,
  output bar_word_t          entry_o,   // of an index that has not changed for two cycles
  output debug_warp_reg_t    warp_o,

  output cta_t               debug_cta_o,
  output bar_t               debug_bar_o,
  input  bar_word_t          debug_word_i,
  output warp_t              debug_warp_o,
  input  debug_warp_t        debug_warp_i,
  input  commit_t            commit_i
);

  logic cta_there, warp_there;

  assign cta_there  = (6'(index_i.cta) < 6'(NumCtas));
  assign warp_there = (7'(index_i.warp) < 7'(NumWarps));

  assign debug_cta_o  = cta_there ? index_i.cta : '0;
  assign debug_bar_o  = index_i.bar;
  assign debug_warp_o = warp_there ? index_i.warp : '0;

  logic        reported;
  logic [1:0]  reported_q;  // a cycle ago, and two
  bar_word_t   report_q, read_q;
  debug_warp_t warp_q;
  logic        live;

  assign reported = commit_i.entry_valid && (commit_i.entry_cta == index_i.cta) &&
                    (commit_i.entry_bar == index_i.bar);

  always_ff @(posedge clk_i) begin
    reported_q <= {reported_q[0], reported};
    if (reported) report_q <= commit_i.entry_word;
    read_q <= debug_word_i;
    warp_q <= debug_warp_i;
  end

  assign live = warp_there && warp_q.live && resident_i[warp_q.cta];

  always_comb begin
    entry_o = '0;
    warp_o  = '0;
    if (resident_i[index_i.cta]) begin
      entry_o = (reported_q != '0) ? report_q : read_q;
      if (reported) entry_o = commit_i.entry_word;
    end
    if (live) warp_o = '{live: 1'b1, waiting: warp_q.waiting, cta: warp_q.cta, default: '0};
  end

endmodule
