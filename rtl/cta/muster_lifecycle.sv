// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The front of the lifecycle port. A launch first walks the slot's 16 entries and the unit's warps,
// one of each in a group, to clear the entries and enter the warps; then it is one group, like any
// other operation. If operations can be overtaken before they commit (in drain, or at another
// port), suspend and end wait for all operations that are on their way, which include those of the
// CTA. They do not wait for operations that are accepted later, so no traffic holds them up for
// ever. The port is answered when the operation has passed the checks.
//
// With EnJoin, a slot that has become free is cleaned by a walk of its own, which enters no warp:
// so an open needs none. Meanwhile joins go first, and so do opens of other slots; the rest waits.
module muster_lifecycle
  import muster_pkg::*;
  import muster_cta_pkg::*;
#(
  parameter int unsigned NumWarps = 32,
  parameter bit          EnJoin   = 1'b1,
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

  output logic                valid_o,       // a group to select
  input  logic                ready_i,
  output group_t              group_o,
  output warp_t               warp_o,        // that joins, or that the walk has reached
  output logic                clean_step_o,  // the group is a step of the cleaning
  input  logic                done_i,        // the operation, not a step, passed the checks
  // The operation leaves its slot free, with entries and warps in it.
  input  logic                slot_freed_i
);

  localparam int unsigned Steps = (NumWarps > NumBars) ? NumWarps : NumBars;
  localparam int unsigned StepW = $clog2(Steps);

  logic [StepW:0]      walked_q;
  logic [NumPlaces-1:0] awaited_q, awaited_d;  // not seen free of an operation since valid
  logic                walked, step, sent_q, launches, opens, joins, waits, clear_q;
  // The port's operation, or a step of it: if no cleaning is in its way; it goes.
  logic                asks, goes;
  logic                cleaning_q, cleaned;
  // An open, presented for a cycle, of another slot than the one that is cleaned.
  logic                elsewhere_q;
  cta_t                cleaned_cta_q;

  assign launches  = (lifecycle_i.op == LcLaunch);
  assign opens     = EnJoin && (lifecycle_i.op == LcOpen);
  assign joins     = EnJoin && (lifecycle_i.op == LcJoin);
  assign walked    = (walked_q == (StepW + 1)'(Steps));
  assign awaited_d = awaited_q & busy_i;

  always_comb begin
    waits = !InOrder && !launches && !opens && !joins && !clear_q;
    asks  = valid_i && !sent_q && !waits;
    goes  = asks && (!cleaning_q || joins || elsewhere_q);
  end

  assign valid_o      = asks || cleaning_q;
  assign clean_step_o = !goes;
  assign step         = ready_i && (goes ? launches && !walked : cleaning_q);
  assign cleaned      = step && cleaning_q && (walked_q == (StepW + 1)'(Steps - 1));

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      walked_q   <= '0;
      sent_q     <= 1'b0;
      clear_q    <= 1'b0;
      cleaning_q <= 1'b0;
    end else begin
      cleaning_q <= EnJoin && ((cleaning_q && !cleaned) || (done_i && slot_freed_i));
      clear_q    <= !done_i && valid_i && (awaited_d == '0);
      sent_q     <= !done_i && (sent_q || (goes && ready_i && !(launches && !walked)));
      if (step) walked_q <= walked_q + (StepW + 1)'(1);
      if (cleaned || (done_i && launches)) walked_q <= '0;
    end
  end

  always_ff @(posedge clk_i) begin
    awaited_q <= (valid_i && !done_i) ? awaited_d : '1;
    if (done_i && slot_freed_i) cleaned_cta_q <= lifecycle_i.cta;
    elsewhere_q <= valid_i && !done_i && opens && (lifecycle_i.cta != cleaned_cta_q);
  end

  assign ready_o = done_i;

  always_comb begin
    group_o = '{op: GroupLeave, cta: lifecycle_i.cta, bar: walked_q[3:0], expected: '0,
                ragged: 1'b0, kind: KindSync, answers: 1'b0};
    warp_o  = '0;
    if (opens) group_o.op = GroupOpen;
    if (joins) begin
      group_o.op = GroupJoin;
      warp_o     = lifecycle_i.warp;
    end
    if (launches && walked) group_o.op = GroupLaunch;
    if (!goes || (launches && !walked)) begin
      group_o.op = GroupClear;
      warp_o     = warp_t'(walked_q[StepW-1:0]);
    end
    if (!goes) group_o.cta = cleaned_cta_q;
  end

endmodule
