// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Finds, in a pass over the beats, the lanes that have the same value as the first lane (PTX
// 9.7.13.10, match.sync).
module muster_warp_match
  import muster_pkg::*;
  import muster_warp_pkg::*;
#(
  parameter warp_cfg_t Cfg,
  localparam int unsigned LanesPerBeat = Cfg.LanesPerBeat
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic [1:0]  mode_i,   // b32 or b64
  input  logic        valid_i,  // a beat is here
  // The beat is the last of a pass; the next pass has a first lane of its own.
  input  logic        last_i,
  input  logic [LanesPerBeat-1:0]       lanes_i,  // of the beat, that take part
  input  logic [LanesPerBeat-1:0][63:0] values_i,
  output logic [LanesPerBeat-1:0]       equal_o,  // of these
  output logic        more_o,   // with the last beat: some lane of the pass differs
  output logic        more_q_o  // more_o a cycle later
);

  logic        set_q;         // the first lane has come
  logic        differs_q;     // a lane has come that differs
  logic [63:0] reference_q, reference, chosen;

  // With one lane per beat, the first lane is equal by definition.
  always_comb begin
    chosen = values_i[0];
    for (int l = LanesPerBeat - 1; l >= 0; l--) begin
      if (lanes_i[l]) chosen = values_i[l];
    end
    reference = (set_q || LanesPerBeat == 1) ? reference_q : chosen;
    for (int l = 0; l < LanesPerBeat; l++) begin
      equal_o[l] = lanes_i[l] && ((LanesPerBeat == 1 && !set_q) ||
                   (values_i[l][31:0] == reference[31:0] &&
                    (mode_i != ModeB64 || values_i[l][63:32] == reference[63:32])));
    end
  end

  assign more_o   = (set_q && differs_q) || (lanes_i & ~equal_o) != '0;
  assign more_q_o = differs_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      set_q <= 1'b0;
    end else if (valid_i) begin
      set_q <= !last_i && (set_q || lanes_i != '0);
    end
  end

  always_ff @(posedge clk_i) begin
    differs_q <= more_o;
    if (!set_q) reference_q <= chosen;
  end

endmodule
