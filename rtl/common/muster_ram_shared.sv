// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// A memory with several ports, each of which reads a word and may then write it. What is written is
// the same for all, or in the bits that are kept, what was there. With several ports every word
// must be cleared first.
//
// Each port has arrays of its own (muster_mem_1r1w), one for every port that reads them. A word is
// the XOR of what the ports hold of it: a port that writes adds what the others hold to the new
// word. So nothing has to know which port wrote last.
//
//   cycle    0              1
//            next_addr_i    rdata_o, and with we_i the word is written
//
// No port reads or writes a word in the cycle in which another one writes it.
module muster_ram_shared #(
  parameter int unsigned  Depth    = 16,
  parameter int unsigned  Width    = 8,
  parameter int unsigned  NumPorts = 1,
  localparam int unsigned AddrW    = (Depth > 1) ? $clog2(Depth) : 1
) (
  input  logic                           clk_i,
  input  logic [NumPorts-1:0][AddrW-1:0] next_addr_i,  // the words that are read
  // The same a cycle later; with clears_i any one, at all ports.
  input  logic [NumPorts-1:0][AddrW-1:0] addr_i,
  input  logic [NumPorts-1:0]            we_i,         // the words are written
  // The bits of a word that a write leaves as they are.
  input  logic [Width-1:0]               keep_i,
  input  logic                           clears_i,     // the word is cleared, whatever was read
  input  logic [Width-1:0]               wdata_i,
  output logic [NumPorts-1:0][Width-1:0] rdata_o       // what was there before
);

  // By the port that reads, and the one that has written.
  logic [NumPorts-1:0][NumPorts-1:0][Width-1:0] stored;
  // What the other ports hold of a port's word.
  logic [NumPorts-1:0][Width-1:0]               others;
  logic [NumPorts-1:0][Width-1:0]               share;   // what the port is to hold of it

  always_comb begin
    for (int p = 0; p < NumPorts; p++) begin
      others[p] = '0;
      for (int q = 0; q < NumPorts; q++) begin
        if (q != p) others[p] = others[p] ^ stored[p][q];
      end
      rdata_o[p] = stored[p][p] ^ others[p];
      share[p]   = (keep_i & stored[p][p]) | (~keep_i & (wdata_i ^ others[p]));
      if (clears_i) share[p] = '0;
    end
  end

  for (genvar p = 0; p < NumPorts; p++) begin : g_port
    for (genvar q = 0; q < NumPorts; q++) begin : g_array
      muster_mem_1r1w #(.Depth(Depth), .Width(Width)) u_mem (
        .clk_i,
        .we_i (we_i[q] || clears_i), .waddr_i (addr_i[q]), .wdata_i (share[q]),
        .raddr_i (next_addr_i[p]), .rdata_o (stored[p][q])
      );
    end
  end

endmodule
