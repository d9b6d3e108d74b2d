// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// muster_rr_arbiter: it grants one of the requesters, and none starves. One use: it selects the leading issue port.
module rr_arbiter_props #(
  parameter int unsigned NumReq = 2
) (
  input logic              clk_i,
  input logic              rst_ni,
  input logic [NumReq-1:0] req_i,
  input logic              advance_i,
  input logic [NumReq-1:0] gnt_o
);

  // How many others have been served since a requester began to ask.
  logic [NumReq-1:0][3:0] passed_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      passed_q <= '0;
    end else begin
      for (int r = 0; r < NumReq; r++) begin
        if (!req_i[r] || (advance_i && gnt_o[r])) passed_q[r] <= '0;
        else if (advance_i && gnt_o != '0) passed_q[r] <= passed_q[r] + 4'd1;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // 1. Exactly one of the requesters that ask is served.
      P01_grant: assert ((gnt_o & (gnt_o - NumReq'(1))) == '0 &&
                         (gnt_o & ~req_i) == '0 && (gnt_o == '0) == (req_i == '0));
      C01_grant: cover (gnt_o == NumReq'(2) && req_i == '1);
    end
  end

  for (genvar r = 0; r < NumReq; r++) begin : g_requester
    always_ff @(posedge clk_i) begin
      if (rst_ni) begin
        // 2. No requester starves: one that keeps asking sees at most NumReq - 1 others served.
        P02_fair: assert (passed_q[r] < 4'(NumReq));
        C02_fair: cover (passed_q[r] == 4'(NumReq - 1) && gnt_o[r]);
      end
    end
  end

endmodule
