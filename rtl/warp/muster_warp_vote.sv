// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The answer of vote.sync as a function of the lanes that came and their predicates (PTX 9.7.13.9).
// Others are answered 0.
module muster_warp_vote
  import muster_pkg::*;
  import muster_warp_pkg::*;
#(
  parameter warp_cfg_t Cfg
) (
  input  logic [3:0]  op_i,
  input  lanes_t      came_i,   // not empty
  input  lanes_t      preds_i,  // of these; others 0
  output logic [31:0] data_o,   // ballot: the predicates
  output logic        pred_o    // all, any, uni
);

  logic all, any;

  assign all = Cfg.EnCollectives && (came_i & ~preds_i) == '0;
  assign any = Cfg.EnCollectives && preds_i != '0;

  always_comb begin
    data_o = '0;
    pred_o = 1'b0;
    unique case (op_i)
      4'(WarpVoteAll): pred_o = all;
      4'(WarpVoteAny): pred_o = any;
      4'(WarpVoteUni): pred_o = Cfg.EnCollectives && (all || !any);
      4'(WarpBallot):  if (Cfg.EnCollectives) data_o = preds_i;
      default: ;
    endcase
  end

endmodule
