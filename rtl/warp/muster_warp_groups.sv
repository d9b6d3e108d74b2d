// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The groups of lanes that wait: for each warp as many slots as it has lanes, and how many of them
// are in use. Data come a cycle after the address. A warp loses what it had when its bit of clear_i
// is high.
module muster_warp_groups
  import muster_pkg::*;
  import muster_warp_pkg::*;
#(
  parameter warp_cfg_t Cfg,
  localparam int unsigned NumWarps = Cfg.NumWarps,
  localparam int unsigned Slots    = Cfg.WarpSize,
  localparam int unsigned WarpW = $clog2(NumWarps),
  localparam int unsigned SlotW = $clog2(Slots)
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  input  logic [NumWarps-1:0] clear_i,

  input  logic [WarpW-1:0]    next_warp_i,  // in the next cycle
  input  logic [WarpW-1:0]    warp_i,
  input  logic [NumWarps-1:0] hot_i,        // its bit
  output logic                any_o,        // it has slots in use
  // Its slots in use end before this one; not in the cycle after a change.
  output logic [SlotW-1:0]    end_o,

  input  logic [SlotW-1:0]    slot_i,       // of the warp
  output warp_group_t         group_o,      // a cycle later
  input  logic                write_i,      // now
  input  warp_group_t         group_i,
  input  logic                longer_i,     // this slot is now the last in use
  input  logic                shorter_i,    // the slot before this one is now the last in use

  output logic [NumWarps-1:0] open_o        // the warp has slots in use
);

  localparam int unsigned AddrW = $clog2(NumWarps * Slots);

  logic [AddrW-1:0] address;
  assign address = AddrW'(32'(warp_i) * Slots + 32'(slot_i));

  muster_ram #(.Depth(NumWarps * Slots), .Width($bits(warp_group_t)), .Forward(1'b0)) u_groups (
    .clk_i,
    .we_i (write_i), .waddr_i (address), .wdata_i (group_i),
    .raddr_i (address), .rdata_o (group_o)
  );

  logic [NumWarps-1:0] open_q, open_d;
  logic                empty;

  assign any_o = open_q[warp_i];

  assign empty  = shorter_i && slot_i == '0;
  assign open_d = ((open_q & ~(hot_i & {NumWarps{empty}})) | (hot_i & {NumWarps{longer_i}})) &
                  ~clear_i;

  muster_ram #(.Depth(NumWarps), .Width(SlotW), .Forward(1'b0)) u_end (
    .clk_i,
    .we_i (longer_i || shorter_i), .waddr_i (warp_i), .wdata_i (slot_i + SlotW'(longer_i)),
    .raddr_i (next_warp_i), .rdata_o (end_o)
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      open_q <= '0;
    end else begin
      open_q <= open_d;
    end
  end

  assign open_o = open_q;

endmodule
