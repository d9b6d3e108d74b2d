// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// An arbiter whose choice is known at the beginning of a cycle. A register holds the turn, so no
// request of a cycle affects the choice in that cycle. When the source that has the turn is taken
// or does not ask, the turn passes to the next source in the circle that asks. If no other source
// asks, the turn stays after a taken request, and otherwise returns to source 0.
//
//     cycle     1       2       3       4       5       6       7
//     asks      0, 1    0, 1    0       1       1       -       -
//     turn      0       1       0       0       1       1       0
//     is taken  0       1       0       -       1       -       -
module muster_turn_arbiter #(
  parameter int unsigned NumSources = 3
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,
  input  logic [NumSources-1:0] request_i,
  input  logic                  taken_i,    // the source that has the turn is taken in this cycle
  output logic [NumSources-1:0] turn_o      // one-hot, even if that source does not ask
);

  logic [NumSources-1:0] turn_q, turn_d;

  always_comb begin
    turn_d = turn_q;
    if (taken_i || (request_i & turn_q) == '0) begin
      if (!taken_i) turn_d = NumSources'(1);
      for (int s = 0; s < NumSources; s++) begin
        for (int k = NumSources - 1; k > 0; k--) begin
          if (turn_q[s] && request_i[(s + k) % NumSources]) begin
            turn_d = NumSources'(1) << ((s + k) % NumSources);
          end
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
