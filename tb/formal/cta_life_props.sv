// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The life of one CTA slot, for cta_props: whether it is resident, its size, and which warps and lanes are live,
// by the lifecycle operations and exits that are not refused.
module cta_life_props
  import muster_pkg::*;
#(
  parameter int unsigned NumWarps = 32,
  parameter int unsigned WarpSize = 32,
  parameter bit          EnLanes  = 1'b1,
  localparam int unsigned WarpW   = $clog2(NumWarps)
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  input  cta_t                follow_i,       // the slot
  input  logic                lc_done_i,      // at the lifecycle port
  input  lifecycle_t          lifecycle_i,
  input  logic [NumWarps-1:0] lifecycle_warps_i,
  input  logic                exit_done_i,    // at the exit port
  input  exit_t               exit_i,
  input  logic [NumWarps-1:0] waits_i,        // warps of the CTA that wait
  input  logic                owes_i,         // a restore owes waiting warps
  input  logic                written_i,      // R2B writes what is not followed
  output logic                enters_o,       // a CTA takes the slot
  output logic                exits_o,        // a warp has exited in the cycle before
  output logic                resident_o,
  output logic                known_o,        // nothing was written by R2B
  output wcount_t             size_o,
  output wcount_t             alive_o,        // how many are live, or still to join
  output wcount_t             unjoined_o,
  output logic [NumWarps-1:0] live_o,
  output logic [NumWarps-1:0][WarpSize-1:0] exited_o  // lanes
);

  logic                exits_q, resident_q, known_q;
  wcount_t             size_q, alive_q, unjoined_q;
  logic [NumWarps-1:0] live_q;
  logic [NumWarps-1:0][WarpSize-1:0] exited_q;

  assign {exits_o, resident_o, known_o}    = {exits_q, resident_q, known_q};
  assign {size_o, alive_o, unjoined_o}     = {size_q, alive_q, unjoined_q};
  assign {live_o, exited_o}                = {live_q, exited_q};

  function automatic wcount_t warps_of(logic [NumWarps-1:0] bits);
    return wcount_t'($countones(bits));
  endfunction

  logic ours, launches, opens, joins, exits, leaves, gone;
  logic [WarpW-1:0] w, joining;

  assign ours     = lc_done_i && lifecycle_i.cta == follow_i;
  assign w        = exit_i.warp[WarpW-1:0];
  assign launches = ours && lifecycle_i.op == LcLaunch && !resident_q && lifecycle_warps_i != '0 &&
                    lifecycle_i.size >= warps_of(lifecycle_warps_i) && 32'(lifecycle_i.size) <= NumWarps;
  assign opens    = ours && lifecycle_i.op == LcOpen && !resident_q && lifecycle_i.size != '0 &&
                    32'(lifecycle_i.size) <= NumWarps;
  assign joining  = lifecycle_i.warp[WarpW-1:0];
  assign joins    = ours && lifecycle_i.op == LcJoin && resident_q && unjoined_q != '0 &&
                    32'(lifecycle_i.warp) < NumWarps && !live_q[joining] && lifecycle_i.lanes != '0;
  assign gone     = !EnLanes || (exited_q[w] | exit_i.lanes[WarpSize-1:0]) == '1;
  assign exits    = exit_done_i && exit_i.cta == follow_i && resident_q && exit_i.lanes != '0 &&
                    32'(exit_i.warp) < NumWarps && live_q[w] && !waits_i[w] && !owes_i;
  assign leaves   = ours && lifecycle_i.op inside {LcSuspend, LcEnd};

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      {exits_q, resident_q, known_q, live_q} <= '0;
      {alive_q, size_q, unjoined_q}          <= '0;
    end else begin
      exits_q <= exits && gone;
      if (launches || opens) begin
        resident_q <= 1'b1;
        known_q    <= 1'b1;
        live_q     <= opens ? '0 : lifecycle_warps_i;
        alive_q    <= opens ? lifecycle_i.size : warps_of(lifecycle_warps_i);
        size_q     <= lifecycle_i.size;
        unjoined_q <= opens ? lifecycle_i.size : '0;
      end else if (joins) begin
        live_q[joining] <= 1'b1;
        unjoined_q      <= unjoined_q - 7'd1;
      end else if (exits && gone) begin
        live_q[w]  <= 1'b0;
        alive_q    <= alive_q - 7'd1;
      end else if (leaves) begin
        resident_q <= 1'b0;
      end
      if (written_i) known_q <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (EnLanes) begin
      if (launches) for (int i = 0; i < NumWarps; i++) exited_q[i] <= '0;
      if (joins) exited_q[joining] <= ~lifecycle_i.lanes[WarpSize-1:0];
      if (exits) exited_q[w] <= exited_q[w] | exit_i.lanes[WarpSize-1:0];
    end
  end

  assign enters_o = launches || opens;

endmodule
