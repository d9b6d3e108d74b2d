// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The groups of lanes that wait: for each warp as many slots as it has lanes, how many of them are in use, and the lanes
// that wait in gathers. These lanes are forgotten when the last slot is freed. That suffices, because a warp whose
// gather is complete has no other group. Data come a cycle after the address. A warp loses what it had when its bit of
// clear_i is high.
module muster_warp_groups
  import muster_pkg::*;
  import muster_warp_pkg::*;
#(
  parameter int unsigned NumWarps = 32,
  parameter int unsigned Slots    = 32,
  localparam int unsigned WarpW = $clog2(NumWarps),
  localparam int unsigned SlotW = $clog2(Slots)
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  input  logic [NumWarps-1:0] clear_i,

  input  logic [WarpW-1:0]    next_warp_i,  // in the next cycle
  input  logic [WarpW-1:0]    warp_i,
  output logic [SlotW:0]      count_o,      // its slots in use; not in the cycle after a change
  output lanes_t              gathered_o,   // those that wait; likewise

  input  logic [SlotW-1:0]    slot_i,       // of the warp
  output warp_group_t         group_o,      // a cycle later
  input  logic                write_i,      // now
  input  warp_group_t         group_i,
  input  logic                longer_i,     // one slot more
  input  logic                shorter_i,    // one less
  input  logic                gathers_i,    // it is a gather, ...
  input  lanes_t              lanes_i,      // ... to which these lanes come

  output logic [NumWarps-1:0] open_o        // the warp has slots in use
);

  localparam int unsigned AddrW = $clog2(NumWarps * Slots);

  typedef struct packed {
    logic [SlotW:0] count;
    lanes_t         gathered;
  } state_t;

  logic [AddrW-1:0] address;
  assign address = AddrW'(32'(warp_i) * Slots + 32'(slot_i));

  muster_ram #(.Depth(NumWarps * Slots), .Width($bits(warp_group_t)), .Forward(1'b0)) u_groups (
    .clk_i,
    .we_i (write_i), .waddr_i (address), .wdata_i (group_i),
    .raddr_i (address), .rdata_o (group_o)
  );

  logic [NumWarps-1:0] open_q, open_d;
  state_t              state, state_d;
  logic                change;

  // A walk may still be at holes of a warp that has been cleared.
  assign change     = longer_i || (shorter_i && open_q[warp_i]) || (write_i && gathers_i);
  assign count_o    = state.count & {(SlotW+1){open_q[warp_i]}};
  assign gathered_o = state.gathered & {MaxLanes{open_q[warp_i]}};

  always_comb begin
    state_d.count    = count_o + {{SlotW{shorter_i}}, longer_i || shorter_i};
    state_d.gathered = gathered_o | (lanes_i & {MaxLanes{write_i && gathers_i}});
    open_d = open_q;
    if (change) open_d[warp_i] = (state_d.count != '0);
    open_d = open_d & ~clear_i;
  end

  muster_ram #(.Depth(NumWarps), .Width($bits(state_t)), .Forward(1'b0)) u_states (
    .clk_i,
    .we_i (change), .waddr_i (warp_i), .wdata_i (state_d),
    .raddr_i (next_warp_i), .rdata_o (state)
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
