// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Carries out frames and answers each with one. A frame has no effect before all of it is known to
// be valid. The unit's clock stands still except for the pulses that a frame requests, so pins may
// change byte by byte, and outputs are sent straight from the unit.
//
// A frame with the number of the last executed one is answered again and gives no pulse, so the
// host can repeat a frame that was not answered.
module muster_link
  import muster_fpga_pkg::*;
#(
  parameter  bit          EnMemory     = 1'b0,
  parameter  bit          EnRemote     = 1'b0,
  parameter  int unsigned NumPins      = 26,  // bytes
  parameter  int unsigned NumReport    = 38,
  parameter  int unsigned MemoryBytes  = 2048,
  parameter  int unsigned SmemLog2     = 10,  // what the board reports of itself
  parameter  int unsigned ClockMhz     = 48,
  parameter  int unsigned ClocksPerBit = 16,
  parameter  int unsigned GapCycles    = 262144,
  localparam int unsigned MemoryW      = $clog2(MemoryBytes),
  localparam int unsigned BufferW      = $clog2(MaxPayload)
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  input  logic                   rx_i,
  output logic                   tx_o,
  // The unit
  output logic                   unit_clk_o,
  output logic                   unit_rst_no,
  output logic [8*NumPins-1:0]   pins_o,
  input  logic [8*NumReport-1:0] report_i,
  input  byte_t                  report_length_i,  // bytes of it that are sent
  // Its memory: before a pulse, after it, and stores of the host
  output logic                   ahead_o,
  output logic                   after_o,
  output logic                   store_o,
  output logic [MemoryW-1:0]     store_addr_o,
  output byte_t                  store_byte_o,
  // Since power came, modulo 256
  output byte_t                  refused_o
);

  typedef enum logic [3:0] {Idle, Header, Sum, Judge, Act, Pulse, Copy, Reply, Sent} state_e;

  state_e state_q;

  // -------------------------------------------------------------------------------------------
  // The line
  // -------------------------------------------------------------------------------------------

  logic               rx_valid, rx_broken, tx_valid, tx_ready;
  byte_t              rx_byte, tx_byte;
  logic               frame_valid, done;
  cause_e             frame_cause;
  byte_t              frame_length, frame_sequence, payload, index, reply_q, reply_length_q;
  logic [BufferW-1:0] at_q;

  muster_uart_rx #(.ClocksPerBit(ClocksPerBit)) u_uart_rx (
    .clk_i, .rst_ni, .line_i (rx_i), .valid_o (rx_valid), .broken_o (rx_broken), .byte_o (rx_byte)
  );

  muster_frame_rx #(.GapCycles(GapCycles)) u_frame_rx (
    .clk_i, .rst_ni,
    .valid_i (rx_valid), .broken_i (rx_broken), .byte_i (rx_byte),
    .valid_o (frame_valid), .take_i (done), .cause_o (frame_cause), .length_o (frame_length),
    .sequence_o (frame_sequence), .addr_i (at_q), .byte_o (payload)
  );

  muster_frame_tx u_frame_tx (
    .clk_i, .rst_ni,
    .start_i (state_q == Reply), .length_i (reply_length_q), .sequence_i (frame_sequence),
    .index_o (index), .byte_i (reply_q), .done_o (done),
    .valid_o (tx_valid), .ready_i (tx_ready), .byte_o (tx_byte)
  );

  muster_uart_tx #(.ClocksPerBit(ClocksPerBit)) u_uart_tx (
    .clk_i, .rst_ni, .valid_i (tx_valid), .ready_o (tx_ready), .byte_i (tx_byte), .line_o (tx_o)
  );

  // -------------------------------------------------------------------------------------------
  // The request of a frame
  // -------------------------------------------------------------------------------------------

  logic [31:0] header_q;  // the first four bytes of the payload
  byte_t       command, last_q;
  byte_t       rest;      // bytes after the header of a cycle or a store
  logic [8:0]  pins_end_q;    // the place after the last byte: of a cycle
  logic [24:0] memory_end_q;  // of a store
  logic        fresh, fresh_q, identifies, resets, cycles, stores;
  cause_e      cause, cause_q;

  assign command    = header_q[7:0];
  assign identifies = command == CmdIdentify;
  assign resets     = command == CmdReset;
  assign cycles     = command == CmdCycle;
  assign stores     = EnMemory && command == CmdStore;
  assign rest       = frame_length - (stores ? 8'd4 : 8'd3);
  assign fresh      = frame_sequence != last_q;

  always_comb begin
    cause = CauseNone;
    if (frame_cause != CauseNone) begin
      cause = frame_cause;
    end else if (identifies || resets) begin
      if (frame_length != 8'd1) cause = CauseLength;
    end else if (!cycles && !stores) begin
      cause = CauseCommand;
    end else if (frame_length < (stores ? 8'd5 : 8'd3)) begin
      cause = CauseLength;
    end else if (cycles && pins_end_q > 9'(NumPins)) begin
      cause = CauseLength;
    end else if (stores && memory_end_q > 25'(MemoryBytes)) begin
      cause = CauseLength;
    end else if (fresh && frame_sequence != last_q + 8'd1) begin
      cause = CauseSequence;
    end
  end

  // -------------------------------------------------------------------------------------------
  // Frame by frame
  // -------------------------------------------------------------------------------------------

  logic               last_byte, copying_q, unit_clk_q, unit_rst_nq;
  logic [1:0]         phase_q;   // of a pulse: before, high, low, after
  byte_t              pulses_q;  // that are missing
  logic [MemoryW-1:0] target_q;  // of the byte that comes out of the buffer
  byte_t              refused_q;

  assign last_byte = 8'(at_q) == frame_length;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q     <= Idle;
      unit_rst_nq <= 1'b0;
      unit_clk_q  <= 1'b0;
      copying_q   <= 1'b0;
      last_q      <= '0;
      refused_q   <= '0;
    end else begin
      unit_clk_q <= state_q == Pulse && pulses_q != '0 && phase_q == 2'd0;
      copying_q  <= state_q == Copy && !last_byte;
      unique case (state_q)
        Idle:   if (frame_valid) state_q <= Header;
        Header: if (at_q == BufferW'(4)) state_q <= Sum;
        Sum:    state_q <= Judge;
        Judge:  state_q <= Act;
        Act: begin
          state_q <= (cause_q == CauseNone) ? Pulse : Reply;
          if (cause_q == CauseNone) last_q <= frame_sequence;
          if (cause_q != CauseNone) refused_q <= refused_q + 8'd1;
          if (cause_q == CauseNone && resets) unit_rst_nq <= 1'b0;
        end
        Pulse: begin
          if (pulses_q == '0) begin
            state_q <= Copy;
            unit_rst_nq <= unit_rst_nq || resets;
          end
        end
        Copy:    if (identifies || resets || last_byte) state_q <= Reply;
        Reply:   state_q <= Sent;
        default: if (done) state_q <= Idle;
      endcase
    end
  end

  always_ff @(posedge clk_i) begin
    unique case (state_q)
      Idle: at_q <= '0;
      Header: begin
        at_q     <= at_q + BufferW'(1);
        header_q <= {payload, header_q[31:8]};
      end
      Sum: begin
        pins_end_q   <= 9'(header_q[23:16]) + 9'(rest);
        memory_end_q <= 25'(header_q[31:8]) + 25'(rest);
      end
      Judge: begin
        cause_q <= cause;
        fresh_q <= fresh;
      end
      Act: begin
        phase_q  <= '0;
        pulses_q <= resets ? 8'd2 : (cycles && fresh_q) ? header_q[15:8] : 8'd0;
        at_q     <= stores ? BufferW'(4) : BufferW'(3);
        target_q <= stores ? header_q[8 +: MemoryW] : MemoryW'(header_q[23:16]);
      end
      Pulse: begin
        phase_q <= phase_q + 2'd1;
        if (phase_q == 2'd3) pulses_q <= pulses_q - 8'd1;
      end
      Copy: at_q <= at_q + BufferW'(1);
      default: ;
    endcase
    if (copying_q) target_q <= target_q + MemoryW'(1);
  end

  assign unit_clk_o   = unit_clk_q;
  assign unit_rst_no  = unit_rst_nq;
  assign ahead_o      = state_q == Pulse && pulses_q != '0 && phase_q == 2'd0;
  assign after_o      = state_q == Pulse && phase_q == 2'd1;
  assign store_o      = copying_q && stores;
  assign store_addr_o = target_q;
  assign store_byte_o = payload;
  assign refused_o    = refused_q;

  logic [NumPins-1:0][7:0] pins_q;
  assign pins_o = pins_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      pins_q <= '0;
    end else begin
      for (int i = 0; i < NumPins; i++) begin
        if (copying_q && cycles && target_q == MemoryW'(i)) pins_q[i] <= payload;
      end
    end
  end

  // -------------------------------------------------------------------------------------------
  // The reply
  // -------------------------------------------------------------------------------------------

  localparam byte_t [7:0] Identity = {
    8'(ClockMhz), 8'(SmemLog2), {6'b0, EnRemote, EnMemory}, 8'd1, 8'(NumCtas), 8'(NumWarps),
    LinkVersion,
    CmdIdentify | 8'h80
  };

  // The byte requested, selected from sixteen groups of eight by AND and OR, four groups together:
  // there are cycles for that, and it is smaller than a multiplexer.
  byte_t [127:0] report;
  byte_t         of_group, shown;
  byte_t [3:0]   quarter, quarter_q;
  logic [15:0]   group_q;
  logic [7:0]    byte_q;

  assign report = (8 * 128)'({report_i, command | 8'h80});

  always_comb begin
    quarter = '0;
    shown   = '0;
    for (int g = 0; g < 16; g++) begin
      of_group = '0;
      for (int i = 0; i < 8; i++) of_group = of_group | (report[8*g + i] & {8{byte_q[i]}});
      quarter[g / 4] = quarter[g / 4] | (of_group & {8{group_q[g]}});
    end
    for (int q = 0; q < 4; q++) shown = shown | quarter_q[q];
  end

  always_ff @(posedge clk_i) begin
    group_q   <= 16'd1 << index[6:3];
    byte_q    <= 8'd1 << index[2:0];
    quarter_q <= quarter;
  end

  always_ff @(posedge clk_i) begin
    if (cause_q != CauseNone) begin
      reply_length_q <= 8'd3;
      reply_q        <= (index == '0) ? ReplyError : (index == 8'd1) ? 8'(cause_q) : refused_q;
    end else if (identifies) begin
      reply_length_q <= 8'($bits(Identity) / 8);
      reply_q        <= Identity[index[2:0]];
    end else begin
      reply_length_q <= cycles ? 8'd1 + report_length_i : 8'd1;
      reply_q        <= shown;
    end
  end

endmodule
