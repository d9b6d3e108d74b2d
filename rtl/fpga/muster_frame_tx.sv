// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Sends frames as bytes. From start to end, `index_o` requests the bytes of the payload one after
// the other; each must come within the time of a byte on the line.
module muster_frame_tx
  import muster_fpga_pkg::*;
(
  input  logic  clk_i,
  input  logic  rst_ni,
  // The frame
  input  logic  start_i,  // a pulse; length and number stay
  input  byte_t length_i,
  input  byte_t sequence_i,
  output byte_t index_o,
  input  byte_t byte_i,
  output logic  done_o,   // a pulse: the last byte is on its way
  // Bytes
  output logic  valid_o,
  input  logic  ready_i,
  output byte_t byte_o
);

  typedef enum logic [2:0] {Idle, Start, Length, Sequence, Payload, CrcHigh, CrcLow} state_e;

  state_e      state_q;
  byte_t       index_q;
  logic [15:0] crc_q;
  logic        sent;

  assign index_o = index_q;
  assign valid_o = state_q != Idle;
  assign sent    = valid_o && ready_i;
  assign done_o  = sent && state_q == CrcLow;

  always_comb begin
    unique case (state_q)
      Length:   byte_o = length_i;
      Sequence: byte_o = sequence_i;
      Payload:  byte_o = byte_i;
      CrcHigh:  byte_o = crc_q[15:8];
      CrcLow:   byte_o = crc_q[7:0];
      default:  byte_o = StartByte;
    endcase
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= Idle;
    end else if (state_q == Idle) begin
      if (start_i) state_q <= Start;
    end else if (sent) begin
      unique case (state_q)
        Start:    state_q <= Length;
        Length:   state_q <= Sequence;
        Sequence: state_q <= Payload;
        Payload:  if (index_q == length_i - 8'd1) state_q <= CrcHigh;
        CrcHigh:  state_q <= CrcLow;
        default:  state_q <= Idle;
      endcase
    end
  end

  always_ff @(posedge clk_i) begin
    if (state_q == Start) crc_q <= CrcInit;
    if (sent && state_q inside {Length, Sequence, Payload}) crc_q <= crc_next(crc_q, byte_o);
    if (state_q == Start) index_q <= '0;
    if (sent && state_q == Payload) index_q <= index_q + 8'd1;
  end

endmodule
