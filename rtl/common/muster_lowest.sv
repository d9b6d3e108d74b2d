// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The lowest of eight bits that is set, a cycle later. A technology with memories that it loads at
// the start may put a table in this place.
module muster_lowest (
  input  logic       clk_i,
  input  logic [7:0] bits_i,
  output logic       any_o,
  output logic [2:0] index_o  // meaningless when no bit is set
);

  logic       any;
  logic [2:0] index;

  muster_first #(.Width(8)) u_first (.bits_i, .any_o (any), .index_o (index));

  always_ff @(posedge clk_i) begin
    any_o   <= any;
    index_o <= index;
  end

endmodule
