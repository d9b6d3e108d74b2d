// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// What a request and an open group of its warp have to do with each other: functions without state.
// One comparison of 32 lanes serves two questions: of a group that is read, whether the request
// waits for its lanes; of the request, whether a live member is missing.
module muster_warp_judge
  import muster_pkg::*;
  import muster_warp_pkg::*;
(
  input  warp_request_t request_i,  // lanes come, or exit
  input  warp_code_t    code_i,     // of the request
  input  warp_group_t   group_i,    // an open group of the warp
  // In hand: those of the group, and of the request if they come to it.
  input  lanes_t        lanes_i,
  input  lanes_t        lacking_i,  // live lanes: those that may be missing
  // The lanes in hand are those of the group, and the first question is asked.
  input  logic          ask_group_i,
  output logic          lane_found_o,  // the answer to the question: there is such a lane
  output logic          own_o,         // the group is that of the request
  output logic          gather_o,      // the group is a gather
  // The group waits for a lane of the request; after an exit: for a live lane.
  output logic          awaits_o
);

  assign gather_o     = (group_i.code.op == 4'(WarpGather));
  assign own_o        = (group_i.code == code_i) && (group_i.key == request_i.key);
  assign lane_found_o = (request_i.key & (ask_group_i ? lanes_i : lacking_i & ~lanes_i)) != '0;
  assign awaits_o     = (group_i.key & request_i.lanes & ~group_i.lanes) != '0;

endmodule
