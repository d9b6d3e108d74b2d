// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The halves of values of 128 bits in the pipeline of atomics: what its ports take for granted of
// them, and what becomes of them.
module atomics_halves_props
  import muster_atomics_pkg::*;
#(
  parameter bit Timed = 1'b0  // the upper half is presented right behind the lower one
) (
  input logic       clk_i,
  input logic       rst_ni,
  input logic       issue_valid_i,
  input at_update_t issue_i,
  input logic       remote_valid_i,
  input at_update_t remote_i,
  input logic       own_i,          // an update of the core's warps enters
  input logic       other_i,        // one of another CTA does
  input logic [2:0] count_i,        // updates under way
  input logic       lower_i,        // a lower half is in the write stage
  input logic       upper_i,
  input logic       commits_i,      // what is there is written
  input logic       swaps_i,        // AtCas: as far as the other half is concerned
  input logic       upper_waits_i,  // the upper half is behind it, with its word held
  input logic       wanted_i,       // the word that memory has of the upper half is as AtCas wants it
  input logic       followed_i      // memory follows that word
);

  // The halves of a value follow each other at their port.
  logic       [1:0] lower_q;  // the upper half is to come
  at_update_t [1:0] last_q;

  for (genvar p = 0; p < 2; p++) begin : g_port
    at_update_t at;
    logic       enters;
    assign at     = (p == 0) ? issue_i : remote_i;
    assign enters = (p == 0) ? own_i : other_i;

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) lower_q[p] <= 1'b0;
      else if (enters) lower_q[p] <= at.size == At128 && !at.upper;
    end

    always_ff @(posedge clk_i) begin
      if (enters) last_q[p] <= at;
      assume ((at.size == At128 && at.upper) == lower_q[p]);
      assume (!lower_q[p] || (at.op == last_q[p].op && at.place == last_q[p].place &&
                              at.warp == last_q[p].warp && at.lane == last_q[p].lane && !at.releasing));
      if (Timed) assume (!lower_q[p] || ((p == 0) ? issue_valid_i : remote_valid_i));
    end
  end

  // A lower half has entered last; at which port.
  logic       entered_q, entered_other_q, swapped_q;
  at_update_t entering;
  logic       enters, half;

  assign entering = other_i ? remote_i : issue_i;
  assign enters   = own_i || other_i;
  assign half     = entering.size == At128;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      entered_q <= 1'b0;
    end else if (enters) begin
      entered_q       <= half && !entering.upper;
      entered_other_q <= other_i;
    end
  end

  always_ff @(posedge clk_i) begin
    if (commits_i && lower_i) swapped_q <= swaps_i;
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // 7. Nothing comes between the halves of a value: the one that enters after a lower half is
      //    its upper one, which waits behind it, with its word held, when the lower one commits.
      P07_halves: assert ((!(enters && entered_q) || (half && entering.upper && other_i == entered_other_q)) &&
                          (!(commits_i && lower_i) || upper_waits_i));

      // 8. Both halves are swapped or none: whether they are is decided when the lower one commits,
      //    with the word that memory has then of the upper one, and stays so.
      P08_both: assert (!commits_i || ((!lower_i || !followed_i || swaps_i == wanted_i) &&
                                       (!upper_i || swaps_i == swapped_q)));

      C07_halves: cover (enters && entered_q && count_i == 3'd2 && issue_valid_i && remote_valid_i);
      C08_both:   cover (commits_i && upper_i && swapped_q && followed_i);
    end
  end

endmodule
