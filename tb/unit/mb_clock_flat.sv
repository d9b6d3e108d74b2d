// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Parked waits under several clocks: whole nanoseconds, a little more, a little less, any fraction.
module mb_clock_flat
  import muster_pkg::*;
  import muster_cfg_pkg::*;
#(
  parameter int unsigned NumClocks = 13,  // mb_clock_test.cpp has them, too
  parameter int unsigned NumWarps  = 4
) (
  input  logic        clk_i,
  input  logic        rst_ni,

  output logic [31:0] period_o [NumClocks],  // ps
  input  logic        park_valid_i  [NumClocks],
  input  logic [1:0]  warp_i   [NumClocks],
  input  logic [31:0] hint_i   [NumClocks],
  input  logic [31:0] stopped_ns_i [NumClocks],
  output logic        parked_o  [NumClocks],
  output logic        limited_o [NumClocks],
  output logic [3:0]  wake_o   [NumClocks],
  output logic [3:0]  expire_o [NumClocks]
);

  localparam int unsigned Periods [NumClocks] =
    '{1, 7, 333, 992, 999, 1000, 1001, 1007, 1008, 1500, 1993, 2000, 10003};

  for (genvar c = 0; c < NumClocks; c++) begin : g_clock
    localparam muster_cfg_t Cfg = '{
      NumWarps: NumWarps, NumCtas: 1, NumIssue: 1, WarpSize: 32, SmemBytes: 64, MbResponses: 2,
      ClockPeriodPs: Periods[c], WaitLimitNs: 4000, default: 1'b1  // all switches
    };

    /* verilator lint_off PINCONNECTEMPTY */  // no phase completes here
    muster_mb_park #(.Cfg(Cfg)) u_park (
      .clk_i, .rst_ni,
      .park_valid_i (park_valid_i[c]), .warp_i (warp_t'(warp_i[c])), .place_i ('0), .phase_i (1'b0),
      .conditional_phase_i (1'b0), .conditional_i (1'b0), .advances_i (1'b0), .report_i ('0),
      .limit_i (hint_i[c]), .parked_o (parked_o[c]),
      .completed_i (1'b0), .leave_i (1'b0), .leave_cta_i ('0), .stopped_ns_i (stopped_ns_i[c]),
      .limited_o (limited_o[c]), .wake_o (wake_o[c]), .wake_report_o (), .expire_o (expire_o[c])
    );
    /* verilator lint_on PINCONNECTEMPTY */

    assign period_o[c] = Periods[c];
  end

endmodule
