// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// A queue for items that cannot be refused. An item passes in the same cycle if the queue is empty;
// one that is not taken then is kept in a memory, and stays at the output until it is taken.
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

  data_t              oldest;
  logic  [CountW-1:0] count_q;
  logic  [IndexW-1:0] first_q, first_d, free_q;  // the oldest item, and where the next one goes
  logic               empty, push, pop;

  assign empty   = (count_q == '0);
  assign valid_o = !empty || valid_i;
  assign data_o  = empty ? data_i : oldest;
  assign push    = valid_i && !(empty && ready_i);
  assign pop     = !empty && ready_i;

  function automatic logic [IndexW-1:0] after(input logic [IndexW-1:0] index);
    return (index == IndexW'(Depth - 1)) ? '0 : index + IndexW'(1);
  endfunction

  assign first_d = pop ? after(first_q) : first_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      count_q <= '0;
      first_q <= '0;
      free_q  <= '0;
    end else begin
      count_q <= count_q + CountW'(push) - CountW'(pop);
      first_q <= first_d;
      if (push) free_q <= after(free_q);
    end
  end

  // The item that is the oldest in the next cycle is read, even if it is written in this one.
  muster_ram #(.Depth(Depth), .Width($bits(data_t))) u_items (
    .clk_i, .we_i (push), .waddr_i (free_q), .wdata_i (data_i), .raddr_i (first_d),
    .rdata_o (oldest)
  );

  `MUSTER_ASSERT(HasPlace, !(push && count_q == CountW'(Depth)), "an item comes to a full queue")

endmodule
