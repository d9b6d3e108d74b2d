// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Each warp's own copy of its latest reduction (BCU ISA, BAR.RED), which stays until its next
// reduction completes. A release writes the result for any number of warps at once, so the copies
// are registers: in configuration large they take a fifth of the LUTs, and two fifths of the
// flip-flops. A core that takes results from the release itself needs none (EnResult).
module muster_results
  import muster_pkg::*;
  import muster_cta_pkg::*;
#(
  parameter int unsigned NumWarps = 32,
  localparam int unsigned WarpW   = $clog2(NumWarps),
  localparam int unsigned ValueW  = WarpW + 6
) (
  input  logic                clk_i,
  input  logic                rst_ni,

  input  logic [NumWarps-1:0] warps_i,  // the warps that arrive to wait, are written, or cleared
  // They wait by OpWait, so take no part in what releases them.
  input  logic                waits_apart_i,
  input  logic                write_i,         // they are written: the value comes a cycle later
  input  logic [NumWarps-1:0] release_i,
  input  release_t            release_info_i,  // its value: of R2B.WARP too

  input  logic [WarpW-1:0]    next_warp_i,     // the warp to read in the next cycle
  input  logic [WarpW-1:0]    warp_i,          // the warp to read in this cycle
  output logic [ValueW-1:0]   result_o
);

  // -------------------------------------------------------------------------------------------
  // The copies
  // -------------------------------------------------------------------------------------------

  logic [NumWarps-1:0][ValueW-1:0] results_q;
  logic [NumWarps-1:0]             apart_q;    // the warp's latest wait is an OpWait
  // warps_i of the cycle before: by R2B.WARP, if write_q.
  logic [NumWarps-1:0]             written_q;
  logic                            released, write_q;

  assign released = is_reduction(release_info_i.kind);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      write_q <= 1'b0;
    end else begin
      write_q <= write_i;
    end
  end

  always_ff @(posedge clk_i) begin
    written_q <= warps_i;
    apart_q   <= (apart_q & ~warps_i) | ({NumWarps{waits_apart_i}} & warps_i);
    if (write_q || released) begin
      for (int w = 0; w < NumWarps; w++) begin
        if (write_q ? written_q[w] : (release_i[w] && released && !apart_q[w])) begin
          results_q[w] <= release_info_i.value[ValueW-1:0];
        end
      end
    end
  end

  // -------------------------------------------------------------------------------------------
  // One is read in two steps: by the low bits of the warp's number, and a cycle later by the others
  // -------------------------------------------------------------------------------------------

  localparam int unsigned NumPlaces = 1 << WarpW;
  localparam int unsigned LowW  = (WarpW > 3) ? WarpW - 2 : WarpW - 1;
  localparam int unsigned Parts = 1 << (WarpW - LowW);

  logic [Parts-1:0][ValueW-1:0]     parts_q;
  logic [NumPlaces-1:0][ValueW-1:0] results;  // a warp that the unit lacks has 0

  assign results  = (NumPlaces*ValueW)'(results_q);
  assign result_o = parts_q[warp_i[WarpW-1:LowW]];

  always_ff @(posedge clk_i) begin
    for (int i = 0; i < Parts; i++) begin
      parts_q[i] <= results[{(WarpW-LowW)'(i), next_warp_i[LowW-1:0]}];
    end
  end

endmodule
