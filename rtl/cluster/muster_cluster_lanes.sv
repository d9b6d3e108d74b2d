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

  logic        same;
  lanes_t      arrived, waiting, passed, live_before;
  lanes_t      arrived_now, waiting_now, passed_now;
  logic        was_complete, is_complete;

  assign same    = word_i.phase == phase_i;
  assign arrived = (known_i && same) ? word_i.arrived : '0;
  assign waiting = arrived & word_i.flag;
  assign passed  = !known_i ? '0 :
                   (same ? word_i.flag & ~word_i.arrived : word_i.flag ^ word_i.arrived);

  always_comb begin
    fault_o      = FaultNone;
    culprits_o   = '0;
    go_o         = '0;
    lane_waits_o = 1'b0;
    unique case (request_i.op)
      ClArrive, ClArriveRelaxed: begin
        culprits_o = request_i.lanes & (arrived | passed);
        if (culprits_o != '0) fault_o = FaultClusterArrivedTwice;
      end
      ClWait: begin
        culprits_o = request_i.lanes & ~(arrived | passed);
        if (culprits_o != '0) begin
          fault_o = FaultClusterWaitWithoutArrive;
        end else begin
          go_o         = request_i.lanes & passed;
          lane_waits_o = (request_i.lanes & arrived) != '0;
        end
      end
      default: ;
    endcase
  end

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

  assign live_before    = (request_i.op == ClExit) ? request_i.live | request_i.lanes :
                          request_i.live;
  assign was_complete   = (live_before & ~arrived) == '0;
  assign is_complete    = request_i.live != '0 && (request_i.live & ~arrived_now) == '0;
  assign warp_arrived_o = is_complete && !was_complete;
  assign warp_left_o    = was_complete && !is_complete;
  assign word_o         = '{phase: phase_i, arrived: arrived_now, flag: waiting_now | passed_now};

endmodule
