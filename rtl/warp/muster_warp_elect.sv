// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The leader of elect.sync: the lowest lane (PTX 9.7.13.14), a cycle later.
module muster_warp_elect
  import muster_pkg::*;
(
  input  logic       clk_i,
  input  lanes_t     lanes_i,
  output logic [4:0] leader_o
);

  logic [MaxLanes/8-1:0]      some_lane;
  logic [MaxLanes/8-1:0][2:0] lowest;

  for (genvar b = 0; b < MaxLanes / 8; b++) begin : g_leader
    muster_lowest u_lowest (
      .clk_i, .bits_i (lanes_i[8*b+:8]), .any_o (some_lane[b]), .index_o (lowest[b])
    );
  end

  always_comb begin
    leader_o = '0;
    for (int b = MaxLanes / 8 - 1; b >= 0; b--) begin
      if (some_lane[b]) leader_o = {2'(b), lowest[b]};
    end
  end

endmodule
