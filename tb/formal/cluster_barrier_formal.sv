// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// For the proofs of barrier.cluster: the hub and two units (muster_cluster_count), a CTA of one cluster on each, with two
// warps of two lanes. Requests of any lanes of any warps in any cycle, as the cores' contract allows; both CTAs are
// launched in the first cycles. The checker keeps the state of each lane, as the page has it, for the whole cluster at once.
module cluster_barrier_formal
  import muster_pkg::*;
  import muster_cluster_pkg::*;
#(
  parameter int unsigned NumUnits = 2,
  parameter int unsigned NumWarps = 2,
  parameter int unsigned Longest  = 5  // cycles for which a release may be due
) (
  input logic                       clk_i,
  input logic [NumUnits-1:0]        valid_i,
  input logic [NumUnits-1:0][1:0]   op_i,     // ClArrive to ClExit
  input logic [NumUnits-1:0]        warp_i,
  input logic [NumUnits-1:0][1:0]   lanes_i
);

  typedef logic [NumUnits-1:0][NumWarps-1:0][1:0] all_t;  // a bit for each lane

  logic                               rst_n = 1'b0;
  logic             [2:0]             step_q = '0;
  logic             [NumUnits-1:0]    news_valid, news_ready, go_valid, fault_valid, ready, valid_q, wrong_fault, wrong_go;
  cta_news_t        [NumUnits-1:0]    news;
  cluster_request_t [NumUnits-1:0]    request;
  cluster_go_t      [NumUnits-1:0]    go;
  logic [NumUnits-1:0][NumWarps-1:0]  busy, released, early;
  logic                               completes, complete;
  cluster_t                           completed;
  cluster_life_t                      life;

  always_comb begin
    life      = '0;
    life.size = 32'd2;
    life.rank = rank_t'(step_q == 3'd3);
    life.unit = unit_t'(step_q == 3'd3);
  end

  localparam cluster_cfg_t Cfg = '{
    NumUnits: NumUnits, NumWarps: NumWarps, NumCtas: 1, NumClusters: 1, NumGrids: 2, NumRanks: 16
  };

  for (genvar u = 0; u < NumUnits; u++) begin : g_unit
    muster_cluster_count #(.Cfg(Cfg)) u_count (
      .clk_i, .rst_ni (rst_n),
      .valid_i (valid_i[u]), .ready_o (ready[u]), .request_i (request[u]), .busy_o (busy[u]),
      .life_valid_i (1'b0), .life_ready_o (), .launch_i (step_q == 3'(2 + u)), .end_i (1'b0), .life_i (life),
      .resident_o (), .news_settled_o (), .news_pending_o (), .cta_rank_o (), .phase_complete_i (completes), .cluster_i (completed), .performed_i ('1),
      .news_valid_o (news_valid[u]), .news_ready_i (news_ready[u]), .news_o (news[u]),
      .go_valid_o (go_valid[u]), .go_o (go[u]), .release_o (released[u]), .grid_release_o (),
      .fault_valid_o (fault_valid[u]), .fault_o (), .active_o ()
    );
  end

  muster_cluster_hub #(.Cfg(Cfg)) u_hub (
    .clk_i, .rst_ni (rst_n), .news_valid_i (news_valid), .news_ready_o (news_ready), .news_i (news),
    .news_valid_o (), .news_o (), .open_i (step_q == 3'd1), .launch_i (step_q inside {3'd2, 3'd3}), .life_i (life),
    .leaves_i (1'b0), .leaver_i ('0),
    .members_o (), .present_o (), .launched_o (), .reachable_o (), .phase_complete_o (completes), .cluster_o (completed)
  );

  // -------------------------------------------------------------------------------------------
  // What the page says of each lane: live, arrived, waiting or passed. A request takes effect in the cycle after its
  // acceptance; its answer comes a cycle later.
  // -------------------------------------------------------------------------------------------

  all_t live_q, live_d, arrived_q, arrived_d, waiting_q, waiting_d, passed_q, passed_d, due_q, due_d, held_q, held, due;
  logic [NumUnits-1:0]      warp_q, waits_q, faults_q;
  logic [NumUnits-1:0][1:0] op_q, lanes_q, asked_q, pass_q, arrived, passed;
  logic [NumUnits-1:0]      asked_warp_q, faults;
  logic [NumUnits-1:0][NumWarps-1:0][2:0] age_q;
  logic [1:0]               phases_q;

  // Effect of what was accepted a cycle ago, in all units; then the test of the phase.
  always_comb begin
    {live_d, arrived_d, waiting_d, passed_d, due_d} = {live_q, arrived_q, waiting_q, passed_q, due_q};
    for (int u = 0; u < NumUnits; u++) begin
      arrived[u] = arrived_q[u][warp_q[u]];
      passed[u]  = passed_q[u][warp_q[u]];
      faults[u]  = valid_q[u] && ((op_q[u] < 2'd2 && (lanes_q[u] & (arrived[u] | passed[u])) != '0) ||
                                  (op_q[u] == 2'd2 && (lanes_q[u] & ~(arrived[u] | passed[u])) != '0));
      if (valid_q[u] && !faults[u]) begin
        unique case (op_q[u])
          2'd2: begin
            waiting_d[u][warp_q[u]] = waiting_q[u][warp_q[u]] | (lanes_q[u] & arrived[u]);
            passed_d[u][warp_q[u]]  = passed[u] & ~lanes_q[u];
          end
          2'd3: begin
            live_d[u][warp_q[u]]    = live_q[u][warp_q[u]] & ~lanes_q[u];
            arrived_d[u][warp_q[u]] = arrived[u] & ~lanes_q[u];
            passed_d[u][warp_q[u]]  = passed[u] & ~lanes_q[u];
          end
          default: arrived_d[u][warp_q[u]] = arrived[u] | lanes_q[u];
        endcase
      end
    end
    complete = live_d != '0 && (live_d & ~arrived_d) == '0;
    due_d    = due & ~{released[1][1], released[1][1], released[1][0], released[1][0],
                       released[0][1], released[0][1], released[0][0], released[0][0]};
    if (complete) begin
      due_d     = due_d | waiting_d;
      passed_d  = passed_d | (arrived_d & ~waiting_d);
      arrived_d = '0;
      waiting_d = '0;
    end
  end

  // The answers in this cycle: lanes of a wait that do not go on are held.
  always_comb begin
    held = held_q;
    due  = due_q;
    for (int u = 0; u < NumUnits; u++) begin
      wrong_fault[u] = fault_valid[u] != faults_q[u];
      wrong_go[u]    = go_valid[u] && (!waits_q[u] || go[u].warp != warp_t'(asked_warp_q[u]) || go[u].lanes[31:2] != '0 ||
                                       (go[u].lanes[1:0] & ~pass_q[u]) != '0);
      if (waits_q[u]) begin
        held[u][asked_warp_q[u]] = held_q[u][asked_warp_q[u]] | (asked_q[u] & ~(go_valid[u] ? go[u].lanes[1:0] : 2'd0));
        due[u][asked_warp_q[u]]  = due_q[u][asked_warp_q[u]] | (pass_q[u] & ~(go_valid[u] ? go[u].lanes[1:0] : 2'd0));
      end
      for (int w = 0; w < NumWarps; w++) early[u][w] = released[u][w] && (held[u][w] == '0 || held[u][w] != due[u][w]);
    end
  end

  always_comb begin
    for (int u = 0; u < NumUnits; u++) begin
      request[u]       = '0;
      request[u].op    = cluster_op_e'({1'b0, op_i[u]});
      request[u].warp  = warp_t'(warp_i[u]);
      request[u].lanes = lanes_t'(lanes_i[u]);
      request[u].live  = lanes_t'(live_q[u][warp_i[u]] & ~((op_i[u] == 2'd3) ? lanes_i[u] : 2'd0));
    end
  end

  initial {valid_q, waits_q, faults_q, arrived_q, waiting_q, passed_q, due_q, held_q, age_q, phases_q} = '0;
  initial live_q = '1;
  always_ff @(posedge clk_i) begin
    rst_n    <= 1'b1;
    step_q   <= (step_q == 3'd4) ? 3'd4 : step_q + 3'd1;
    valid_q  <= valid_i;
    {op_q, warp_q, lanes_q} <= {op_i, warp_i, lanes_i};
    {live_q, arrived_q, waiting_q, passed_q, due_q} <= {live_d, arrived_d, waiting_d, passed_d, due_d};
    phases_q <= phases_q + 2'(complete);
    {asked_q, asked_warp_q, faults_q} <= {lanes_q, warp_q, faults};
    for (int u = 0; u < NumUnits; u++) begin
      waits_q[u] <= valid_q[u] && op_q[u] == 2'd2 && !faults[u];
      pass_q[u]  <= lanes_q[u] & passed[u];
      for (int w = 0; w < NumWarps; w++) begin
        held_q[u][w] <= released[u][w] ? '0 : held[u][w];
        age_q[u][w]  <= (released[u][w] || due[u][w] == '0) ? '0 : age_q[u][w] + 3'd1;
      end
      // The contract of the cores.
      assume (!valid_i[u] || (step_q == 3'd4 && !busy[u][warp_i[u]] && lanes_i[u] != '0 &&
                              (lanes_i[u] & (held[u][warp_i[u]] | ~live_q[u][warp_i[u]])) == '0));
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_n) begin
      // 1. No early release: lanes that are released wait, and their phase has completed: all live lanes of the
      //    cluster have arrived in it.
      P01_no_early_release: assert (early == '0);
      // 2. No early go: lanes that need not wait have passed. A request is refused exactly when it must be.
      P02_no_early_go: assert (wrong_go == '0 && wrong_fault == '0);
      C02_no_early_go: cover (go_valid == '1);
      C01_no_early_release: cover (released == '1);
    end
  end

  for (genvar u = 0; u < NumUnits; u++) begin : g_props
    for (genvar w = 0; w < NumWarps; w++) begin : g_warp
      always_ff @(posedge clk_i) begin
        if (rst_n) begin
          // 3. No lost release: a lane that waits for a phase that has completed is released within so many cycles.
          P03_no_lost_release: assert (32'(age_q[u][w]) <= Longest && (32'(age_q[u][w]) != Longest || released[u][w]));
          C03_no_lost_release: cover (32'(age_q[u][w]) == Longest && phases_q != '0);
        end
      end
    end
  end

  cluster_barrier_lemmas #(.NumUnits(NumUnits), .NumWarps(NumWarps)) u_lemmas (.clk_i, .rst_ni (rst_n));

endmodule
