// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The unit's ports to shared memory, as one port of requests and answers in order, 64 bits wide: a
// TCDM initiator (tightly coupled data memory, as PULP's clusters have it) or an OBI manager (Open
// Bus Interface, version 1: A and R channels). The two differ in names and in wen_o; the README has
// them. A request stands in a register until it is granted, so that nothing the unit does, a reset
// included, withdraws it. Writes go first.
//
//     read, write ─► request, until it is granted ─► memory ─► answer ─► data, kept for the unit
//
// The state here belongs to the reset of the memory. After a reset of the unit alone, the answers
// to what it had asked before are dropped.
module muster_mem_port
  import muster_pkg::*;
#(
  parameter bit          WriteAnswers = 1'b1,  // the memory answers writes, too
  parameter int unsigned Outstanding  = 4,  // transfers that are granted and not answered, at most
  localparam int unsigned CountW      = $clog2(Outstanding + 1)
) (
  input  logic        clk_i,
  input  logic        rst_ni,          // of the memory
  input  logic        unit_rst_ni,     // of the unit; falls with rst_ni, or alone

  // The unit (rtl/mbarrier/README.md, What the memory must do).
  input  logic        read_valid_i,
  output logic        read_ready_o,
  input  mb_place_t   read_place_i,
  output logic        rdata_valid_o,
  output mb_word_t    rdata_o,
  input  logic        write_valid_i,
  output logic        write_ready_o,
  input  mb_place_t   write_place_i,
  input  mb_word_t    write_data_i,

  // The CTA slot of the request, and the address at which its shared memory begins, in the same
  // cycle.
  output cta_t        cta_o,
  input  logic [31:0] base_i,

  // The memory.
  output logic        req_o,           // stays, with the rest, until it is granted
  input  logic        gnt_i,
  output logic [31:0] addr_o,          // in bytes, a multiple of 8
  output logic        we_o,            // OBI: it writes
  output logic        wen_o,           // TCDM: it does not
  output logic  [7:0] be_o,            // all
  output logic [63:0] wdata_o,
  input  logic        rvalid_i,        // an answer, in the order of the grants
  output logic        rready_o,        // OBI: always
  input  logic [63:0] rdata_i
);

`include "muster_assert.svh"

  mb_place_t place;
  logic      req_q, we_q, wanted_q;  // wanted: the unit waits for the answer
  logic [31:0] addr_q;
  mb_word_t  wdata_q, kept_q;
  logic      free, granted;
  // Of the transfers that are granted and not answered: which the unit waits for; the oldest in
  // place 0.
  logic [Outstanding-1:0] wanted_ahead_q, wanted_ahead_d;
  logic [CountW-1:0]      ahead_q, ahead, coming;

  assign place         = write_valid_i ? write_place_i : read_place_i;
  assign cta_o         = place.cta;
  assign coming        = ahead_q + CountW'(req_q);
  assign free          = (!req_q || gnt_i) && (coming < CountW'(Outstanding));
  assign write_ready_o = free;
  assign read_ready_o  = free && !write_valid_i;

  assign req_o   = req_q;
  assign addr_o  = addr_q;
  assign we_o    = we_q;
  assign wen_o   = !we_q;
  assign be_o    = '1;
  assign wdata_o = wdata_q;
  assign granted = req_q && gnt_i && (WriteAnswers || !we_q);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      req_q    <= 1'b0;
      wanted_q <= 1'b0;
    end else begin
      if (free) begin
        req_q    <= (read_valid_i || write_valid_i) && unit_rst_ni;
        wanted_q <= read_valid_i && !write_valid_i && unit_rst_ni;
      end else begin
        if (gnt_i) req_q <= 1'b0;
        if (!unit_rst_ni) wanted_q <= 1'b0;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (free) begin
      we_q    <= write_valid_i;
      addr_q  <= base_i + {place.addr[31:3], 3'b000};
      wdata_q <= write_data_i;
    end
  end

  // -------------------------------------------------------------------------------------------
  // Answers
  // -------------------------------------------------------------------------------------------

  assign rready_o      = 1'b1;
  assign ahead         = ahead_q - CountW'(rvalid_i);
  assign rdata_valid_o = rvalid_i && wanted_ahead_q[0];
  assign rdata_o       = rdata_valid_o ? rdata_i : kept_q;

  always_comb begin
    wanted_ahead_d = rvalid_i ? wanted_ahead_q >> 1 : wanted_ahead_q;
    for (int i = 0; i < Outstanding; i++) begin
      if (granted && ahead == CountW'(i)) wanted_ahead_d[i] = wanted_q;
    end
    if (!unit_rst_ni) wanted_ahead_d = '0;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      wanted_ahead_q <= '0;
      ahead_q        <= '0;
    end else begin
      wanted_ahead_q <= wanted_ahead_d;
      ahead_q        <= ahead + CountW'(granted);
    end
  end

  always_ff @(posedge clk_i) begin
    if (rdata_valid_o) kept_q <= rdata_i;
  end

  `MUSTER_ASSERT(AnswerIsDue, !rvalid_i || ahead_q != '0, "the memory answers what was not asked")

endmodule
