// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Assertions that are on in every simulation, Verilator's included, and that synthesis leaves out.

`ifndef MUSTER_ASSERT_SVH_
`define MUSTER_ASSERT_SVH_

`ifdef SYNTHESIS
`define MUSTER_ASSERT(Name, Expr, What)
`else
// Checks Expr at every rising clock edge out of reset; What says in words what broke.
`define MUSTER_ASSERT(Name, Expr, What) \
  always_ff @(posedge clk_i) begin : Name \
    if (rst_ni) begin \
      assert (Expr) else $error("%s", What); \
    end \
  end
`endif

`endif  // MUSTER_ASSERT_SVH_
