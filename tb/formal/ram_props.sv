// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// muster_ram keeps what is written and reads it a cycle later. One word is followed.
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
  input logic [AddrW-1:0]              follow_i,  // the word; constant from the second cycle on
  input logic [NumRead-1:0][Width-1:0] rdata_i
);

  // No read returns a word beyond Depth: what powers up with anything may be at one in its first cycle.
  logic             started_q;  // it is not the first cycle
  logic             written_q;
  logic [Width-1:0] word_q;     // what the word should hold
  logic             writes;

  assign writes = we_i && waddr_i == follow_i && 32'(follow_i) < Depth;

  initial {started_q, written_q} = '0;

  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    if (started_q && writes) begin
      written_q <= 1'b1;
      word_q    <= wdata_i;
    end
  end

  for (genvar r = 0; r < NumRead; r++) begin : g_read
    logic reads_q;
    logic collides_q;  // read while it is written

    always_ff @(posedge clk_i) begin
      reads_q    <= raddr_i[r] == follow_i;
      collides_q <= writes;

      if (written_q && reads_q && Forward[r]) begin
        // 1. A port of Forward reads what was written last, that of the cycle of the address included.
        P01_forward: assert (rdata_i[r] == word_q);
        C01_forward: cover (collides_q && word_q == '1);
      end else if (written_q && reads_q) begin
        // 2. So does any other port, unless the word was being written.
        P02_plain: assert (collides_q || rdata_i[r] == word_q);
        C02_plain: cover (!collides_q && word_q == '1);
      end
    end
  end

endmodule
