// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Sends bytes to a serial line: 8 data bits, no parity, a stop bit.
module muster_uart_tx #(
  parameter int unsigned ClocksPerBit = 16
) (
  input  logic       clk_i,
  input  logic       rst_ni,
  input  logic       valid_i,
  output logic       ready_o,
  input  logic [7:0] byte_i,
  output logic       line_o
);

  localparam int unsigned CountW = $clog2(ClocksPerBit);

  logic [CountW-1:0] count_q;  // clock cycles that the present bit has to go
  logic [3:0]        bits_q;   // that are missing, this one included
  logic [8:0]        shift_q;  // ones after the last

  assign ready_o = bits_q == '0;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      bits_q  <= '0;
      count_q <= '0;
      shift_q <= '1;
    end else if (ready_o) begin
      if (valid_i) begin
        bits_q  <= 4'd10;
        count_q <= CountW'(ClocksPerBit - 1);
        shift_q <= {byte_i, 1'b0};
      end
    end else if (count_q == '0) begin
      bits_q  <= bits_q - 4'd1;
      count_q <= CountW'(ClocksPerBit - 1);
      shift_q <= {1'b1, shift_q[8:1]};
    end else begin
      count_q <= count_q - CountW'(1);
    end
  end

  assign line_o = shift_q[0];

endmodule
