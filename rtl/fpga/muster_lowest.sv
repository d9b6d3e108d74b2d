// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// rtl/common/muster_lowest.sv as a table in a block RAM of an FPGA.
module muster_lowest (
  input  logic       clk_i,
  input  logic [7:0] bits_i,
  output logic       any_o,
  output logic [2:0] index_o  // meaningless when no bit is set
);

  (* rom_style = "block" *) logic [3:0] table_q[256];

  initial begin
    for (int bits = 0; bits < 256; bits++) begin
      table_q[bits] = 4'd0;
      for (int b = 7; b >= 0; b--) begin
        if (bits[b]) table_q[bits] = {1'b1, 3'(b)};
      end
    end
  end

  always_ff @(posedge clk_i) begin
    {any_o, index_o} <= table_q[bits_i];
  end

endmodule
