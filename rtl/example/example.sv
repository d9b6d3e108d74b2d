// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The smallest core that there is: four warps of a CTA meet at barrier 0, then warp 0 initialises
// an mbarrier, arrives, and asks whether its phase is complete; then all exit.
module example
  import muster_pkg::*;
(
  input  logic       clk_i, rst_ni,
  output logic [7:0] live_o, release_o,
  output logic       answer_valid_o, answer_o
);
  logic [7:0]   start_q, synced_q, busy;  // warps: started, past the barrier
  logic [1:0]   step_q;                   // of warp 0 at the mbarrier; 3: over
  issue_t [7:0] next;
  logic         start_ready, issue_valid, issue_ready;
  logic         life_valid, life_ready, exit_valid, exit_ready;
  logic         mb_ready, read_valid, read_ready, rdata_valid, write_valid, write_ready;
  logic         req, we, rvalid_q;
  logic [2:0]   fault_valid;
  logic [31:0]  addr;
  logic [63:0]  wdata, rdata_q, memory[512];  // the CTA's shared memory, 4 KiB
  issue_t       issue;
  lifecycle_t   life;
  exit_t        leaving;
  fault_t [2:0] fault;
  mb_place_t    read_place, write_place;
  mb_word_t     rdata, write_data;
  mb_response_t response;
  mb_op_e       op;

  assign op       = (step_q == 0) ? MbInit : (step_q == 1) ? MbArrive : MbTestWaitParity;
  assign next     = {8{issue_t'{op: OpSync, lanes: '1, default: '0}}};
  assign answer_o = response.complete;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) {start_q, synced_q, step_q, rvalid_q} <= '0;
    else begin
      if (start_ready) start_q <= {start_q[6:0], 1'b1};
      synced_q <= synced_q | release_o;
      if (synced_q[0] && mb_ready && step_q != 3) step_q <= step_q + 1;
      rvalid_q <= req;  // the TCDM grants at once, and answers a cycle later
    end
  end
  always_ff @(posedge clk_i) begin
    rdata_q <= memory[addr[11:3]];
    if (req && we) memory[addr[11:3]] <= wdata;
  end

  muster_scheduler #(.NumWarps(8), .NumCtas(2)) u_scheduler (
    .clk_i, .rst_ni, .start_valid_i (!start_q[3]), .start_ready_o (start_ready),
    .start_warp_i ($clog2(8)'($countones(start_q))), .start_cta_i (1'b0), .start_size_i (7'd4),
    .live_o, .resident_o (), .next_valid_i (~synced_q | {8{step_q == 3}}), .next_exit_i (synced_q),
    .next_i (next), .next_ready_o (), .waits_o (), .issue_valid_o (issue_valid),
    .issue_ready_i (issue_ready), .issue_o (issue), .busy_i (busy), .lifecycle_valid_o (life_valid),
    .lifecycle_ready_i (life_ready), .lifecycle_o (life), .exit_valid_o (exit_valid),
    .exit_ready_i (exit_ready), .exit_o (leaving), .release_i (release_o),
    .fault_valid_i (fault_valid[0]), .fault_warp_i (fault[0].warp)
  );
  muster #(.NumWarps(8), .NumCtas(2), .NumIssue(1), .SmemBytes(4096)) u_muster (
    .clk_i, .rst_ni, .issue_valid_i (issue_valid), .issue_ready_o (issue_ready), .issue_i (issue),
    .busy_o (busy), .lifecycle_valid_i (life_valid), .lifecycle_ready_o (life_ready),
    .lifecycle_i (life), .lifecycle_warps_i ('0), .exit_valid_i (exit_valid),
    .exit_ready_o (exit_ready), .exit_i (leaving), .fence_ack_i ('1), .release_o,
    .response_ready_i (1'b1), .fault_valid_o (fault_valid), .fault_o (fault),
    .mb_clk_i (clk_i), .mb_issue_valid_i (synced_q[0] && step_q != 3), .mb_issue_ready_o (mb_ready),
    .mb_issue_i ('{op: op, place: '{cta: '0, addr: 32'h40}, lanes: 1, operand: 1, asks: AsksPrimary,
                   default: '0}),
    .mb_async_valid_i (1'b0), .mb_async_i ('0), .mb_remote_valid_i (1'b0), .mb_remote_i ('0),
    .mb_fence_ack_i ('1), .smem_read_valid_o (read_valid), .smem_read_ready_i (read_ready),
    .smem_read_place_o (read_place), .smem_rdata_valid_i (rdata_valid), .smem_rdata_i (rdata),
    .smem_write_valid_o (write_valid), .smem_write_ready_i (write_ready),
    .smem_write_place_o (write_place), .smem_write_data_o (write_data), .smem_yield_i (1'b0),
    .mb_response_valid_o (answer_valid_o), .mb_response_ready_i (1'b1),
    .mb_response_o (response), .mb_stopped_ns_i ('0)
  );
  muster_mem_port u_tcdm (
    .clk_i, .rst_ni, .unit_rst_ni (rst_ni), .read_valid_i (read_valid), .read_ready_o (read_ready),
    .read_place_i (read_place), .rdata_valid_o (rdata_valid), .rdata_o (rdata),
    .write_valid_i (write_valid), .write_ready_o (write_ready), .write_place_i (write_place),
    .write_data_i (write_data), .cta_o (), .base_i ('0), .req_o (req), .gnt_i (1'b1),
    .addr_o (addr), .we_o (we), .wdata_o (wdata), .rvalid_i (rvalid_q), .rdata_i (rdata_q)
  );
endmodule
