// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// For the proofs of muster_cluster_lanes: all requests, all words, both phases, 32 lanes. The page's table of what
// becomes of a lane (rtl/cluster/README.md) is written again here, lane by lane.
module cluster_lanes_formal
  import muster_pkg::*;
  import muster_cluster_pkg::*;
(
  input logic             clk_i,
  input cluster_request_t request_i,
  input logic             known_i,
  input warp_phase_t      word_i,
  input logic             phase_i
);

  typedef enum logic [1:0] {Idle, Arrived, Waiting, Passed} lane_e;

  // What a word says of a lane; a phase that has completed since releases those that wait.
  function automatic lane_e state_of(warp_phase_t word, logic phase, int lane);
    state_of = word.arrived[lane] ? (word.flag[lane] ? Waiting : Arrived) : (word.flag[lane] ? Passed : Idle);
    if (word.phase != phase) begin
      if (state_of == Arrived) state_of = Passed;
      else if (state_of == Waiting) state_of = Idle;
    end
  endfunction

  logic                rst_n = 1'b0;
  warp_phase_t         word;
  fault_e              fault;
  lanes_t              culprits, go, waiting, wrong, wrong_fault, wrong_go, came_to_wait;
  logic                waits, joins, parts, complete, was_complete, is_exit, is_arrival;
  lane_e [MaxLanes-1:0] before_s, after_s;
  lanes_t              all_before, here, there;

  muster_cluster_lanes u_lanes (
    .request_i, .known_i, .word_i, .phase_i,
    .word_o (word), .fault_o (fault), .culprits_o (culprits), .go_o (go), .lane_waits_o (waits), .warp_arrived_o (joins),
    .warp_left_o (parts)
  );

  assign is_exit    = request_i.op == ClExit;
  assign is_arrival = request_i.op inside {ClArrive, ClArriveRelaxed};
  assign all_before = is_exit ? (request_i.live | request_i.lanes) : request_i.live;

  always_comb begin
    for (int l = 0; l < MaxLanes; l++) begin
      before_s[l]     = known_i ? state_of(word_i, phase_i, l) : Idle;
      after_s[l]      = state_of(word, phase_i, l);
      waiting[l]      = before_s[l] == Waiting;
      here[l]         = before_s[l] inside {Arrived, Waiting};
      there[l]        = after_s[l] inside {Arrived, Waiting};
      came_to_wait[l] = request_i.op == ClWait && request_i.lanes[l] && before_s[l] == Arrived;
      // What the page says of it.
      wrong_fault[l]  = culprits[l] != (request_i.lanes[l] && ((is_arrival && before_s[l] != Idle) ||
                                        (request_i.op == ClWait && before_s[l] == Idle)));
      wrong_go[l]     = go[l] != (request_i.op == ClWait && request_i.lanes[l] && before_s[l] == Passed);
      wrong[l]        = after_s[l] != before_s[l];
      if (request_i.lanes[l]) begin
        if (is_arrival) wrong[l] = after_s[l] != Arrived;
        if (request_i.op == ClWait) wrong[l] = after_s[l] != ((before_s[l] == Passed) ? Idle : Waiting);
        if (is_exit) wrong[l] = after_s[l] != Idle;
      end
    end
    was_complete = (all_before & ~here) == '0;
    complete     = request_i.live != '0 && (request_i.live & ~there) == '0;
  end

  always_ff @(posedge clk_i) begin
    rst_n <= 1'b1;
    // The contract of the cores: lanes are live, or exit; a lane that waits makes no request.
    assume (request_i.op <= ClGridWait && request_i.lanes != '0);
    assume ((request_i.lanes & (is_exit ? request_i.live : ~request_i.live)) == '0);
    assume ((request_i.lanes & waiting) == '0);

    // 1. A request is refused exactly if one of its lanes is at fault, and names exactly those.
    P01_fault: assert (!rst_n || (wrong_fault == '0 && (fault != FaultNone) == (culprits != '0) &&
                       (fault == FaultNone || fault == (is_arrival ? FaultClusterArrivedTwice : FaultClusterWaitWithoutArrive))));
    // 2. Each lane of an accepted request becomes what the page says; all others stay what they are.
    P02_lanes: assert (!rst_n || fault != FaultNone || wrong == '0);
    // 3. The lanes of an accepted wait that have passed go on; the others wait.
    P03_go: assert (!rst_n || fault != FaultNone || (wrong_go == '0 && waits == (came_to_wait != '0)));
    // 4. The count of complete warps changes exactly as all live lanes of the warp have arrived, or no longer have.
    P04_count: assert (!rst_n || fault != FaultNone || (joins == (complete && !was_complete) && parts == (was_complete && !complete)));

    C01_fault: cover (rst_n && fault == FaultClusterArrivedTwice && culprits != request_i.lanes);
    C02_lanes: cover (rst_n && fault == FaultNone && is_exit && known_i && word_i.phase != phase_i && after_s[0] == Passed);
    C03_go: cover (rst_n && go != '0 && waits);
    C04_count: cover (rst_n && joins && is_exit);
  end

endmodule
