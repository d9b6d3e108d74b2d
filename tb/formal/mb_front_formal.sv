// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// For the proof of the front of muster_mbarrier: the whole module, whose sources present groups of one lane or
// two, with and without responses, at any time. The result of an update is left open
// (model/muster_mb_look.sv), and so is the behaviour of memory, fence and the receiver of responses.
module mb_front_formal
  import muster_pkg::*;
  import muster_cfg_pkg::*;
  import muster_mb_pkg::*;
#(
  parameter int unsigned NumWarps = 4,
  parameter bit          Timed    = 1'b0,  // memory and responses wait for a cycle at most
  parameter int unsigned Longest  = 29
) (
  input logic                clk_i,
  input logic                issue_valid_i,
  input mb_group_t           issue_i,
  input logic                async_valid_i,
  input mb_async_t           async_i,
  input logic                remote_valid_i,
  input mb_remote_t          remote_i,
  input logic [NumWarps-1:0] fence_ack_i,
  input logic                read_ready_i,
  input logic                rdata_valid_i,
  input mb_word_t            rdata_i,
  input logic                write_ready_i,
  input logic                yield_i,
  input logic                response_ready_i
);

  logic rst_n = 1'b0;
  logic issue_ready, async_ready, remote_ready, read_valid, write_valid, response_valid;
  logic [2:0] asks, taken;  // warps (with a place for the response), copy engines, other CTAs

  localparam muster_cfg_t Cfg = '{
    NumWarps: NumWarps, NumCtas: 1, NumIssue: 1, WarpSize: 32, SmemBytes: 16, MbResponses: 2, ClockPeriodPs: 1000,
    WaitLimitNs: 5, EnReport: 1'b0, default: 1'b1  // all other switches
  };

  muster_mbarrier #(.Cfg(Cfg)) u_room (
    .clk_i, .rst_ni (rst_n),
    .issue_valid_i, .issue_ready_o (issue_ready), .issue_i,
    .async_valid_i, .async_ready_o (async_ready), .async_i,
    .remote_valid_i, .remote_ready_o (remote_ready), .remote_i,
    .busy_o (), .active_o (), .fence_req_o (), .fence_ack_i,
    .smem_read_valid_o (read_valid), .smem_read_ready_i (read_ready_i), .smem_read_place_o (),
    .smem_rdata_valid_i (rdata_valid_i), .smem_rdata_i (rdata_i),
    .smem_write_valid_o (write_valid), .smem_write_ready_i (write_ready_i), .smem_write_place_o (), .smem_write_data_o (),
    .smem_held_valid_o (), .smem_held_place_o (), .smem_yield_i (yield_i),
    .response_valid_o (response_valid), .response_ready_i, .response_o (),
    .stopped_ns_i ('0), .wake_o (), .wake_report_o (), .expire_o (),
    .leave_valid_i (1'b0), .leave_cta_i ('0), .fault_valid_o (), .fault_o (), .commit_o ()
  );

  mb_front_props u_props (
    .clk_i, .rst_ni (rst_n),
    .asks_i (asks), .turn_i (u_room.turn), .taken_i (taken)
  );

  assign asks  = {remote_valid_i, async_valid_i, u_room.warp_valid && (!u_room.warp_responds || u_room.spare)};
  assign taken = {remote_valid_i && remote_ready, async_valid_i && async_ready,
                  u_room.warp_valid && u_room.warp_ready};

  always_ff @(posedge clk_i) begin
    rst_n <= 1'b1;
    assume (issue_i.lanes != '0 && issue_i.lanes < 32'd4 && issue_i.op <= MbCopyArrive);
    assume (remote_i.lanes != '0 && remote_i.lanes < 32'd4);
    // Data come for a read that waits for them.
    assume (!rdata_valid_i || (u_room.u_pipe.u_fetch.data_valid_q && u_room.u_pipe.u_fetch.waits_q));
  end

  // A grant at once or a cycle later, data in one cycle or two, a response taken at once or a cycle later, and no
  // store of the cores that makes the pipeline yield.
  if (Timed) begin : g_timed
    logic read_waits_q, write_waits_q, data_waits_q, response_waits_q, asked_q;
    logic [2:0][6:0] waits_q;

    initial {asked_q, read_waits_q, write_waits_q, data_waits_q, response_waits_q} = '0;
    always_ff @(posedge clk_i) begin
      read_waits_q     <= read_valid && !read_ready_i;
      write_waits_q    <= write_valid && !write_ready_i;
      data_waits_q     <= asked_q && !rdata_valid_i;
      response_waits_q <= response_valid && !response_ready_i;
      asked_q          <= (read_valid && read_ready_i) || (asked_q && !rdata_valid_i);
      assume (read_ready_i || !read_waits_q);
      assume (write_ready_i || !write_waits_q);
      assume (response_ready_i || !response_waits_q);
      assume (!asked_q || rdata_valid_i || !data_waits_q);
      assume (!yield_i);
      for (int s = 0; s < 3; s++) begin
        waits_q[s] <= (!rst_n || !asks[s] || taken[s]) ? '0 : (waits_q[s] + 7'(32'(waits_q[s]) < Longest));
      end
    end
    for (genvar s = 0; s < 3; s++) begin : g_source
      always_ff @(posedge clk_i) begin
        if (rst_n) begin
          // 2. ... and within so many cycles it is taken itself.
          P02_time: assert (32'(waits_q[s]) < Longest);
          C02_time: cover (32'(waits_q[s]) == Longest - 1 && taken[s]);
        end
      end
    end
  end

endmodule
