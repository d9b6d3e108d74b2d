// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Whose turn it is to enter the mbarrier pipeline. A register says it, so the choice between the sources is made before
// the cycle in which one is taken. The turn passes on in a circle, to the next source that asks, when the request
// whose turn it was has been taken. If no other source asks it stays where it is for a cycle, and then returns to source 0.
//
//     cycle     1       2       3       4       5
//     asks      0, 1    0, 1    0       -       1
//     turn      0       1       0       0       0
//     is taken  0       1       0       -       -
module muster_mb_turn #(
  parameter int unsigned NumSources = 3
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,
  input  logic [NumSources-1:0] request_i,
  input  logic                  taken_i,    // the request whose turn it is, in this cycle
  output logic [NumSources-1:0] turn_o      // one-hot; whether that source asks or not
);

  logic [NumSources-1:0] turn_q, turn_d;

  always_comb begin
    turn_d = turn_q;
    if (taken_i || (request_i & turn_q) == '0) begin
      if (!taken_i) turn_d = NumSources'(1);
      for (int s = 0; s < NumSources; s++) begin
        for (int k = NumSources - 1; k > 0; k--) begin
          if (turn_q[s] && request_i[(s + k) % NumSources]) turn_d = NumSources'(1) << ((s + k) % NumSources);
        end
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      turn_q <= NumSources'(1);
    end else begin
      turn_q <= turn_d;
    end
  end

  assign turn_o = turn_q;

endmodule
