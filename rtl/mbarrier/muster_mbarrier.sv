// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The shared-memory scope: mbarriers. Requests of warps, copy engines and other CTAs take turns to
// enter the pipeline; an operation that commits is answered, parked or refused. The ports are those
// of muster that begin with mb_ and smem_; lanes that a warp lacks are 0 at all of them. `leave_*`:
// a CTA leaves its slot.
module muster_mbarrier
  import muster_pkg::*;
  import muster_cfg_pkg::*;
  import muster_mb_pkg::*;
#(
  parameter  muster_cfg_t Cfg,
  // What the block is made of: Cfg, but for illegal values, which are refused below.
  localparam muster_cfg_t Legal = Nearest(Cfg)
) (
  input  logic                      clk_i,
  input  logic                      rst_ni,

  input  logic                      issue_valid_i,
  output logic                      issue_ready_o,
  input  mb_group_t                 issue_i,

  input  logic                      async_valid_i,
  output logic                      async_ready_o,
  input  mb_async_t                 async_i,

  input  logic                      remote_valid_i,
  output logic                      remote_ready_o,
  input  mb_remote_t                remote_i,

  output logic [Legal.NumWarps-1:0] busy_o,
  output logic                      active_o,  // something is presented or under way
  output logic [Legal.NumWarps-1:0] fence_req_o,
  input  logic [Legal.NumWarps-1:0] fence_ack_i,

  output logic                      smem_read_valid_o,
  input  logic                      smem_read_ready_i,
  output mb_place_t                 smem_read_place_o,
  input  logic                      smem_rdata_valid_i,
  input  mb_word_t                  smem_rdata_i,
  output logic                      smem_write_valid_o,
  input  logic                      smem_write_ready_i,
  output mb_place_t                 smem_write_place_o,
  output mb_word_t                  smem_write_data_o,
  output logic      [MbHeld-1:0]    smem_held_valid_o,
  output mb_place_t [MbHeld-1:0]    smem_held_place_o,
  input  logic                      smem_yield_i,

  output logic                      response_valid_o,
  input  logic                      response_ready_i,
  output mb_response_t              response_o,

  input  logic [31:0]               stopped_ns_i,
  output logic [Legal.NumWarps-1:0] wake_o,
  output mb_report_t                wake_report_o,
  output logic [Legal.NumWarps-1:0] expire_o,
  input  logic                      leave_valid_i,
  input  cta_t                      leave_cta_i,

  output logic                      fault_valid_o,
  output mb_fault_t                 fault_o,

  output mb_commit_t                commit_o
);

