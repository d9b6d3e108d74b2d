// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Assembles frames from bytes. It shows a frame whole, with its check sum verified, or as refused,
// with a cause. Either stays until it is taken, and bytes that arrive meanwhile are lost.
//
// A refused frame is shown when the line has been silent for GapCycles, so that the rest of it is
// not taken for the beginning of another frame.
module muster_frame_rx
  import muster_fpga_pkg::*;
#(
  parameter int unsigned GapCycles = 262144,
  localparam int unsigned AddrW    = $clog2(MaxPayload)
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  // Bytes
  input  logic             valid_i,
  input  logic             broken_i,
  input  byte_t            byte_i,
  // The frame
  output logic             valid_o,
  input  logic             take_i,
  output cause_e           cause_o,  // CauseNone: a good one
  output byte_t            length_o,
  output byte_t            sequence_o,
  // Its payload, a cycle after the address
  input  logic [AddrW-1:0] addr_i,
  output byte_t            byte_o
);

  typedef enum logic [2:0] {Start, Length, Sequence, Payload, CrcHigh, CrcLow, Silence,
                            Full} state_e;

  localparam int unsigned GapW = $clog2(GapCycles);

  state_e            state_q, state_d;
  cause_e            cause_q, cause_d;
  byte_t             length_q, sequence_q;
  byte_t             count_q;   // bytes of the payload so far
  logic [15:0]       crc_q;
  logic [GapW-1:0]   silence_q;
  logic              gap;

  byte_t buffer [MaxPayload];

  assign gap        = silence_q == GapW'(GapCycles - 1);
  assign valid_o    = state_q == Full;
  assign cause_o    = cause_q;
  assign length_o   = length_q;
  assign sequence_o = sequence_q;

  always_comb begin
    state_d = state_q;
    cause_d = cause_q;
    if (state_q == Full) begin
      if (take_i) state_d = Start;
    end else if (state_q == Silence) begin
      if (gap) state_d = Full;
    end else if (valid_i) begin
      cause_d = CauseNone;
      unique case (state_q)
        Start:    if (byte_i == StartByte) state_d = Length; else cause_d = CauseStart;
        Length:   if (byte_i inside {[8'd1:8'(MaxPayload)]}) state_d = Sequence;
                  else cause_d = CauseLength;
        Sequence: state_d = Payload;
        Payload:  if (count_q == length_q - 8'd1) state_d = CrcHigh;
        CrcHigh:  if (byte_i == crc_q[15:8]) state_d = CrcLow; else cause_d = CauseCrc;
        default:  if (byte_i == crc_q[7:0]) state_d = Full; else cause_d = CauseCrc;
      endcase
      if (broken_i) cause_d = CauseLine;
      if (cause_d != CauseNone) state_d = Silence;
    end else if (state_q != Start && gap) begin
      state_d = Full;
      cause_d = CauseGap;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q   <= Start;
      silence_q <= '0;
    end else begin
      state_q   <= state_d;
      silence_q <= (valid_i || gap) ? '0 : silence_q + GapW'(1);
    end
  end

  always_ff @(posedge clk_i) begin
    cause_q <= cause_d;
    byte_o  <= buffer[addr_i];
    if (valid_i) begin
      if (state_q == Start) crc_q <= CrcInit;
      if (state_q inside {Length, Sequence, Payload}) crc_q <= crc_next(crc_q, byte_i);
      if (state_q == Length) length_q <= byte_i;
      if (state_q == Sequence) sequence_q <= byte_i;
      count_q <= (state_q == Payload) ? count_q + 8'd1 : 8'd0;
      if (state_q == Payload) buffer[count_q[AddrW-1:0]] <= byte_i;
    end
  end

endmodule
