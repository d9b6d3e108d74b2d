// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The entrance of the mbarrier pipeline. With EnDrain there are two places, which are used in turn:
// whether one is free comes from registers, and so does what loads it. So the sources do not wait
// for what the pipeline does in the same cycle. Without EnDrain nothing but the core waits for the
// pipeline, and there is one place, which is free when its request moves on.
//
//     cycle       1       2       3       4
//     place 0     A       A       C       C
//     place 1     -       B       B       -
//     moves on    -       A       B       C
module muster_mb_enter
  import muster_pkg::*;
  import muster_cfg_pkg::*;
  import muster_mb_pkg::*;
#(
  parameter muster_cfg_t Cfg
) (
  input  logic              clk_i,
  input  logic              rst_ni,

  input  logic              valid_i,
  output logic              ready_o,
  input  mb_request_t       request_i,

  output logic              valid_o,
  input  logic              go_i,          // the request moves on; it is valid
  output mb_request_t       request_o,

  output logic [1:0]        held_valid_o,  // all that is here
  output mb_request_t [1:0] held_o
);

  if (Cfg.EnDrain) begin : g_pair
    logic        [1:0] full_q;
    mb_request_t [1:0] request_q;
    // The places that a request leaves, and that takes the next one.
    logic              first_q, next;

    assign next    = first_q ^ full_q[0] ^ full_q[1];
    assign ready_o = full_q != '1;

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        full_q  <= '0;
        first_q <= 1'b0;
      end else begin
        for (int p = 0; p < 2; p++) begin
          full_q[p] <= full_q[p] ? !(go_i && first_q == 1'(p)) : valid_i && next == 1'(p);
        end
        first_q <= first_q ^ go_i;
      end
    end

    // A place that is free takes what is there; only whether it is full needs to know whether that
    // is its turn.
    always_ff @(posedge clk_i) begin
      for (int p = 0; p < 2; p++) begin
        if (!full_q[p]) request_q[p] <= request_i;
      end
    end

    assign valid_o      = full_q != '0;
    assign request_o    = request_q[first_q];
    assign held_valid_o = full_q;
    assign held_o       = request_q;
  end else begin : g_one
    logic        valid_q;
    mb_request_t request_q;

    muster_stage #(.data_t(mb_request_t)) u_stage (
      .clk_i, .rst_ni, .valid_i, .ready_o, .data_i (request_i),
      .valid_o (valid_q), .ready_i (go_i), .data_o (request_q)
    );

    assign valid_o      = valid_q;
    assign request_o    = request_q;
    assign held_valid_o = {1'b0, valid_q};
    assign held_o       = {request_q, request_q};
  end

endmodule
