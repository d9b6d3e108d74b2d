// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The memory drain in front of the atomics (PTX ISA 9.7.13.5, .release): an update that releases
// stays at the port until its warp's earlier memory accesses are performed, and those behind it
// wait. There is no place to park one in, as muster_drain has for each warp.
module muster_atomics_drain #(
  parameter int unsigned NumWarps = 32,
  localparam int unsigned WarpW = $clog2(NumWarps)
) (
  input  logic                clk_i,
  input  logic                rst_ni,

  input  logic                valid_i,
  output logic                ready_o,
  input  logic                releasing_i,
  input  logic [WarpW-1:0]    warp_i,

  output logic [NumWarps-1:0] fence_req_o,  // perform what the warp accessed before this
  input  logic [NumWarps-1:0] fence_ack_i,  // done; without a request: nothing is outstanding

  output logic                valid_o,      // the update at the port may enter
  input  logic                ready_i
);

  logic asks_q, done_q, waits, drained;

  assign waits   = valid_i && releasing_i && !done_q;
  assign drained = !waits || fence_ack_i[warp_i];
  assign valid_o = valid_i && drained;
  assign ready_o = ready_i && drained;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      asks_q <= 1'b0;
      done_q <= 1'b0;
    end else begin
      asks_q <= waits && !fence_ack_i[warp_i];
      done_q <= valid_o && !ready_o;
    end
  end

  always_comb begin
    fence_req_o         = '0;
    fence_req_o[warp_i] = asks_q;
  end

endmodule
