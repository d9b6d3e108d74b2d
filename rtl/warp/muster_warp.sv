// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The warp scope: lanes of one warp wait for each other (README.md beside this file). If all live
// members of a collective come together, it is answered at once; otherwise the lanes wait in a
// group.
//
//     cycle       0         1                    2
//     request     accepted  in the stage         answered, if all members are there; values
//                           (muster_warp_walk)   add what muster_warp_values says
module muster_warp
  import muster_pkg::*;
  import muster_warp_pkg::*;
#(
  parameter int unsigned NumWarps      = 32,  // 4 to 64
  // Lanes of a warp: 4, 8, 16, 32; lanes beyond it are 0.
  parameter int unsigned WarpSize      = 32,
  // Whose values come in a cycle: a power of two up to WarpSize.
  parameter int unsigned LanesPerBeat  = 8,
  parameter bit          EnCollectives = 1'b1,  // vote, match, redux, shfl
  parameter bit          EnFaults      = 1'b1,
  // What the block is made of: the parameters, but for illegal values, which are refused below.
  /* verilator lint_off WIDTHCONCAT */  // a parameter has a width
  localparam warp_cfg_t Cfg = NearestWarp('{
    NumWarps: NumWarps, WarpSize: WarpSize, LanesPerBeat: LanesPerBeat,
    EnCollectives: EnCollectives, EnFaults: EnFaults
  }),
  /* verilator lint_on WIDTHCONCAT */
  localparam int unsigned Beats = Cfg.WarpSize / Cfg.LanesPerBeat,
  localparam int unsigned BeatW = (Beats > 1) ? $clog2(Beats) : 1
) (
  input  logic                        clk_i,
  input  logic                        rst_ni,
  // The warp's groups are forgotten: it is new in its slot, or saved.
  input  logic [Cfg.NumWarps-1:0]     clear_i,

  input  logic                        valid_i,
  output logic                        ready_o,
  input  warp_request_t               request_i,       // the same in all its beats
  input  logic [BeatW-1:0]            beat_i,          // which lanes the values are of
  input  logic                        last_i,          // the last beat; without values there is one
  input  logic [Cfg.LanesPerBeat-1:0][63:0] values_i,

  output logic                        answer_valid_o,
  output warp_answer_t                answer_o,
  output warp_group_t                 group_o,         // with the answer of WarpRead: the group
  // With the answer of WarpRead: the value of a lane.
  output logic [63:0]                 value_o,

  output logic                        arrival_valid_o,  // a warp arrives
  input  logic                        arrival_ready_i,
  output warp_arrival_t               arrival_o,
  // Has an operation at the barriers: it does not arrive there now.
  input  logic [Cfg.NumWarps-1:0]     busy_i,

  output logic                        fault_valid_o,
  output warp_fault_t                 fault_o,

  output logic [Cfg.NumWarps-1:0]     open_o,          // lanes of the warp wait here
  output logic                        active_o         // something is presented or under way
);

