// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The operands of one port's operations, in a slot per warp. They are written while the operation
// is offered and its warp has no other, and read when it passes to the count stage. So neither
// drain nor select carries them. A warp has one operation between issue and commit, so one slot is
// enough. A warp that the unit lacks has a slot too, since its fault tells the lanes. Of an
// arrival, the word has the number of true lanes of each half of the warp, in bits 4:0 and 20:16.
module muster_operands
  import muster_pkg::*;
  import muster_cta_pkg::*;
#(
  parameter int unsigned NumWarps = 32,
  parameter bit          EnReduce = 1'b1,
  localparam int unsigned WarpW = $clog2(NumWarps)
) (
  input  logic             clk_i,
  input  logic             write_i,
  input  issue_t           issue_i,
  input  logic [WarpW-1:0] next_warp_i,  // of the operation here in the next cycle
  output operands_t        operands_o
);

  operands_t       operands;
  logic [7:0][2:0] hits;
  logic            falses;

  // In an arrival, whose code has bit 3 clear, this is OpRedAnd.
  assign falses = issue_i.op[1] && !issue_i.op[0];

  always_comb begin
    operands.lanes = issue_i.lanes;
    operands.word  = issue_i.operand;
    for (int i = 0; i < 8; i++) begin
      hits[i] = count_hits(issue_i.lanes[4*i+:4], issue_i.operand[4*i+:4], falses);
    end
    if (EnReduce && !issue_i.op[3]) begin
      for (int i = 0; i < 2; i++) begin
        operands.word[16*i+:5] = 5'(sum(hits[4*i], hits[4*i+1])) +
                                 5'(sum(hits[4*i+2], hits[4*i+3]));
      end
    end
  end

  // An operation's last write, as it is accepted, is at least a cycle before its operands are read.
  muster_ram #(.Depth(1 << WarpW), .Width($bits(operands_t)), .Forward(1'b0)) u_operands (
    .clk_i,
    .we_i (write_i), .waddr_i (issue_i.warp[WarpW-1:0]), .wdata_i (operands),
    .raddr_i (next_warp_i), .rdata_o (operands_o)
  );

  // How many of four participating lanes are true, or false; and of eight. Written out: as adders
  // they would be larger on an FPGA, and slower.
  function automatic logic [2:0] count_hits(logic [3:0] lanes, logic [3:0] preds, logic invert);
    automatic logic [3:0] hit = lanes & (preds ^ {4{invert}});
    count_hits[0] = ^hit;
    count_hits[1] = !(&hit) && ((hit[0] && hit[1]) || (hit[2] && hit[3]) ||
                                ((hit[0] || hit[1]) && (hit[2] || hit[3])));
    count_hits[2] = &hit;
  endfunction

  // Of two numbers up to 4: one that is 4 adds no carry.
  function automatic logic [3:0] sum(logic [2:0] a, logic [2:0] b);
    automatic logic carry = (a[1] && b[1]) || ((a[1] || b[1]) && a[0] && b[0]);
    return {a[2] && b[2], (a[2] ^ b[2]) || carry, a[1] ^ b[1] ^ (a[0] && b[0]), a[0] ^ b[0]};
  endfunction

endmodule
