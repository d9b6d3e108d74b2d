// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Answers a memory drain (rtl/README.md, Memory drain) for a load/store unit. It counts each warp's
// accesses that have begun and are not performed. Each warp has two counters, and an access belongs
// to one of them, its epoch. A request changes the epoch: accesses that were outstanding at the
// request stay in one counter, and accesses that begin afterwards are counted in the other. So a
// warp that continues, and always has an access on its way, drains nevertheless. Accesses may be
// performed in any order.
module muster_fence_tracker #(
  parameter int unsigned NumWarps       = 32,
  parameter int unsigned MaxOutstanding = 15,  // accesses of a warp in one epoch
  localparam int unsigned CountW        = $clog2(MaxOutstanding + 1)
) (
  input  logic                clk_i,
  input  logic                rst_ni,

  // By warp, one access a cycle each.
  input  logic [NumWarps-1:0] begin_i,       // an access begins; not while the warp is full
  // The epoch of the access that begins; the access carries it.
  output logic [NumWarps-1:0] epoch_o,
  output logic [NumWarps-1:0] full_o,        // no more may begin in this cycle
  input  logic [NumWarps-1:0] done_i,        // an access is performed
  input  logic [NumWarps-1:0] done_epoch_i,  // the epoch of the access that is performed
  input  logic [NumWarps-1:0] busy_i,        // no acknowledge yet: other accesses are outstanding

  input  logic [NumWarps-1:0] fence_req_i,   // of the unit: perform what was accessed before
  output logic [NumWarps-1:0] fence_ack_o    // done; without a request: nothing is outstanding
);

`include "muster_assert.svh"

  localparam logic [CountW-1:0] Most = CountW'(MaxOutstanding);

  logic [NumWarps-1:0]                  epoch_q, epoch_d;
  logic [NumWarps-1:0]                  drains_q, drains_d;  // the epoch has changed for a request
  logic [NumWarps-1:0][1:0][CountW-1:0] count_q, count_d;    // by epoch
  logic [NumWarps-1:0]                  idle;                // nothing is outstanding
  logic [NumWarps-1:0]                  performed;           // what was at the request is performed

  always_comb begin
    count_d = count_q;
    for (int w = 0; w < NumWarps; w++) begin
      if (begin_i[w]) count_d[w][epoch_q[w]] = count_d[w][epoch_q[w]] + CountW'(1);
      if (done_i[w]) count_d[w][done_epoch_i[w]] = count_d[w][done_epoch_i[w]] - CountW'(1);

      full_o[w]    = (count_q[w][epoch_q[w]] == Most);
      idle[w]      = (count_q[w] == '0);
      performed[w] = drains_q[w] && (count_q[w][!epoch_q[w]] == '0);
    end
    fence_ack_o = (idle | (fence_req_i & performed)) & ~busy_i;
    drains_d    = fence_req_i & ~fence_ack_o;
    epoch_d     = epoch_q ^ (drains_d & ~drains_q);
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      epoch_q  <= '0;
      drains_q <= '0;
      count_q  <= '0;
    end else begin
      epoch_q  <= epoch_d;
      drains_q <= drains_d;
      count_q  <= count_d;
    end
  end

  assign epoch_o = epoch_q;

  for (genvar w = 0; w < NumWarps; w++) begin : g_warp
    `MUSTER_ASSERT(BeginsWithRoom, !(begin_i[w] && full_o[w]),
                   "a warp begins more accesses than the tracker counts")
    `MUSTER_ASSERT(DoneWasBegun, !(done_i[w] && count_q[w][done_epoch_i[w]] == '0),
                   "an access is performed that had not begun, or in another epoch")
    // The guarantee of progress: a request waits for one counter, to which nothing is added.
    `MUSTER_ASSERT(NewEpochIsEmpty, epoch_q[w] == epoch_d[w] || count_q[w][epoch_d[w]] == '0,
                   "accesses of two epochs are in one counter")
    `MUSTER_ASSERT(DrainOnlyFalls,
                   !drains_q[w] || count_d[w][!epoch_q[w]] <= count_q[w][!epoch_q[w]],
                   "a request waits for an access that began after it")
  end

endmodule