`include "muster_assert.svh"

  `MUSTER_LEGAL(WarpSize == Cfg.WarpSize && LanesPerBeat == Cfg.LanesPerBeat,
                "WarpSize must be 4, 8, 16 or 32, and LanesPerBeat a power of two up to it")
  `MUSTER_LEGAL(NumWarps == Cfg.NumWarps, "NumWarps must be 4 to 64")

  localparam int unsigned WarpW = $clog2(Cfg.NumWarps);
  localparam int unsigned LaneW = $clog2(Cfg.WarpSize);
  localparam lanes_t Lanes = lanes_t'((64'd1 << Cfg.WarpSize) - 64'd1);

  // -------------------------------------------------------------------------------------------
  // A request, or a warp that is to arrive
  // -------------------------------------------------------------------------------------------

  logic                    valid, free, key_spent, due, arrived, any_due, all_come;
  warp_request_t           request;
  walk_request_t           kind;
  warp_code_t              request_code;
  logic [Cfg.NumWarps-1:0] hot;
  logic [WarpW-1:0]        warp, next_warp;
  logic [BeatW-1:0]        beat;
  logic [Cfg.LanesPerBeat-1:0] keeps;
  logic [Cfg.LanesPerBeat-1:0][63:0] values;

  muster_warp_stage #(.Cfg(Cfg)) u_stage (
    .clk_i, .rst_ni,
    .valid_i, .ready_o, .request_i, .beat_i, .last_i, .values_i, .busy_i,
    .free_i (free), .key_spent_i (key_spent), .due_i (due), .arrived_i (arrived),
    .any_due_o (any_due), .next_warp_o (next_warp), .valid_o (valid), .request_o (request),
    .kind_o (kind), .code_o (request_code), .together_o (all_come), .warp_hot_o (hot),
    .beat_o (beat), .keeps_o (keeps), .values_o (values)
  );

  assign warp = request.warp[WarpW-1:0];

  // -------------------------------------------------------------------------------------------
  // The groups of its warp, and the one in hand
  // -------------------------------------------------------------------------------------------

  logic             any, merge;
  logic [LaneW-1:0] top, slot;
  lanes_t           lacking_q, came, lanes, preds;
  warp_code_t       code;
  warp_group_t      stored, group, hand;
  logic             hand_group, hand_request, hand_empty, ask_group;
  walk_group_t      seen;  // what the walk knows of the group that is read
  walk_write_t      write;

  assign came = request.lanes & {MaxLanes{hand_request}};

  muster_warp_groups #(.Cfg(Cfg)) u_groups (
    .clk_i, .rst_ni, .clear_i,
    .next_warp_i (next_warp), .warp_i (warp), .hot_i (hot), .any_o (any), .end_o (top),
    .slot_i (slot), .group_o (stored),
    .write_i (write.valid), .group_i (hand), .longer_i (write.longer), .shorter_i (write.shorter),
    .open_o
  );

  always_comb begin
    group = stored;
    if (!EnCollectives) group.code = code_without(stored.code);
  end

  assign code  = kind.exit ? group.code : request_code;
  assign lanes = (group.lanes & {MaxLanes{hand_group}}) | came;
  assign preds = (group.preds & {MaxLanes{hand_group}}) |
                 (request.preds & {MaxLanes{hand_request}});
  assign hand  = '{open: !write.close, code: code, cta: request.cta, key: request.key,
                   lanes: lanes, preds: preds};

  logic own, awaits, gather, lane_found, together, answers, evaluate, done, open;
  logic refuse, refuse_gather;

  muster_warp_judge u_judge (
    .request_i (request), .code_i (request_code), .group_i (group), .lanes_i (lanes),
    .lacking_i (lacking_q), .ask_group_i (ask_group),
    .own_o (own), .gather_o (gather), .lane_found_o (lane_found), .awaits_o (awaits)
  );

  // The live lanes. When a gather is written, those that have not come to it.
  always_ff @(posedge clk_i) begin
    if (free || merge) lacking_q <= free ? request_i.live & Lanes : lacking_q & ~lanes;
  end

  // Whether all live members come is known when a request is accepted, so that one is accepted in
  // each cycle. Where a cycle more may pass, the comparison that a walk needs tells it, too.
  assign together = EnCollectives ? all_come : kind.collective && !lane_found;

  assign seen = '{open: group.open, own: own, awaits: awaits, gather: gather,
                  valued: EnCollectives && has_values(group.code.op)};

  muster_warp_walk #(.Cfg(Cfg)) u_walk (
    .clk_i, .rst_ni,
    .valid_i (valid), .request_i (kind), .whole_i (together), .free_o (free),
    .slots_used_i (any), .slots_end_i (top), .slot_i (request.key[LaneW-1:0]), .slot_o (slot),
    .group_i (seen), .group_open_o (open), .ask_group_o (ask_group), .lane_found_i (lane_found),
    .hand_group_o (hand_group), .hand_request_o (hand_request), .hand_empty_o (hand_empty),
    .key_spent_o (key_spent), .merge_o (merge), .write_o (write), .answer_o (answers),
    .evaluate_o (evaluate), .evaluate_done_i (done),
    .arrival_due_o (due), .arrival_valid_o (arrival_valid_o), .arrival_ready_i,
    .arrival_blocked_i (busy_i[warp]), .arrival_done_o (arrived),
    .refuse_o (refuse), .refuse_gather_o (refuse_gather)
  );

  // -------------------------------------------------------------------------------------------
  // Answers, arrivals, faults
  // -------------------------------------------------------------------------------------------

  logic         evaluated, voted_pred, pred, elects_q, answer_valid_q, fault_valid_q;
  logic [4:0]   leader;  // of elect.sync
  lanes_t       same_lanes;
  logic [31:0]  voted, data;
  warp_answer_t answer_q;
  warp_fault_t  fault_q;

  muster_warp_elect u_elect (.clk_i, .lanes_i (lanes), .leader_o (leader));

  muster_warp_vote #(.Cfg(Cfg)) u_vote (
    .op_i (code.op), .came_i (lanes), .preds_i (preds), .data_o (voted), .pred_o (voted_pred)
  );

  if (EnCollectives) begin : g_values
    muster_warp_values #(.Cfg(Cfg)) u_values (
      .clk_i, .rst_ni,
      .warp_i (warp), .writes_i (keeps & {Cfg.LanesPerBeat{valid && hand_empty}}), .beat_i (beat),
      .values_i (values), .start_i (evaluate), .came_i (lanes), .code_i (code),
      .valid_o (evaluated), .same_o (same_lanes), .data_o (data), .pred_o (pred), .done_o (done),
      .read_i (kind.read), .lane_i (request.key[5+:LaneW]), .value_o
    );
  end else begin : g_no_values
    logic unused;
    assign unused = &{hand_empty, evaluate, beat, keeps, values};
    assign {evaluated, pred, done} = '0;
    assign same_lanes = '0;
    assign data    = '0;
    assign value_o = '0;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      answer_valid_q <= 1'b0;
      fault_valid_q  <= 1'b0;
    end else begin
      answer_valid_q <= answers || evaluated;
      fault_valid_q  <= EnFaults && refuse;
    end
  end

  always_ff @(posedge clk_i) begin
    elects_q <= (code.op == 4'(WarpElect));
    answer_q <= '{
      op:    kind.read ? WarpRead : warp_op_e'({1'b0, code.op}),
      warp:  request.warp,
      lanes: (evaluated && code.op == 4'(WarpMatchAny)) ? same_lanes : lanes,
      data:  evaluated ? data : voted,
      pred:  evaluated ? pred : voted_pred
    };
    fault_q <= '{
      cause: kind.refused ? FaultNotAMember :
             refuse_gather ? FaultBarrierMismatch : FaultMaskMismatch,
      warp:  request.warp,
      lanes: request.lanes
    };
  end

  always_comb begin
    answer_o = answer_q;
    if (elects_q) answer_o.data = 32'(leader);
    group_o      = group;
    group_o.open = open;
  end

  assign answer_valid_o  = answer_valid_q;
  assign fault_valid_o   = fault_valid_q;
  assign fault_o         = EnFaults ? fault_q : '0;
  assign arrival_o       = '{warp: request.warp, cta: group.cta, lanes: group.lanes,
                             key: group.key, preds: group.preds};
  assign active_o        = valid_i || valid || !hand_empty || any_due || answer_valid_q ||
                           fault_valid_q;

  `MUSTER_ASSERT(WaitsNoMore, !(hand_group && group.open && !kind.arrival) ||
                 (group.lanes & (kind.exit ? ~request.live : request.lanes)) == '0,
                 "a lane that waits executes something, or exits")

endmodule
