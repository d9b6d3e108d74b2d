// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Who is there: of each CTA slot whether it is resident, its size and its live warps; of each warp
// its CTA and its live lanes. Read on the way into the check stage, changed from there by lifecycle
// operations. A launch's walk enters its warps one by one, and strikes those that the slot's last
// CTA has left behind; the launch itself then makes the slot resident, with all of them at once.
module muster_roster
  import muster_pkg::*;
  import muster_cta_pkg::*;
#(
  parameter int unsigned NumWarps = 32,
  parameter int unsigned NumCtas  = 8,
  parameter int unsigned NumIssue = 1,
  parameter bit          EnLanes  = 1'b1,
  localparam int unsigned WarpW   = $clog2(NumWarps),
  localparam int unsigned CtaW    = (NumCtas > 1) ? $clog2(NumCtas) : 1
) (
  input  logic                           clk_i,
  input  logic                           rst_ni,
  output logic                           ready_o,      // after reset: all slots are free

  input  logic [CtaW-1:0]                next_cta_i,   // of the group in the next cycle
  input  logic [NumIssue-1:0][WarpW-1:0] next_warps_i,

  input  cta_t                           cta_i,        // of the group
  input  warp_t                          warp_i,       // of its first member
  input  lanes_t                         lanes_i,      // ... which exit
  output logic                           resident_o,
  output logic [WarpW-1:0]               live_last_o,  // live warps of the CTA, less one
  output wcount_t                        size_o,       // warps of the CTA
  output logic [NumIssue-1:0]            live_o,       // the members' warps are live in the CTA
  output logic                           last_lane_o,  // no lane is left behind these

  input  logic                           enter_i,      // a launch's walk is at the warp ...
  input  logic                           chosen_i,     // ... which the launch names
  input  logic                           launch_i,
  input  logic [WarpW-1:0]               launch_last_i,
  input  wcount_t                        launch_size_i,
  input  logic                           exit_i,        // these lanes exit ...
  input  logic                           exits_i,       // ... and with them the warp
  input  logic                           leave_i,

  input  logic [WarpW-1:0]               census_warp_i, // a warp to look at ...
  output logic                           census_live_o, // ... a cycle later; if its CTA is resident
  output cta_t                           census_cta_o
);

  // -------------------------------------------------------------------------------------------
  // CTA slots
  // -------------------------------------------------------------------------------------------

  typedef struct packed {
    logic             resident;
    logic [WarpW-1:0] live_last;
    wcount_t          size;
  } slot_t;

  logic [CtaW:0] freed_q;  // slots that were freed since reset
  slot_t         slot, slot_d;
  logic          free;

  assign ready_o = freed_q[CtaW];
  assign free    = !ready_o;

  always_comb begin
    slot_d = '{resident: launch_i, live_last: launch_last_i, size: launch_size_i};
    if (exits_i) slot_d = '{resident: 1'b1, live_last: slot.live_last - WarpW'(1), size: slot.size};
  end

  // A slot is not read in the cycle after it has changed: the check stage waits.
  muster_ram #(.Depth(1 << CtaW), .Width($bits(slot_t)), .Forward(1'b0)) u_slots (
    .clk_i,
    .we_i (launch_i || leave_i || exits_i || free),
    .waddr_i (free ? freed_q[CtaW-1:0] : cta_i[CtaW-1:0]), .wdata_i (slot_d),
    .raddr_i (next_cta_i), .rdata_o (slot)
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      freed_q <= '0;
    end else if (free) begin
      freed_q <= freed_q + (CtaW+1)'(1);
    end
  end

  assign resident_o  = slot.resident && (32'(cta_i) < NumCtas);
  assign live_last_o = slot.live_last;
  assign size_o      = slot.size;

  // -------------------------------------------------------------------------------------------
  // Warps
  // -------------------------------------------------------------------------------------------

  typedef struct packed {
    logic   live;
    cta_t   cta;
    lanes_t exited;
  } place_t;

  place_t [NumIssue-1:0] place;
  place_t                place_d, census;
  logic                  ours_q;  // the warp was, or is, one of this slot's
  logic                  resident_q;

  // A step of a launch's walk is here for two cycles.
  always_ff @(posedge clk_i) begin
    ours_q     <= live_o[0];
    resident_q <= resident_o;
  end

  assign last_lane_o = !EnLanes || ((place[0].exited | lanes_i) == '1);

  always_comb begin
    place_d = '{live: chosen_i, cta: cta_i, exited: '0};
    if (exit_i) begin
      place_d.live   = !exits_i;
      place_d.exited = EnLanes ? (place[0].exited | lanes_i) : '0;
    end
  end

  muster_ram #(
    .Depth(NumWarps), .Width($bits(place_t)), .NumRead(NumIssue + 1), .Forward('0)
  ) u_places (
    .clk_i,
    .we_i (exit_i || (enter_i && !resident_q && (chosen_i || ours_q))),
    .waddr_i (warp_i[WarpW-1:0]), .wdata_i (place_d),
    .raddr_i ({census_warp_i, next_warps_i}), .rdata_o ({census, place})
  );

  always_comb begin
    for (int m = 0; m < NumIssue; m++) live_o[m] = place[m].live && (place[m].cta == cta_i);
  end

  assign census_live_o = census.live;
  assign census_cta_o  = census.cta;

endmodule
