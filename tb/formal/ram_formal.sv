// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// muster_ram keeps what is written and reads it a cycle later, so that the other proofs may take
// model/muster_ram.sv in its place. One word is followed, any.
module ram_formal #(
  parameter int unsigned Depth    = 16,
  parameter int unsigned Width    = 3,
  parameter int unsigned NumWrite = 1,
  localparam int unsigned AddrW   = $clog2(Depth)
) (
  input logic                           clk_i,
  input logic [NumWrite-1:0]            we_i,
  input logic [NumWrite-1:0][AddrW-1:0] waddr_i,
  input logic [Width-1:0]               wdata_i,
  input logic [1:0][AddrW-1:0]          raddr_i,
  input logic [AddrW-1:0]               follow_i
);

  logic                  rst_n = 1'b0;
  logic                  written_q = 1'b0, collides_q;  // the word has been written; read as it was
  logic [AddrW-1:0]      follow_q;
  logic [Width-1:0]      word_q;
  logic [1:0][AddrW-1:0] raddr_q;
  logic [1:0][Width-1:0] rdata;
  logic                  writes;

  muster_ram #(
    .Depth(Depth), .Width(Width), .NumWrite(NumWrite), .NumRead(2), .Forward(2'b01)
  ) u_ram (
    .clk_i, .we_i, .waddr_i, .wdata_i, .raddr_i, .rdata_o (rdata)
  );

  always_comb begin
    writes = 1'b0;
    for (int w = 0; w < NumWrite; w++) writes = writes || (we_i[w] && waddr_i[w] == follow_q);
  end

  always_ff @(posedge clk_i) begin
    rst_n      <= 1'b1;
    raddr_q    <= raddr_i;
    collides_q <= writes;
    if (!rst_n) follow_q <= follow_i;
    if (writes && rst_n) begin
      word_q    <= wdata_i;
      written_q <= 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    assume (rst_n || we_i == '0);
    if (rst_n && written_q) begin
      // 1. A port of Forward reads what was written last, that of the cycle of the address included.
      P01_forward: assert (raddr_q[0] != follow_q || rdata[0] == word_q);
      // 2. So does any other port, unless the word was being written.
      P02_plain: assert (raddr_q[1] != follow_q || collides_q || rdata[1] == word_q);

      C01_forward: cover (raddr_q[0] == follow_q && collides_q && word_q == '1);
      C02_plain:   cover (raddr_q[1] == follow_q && !collides_q && word_q == '1);

    end
  end

endmodule
