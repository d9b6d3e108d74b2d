// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Whether a state word that R2B writes is one that the unit could have given (rtl/README.md).
module muster_word_check
  import muster_pkg::*;
#(
  parameter int unsigned NumWarps = 32,
  localparam int unsigned WarpW = $clog2(NumWarps)
) (
  input  logic             bar_i,       // the word of an entry, else that of a warp
  input  bar_word_t        bar_word_i,
  input  warp_word_t       warp_word_i,
  input  logic             above_i,     // the entry's word expects more than the CTA's warps
  input  logic [WarpW-1:0] last_i,      // the entry's highest count before it completes
  input  wcount_t          size_i,      // warps of the CTA
  output logic             bad_o
);

  // What is common: a value of this kind, of at most so many warps.
  kind_e   kind;
  value_t  value;
  wcount_t warps;
  logic    bad_value;

  assign kind  = bar_i ? bar_word_i.kind  : warp_word_i.kind;
  assign value = bar_i ? bar_word_i.value : warp_word_i.value;
  assign warps = bar_i ? bar_word_i.arrived : size_i;

  always_comb begin
    unique case (kind)
      KindIdle, KindSync: bad_value = (value != '0);
      KindAnd, KindOr:    bad_value = (value[11:1] != '0);
      KindPopc:           bad_value = (value > {warps, 5'd0});
      default:            bad_value = 1'b1;
    endcase
  end

  logic bad_bar, bad_warp;

  always_comb begin
    if (kind == KindIdle) begin
      bad_bar = (bar_word_i.arrived != '0) || (bar_word_i.expected != '0);
    end else begin
      bad_bar = (bar_word_i.arrived == '0) || above_i || (bar_word_i.arrived > wcount_t'(last_i));
    end
    bad_bar = bad_bar || (bar_word_i.zero != '0);

    bad_warp = (warp_word_i.zero != '0) || (kind == KindSync) ||
               (kind == KindIdle && warp_word_i.bar != '0) ||
               (!warp_word_i.waiting && warp_word_i.wait_bar != '0);
  end

  assign bad_o = bad_value || (bar_i ? bad_bar : bad_warp);

endmodule
