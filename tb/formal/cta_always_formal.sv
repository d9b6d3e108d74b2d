// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// For the proofs of the named barriers without bound: muster_cta with 4 warps and 2 CTA slots, both of
// which are followed, from reset on. Any operation may be presented in any cycle, within the contracts of
// rtl/README.md. The lemmas relate the registers and memories of the unit to the state of the checker.
module cta_always_formal
  import muster_pkg::*;
  import muster_cfg_pkg::*;
  import muster_cta_pkg::*;
  import cta_spec_pkg::*;
#(
  parameter int unsigned NumWarps = 4,
  parameter int unsigned NumCtas  = 2,
  parameter bit          EnDrain  = 1'b0,
  parameter bit          Leads    = 1'b0  // for the covers: see below
) (
  input logic                   clk_i,
  input logic                   issue_valid_i,
  input issue_t                 issue_i,
  input logic                   lc_valid_i,
  input lifecycle_t             lifecycle_i,
  input logic    [NumWarps-1:0] lifecycle_warps_i,
  input logic                   exit_valid_i,
  input exit_t                  exit_i,
  input logic    [NumWarps-1:0] fence_ack_i,
  input logic                   response_ready_i,
  input cta_t                   debug_cta_i,
  input bar_t                   debug_bar_i,
  input warp_t                  debug_warp_i
);

  logic                   rst_n = 1'b0;
  logic                   issue_ready;
  logic                   lc_ready, exit_ready;
  logic    [NumWarps-1:0] released;
  release_t               release_info;
  logic   [2:0]           fault_valid;
  fault_t [2:0]           fault;
  commit_t                commit;
  logic                   response_valid;
  response_t              response;

  always_ff @(posedge clk_i) begin
    rst_n    <= 1'b1;
  end

  localparam int unsigned WarpW = $clog2(NumWarps);
  localparam int unsigned CtaW  = $clog2(NumCtas);

  logic launching, joining;

  assign launching = lc_valid_i && lifecycle_i.op == LcLaunch;
  assign joining   = lc_valid_i && lifecycle_i.op == LcJoin && 32'(lifecycle_i.warp) < NumWarps;

  localparam muster_cfg_t Cfg = '{
    NumWarps: NumWarps, NumCtas: NumCtas, NumIssue: 1, WarpSize: 32, EnState: 1'b0, EnDrain: EnDrain, SmemBytes: 16,
    MbResponses: 2, EnReport: 1'b0, ClockPeriodPs: 1000, WaitLimitNs: 0, default: 1'b1  // all other switches
  };

  muster_cta #(.Cfg(Cfg)) u_cta (
    .clk_i, .rst_ni (rst_n),
    .issue_valid_i, .issue_ready_o (issue_ready), .issue_i, .busy_o (), .active_o (),
    .lifecycle_valid_i (lc_valid_i), .lifecycle_ready_o (lc_ready), .lifecycle_i, .lifecycle_warps_i,
    .exit_valid_i, .exit_ready_o (exit_ready), .exit_i,
    .fence_req_o (), .fence_ack_i,
    .release_o (released), .release_info_o (release_info),
    .response_valid_o (response_valid), .response_ready_i, .response_o (response),
    .fault_valid_o (fault_valid), .fault_o (fault), .commit_o (commit),
    .debug_cta_i, .debug_bar_i, .debug_word_o (), .debug_warp_i, .debug_warp_o ()
  );

  for (genvar c = 0; c < NumCtas; c++) begin : g_slot
    cta_always_slot #(.NumWarps(NumWarps), .NumCtas(NumCtas), .Slot(cta_t'(c))) u_slot (
      .clk_i, .rst_ni (rst_n), .accept_i (issue_valid_i && issue_ready), .issue_i,
      .lc_done_i (lc_valid_i && lc_ready), .launching_i (launching), .lifecycle_i, .lifecycle_warps_i,
      .exit_done_i (exit_valid_i && exit_ready), .exit_i, .release_i (released), .release_info_i (release_info), .fault_valid_i (fault_valid[0]), .fault_i (fault[0]),
      .response_valid_i (response_valid), .response_i (response), .commit_i (commit)
    );

    // A launch or a join names no warp that is live in another CTA.
    always_ff @(posedge clk_i) begin
      assume (!launching || lifecycle_i.cta == cta_t'(c) || !u_slot.u_props.resident_q ||
              (lifecycle_warps_i & u_slot.u_props.live_q) == '0);
      assume (!joining || lifecycle_i.cta == cta_t'(c) || !u_slot.u_props.resident_q ||
              !u_slot.u_props.live_q[lifecycle_i.warp[WarpW-1:0]]);
    end
  end

  // ---------------------------------------------------------------------------------------------
  // The contracts of the ports
  // ---------------------------------------------------------------------------------------------

  logic lc_held, exit_held;  // presented in the cycle before, and not taken

  cta_contract #(.NumWarps(NumWarps)) u_contract (
    .clk_i, .started_i (rst_n), .issue_valid_i, .issue_ready_i (issue_ready), .issue_i,
    .lc_valid_i, .lc_ready_i (lc_ready), .lifecycle_i, .lifecycle_warps_i,
    .exit_valid_i, .exit_ready_i (exit_ready), .exit_i, .lc_held_o (lc_held), .exit_held_o (exit_held)
  );

  // A trace of a launch is longer than an engine finds by itself, so those of the covers begin with one in
  // slot 0, of any warps, and an open of slot 1, and nothing else.
  if (Leads) begin : g_leads
    logic [CtaW:0] taken_q;  // so many slots have been
    logic          leads;

    assign leads = 32'(taken_q) != NumCtas;
    always_ff @(posedge clk_i or negedge rst_n) begin
      if (!rst_n) begin
        taken_q <= '0;
      end else if (leads && lc_valid_i && lc_ready) begin
        taken_q <= taken_q + (CtaW+1)'(1);
      end
    end
    always_ff @(posedge clk_i) begin
      assume (!leads || (!issue_valid_i && !exit_valid_i && lc_valid_i && lifecycle_i.cta == cta_t'(taken_q) &&
                         lifecycle_i.op == ((taken_q == '0) ? LcLaunch : LcOpen)));
    end
  end

  // ---------------------------------------------------------------------------------------------
  // The lifecycle port, the walks of a launch and of the cleaning, and the exit port
  // ---------------------------------------------------------------------------------------------

  logic        in_check, in_count, lc_check, exit_check, clear_check, clear_count, clear_out;
  logic        cleaning, cleans;  // a slot is being cleaned; the step in the check stage is one of that
  cta_t        cleaned_cta;
  logic [4:0]  walked;
  group_e      op_check;

  assign op_check    = u_cta.u_check.group_q.op;
  assign in_check    = u_cta.u_check.valid_q && !is_lifecycle(op_check);
  assign in_count    = u_cta.u_count.valid_q && !is_lifecycle(u_cta.u_count.group_q.op);
  assign clear_check = u_cta.u_check.valid_q && op_check == GroupClear;
  assign lc_check    = u_cta.u_check.valid_q && ends_walk(op_check);
  assign exit_check  = u_cta.u_check.valid_q && op_check == GroupExit;
  assign clear_count = u_cta.u_count.valid_q && u_cta.u_count.group_q.op == GroupClear;
  assign clear_out   = u_cta.outcome.valid && u_cta.outcome.op == GroupClear;
  assign walked      = u_cta.u_lifecycle.walked_q;
  assign cleaning    = u_cta.u_lifecycle.cleaning_q;
  assign cleaned_cta = u_cta.u_lifecycle.cleaned_cta_q;
  assign cleans      = clear_check && u_cta.u_check.cleans_q;

  function automatic group_e lifecycle_group(lifecycle_e op);
    unique case (op)
      LcLaunch: return GroupLaunch;
      LcOpen:   return GroupOpen;
      LcJoin:   return GroupJoin;
      default:  return GroupLeave;
    endcase
  endfunction

  always_ff @(posedge clk_i) begin
    if (rst_n) begin
      L10_sent:   assert (u_cta.u_lifecycle.sent_q == lc_check && u_cta.u_exit.sent_q == exit_check);
      L11_held:   assert (!(lc_check || (clear_check && !cleans) || (walked != '0 && !cleaning)) ||
                          (lc_valid_i && lc_held));
      L12_op:     assert (!lc_check || (u_cta.u_check.group_q.cta == lifecycle_i.cta &&
                          op_check == lifecycle_group(lifecycle_i.op) &&
                          (op_check != GroupJoin || u_cta.u_check.members_q[0].warp == lifecycle_i.warp)));
      L19_exit:   assert (!exit_check || (exit_valid_i && exit_held &&
                          u_cta.u_check.group_q.cta == exit_i.cta &&
                          u_cta.u_check.members_q[0].warp == exit_i.warp));
      L13_clear:  assert (!clear_check ||
                          (u_cta.u_check.group_q.bar == 4'(walked - 5'd1) &&
                           u_cta.u_check.members_q[0].warp == 6'(u_cta.u_check.group_q.bar) &&
                           (cleans ? u_cta.u_check.group_q.cta == cleaned_cta && cleaning == (walked != '0)
                                   : launching && !cleaning && walked != '0 &&
                                     u_cta.u_check.group_q.cta == lifecycle_i.cta)));
      L14_walked: assert (walked <= 5'd16 && (walked == '0 || launching || cleaning) &&
                          !(cleaning && walked == 5'd16) && (!(lc_check && launching) || walked == 5'd16));
      // While a slot is cleaned, only joins and opens of other slots go on.
      L26_clean:  assert (!(lc_check && cleaning) || op_check == GroupJoin ||
                          (op_check == GroupOpen && lifecycle_i.cta != cleaned_cta));
      // Until the walk after reset is over, no group leaves the check stage.
      L28_reset:  assert (u_cta.u_check.roster_ready || (!cleaning && walked == 5'(clear_check)));
      L15_rare:   assert (!u_cta.u_check.valid_q || (u_cta.u_check.u_steps.rare_q == lc_check &&
                          u_cta.u_check.u_steps.exit_q == exit_check && u_cta.u_check.u_steps.clear_q == clear_check));
      L16_judge:  assert ((u_cta.u_check.u_steps.judging_q == '0 || u_cta.u_check.valid_q) &&
                          (!u_cta.u_check.u_steps.rare_q || u_cta.u_check.u_steps.judging_q == '0 ||
                           (!u_cta.count_busy && !u_cta.release_busy && !u_cta.u_check.u_steps.changed_q)));
      L17_first:  assert (u_cta.u_check.u_steps.judging_q inside {3'd0, 3'd1, 3'd3, 3'd7});
    end
  end

  logic [NumWarps-1:0] entered;  // named by the launch, and walked

  always_comb begin
    for (int w = 0; w < NumWarps; w++) begin
      entered[w] = launching && !cleaning && lifecycle_warps_i[w] && 5'(w) < walked &&
                   !(clear_check && u_cta.u_check.members_q[0].warp == 6'(w));
    end
  end

  // The launch's slot is free.
  logic walk_free;

  assign walk_free = 32'(lifecycle_i.cta) < NumCtas &&
                     !u_cta.u_check.u_roster.u_slots.mem[lifecycle_i.cta[CtaW-1:0]][3*WarpW+2];

  for (genvar w = 0; w < NumWarps; w++) begin : g_entered
    always_ff @(posedge clk_i) begin
      if (rst_n) begin
        L22_woken: assert (!walk_free || !entered[w] || !u_cta.waiting[w] ||
                           (clear_count && u_cta.u_count.members_q[0].warp == 6'(w)) ||
                           (clear_out && u_cta.outcome.warp == 6'(w)));
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_n) begin
      L23_launched: assert (7'(u_cta.u_check.u_launch_check.entered) == g_slot[0].u_slot.u_props.warps_of(entered));
    end
  end

  // ---------------------------------------------------------------------------------------------
  // The stages
  // ---------------------------------------------------------------------------------------------

  logic [NumWarps-1:0] parked;  // their operation is in drain

  if (EnDrain) begin : g_drain
    cta_always_drain #(.NumWarps(NumWarps)) u_drained (.clk_i, .rst_ni (rst_n), .parked_o (parked));
  end else begin : g_no_drain
    assign parked = '0;
  end

  cta_always_stages #(.NumWarps(NumWarps)) u_stages (
    .clk_i, .rst_ni (rst_n), .in_check_i (in_check), .in_count_i (in_count), .parked_i (parked)
  );

endmodule
