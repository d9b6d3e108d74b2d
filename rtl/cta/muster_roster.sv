// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The roster of CTAs and warps. For each CTA slot it holds whether the slot is resident, its size,
// the number of its live warps, and how many waiting warps a restore still owes; for each warp, its
// CTA and its live lanes. It is read on the way into the check stage, and lifecycle operations
// change it from there. What is written depends on the kind of the operation alone; that it passes
// its checks, which is known late, decides only whether it is written. A launch's walk enters its
// warps one by one, and removes those that are left over from the slot's last CTA; the launch
// itself then makes the slot resident, with all its warps at once. An open makes a slot resident
// whose warps count as live from then on, and join one by one.
//
// After reset a walk of one cycle per step frees all slots and removes all warps, and clears the
// entries, which are elsewhere.
module muster_roster
  import muster_pkg::*;
  import muster_cfg_pkg::*;
  import muster_cta_pkg::*;
#(
  parameter muster_cfg_t Cfg,
  localparam int unsigned NumWarps = Cfg.NumWarps,
  localparam int unsigned NumCtas  = Cfg.NumCtas,
  localparam int unsigned NumIssue = Cfg.NumIssue,
  localparam int unsigned WarpSize = Cfg.WarpSize,
  localparam int unsigned WarpW   = $clog2(NumWarps),
  localparam int unsigned CtaW    = (NumCtas > 1) ? $clog2(NumCtas) : 1
) (
  input  logic                           clk_i,
  input  logic                           rst_ni,
  // After reset, until all slots are free and no warp is live.
  output reset_step_t                    reset_step_o,

  input  logic [CtaW-1:0]                next_cta_i,   // of the group in the next cycle
  input  logic [NumIssue-1:0][WarpW-1:0] next_warps_i,

  input  cta_t                           cta_i,           // of the group
  input  warp_t                          warp_i,          // of its first member
  input  group_e                         op_i,            // what it is
  input  lanes_t                         lanes_i,         // an exit is of these lanes of the warp
  output logic                           resident_o,
  output logic [WarpW-1:0]               live_last_o,     // live warps of the CTA, less one
  output logic [WarpW:0]                 size_o,          // warps of the CTA
  output logic [NumIssue-1:0]            live_o,          // the members' warps are live in the CTA
  output logic                           last_lane_o,     // no lane is left without these
  output logic                           restore_owes_o,  // the CTA's restore owes waiting warps
  output logic                           joined_o,        // all warps of the CTA have joined

  input  logic                           enter_i,      // a launch's walk is at the warp
  input  logic                           warp_chosen_i,  // the launch names that warp
  input  logic                           slot_taken_i,  // a CTA takes the slot
  input  logic [WarpW-1:0]               launch_last_i,
  input  logic [WarpW:0]                 launch_size_i,
  input  logic                           exit_i,        // the lanes exit
  // The lanes that exit are the last of their warp.
  input  logic                           last_exits_i,
  input  logic                           leave_i,
  input  logic                           join_i,        // the warp joins
  input  lanes_t                         join_lanes_i,  // the lanes of the warp that joins
  // R2B.BAR counts so many waiting warps; R2B.WARP brings one.
  input  logic [WarpW-1:0]               owe_count_i,
  input  logic                           owe_i,  // owe_count_i is owed from the next cycle on

  input  logic [WarpW-1:0]               debug_warp_i,  // the warp to read
  // Whether that warp is live, a cycle later; if its CTA is resident.
  output logic                           debug_live_o,
  output cta_t                           debug_cta_o
);

  // -------------------------------------------------------------------------------------------
  // CTA slots
  // -------------------------------------------------------------------------------------------

  // Each all-warps entry lacks one warp at least.
  localparam int unsigned OwedW = Cfg.EnState ? $clog2(NumBars * (NumWarps - 1) + 1) : 1;
  localparam int unsigned UnjoinedW = Cfg.EnJoin ? WarpW + 1 : 1;

  typedef struct packed {
    logic             owes;  // owed is not 0
    logic [OwedW-1:0] owed;  // waiting warps that a restore has counted and not restored
    logic             resident;
    logic [UnjoinedW-1:0] unjoined;  // of the live warps
    logic [WarpW-1:0] live_last;
    logic [WarpW:0]   size_n;  // inverted: see exceeds()
  } slot_t;

  // Slots freed, warps removed and entries cleared since reset: all of them, one per cycle.
  // With EnJoin, the entries are cleared before the first launch.
  localparam int unsigned SlotW = Cfg.EnJoin ? CtaW + 4 : CtaW;
  localparam int unsigned FreeW = (SlotW > WarpW) ? SlotW : WarpW;

  logic [FreeW:0] freed_q;
  slot_t         slot, slot_d;
  logic          free;

  assign free = !freed_q[FreeW];

  always_comb begin
    reset_step_o.active      = free;
    reset_step_o.entry_clear = Cfg.EnJoin && free && (32'(freed_q) < NumCtas * NumBars);
    {reset_step_o.cta, reset_step_o.bar} = 9'(freed_q);
    reset_step_o.warp        = warp_t'(freed_q);
  end

  logic [OwedW-1:0]     owed_q;  // the waiting warps that the CTA owes, with what the group adds
  logic [UnjoinedW-1:0] unjoined_q;  // its warps that have not joined, without the one that joins
  logic                 exits, joins, opens, launches, leaves, writes;  // what the group is

  assign exits    = (op_i == GroupExit);
  assign joins    = Cfg.EnJoin && (op_i == GroupJoin);
  assign opens    = Cfg.EnJoin && (op_i == GroupOpen);
  assign launches = (op_i == GroupLaunch);
  assign leaves   = (op_i == GroupLeave);
  assign writes   = Cfg.EnState && is_write(op_i);

  always_ff @(posedge clk_i) begin
    owed_q     <= slot.owed + ((op_i == GroupWriteBar) ? OwedW'(owe_count_i) : {OwedW{!joins}});
    unjoined_q <= slot.unjoined - UnjoinedW'(joins);
  end

  // While a CTA owes waiting warps, no warp exits.
  always_comb begin
    slot_d = '{owes: 1'b0, owed: '0, resident: 1'b1, unjoined: '0, live_last: slot.live_last,
               size_n: slot.size_n};
    if (Cfg.EnState && (writes || joins)) begin
      slot_d.owes = (owed_q != '0);
      slot_d.owed = owed_q;
    end
    if (Cfg.EnJoin && !launches) slot_d.unjoined = unjoined_q;
    if (exits) slot_d.live_last = slot.live_last - WarpW'(1);
    if (launches || opens) begin
      slot_d.live_last = launch_last_i;
      slot_d.size_n    = ~launch_size_i;
    end
    if (opens) slot_d.unjoined = launch_size_i[UnjoinedW-1:0];
    if (leaves || free) slot_d.resident = 1'b0;
  end

  // A slot is not read in the cycle after it has changed: the check stage waits.
  muster_ram #(.Depth(1 << CtaW), .Width($bits(slot_t)), .Forward(1'b0)) u_slots (
    .clk_i,
    .we_i (slot_taken_i || leave_i || (exit_i && last_exits_i) || owe_i || join_i || free),
    .waddr_i (free ? freed_q[CtaW-1:0] : cta_i[CtaW-1:0]), .wdata_i (slot_d),
    .raddr_i (next_cta_i), .rdata_o (slot)
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      freed_q <= '0;
    end else if (free) begin
      freed_q <= freed_q + (FreeW + 1)'(1);
    end
  end

  assign resident_o     = slot.resident && (32'(cta_i) < NumCtas);
  assign live_last_o    = slot.live_last;
  assign restore_owes_o = Cfg.EnState && slot.owes;
  assign joined_o       = (slot.unjoined == '0);
  assign size_o         = ~slot.size_n;

  // -------------------------------------------------------------------------------------------
  // Warps
  // -------------------------------------------------------------------------------------------

  typedef struct packed {
    logic            live;
    logic [CtaW-1:0] cta;
    logic [WarpSize-1:0] exited;
  } place_t;

  place_t [NumIssue-1:0] place;
  place_t                place_d, debug;
  logic                  ours_q;  // the warp was, or is, one of this slot's
  logic                  taken_q;  // no CTA enters the slot: it is taken, or does not exist

  // A step of a walk is here for two cycles.
  always_ff @(posedge clk_i) begin
    ours_q  <= live_o[0];
    taken_q <= slot.resident || (32'(cta_i) >= NumCtas);
  end

  logic [WarpSize-1:0] exited;

  always_comb begin
    exited = '0;
    if (Cfg.EnLanes && exits) exited = place[0].exited | lanes_i[WarpSize-1:0];
    if (Cfg.EnLanes && joins) exited = ~join_lanes_i[WarpSize-1:0];
  end

  assign last_lane_o = !Cfg.EnLanes || (exited == '1);

  always_comb begin
    place_d = '{live: exits ? !last_exits_i : warp_chosen_i || joins, cta: cta_i[CtaW-1:0],
                exited: exited};
    if (free) place_d.live = 1'b0;
  end

  muster_ram #(
    .Depth(NumWarps), .Width($bits(place_t)), .NumRead(NumIssue + 1), .Forward('0)
  ) u_places (
    .clk_i,
    .we_i (exit_i || join_i || (enter_i && !taken_q && (warp_chosen_i || ours_q)) || free),
    .waddr_i (free ? freed_q[WarpW-1:0] : warp_i[WarpW-1:0]), .wdata_i (place_d),
    .raddr_i ({debug_warp_i, next_warps_i}), .rdata_o ({debug, place})
  );

  always_comb begin
    for (int m = 0; m < NumIssue; m++) begin
      live_o[m] = place[m].live && (place[m].cta == cta_i[CtaW-1:0]);
    end
  end

  assign debug_live_o = debug.live;
  assign debug_cta_o  = cta_t'(debug.cta);

endmodule
