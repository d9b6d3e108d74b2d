// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The places in which operations wait for their memory drain, one per warp. The drain of a parked
// operation is requested until it is acknowledged. Then the operation is drained, and leaves when
// its user chooses it.
//
//   cycle    0         1              2          3
//            park_i    fence_req_o
//                      fence_ack_i    drained_o
//                                     leave_i    data_o, of the address in cycle 2
module muster_parking #(
  parameter int unsigned NumWarps = 32,
  parameter type         data_t   = logic,
  localparam int unsigned WarpW = $clog2(NumWarps)
) (
  input  logic                clk_i,
  input  logic                rst_ni,

  // What the place of this warp holds. It may be written though nothing is parked in it.
  input  logic                write_i,
  input  logic [WarpW-1:0]    warp_i,
  input  data_t               data_i,
  input  logic [NumWarps-1:0] park_i,       // the operation of this warp is parked

  output logic [NumWarps-1:0] fence_req_o,  // perform what the warp accessed before this
  input  logic [NumWarps-1:0] fence_ack_i,  // done; without a request: nothing is outstanding

  output logic [NumWarps-1:0] drained_o,    // acknowledged, and not gone
  input  logic [NumWarps-1:0] leave_i,      // these drained operations are chosen
  input  logic [WarpW-1:0]    read_warp_i,  // the place to read; not one that is written
  output data_t               data_o        // a cycle later
);

  logic [NumWarps-1:0] parked_q, drained_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      parked_q  <= '0;
      drained_q <= '0;
    end else begin
      parked_q  <= (parked_q & ~fence_ack_i) | park_i;
      drained_q <= (drained_q & ~leave_i) | (parked_q & fence_ack_i);
    end
  end

  muster_ram #(.Depth(NumWarps), .Width($bits(data_t)), .Forward(1'b0)) u_parking (
    .clk_i,
    .we_i (write_i), .waddr_i (warp_i), .wdata_i (data_i),
    .raddr_i (read_warp_i), .rdata_o (data_o)
  );

  assign fence_req_o = parked_q;
  assign drained_o   = drained_q;

endmodule
