// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// What a proof needs to know of rtl/common/muster_ram.sv, and takes its place there: read data are what
// the memory holds a cycle after the address, and where a port of Forward 0 has read a word that was
// being written, anything. ram_formal.sv proves that the memory itself does so.
module muster_ram #(
  parameter int unsigned        Depth    = 16,
  parameter int unsigned        Width    = 8,
  parameter int unsigned        NumRead  = 1,
  parameter logic [NumRead-1:0] Forward  = '1,
  localparam int unsigned       AddrW    = (Depth > 1) ? $clog2(Depth) : 1
) (
  input  logic                          clk_i,
  input  logic                          we_i,
  input  logic [AddrW-1:0]              waddr_i,
  input  logic [Width-1:0]              wdata_i,
  input  logic [NumRead-1:0][AddrW-1:0] raddr_i,
  output logic [NumRead-1:0][Width-1:0] rdata_o
);

  logic [2**AddrW-1:0][Width-1:0] mem;
  logic [NumRead-1:0][AddrW-1:0]  raddr_q;
  logic [NumRead-1:0]             collides_q;
  logic [NumRead-1:0][Width-1:0]  anything;  // not driven

  always_ff @(posedge clk_i) begin
    raddr_q <= raddr_i;
    if (we_i) mem[waddr_i] <= wdata_i;
  end

  for (genvar r = 0; r < NumRead; r++) begin : g_read
    always_ff @(posedge clk_i) collides_q[r] <= we_i && (waddr_i == raddr_i[r]);

    assign rdata_o[r] = (!Forward[r] && collides_q[r]) ? anything[r] : mem[raddr_q[r]];
  end

endmodule
