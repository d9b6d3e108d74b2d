// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The types that cross the borders of scopes: operations, table entries, state words, faults.
//
// Field widths are those of the largest unit (64 warps of 32 lanes, 32 CTAs), for all
// configurations. Named barriers refuse a warp or CTA number that the unit lacks; mbarriers, which
// do not know the live warps, truncate it.
package muster_pkg;

  localparam int unsigned NumBars = 16;  // named barriers of a CTA (PTX 9.7.13.1)
  // Of the largest unit.
  localparam int unsigned MaxWarps = 64, MaxLanes = 32, MaxCtas = 32, MaxIssue = 4;

  typedef logic [5:0]  warp_t;     // warp slot of the core
  typedef logic [4:0]  cta_t;      // CTA slot
  typedef logic [3:0]  bar_t;      // barrier id
  typedef logic [31:0] lanes_t;    // a bit per lane of a warp
  typedef logic [6:0]  wcount_t;   // a count of warps: 0 to 64 (to 127 as an operand)
  typedef logic [11:0] value_t;    // a reduction's value: up to 64 x 32 true lanes

  // ---------------------------------------------------------------------------------------------
  // Operations of the issue port
  // ---------------------------------------------------------------------------------------------

  typedef enum logic [3:0] {
    OpSync      = 4'd0,   // arrive and wait
    OpArrive    = 4'd1,   // arrive and go on
    // Arrive with a predicate per lane, wait, reduce.
    OpRedAnd    = 4'd2, OpRedOr = 4'd3, OpRedPopc = 4'd4,
    OpArrivePhase = 4'd5, // arrive, go on, and read the phase of the entry
    OpB2rBar    = 4'd8, OpB2rWarp = 4'd9,   // read the state word of an entry, of the warp
    OpB2rResult = 4'd10,  // read the result of the warp's latest reduction
    OpWait      = 4'd11,  // wait for a phase of an entry to complete
    OpR2bBar    = 4'd12, OpR2bWarp = 4'd13  // write the state word of an entry, of the warp
  } op_e;

  typedef struct packed {
    op_e         op;
    cta_t        cta;      // the CTA slot of the warp
    warp_t       warp;
    bar_t        bar;      // barrier id; ignored by the warp and result modes
    logic [11:0] count;    // threads expected, 0: all live warps
    lanes_t      lanes;    // participating lanes; none: no operation
    // Reductions: the predicate of each lane; OpWait: the phase in bit 0; R2B: the word.
    logic [31:0] operand;
  } issue_t;

  // ---------------------------------------------------------------------------------------------
  // Operations of the lifecycle port
  // ---------------------------------------------------------------------------------------------

  typedef enum logic [2:0] {
    LcLaunch  = 3'd0,  // a CTA takes a slot: its warps are live with all lanes
    LcOpen    = 3'd1,  // a CTA takes a slot: its warps join one by one
    LcSuspend = 3'd2,  // a saved CTA leaves its slot
    LcEnd     = 3'd3,  // a finished or abandoned CTA leaves its slot
    LcJoin    = 3'd4   // a warp of an opened CTA is live from now on
  } lifecycle_e;

  // With it goes a vector of warps: those that a launch makes live.
  typedef struct packed {
    lifecycle_e op;
    cta_t       cta;
    wcount_t    size;   // launch, open: warps of the CTA, those that exited before a save included
    warp_t      warp;   // join
    lanes_t     lanes;  // join: the live lanes of the warp
  } lifecycle_t;

  // At the exit port: lanes of a warp exit; the last one's exit is the warp's.
  typedef struct packed {
    cta_t   cta;
    warp_t  warp;
    lanes_t lanes;  // none: no operation
  } exit_t;

  // ---------------------------------------------------------------------------------------------
  // Table entries and state words (bit by bit in rtl/README.md)
  // ---------------------------------------------------------------------------------------------

  typedef enum logic [2:0] {  // KindSync: SYNC and ARV
    KindIdle = 3'd0, KindSync = 3'd1, KindAnd = 3'd2, KindOr = 3'd3, KindPopc = 3'd4
  } kind_e;

  // B2R.BAR and R2B.BAR. An idle entry is all zeroes but its phase.
  typedef struct packed {
    logic [1:0] zero;
    logic       phase;     // changed by each completion
    kind_e      kind;
    wcount_t    expected;  // warps, 0: all live warps
    wcount_t    arrived;   // warps
    value_t     value;     // POPC: true lanes so far; AND, OR: the result so far in bit 0
  } bar_word_t;

  // B2R.WARP and R2B.WARP.
  typedef struct packed {
    logic [6:0] zero;
    logic       apart;     // it waits by OpWait
    logic       waiting;
    bar_t       wait_bar;  // where the warp waits, 0 when it does not
    kind_e      kind;      // of the latest reduction it took part in, KindIdle: none
    bar_t       bar;       // its barrier
    value_t     value;     // its result
  } warp_word_t;

  // ---------------------------------------------------------------------------------------------
  // Faults, in order of precedence. A refused operation changes nothing.
  // ---------------------------------------------------------------------------------------------

  typedef enum logic [4:0] {
    FaultNone                = 5'd0,
    FaultBadLaunch           = 5'd1,   // slot taken or none, no warp, or a size too small or large
    FaultCtaNotResident      = 5'd2,
    FaultWarpNotLive         = 5'd3,   // not a live warp of that CTA
    FaultWarpWaiting         = 5'd4,
    FaultBadStateWord        = 5'd5,
    FaultArvWithoutCount     = 5'd6,
    FaultCountNotMultiple    = 5'd7,
    FaultCountAboveCta       = 5'd8,
    FaultCountMismatch       = 5'd9, FaultKindMismatch = 5'd10,
    // mbarrier (rtl/mbarrier/README.md has their order)
    FaultBadAddress          = 5'd11,  // not aligned to 8 bytes, or beyond the shared memory
    FaultBadInitCount        = 5'd12,
    FaultBadArriveCount      = 5'd13,  // 0, too large, or more than is pending or expected
    FaultTxOverflow          = 5'd14, FaultPendingOverflow = 5'd15,
    FaultNocompleteCompleted = 5'd16,
    FaultWordExhausted       = 5'd17,  // all dropped, or invalid
    FaultWrongLayout         = 5'd27,  // a report-on of an object of layout v0
    FaultRemoteNotAllowed    = 5'd18,
    FaultRestoreUnfinished   = 5'd19,  // ranks after FaultWarpWaiting: R2B.WARP is still to come
    FaultBadJoin             = 5'd20,  // no warp is left to join, or not this one, or without lanes
    // Warp scope, in order.
    FaultNotAMember = 5'd21, FaultBarrierMismatch = 5'd26, FaultMaskMismatch = 5'd22,
    // Cluster scope.
    FaultClusterArrivedTwice = 5'd23, FaultClusterWaitWithoutArrive = 5'd24,
    FaultRankNotThere = 5'd25
  } fault_e;

  typedef struct packed {
    fault_e cause;
    cta_t   cta;
    warp_t  warp;   // 0 for launch, open, suspend and end
    lanes_t lanes;  // participating lanes; 0 for lifecycle operations and exits
    bar_t   bar;    // of operations that name one, else 0
  } fault_t;

  // ---------------------------------------------------------------------------------------------
  // Results
  // ---------------------------------------------------------------------------------------------

  typedef struct packed {
    cta_t   cta;
    bar_t   bar;
    kind_e  kind;   // KindSync: no result
    value_t value;  // of the reduction
  } release_t;      // goes with the vector of released warps

  typedef struct packed {
    warp_t       warp;
    logic [31:0] data;  // Rd
    logic        pred;  // pu: the result of AND and OR
  } response_t;

  // What the debug read port shows of a warp.
  typedef struct packed {
    logic waiting;
    logic live;     // if its CTA is resident
    cta_t cta;
  } debug_warp_t;

  // ---------------------------------------------------------------------------------------------
  // Observation: for checkers, and left open in hardware
  // ---------------------------------------------------------------------------------------------

  typedef struct packed {
    // In the cycle in which operations enter the read-modify-write pipeline, in port order:
    logic  [MaxIssue-1:0] valid;
    warp_t [MaxIssue-1:0] warp;
    logic                 lifecycle, exit;
    // With the release: the entry that was written, and its state word afterwards.
    logic                 entry_valid;
    cta_t                 entry_cta;
    bar_t                 entry_bar;
    bar_word_t            entry_word;
  } commit_t;

  // ---------------------------------------------------------------------------------------------
  // mbarrier
  // ---------------------------------------------------------------------------------------------

  typedef enum logic [3:0] {
    MbInit                 = 4'd0,
    MbInval                = 4'd1,
    MbArrive               = 4'd2,
    MbArriveNoComplete     = 4'd3,
    MbArriveExpectTx       = 4'd4,
    MbArriveDrop           = 4'd5,
    MbArriveDropNoComplete = 4'd6,
    MbArriveDropExpectTx   = 4'd7,
    MbExpectTx             = 4'd8,
    MbCompleteTx           = 4'd9,
    MbTestWait             = 4'd10,
    MbTestWaitParity       = 4'd11,
    MbTryWait              = 4'd12,
    MbTryWaitParity        = 4'd13,
    MbCopyArrive           = 4'd14,  // cp.async.mbarrier.arrive at issue: one more is pending
    MbReportOn             = 4'd15   // with EnReport: of a copy engine, on an object of layout v1
  } mb_op_e;

  // What a wait asks about; all but the first with EnReport. MbTestWait asks about the layout.
  typedef enum logic [1:0] {
    AsksPrimary     = 2'd0,
    AsksConditional = 2'd1,  // by parity
    AsksLayout      = 2'd2   // check_layout
  } mb_asks_e;

  typedef logic [19:0] mb_count_t;  // of arrivals

  // The word in shared memory, and a token. The counts are held negated, those of arrivals modulo
  // 2^20.
  typedef struct packed {
    logic        phase;
    mb_count_t   pending;
    logic        lock;      // 0
    logic [20:0] tx;        // signed: bytes completed less bytes expected
    mb_count_t   expected;
    logic        zero;      // 0; with EnReport it is 1 in words of the other layout, below
  } mb_word_t;

  // A payload report of asynchronous operations. All 0: there is none.
  typedef struct packed {
    logic       pred;
    logic [7:0] value;
  } mb_report_t;

  // The same of an object of layout v1, with EnReport. The counts of arrivals are held modulo 2^9.
  typedef struct packed {
    logic        phase;        // of the primary phase
    logic        conditional;  // of the conditional phase
    mb_report_t  report;       // of the current primary phase
    logic        zero;         // 0
    logic [8:0]  pending;
    logic        lock;         // 0
    logic [20:0] tx;
    mb_report_t  last;         // of the primary phase before
    logic [1:0]  none;         // 0
    logic [8:0]  expected;
    logic        v1;           // 1
  } mb_word_v1_t;

  typedef enum logic [1:0] {  // a warp, a copy engine, another CTA of the cluster
    MbWarp = 2'd0, MbAsync = 2'd1, MbRemote = 2'd2
  } mb_source_e;

  // Where a word is: the CTA's shared memory, and the byte in it.
  typedef struct packed {
    cta_t        cta;
    logic [31:0] addr;
  } mb_place_t;
  localparam int unsigned MbHeld = 3;  // words between the grants of their read and their write

  // Lanes of one instruction that name the same word and the same operand, with no lane between
  // them that names that word and another one.
  typedef struct packed {
    mb_op_e      op;
    mb_place_t   place;
    warp_t       warp;
    lanes_t      lanes;
    logic [31:0] operand;    // count or tx; try_wait: the smallest hint in ns
    // Waits: bit 63 of the token, or the parity; init and check_layout, with EnReport: layout v1.
    logic        phase;
    mb_asks_e    asks;       // waits
    logic        has_token;  // arrivals: a register wants the token
    logic        has_hint;   // try_wait: else the limit is the unit's own
    // try_wait may park: all lanes of the instruction, without EnMbLimit of the warp.
    logic        whole;
    logic        releasing;  // enters when the warp's earlier accesses are performed
  } mb_group_t;

  // A warp instruction, with the operands of each lane.
  typedef struct packed {
    mb_op_e                     op;
    cta_t                       cta;
    warp_t                      warp;
    lanes_t                     lanes;
    lanes_t                     live;       // of the warp: they have not exited
    logic [MaxLanes-1:0][31:0] addr;
    logic [MaxLanes-1:0][31:0] operand;
    lanes_t                     phase;
    mb_asks_e                   asks;
    logic                       has_token;
    logic                       has_hint;
    logic                       releasing;
  } mb_instruction_t;

  // complete_tx with the bytes, or an arrive-on: arrive with count 1. With EnReport also a
  // report-on, whose value is the low byte of the operand.
  typedef struct packed {
    mb_op_e      op;
    mb_place_t   place;
    logic [31:0] operand;
  } mb_async_t;

  // As the lanes of a group, with no token back.
  typedef struct packed {
    mb_op_e      op;
    mb_place_t   place;
    lanes_t      lanes;
    logic [31:0] operand;
    logic        has_token;  // one is wanted: refused
  } mb_remote_t;

  // The k-th of the lanes, from 0, gets the token after k updates of the operation, as if alone.
  typedef struct packed {
    warp_t     warp;
    lanes_t    lanes;
    mb_op_e    op;
    mb_count_t operand;   // its count or tx
    logic      complete;  // waits: waitComplete
    // Arrivals: of the first lane. Waits, with EnReport: the word that they found, whose `last` is
    // the report of the primary phase that they asked about, if it is complete.
    mb_word_t  token;
  } mb_response_t;

  typedef struct packed {
    fault_e     cause;
    mb_source_e source;
    warp_t      warp;   // of MbWarp
    lanes_t     lanes;
    mb_place_t  place;
  } mb_fault_t;

  // For checkers: the update that enters memory in this cycle, or passes without a write.
  typedef struct packed {
    logic       valid;
    mb_source_e source;
    warp_t      warp;
    lanes_t     lanes;
    mb_place_t  place;
    logic       written;
    mb_word_t   word;    // written
    logic       completed;
    logic       parked;
  } mb_commit_t;
endpackage
