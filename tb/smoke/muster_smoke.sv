// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// A self-checking simulation of a unit with the warp scheduler of rtl/adapters/scheduler, in
// SystemVerilog alone, for flows that bring a simulator and nothing else (FuseSoC, Bender). Warps
// of one CTA meet at barrier 0 in rounds, each after a random number of cycles, and then exit.
// Checked: no warp passes a round before all warps have come to it, all pass it in the same cycle,
// nothing is refused, and the CTA ends.
module muster_smoke
  import muster_pkg::*;
  import muster_cfg_pkg::*;
#(
  parameter int unsigned NumWarps = 8,
  parameter int unsigned Rounds   = 100
);

  localparam int unsigned NumCtas = 2;
  localparam int unsigned WarpW   = $clog2(NumWarps);
  localparam int unsigned Limit   = 200 * Rounds;  // cycles

  localparam muster_cfg_t Cfg = '{
    NumWarps: NumWarps, NumCtas: NumCtas, NumIssue: 1, WarpSize: 32, EnJoin: 1'b1, EnFaults: 1'b1,
    SmemBytes: 1024, MbResponses: 2, ClockPeriodPs: 1000, WaitLimitNs: 4000, default: 1'b0
  };

  logic clk = 1'b0, rst_n = 1'b0;

  logic                  start_valid, start_ready, issue_valid, issue_ready;
  logic                  lifecycle_valid, lifecycle_ready, exit_valid, exit_ready;
  logic   [WarpW:0]      started_q;
  logic   [NumWarps-1:0] live, next_valid, next_exit, next_ready, busy, released;
  logic   [NumCtas-1:0]  resident;
  issue_t [NumWarps-1:0] next;
  issue_t                issue;
  lifecycle_t            lifecycle;
  exit_t                 leaving;
  logic            [2:0] fault_valid;
  fault_t          [2:0] fault;

  // Of each warp: rounds that it has come to and passed, and cycles until it comes to the next.
  int unsigned came_q [NumWarps];
  int unsigned passed_q [NumWarps];
  int unsigned delay_q [NumWarps];
  int unsigned cycles_q;

  initial forever #5 clk = ~clk;
  initial begin
    repeat (4) @(negedge clk);
    rst_n = 1'b1;
  end

  /* verilator lint_off PINCONNECTEMPTY */  // what such a core leaves open
  muster_scheduler #(.NumWarps(NumWarps), .NumCtas(NumCtas)) u_scheduler (
    .clk_i (clk), .rst_ni (rst_n),
    .start_valid_i (start_valid), .start_ready_o (start_ready),
    .start_warp_i (started_q[WarpW-1:0]), .start_cta_i (1'b0), .start_size_i (wcount_t'(NumWarps)),
    .live_o (live), .resident_o (resident),
    .next_valid_i (next_valid), .next_exit_i (next_exit), .next_i (next),
    .next_ready_o (next_ready), .waits_o (),
    .issue_valid_o (issue_valid), .issue_ready_i (issue_ready), .issue_o (issue), .busy_i (busy),
    .lifecycle_valid_o (lifecycle_valid), .lifecycle_ready_i (lifecycle_ready),
    .lifecycle_o (lifecycle),
    .exit_valid_o (exit_valid), .exit_ready_i (exit_ready), .exit_o (leaving),
    .release_i (released), .fault_valid_i (fault_valid[0]), .fault_warp_i (fault[0].warp)
  );

  muster #(.Cfg(Cfg)) u_muster (
    .clk_i (clk), .rst_ni (rst_n),
    .issue_valid_i (issue_valid), .issue_ready_o (issue_ready), .issue_i (issue),
    .busy_o (busy), .idle_o (),
    .lifecycle_valid_i (lifecycle_valid), .lifecycle_ready_o (lifecycle_ready),
    .lifecycle_i (lifecycle), .lifecycle_warps_i ('0),
    .exit_valid_i (exit_valid), .exit_ready_o (exit_ready), .exit_i (leaving),
    .fence_req_o (), .fence_ack_i ('1),
    .release_o (released), .release_info_o (),
    .response_valid_o (), .response_ready_i (1'b1), .response_o (),
    .fault_valid_o (fault_valid), .fault_o (fault),
    .mb_clk_i (clk), .mb_idle_o (),
    .mb_issue_valid_i (1'b0), .mb_issue_ready_o (), .mb_issue_i ('0),
    .mb_async_valid_i (1'b0), .mb_async_ready_o (), .mb_async_i ('0),
    .mb_remote_valid_i (1'b0), .mb_remote_ready_o (), .mb_remote_i ('0),
    .mb_busy_o (), .mb_fence_req_o (), .mb_fence_ack_i ('1),
    .smem_read_valid_o (), .smem_read_ready_i (1'b0), .smem_read_place_o (),
    .smem_rdata_valid_i (1'b0), .smem_rdata_i ('0),
    .smem_write_valid_o (), .smem_write_ready_i (1'b0), .smem_write_place_o (),
    .smem_write_data_o (), .smem_held_valid_o (), .smem_held_place_o (), .smem_yield_i (1'b0),
    .mb_response_valid_o (), .mb_response_ready_i (1'b1), .mb_response_o (),
    .mb_stopped_ns_i ('0), .mb_wake_o (), .mb_wake_report_o (), .mb_expire_o (),
    .mb_fault_valid_o (), .mb_fault_o ()
  );
  /* verilator lint_on PINCONNECTEMPTY */

  assign start_valid = (started_q < (WarpW + 1)'(NumWarps));

  always_comb begin
    for (int w = 0; w < NumWarps; w++) begin
      next_valid[w] = (delay_q[w] == 0);
      next_exit[w]  = (came_q[w] == Rounds);
      next[w]       = '{op: OpSync, lanes: '1, default: '0};
    end
  end

  always_ff @(posedge clk or negedge rst_n) begin
    if (!rst_n) begin
      started_q <= '0;
      cycles_q  <= 0;
      for (int w = 0; w < NumWarps; w++) begin
        came_q[w]   <= 0;
        passed_q[w] <= 0;
        delay_q[w]  <= $urandom_range(20, 0);
      end
    end else begin
      cycles_q <= cycles_q + 1;
      if (start_ready) started_q <= started_q + 1'b1;
      for (int w = 0; w < NumWarps; w++) begin
        if (delay_q[w] != 0) delay_q[w] <= delay_q[w] - 1;
        if (next_ready[w] && !next_exit[w]) begin
          came_q[w]  <= came_q[w] + 1;
          delay_q[w] <= $urandom_range(20, 0);
        end
        if (released[w]) passed_q[w] <= passed_q[w] + 1;
      end
    end
  end

  // The checks, in the middle of each cycle; after reset cycles are counted.
  always_ff @(negedge clk) begin
    if (cycles_q != 0) begin
      if (released != '0) begin
        if (released != '1) $fatal(1, "cycle %0d: some warps are released, not all", cycles_q);
        for (int w = 0; w < NumWarps; w++) begin
          if (came_q[w] != passed_q[0] + 1) begin
            $fatal(1, "cycle %0d: round %0d ends without warp %0d", cycles_q, passed_q[0], w);
          end
        end
      end
      if (fault_valid != '0) $fatal(1, "cycle %0d: an operation is refused", cycles_q);
      if (cycles_q > Limit) $fatal(1, "after %0d cycles the CTA has not ended", cycles_q);
      if (came_q[0] == Rounds && live == '0 && resident == '0) begin
        if (passed_q[0] != Rounds) $fatal(1, "%0d rounds, not %0d", passed_q[0], Rounds);
        $display("PASS: %0d warps, %0d rounds, %0d cycles", NumWarps, Rounds, cycles_q);
        $finish;
      end
    end
  end

endmodule
