// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// What a request and an open group of its warp have to do with each other: functions without state.
module muster_warp_judge
  import muster_pkg::*;
  import muster_warp_pkg::*;
#(
  parameter bit EnFaults = 1'b1
) (
  input  warp_request_t request_i,  // lanes come, or exit
  input  warp_code_t    code_i,     // of the request
  input  warp_group_t   group_i,    // an open group of the warp
  input  lanes_t        lanes_i,    // in hand: those of the group, and of the request if they come to it
  output logic          same_o,     // the request's group is this one
  output logic          stuck_o,    // each has a lane that the other waits for: if it is another group, neither can complete
  output logic          gather_o,   // the group is a gather
  output logic          complete_o  // all live members of the group are in hand
);

  logic gathers, needs_theirs, needs_ours;

  assign gathers  = (request_i.op == WarpGather);
  assign gather_o = (group_i.code.op == 4'(WarpGather));
  assign same_o   = (group_i.code == code_i) && (group_i.key == request_i.key);

  // A gather waits for all live lanes, so for any lane that waits elsewhere.
  assign needs_theirs = gathers || (request_i.key & group_i.lanes) != '0;
  assign needs_ours   = gather_o || (group_i.key & request_i.lanes) != '0;
  assign stuck_o      = EnFaults && needs_theirs && needs_ours && !(gathers && gather_o);

  assign complete_o = (group_i.key & request_i.live & ~lanes_i) == '0;

endmodule
