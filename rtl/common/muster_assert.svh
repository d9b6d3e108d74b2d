// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// What parameters must be, or else the elaboration ends with that sentence; and assertions, which
// are on in every simulation (in Verilator with --assert), and which synthesis leaves out.

`ifndef MUSTER_ASSERT_SVH_
`define MUSTER_ASSERT_SVH_

`define MUSTER_LEGAL(Expr, What) if (!(Expr)) $error(What);

`ifdef SYNTHESIS
`define MUSTER_ASSERT(Name, Expr, What)
`define MUSTER_ASSERT_HELD(Name, Valid, Ready, Payload, What)
`else
// Checks Expr at every rising clock edge out of reset; What says in words what broke.
`define MUSTER_ASSERT(Name, Expr, What) \
  always_ff @(posedge clk_i) begin : Name \
    if (rst_ni) begin \
      assert (Expr) else $error("%s", What); \
    end \
  end

// Checks that what is presented stays, and stays the same, until it is accepted.
`define MUSTER_ASSERT_HELD(Name, Valid, Ready, Payload, What) \
  Name: assert property (@(posedge clk_i) disable iff (!rst_ni) \
    (Valid) && !(Ready) |=> (Valid) && $stable(Payload)) else $error("%s", What);
`endif

`endif  // MUSTER_ASSERT_SVH_
