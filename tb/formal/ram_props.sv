// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// muster_ram keeps what is written and reads it a cycle later.
module ram_props #(
  parameter int unsigned        Depth    = 16,
  parameter int unsigned        Width    = 8,
  parameter int unsigned        NumRead  = 1,
  parameter logic [NumRead-1:0] Forward  = '1,
  localparam int unsigned       AddrW    = (Depth > 1) ? $clog2(Depth) : 1
) (
  input logic                          clk_i,
  input logic                          we_i,
  input logic [AddrW-1:0]              waddr_i,
  input logic [Width-1:0]              wdata_i,
  input logic [NumRead-1:0][AddrW-1:0] raddr_i,
  input logic [NumRead-1:0][Width-1:0] rdata_i
);

  // No read returns a word beyond Depth: what powers up with anything may be at one in its first cycle.
  logic [2**AddrW-1:0] written_q;
  logic [Width-1:0]    word_q [2**AddrW];  // what each word should hold that was written

  initial written_q = '0;

  always_ff @(posedge clk_i) begin
    if (we_i && 32'(waddr_i) < Depth) begin
      written_q[waddr_i] <= 1'b1;
      word_q[waddr_i]    <= wdata_i;
    end
  end

  for (genvar r = 0; r < NumRead; r++) begin : g_read
    logic [AddrW-1:0] raddr_q;
    logic             collides_q;  // read while it is written

    always_ff @(posedge clk_i) begin
      raddr_q    <= raddr_i[r];
      collides_q <= we_i && (waddr_i == raddr_i[r]);

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
