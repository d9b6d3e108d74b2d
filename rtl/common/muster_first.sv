// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The index of the lowest bit that is set, as a tree: a level per bit of the index.
module muster_first #(
  parameter int unsigned Width = 8,
  localparam int unsigned IndexW = (Width > 1) ? $clog2(Width) : 1
) (
  input  logic [Width-1:0]  bits_i,
  output logic              any_o,
  output logic [IndexW-1:0] index_o  // meaningless when no bit is set
);

  localparam int unsigned Leaves = 1 << IndexW;

  // Node n has the children 2n and 2n+1; node 1 is the root, the leaves are Leaves to 2*Leaves-1.
  logic [2*Leaves-1:0]             any;
  logic [2*Leaves-1:0][IndexW-1:0] index;

  always_comb begin
    any   = '0;
    index = '0;
    any[Leaves+:Width] = bits_i;
    for (int unsigned level = 0; level < IndexW; level++) begin
      for (int unsigned k = 0; k < (Leaves >> (level + 1)); k++) begin
        automatic int unsigned n = (Leaves >> (level + 1)) + k;
        any[n]          = any[2*n] || any[2*n+1];
        index[n]        = any[2*n] ? index[2*n] : index[2*n+1];
        index[n][level] = !any[2*n];
      end
    end
  end

  assign any_o   = any[1];
  assign index_o = index[1];

endmodule
