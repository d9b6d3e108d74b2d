// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// muster_ram_shared keeps what its ports write. One word is followed from its clearing on.
module ram_shared_props #(
  parameter int unsigned  Depth    = 16,
  parameter int unsigned  Width    = 8,
  parameter int unsigned  NumPorts = 1,
  localparam int unsigned AddrW    = (Depth > 1) ? $clog2(Depth) : 1
) (
  input logic                           clk_i,
  input logic [NumPorts-1:0][AddrW-1:0] next_addr_i,
  input logic [NumPorts-1:0][AddrW-1:0] addr_i,
  input logic [NumPorts-1:0]            we_i,
  input logic [Width-1:0]               keep_i,
  input logic                           clears_i,
  input logic [Width-1:0]               wdata_i,
  input logic [AddrW-1:0]               follow_i,   // the word; constant from the second cycle on
  input logic [NumPorts-1:0][Width-1:0] rdata_i
);

  logic                started_q;             // it is not the first cycle
  logic                cleared_q, written_q;  // the word was cleared; and then written
  logic [Width-1:0]    word_q;                // what it should hold
  logic [NumPorts-1:0] reads_q, writes;       // ports that read it, that write it in this cycle

  initial {started_q, cleared_q, written_q} = '0;

  always_comb begin
    for (int p = 0; p < NumPorts; p++) writes[p] = we_i[p] && !clears_i && addr_i[p] == follow_i;
  end

  always_ff @(posedge clk_i) begin
    started_q <= 1'b1;
    for (int p = 0; p < NumPorts; p++) reads_q[p] <= (next_addr_i[p] == follow_i) && writes == '0 && !clears_i;
    if (started_q && clears_i && addr_i[0] == follow_i) begin
      cleared_q <= 1'b1;
      word_q    <= '0;
    end else if (writes != '0) begin
      written_q <= cleared_q;
      word_q    <= (keep_i & word_q) | (~keep_i & wdata_i);
    end
  end

  for (genvar p = 0; p < NumPorts; p++) begin : g_port
    always_ff @(posedge clk_i) begin
      // 1. A port reads what the ports have written.
      if (cleared_q && reads_q[p]) P01_reads: assert (rdata_i[p] == word_q);
      C01_reads: cover (written_q && reads_q[p] && word_q == '1);
    end
  end

endmodule
