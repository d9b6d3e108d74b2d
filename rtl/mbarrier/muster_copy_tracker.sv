// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Carries out cp.async.mbarrier.arrive for a load/store unit that copies in any order (PTX
// 9.7.13.15.15). It counts the copies that each warp has on their way (cp.async), and makes the
// arrive-on once all copies that the warp began before the instruction are performed. Each warp has
// a ring of epochs. A copy is counted in the latest; the instruction closes that one and opens the
// next; and when nothing is left in the oldest epoch, its arrive-on goes out. So the warp goes on
// copying meanwhile, and may have several arrive-ons waiting.
//
//     arrive ─► closed epoch, until its count is 0 ─► chosen ─► read ─► async, for each lane
//
// Copies are counted by warp, not by lane: a lane's arrive-on also waits for copies of the other
// lanes, which end without its doing. Without .noinc the core first presents MbCopyArrive at the
// unit's issue port, and the instruction here after that has committed.
module muster_copy_tracker
  import muster_pkg::*;
#(
  parameter int unsigned NumWarps       = 32,
  // Of a warp, a power of two; one fewer arrive-ons may wait.
  parameter int unsigned Epochs         = 4,
  parameter int unsigned MaxOutstanding = 15,  // copies of a warp in one epoch
  localparam int unsigned WarpW         = $clog2(NumWarps),
  localparam int unsigned EpochW        = $clog2(Epochs),
  localparam int unsigned CountW        = $clog2(MaxOutstanding + 1)
) (
  input  logic                clk_i,
  input  logic                rst_ni,

  // Copies, one that begins and one that is performed in a cycle.
  input  logic                begin_valid_i,
  output logic                begin_ready_o,  // the warp's epoch is not full
  input  warp_t               begin_warp_i,
  output logic [EpochW-1:0]   begin_epoch_o,  // goes with the copy
  input  logic                done_valid_i,
  input  warp_t               done_warp_i,
  input  logic [EpochW-1:0]   done_epoch_i,

  // cp.async.mbarrier.arrive: what began in an earlier cycle is before it, and what begins in the
  // cycle of its acceptance, too.
  input  logic                arrive_valid_i,
  output logic                arrive_ready_o,  // the warp has an epoch left
  input  warp_t               arrive_warp_i,
  input  lanes_t              arrive_lanes_i,  // one arrival for each
  input  mb_place_t           arrive_place_i,  // the mbarrier

  // To the async port of the unit.
  output logic                async_valid_o,
  input  logic                async_ready_i,
  output mb_async_t           async_o,

  output logic [NumWarps-1:0] busy_o           // warps with an arrive-on that waits, or goes out
);

`include "muster_assert.svh"

  localparam logic [CountW-1:0] Most = CountW'(MaxOutstanding);

  typedef struct packed {
    lanes_t    lanes;
    mb_place_t place;
  } arrive_t;

  logic [NumWarps-1:0][Epochs-1:0][CountW-1:0] count_q, count_d;
  logic [NumWarps-1:0][EpochW-1:0]             newest_q, oldest_q;  // epochs
  logic [WarpW-1:0]    begins, done, arrives, chosen, sends_q;      // warps
  logic                arrive, choose, last;
  logic [NumWarps-1:0] due, grant;
  arrive_t             stored, sent_q;
  logic                read_q, send_q;  // the arrive-on chosen is read from the memory; it goes out

  assign begins  = begin_warp_i[WarpW-1:0];
  assign done    = done_warp_i[WarpW-1:0];
  assign arrives = arrive_warp_i[WarpW-1:0];

  assign begin_epoch_o  = newest_q[begins];
  assign begin_ready_o  = (count_q[begins][newest_q[begins]] != Most);
  assign arrive_ready_o = (newest_q[arrives] + EpochW'(1) != oldest_q[arrives]);
  assign arrive         = arrive_valid_i && arrive_ready_o;

  // -------------------------------------------------------------------------------------------
  // Epochs
  // -------------------------------------------------------------------------------------------

  always_comb begin
    count_d = count_q;
    if (begin_valid_i && begin_ready_o) begin
      count_d[begins][newest_q[begins]] = count_d[begins][newest_q[begins]] + CountW'(1);
    end
    if (done_valid_i) begin
      count_d[done][done_epoch_i] = count_d[done][done_epoch_i] - CountW'(1);
    end
    for (int w = 0; w < NumWarps; w++) begin
      busy_o[w] = (newest_q[w] != oldest_q[w]);
      due[w]    = busy_o[w] && (count_q[w][oldest_q[w]] == '0);
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      count_q  <= '0;
      newest_q <= '0;
      oldest_q <= '0;
    end else begin
      count_q <= count_d;
      if (arrive) newest_q[arrives] <= newest_q[arrives] + EpochW'(1);
      if (last) oldest_q[sends_q] <= oldest_q[sends_q] + EpochW'(1);
    end
  end

  // -------------------------------------------------------------------------------------------
  // Arrive-ons
  // -------------------------------------------------------------------------------------------

  assign choose = !read_q && !send_q;
  assign last   = async_valid_o && async_ready_i && ((sent_q.lanes & (sent_q.lanes - 32'd1)) == '0);

  muster_rr_arbiter #(.NumReq(NumWarps)) u_arbiter (
    .clk_i, .rst_ni, .req_i (due), .advance_i (choose), .gnt_o (grant)
  );

  always_comb begin
    chosen = '0;
    for (int w = 0; w < NumWarps; w++) begin
      if (grant[w]) chosen = WarpW'(w);
    end
  end

  muster_ram #(.Depth(NumWarps * Epochs), .Width($bits(arrive_t)), .Forward(1'b0)) u_arrives (
    .clk_i,
    .we_i (arrive), .waddr_i ({arrives, newest_q[arrives]}),
    .wdata_i ({arrive_lanes_i, arrive_place_i}),
    .raddr_i ({chosen, oldest_q[chosen]}), .rdata_o (stored)
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      read_q <= 1'b0;
      send_q <= 1'b0;
    end else begin
      read_q <= choose && (due != '0);
      send_q <= read_q || (send_q && !last);
    end
  end

  always_ff @(posedge clk_i) begin
    if (choose) sends_q <= chosen;
    if (read_q) begin
      sent_q <= stored;
    end else if (async_ready_i) begin
      sent_q.lanes <= sent_q.lanes & (sent_q.lanes - 32'd1);
    end
  end

  assign async_valid_o = send_q;
  assign async_o       = '{op: MbArrive, place: sent_q.place, operand: 32'd1};

  `MUSTER_LEGAL(Epochs >= 2 && 2 ** EpochW == Epochs,
                "Epochs must be a power of two, and 2 at least")

  `MUSTER_ASSERT(DoneWasBegun, !(done_valid_i && count_q[done][done_epoch_i] == '0),
                 "a copy is performed that had not begun, or in another epoch")
  `MUSTER_ASSERT(SomeLane, !(arrive && arrive_lanes_i == '0), "an arrive-on has no lane")
  `MUSTER_ASSERT(ClosedOnlyFalls,
                 !busy_o[begins] || begin_epoch_o != oldest_q[begins] || !begin_valid_i,
                 "a copy begins in an epoch that is closed")

endmodule
