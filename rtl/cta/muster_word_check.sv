// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Whether a state word that R2B writes is one that the unit could have given (rtl/README.md).
module muster_word_check
  import muster_pkg::*;
#(
  parameter int unsigned NumWarps = 32,
  localparam int unsigned WarpW = $clog2(NumWarps)
) (
  input  logic             bar_i,        // the word of an entry, else that of a warp
  input  bar_word_t        bar_word_i,
  input  warp_word_t       warp_word_i,
  input  logic [WarpW-1:0] live_last_i,  // live warps of the CTA, less one
  input  wcount_t          size_i,       // warps of the CTA
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
      KindAnd, KindOr:    bad_value = (value > 12'd1);
      KindPopc:           bad_value = (value > {warps, 5'd0});
      default:            bad_value = 1'b1;
    endcase
  end

  logic bad_bar, bad_warp;

  always_comb begin
    bad_bar = (bar_word_i.zero != '0) || bad_value;
    if (kind == KindIdle) begin
      bad_bar = bad_bar || (bar_word_i.arrived != '0) || (bar_word_i.expected != '0);
    end else begin
      bad_bar = bad_bar || (bar_word_i.arrived == '0) ||
                (bar_word_i.expected > size_i) ||
                ((bar_word_i.expected == '0) ? (bar_word_i.arrived > wcount_t'(live_last_i))
                                             : (bar_word_i.arrived >= bar_word_i.expected));
    end

    bad_warp = (warp_word_i.zero != '0) || bad_value || (kind == KindSync) ||
               (kind == KindIdle && warp_word_i.bar != '0) ||
               (!warp_word_i.waiting && warp_word_i.wait_bar != '0);
  end

  assign bad_o = bar_i ? bad_bar : bad_warp;

endmodule
