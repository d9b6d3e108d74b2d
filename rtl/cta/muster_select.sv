// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Chooses the next group. An exit goes first: it may be what releases a barrier, and after each one
// there is a cycle for others. Then the lifecycle port, which gives way every other time if an
// issue port has requested for a cycle. Otherwise an issue port leads, in rotation, and the ports
// whose arrival agrees with the leader's (same CTA, barrier, count and kind) join it, in port
// order. An operation of a waiting warp goes alone, so that the group that releases the warp is
// another one. Operations with a response take the places for responses in a rotation of their own,
// so that none waits for a place for ever.
//
// Operations with slow checks (launch, suspend, end, R2B) would keep an exit out of the check stage
// until the groups ahead of them have gone. With several ports these groups may take many cycles.
// So such an operation stays here meanwhile, and where it goes next, nothing but an exit goes
// before it.
module muster_select
  import muster_pkg::*;
  import muster_cta_pkg::*;
#(
  parameter int unsigned NumIssue = 1
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,

  input  logic    [NumIssue-1:0] valid_i,
  // One port: the operation is taken if it has no response, or with credit_i.
  output logic    [NumIssue-1:0] ready_o,
  input  request_t [NumIssue-1:0] request_i,
  input  logic    [NumIssue-1:0] reads_i,     // it has a response
  input  logic    [NumIssue-1:0] waiting_i,   // the operation's warp waits

  input  logic                   lc_valid_i,
  output logic                   lc_ready_o,
  input  group_t                 lc_group_i,
  input  warp_t                  lc_warp_i,

  input  logic                   exit_valid_i,
  output logic                   exit_ready_o,
  input  cta_t                   exit_cta_i,
  input  warp_t                  exit_warp_i,

  input  logic                   credit_i,    // there is room for one more response

  output logic                   valid_o,
  input  logic                   ready_i,
  // An operation with slow checks would have to wait there.
  input  logic                   checks_wait_i,
  output logic                   may_wait_o,  // of an issue port's operation: its warp waits
  output group_t                 group_o,
  output member_t [NumIssue-1:0] members_o    // a lifecycle operation or exit is in place 0
);

  group_t  [NumIssue-1:0] group;
  member_t [NumIssue-1:0] member;
  logic    [NumIssue-1:0] able, eligible;
  logic    [NumIssue-1:0] readers;  // may take a place for a response: the next port, or all

  always_comb begin
    for (int p = 0; p < NumIssue; p++) begin
      group[p] = '{
        op:       request_i[p].op,
        cta:      request_i[p].cta,
        bar:      request_i[p].bar,
        expected: request_i[p].expected,
        ragged:   request_i[p].ragged,
        kind:     request_i[p].kind,
        answers:  request_i[p].answers
      };
      member[p] = '{
        valid: 1'b1,
        waits: request_i[p].waits,
        idle:  request_i[p].idle,
        warp:  request_i[p].warp
      };
      able[p]     = !reads_i[p] || (credit_i && readers[p]);
      eligible[p] = valid_i[p] && able[p];
    end
  end

  logic                lc_turn_q, lc_goes;  // lifecycle port or exit
  logic                asked_q;  // an issue port asked in the cycle before
  logic [NumIssue-1:0] slow;     // operations with slow checks
  logic                stays;    // what goes next is one, and would wait in the check stage
  logic                takes;
  logic [NumIssue-1:0] grant;    // the port that leads, if no lifecycle operation or exit does

  assign lc_goes = exit_valid_i || (lc_valid_i && lc_turn_q);

  always_comb begin
    for (int p = 0; p < NumIssue; p++) slow[p] = is_write(group[p].op);
    stays = (NumIssue > 1) && checks_wait_i && !exit_valid_i &&
            (lc_goes ? lc_group_i.op != GroupClear : (grant & slow) != '0);
  end
  assign takes = ready_i && !stays;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      lc_turn_q <= 1'b1;
      asked_q   <= 1'b0;
    end else begin
      if (takes && !exit_valid_i) lc_turn_q <= !(lc_goes && asked_q);
      asked_q <= (eligible != '0);
    end
  end

  if (NumIssue > 1) begin : g_turns
    muster_rr_arbiter #(.NumReq(NumIssue)) u_arbiter (
      .clk_i, .rst_ni, .req_i (eligible), .advance_i (takes && !lc_goes), .gnt_o (grant)
    );

    // After an operation with a response, the next port in rotation that waits with one may go.
    logic [NumIssue-1:0] later, after, next, readers_q;

    assign later  = valid_i & reads_i & ~grant;
    assign after  = later & ~((grant << 1) - NumIssue'(1));
    assign next   = (after != '0) ? after : later;

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        readers_q <= '1;
      end else if (takes && !lc_goes && (grant & reads_i) != '0) begin
        readers_q <= (next == '0) ? '1 : (next & (~next + NumIssue'(1)));
      end
    end

    assign readers = readers_q;
  end else begin : g_one
    assign grant   = '1;  // what it offers is taken if it is eligible
    assign readers = '1;
  end

  logic [NumIssue-1:0][NumIssue-1:0] agree;  // the two may go together
  logic [NumIssue-1:0] joins;  // goes with the leader, or leads

  always_comb begin
    for (int p = 0; p < NumIssue; p++) begin
      for (int q = 0; q < NumIssue; q++) begin
        agree[p][q] = (group[p].op == GroupArrive) && !group[p].answers &&
                      !waiting_i[p] && !waiting_i[q] && (group[p] == group[q]);
      end
    end
  end

  always_comb begin
    group_o = group[0];
    for (int p = 0; p < NumIssue; p++) begin
      if (grant[p]) group_o = group[p];
      joins[p] = eligible[p] && !lc_goes && (grant[p] || ((grant & agree[p]) != '0));
    end
    members_o = member;
    for (int p = 0; p < NumIssue; p++) members_o[p].valid = (NumIssue == 1) || joins[p];
    may_wait_o = (NumIssue == 1) ? waiting_i[0] : ((joins & waiting_i) != '0);
    if (lc_goes) begin
      group_o.op         = exit_valid_i ? GroupExit : lc_group_i.op;
      group_o.cta        = exit_valid_i ? exit_cta_i : lc_group_i.cta;
      group_o.bar        = lc_group_i.bar;
      group_o.answers    = 1'b0;
      members_o[0].valid = 1'b1;
      members_o[0].warp  = exit_valid_i ? exit_warp_i : lc_warp_i;
    end
  end

  assign valid_o    = (lc_goes || (eligible != '0)) && !stays;
  assign ready_o    = {NumIssue{takes}} & ((NumIssue == 1) ? {NumIssue{!lc_goes}} : joins);
  assign lc_ready_o = takes && lc_goes && !exit_valid_i;
  assign exit_ready_o = ready_i;

endmodule
