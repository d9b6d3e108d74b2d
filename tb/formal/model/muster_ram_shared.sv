// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// What a proof needs to know of rtl/common/muster_ram_shared.sv, and takes its place there: one array.
// ram_shared_formal.sv proves that the memory itself does so.
module muster_ram_shared #(
  parameter int unsigned  Depth    = 16,
  parameter int unsigned  Width    = 8,
  parameter int unsigned  NumPorts = 1,
  localparam int unsigned AddrW    = (Depth > 1) ? $clog2(Depth) : 1
) (
  input  logic                           clk_i,
  input  logic [NumPorts-1:0][AddrW-1:0] next_addr_i,
  input  logic [NumPorts-1:0][AddrW-1:0] addr_i,
  input  logic [NumPorts-1:0]            we_i,
  input  logic [Width-1:0]               keep_i,
  input  logic                           clears_i,
  input  logic [Width-1:0]               wdata_i,
  output logic [NumPorts-1:0][Width-1:0] rdata_o
);

  logic [2**AddrW-1:0][Width-1:0] mem;
  logic [NumPorts-1:0][AddrW-1:0] read_q;

  for (genvar p = 0; p < NumPorts; p++) begin : g_read
    assign rdata_o[p] = mem[read_q[p]];
  end

  always_ff @(posedge clk_i) begin
    read_q <= next_addr_i;
    for (int p = 0; p < NumPorts; p++) begin
      if (we_i[p] || clears_i) mem[addr_i[p]] <= clears_i ? '0 : (keep_i & rdata_o[p]) | (~keep_i & wdata_i);
    end
  end

endmodule
