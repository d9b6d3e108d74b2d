// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// For the proof of muster_ram_shared, so that other proofs may take model/muster_ram_shared.sv in its place: any
// port writes any word that it read in the cycle before and that no other port writes meanwhile.
module ram_shared_formal #(
  parameter int unsigned  Depth    = 4,
  parameter int unsigned  Width    = 2,
  parameter int unsigned  NumPorts = 2,
  localparam int unsigned AddrW    = (Depth > 1) ? $clog2(Depth) : 1
) (
  input logic                           clk_i,
  input logic [NumPorts-1:0][AddrW-1:0] next_addr_i,
  input logic [NumPorts-1:0][AddrW-1:0] addr_i,
  input logic [NumPorts-1:0]            we_i,
  input logic [Width-1:0]               keep_i,
  input logic                           clears_i,
  input logic [Width-1:0]               wdata_i,
  input logic [AddrW-1:0]               follow_i
);

  logic [NumPorts-1:0][Width-1:0] rdata;
  logic [NumPorts-1:0][AddrW-1:0] next_addr_q, addr_q;
  logic [NumPorts-1:0]            we_q;
  logic                           clears_q;
  logic [AddrW-1:0]               follow_q;  // any word, from the second cycle on
  logic                           started_q;

  initial {we_q, clears_q, started_q} = '0;

  muster_ram_shared #(.Depth(Depth), .Width(Width), .NumPorts(NumPorts)) u_ram (
    .clk_i, .next_addr_i, .addr_i, .we_i, .keep_i, .clears_i, .wdata_i, .rdata_o (rdata)
  );

  ram_shared_props #(.Depth(Depth), .Width(Width), .NumPorts(NumPorts)) u_props (
    .clk_i, .next_addr_i, .addr_i, .we_i, .keep_i, .clears_i, .wdata_i, .follow_i (follow_q), .rdata_i (rdata)
  );

  always_ff @(posedge clk_i) begin
    started_q   <= 1'b1;
    if (!started_q) follow_q <= follow_i;
    next_addr_q <= next_addr_i;
    addr_q      <= addr_i;
    we_q        <= we_i;
    clears_q    <= clears_i;
    for (int p = 0; p < NumPorts; p++) begin
      assume (clears_i ? addr_i[p] == addr_i[0] : !we_i[p] || (addr_i[p] == next_addr_q[p] && !clears_q));
      for (int q = 0; q < NumPorts; q++) begin
        assume (clears_i || !we_i[p] || !we_i[q] || p == q || addr_i[p] != addr_i[q]);
        // No port writes a word whose read was one of a word being written.
        assume (!we_q[q] || !we_i[p] || addr_i[p] != addr_q[q]);
      end
    end
  end

endmodule
