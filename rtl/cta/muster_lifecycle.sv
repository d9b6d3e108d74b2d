// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The front of the lifecycle port. A launch first clears the slot's 16 entries, one group each, and
// counts the live warps on the way; then, as any other operation, it is one group. An exit waits
// until its warp has no operation between issue and commit; suspend and end wait for all warps of
// the CTA. The port is answered when the operation has passed the checks.
module muster_lifecycle
  import muster_pkg::*;
  import muster_cta_pkg::*;
#(
  parameter int unsigned NumWarps = 32,
  parameter int unsigned NumCtas = 8,
  localparam int unsigned WarpW  = $clog2(NumWarps),
  localparam int unsigned CtaW   = (NumCtas > 1) ? $clog2(NumCtas) : 1
) (
  input  logic                clk_i,
  input  logic                rst_ni,

  input  logic                valid_i,
  output logic                ready_o,
  input  lifecycle_t          lifecycle_i,

  input  logic [NumWarps-1:0] busy_i,          // has an operation between issue and commit
  input  logic                launched_i,      // a launch was accepted: the CTA has these warps

  output logic                valid_o,         // a group to select
  input  logic                ready_i,
  output group_t              group_o,
  output warp_t               warp_o,          // of an exit
  output lanes_t              lanes_o,
  output wcount_t             live_o,          // launch: how many warps are live
  input  logic                done_i           // the operation, not a clear, passed the checks
);

  // The warps that each CTA was launched with.
  logic [NumWarps-1:0] members;
  muster_ram #(.Depth(NumCtas), .Width(NumWarps), .Forward(1'b0)) u_members (
    .clk_i,
    .we_i (launched_i), .waddr_i (lifecycle_i.cta[CtaW-1:0]),
    .wdata_i (lifecycle_i.warps[NumWarps-1:0]),
    .raddr_i (lifecycle_i.cta[CtaW-1:0]), .rdata_o (members)
  );

  // How far a launch has come: entries cleared, and warps counted in as many chunks of the mask.
  localparam int unsigned Chunk = (NumWarps + NumBars - 1) / NumBars;
  logic [4:0]                            cleared_q, cleared_d;
  wcount_t                               live_q, live_d;
  logic [NumBars-1:0][Chunk-1:0]         chunks;
  logic                                  seen_q, sent_q, clear, hold;

  always_comb begin
    chunks = '0;
    for (int w = 0; w < NumWarps; w++) chunks[w / Chunk][w % Chunk] = lifecycle_i.warps[w];
  end

  assign clear = (lifecycle_i.op == LcLaunch) && !cleared_q[4];

  always_comb begin
    unique case (lifecycle_i.op)
      LcLaunch: hold = 1'b0;
      LcExit:   hold = busy_i[lifecycle_i.warp[WarpW-1:0]];
      default:  hold = !seen_q || ((busy_i & members) != '0);  // members come a cycle late
    endcase
  end

  always_comb begin
    cleared_d = cleared_q;
    live_d    = live_q;
    if (clear && valid_o && ready_i) begin
      cleared_d = cleared_q + 5'd1;
      for (int i = 0; i < Chunk; i++) live_d = live_d + wcount_t'(chunks[cleared_q[3:0]][i]);
    end
    if (done_i) begin
      cleared_d = '0;
      live_d    = '0;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      cleared_q <= '0;
      live_q    <= '0;
      seen_q    <= 1'b0;
      sent_q    <= 1'b0;
    end else begin
      cleared_q <= cleared_d;
      live_q    <= live_d;
      seen_q    <= valid_i && !done_i;
      sent_q    <= ((valid_o && ready_i && !clear) || sent_q) && !done_i;
    end
  end

  assign valid_o = valid_i && !hold && !sent_q;
  assign ready_o = done_i;
  assign live_o  = live_q;

  always_comb begin
    group_o = '{op: GroupExit, cta: lifecycle_i.cta, bar: '0, count: '0, kind: KindSync};
    warp_o  = '0;
    lanes_o = '0;
    unique case (lifecycle_i.op)
      LcLaunch: begin
        group_o.op  = clear ? GroupClear : GroupLaunch;
        group_o.bar = cleared_q[3:0];
      end
      LcExit: begin
        warp_o  = lifecycle_i.warp;
        lanes_o = lifecycle_i.lanes;
      end
      default: group_o.op = GroupLeave;
    endcase
  end

endmodule
