// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// One issue port. It accepts an operation of a warp that is not busy, stores its operands in their
// memory, and passes the rest through the drain (and with several ports through a register) to
// select.
module muster_port
  import muster_pkg::*;
  import muster_cfg_pkg::*;
  import muster_cta_pkg::*;
#(
  parameter muster_cfg_t Cfg,
  parameter bit          Hold     = 1'b0,  // with the register
  localparam int unsigned NumWarps = Cfg.NumWarps,
  localparam int unsigned WarpSize = Cfg.WarpSize,
  localparam int unsigned WarpW   = $clog2(NumWarps),
  localparam int unsigned NumPlaces = 1 << WarpW
) (
  input  logic                clk_i,
  input  logic                rst_ni,

  input  logic                valid_i,
  output logic                ready_o,
  input  issue_t              issue_i,
  input  logic [NumPlaces-1:0] busy_i,          // has an operation between issue and commit
  input  logic                held_i,          // likewise the warp of the operation at the port
  input  logic [NumPlaces-1:0] waiting_i,       // may wait at an entry
  output logic [NumPlaces-1:0] accept_o,        // its operation is accepted in this cycle

  output logic [NumWarps-1:0] fence_req_o,
  input  logic [NumWarps-1:0] fence_ack_i,

  output logic                valid_o,
  input  logic                ready_i,
  input  logic                credit_i,  // without the register: there is a place for a response
  output request_t            request_o,
  output logic                reads_o,         // it has a response
  output logic                waiting_o,       // its warp may wait

  input  logic [WarpW-1:0]    operand_warp_i,  // of the operation in the count stage, a cycle early
  output operands_t           operands_o
);

  logic                 free, offered, taken, passes, drained_valid, drained_ready, drained_reads,
                        credit;
  request_t             request, drained;
  logic [NumPlaces-1:0] warp;  // of the operation offered, one-hot
  logic [NumPlaces-1:0] parks;  // if it is of this warp, it is parked

  assign free     = !held_i;
  assign credit   = Hold || credit_i;
  assign offered  = valid_i && free;
  assign ready_o  = free && taken;
  assign request  = request_of(issue_i, $clog2(WarpSize), Cfg.EnSplit);

  // As {offered && taken} at the place of the warp, without looking at all places for it.
  always_comb begin
    warp = '0;
    warp[issue_i.warp[WarpW-1:0]] = 1'b1;
    accept_o = warp & ~busy_i & {NumPlaces{valid_i}} & (parks | {NumPlaces{passes}});
  end

  if (Cfg.EnDrain) begin : g_drain
    logic                drains;
    logic [NumWarps-1:0] outstanding;  // warps with accesses; a warp that the unit lacks has none

    assign drains      = is_arrival(issue_i.op, Cfg.EnSplit);
    assign outstanding = ~fence_ack_i;
    assign parks       = NumPlaces'(outstanding) & {NumPlaces{drains}};

    muster_port_drain #(.NumWarps(NumWarps)) u_drain (
      .clk_i, .rst_ni,
      .valid_i (offered), .ready_o (taken), .request_i (request),
      .outstanding_i (parks[request.warp[WarpW-1:0]]), .passes_o (passes),
      .park_warp_i (accept_o[NumWarps-1:0] & parks[NumWarps-1:0]), .credit_i (credit),
      .fence_req_o, .fence_ack_i,
      .valid_o (drained_valid), .ready_i (drained_ready), .request_o (drained),
      .responds_o (drained_reads)
    );
  end else begin : g_no_drain
    assign drained_valid = offered;
    assign taken         = passes;
    assign passes        = drained_ready && (credit || !drained_reads);
    assign parks         = '0;
    assign drained       = request;
    assign drained_reads = has_response(request.op, request.answers);
    assign fence_req_o   = '0;
  end

  if (Hold) begin : g_hold
    // Whether the operation's warp may wait is looked up in two steps: by the low bits of its
    // number, and after the register by the others.
    localparam int unsigned LowW  = (WarpW > 3) ? 3 : WarpW - 1;
    localparam int unsigned Parts = 1 << (WarpW - LowW);

    logic             skid_valid, skid_ready;
    request_t         skidded;
    logic [Parts-1:0] may_wait, may_wait_q;

    always_comb begin
      for (int i = 0; i < Parts; i++) begin
        may_wait[i] = waiting_i[{(WarpW-LowW)'(i), skidded.warp[LowW-1:0]}];
      end
    end

    muster_skid #(.data_t(request_t)) u_skid (
      .clk_i, .rst_ni,
      .valid_i (drained_valid), .ready_o (drained_ready), .data_i (drained),
      .valid_o (skid_valid), .ready_i (skid_ready), .data_o (skidded)
    );
    muster_stage #(.data_t(logic [$bits(request_t)+Parts-1:0])) u_stage (
      .clk_i, .rst_ni,
      .valid_i (skid_valid), .ready_o (skid_ready),
      .data_i ({may_wait, skidded}),
      .valid_o, .ready_i, .data_o ({may_wait_q, request_o})
    );
    assign waiting_o = may_wait_q[request_o.warp[WarpW-1:LowW]];
    assign reads_o   = has_response(request_o.op, request_o.answers);
  end else begin : g_no_stage
    assign valid_o       = drained_valid;
    assign drained_ready = ready_i;
    assign request_o     = drained;
    assign reads_o       = drained_reads;
    assign waiting_o     = waiting_i[drained.warp[WarpW-1:0]];
  end

  muster_operands #(.NumWarps(NumWarps), .EnReduce(Cfg.EnReduce)) u_operands (
    .clk_i,
    .write_i (offered), .issue_i,
    .next_warp_i (operand_warp_i), .operands_o
  );

endmodule
