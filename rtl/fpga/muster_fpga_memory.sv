// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The shared memory on the board: one bank of 64-bit words in block RAM. The host stores bytes
// while the unit stands still; the unit reads and writes words.
module muster_fpga_memory #(
  parameter  int unsigned NumBytes = 2048,
  localparam int unsigned AddrW    = $clog2(NumBytes)
) (
  input  logic             clk_i,
  input  logic             store_i,
  input  logic [AddrW-1:0] store_addr_i,
  input  logic       [7:0] store_byte_i,
  input  logic             write_i,       // not together with store_i
  input  logic [AddrW-1:3] write_addr_i,
  input  logic      [63:0] write_data_i,
  input  logic             read_i,
  input  logic [AddrW-1:3] read_addr_i,
  output logic      [63:0] rdata_o        // until the next read
);

  (* no_rw_check, ram_style = "block" *) logic [63:0] mem [NumBytes / 8];

  logic        [7:0] enable;
  logic [AddrW-1:3] addr;
  logic       [63:0] data;

  assign enable = {8{write_i}} | (8'(store_i) << store_addr_i[2:0]);
  assign addr   = write_i ? write_addr_i : store_addr_i[AddrW-1:3];
  assign data   = write_i ? write_data_i : {8{store_byte_i}};

  always_ff @(posedge clk_i) begin
    for (int b = 0; b < 8; b++) begin
      if (enable[b]) mem[addr][8*b +: 8] <= data[8*b +: 8];
    end
  end

  always_ff @(posedge clk_i) begin
    if (read_i) rdata_o <= mem[read_addr_i];
  end

endmodule
