// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// muster_ram keeps what is written and reads it a cycle later.
module ram_props #(
  parameter int unsigned        Depth    = 16,
  parameter int unsigned        Width    = 8,
  parameter int unsigned        NumWrite = 1,
  parameter int unsigned        NumRead  = 1,
  parameter logic [NumRead-1:0] Forward  = '1,
  localparam int unsigned       AddrW    = (Depth > 1) ? $clog2(Depth) : 1
) (
  input logic                           clk_i,
  input logic [NumWrite-1:0]            we_i,
  input logic [NumWrite-1:0][AddrW-1:0] waddr_i,
  input logic [Width-1:0]               wdata_i,
  input logic [NumRead-1:0][AddrW-1:0]  raddr_i,
  input logic [NumRead-1:0][Width-1:0]  rdata_i
);

  // A word beyond Depth is nobody's: what powers up with anything may be at one in its first cycle.
  logic [2**AddrW-1:0] written_q;
  logic [Width-1:0]    word_q [2**AddrW];  // what each word should hold that was written

  initial written_q = '0;

  always_ff @(posedge clk_i) begin
    for (int w = 0; w < NumWrite; w++) begin
      if (we_i[w] && 32'(waddr_i[w]) < Depth) begin
        written_q[waddr_i[w]] <= 1'b1;
        word_q[waddr_i[w]]    <= wdata_i;
      end
    end
  end

  for (genvar r = 0; r < NumRead; r++) begin : g_read
    logic [AddrW-1:0] raddr_q;
    logic             collides_q;  // read while it is written

    always_ff @(posedge clk_i) begin
      automatic logic collides = 1'b0;
      for (int w = 0; w < NumWrite; w++) collides = collides || (we_i[w] && waddr_i[w] == raddr_i[r]);
      raddr_q    <= raddr_i[r];
      collides_q <= collides;

      if (written_q[raddr_q] && Forward[r]) begin
        // 1. A port of Forward reads what was written last, that of the cycle of the address included.
        P01_forward: assert (rdata_i[r] == word_q[raddr_q]);
        C01_forward: cover (collides_q && word_q[raddr_q] == '1);
      end else if (written_q[raddr_q]) begin
        // 2. So does any other port, unless the word was being written.
        P02_plain: assert (collides_q || rdata_i[r] == word_q[raddr_q]);
        C02_plain: cover (!collides_q && word_q[raddr_q] == '1);
      end
    end
  end

endmodule
