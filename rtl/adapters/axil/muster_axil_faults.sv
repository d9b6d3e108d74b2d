// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The log of the last 16 faults. Any number of ports may report one in the same cycle; they are in
// the order issue ports, lifecycle port, mbarriers. So each source has a memory of its own, a ring
// that is written in the cycle of the fault, and the log is a list of sources, the newest first. A
// fault that falls off its end is lost. The exit port never reports one together with the lifecycle
// port, so the two are one source.
//
// A ring has twice as many places as the list. So the place that a source writes is never one that
// still belongs to the log.
module muster_axil_faults
  import muster_pkg::*;
  import muster_axil_pkg::*;
#(
  parameter int unsigned NumIssue = 2,
  localparam int unsigned Places  = 16,
  localparam int unsigned CountW  = $clog2(Places + 1)
) (
  input  logic                clk_i,
  input  logic                rst_ni,

  input  logic   [NumIssue+1:0] fault_valid_i,
  input  fault_t [NumIssue+1:0] fault_i,
  input  logic                mb_fault_valid_i,
  input  mb_fault_t           mb_fault_i,

  input  logic                clear_i,    // before what arrives in the same cycle
  input  logic                pop_i,      // the oldest one, before both
  output fault_reg_t          fault_o,    // that was taken, three cycles later; 0 if there was none
  output lanes_t              lanes_o,
  output logic [31:0]         address_o,

  output logic [CountW-1:0]   count_o,
  output logic [15:0]         lost_o,
  output logic                fault_arrives_o,  // a fault, in this cycle
  output logic                fault_lost_o  // some were lost in the cycle before
);

  localparam int unsigned Sources = NumIssue + 2;  // issue ports, lifecycle or exit port, mbarriers
  localparam int unsigned SourceW = $clog2(Sources);
  localparam int unsigned RingW   = $clog2(2 * Places);
  typedef logic [SourceW-1:0] source_t;
  typedef logic [RingW-1:0]   place_t;
  localparam source_t Lifecycle = source_t'(NumIssue);
  localparam source_t Mbarriers = source_t'(NumIssue + 1);

  // -------------------------------------------------------------------------------------------
  // The list
  // -------------------------------------------------------------------------------------------

  source_t [Places-1:0]  list_q, list_d;    // the newest is number 0
  logic    [CountW-1:0]  count_q, count_d;
  logic    [15:0]        lost_q;
  logic    [Sources-1:0] arrive;
  logic    [CountW:0]    total;             // with those that fall off
  logic    [3:0]         falling_d, falling_q;  // at most one of each source
  logic    [16:0]        lost_d;
  logic                  empty;

  assign arrive    = {mb_fault_valid_i, fault_valid_i[NumIssue+1] || fault_valid_i[NumIssue],
                      fault_valid_i[NumIssue-1:0]};
  assign fault_arrives_o = (arrive != '0);
  assign empty     = (count_q == '0);
  assign count_o   = count_q;
  assign lost_o    = lost_q;

  always_comb begin
    list_d = list_q;
    total  = clear_i ? '0 : (CountW + 1)'(count_q - CountW'(pop_i && !empty));
    for (int s = 0; s < Sources; s++) begin
      if (arrive[s]) begin
        list_d = {list_d[Places-2:0], source_t'(s)};
        total  = total + (CountW + 1)'(1);
      end
    end
    falling_d = '0;
    count_d   = CountW'(total);
    if (total > (CountW + 1)'(Places)) begin
      falling_d = 4'(total - (CountW + 1)'(Places));
      count_d   = CountW'(Places);
    end
    lost_d = 17'(lost_q) + 17'(falling_q);
  end

  assign fault_lost_o = (falling_q != '0);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      count_q   <= '0;
      falling_q <= '0;
      lost_q    <= '0;
    end else begin
      count_q   <= count_d;
      falling_q <= falling_d;
      lost_q    <= lost_d[16] ? '1 : lost_d[15:0];
      if (clear_i) lost_q <= '0;
    end
  end

  always_ff @(posedge clk_i) list_q <= list_d;

  // -------------------------------------------------------------------------------------------
  // The oldest: as far back in its source's ring as faults of that source are in the log
  // -------------------------------------------------------------------------------------------

  source_t              oldest;
  place_t [Sources-1:0] next_q;         // the place that a source writes next
  place_t               back, place_q;
  logic    [1:0]        taking_q, found_q;  // a cycle ago, and two
  source_t [1:0]        source_q;

  assign oldest = list_q[$clog2(Places)'(count_q - CountW'(1))];

  // Counted by fours, and not one after another, which is slow.
  logic   [Places-1:0] of_oldest;
  place_t [3:0]        ones;

  for (genvar n = 0; n < Places; n++) begin : g_of_oldest
    assign of_oldest[n] = (CountW'(n) < count_q) && (list_q[n] == oldest);
  end
  for (genvar g = 0; g < 4; g++) begin : g_ones
    assign ones[g] = place_t'($countones(of_oldest[4*g +: 4]));
  end
  assign back = (ones[0] + ones[1]) + (ones[2] + ones[3]);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      next_q <= '0;
    end else begin
      for (int s = 0; s < Sources; s++) next_q[s] <= next_q[s] + place_t'(arrive[s]);
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      taking_q <= '0;
    end else begin
      taking_q <= {taking_q[0], pop_i};
    end
  end

  always_ff @(posedge clk_i) begin
    place_q  <= next_q[oldest] - back;
    source_q <= {source_q[0], oldest};
    found_q  <= {found_q[0], !empty};
  end

  // -------------------------------------------------------------------------------------------
  // The rings
  // -------------------------------------------------------------------------------------------

  // A fault of the lifecycle port or the exit port names neither lanes nor a barrier.
  typedef struct packed {
    fault_e cause;
    cta_t   cta;
    warp_t  warp;
  } lc_fault_t;

  fault_t [NumIssue:0] stored;
  fault_t              lc_fault;
  lc_fault_t           lc_stored;
  mb_fault_t           mb_stored;

  for (genvar s = 0; s < NumIssue; s++) begin : g_ring
    muster_ram #(.Depth(2 * Places), .Width($bits(fault_t)), .Forward(1'b0)) u_ring (
      .clk_i,
      .we_i (arrive[s]), .waddr_i (next_q[s]), .wdata_i (fault_i[s]),
      .raddr_i (place_q), .rdata_o (stored[s])
    );
  end

  assign lc_fault = fault_valid_i[NumIssue+1] ? fault_i[NumIssue+1] : fault_i[NumIssue];

  muster_ram #(.Depth(2 * Places), .Width($bits(lc_fault_t)), .Forward(1'b0)) u_lc_ring (
    .clk_i,
    .we_i (arrive[NumIssue]), .waddr_i (next_q[NumIssue]),
    .wdata_i ({lc_fault.cause, lc_fault.cta, lc_fault.warp}),
    .raddr_i (place_q), .rdata_o (lc_stored)
  );
  assign stored[NumIssue] = '{cause: lc_stored.cause, cta: lc_stored.cta, warp: lc_stored.warp,
                              lanes: '0, bar: '0};

  muster_ram #(.Depth(2 * Places), .Width($bits(mb_fault_t)), .Forward(1'b0)) u_mb_ring (
    .clk_i,
    .we_i (arrive[Mbarriers]), .waddr_i (next_q[Mbarriers]), .wdata_i (mb_fault_i),
    .raddr_i (place_q), .rdata_o (mb_stored)
  );

  // -------------------------------------------------------------------------------------------
  // What was taken
  // -------------------------------------------------------------------------------------------

  fault_t      named;
  fault_reg_t  fault_d, fault_q;
  lanes_t      lanes_d, lanes_q;
  logic [31:0] address_d, address_q;

  always_comb begin
    named     = stored[0];
    fault_d   = '0;
    lanes_d   = '0;
    address_d = '0;
    for (int s = 1; s <= NumIssue; s++) begin
      if (source_q[1] == source_t'(s)) named = stored[s];
    end
    if (found_q[1] && source_q[1] == Mbarriers) begin
      fault_d = '{valid: 1'b1, cause: mb_stored.cause, cta: mb_stored.place.cta,
                  warp: mb_stored.warp, default: '0};
      unique case (mb_stored.source)
        MbAsync:  fault_d.port = 3'd6;
        MbRemote: fault_d.port = 3'd7;
        default:  fault_d.port = 3'd5;
      endcase
      lanes_d   = mb_stored.lanes;
      address_d = mb_stored.place.addr;
    end else if (found_q[1]) begin
      fault_d = '{valid: 1'b1, cause: named.cause, cta: named.cta, warp: named.warp,
                  bar: named.bar, default: '0};
      fault_d.port = (source_q[1] == Lifecycle) ? 3'd4 : 3'(source_q[1]);
      lanes_d      = named.lanes;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      lanes_q   <= '0;
      address_q <= '0;
    end else begin
      if (taking_q[1]) begin
        lanes_q   <= lanes_d;
        address_q <= address_d;
      end
    end
  end

  always_ff @(posedge clk_i) fault_q <= fault_d;  // it is read where the oldest fault is taken

  assign fault_o   = fault_q;
  assign lanes_o   = lanes_q;
  assign address_o = address_q;

endmodule
