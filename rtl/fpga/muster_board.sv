// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The part that all boards share: the unit, its shared memory, and the link to the host. The tops
// of the boards add a PLL and pins.
//
// The unit has a clock of its own, the output of a flip-flop of the link, so the clock has no
// glitch wherever the tools place the cells. It rises at most once in four cycles of clk_i. Signals
// that cross, either way, are steady for three of them, so no crossing needs a constraint. The
// memory runs on clk_i: it is written with the edge of clk_i from which the unit's edge follows,
// and read one cycle later.
module muster_board
  import muster_pkg::*;
  import muster_cfg_pkg::*;
  import muster_fpga_pkg::*;
#(
  parameter bit          EnMbarrier   = 1'b0,
  parameter bit          EnRemote     = 1'b0,  // operations of other CTAs of a cluster
  parameter int unsigned SmemBytes    = 1024,  // of a CTA
  parameter int unsigned MbResponses  = 4,     // places in the response queue
  parameter int unsigned ClockMhz     = 48,
  parameter int unsigned ClocksPerBit = 16,
  parameter int unsigned GapCycles    = 262144
) (
  input  logic       clk_i,
  input  logic       rst_ni,
  input  logic       rx_i,
  output logic       tx_o,
  output logic [7:0] refused_o,  // frames
  // The unit's clock, as the link makes it, and from the board's clock buffer.
  output logic       unit_clk_o,
  input  logic       unit_clk_i
);

  localparam int unsigned NumPins =
      ($bits(cta_pins_t) + (EnMbarrier ? $bits(mb_pins_t) : 0) +
       (EnMbarrier && EnRemote ? $bits(mb_remote_pins_t) : 0)) / 8;
  localparam int unsigned NumLevels =
      ($bits(cta_levels_t) + (EnMbarrier ? $bits(mb_levels_t) : 0)) / 8;
  localparam int unsigned NumEvents   = $bits(cta_events_t) / 8;
  localparam int unsigned NumMbEvents = EnMbarrier ? $bits(mb_events_t) / 8 : 0;
  localparam int unsigned NumReport   = NumLevels + NumEvents + NumMbEvents;
  localparam int unsigned MemoryBytes = NumCtas * SmemBytes;
  localparam int unsigned MemoryW     = $clog2(MemoryBytes);

  // -------------------------------------------------------------------------------------------
  // Link
  // -------------------------------------------------------------------------------------------

  logic                   unit_rst_n;
  logic                   ahead, after_pulse, store;
  logic [8*NumPins-1:0]   all_pins;
  logic [8*NumReport-1:0] all_outputs;
  logic [7:0]             report_length;
  logic                   event_here, mb_event_here;
  logic [MemoryW-1:0]     store_addr;
  logic [7:0]             store_byte;

  muster_link #(
    .EnMemory(EnMbarrier), .NumPins(NumPins), .NumReport(NumReport), .MemoryBytes(MemoryBytes),
    .EnRemote(EnMbarrier && EnRemote), .SmemLog2($clog2(SmemBytes)),
    .ClockMhz(ClockMhz), .ClocksPerBit(ClocksPerBit), .GapCycles(GapCycles)
  ) u_link (
    .clk_i, .rst_ni, .rx_i, .tx_o,
    .unit_clk_o, .unit_rst_no (unit_rst_n),
    .pins_o (all_pins), .report_i (all_outputs), .report_length_i (report_length),
    .ahead_o (ahead), .after_o (after_pulse),
    .store_o (store), .store_addr_o (store_addr), .store_byte_o (store_byte),
    .refused_o
  );

  assign report_length =
      8'(NumLevels + ((event_here || mb_event_here) ? NumEvents : 0) +
         (mb_event_here ? NumMbEvents : 0));

  // -------------------------------------------------------------------------------------------
  // Unit
  // -------------------------------------------------------------------------------------------

  cta_pins_t   pins;
  mb_pins_t    mb_pins;
  mb_remote_t  mb_remote;
  cta_levels_t levels;
  mb_levels_t  mb_levels;
  cta_events_t events;
  mb_events_t  mb_events;
  fault_t [2:0] fault;
  commit_t     commit;
  mb_commit_t  mb_commit;
  mb_word_t    rdata;
  mb_place_t   read_place;
  mb_place_t [MbHeld-1:0] held;

  assign pins = all_pins[$bits(cta_pins_t)-1:0];

  localparam muster_cfg_t Cfg = '{
    NumWarps: NumWarps, NumCtas: NumCtas, NumIssue: 1, WarpSize: 32, EnMbarrier: EnMbarrier,
    SmemBytes: SmemBytes,
    // All other switches.
    MbResponses: MbResponses, EnReport: 1'b0, ClockPeriodPs: 1000, WaitLimitNs: 4000, default: 1'b1
  };

  muster #(.Cfg(Cfg)) u_muster (
    .clk_i (unit_clk_i), .rst_ni (unit_rst_n),
    .issue_valid_i (pins.issue_valid), .issue_ready_o (levels.issue_ready), .issue_i (pins.issue),
    .busy_o (levels.busy),
    /* verilator lint_off PINCONNECTEMPTY */
    .idle_o (), .mb_idle_o (),  // the link starts and stops the clock
    .mb_wake_report_o (),       // the link carries no report
    /* verilator lint_on PINCONNECTEMPTY */
    .lifecycle_valid_i (pins.lifecycle_valid), .lifecycle_ready_o (levels.lifecycle_ready),
    .lifecycle_i (pins.lifecycle), .lifecycle_warps_i (pins.warps),
    .exit_valid_i (pins.exit_valid), .exit_ready_o (levels.exit_ready), .exit_i (pins.exit),
    .fence_req_o (levels.fence_req), .fence_ack_i (pins.fence_ack),
    .release_o (levels.released), .release_info_o (events.release_info),
    .response_valid_o (levels.response_valid), .response_ready_i (pins.response_ready),
    .response_o (events.response),
    .fault_valid_o (levels.fault_valid), .fault_o (fault),
    .commit_o (commit),
    .debug_cta_i (pins.debug_cta), .debug_bar_i (pins.debug_bar),
    .debug_word_o (levels.debug_word),
    .debug_warp_i (pins.debug_warp), .debug_warp_o (levels.debug_warp),

    .mb_clk_i (unit_clk_i),
    .mb_issue_valid_i (pins.mb_issue_valid), .mb_issue_ready_o (mb_levels.issue_ready),
    .mb_issue_i (mb_pins.group),
    .mb_async_valid_i (pins.mb_async_valid), .mb_async_ready_o (mb_levels.async_ready),
    .mb_async_i (mb_pins.async),
    .mb_remote_valid_i (EnRemote && pins.mb_remote_valid),
    .mb_remote_ready_o (mb_levels.remote_ready), .mb_remote_i (mb_remote),
    .mb_busy_o (mb_levels.busy),
    .mb_fence_req_o (mb_levels.fence_req), .mb_fence_ack_i (pins.mb_fence_ack),
    .smem_read_valid_o (mb_levels.read_valid), .smem_read_ready_i (pins.read_ready),
    .smem_read_place_o (read_place),
    .smem_rdata_valid_i (pins.rdata_valid), .smem_rdata_i (rdata),
    .smem_write_valid_o (mb_levels.write_valid), .smem_write_ready_i (pins.write_ready),
    .smem_write_place_o (mb_events.write_place), .smem_write_data_o (mb_events.write_data),
    .smem_held_valid_o (mb_levels.held_valid), .smem_held_place_o (held),
    .smem_yield_i (pins.yield), .mb_stopped_ns_i ('0),
    .mb_response_valid_o (mb_levels.response_valid), .mb_response_ready_i (pins.mb_response_ready),
    .mb_response_o (mb_events.response),
    .mb_wake_o (mb_levels.wake), .mb_expire_o (mb_levels.expire),
    .mb_fault_valid_o (mb_levels.fault_valid), .mb_fault_o (mb_events.fault),
    .mb_commit_o (mb_commit)
  );

  assign levels.pad0              = '0;
  assign levels.pad1              = '0;
  assign levels.commit_exit       = commit.exit;
  assign levels.commit_valid      = commit.valid[0];
  assign levels.commit_lifecycle  = commit.lifecycle;
  assign levels.entry_valid       = commit.entry_valid;
  assign events.pad0              = '0;
  assign events.pad1              = '0;
  assign events.pad2              = '0;
  assign events.pad3              = '0;
  assign events.pad4              = '0;
  assign events.issue_fault       = fault[0];
  assign events.lifecycle_fault   = levels.fault_valid[2] ? fault[2] : fault[1];
  assign events.commit_warp       = commit.warp[0];
  assign events.entry_cta         = commit.entry_cta;
  assign events.entry_bar         = commit.entry_bar;
  assign events.entry_word        = commit.entry_word;
  assign mb_levels.pad0           = '0;
  assign mb_levels.commit_valid   = mb_commit.valid;
  assign mb_events.pad0           = '0;
  assign mb_events.pad1           = '0;
  assign mb_events.pad2           = '0;
  assign mb_events.pad3           = '0;
  assign mb_events.pad4           = '0;
  assign mb_events.commit_source  = mb_commit.source;
  assign mb_events.commit_warp    = mb_commit.warp;
  assign mb_events.commit_lanes   = mb_commit.lanes;
  assign mb_events.commit_written = mb_commit.written;
  assign mb_events.commit_completed = mb_commit.completed;
  assign mb_events.commit_parked  = mb_commit.parked;
  assign mb_events.read_place     = wired(read_place);
  assign mb_events.held           = {wired(held[1]), wired(held[0])};

  // The address lines that the memory has.
  function automatic mb_place_t wired(mb_place_t place);
    return '{cta: place.cta, addr: 32'(place.addr[$clog2(SmemBytes)-1:0])};
  endfunction

  assign event_here = levels.commit_valid || levels.commit_lifecycle || levels.commit_exit ||
                      levels.entry_valid ||
                      levels.response_valid || levels.fault_valid != '0 || levels.released != '0;

  // -------------------------------------------------------------------------------------------
  // Shared memory
  // -------------------------------------------------------------------------------------------

  if (EnMbarrier) begin : g_memory
    localparam int unsigned SmemW = $clog2(SmemBytes);

    logic               read_q;
    logic [MemoryW-1:3] read_addr_q;

    function automatic logic [MemoryW-1:3] word_of(mb_place_t place);
      return {place.cta[$clog2(NumCtas)-1:0], place.addr[SmemW-1:3]};
    endfunction

    always_ff @(posedge clk_i) begin
      if (ahead) begin
        read_q      <= mb_levels.read_valid && pins.read_ready;
        read_addr_q <= word_of(read_place);
      end
    end

    muster_fpga_memory #(.NumBytes(MemoryBytes)) u_memory (
      .clk_i,
      .store_i (store), .store_addr_i (store_addr), .store_byte_i (store_byte),
      .write_i (ahead && unit_rst_n && mb_levels.write_valid && pins.write_ready),
      .write_addr_i (word_of(mb_events.write_place)), .write_data_i (mb_events.write_data),
      .read_i (after_pulse && read_q), .read_addr_i (read_addr_q), .rdata_o (rdata)
    );

    mb_pins_t given;

    assign given = all_pins[$bits(cta_pins_t) +: $bits(mb_pins_t)];

    // Only numbers of existing warps and CTAs arrive here: the unit does not check them.
    always_comb begin
      mb_pins                 = given;
      mb_pins.group.warp      = given.group.warp & warp_t'(NumWarps - 1);
      mb_pins.group.place.cta = given.group.place.cta & cta_t'(NumCtas - 1);
      mb_pins.async.place.cta = given.async.place.cta & cta_t'(NumCtas - 1);
    end

    if (EnRemote) begin : g_remote
      assign mb_remote = all_pins[$bits(cta_pins_t) + $bits(mb_pins_t) +: $bits(mb_remote_t)];
    end else begin : g_no_remote
      assign mb_remote = '0;
    end
    assign all_outputs   = {mb_events, events, mb_levels, levels};
    assign mb_event_here = mb_levels.read_valid || mb_levels.write_valid ||
                           mb_levels.held_valid != '0 || mb_levels.response_valid ||
                           mb_levels.fault_valid || mb_levels.commit_valid;
  end else begin : g_no_memory
    assign mb_pins       = '0;
    assign mb_remote     = '0;
    assign rdata         = '0;
    assign all_outputs   = {events, levels};
    assign mb_event_here = 1'b0;
  end

endmodule
