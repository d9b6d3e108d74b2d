// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Reports the outcome of an update besides the release: the faults of its members, the response of
// a B2R or an arrival's phase, and, for checkers, the entry written. Faults and the entry appear
// with the release.
module muster_report
  import muster_pkg::*;
  import muster_cfg_pkg::*;
  import muster_cta_pkg::*;
#(
  parameter muster_cfg_t Cfg,
  localparam int unsigned NumIssue = Cfg.NumIssue
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,

  input  outcome_t               outcome_i,
  input  effect_t [NumIssue-1:0] effects_i,
  input  bar_word_t              old_word_i,       // the entry before the update
  input  bar_word_t              new_word_i,       // the entry after the update
  input  warp_word_t             warp_word_i,  // the word of the first member's warp, with its copy
  input  logic                   warp_hidden_i,    // the word must not show the copy

  output logic   [NumIssue+1:0]  fault_valid_o,  // issue ports, lifecycle port, exit port
  output fault_t [NumIssue+1:0]  fault_o,

  output logic                   credit_o,         // there is room for one more response
  input  logic                   spend_i,          // an operation with a response was chosen
  output logic                   response_valid_o,
  input  logic                   response_ready_i,
  output response_t              response_o,

  output logic                   entry_valid_o,
  output cta_t                   entry_cta_o,
  output bar_t                   entry_bar_o,
  output bar_word_t              entry_word_o
);

  if (Cfg.EnFaults) begin : g_faults
    logic   [NumIssue-1:0] fault_valid_q;
    fault_t [NumIssue-1:0] fault_q;
    logic                  lifecycle_q, exit_q, names_bar;

    assign names_bar = outcome_i.op inside {GroupArrive, GroupWait, GroupReadBar, GroupWriteBar};

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        fault_valid_q <= '0;
      end else begin
        for (int m = 0; m < NumIssue; m++) fault_valid_q[m] <= (effects_i[m].cause != FaultNone);
      end
    end

    always_ff @(posedge clk_i) begin
      lifecycle_q <= is_lifecycle(outcome_i.op);
      exit_q      <= (outcome_i.op == GroupExit);
      for (int m = 0; m < NumIssue; m++) begin
        fault_q[m] <= '{
          cause: effects_i[m].cause,
          cta:   outcome_i.cta,
          warp:  effects_i[m].warp,
          lanes: effects_i[m].lanes,
          bar:   names_bar ? outcome_i.bar : '0
        };
      end
    end

    // A lifecycle operation or an exit is member 0; it names no lanes here.
    always_comb begin
      fault_valid_o             = {2'b0, fault_valid_q & {NumIssue{!lifecycle_q}}};
      fault_valid_o[NumIssue]   = fault_valid_q[0] && lifecycle_q && !exit_q;
      fault_valid_o[NumIssue+1] = fault_valid_q[0] && exit_q;
      fault_o                   = {fault_q[0], fault_q[0], fault_q};
      fault_o[NumIssue].lanes   = '0;
      fault_o[NumIssue+1].lanes = '0;
    end
  end else begin : g_no_faults
    assign fault_valid_o = '0;
    assign fault_o       = '0;
  end

  if (Cfg.EnReduce || Cfg.EnSplit) begin : g_responses
    response_t response;
    logic      reads;  // a response comes
    logic      shows;  // it has the warp's copy as data

    assign shows = (outcome_i.op == GroupReadWarp) ? !warp_hidden_i :
                   (outcome_i.op == GroupReadResult) && warp_word_i.kind == KindPopc;
    assign reads = outcome_i.valid && has_response(outcome_i.op, outcome_i.answers);

    always_comb begin
      response = '{warp: outcome_i.warp, data: '0, pred: 1'b0};
      unique case (outcome_i.op)
        GroupArrive:   response.data = 32'(outcome_i.found.phase);
        GroupReadBar:  response.data = old_word_i;
        GroupReadWarp: response.data[31:12] = warp_word_i[31:12];
        default:       response.pred = (warp_word_i.kind inside {KindAnd, KindOr}) &&
                                       warp_word_i.value[0];
      endcase
      if (shows) response.data[11:0] = warp_word_i.value;
    end

    logic unused_spare;

    muster_credit_queue #(
      .data_t(response_t), .Depth((NumIssue > 1) ? 4 : 1)
    ) u_response (
      .clk_i, .rst_ni,
      .credit_o, .spare_o (unused_spare), .spend_i, .refund_i (reads && !outcome_i.accepted),
      .offer_i (1'b0), .valid_i (reads && outcome_i.accepted), .data_i (response),
      .valid_o (response_valid_o), .ready_i (response_ready_i), .data_o (response_o)
    );
  end else begin : g_no_responses
    assign credit_o         = 1'b1;
    assign response_valid_o = 1'b0;
    assign response_o       = '0;
  end

  logic      entry_valid_q;
  cta_t      entry_cta_q;
  bar_t      entry_bar_q;
  bar_word_t entry_word_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      entry_valid_q <= 1'b0;
    end else begin
      entry_valid_q <= outcome_i.complete || (outcome_i.accepted &&
                       (outcome_i.op inside {GroupArrive, GroupWriteBar}));
    end
  end

  always_ff @(posedge clk_i) begin
    entry_cta_q  <= outcome_i.cta;
    entry_bar_q  <= outcome_i.bar;
    entry_word_q <= new_word_i;
  end

  assign entry_valid_o = entry_valid_q;
  assign entry_cta_o   = entry_cta_q;
  assign entry_bar_o   = entry_bar_q;
  assign entry_word_o  = entry_word_q;

endmodule
