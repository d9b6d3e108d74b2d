// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Decides whether a restore could write a state word, which R2B brings, at its place
// (rtl/README.md): the unit could have given it, the entry that it is for is idle, and the one
// where a warp waits is restored.
module muster_word_check
  import muster_pkg::*;
  import muster_cfg_pkg::*;
  import muster_cta_pkg::*;
#(
  parameter muster_cfg_t Cfg,
  localparam int unsigned NumWarps = Cfg.NumWarps,
  localparam int unsigned WarpSize = Cfg.WarpSize,
  localparam int unsigned WarpW = $clog2(NumWarps)
) (
  input  logic             clk_i,
  input  logic             bar_i,       // the word of an entry, else that of a warp
  input  bar_word_t        bar_word_i,
  input  warp_word_t       warp_word_i,
  // A cycle later:
  input  logic             above_i,     // the entry's word expects more than the CTA's warps
  input  logic [WarpW-1:0] last_i,      // the entry's highest count before it completes
  input  logic [WarpW:0]   size_i,      // warps of the CTA
  input  kind_e            entry_kind_i,  // of the entry: that of the word, or where the warp waits
  input  logic             entry_all_i,   // it counts to all live warps; not idle
  input  logic             restore_owes_i,  // the CTA's restore owes waiting warps
  output logic             bad_o        // of the words of the cycle before, which are still there
);

  // What is common: a value of this kind, of at most so many warps. If more warps have arrived than
  // this field holds, they are too many anyway.
  kind_e          kind_q;
  wcount_t        high_q;     // of the value: how often all lanes of a warp are in it
  logic           low_q;      // of the value: fewer lanes than a warp's are left over
  logic           some;       // it is not 0
  logic           many_q;     // more than AND and OR have
  logic [WarpW:0] warps_nq, warps;  // inverted: see exceeds()
  value_t         value;
  logic           bad_value;

  assign some  = low_q || (high_q != '0);
  assign warps = ~warps_nq;
  assign value = bar_i ? bar_word_i.value : warp_word_i.value;

  always_ff @(posedge clk_i) begin
    kind_q  <= bar_i ? bar_word_i.kind : warp_word_i.kind;
    high_q  <= whole_warps(value, $clog2(WarpSize));
    low_q   <= is_ragged(value, $clog2(WarpSize));
    many_q  <= (value[11:1] != '0);
    warps_nq <= bar_i ? ~bar_word_i.arrived[WarpW:0] : ~size_i;
  end

  always_comb begin
    unique case (kind_q)
      KindIdle, KindSync: bad_value = some;
      KindAnd, KindOr:    bad_value = many_q;
      KindPopc:           bad_value = exceeds({high_q, low_q}, {wcount_t'(warps), 1'b0});
      default:            bad_value = 1'b1;
    endcase
  end

  logic other_bar_q;  // the warp's reduction was not where it waits
  logic bad_bar, bad_warp, bad_place;

  always_ff @(posedge clk_i) other_bar_q <= (warp_word_i.bar != warp_word_i.wait_bar);

  always_comb begin
    if (kind_q == KindIdle) begin
      bad_bar = (bar_word_i.arrived != '0) || (bar_word_i.expected != '0);
    end else begin
      bad_bar = (bar_word_i.arrived == '0) || above_i ||
                exceeds(8'(bar_word_i.arrived), 8'(last_i));
    end
    bad_bar = bad_bar || (bar_word_i.zero != '0) || (!Cfg.EnSplit && bar_word_i.phase) ||
              (entry_kind_i != KindIdle);

    // A warp waits for arrivals; if they are a reduction's, that is its latest, without a result
    // yet. One that waits apart may do so anywhere.
    unique case (entry_kind_i)
      KindIdle: bad_place = 1'b1;
      KindSync: bad_place = entry_all_i && !restore_owes_i;
      default:  bad_place = (entry_all_i && !restore_owes_i) || (kind_q != entry_kind_i) ||
                            other_bar_q || some;
    endcase
    if (Cfg.EnSplit && warp_word_i.apart) bad_place = 1'b0;
    bad_warp = (warp_word_i.zero != '0) || (kind_q == KindSync) ||
               (warp_word_i.apart && !(Cfg.EnSplit && warp_word_i.waiting)) ||
               (kind_q == KindIdle && warp_word_i.bar != '0) ||
               (warp_word_i.waiting ? bad_place : warp_word_i.wait_bar != '0);
  end

  assign bad_o = bad_value || (bar_i ? bad_bar : bad_warp);

endmodule
