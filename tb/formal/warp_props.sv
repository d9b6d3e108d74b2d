// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The properties of the warp scope, of one warp of four lanes and any others beside it. The checker knows the pins only:
// for each lane whether it waits, and with which operation, key, predicate and value. Lanes that have these in common
// are a group; there are no slots. A request has its effect a cycle after its acceptance.
module warp_props
  import muster_pkg::*;
  import muster_warp_pkg::*;
  import warp_spec_pkg::*;
#(
  parameter int unsigned NumWarps     = 4,
  parameter int unsigned LanesPerBeat = 4,
  parameter int unsigned Longest      = 14,  // cycles from the acceptance of a request to its last answer
  parameter int unsigned LongestWait  = 18,  // of a due arrival while nothing else holds it up
  localparam int unsigned Beats = Lanes / LanesPerBeat,
  localparam int unsigned BeatW = (Beats > 1) ? $clog2(Beats) : 1
) (
  input logic                clk_i,
  input logic                rst_ni,
  input warp_t               follow_i,  // the warp that is followed, always the same
  input few_t                live_i,    // after a clear: lanes of the new warp
  input cta_t                cta_i,     // after a clear: its CTA
  input logic [NumWarps-1:0] clear_i,
  input logic                valid_i,
  input logic                ready_i,
  input warp_request_t       request_i,
  input logic [BeatW-1:0]    beat_i,
  input logic                last_i,
  input logic [LanesPerBeat-1:0][63:0] values_i,
  input logic                answer_valid_i,
  input warp_answer_t        answer_i,
  input warp_group_t         group_i,
  input logic                arrival_valid_i,
  input logic                arrival_ready_i,
  input warp_arrival_t       arrival_i,
  input logic                busy_i,    // the warp's
  input logic                held_up_i,  // another warp is at work, or has an arrival that can go
  input logic                fault_valid_i,
  input warp_fault_t         fault_i,
  input logic                open_i     // the warp's
);

  localparam logic [7:0] GatherCode = {Gather, 4'd0};

  // ---------------------------------------------------------------------------------------------
  // What is known of each lane
  // ---------------------------------------------------------------------------------------------

  few_t              live_q, live_d;    // not exited
  few_t              waits_q, waits_d;  // here
  few_t              due_q, due_d;      // of these: their collective is complete, an answer is due
  few_t              preds_q, preds_d;
  warp_code_t [Lanes-1:0]   code_q, code_d;
  logic [Lanes-1:0][31:0]   key_q, key_d;
  values_t           value_q;
  cta_t              cta_q;
  logic              gathered_q, gathered_d;  // all live lanes wait at a barrier: they are to arrive
  logic              fault_q, fault_d;        // a fault is due
  fault_e            cause_q, cause_d;
  few_t              culprits_q, culprits_d;
  logic              pending_q;  // the request was accepted in the cycle before
  logic              under_q;    // that request is under way
  warp_request_t     request_q;  // the last one
  logic [5:0]        age_q, wait_q;  // since then; of an arrival
  logic              accepts, cleared, answered, arrives, took, reads;

  assign cleared  = clear_i[follow_i[$clog2(NumWarps)-1:0]];
  assign accepts  = valid_i && ready_i && request_i.warp == follow_i;
  assign answered = answer_valid_i && answer_i.warp == follow_i && answer_i.op != WarpRead;
  assign reads    = answer_valid_i && answer_i.warp == follow_i && answer_i.op == WarpRead;
  assign arrives  = arrival_valid_i && arrival_i.warp == follow_i;
  assign took     = arrives && arrival_ready_i;

  // The lanes of `among` that wait with this operation and key.
  function automatic few_t with_code(few_t among, warp_code_t code, logic [31:0] key);
    for (int l = 0; l < Lanes; l++) with_code[l] = among[l] && code_q[l] == code && key_q[l] == key;
  endfunction

  // ---------------------------------------------------------------------------------------------
  // What the request does
  // ---------------------------------------------------------------------------------------------

  few_t        here, group, lanes, gathers;  // those that wait, without it; its group; its lanes; those at a barrier
  warp_code_t  code;
  logic [31:0] key;
  logic        comes, exits, writes, is_gather, stranger, other, stuck;

  assign here      = waits_q & ~(answered ? answer_i.lanes[Lanes-1:0] : '0);
  assign lanes     = request_q.lanes[Lanes-1:0];
  assign key       = request_q.key;
  assign writes    = pending_q && request_q.op == WarpWrite && lanes != '0;
  assign exits     = pending_q && request_q.op == WarpExit;  // the lanes are those that are left
  assign comes     = pending_q && request_q.op <= WarpGather && lanes != '0;
  assign is_gather = code.op == Gather;

  always_comb begin
    code = '{op: request_q.op[3:0], mode: request_q.mode, abs: request_q.abs, nan: request_q.nan};
    if (request_q.op == WarpWrite) code = request_q.live[7:0];
    group    = with_code(here, code, key) | lanes;
    stranger = !is_gather && (lanes & ~key[Lanes-1:0]) != '0;
    // Some lane waits in another group, which waits for a lane of this request, and is itself waited for. Or it waits at
    // another barrier.
    stuck   = 1'b0;
    other   = 1'b0;
    gathers = '0;
    for (int l = 0; l < Lanes; l++) begin
      gathers[l] = here[l] && code_q[l].op == Gather;
      if (here[l] && !group[l] && (is_gather || key[l]) && (gathers[l] || (key_q[l][Lanes-1:0] & lanes) != '0)) stuck = 1'b1;
      if (is_gather && gathers[l] && !group[l]) other = 1'b1;
    end
  end

  always_comb begin
    live_d     = live_q;
    waits_d    = here & ~(took ? arrival_i.lanes[Lanes-1:0] : '0);
    due_d      = due_q & here;
    preds_d    = preds_q;
    gathered_d = gathered_q && waits_d != '0;
    fault_d    = fault_q && !(fault_valid_i && fault_i.warp == follow_i);
    cause_d    = cause_q;
    culprits_d = culprits_q;
    if (comes && (stranger || other || stuck)) begin
      fault_d    = 1'b1;
      cause_d    = stranger ? FaultNotAMember : other ? FaultBarrierMismatch : FaultMaskMismatch;
      culprits_d = lanes;
    end else if (comes || writes) begin
      waits_d = here | lanes;
      preds_d = (preds_q & ~lanes) | (request_q.preds[Lanes-1:0] & lanes);
      if (comes && !is_gather && (key[Lanes-1:0] & live_q & ~group) == '0) due_d = group;
      gathered_d = comes && is_gather && (live_q & ~group) == '0;
    end else if (exits) begin
      live_d = lanes;
      for (int l = 0; l < Lanes; l++) begin
        due_d[l] = here[l] && !gathers[l] &&
                   (key_q[l][Lanes-1:0] & live_d & ~with_code(here, code_q[l], key_q[l])) == '0;
      end
      gathered_d = live_d != '0 && live_d == gathers;
    end
    for (int l = 0; l < Lanes; l++) begin
      code_d[l] = code_q[l];
      key_d[l]  = key_q[l];
      if ((comes || writes) && waits_d[l] && lanes[l]) {code_d[l], key_d[l]} = {code, key};
    end
    if (cleared) begin
      live_d  = live_i;
      waits_d = waits_d & due_d;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      {waits_q, due_q, gathered_q, fault_q, pending_q, under_q, age_q, wait_q} <= '0;
    end else begin
      {waits_q, due_q, gathered_q, fault_q} <= {waits_d, due_d, gathered_d, fault_d};
      pending_q <= accepts && last_i;
      under_q   <= accepts || (under_q && !ready_i);
      if (accepts) age_q <= 6'd1;
      else if (age_q != '1) age_q <= age_q + 6'd1;
      wait_q <= (!gathered_d || busy_i || held_up_i || arrives) ? '0 : wait_q + 6'd1;
    end
    {code_q, key_q} <= {code_d, key_d};
    {live_q, preds_q, cause_q, culprits_q} <= {live_d, preds_d, cause_d, culprits_d};
    if (cleared) cta_q <= cta_i;
    if (accepts && last_i) request_q <= request_i;
    for (int l = 0; l < Lanes; l++) begin
      if (accepts && request_i.lanes[l] && (Beats == 1 || 32'(beat_i) == l / LanesPerBeat)) begin
        value_q[l] <= values_i[l%LanesPerBeat];
      end
    end
  end

  // ---------------------------------------------------------------------------------------------
  // What comes out
  // ---------------------------------------------------------------------------------------------

  few_t       answer_lanes, answer_group, arrival_lanes, read_lanes, arrival_group, read_group;
  logic [1:0] first;  // the lowest lane that is answered
  warp_code_t answer_code;
  logic       is_any, wrong_lanes, wrong_result, wrong_fault, wrong_arrival, wrong_read;
  result_t    right;

  always_comb begin
    answer_lanes  = answer_i.lanes[Lanes-1:0];
    arrival_lanes = arrival_i.lanes[Lanes-1:0];
    read_lanes    = group_i.lanes[Lanes-1:0];
    first         = 2'(Lanes - 1);
    for (int l = Lanes - 1; l >= 0; l--) begin
      if (answer_lanes[l]) first = 2'(l);
    end
    answer_code   = code_q[first];
    is_any        = answer_code.op == MatchAny;
    answer_group  = with_code(waits_q & due_q, answer_code, key_q[first]);
    arrival_group = with_code(waits_q, GatherCode, arrival_i.key);
    read_group    = with_code(waits_q, group_i.code, group_i.key);
    right         = vote(answer_code.op, answer_group, preds_q);
    if (answer_code.op >= Add) begin
      right = '{data: redux(answer_code.op, answer_code.mode, answer_code.abs, answer_code.nan, answer_group, value_q),
                pred: 1'b0};
    end else if (answer_code.op == MatchAll) begin
      right = match_all(answer_group, value_q, answer_code.mode);
    end else if (is_any) begin
      right = '{data: 32'(answer_lanes), pred: 1'b0};
    end
    if (is_any) answer_group = with_value_of(lowest(answer_group), answer_group, value_q, answer_code.mode);
    wrong_lanes   = answer_lanes == '0 || answer_lanes != answer_group || answer_i.lanes[MaxLanes-1:Lanes] != '0;
    wrong_result  = {answer_i.data, answer_i.pred} != right || answer_i.op != warp_op_e'({1'b0, answer_code.op});
    wrong_fault   = !fault_q || fault_i.cause != cause_q || fault_i.lanes != 32'(culprits_q);
    wrong_arrival = !gathered_q || arrival_lanes != live_q || arrival_lanes != arrival_group ||
                    arrival_i.lanes[MaxLanes-1:Lanes] != '0 || arrival_i.cta != cta_q || busy_i ||
                    arrival_i.preds != 32'(preds_q & arrival_lanes);
    wrong_read    = group_i.open ? (read_lanes == '0 || read_lanes != read_group || group_i.lanes[MaxLanes-1:Lanes] != '0 ||
                                    group_i.cta != cta_q || group_i.preds != 32'(preds_q & read_lanes)) : 1'b0;
  end

  logic          held_q;
  warp_arrival_t arrival_q;

  initial held_q = 1'b0;
  always_ff @(posedge clk_i) begin
    held_q    <= arrives && !arrival_ready_i;
    arrival_q <= arrival_i;
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // 1. No early release, and groups never mix: an answer is for the lanes of one group, all of them, whose live members
      //    have all come; it names their operation. A lane that has been answered waits no more, so it is answered once.
      P01_no_early_release: assert (!answered || !wrong_lanes);
      // 2. The answer is the specified one.
      P02_result: assert (!answered || !wrong_result);
      // 3. No lost release: when the last live member comes, or the last missing one exits, all lanes of the group are
      //    answered within the time that the page gives for that request, and before another one has its effect.
      P03_no_lost_release: assert (due_q == '0 || (32'(age_q) <= Longest && (32'(age_q) != Longest || (here & due_q) == '0) &&
                                                   (!pending_q || (here & due_q) == '0)));
      // 4. A request is refused exactly when the page says, for that cause, within that time.
      P04_refused: assert (!(fault_valid_i && fault_i.warp == follow_i) || !wrong_fault);
      P05_no_lost_fault: assert (!fault_q || (fault_valid_i && fault_i.warp == follow_i) ||
                                 (32'(age_q) < Longest && !pending_q));
      // 6. A warp arrives only when all its live lanes wait at one barrier, with all of them, and not while it is busy.
      P06_arrival: assert (!arrives || !wrong_arrival);
      // 7. An arrival that is presented stays until it is taken.
      P07_held: assert (!held_q || (arrives && arrival_i == arrival_q));
      // 8. No arrival is lost: while the warp is not busy and nothing is ahead of it, one comes within that time.
      P08_no_lost_arrival: assert (32'(wait_q) <= LongestWait);
      // 9. If the bit of open_o is low and no request is in progress, no lane waits.
      P09_open: assert (open_i || under_q || pending_q || here == '0);
      // 10. A group that is read is one of those that wait.
      P10_read: assert (!reads || !wrong_read);

      C01_no_early_release: cover (answered && answer_lanes == 4'b1011 && age_q > 6'd6);
      C02_result: cover (answered && right.data == 32'd1 && age_q > 6'd6);
      C03_no_lost_release: cover (answered && due_q != answer_lanes && request_q.op == WarpExit);
      C04_refused: cover (fault_valid_i && fault_i.warp == follow_i && cause_q == FaultMaskMismatch && here != '0);
      C04_barrier: cover (fault_valid_i && fault_i.warp == follow_i && cause_q == FaultBarrierMismatch && here == 4'b0101);
      C05_no_lost_fault: cover (fault_valid_i && fault_i.warp == follow_i && cause_q == FaultNotAMember && here != '0);
      C06_arrival: cover (arrives && arrival_lanes == 4'b1001 && age_q > 6'd6);
      C07_held: cover (held_q && took && request_q.op == WarpExit);
      C08_no_lost_arrival: cover (arrives && wait_q == 6'd11);
      C09_open: cover (open_i && !under_q && waits_q == 4'b0110);
      C10_read: cover (reads && group_i.open && waits_q != read_lanes);
    end
  end

endmodule
