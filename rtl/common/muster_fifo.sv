// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// A first-in first-out queue in a memory, for items that always find a place. The oldest item stays
// at the output until it is taken.
//
//   FallThrough: an item that comes to an empty queue is at the output in the same cycle.
//   Late: whether an item comes is known late in its cycle. The item is written when it is offered,
//   and counted a cycle later.
//
//   cycle          0         1         2
//   valid_i        high
//   valid_o                  high
//   with Late                          high
//   FallThrough    high
module muster_fifo #(
  parameter type         data_t      = logic,
  parameter int unsigned Depth       = 4,     // items that wait at the same time, at most
  parameter bit          FallThrough = 1'b0,
  parameter bit          Late        = 1'b0,  // not with FallThrough
  localparam int unsigned IndexW = (Depth > 1) ? $clog2(Depth) : 1,
  localparam int unsigned CountW = $clog2(Depth + 1)
) (
  input  logic  clk_i,
  input  logic  rst_ni,

  input  logic  offer_i,  // Late: an item may come with this cycle; otherwise of no meaning
  input  logic  valid_i,  // an item comes
  input  data_t data_i,

  output logic  valid_o,  // there is an item
  input  logic  ready_i,  // the oldest one is taken
  output data_t data_o
);

`include "muster_assert.svh"

  logic [CountW-1:0] filled_q, remaining;
  logic [IndexW-1:0] first_q, first_d;  // the place of the oldest item
  logic [IndexW-1:0] free_q;            // the place of the next item
  logic              push, pop, passes, write;
  data_t             oldest;

  function automatic logic [IndexW-1:0] after(logic [IndexW-1:0] place);
    return (32'(place) == Depth - 1) ? '0 : place + IndexW'(1);
  endfunction

  if (Late) begin : g_late
    logic push_q;

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        push_q <= 1'b0;
      end else begin
        push_q <= valid_i;
      end
    end

    assign push  = push_q;
    assign write = offer_i;
  end else begin : g_at_once
    logic unused;
    assign unused = offer_i;

    assign push  = valid_i && !(passes && ready_i);
    assign write = push;
  end

  assign passes    = FallThrough && filled_q == '0;
  assign pop       = filled_q != '0 && ready_i;
  assign remaining = filled_q - CountW'(pop);
  assign first_d   = pop ? after(first_q) : first_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      filled_q <= '0;
      first_q  <= '0;
      free_q   <= '0;
    end else begin
      filled_q <= remaining + CountW'(push);
      first_q  <= first_d;
      if (push) free_q <= after(free_q);
    end
  end

  if (Depth == 1) begin : g_register
    always_ff @(posedge clk_i) begin
      if (write) oldest <= data_i;
    end
  end else begin : g_memory
    logic [IndexW-1:0] free;  // Late: after the item that is counted in this cycle

    assign free = (Late && push) ? after(free_q) : free_q;

    // The item that is the oldest in the next cycle is read, even if it is written in this one.
    muster_ram #(.Depth(Depth), .Width($bits(data_t)), .Forward(!Late)) u_queue (
      .clk_i,
      .we_i (write), .waddr_i (free), .wdata_i (data_i), .raddr_i (first_d), .rdata_o (oldest)
    );
  end

  assign valid_o = filled_q != '0 || (passes && valid_i);
  assign data_o  = passes ? data_i : oldest;

  `MUSTER_ASSERT(HasPlace, !push || remaining < CountW'(Depth), "an item comes to a full queue")

endmodule
