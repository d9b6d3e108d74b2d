// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// For the proofs of muster_lowest, whose table in an FPGA no simulation reads.
module lowest_formal (
  input logic       clk_i,
  input logic [7:0] bits_i
);

  logic       any, known_q;
  logic [2:0] index;
  logic [7:0] bits_q;

  muster_lowest u_lowest (.clk_i, .bits_i, .any_o (any), .index_o (index));

  initial known_q = 1'b0;
  always_ff @(posedge clk_i) begin
    known_q <= 1'b1;
    bits_q  <= bits_i;
  end

  always_ff @(posedge clk_i) begin
    // The index is that of a bit that is set, and no lower one is.
    P01_lowest: assert (!known_q || (any == (bits_q != '0) &&
                                     (!any || (bits_q & ((8'd2 << index) - 8'd1)) == (8'd1 << index))));

    C01_lowest: cover (known_q && any && index == 3'd7);
  end

endmodule
