// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Finds the member of the group in the count stage that completes the entry, if the group is not
// refused. Counts are compared a cycle early: the one that was read, and the one that the group
// here leaves, in case the next group, or members that stay, are at the same entry. So only a few
// gates after registers decide which warps are released and which members stay.
//
//   cycle    0                                       1
//            last_count_i, stored_count_i, count_i   member_completes_o
module muster_completion #(
  parameter int unsigned  NumIssue = 1,
  parameter int unsigned  WarpW    = 5,
  localparam int unsigned MemberW  = (NumIssue > 1) ? $clog2(NumIssue) : 1
) (
  input  logic                clk_i,

  // Of the group that is here in the next cycle
  input  logic [WarpW-1:0]    last_count_i,  // the entry's count before the last arrival
  input  logic                load_i,       // it is another group than the one here
  // The count of its entry, before what the group here writes.
  input  logic [WarpW-1:0]    stored_count_i,

  // Of the group that is here
  // The group directly ahead, or members of this one before, wrote this entry.
  input  logic                forward_i,
  input  logic [WarpW-1:0]    count_i,      // the entry's count
  input  logic [NumIssue-1:0] member_counts_i,  // members that count, unless the group is refused
  input  logic                group_arrives_i,  // they are arrivals
  input  logic                group_exits_i,  // it is an exit, at an entry of all live warps
  output logic [NumIssue-1:0] member_completes_o,  // this member completes the entry
  // Some member completes it; with one port, if the member counts.
  output logic                entry_completes_o,
  output logic [WarpW-1:0]    arrivals_o    // arrivals; with one port, if the member counts
);

  localparam int unsigned Most = 2 * NumIssue;  // arrivals of this group and the next one

  logic [NumIssue-1:0]            stored_due_q, left_due_q;
  // The entry completes with the first arrival of this group, the second, and so on.
  logic [NumIssue-1:0]            due;
  // With so many arrivals more, the next group's entry lacks one.
  logic [Most-1:0]                equals;
  logic [NumIssue-1:0][MemberW:0] earlier;  // fit members before this one

  always_comb begin
    for (int n = 0; n < Most; n++) equals[n] = (count_i + WarpW'(n) == last_count_i);
  end

  function automatic logic [NumIssue-1:0] due_of(logic [WarpW-1:0] count, logic [WarpW-1:0] last);
    for (int m = 0; m < NumIssue; m++) due_of[m] = (count + WarpW'(m) == last);
  endfunction

  always_ff @(posedge clk_i) begin
    if (load_i) stored_due_q <= due_of(stored_count_i, last_count_i);
    for (int m = 0; m < NumIssue; m++) begin
      left_due_q[m] <= entry_completes_o ? (last_count_i == WarpW'(m)) :
                                           equals[32'(arrivals_o) + m];
    end
  end

  assign due = forward_i ? left_due_q : stored_due_q;

  always_comb begin
    for (int m = 0; m < NumIssue; m++) begin
      earlier[m] = '0;
      for (int n = 0; n < m; n++) earlier[m] = earlier[m] + (MemberW + 1)'(member_counts_i[n]);
      member_completes_o[m] = group_arrives_i && member_counts_i[m] && due[earlier[m][MemberW-1:0]];
    end
    // An exit is no arrival: the entry completes when all remaining warps have arrived.
    if (group_exits_i) member_completes_o[0] = member_counts_i[0] && due[0];
    entry_completes_o = (NumIssue == 1) ? due[0] : (member_completes_o != '0);
    arrivals_o        = (NumIssue == 1) ? WarpW'(1) :
                        WarpW'(earlier[NumIssue-1]) + WarpW'(member_counts_i[NumIssue-1]);
  end

endmodule
