// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// What the check stage says of one member of a group: whether it counts, and why not. A function
// without state.
module muster_check_member
  import muster_pkg::*;
  import muster_cfg_pkg::*;
  import muster_cta_pkg::*;
#(
  parameter muster_cfg_t Cfg
) (
  input  group_t   group_i,
  input  member_t  member_i,
  input  logic     resident_i,      // the CTA of the group is there
  input  logic     live_i,          // the warp of the member is live
  input  logic     waiting_i,       // the warp waits already
  input  logic     restore_owes_i,  // the restore of the CTA owes waiting warps
  input  logic     group_unfit_i,   // the group has no such launch, state word, or count
  input  lanes_t   exit_lanes_i,    // of an exit
  input  logic     last_exit_i,     // an exit takes the last lane of the warp, and is not refused
  input  logic     warp_chosen_i,   // of a step of a launch: it names the warp

  output logic     accepted_o,    // unless its warp waits, or the group is unfit
  output logic     taken_o,       // a valid member is accepted, and its warp may execute it
  output checked_t checked_o
);

  logic idle;   // no lane takes part
  logic waits;  // the warp waits, and the operation needs one that does not
  logic takes_effect;

  assign idle  = (group_i.op == GroupExit) ? (exit_lanes_i == '0) : member_i.idle;
  assign waits = waiting_i &&
                 (group_i.op inside {GroupArrive, GroupWait, GroupReadResult, GroupWriteBar,
                                     GroupWriteWarp, GroupExit});

  assign accepted_o = !idle &&
                      (!Cfg.EnFaults || (resident_i && live_i && !(group_i.op == GroupArrive &&
                       (group_i.ragged || (!member_i.waits && group_i.expected == '0)))));
  assign taken_o    = member_i.valid && accepted_o && !waits;

  always_comb begin
    unique case (group_i.op)
      GroupExit:            takes_effect = last_exit_i;
      GroupClear:           takes_effect = warp_chosen_i;
      GroupOpen, GroupJoin: takes_effect = 1'b1;
      default:              takes_effect = accepted_o;
    endcase
    checked_o = '{
      valid:    member_i.valid,
      counts:   member_i.valid && takes_effect,
      // Else it may be another operation's.
      waits:    member_i.waits && (group_i.op inside {GroupArrive, GroupWait}),
      idle:     idle,
      warp:     member_i.warp,
      resident: resident_i,
      live:     live_i,
      waiting:  waiting_i,
      owes:     restore_owes_i,
      barred:   Cfg.EnFaults && (waits || group_unfit_i)
    };
  end

endmodule
