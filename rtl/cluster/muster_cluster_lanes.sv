// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// What a request does to the lanes of its warp at barrier.cluster (PTX 9.7.13.3); no state. A lane
// is idle, has arrived in the phase that runs (and may wait for it), or has passed: its phase has
// completed, and it has not waited for that yet. What a request with a lane at fault would make of
// the warp is not to be carried out.
module muster_cluster_lanes
  import muster_pkg::*;
  import muster_cluster_pkg::*;
(
  input  cluster_request_t request_i,
  // word_i was written for this warp; else all its lanes are idle.
  input  logic             known_i,
  input  warp_phase_t      word_i,
  input  logic             phase_i,     // the phase that runs

  output fault_e           fault_o,
  output lanes_t           culprits_o,    // the lanes at fault
  output warp_phase_t      word_o,        // afterwards, if there are none, as are the following
  output lanes_t           go_o,          // of a wait: the lanes that have passed
  output logic             lane_waits_o,  // of a wait: some lane waits
  // All live lanes of the warp have arrived now, and had not before.
  output logic             warp_arrived_o,
  output logic             warp_left_o    // the reverse: the last lanes of a warp exit
);

  logic        same, live_word;
  lanes_t      arrived, waiting, passed, live_before;
  lanes_t      comes, awaits, came, came_before;
  lanes_t      arrived_now, waiting_now, passed_now;
  logic        was_complete, is_complete;
  // What is at fault if the word is of the phase that runs, of the one before, or of no phase.
  lanes_t      culprits_same, culprits_before, culprits_idle;

  assign same      = word_i.phase == phase_i;
  assign live_word = known_i && same;
  assign arrived   = live_word ? word_i.arrived : '0;
  assign waiting   = arrived & word_i.flag;
  assign passed    = !known_i ? '0 :
                     (same ? word_i.flag & ~word_i.arrived : word_i.flag ^ word_i.arrived);

  // Lanes that arrive though they have arrived, or wait though they have not. Each of the three has
  // its answer before it is known which one holds.
  assign comes           = (request_i.op inside {ClArrive, ClArriveRelaxed}) ? request_i.lanes : '0;
  assign awaits          = (request_i.op == ClWait) ? request_i.lanes : '0;
  assign came            = word_i.arrived | word_i.flag;
  assign came_before     = word_i.arrived ^ word_i.flag;
  assign culprits_same   = (comes & came) | (awaits & ~came);
  assign culprits_before = (comes & came_before) | (awaits & ~came_before);
  assign culprits_idle   = awaits;
  assign culprits_o      = !known_i ? culprits_idle : (same ? culprits_same : culprits_before);

  always_comb begin
    fault_o = FaultNone;
    if (known_i ? (same ? culprits_same != '0 : culprits_before != '0) : culprits_idle != '0) begin
      fault_o = (request_i.op == ClWait) ? FaultClusterWaitWithoutArrive : FaultClusterArrivedTwice;
    end
  end

  assign go_o         = awaits & passed;
  assign lane_waits_o = (awaits & arrived) != '0;

  always_comb begin
    arrived_now = arrived;
    waiting_now = waiting;
    passed_now  = passed;
    unique case (request_i.op)
      ClArrive, ClArriveRelaxed: arrived_now = arrived | request_i.lanes;
      ClWait: begin
        waiting_now = waiting | (request_i.lanes & arrived);
        passed_now  = passed & ~request_i.lanes;
      end
      ClExit: begin
        arrived_now = arrived & ~request_i.lanes;
        passed_now  = passed & ~request_i.lanes;
      end
      default: ;
    endcase
  end

  assign live_before  = request_i.live | ((request_i.op == ClExit) ? request_i.lanes : '0);
  // Lanes that exit are not among those that live.
  assign was_complete = live_word ? (live_before & ~word_i.arrived) == '0 : live_before == '0;
  assign is_complete  = request_i.live != '0 &&
                        (live_word ? (request_i.live & ~(word_i.arrived | comes)) == '0 :
                                     (request_i.live & ~comes) == '0);
  assign warp_arrived_o = is_complete && !was_complete;
  assign warp_left_o    = was_complete && !is_complete;
  assign word_o         = '{phase: phase_i, arrived: arrived_now, flag: waiting_now | passed_now};

endmodule
