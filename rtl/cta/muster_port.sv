// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// One issue port. It accepts an operation of a warp that is not busy, stores its operands in their
// memory, and passes the rest through the drain (and with several ports through a register) to
// select.
module muster_port
  import muster_pkg::*;
  import muster_cta_pkg::*;
#(
  parameter int unsigned NumWarps = 32,
  parameter bit          EnReduce = 1'b1,
  parameter bit          EnDrain  = 1'b1,
  parameter bit          Hold     = 1'b0,  // with the register
  localparam int unsigned WarpW   = $clog2(NumWarps),
  localparam int unsigned NumPlaces = 1 << WarpW
) (
  input  logic                clk_i,
  input  logic                rst_ni,

  input  logic                valid_i,
  output logic                ready_o,
  input  issue_t              issue_i,
  input  logic [NumPlaces-1:0] busy_i,          // has an operation between issue and commit
  output logic [NumPlaces-1:0] accept_o,        // its operation is accepted in this cycle

  output logic [NumWarps-1:0] fence_req_o,
  input  logic [NumWarps-1:0] fence_ack_i,

  output logic                valid_o,
  input  logic                ready_i,
  output request_t            request_o,
  output logic                reads_o,         // it has a response

  input  logic [WarpW-1:0]    operand_warp_i,  // of the operation in the count stage, a cycle early
  output operands_t           operands_o
);

  logic     free, offered, taken, drained_valid, drained_ready, drained_reads;
  request_t request, drained;

  assign free     = !busy_i[issue_i.warp[WarpW-1:0]];
  assign offered  = valid_i && free;
  assign ready_o  = free && taken;

  always_comb begin
    accept_o = '0;
    accept_o[issue_i.warp[WarpW-1:0]] = offered && taken;
  end

  assign request  = request_of(issue_i);

  if (EnDrain) begin : g_drain
    muster_drain #(.NumWarps(NumWarps)) u_drain (
      .clk_i, .rst_ni,
      .valid_i (offered), .ready_o (taken), .request_i (request), .accept_i (accept_o[NumWarps-1:0]),
      .fence_req_o, .fence_ack_i,
      .valid_o (drained_valid), .ready_i (drained_ready), .request_o (drained),
      .reads_o (drained_reads)
    );
  end else begin : g_no_drain
    assign drained_valid = offered;
    assign taken         = drained_ready;
    assign drained       = request;
    assign drained_reads = is_read(group_of(request.op));
    assign fence_req_o   = '0;
  end

  if (Hold) begin : g_stage
    muster_stage #(.data_t(request_t)) u_stage (
      .clk_i, .rst_ni,
      .valid_i (drained_valid), .ready_o (drained_ready), .data_i (drained),
      .valid_o, .ready_i, .data_o (request_o)
    );
    assign reads_o = is_read(group_of(request_o.op));
  end else begin : g_no_stage
    assign valid_o       = drained_valid;
    assign drained_ready = ready_i;
    assign request_o     = drained;
    assign reads_o       = drained_reads;
  end

  muster_operands #(.NumWarps(NumWarps), .EnReduce(EnReduce)) u_operands (
    .clk_i,
    .write_i (offered), .issue_i,
    .next_warp_i (operand_warp_i), .operands_o
  );

endmodule
