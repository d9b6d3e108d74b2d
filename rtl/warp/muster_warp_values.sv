// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The values of match.sync and redux.sync: a value for each lane of each warp, written as the lanes
// come, and read beat by beat once the lanes of a group are together. With four beats:
//
//     cycle       0        1        2        3        4        5        6        7        8 + l
//     start_i     high
//     address              0        1        2        3
//     beat                                   0        1        2        3
//     valid_o                                                                    match    redux
//
// l is log2(LanesPerBeat). With one beat, that is here in cycle 1; match answers in cycle 1, redux
// in cycle 2 + l. match.any has an answer after each pass over the beats, one for each value.
module muster_warp_values
  import muster_pkg::*;
  import muster_warp_pkg::*;
#(
  parameter warp_cfg_t Cfg,
  localparam int unsigned NumWarps     = Cfg.NumWarps,
  localparam int unsigned WarpSize     = Cfg.WarpSize,
  localparam int unsigned LanesPerBeat = Cfg.LanesPerBeat,
  localparam int unsigned WarpW = $clog2(NumWarps),
  localparam int unsigned LaneW = $clog2(WarpSize),
  localparam int unsigned Beats = WarpSize / LanesPerBeat,
  localparam int unsigned BeatW = (Beats > 1) ? $clog2(Beats) : 1,
  localparam int unsigned AddrW = $clog2(NumWarps * Beats)
) (
  input  logic             clk_i,
  input  logic             rst_ni,

  input  logic [WarpW-1:0] warp_i,    // of all that follows
  input  logic [LanesPerBeat-1:0] writes_i,  // lanes of the beat that have a value to write
  input  logic [BeatW-1:0] beat_i,
  input  logic [LanesPerBeat-1:0][63:0] values_i,

  input  logic             start_i,   // evaluates these lanes
  input  lanes_t           came_i,
  input  warp_code_t       code_i,    // stays until done_o
  output logic             valid_o,   // an answer
  // The lanes for which this answer of match.any is; of other operations it is for all.
  output lanes_t           same_o,
  output logic [31:0]      data_o,
  output logic             pred_o,
  output logic             done_o,    // after the last answer

  input  logic             read_i,    // reads the value of lane_i
  input  logic [LaneW-1:0] lane_i,
  output logic [63:0]      value_o    // that value, a cycle later, while lane_i stays
);

  localparam lanes_t Lanes = lanes_t'((64'd1 << WarpSize) - 64'd1);
  // From the last beat to the answer of redux.
  localparam int unsigned ReduxCycles = $clog2(LanesPerBeat) + ((Beats > 1) ? 2 : 1);

  logic [1:0]              start_q;           // the first beat is read; it comes from the memory
  logic                    active_q;          // a beat is here
  logic [ReduxCycles-1:0]  after_q;           // so many cycles, and one, after the last one
  warp_code_t              code_q;
  logic                    match, any, last, passed, more, more_now, more_then, ends, done_q;
  logic [BeatW-1:0]        beat_q, next;
  logic [AddrW-1:0]        write_at, read_at;
  // Lanes not answered yet; with the same value.
  lanes_t                  left_q, left, same_q, same;
  logic [31:0]             result;
  logic [LanesPerBeat-1:0] lanes, equal;
  logic [LanesPerBeat-1:0][63:0] read, read_q, values;
  logic [LanesPerBeat-1:0][31:0] words;

  assign match = is_match(code_q.op);
  assign any   = (code_q.op == 4'(WarpMatchAny));
  assign last  = active_q && (32'(beat_q) == Beats - 1);

  // What comes of a pass: of one beat at once.
  assign passed = match ? ((Beats == 1) ? last : after_q[0]) : after_q[ReduxCycles-1];
  assign more   = (Beats == 1) ? more_now : more_then;
  assign ends   = passed && !(any && more);

  always_comb begin
    next = '0;
    if (start_q[1]) next = BeatW'(1);
    if (active_q && Beats > 1) next = BeatW'(32'(beat_q) + 2);
    if (read_i && Beats > 1) next = BeatW'(32'(lane_i) / LanesPerBeat);
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      start_q  <= '0;
      active_q <= 1'b0;
      after_q  <= '0;
      done_q   <= 1'b0;
    end else begin
      start_q  <= (Beats > 1) ? {start_q[0], start_i} : 2'b00;
      active_q <= ((Beats > 1) ? start_q[1] : start_i) || (active_q && !ends && (any || !last));
      after_q  <= (after_q << 1) & {ReduxCycles{!match}};
      after_q[0] <= last && !ends;
      done_q   <= ends;
    end
  end

  // The beat's lanes are the lowest; after a pass each lane is in its place again.
  always_comb begin
    left = left_q >> LanesPerBeat;
    left[WarpSize-1-:LanesPerBeat] = lanes & ~equal;
    same = same_q >> LanesPerBeat;
    same[WarpSize-1-:LanesPerBeat] = equal;
    same_o = ((Beats == 1) ? same : same_q) & Lanes;
    if (start_i) left = came_i;
  end

  always_ff @(posedge clk_i) begin
    code_q <= code_i;
    beat_q <= (active_q && Beats > 1) ? beat_q + BeatW'(1) : '0;
    read_q <= read;
    if (start_i || active_q) left_q <= left;
    same_q <= same;
  end

  assign lanes    = left_q[LanesPerBeat-1:0];
  assign write_at = AddrW'(32'(warp_i) * Beats + 32'(beat_i));
  assign read_at  = AddrW'(32'(warp_i) * Beats + 32'(next));

  // One beat may be read while it is written; several are read after the last one has been written.
  for (genvar l = 0; l < LanesPerBeat; l++) begin : g_lane
    muster_ram #(.Depth(NumWarps * Beats), .Width(64), .Forward(Beats == 1)) u_values (
      .clk_i,
      .we_i (writes_i[l]), .waddr_i (write_at), .wdata_i (values_i[l]),
      .raddr_i (read_at), .rdata_o (read[l])
    );
    assign words[l] = values[l][31:0];
  end

  assign values = (Beats > 1) ? read_q : read;

  muster_warp_match #(.Cfg(Cfg)) u_match (
    .clk_i, .rst_ni, .mode_i (code_q.mode), .valid_i (active_q), .last_i (last),
    .lanes_i (lanes & {LanesPerBeat{match}}),
    .values_i (values), .equal_o (equal), .more_o (more_now), .more_q_o (more_then)
  );

  muster_warp_redux #(.Cfg(Cfg)) u_redux (
    .clk_i, .code_i (code_q), .first_i (active_q && beat_q == '0), .lanes_i (lanes),
    .values_i (words), .result_o (result)
  );

  assign valid_o = passed;
  assign pred_o  = match && !any && !more;
  assign data_o  = match ? same_o & {32{any || !more}} : result;
  assign done_o  = done_q;

  if (LanesPerBeat > 1) begin : g_value
    assign value_o = read[lane_i[$clog2(LanesPerBeat)-1:0]];
  end else begin : g_value
    assign value_o = read[0];
  end

endmodule
