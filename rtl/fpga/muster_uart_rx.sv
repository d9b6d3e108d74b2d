// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Receives bytes from a serial line: 8 data bits, no parity, a stop bit. A byte whose stop bit is
// missing is marked by `broken_o`.
module muster_uart_rx #(
  parameter int unsigned ClocksPerBit = 16
) (
  input  logic       clk_i,
  input  logic       rst_ni,
  input  logic       line_i,
  output logic       valid_o,  // a pulse
  output logic       broken_o,
  output logic [7:0] byte_o
);

  localparam int unsigned CountW = $clog2(ClocksPerBit + ClocksPerBit / 2);
  typedef logic [CountW-1:0] count_t;

  logic [1:0] line_q;  // the line, brought into this clock
  logic       busy_q;
  count_t     count_q;  // clock cycles to the middle of the next bit
  logic [3:0] bits_q;   // that are missing, the stop bit included
  logic [7:0] byte_q;
  logic       now;

  assign now      = busy_q && count_q == '0;
  assign valid_o  = now && bits_q == 4'd1;
  assign broken_o = valid_o && !line_q[1];
  assign byte_o   = byte_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      line_q <= '1;
      busy_q <= 1'b0;
    end else begin
      line_q <= {line_q[0], line_i};
      // After a missing stop bit, the next byte can begin only when the line has been high.
      busy_q <= busy_q ? !valid_o : !line_q[0] && line_q[1];
    end
  end

  always_ff @(posedge clk_i) begin
    if (!busy_q) begin
      count_q <= count_t'(ClocksPerBit + ClocksPerBit / 2 - 1);  // the middle of the first bit
      bits_q  <= 4'd9;
    end else if (now) begin
      count_q <= count_t'(ClocksPerBit - 1);
      bits_q  <= bits_q - 4'd1;
      if (bits_q != 4'd1) byte_q <= {line_q[1], byte_q[7:1]};
    end else begin
      count_q <= count_q - count_t'(1);
    end
  end

endmodule
