// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// What the atomics say of an update when it commits: the answer for its lane, which stays until it
// is taken, or, for one cycle, the fault of a refused update.
module muster_atomics_report
  import muster_pkg::*;
  import muster_atomics_pkg::*;
#(
  parameter bit EnFaults = 1'b1
) (
  input  logic         clk_i,
  input  logic         rst_ni,

  input  logic         answered_i,       // an update commits that has an answer
  input  logic         refused_i,        // an update commits that has a fault
  input  at_response_t response_i,
  input  mb_place_t    place_i,          // of the value

  output logic         free_o,           // an answer may be given

  output logic         response_valid_o,
  input  logic         response_ready_i,
  output at_response_t response_o,

  output logic         fault_valid_o,
  output at_fault_t    fault_o
);

  logic         response_valid_q;
  at_response_t response_q;
  logic         fault_valid_q;
  at_fault_t    fault, fault_q;

  assign free_o           = !response_valid_q || response_ready_i;
  assign response_valid_o = response_valid_q;
  assign response_o       = response_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      response_valid_q <= 1'b0;
    end else begin
      response_valid_q <= answered_i || !free_o;
    end
  end

  always_ff @(posedge clk_i) begin
    if (free_o) response_q <= response_i;
  end

  assign fault = '{
    cause: FaultBadAddress, from: response_i.from, warp: response_i.warp, lane: response_i.lane,
    place: place_i
  };

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      fault_valid_q <= 1'b0;
    end else begin
      fault_valid_q <= EnFaults && refused_i;
    end
  end

  always_ff @(posedge clk_i) begin
    fault_q <= EnFaults ? fault : at_fault_t'('0);
  end

  assign fault_valid_o = fault_valid_q;
  assign fault_o       = fault_q;

endmodule
