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

  logic [2:0] waited_q;  // sources that asked in the cycle before and were not taken

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
      // 3. If a source has waited for a cycle, a source that asks has the turn. The exception is a source that has
      //    stopped asking: a warp's group does so when it loses its place for a response.
      P03_prompt: assert ((asks_i & waited_q) == '0 || (asks_i & turn_i) != '0 || (waited_q & turn_i & ~asks_i) != '0);
      C03_prompt: cover (taken_i == 3'b100 && waited_q == 3'b100);
    end
  end

endmodule
