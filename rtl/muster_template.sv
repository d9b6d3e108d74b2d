// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// An instantiation of the unit to copy from: a core of 32 warps and 8 CTAs with one issue port,
// named barriers and mbarriers, the memory drain, and cp.async.mbarrier.arrive. Ports that a core
// does not need are tied off as rtl/README.md says: here the port of a cluster. A core with copy
// engines puts an arbiter in front of the async port.
module muster_template
  import muster_pkg::*;
  import muster_cfg_pkg::*;
#(
  parameter int unsigned WarpSize    = 32,
  localparam int unsigned NumWarps   = 32,
  localparam int unsigned WarpW      = $clog2(NumWarps),
  // One more than a warp's arrive-ons that may wait for copies.
  localparam int unsigned CopyEpochs = 4,
  localparam int unsigned EpochW     = $clog2(CopyEpochs)
) (
  input  logic                clk_i,
  input  logic                rst_ni,

  // Decode: one barrier instruction of a warp, and one group of an mbarrier instruction
  // (rtl/mbarrier/muster_mb_coalesce.sv makes groups).
  input  logic                issue_valid_i,
  output logic                issue_ready_o,
  input  issue_t              issue_i,
  input  logic                mb_issue_valid_i,
  output logic                mb_issue_ready_o,
  input  mb_group_t           mb_issue_i,
  output logic [NumWarps-1:0] busy_o,     // steer by these: a busy warp's next one waits
  output logic [NumWarps-1:0] mb_busy_o,

  // CTA scheduler.
  input  logic                lifecycle_valid_i,
  output logic                lifecycle_ready_o,
  input  lifecycle_t          lifecycle_i,
  input  logic [NumWarps-1:0] lifecycle_warps_i,

  // Where warps end: lanes that exit.
  input  logic                exit_valid_i,
  output logic                exit_ready_o,
  input  exit_t               exit_i,

  // Load/store unit: by warp, an access begins, and one is performed; in any order, one of each in
  // a cycle. An access begins before the warp's next barrier instruction is presented, and carries
  // the two epochs that it began in, for the drains of named barriers and of mbarriers. None begins
  // while the warp is full.
  input  logic [NumWarps-1:0]      access_begin_i,
  output logic [1:0][NumWarps-1:0] access_epoch_o,
  output logic [NumWarps-1:0]      access_full_o,
  input  logic [NumWarps-1:0]      access_done_i,
  input  logic [1:0][NumWarps-1:0] access_done_epoch_i,

  // A copy of cp.async begins, and one is performed; in any order, one of each in a cycle. A copy
  // carries the epoch that it began in. It is none of the accesses above: no barrier waits for it.
  input  logic                copy_begin_valid_i,
  output logic                copy_begin_ready_o,
  input  warp_t               copy_begin_warp_i,
  output logic [EpochW-1:0]   copy_begin_epoch_o,
  input  logic                copy_done_valid_i,
  input  warp_t               copy_done_warp_i,
  input  logic [EpochW-1:0]   copy_done_epoch_i,

  // Decode: cp.async.mbarrier.arrive, for the copies that the warp has begun. Without .noinc an
  // MbCopyArrive of the same lanes has gone through mb_issue, and mb_busy_o has fallen.
  input  logic                copy_arrive_valid_i,
  output logic                copy_arrive_ready_o,
  input  warp_t               copy_arrive_warp_i,
  input  lanes_t              copy_arrive_lanes_i,
  input  mb_place_t           copy_arrive_place_i,
  output logic [NumWarps-1:0] copy_busy_o,  // the warp's CTA must not leave yet

  // Warp scheduler, register file, trap handler.
  output logic [NumWarps-1:0] release_o,
  output release_t            release_info_o,
  output logic                response_valid_o,
  input  logic                response_ready_i,
  output response_t           response_o,
  output logic [NumWarps-1:0] mb_wake_o,    // a parked try_wait is answered true,
  output mb_report_t          mb_wake_report_o,  // with the report of its phase
  output logic [NumWarps-1:0] mb_expire_o,  // and false
  output logic                mb_response_valid_o,
  input  logic                mb_response_ready_i,
  output mb_response_t        mb_response_o,
  output logic [2:0]          fault_valid_o,  // issue port, lifecycle port, exit port
  output fault_t [2:0]        fault_o,
  output logic                mb_fault_valid_o,
  output mb_fault_t           mb_fault_o,

  // A bank of shared memory.
  output logic                smem_read_valid_o,
  input  logic                smem_read_ready_i,
  output mb_place_t           smem_read_place_o,
  input  logic                smem_rdata_valid_i,
  input  mb_word_t            smem_rdata_i,
  output logic                smem_write_valid_o,
  input  logic                smem_write_ready_i,
  output mb_place_t           smem_write_place_o,
  output mb_word_t            smem_write_data_o,
  output logic      [MbHeld-1:0] smem_held_valid_o,  // closed to stores
  output mb_place_t [MbHeld-1:0] smem_held_place_o,
  input  logic                smem_yield_i
);

  // -------------------------------------------------------------------------------------------
  // Memory drain: what was outstanding at the request is performed
  // -------------------------------------------------------------------------------------------

  logic [NumWarps-1:0] fence_req, fence_ack, mb_fence_req, mb_fence_ack, full, mb_full;

  assign access_full_o = full | mb_full;

  // An update of an mbarrier is one of the accesses that a named barrier waits for.
  muster_fence_tracker #(.NumWarps(NumWarps)) u_fence (
    .clk_i, .rst_ni,
    .begin_i (access_begin_i), .epoch_o (access_epoch_o[0]), .full_o (full),
    .done_i (access_done_i), .done_epoch_i (access_done_epoch_i[0]), .busy_i (mb_busy_o),
    .fence_req_i (fence_req), .fence_classes_i ('1), .fence_ack_o (fence_ack)
  );
  muster_fence_tracker #(.NumWarps(NumWarps)) u_mb_fence (
    .clk_i, .rst_ni,
    .begin_i (access_begin_i), .epoch_o (access_epoch_o[1]), .full_o (mb_full),
    .done_i (access_done_i), .done_epoch_i (access_done_epoch_i[1]), .busy_i ('0),
    .fence_req_i (mb_fence_req), .fence_classes_i ('1), .fence_ack_o (mb_fence_ack)
  );

  // So that mb_busy_o falls, a warp in drain for a named barrier begins no further update; one that
  // is presented already stays.
  logic mb_presented_q, mb_kept, mb_valid, mb_ready;

  assign mb_kept          = fence_req[mb_issue_i.warp[WarpW-1:0]] && !mb_presented_q;
  assign mb_valid         = mb_issue_valid_i && !mb_kept;
  assign mb_issue_ready_o = mb_ready && !mb_kept;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      mb_presented_q <= 1'b0;
    end else begin
      mb_presented_q <= mb_valid && !mb_ready;
    end
  end

  // -------------------------------------------------------------------------------------------
  // Copies: the arrive-ons of cp.async.mbarrier.arrive
  // -------------------------------------------------------------------------------------------

  logic      async_valid, async_ready;
  mb_async_t async_op;

  muster_copy_tracker #(.NumWarps(NumWarps), .Epochs(CopyEpochs)) u_copies (
    .clk_i, .rst_ni,
    .begin_valid_i (copy_begin_valid_i), .begin_ready_o (copy_begin_ready_o),
    .begin_warp_i (copy_begin_warp_i), .begin_epoch_o (copy_begin_epoch_o),
    .done_valid_i (copy_done_valid_i), .done_warp_i (copy_done_warp_i),
    .done_epoch_i (copy_done_epoch_i),
    .arrive_valid_i (copy_arrive_valid_i), .arrive_ready_o (copy_arrive_ready_o),
    .arrive_warp_i (copy_arrive_warp_i), .arrive_lanes_i (copy_arrive_lanes_i),
    .arrive_place_i (copy_arrive_place_i),
    .async_valid_o (async_valid), .async_ready_i (async_ready), .async_o (async_op),
    .busy_o (copy_busy_o)
  );

  // -------------------------------------------------------------------------------------------
  // The unit
  // -------------------------------------------------------------------------------------------

  /* verilator lint_off WIDTHCONCAT */  // a parameter has a width
  localparam muster_cfg_t Cfg = '{
    NumWarps: NumWarps, NumCtas: 8, NumIssue: 1, WarpSize: WarpSize, SmemBytes: 262144,
    MbResponses: 8, ClockPeriodPs: 1000, WaitLimitNs: 1000000, default: 1'b1  // all switches
  };
  /* verilator lint_on WIDTHCONCAT */

  /* verilator lint_off PINCONNECTEMPTY */  // these outputs may stay open
  /* verilator lint_off PINMISSING */  // so may the pins of observation (MUSTER_OBSERVE)
  muster #(.Cfg(Cfg)) u_muster (
    .clk_i, .rst_ni,
    .issue_valid_i, .issue_ready_o, .issue_i, .busy_o, .idle_o (),
    .lifecycle_valid_i, .lifecycle_ready_o, .lifecycle_i, .lifecycle_warps_i,
    .exit_valid_i, .exit_ready_o, .exit_i,
    .fence_req_o (fence_req), .fence_ack_i (fence_ack),
    .release_o, .release_info_o,
    .response_valid_o, .response_ready_i, .response_o,
    .fault_valid_o, .fault_o,
    .mb_clk_i (clk_i), .mb_idle_o (),
    .mb_issue_valid_i (mb_valid), .mb_issue_ready_o (mb_ready), .mb_issue_i,
    .mb_async_valid_i (async_valid), .mb_async_ready_o (async_ready), .mb_async_i (async_op),
    .mb_remote_valid_i (1'b0), .mb_remote_ready_o (), .mb_remote_i ('0),
    .mb_busy_o, .mb_fence_req_o (mb_fence_req), .mb_fence_ack_i (mb_fence_ack),
    .smem_read_valid_o, .smem_read_ready_i, .smem_read_place_o, .smem_rdata_valid_i,
    .smem_rdata_i, .smem_write_valid_o, .smem_write_ready_i, .smem_write_place_o,
    .smem_write_data_o, .smem_held_valid_o, .smem_held_place_o, .smem_yield_i,
    .mb_response_valid_o, .mb_response_ready_i, .mb_response_o, .mb_stopped_ns_i ('0),
    .mb_wake_o, .mb_wake_report_o, .mb_expire_o, .mb_fault_valid_o, .mb_fault_o
  );
  /* verilator lint_on PINMISSING */
  /* verilator lint_on PINCONNECTEMPTY */

endmodule
