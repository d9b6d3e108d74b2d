// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// For the proofs of muster_ram, so that the other proofs may take model/muster_ram.sv in its place:
// any word is written and read, at a port with Forward and at one without.
module ram_formal #(
  parameter int unsigned Depth    = 16,
  parameter int unsigned Width    = 3,
  localparam int unsigned AddrW   = $clog2(Depth)
) (
  input logic                          clk_i,
  input logic                          we_i,
  input logic [AddrW-1:0]              waddr_i,
  input logic [Width-1:0]              wdata_i,
  input logic [1:0][AddrW-1:0]         raddr_i,
  input logic [AddrW-1:0]              follow_i
);

  logic [1:0][Width-1:0] rdata;
  logic [AddrW-1:0]      follow_q;  // any word, from the second cycle on
  logic                  started_q;

  initial started_q = 1'b0;

  muster_ram #(
    .Depth(Depth), .Width(Width), .NumRead(2), .Forward(2'b01)
  ) u_ram (
    .clk_i, .we_i, .waddr_i, .wdata_i, .raddr_i, .rdata_o (rdata)
  );

  ram_props #(
    .Depth(Depth), .Width(Width), .NumRead(2), .Forward(2'b01)
  ) u_props (
    .clk_i, .we_i, .waddr_i, .wdata_i, .raddr_i, .follow_i (follow_q), .rdata_i (rdata)
  );

  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    if (!started_q) follow_q <= follow_i;
  end

endmodule
