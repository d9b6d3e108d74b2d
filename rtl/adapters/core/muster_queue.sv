// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// A queue for items that cannot be refused. An item passes in the same cycle if the queue is empty; one
// that is not taken then is kept, and stays at the output until it is taken.
module muster_queue #(
  parameter type         data_t = logic,
  parameter int unsigned Depth  = 8,  // items that wait at the same time, at most
  localparam int unsigned IndexW = $clog2(Depth),
  localparam int unsigned CountW = $clog2(Depth + 1)
) (
  input  logic  clk_i,
  input  logic  rst_ni,
  input  logic  valid_i,  // an item comes
  input  data_t data_i,
  output logic  valid_o,  // the oldest item
  input  logic  ready_i,  // ... is taken
  output data_t data_o
);

`include "muster_assert.svh"

  data_t              data_q [Depth];
  logic  [CountW-1:0] count_q;
  logic  [IndexW-1:0] first_q, free_q;  // the oldest item, and where the next one goes
  logic               empty, push, pop;

  assign empty   = (count_q == '0);
  assign valid_o = !empty || valid_i;
  assign data_o  = empty ? data_i : data_q[first_q];
  assign push    = valid_i && !(empty && ready_i);
  assign pop     = !empty && ready_i;

  function automatic logic [IndexW-1:0] after(input logic [IndexW-1:0] index);
    return (index == IndexW'(Depth - 1)) ? '0 : index + IndexW'(1);
  endfunction

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      count_q <= '0;
      first_q <= '0;
      free_q  <= '0;
    end else begin
      count_q <= count_q + CountW'(push) - CountW'(pop);
      if (pop) first_q <= after(first_q);
      if (push) free_q <= after(free_q);
    end
  end

  always_ff @(posedge clk_i) begin
    if (push) data_q[free_q] <= data_i;
  end

  `MUSTER_ASSERT(HasPlace, !(push && count_q == CountW'(Depth)), "an item comes to a full queue")

endmodule
