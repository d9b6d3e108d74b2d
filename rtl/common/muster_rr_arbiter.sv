// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// A round-robin arbiter for a few requesters. It grants the first requester after the one served
// last. A requester that keeps asking is served after at most NumReq - 1 others.
module muster_rr_arbiter #(
  parameter int unsigned NumReq = 2
) (
  input  logic              clk_i,
  input  logic              rst_ni,
  input  logic [NumReq-1:0] req_i,
  input  logic              advance_i,  // the grant is used in this cycle
  output logic [NumReq-1:0] gnt_o       // one-hot; none without a request
);

  logic [NumReq-1:0] after_q, after_d;  // the requesters after the one served last
  logic [NumReq-1:0] candidates;

  assign candidates = ((req_i & after_q) != '0) ? (req_i & after_q) : req_i;

  always_comb begin
    gnt_o    = '0;
    after_d = '1;
    for (int i = NumReq - 1; i >= 0; i--) begin
      if (candidates[i]) begin
        gnt_o    = '0;
        gnt_o[i] = 1'b1;
        for (int j = 0; j < NumReq; j++) after_d[j] = (j > i);
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      after_q <= '1;
    end else if (advance_i) begin
      after_q <= after_d;
    end
  end

endmodule
