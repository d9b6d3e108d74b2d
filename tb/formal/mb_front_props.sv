// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The front of muster_mbarrier: warps, copy engines and other CTAs take turns. A warp's group requests when
// there is a place for its response, whether or not a group is split at that time.
module mb_front_props (
  input logic       clk_i,
  input logic       rst_ni,
  input logic [2:0] asks_i,
  input logic [2:0] turn_i,
  input logic [2:0] taken_i
);

  logic [2:0] waited_q;  // asked in the cycle before, and were not taken

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      waited_q <= '0;
    end else begin
      waited_q <= asks_i & ~taken_i;
    end
  end

  // How many others have been taken since a source began to ask.
  logic [2:0][1:0] passed_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      passed_q <= '0;
    end else begin
      for (int s = 0; s < 3; s++) begin
        if (!asks_i[s] || taken_i[s]) passed_q[s] <= '0;
        else if (taken_i != '0 && passed_q[s] != '1) passed_q[s] <= passed_q[s] + 2'd1;
      end
    end
  end

  for (genvar s = 0; s < 3; s++) begin : g_source
    always_ff @(posedge clk_i) begin
      if (rst_ni) begin
        // 1. No source starves: who keeps asking sees at most two groups of the others taken.
        P01_turn: assert (passed_q[s] < 2'd3);
        C01_turn: cover (passed_q[s] == 2'd2 && taken_i[s]);
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // 3. The turn comes at once: in the cycle after one in which a source asked, it is the turn of one that asks, unless
      //    one has ceased to ask, as a warp's group does that has lost its place for a response.
      P03_prompt: assert ((asks_i & waited_q) == '0 || (asks_i & turn_i) != '0 || (~asks_i & waited_q) != '0);
      C03_prompt: cover (taken_i[2] && !waited_q[1] && !waited_q[0]);
    end
  end

endmodule
