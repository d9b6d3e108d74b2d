// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// For the proofs of muster_rr_arbiter: any requester may ask at any time.
module rr_arbiter_formal #(
  parameter int unsigned NumReq = 3
) (
  input logic              clk_i,
  input logic [NumReq-1:0] req_i,
  input logic              advance_i
);

  logic              rst_n = 1'b0;
  logic [NumReq-1:0] gnt;

  always_ff @(posedge clk_i) rst_n <= 1'b1;

  muster_rr_arbiter #(.NumReq(NumReq)) u_arbiter (
    .clk_i, .rst_ni (rst_n), .req_i, .advance_i, .gnt_o (gnt)
  );

  rr_arbiter_props #(.NumReq(NumReq)) u_props (
    .clk_i, .rst_ni (rst_n), .req_i, .advance_i, .gnt_o (gnt)
  );

endmodule
