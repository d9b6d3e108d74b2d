// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Answers a memory drain (rtl/README.md, Memory drain) for a load/store unit, and fences. It counts
// each warp's accesses that have begun and are not performed, by classes: an access is of one, such
// as those of the async proxy, and a request names classes. Each warp has two counters of a class,
// and an access belongs to one of them, its epoch. A request changes the epoch of the classes that
// it names: accesses that were outstanding at the request stay in one counter, and accesses that
// begin afterwards are counted in the other. So a warp that continues, and always has an access on
// its way, drains nevertheless. Accesses may be performed in any order.
module muster_fence_tracker #(
  parameter int unsigned NumWarps       = 32,
  parameter int unsigned NumClasses     = 1,
  parameter int unsigned MaxOutstanding = 15,  // accesses of a warp and class in one epoch
  localparam int unsigned CountW        = $clog2(MaxOutstanding + 1)
) (
  input  logic                                clk_i,
  input  logic                                rst_ni,

  // By class and warp, one access a cycle each.
  // An access begins; not while the warp is full.
  input  logic [NumClasses-1:0][NumWarps-1:0] begin_i,
  // The epoch of the access that begins; the access carries it.
  output logic [NumClasses-1:0][NumWarps-1:0] epoch_o,
  output logic [NumClasses-1:0][NumWarps-1:0] full_o,        // no more may begin in this cycle
  input  logic [NumClasses-1:0][NumWarps-1:0] done_i,        // an access is performed
  input  logic [NumClasses-1:0][NumWarps-1:0] done_epoch_i,  // the epoch of that access
  // No acknowledge yet: other accesses of the class are outstanding.
  input  logic [NumClasses-1:0][NumWarps-1:0] busy_i,

  // A barrier or a fence: perform what was accessed before.
  input  logic [NumWarps-1:0]                 fence_req_i,
  // The classes that it names, or that the warp's next one names; with a request, they are held.
  input  logic [NumClasses-1:0][NumWarps-1:0] fence_classes_i,
  output logic [NumWarps-1:0]                 fence_ack_o  // done; no request: none is outstanding
);

`include "muster_assert.svh"

  localparam logic [CountW-1:0] Most = CountW'(MaxOutstanding);

  logic [NumClasses-1:0][NumWarps-1:0] settled;  // nothing of the class keeps the acknowledge back

  always_comb begin
    fence_ack_o = '1;
    for (int c = 0; c < NumClasses; c++) fence_ack_o = fence_ack_o & settled[c];
  end

  for (genvar c = 0; c < NumClasses; c++) begin : g_class
    logic [NumWarps-1:0] epoch_q, epoch_d;
    logic [NumWarps-1:0] drains_q, drains_d;  // the epoch was changed by a request
    logic [NumWarps-1:0] idle;                // nothing is outstanding
    logic [NumWarps-1:0] performed;           // what the request found is done

    assign settled[c] = ~fence_classes_i[c] |
                        ((idle | (fence_req_i & performed)) & ~busy_i[c]);
    assign drains_d   = fence_req_i & fence_classes_i[c] & ~fence_ack_o;
    assign epoch_d    = epoch_q ^ (drains_d & ~drains_q);
    assign epoch_o[c] = epoch_q;

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        epoch_q  <= '0;
        drains_q <= '0;
      end else begin
        epoch_q  <= epoch_d;
        drains_q <= drains_d;
      end
    end

    for (genvar w = 0; w < NumWarps; w++) begin : g_warp
      logic [1:0][CountW-1:0] count_q, count_d;  // by epoch

      always_comb begin
        count_d = count_q;
        if (begin_i[c][w]) count_d[epoch_q[w]] = count_d[epoch_q[w]] + CountW'(1);
        if (done_i[c][w]) begin
          count_d[done_epoch_i[c][w]] = count_d[done_epoch_i[c][w]] - CountW'(1);
        end
      end

      always_ff @(posedge clk_i or negedge rst_ni) begin
        if (!rst_ni) begin
          count_q <= '0;
        end else begin
          count_q <= count_d;
        end
      end

      assign full_o[c][w] = (count_q[epoch_q[w]] == Most);
      assign idle[w]      = (count_q == '0);
      assign performed[w] = drains_q[w] && (count_q[!epoch_q[w]] == '0);

      `MUSTER_ASSERT(BeginsWithRoom, !(begin_i[c][w] && full_o[c][w]),
                     "a warp begins more accesses than the tracker counts")
      `MUSTER_ASSERT(DoneWasBegun, !(done_i[c][w] && count_q[done_epoch_i[c][w]] == '0),
                     "an access is performed that had not begun, or in another epoch")
      `MUSTER_ASSERT(ClassesHeld, !drains_q[w] || !fence_req_i[w] || fence_classes_i[c][w],
                     "a request no longer names a class before it is acknowledged")
      // The guarantee of progress: a request waits for one counter, to which nothing is added.
      `MUSTER_ASSERT(NewEpochIsEmpty, epoch_q[w] == epoch_d[w] || count_q[epoch_d[w]] == '0,
                     "accesses of two epochs are in one counter")
      `MUSTER_ASSERT(DrainOnlyFalls,
                     !drains_q[w] || count_d[!epoch_q[w]] <= count_q[!epoch_q[w]],
                     "a request waits for an access that began after it")
    end
  end

endmodule
