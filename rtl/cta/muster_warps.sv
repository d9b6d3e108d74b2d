// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The state of each warp: whether it waits and where, and the reduction that it took part in last.
// Its own copy of the result is in muster_results, if there are copies. What is written warp by
// warp as they arrive is in a memory.
//
// While the warp still waits for its reduction, and before its first one, B2R.WARP shows the result
// as 0 (read_hidden_o).
module muster_warps
  import muster_pkg::*;
  import muster_cfg_pkg::*;
  import muster_cta_pkg::*;
#(
  parameter muster_cfg_t Cfg,
  localparam bit EnResult = Cfg.EnReduce && Cfg.EnResult,
  localparam int unsigned NumWarps = Cfg.NumWarps,
  localparam int unsigned NumIssue = Cfg.NumIssue,
  localparam int unsigned WarpW   = $clog2(NumWarps),
  localparam int unsigned NumPlaces = 1 << WarpW,
  localparam int unsigned ValueW  = WarpW + 6
) (
  input  logic                             clk_i,
  input  logic                             rst_ni,

  input  reset_step_t                      reset_step_i,  // its warp has no reduction
  input  outcome_t                         outcome_i,
  input  logic [NumIssue-1:0]              counts_i,        // the members that count
  input  logic [NumIssue-1:0][WarpW-1:0]   count_warps_i,   // the warps of the members
  input  logic [NumIssue-1:0][WarpW-1:0]   next_warps_i,    // the same a cycle early
  // The warps that arrive, are written, or cleared.
  input  logic [NumWarps-1:0]              warps_i,
  input  logic                             waits_i,         // these warps begin to wait

  input  logic [NumWarps-1:0]              release_i,
  input  release_t                         release_info_i,  // its value: of R2B.WARP too
  output logic [NumPlaces-1:0]             waiting_o,       // a warp that the unit lacks does not

  input  logic [WarpW-1:0]                 read_warp_i,
  // B2R.WARP, a cycle later, but that its value is the copy as it is.
  output warp_word_t                       read_word_o,
  // The value of that word must be shown as 0.
  output logic                             read_hidden_o
);

`include "muster_assert.svh"

  // -------------------------------------------------------------------------------------------
  // The warps that wait, until the cycle of the release
  // -------------------------------------------------------------------------------------------

  logic [NumWarps-1:0] waiting_q, waiting_d;

  // When a CTA leaves, its waiting warps stay marked; the next launch or join of each clears it.
  assign waiting_d = (waiting_q & ~release_i & ~warps_i) | (warps_i & {NumWarps{waits_i}});

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      waiting_q <= '0;
    end else begin
      waiting_q <= waiting_d;
    end
  end

  assign waiting_o = NumPlaces'(waiting_q);

  `MUSTER_ASSERT(ReleasedWaits, (release_i & ~waiting_q) == '0,
                 "a warp that does not wait is released")

  // -------------------------------------------------------------------------------------------
  // The entry at which a warp waits, and its reduction
  // -------------------------------------------------------------------------------------------

  typedef struct packed {
    kind_e kind;     // of its reduction, KindIdle: none since it became live
    bar_t  bar;      // of its reduction
  } reduction_t;

  typedef struct packed {
    reduction_t reduction;
    logic       reduces;  // the warp waits for it
    logic       apart;    // the warp's latest wait is an OpWait
    bar_t       wait_bar;
  } record_t;

  logic       write, reduction_write, waits_apart;
  warp_word_t word;              // R2B.WARP
  reduction_t reduction_d;
  record_t    record, record_d, keep;
  record_t [NumIssue-1:0] records;  // of the members

  assign word        = outcome_i.word;
  assign waits_apart = Cfg.EnSplit &&
                       (outcome_i.op == GroupWait ||
                        (outcome_i.op == GroupWriteWarp && word.apart));

  always_comb begin
    reduction_write = (outcome_i.op == GroupArrive) && is_reduction(outcome_i.kind);
    reduction_d     = '{kind: outcome_i.kind, bar: outcome_i.bar};
    if (outcome_i.op == GroupWriteWarp) begin
      reduction_write = 1'b1;
      reduction_d     = '{kind: word.kind, bar: word.bar};
    end
    if (outcome_i.op inside {GroupClear, GroupJoin}) begin
      reduction_write = 1'b1;
      reduction_d     = '{kind: KindIdle, bar: '0};
    end
    write    = outcome_i.op inside {GroupArrive, GroupWait, GroupWriteWarp, GroupClear, GroupJoin};
    record_d = '{reduction: reduction_d, reduces: is_reduction(outcome_i.kind), apart: waits_apart,
                 wait_bar: outcome_i.bar};
    keep     = '{reduction: {$bits(reduction_t){!reduction_write}}, reduces: 1'b0, apart: 1'b0,
                 wait_bar: '0};
    record   = records[0];
    for (int m = 1; m < NumIssue; m++) begin
      if (counts_i[m]) record = records[m];
    end
  end

  // Of several ports the shares of a record need a common beginning.
  logic clears;

  assign clears = (NumIssue > 1) && reset_step_i.active;

  // A warp's record is not read before its operation ahead has written it.
  muster_ram_shared #(.Depth(NumWarps), .Width($bits(record_t)), .NumPorts(NumIssue)) u_records (
    .clk_i,
    .next_addr_i (next_warps_i),
    .addr_i (clears ? {NumIssue{reset_step_i.warp[WarpW-1:0]}} : count_warps_i),
    .we_i (counts_i & {NumIssue{write}}), .keep_i (keep), .clears_i (clears), .wdata_i (record_d),
    .rdata_o (records)
  );

  // -------------------------------------------------------------------------------------------
  // The word
  // -------------------------------------------------------------------------------------------

  logic [ValueW-1:0] result;
  logic              waiting, apart;

  if (EnResult) begin : g_results
    muster_results #(.NumWarps(NumWarps)) u_results (
      .clk_i, .rst_ni,
      .warps_i, .waits_apart_i (waits_apart),
      .write_i (outcome_i.accepted && (outcome_i.op == GroupWriteWarp)),
      .release_i, .release_info_i,
      .next_warp_i (read_warp_i), .warp_i (outcome_i.warp[WarpW-1:0]), .result_o (result)
    );
  end else begin : g_no_results
    logic unused;
    assign unused = &{release_info_i, read_warp_i};
    assign result = '0;
  end

  assign waiting = outcome_i.waiting;
  assign apart   = Cfg.EnSplit && waiting && record.apart;

  always_comb begin
    read_word_o = '{
      zero:     '0,
      apart:    apart,
      waiting:  waiting,
      wait_bar: waiting ? record.wait_bar : '0,
      kind:     record.reduction.kind,
      bar:      record.reduction.bar,
      value:    value_t'(result)
    };
    read_hidden_o = record.reduction.kind == KindIdle || (waiting && record.reduces && !apart);
  end

endmodule
