// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// For the proofs of muster_cluster_network: two units, a CTA of one cluster on each, that come and go at any time; any
// operations, targets that are ready or not. One operation of one sender to one target is followed, and how many of
// that pair are under way.
module cluster_network_formal
  import muster_pkg::*;
  import muster_atomics_pkg::*;
  import muster_cluster_pkg::*;
#(
  parameter int unsigned NumUnits = 2
) (
  input logic                        clk_i,
  input logic                        sender_i,     // the pair that is followed
  input logic                        target_i,
  input logic                        marks_i,      // the operation that is accepted now is followed
  input logic                        launch_i,
  input logic                        launch_rank_i,
  input cta_t                        launch_cta_i,
  input logic                        ends_i,       // the end of a CTA slot is presented
  input logic                        end_rank_i,
  input logic         [1:0]          present_i,
  input logic         [NumUnits-1:0] send_valid_i,
  input remote_send_t [NumUnits-1:0] send_i,
  input logic         [NumUnits-1:0] remote_ready_i
);

  logic                        rst_n = 1'b0;
  logic                        sender_q, target_q;
  logic         [1:0]          launched_q, leaving_q, ended_q;
  logic                        waits_to_end_q, end_rank_q, carried, reaches;
  cta_t         [1:0]          cta_q;
  logic         [NumUnits-1:0] send_ready, remote_valid, lost_valid, waits_q;
  mb_remote_t   [NumUnits-1:0] remote;
  at_remote_t   [NumUnits-1:0] atomic;
  remote_from_t [NumUnits-1:0] from;
  remote_lost_t [NumUnits-1:0] lost;
  remote_send_t [NumUnits-1:0] send_q;
  remote_send_t                marked_q;
  mb_remote_t                  right;  // what it should be when it comes
  cluster_life_t               life;
  logic                        accepts, delivers, loses, marks, followed_q, followed_arrives, followed_is_lost, stalled;
  logic         [2:0]          flight_q, ahead_q, arrived, age_q;

  always_comb begin
    life      = '0;
    life.rank = rank_t'(launch_rank_i);
    life.unit = unit_t'(ends_i ? end_rank_i : launch_rank_i);
    life.cta  = ends_i ? cta_q[end_rank_i] : launch_cta_i;
  end

  // Of an update, three bits: what becomes of the others is as of these.
  remote_send_t [NumUnits-1:0] send;
  always_comb begin
    send = send_i;
    for (int u = 0; u < NumUnits; u++) begin
      send[u].atomic         = '0;
      send[u].atomic.valid   = send_i[u].atomic.valid;
      send[u].atomic.lane    = lane_t'(send_i[u].atomic.lane[0]);
      send[u].atomic.operand = 64'(send_i[u].atomic.operand[0]);
    end
  end

  localparam cluster_cfg_t Cfg = '{
    NumUnits: NumUnits, NumWarps: 32, NumCtas: 2, NumClusters: 1, NumGrids: 2, NumRanks: 16
  };

  muster_cluster_network #(.Cfg(Cfg)) u_network (
    .clk_i, .rst_ni (rst_n), .launch_i, .life_i (life), .reachable_i (16'(present_i & ~leaving_q)), .slot_target_o (reaches), .cluster_sender_o (),
    .send_valid_i, .send_ready_o (send_ready), .send_i (send), .remote_valid_o (remote_valid), .remote_ready_i,
    .remote_o (remote), .atomic_o (atomic), .from_o (from), .lost_valid_o (lost_valid), .lost_o (lost),
    .find_i ('0), .find_unit_o (), .find_cta_o (), .active_o ()
  );

  assign right = '{op: marked_q.op, place: '{cta: cta_q[target_q], addr: marked_q.addr}, lanes: marked_q.lanes,
                   operand: marked_q.operand, has_token: marked_q.has_token};
  // What becomes of the pair in this cycle.
  assign accepts  = send_valid_i[sender_q] && send_ready[sender_q] && send[sender_q].rank == rank_t'(target_q);
  assign delivers = remote_valid[target_q] && remote_ready_i[target_q] && from[target_q].unit == unit_t'(sender_q);
  assign loses    = lost_valid[sender_q] && lost[sender_q].rank == rank_t'(target_q);
  assign marks    = accepts && marks_i && !followed_q;
  assign stalled  = (remote_valid & ~remote_ready_i) != '0;
  // One operation of the pair may be at the target already; what is lost is the oldest of the others.
  assign arrived          = 3'(remote_valid[target_q] && from[target_q].unit == unit_t'(sender_q));
  assign followed_arrives = followed_q && ahead_q == '0 && delivers;
  assign followed_is_lost = followed_q && ahead_q == arrived && loses;

  // As muster_cluster does: an end is carried out in the second cycle at the earliest, and waits for what is at the target.
  assign carried = ends_i && waits_to_end_q && !reaches;

  initial {leaving_q, ended_q, waits_to_end_q} = '0;
  always_ff @(posedge clk_i) begin
    waits_to_end_q <= ends_i && !carried;
    end_rank_q     <= end_rank_i;
    if (ends_i) leaving_q[end_rank_i] <= 1'b1;
    if (carried) ended_q[end_rank_i] <= 1'b1;
    assume (launch_cta_i < cta_t'(2));
    assume (!ends_i || (!launch_i && launched_q[end_rank_i] && !ended_q[end_rank_i]));
    assume (!waits_to_end_q || (ends_i && end_rank_i == end_rank_q));
  end

  initial {waits_q, launched_q, followed_q, flight_q, ahead_q, age_q} = '0;
  always_ff @(posedge clk_i) begin
    rst_n   <= 1'b1;
    waits_q <= send_valid_i & ~send_ready;
    send_q  <= send;
    if (!rst_n) {sender_q, target_q} <= {sender_i, target_i};
    if (launch_i) begin
      launched_q[launch_rank_i] <= 1'b1;
      cta_q[launch_rank_i]      <= launch_cta_i;
    end
    assume (rst_n || (send_valid_i == '0 && !launch_i));
    assume ((present_i & ~launched_q) == '0);
    assume (!launch_i || !launched_q[launch_rank_i]);
    for (int u = 0; u < NumUnits; u++) begin
      assume (!waits_q[u] || (send_valid_i[u] && send[u] == send_q[u]));
      assume (send[u].cluster == '0 && send[u].rank < rank_t'(2) && send[u].op <= MbCopyArrive);
      assume (send[u].lanes[31:1] == '0 && send[u].operand[31:1] == '0 && send[u].addr[31:1] == '0);
    end

    flight_q   <= flight_q + 3'(accepts) - 3'(delivers) - 3'(loses);
    followed_q <= marks || (followed_q && !followed_arrives && !followed_is_lost);
    if (marks) marked_q <= send[sender_q];
    if (marks) ahead_q <= flight_q - 3'(delivers) - 3'(loses);
    else if (followed_q) ahead_q <= ahead_q - 3'(delivers) - 3'(loses && ahead_q > arrived);
    age_q <= (followed_q ? age_q : '0) + 3'((marks || followed_q) && !stalled);
  end

  always_ff @(posedge clk_i) begin
    if (rst_n) begin
      // 1. Nothing is invented or doubled: what arrives, or is reported as lost, has been accepted; no more than three
      //    operations of a pair are under way.
      P01_none_invented: assert (flight_q <= 3'd3 && flight_q >= arrived + 3'(loses));
      C01_none_invented: cover (flight_q == 3'd3 && delivers && loses);
      // 2. Nothing is changed or overtaken: the operation that comes when all those ahead of it have is the one
      //    that was accepted, and it comes to its CTA.
      P02_in_order: assert (!followed_arrives ||
                            (remote[target_q] == right && atomic[target_q] == marked_q.atomic &&
                             from[target_q].warp == marked_q.warp));
      P03_lost: assert (!followed_is_lost ||
                        (lost[sender_q].warp == marked_q.warp &&
                         (marked_q.atomic.valid ?
                              lost[sender_q].addr == marked_q.atomic.addr &&
                              lost[sender_q].lanes == lanes_t'(1) << marked_q.atomic.lane :
                              lost[sender_q].addr == marked_q.addr && lost[sender_q].lanes == marked_q.lanes)));
      C02_in_order: cover (followed_arrives && flight_q == 3'd3);
      C03_lost: cover (followed_is_lost && delivers);
      // 4. No deadlock: an operation has come, or is lost, after 2 x NumUnits cycles, its acceptance included, in
      //    which no target that has something is unready.
      P04_comes: assert (!followed_q || age_q < 3'(2 * NumUnits) ||
                         (age_q == 3'(2 * NumUnits) && ahead_q == '0 && arrived != '0));
      // 5. Nothing comes to a slot whose CTA has ended, so nothing to the next CTA in it, even before the hub has heard of the end.
      P05_not_the_next: assert (!(remote_valid[0] && remote[0].place.cta == cta_q[0] && ended_q[0]) &&
                                !(remote_valid[1] && remote[1].place.cta == cta_q[1] && ended_q[1]));
      C05_not_the_next: cover (ended_q[0] && present_i[0] && lost_valid != '0);
      C04_comes: cover (followed_q && age_q == 3'(2 * NumUnits));
    end
  end

endmodule
