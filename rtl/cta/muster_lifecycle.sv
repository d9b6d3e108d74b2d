// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The front of the lifecycle port. A launch first walks the slot's 16 entries and the unit's warps,
// one of each in a group, to clear the entries and enter the warps; then it is one group, like any
// other operation. If operations can be overtaken before they commit (in drain, or at another port),
// suspend and end wait for all operations that are on their way, which include those of the CTA. They
// do not wait for operations that are accepted later, so no traffic holds them up for ever. The port is
// answered when the operation has passed the checks.
module muster_lifecycle
  import muster_pkg::*;
  import muster_cta_pkg::*;
#(
  parameter int unsigned NumWarps = 32,
  parameter bit          InOrder  = 1'b0,  // no operation can be overtaken
  localparam int unsigned WarpW   = $clog2(NumWarps),
  localparam int unsigned NumPlaces = 1 << WarpW
) (
  input  logic                clk_i,
  input  logic                rst_ni,

  input  logic                valid_i,
  output logic                ready_o,
  input  lifecycle_t          lifecycle_i,
  input  logic [NumPlaces-1:0] busy_i,   // has an operation between issue and commit

  output logic                valid_o,  // a group to select
  input  logic                ready_i,
  output group_t              group_o,
  output warp_t               warp_o,   // reached by the walk
  input  logic                done_i    // the operation, not a clear, passed the checks
);

  localparam int unsigned Steps = (NumWarps > NumBars) ? NumWarps : NumBars;
  localparam int unsigned StepW = $clog2(Steps);

  logic [StepW:0]      walked_q;
  logic [NumPlaces-1:0] awaited_q, awaited_d;  // not seen free of an operation since valid
  logic                walked, step, sent_q, launches, waits, clear_q;

  assign launches  = (lifecycle_i.op == LcLaunch);
  assign walked    = (walked_q == (StepW+1)'(Steps));
  assign awaited_d = awaited_q & busy_i;

  assign waits   = !InOrder && !launches && !clear_q;
  assign valid_o = valid_i && !sent_q && !waits;
  assign step    = launches && !walked && valid_o && ready_i;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      walked_q <= '0;
      sent_q   <= 1'b0;
      clear_q  <= 1'b0;
    end else if (done_i) begin
      walked_q <= '0;
      sent_q   <= 1'b0;
      clear_q  <= 1'b0;
    end else begin
      clear_q <= valid_i && (awaited_d == '0);
      if (step) walked_q <= walked_q + (StepW+1)'(1);
      if (valid_o && ready_i && !(launches && !walked)) sent_q <= 1'b1;
    end
  end

  always_ff @(posedge clk_i) awaited_q <= (valid_i && !done_i) ? awaited_d : '1;

  assign ready_o = done_i;

  always_comb begin
    group_o = '{op: GroupLeave, cta: lifecycle_i.cta, bar: walked_q[3:0], expected: '0,
                ragged: 1'b0, kind: KindSync};
    warp_o  = '0;
    if (launches) begin
      group_o.op = walked ? GroupLaunch : GroupClear;
      if (!walked) warp_o = warp_t'(walked_q[StepW-1:0]);
    end
  end

endmodule
