// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// What a request and an open group of its warp have to do with each other: functions without state. One comparison of 32
// lanes serves two questions: of a group that is read, whether the request waits for its lanes; of the request, whether a live
// member is missing.
module muster_warp_judge
  import muster_pkg::*;
  import muster_warp_pkg::*;
(
  input  warp_request_t request_i,  // lanes come, or exit
  input  warp_code_t    code_i,     // of the request
  input  warp_group_t   group_i,    // an open group of the warp
  input  lanes_t        lanes_i,    // in hand: those of the group, and of the request if they come to it
  input  lanes_t        lacking_i,  // live lanes: those that may be missing
  input  logic          theirs_i,   // the lanes in hand are those of the group, and the first question is asked
  output logic          same_o,     // the request's group is this one
  output logic          gather_o,   // the group is a gather
  output logic          some_o,     // the answer to the question: some lane is
  output logic          ours_o      // the group waits for a lane of the request; after an exit: for a live lane
);

  assign gather_o = (group_i.code.op == 4'(WarpGather));
  assign same_o   = (group_i.code == code_i) && (group_i.key == request_i.key);
  assign some_o   = (request_i.key & (theirs_i ? lanes_i : lacking_i & ~lanes_i)) != '0;
  assign ours_o   = (group_i.key & request_i.lanes & ~group_i.lanes) != '0;

endmodule
