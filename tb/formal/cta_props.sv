// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Follows the named barriers of one CTA slot from the ports of muster_cta. The checker remembers accepted
// operations, carries out those that commit on a table of its own, and compares the releases and refusals of the
// unit with that table. So a property fails if a release is early, late, missing, too large or too small, or if
// an arrival is lost, invented or counted elsewhere. R2B is followed if Words is set; otherwise a CTA whose
// entries or warps are written is not checked any more. cta_word_props has B2R and the copies.
module cta_props
  import muster_pkg::*;
  import muster_cta_pkg::*;
  import cta_spec_pkg::*;
#(
  parameter int unsigned NumWarps = 32,
  parameter int unsigned NumIssue = 1,
  parameter int unsigned WarpSize = 32,
  parameter bit          EnFaults = 1'b1,
  parameter bit          EnLanes  = 1'b1,
  parameter bit          EnSplit  = 1'b1,
  parameter bit          Words    = 1'b0,
  parameter bit          Lag      = 1'b1,  // the release comes two cycles after the commit, else one
  localparam int unsigned WarpW   = $clog2(NumWarps), LaneW = $clog2(WarpSize)
) (
  input logic                   clk_i,
  input logic                   rst_ni,
  input cta_t                   follow_i,        // the slot
  input logic   [NumIssue-1:0]  accept_i,        // at the issue ports
  input issue_t [NumIssue-1:0]  issue_i,
  input logic                   lc_done_i,       // at the lifecycle port
  input lifecycle_t             lifecycle_i,
  input logic    [NumWarps-1:0] lifecycle_warps_i,
  input logic                   exit_done_i,     // at the exit port
  input exit_t                  exit_i,
  input logic    [NumWarps-1:0] release_i,
  input release_t               release_info_i,
  input logic    [NumIssue-1:0] fault_valid_i,
  input fault_t  [NumIssue-1:0] fault_i,
  input logic                   response_valid_i,
  input response_t              response_i,
  input commit_t                commit_i
);

  typedef struct packed {
    logic                phase;
    kind_e               kind;
    wcount_t             expected;
    wcount_t             arrived;
    logic [11:0]         value;    // true lanes so far; AND, OR: all of them, any of them
    logic [NumWarps-1:0] waiting;
  } entry_t;

  // What the unit should tell of a commit.
  typedef struct packed {
    logic                complete;  // an entry completes, or had completed before an OpWait
    bar_t                bar;
    kind_e               kind;
    logic [11:0]         value;
    logic [NumWarps-1:0] release_set;
    logic [NumIssue-1:0] ours;  // operations that name the slot
    fault_e [NumIssue-1:0] cause;
    logic                changes;  // the entry below
    bar_word_t           word;
    logic                answers;  // the phase below, to this warp
    warp_t               warp;
    logic                phase;
  } answer_t;

  pending_t                pending_q [1 << WarpW];  // of warps that the unit lacks, too
  wcount_t                 owed_q;  // waiting warps that R2B.BAR has counted and R2B.WARP not brought
  logic [NumWarps-1:0]     waits_q;
  logic [NumWarps-1:0]     apart_q;  // of those that wait: by OpWait
  entry_t                  table_q [NumBars];
  answer_t                 late_q, answer_q, due;

  function automatic wcount_t warps_of(logic [NumWarps-1:0] bits);
    return wcount_t'($countones(bits));
  endfunction

  // ---------------------------------------------------------------------------------------------
  // Acceptance
  // ---------------------------------------------------------------------------------------------

  always_ff @(posedge clk_i) begin
    for (int p = 0; p < NumIssue; p++) begin
      if (accept_i[p]) begin
        pending_q[issue_i[p].warp[WarpW-1:0]] <= pending_of(issue_i[p]);
      end
    end
  end

  // ---------------------------------------------------------------------------------------------
  // The life of the CTA
  // ---------------------------------------------------------------------------------------------

  logic                              resident_q, known_q, enters, exits_q, written;
  wcount_t                           size_q, alive_q, unjoined_q;
  logic [NumWarps-1:0]               live_q;
  logic [NumWarps-1:0][WarpSize-1:0] exited_q;

  always_comb begin
    written = 1'b0;
    for (int p = 0; p < NumIssue; p++) begin
      written = written || (!Words && commit_i.valid[p] &&
                            pending_q[commit_i.warp[p][WarpW-1:0]].cta == follow_i &&
                            pending_q[commit_i.warp[p][WarpW-1:0]].op inside {OpR2bBar, OpR2bWarp});
    end
  end

  cta_life_props #(.NumWarps(NumWarps), .WarpSize(WarpSize), .EnLanes(EnLanes)) u_life (
    .clk_i, .rst_ni, .follow_i, .lc_done_i, .lifecycle_i, .lifecycle_warps_i, .exit_done_i, .exit_i,
    .waits_i (waits_q), .owes_i (owed_q != '0), .written_i (written), .enters_o (enters),
    .exits_o (exits_q), .resident_o (resident_q), .known_o (known_q), .size_o (size_q),
    .alive_o (alive_q), .unjoined_o (unjoined_q), .live_o (live_q), .exited_o (exited_q)
  );

  // ---------------------------------------------------------------------------------------------
  // Commit: the operations of a cycle, in port order
  // ---------------------------------------------------------------------------------------------

  // What commits in a cycle is at one entry. (If it were not, the unit could not tell of both.)
  always_ff @(posedge clk_i or negedge rst_ni) begin
    automatic pending_t            o;
    automatic entry_t              e = '0;
    automatic warp_word_t          word;
    automatic bar_t                at;  // the entry that the operation is judged by
    automatic fault_e              cause;
    automatic answer_t             answer = '0;
    automatic logic [NumWarps-1:0] arrives = '0;  // these warps begin to wait
    if (!rst_ni) begin
      late_q   <= '0;
      answer_q <= '0;
      {waits_q, apart_q, owed_q} <= '0;
    end else begin
      for (int p = 0; p < NumIssue; p++) begin
        if (commit_i.valid[p] && pending_q[commit_i.warp[p][WarpW-1:0]].cta == follow_i) begin
          o = pending_q[commit_i.warp[p][WarpW-1:0]];
          word = o.word;
          at   = (o.op == OpR2bWarp) ? word.wait_bar : o.bar;
          if (!(answer.changes && answer.bar == at)) e = table_q[at];
          cause = refusal(o, e.kind, e.expected, resident_q, size_q, alive_q, owed_q != '0,
                          32'(o.warp) < NumWarps && live_q[o.warp[WarpW-1:0]], waits_q[o.warp[WarpW-1:0]], LaneW);
          answer.ours[p]  = 1'b1;
          answer.cause[p] = cause;
          if (!o.idle && cause == FaultNone && o.op == OpWait) begin
            answer.bar         = o.bar;
            answer.complete    = e.phase != o.word[0];
            answer.kind        = KindSync;
            if (answer.complete) begin
              answer.release_set = NumWarps'(1) << o.warp[WarpW-1:0];
            end else begin
              arrives[o.warp[WarpW-1:0]] = 1'b1;
              apart_q[o.warp[WarpW-1:0]] <= 1'b1;
              table_q[o.bar].waiting[o.warp[WarpW-1:0]] <= 1'b1;
            end
          end
          if (!o.idle && cause == FaultNone && arrives_of(o.op)) begin
            answer.answers = (o.op == OpArrivePhase);
            answer.warp    = o.warp;
            answer.phase   = e.phase;
            e.value    = fold(kind_of(o.op), e.value, e.kind == KindIdle, o);
            e.kind     = kind_of(o.op);
            e.expected = 7'(o.count >> LaneW);
            e.arrived  = e.arrived + 7'd1;
            if (waits_of(o.op)) begin
              e.waiting[o.warp[WarpW-1:0]] = 1'b1;
              arrives[o.warp[WarpW-1:0]]   = 1'b1;
              apart_q[o.warp[WarpW-1:0]]  <= 1'b0;
            end
            answer.changes = 1'b1;
            answer.bar     = o.bar;
            if (e.arrived == (e.expected == '0 ? alive_q : e.expected)) begin
              answer.complete    = 1'b1;
              answer.kind        = e.kind;
              answer.value       = e.value;
              answer.release_set = e.waiting;
              e = '{phase: EnSplit && !e.phase, kind: KindIdle, default: '0};
            end
            answer.word = '{zero: '0, phase: e.phase, kind: e.kind, expected: e.expected, arrived: e.arrived,
                            value: e.value};
            table_q[o.bar] <= e;
          end
          if (Words && !o.idle && cause == FaultNone && o.op == OpR2bBar) begin
            answer.changes = 1'b1;
            answer.bar     = o.bar;
            answer.word    = o.word;
            {e.phase, e.kind, e.expected, e.arrived, e.value} = o.word[29:0];
            table_q[o.bar] <= e;
            if (e.expected == '0) owed_q <= owed_q + e.arrived;
          end
          if (Words && !o.idle && cause == FaultNone && o.op == OpR2bWarp && word.waiting) begin
            arrives[o.warp[WarpW-1:0]] = 1'b1;
            apart_q[o.warp[WarpW-1:0]] <= word.apart;
            table_q[word.wait_bar].waiting[o.warp[WarpW-1:0]] <= 1'b1;
            if (e.expected == '0 && !word.apart) owed_q <= owed_q - 7'd1;
          end
        end
      end
      // An exit counts no warp, and completes an entry at which all warps that remain wait.
      if (exits_q) begin
        for (int b = 0; b < NumBars; b++) begin
          if (table_q[b].kind != KindIdle && table_q[b].expected == '0 && table_q[b].arrived == alive_q) begin
            answer.complete    = 1'b1;
            answer.changes     = 1'b1;
            answer.bar         = 4'(b);
            answer.kind        = table_q[b].kind;
            answer.value       = table_q[b].value;
            answer.release_set = table_q[b].waiting;
            answer.word        = '{phase: EnSplit && !table_q[b].phase, kind: KindIdle, default: '0};
            table_q[b]        <= '{phase: EnSplit && !table_q[b].phase, kind: KindIdle, default: '0};
          end
        end
      end
      if (enters) begin
        for (int b = 0; b < NumBars; b++) table_q[b] <= '0;
        owed_q <= '0;
      end
      late_q   <= answer;
      answer_q <= late_q;
      waits_q  <= (enters) ? '0 : (waits_q | arrives) & ~answer.release_set;
    end
  end

  assign due = Lag ? answer_q : late_q;

  // ---------------------------------------------------------------------------------------------
  // Properties
  // ---------------------------------------------------------------------------------------------

  logic looks, released;

  assign looks    = known_q && resident_q;
  assign released = release_i != '0 && release_info_i.cta == follow_i;

  always_ff @(posedge clk_i) begin
    if (rst_ni && looks) begin
      // 1. No early release: warps are released only if the arrival, or the exit, that makes the count
      //    meet has committed, a constant number of cycles ago; or one whose OpWait finds its phase completed.
      P01_early: assert (!released || due.complete);
      C01_early: cover (due.complete && due.release_set == '1);

      // 2. No lost wake-up: then all warps that wait at that entry are released, and no others, in exactly
      //    that cycle.
      P02_wakeup: assert (!due.complete || release_i == due.release_set);
      C02_wakeup: cover (released && release_i == NumWarps'(3));

      // 3. The release names the entry, and its result is the fold over exactly those who took part.
      P03_result: assert (!(due.complete && due.release_set != '0) ||
                          (release_info_i.cta == follow_i && release_info_i.bar == due.bar &&
                           release_info_i.kind == due.kind && release_info_i.value == due.value));
      C03_result: cover (due.complete && due.kind == KindPopc && due.value == 12'd7);

      // 14. An arrival that answers the phase does so in that cycle, with the phase before it; with several
      //     ports it may be queued.
      P14_phase: assert (!due.answers || NumIssue > 1 || (response_valid_i &&
                         {response_i.warp, response_i.data, response_i.pred} == {due.warp, 31'd0, due.phase, 1'b0}));
      C14_phase: cover (due.answers && due.phase && due.complete);

      // 15. An OpWait whose phase has completed changes no entry, and releases its warp alone, also while others
      //     wait there.
      P15_passed: assert (!(due.complete && !due.changes) || warps_of(release_i) == 7'd1);
      C15_passed: cover (due.complete && !due.changes && (waits_q & ~due.release_set) != '0);

      // 4. CTAs are isolated: while another's barrier completes, none of this one's warps is released.
      P04_isolated: assert (release_i == '0 || release_info_i.cta == follow_i ||
                            (release_i & live_q) == '0);
      C04_isolated: cover (release_i != '0 && release_info_i.cta != follow_i && live_q != '0);

      // 5. No lost and no invented arrival: what the unit leaves in an entry is what this table holds, merged,
      //    forwarded and exit-driven updates included; after completion idle. It names no other entry of this CTA.
      P05_entry: assert ((commit_i.entry_valid && commit_i.entry_cta == follow_i) == due.changes);
      P06_entry: assert (!due.changes || (commit_i.entry_bar == due.bar && commit_i.entry_word == due.word));
      C05_entry: cover (due.changes && due.word.arrived == 7'd3);
      C06_entry: cover (due.complete && due.word == '0 && due.release_set == '0);
    end
  end

  for (genvar p = 0; p < NumIssue; p++) begin : g_port
    always_ff @(posedge clk_i) begin
      if (rst_ni && looks && EnFaults) begin
        // 7. An operation is refused for the cause that comes first in the table of faults, and only
        //    then. That it changes nothing is in the properties above.
        P07_fault: assert (!due.ours[p] || fault_valid_i[p] == (due.cause[p] != FaultNone));
        P08_cause: assert (!due.ours[p] || due.cause[p] == FaultNone ||
                           (fault_i[p].cause == due.cause[p] && fault_i[p].cta == follow_i));
        C07_fault: cover (due.ours[p] && due.cause[p] == FaultKindMismatch);
        C08_cause: cover (due.ours[p] && due.cause[p] == FaultWarpWaiting);
      end
    end
  end

endmodule
