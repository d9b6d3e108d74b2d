// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// For the proofs of the collectives' results at four lanes: an evaluation of any values, of any lanes, from any state in
// which none is under way; and muster_warp_vote. The registers that reset leaves alone begin with anything, as do
// the values in the memory.
module warp_results_formal
  import muster_pkg::*;
  import muster_warp_pkg::*;
  import warp_spec_pkg::*;
#(
  parameter int unsigned NumWarps     = 4,
  parameter int unsigned LanesPerBeat = 4,
  localparam int unsigned Beats = Lanes / LanesPerBeat
) (
  input logic       clk_i,
  input logic [1:0] warp_i,
  input few_t       came_i,
  input few_t       preds_i,
  input warp_code_t code_i
);

  logic        rst_n = 1'b0;
  logic        starts, valid, pred, done, voted_pred, late;
  logic [1:0]  warp_q;
  logic [5:0]  time_q = '0;  // cycles since the start; 0 before
  few_t        came_q, left_q;
  warp_code_t  code_q;
  values_t     value;
  lanes_t      same;
  logic [31:0] data, voted;
  logic        redux_bad, match_any_bad, match_all_bad, is_redux, ending_q, ended_q;
  few_t        same_right, left_d;
  logic [5:0]  turn_q, due;  // the answers so far; when the next one is due
  result_t     right_vote;

  assign starts = rst_n && time_q == '0;

  localparam warp_cfg_t Cfg = '{
    NumWarps: NumWarps, WarpSize: Lanes, LanesPerBeat: LanesPerBeat, EnCollectives: 1'b1, EnFaults: 1'b1
  };

  muster_warp_vote #(.Cfg(Cfg)) u_vote (
    .op_i (code_i.op), .came_i (lanes_t'(came_i)), .preds_i (lanes_t'(preds_i)), .data_o (voted), .pred_o (voted_pred)
  );

  muster_warp_values #(.Cfg(Cfg)) u_values (
    .clk_i, .rst_ni (rst_n), .warp_i (starts ? warp_i : warp_q), .writes_i ('0), .beat_i ('0), .values_i ('0),
    .start_i (starts), .came_i (lanes_t'(came_i)), .code_i (starts ? code_i : code_q),
    .valid_o (valid), .same_o (same), .data_o (data), .pred_o (pred), .done_o (done),
    .read_i (1'b0), .lane_i ('0), .value_o ()
  );

  for (genvar l = 0; l < Lanes; l++) begin : g_value
    assign value[l] = u_values.g_lane[l%LanesPerBeat].u_values.mem[32'(warp_q) * Beats + l / LanesPerBeat];
  end

  assign is_redux      = code_q.op >= Add;
  assign same_right    = with_value_of(lowest(left_q), left_q, value, code_q.mode);
  assign right_vote    = vote(code_i.op, came_i, preds_i);
  assign redux_bad     = data != redux(code_q.op, code_q.mode, code_q.abs, code_q.nan, came_q, value) || pred;
  assign match_any_bad = same[Lanes-1:0] != same_right || same[MaxLanes-1:Lanes] != '0 || data != 32'(same_right) || pred;
  assign match_all_bad = {data, pred} != match_all(came_q, value, code_q.mode);

  // From the start; the page counts from the acceptance, a cycle before, to answer_o, a cycle after valid_o.
  always_comb begin
    due = (Beats == 1) ? 6'd1 : 6'(Beats + 3);
    if (is_redux) due = 6'($clog2(LanesPerBeat)) + ((Beats == 1) ? 6'd2 : 6'(Beats + 4));
    if (code_q.op == MatchAny) due = due + turn_q * 6'(Beats);
  end
  assign late = time_q != '0 && (valid != (left_q != '0 && time_q == due) || done != ending_q);

  assign left_d = (valid && code_q.op == MatchAny) ? left_q & ~same_right : (valid ? '0 : left_q);

  initial {left_q, turn_q, ending_q, ended_q} = '0;
  always_ff @(posedge clk_i) begin
    rst_n <= 1'b1;
    if (starts) {warp_q, code_q, came_q} <= {warp_i, code_i, came_i};
    left_q   <= starts ? came_i : left_d;
    turn_q   <= turn_q + 6'(valid);
    ending_q <= valid && left_d == '0;
    ended_q  <= ended_q || done;
    if (starts || time_q != '0) time_q <= time_q + 6'd1;
    assume (came_i != '0 && (preds_i & ~came_i) == '0);
    assume (is_legal(code_i.op, code_i.mode, code_i.abs, code_i.nan));
    assume (!starts || (code_i.op >= MatchAny && code_i.op <= Xor));
  end

  always_ff @(posedge clk_i) begin
    if (rst_n) begin
      // 1. vote.sync: the lanes' predicates, reduced; others are answered 0, but elect.sync, whose leader is found elsewhere.
      P01_vote: assert (code_i.op >= MatchAny || {voted, voted_pred} == ((code_i.op == Elect) ? '0 : right_vote));
      // 2. match.any.sync: each answer is for the lanes with the value of the lowest one that has had none yet.
      P02_match_any: assert (!(valid && code_q.op == MatchAny) || !match_any_bad);
      // 3. match.all.sync: the lanes if all values are the same, else 0.
      P03_match_all: assert (!(valid && code_q.op == MatchAll) || !match_all_bad);
      // 4. redux.sync add: the sum modulo 2^32.
      P04_add: assert (!(valid && code_q.op == Add) || !redux_bad);
      // 5. redux.sync min and max, of u32, s32 and f32, with .abs and .NaN.
      P05_min_max: assert (!(valid && code_q.op inside {Min, Max}) || !redux_bad);
      // 6. redux.sync and, or, xor.
      P06_bits: assert (!(valid && code_q.op inside {And, Or, Xor}) || !redux_bad);
      // 7. Answers come in the cycles that the page says, and in no others; so each lane has one. The block is done a
      //    cycle after the last one.
      P07_time: assert (!late);
      // In that cycle the block is in a state from which this proof begins.
      L01_idle: assert (!ended_q || {u_values.start_q, u_values.active_q, u_values.after_q, done, u_values.u_match.set_q} == '0);

      C01_vote: cover (code_i.op == VoteUni && voted_pred && preds_i == came_i);
      C02_match_any: cover (valid && code_q.op == MatchAny && turn_q == 6'd2 && code_q.mode == B64 && left_q == same_right);
      C03_match_all: cover (valid && code_q.op == MatchAll && pred && came_q == 4'b1101 && value[0] != value[3]);
      C04_add: cover (valid && code_q.op == Add && came_q == '1 && data == '0 && value[0][31] && value[1][31:0] == 32'd5);
      C05_min_max: cover (valid && code_q.op == Max && code_q.mode == F32 && code_q.abs && !code_q.nan && came_q == '1 &&
                          is_nan(value[1][31:0]) && data == 32'h3f800000 && value[2][31]);
      C06_bits: cover (valid && code_q.op == Xor && came_q == '1 && data == 32'hffffffff);
      C07_time: cover (valid && turn_q == 6'd3);
    end
  end

endmodule