`include "muster_assert.svh"

  `MUSTER_LEGAL(Cfg.NumWarps == Legal.NumWarps, "NumWarps must be 4 to 64")
  `MUSTER_LEGAL(Cfg.NumCtas == Legal.NumCtas, "NumCtas must be 1 to 32")
  `MUSTER_LEGAL(Cfg.SmemBytes == Legal.SmemBytes, "SmemBytes must be a power of two, 16 at least")
  `MUSTER_LEGAL(Cfg.MbResponses >= 1 && (!Cfg.EnLanes || Cfg.MbResponses >= 2),
                "MbResponses must be 1 at least, and 2 with EnLanes: one place is for split groups")
  `MUSTER_LEGAL(Cfg.ClockPeriodPs >= 1, "ClockPeriodPs must be 1 at least")

  localparam int unsigned WarpW = $clog2(Legal.NumWarps);

  // ---------------------------------------------------------------------------------------------
  // Sources
  // ---------------------------------------------------------------------------------------------

  logic [Legal.NumWarps-1:0] drain_busy;
  logic      warp_valid, warp_ready, warp_responds;
  mb_group_t warp_group;

  if (Cfg.EnDrain) begin : g_drain
    // A group without its warp. It is no longer asked whether the group releases.
    typedef struct packed {
      logic        responds;  // the group may need a place for a response
      mb_op_e      op;
      mb_place_t   place;
      lanes_t      lanes;
      logic [31:0] operand;
      logic        phase;
      mb_asks_e    asks;
      logic        has_token;
      logic        has_hint;
      logic        whole;
    } drained_t;

    drained_t offered, drained;
    warp_t    warp;

    assign offered = '{
      responds: responds(MbWarp, issue_i), op: issue_i.op, place: issue_i.place,
      lanes: issue_i.lanes, operand: issue_i.operand, phase: issue_i.phase,
      asks: Cfg.EnReport ? issue_i.asks : AsksPrimary,
      has_token: issue_i.has_token, has_hint: issue_i.has_hint, whole: issue_i.whole
    };

    muster_drain #(.NumWarps(Legal.NumWarps), .data_t(drained_t), .Rotates(1'b1)) u_drain (
      .clk_i, .rst_ni,
      .valid_i (issue_valid_i), .ready_o (issue_ready_o), .releasing_i (issue_i.releasing),
      .warp_i (issue_i.warp), .data_i (offered),
      .busy_o (drain_busy), .fence_req_o, .fence_ack_i,
      .valid_o (warp_valid), .ready_i (warp_ready), .warp_o (warp), .data_o (drained)
    );

    assign warp_responds = drained.responds;
    assign warp_group    = '{
      op: drained.op, place: drained.place, warp: warp, lanes: drained.lanes,
      operand: drained.operand, phase: drained.phase, asks: drained.asks,
      has_token: drained.has_token, has_hint: drained.has_hint, whole: drained.whole,
      releasing: 1'b0
    };
  end else begin : g_no_drain
    assign warp_valid    = issue_valid_i;
    assign issue_ready_o = warp_ready;
    assign warp_group    = issue_i;
    assign warp_responds = responds(MbWarp, issue_i);
    assign drain_busy    = '0;
    assign fence_req_o   = '0;
  end

  logic        credit, spare, splits, pipe_spend, held, enter, enter_ready;
  logic  [2:0] request, turn;
  mb_request_t entering;

  // One place is reserved for a group that is split: the groups after it may have all the others.
  assign request = {remote_valid_i, async_valid_i,
                    warp_valid && (!warp_responds || (Cfg.EnLanes ? spare : credit))};
  // A group that is split may need a place in this cycle, too. Then no source overtakes one that
  // waits for a place, since `splits` may be high whenever the pipeline takes a request.
  assign held    = turn[0] && warp_responds && splits;
  assign enter   = (request & turn) != '0 && !held;

  muster_turn_arbiter #(.NumSources(3)) u_turn (
    .clk_i, .rst_ni, .request_i (request), .taken_i (enter && enter_ready), .turn_o (turn)
  );

  assign warp_ready     = turn[0] && request[0] && !held && enter_ready;
  assign async_ready_o  = turn[1] && enter_ready;
  assign remote_ready_o = turn[2] && enter_ready;

  // A field that a source does not have keeps the value of the warps' port, and is not used.
  always_comb begin
    entering = '{source: MbWarp, group: warp_group, cause: FaultNone};
    if (Cfg.EnMbLimit && !warp_group.has_hint && is_try_wait(warp_group.op)) begin
      entering.group.operand = Cfg.WaitLimitNs;
    end
    if (turn[1]) begin
      entering.source          = MbAsync;
      entering.group.op        = async_i.op;
      entering.group.place     = async_i.place;
      entering.group.operand   = async_i.operand;
      entering.group.lanes     = lanes_t'(1);
    end
    if (turn[2]) begin
      entering.source          = MbRemote;
      entering.group.op        = remote_i.op;
      entering.group.place     = remote_i.place;
      entering.group.operand   = remote_i.operand;
      entering.group.lanes     = remote_i.lanes;
      entering.group.has_token = remote_i.has_token;
    end
    if (!Cfg.EnLanes) entering.group.lanes = '0;
    if (!Cfg.EnReport) entering.group.asks = AsksPrimary;
  end

  // ---------------------------------------------------------------------------------------------
  // Pipeline
  // ---------------------------------------------------------------------------------------------

  logic        pipe_busy, commit, answers, refused, written, completed, passed, tries;
  logic  [5:0] stage_valid;
  warp_t [5:0] stage_warp;
  mb_request_t done;
  mb_word_t    found, word;

  muster_mb_pipe #(.Cfg(Legal)) u_pipe (
    .clk_i, .rst_ni,
    .valid_i (enter), .ready_o (enter_ready), .request_i (entering),
    .read_valid_o (smem_read_valid_o), .read_ready_i (smem_read_ready_i),
    .read_place_o (smem_read_place_o),
    .rdata_valid_i (smem_rdata_valid_i), .rdata_i (smem_rdata_i),
    .write_valid_o (smem_write_valid_o), .write_ready_i (smem_write_ready_i),
    .write_place_o (smem_write_place_o), .write_data_o (smem_write_data_o),
    .held_valid_o (smem_held_valid_o), .held_place_o (smem_held_place_o), .yield_i (smem_yield_i),
    .busy_o (pipe_busy), .warp_valid_o (stage_valid), .warp_o (stage_warp),
    .credit_i (credit), .may_split_o (splits), .credit_spend_o (pipe_spend),
    .commit_o (commit), .request_o (done), .responds_o (answers), .refused_o (refused),
    .old_word_o (found), .new_word_o (word),
    .written_o (written), .completed_o (completed), .phase_passed_o (passed), .may_park_o (tries)
  );

  always_comb begin
    busy_o = drain_busy;
    for (int s = 0; s < 6; s++) begin
      if (stage_valid[s]) busy_o[stage_warp[s][WarpW-1:0]] = 1'b1;
    end
  end

  // ---------------------------------------------------------------------------------------------
  // Answers
  // ---------------------------------------------------------------------------------------------

  logic         parks, limited, v1;
  mb_word_v1_t  other;
  mb_response_t response;
  mb_word_t     token;

  assign v1    = is_v1(found, Cfg.EnReport);
  assign other = mb_word_v1_t'(found);

  muster_mb_park #(.Cfg(Legal)) u_park (
    .clk_i, .rst_ni,
    .park_valid_i (tries), .warp_i (done.group.warp), .place_i (done.group.place),
    .phase_i (found.phase), .conditional_phase_i (v1 ? other.conditional : found.phase),
    .conditional_i (done.group.asks == AsksConditional), .limit_i (done.group.operand),
    .parked_o (parks),
    .completed_i (commit && completed), .advances_i (!v1 || other.report == '0),
    .report_i (v1 ? other.report : '0),
    .leave_i (leave_valid_i), .leave_cta_i, .stopped_ns_i,
    .limited_o (limited), .wake_o, .wake_report_o, .expire_o
  );

  // The bits that an update clears are not in its token.
  assign token = without_stray(found, Cfg.EnReport);

  assign response = '{
    warp:     done.group.warp,
    lanes:    done.group.lanes,
    op:       done.group.op,
    operand:  done.group.operand[19:0],
    complete: passed,
    token:    token
  };

  muster_credit_queue #(
    .data_t(mb_response_t), .Depth(Legal.MbResponses), .Late(1'b1)
  ) u_response (
    .clk_i, .rst_ni,
    .credit_o (credit), .spare_o (spare), .spend_i (pipe_spend || (warp_ready && warp_responds)),
    .refund_i (commit && answers && (parks || refused)),
    .offer_i (stage_valid[5] && answers), .valid_i (commit && answers && !refused && !parks),
    .data_i (response),
    .valid_o (response_valid_o), .ready_i (response_ready_i), .data_o (response_o)
  );

  if (Cfg.EnFaults) begin : g_faults
    logic      fault_valid_q;
    mb_fault_t fault_q;

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        fault_valid_q <= 1'b0;
      end else begin
        fault_valid_q <= commit && refused;
      end
    end

    always_ff @(posedge clk_i) begin
      fault_q <= '{cause: done.cause, source: done.source, warp: done.group.warp,
                   lanes: done.group.lanes, place: done.group.place};
    end

    assign fault_valid_o = fault_valid_q;
    assign fault_o       = fault_q;
  end else begin : g_no_faults
    assign fault_valid_o = 1'b0;
    assign fault_o       = '0;
  end

  assign active_o = issue_valid_i || async_valid_i || remote_valid_i || drain_busy != '0 ||
                    pipe_busy ||
                    limited || response_valid_o;

  assign commit_o = '{
    valid:   commit,
    source:  done.source,
    warp:    done.group.warp,
    lanes:   done.group.lanes,
    place:   done.group.place,
    written: written,
    word:    word,
    completed:  completed,
    parked:  parks
  };

  `MUSTER_ASSERT(CreditsSuffice, !(pipe_spend && warp_ready && warp_responds),
                 "two responses spend one place")

endmodule
