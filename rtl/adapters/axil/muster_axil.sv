// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// What a system on chip needs beside the unit: an AXI4-Lite subordinate with an interrupt, on the
// unit's clock and reset. It watches the lifecycle port, the faults and the observation ports of
// the unit, and drives nothing but the debug read port. The README has the registers, and who
// connects what.
module muster_axil
  import muster_pkg::*;
  import muster_cfg_pkg::*;
  import muster_axil_pkg::*;
#(
  parameter muster_cfg_t Cfg,               // as that of the unit
  parameter bit          EnCounters = 1'b1  // COMPLETED and WAITED; else they read 0
) (
  input  logic                      clk_i,
  input  logic                      rst_ni,

  // The bus. AWPROT and ARPROT are left out: all accesses are treated alike.
  input  logic                      awvalid_i,
  output logic                      awready_o,
  input  addr_t                     awaddr_i,   // bits 1:0 are ignored, and those of ARADDR
  input  logic                      wvalid_i,
  output logic                      wready_o,
  input  logic [31:0]               wdata_i,
  input  logic [3:0]                wstrb_i,
  output logic                      bvalid_o,
  input  logic                      bready_i,
  output logic [1:0]                bresp_o,
  input  logic                      arvalid_i,
  output logic                      arready_o,
  input  addr_t                     araddr_i,
  output logic                      rvalid_o,
  input  logic                      rready_i,
  output logic [31:0]               rdata_o,
  output logic [1:0]                rresp_o,
  output logic                      irq_o,      // a level

  // The unit: its inputs and outputs of these names.
  input  logic                      lifecycle_valid_i,
  input  logic                      lifecycle_ready_i,
  input  lifecycle_t                lifecycle_i,
  input  logic   [Cfg.NumIssue+1:0] fault_valid_i,
  input  fault_t [Cfg.NumIssue+1:0] fault_i,
  input  logic                      mb_fault_valid_i,
  input  mb_fault_t                 mb_fault_i,
  input  commit_t                   commit_i,
  output cta_t                      debug_cta_o,
  output bar_t                      debug_bar_o,
  input  bar_word_t                 debug_word_i,
  output warp_t                     debug_warp_o,
  input  debug_warp_t               debug_warp_i
);

  // -------------------------------------------------------------------------------------------
  // The bus
  // -------------------------------------------------------------------------------------------

  logic        write, read;
  addr_t       write_addr, read_addr;
  logic [31:0] write_mask, write_data, written, rdata;

  muster_axil_bus u_bus (
    .clk_i, .rst_ni,
    .awvalid_i, .awready_o, .awaddr_i, .wvalid_i, .wready_o, .wdata_i, .wstrb_i,
    .bvalid_o, .bready_i, .bresp_o, .arvalid_i, .arready_o, .araddr_i, .rvalid_o, .rready_i,
    .rdata_o, .rresp_o,
    .write_o (write), .write_addr_o (write_addr), .write_mask_o (write_mask),
    .write_data_o (write_data),
    .read_o (read), .read_addr_o (read_addr), .rdata_i (rdata)
  );

  // -------------------------------------------------------------------------------------------
  // Registers that are written
  // -------------------------------------------------------------------------------------------

  control_reg_t     control_q, control_d;
  irq_pending_reg_t pending_q, events;
  irq_enable_reg_t  enable_q, enable_d;
  debug_index_reg_t index_q, index_d;
  logic [31:0]      cleared;
  logic             clear_faults, clear_counters;

  assign written = write_data & write_mask;

  always_comb begin
    control_d = control_q;
    enable_d  = enable_q;
    index_d   = index_q;
    cleared   = '0;
    if (write) begin
      unique case (write_addr)
        ControlAddr:    control_d = (control_q & ~write_mask) | written;
        IrqPendingAddr: cleared   = written;
        IrqEnableAddr:  enable_d  = (enable_q & ~write_mask) | written;
        DebugIndexAddr: index_d   = (index_q & ~write_mask) | written;
        default: ;
      endcase
    end
  end

  assign clear_faults   = control_d.clear_faults;
  assign clear_counters = control_d.clear_counters;

  // Each is a word whose fields alone are kept; the others are constants.
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      control_q <= '0;
      pending_q <= '0;
      enable_q  <= '0;
      index_q   <= '0;
    end else begin
      control_q <= '{freeze: control_d.freeze, default: '0};
      pending_q <= (pending_q & ~cleared) | events;
      enable_q  <= '{lost: enable_d.lost, fault: enable_d.fault, default: '0};
      index_q   <= '{warp: index_d.warp, cta: index_d.cta, bar: index_d.bar, default: '0};
    end
  end

  assign irq_o = (pending_q & enable_q) != '0;

  // -------------------------------------------------------------------------------------------
  // What watches the unit
  // -------------------------------------------------------------------------------------------

  fault_reg_t         fault;
  lanes_t             fault_lanes;
  logic [31:0]        fault_address, completed, waited;
  logic [15:0]        fault_lost;
  logic [4:0]         fault_count;
  logic               fault_arrives, fault_loses, launched, left;
  cta_t               slot;
  logic [MaxCtas-1:0] resident;
  bar_word_t          entry;
  debug_warp_reg_t    warp;

  assign events = '{fault: fault_arrives, lost: fault_loses, default: '0};

  muster_axil_faults #(.NumIssue(Cfg.NumIssue)) u_faults (
    .clk_i, .rst_ni,
    .fault_valid_i, .fault_i, .mb_fault_valid_i, .mb_fault_i,
    .clear_i (clear_faults), .pop_i (read && read_addr == FaultAddr),
    .fault_o (fault), .lanes_o (fault_lanes), .address_o (fault_address),
    .count_o (fault_count), .lost_o (fault_lost),
    .fault_arrives_o (fault_arrives), .fault_lost_o (fault_loses)
  );

  muster_axil_slots #(
    .NumCtas(Cfg.NumCtas), .Delay((Cfg.EnReduce || Cfg.NumIssue > 1) ? 2 : 1)
  ) u_slots (
    .clk_i, .rst_ni,
    .lifecycle_valid_i, .lifecycle_ready_i, .lifecycle_i,
    .commit_lifecycle_i (commit_i.lifecycle), .refused_i (fault_valid_i[Cfg.NumIssue]),
    .launched_o (launched), .ended_o (left), .cta_o (slot), .resident_o (resident)
  );

  muster_axil_debug #(.NumWarps(Cfg.NumWarps), .NumCtas(Cfg.NumCtas)) u_debug (
    .clk_i,
    .index_i (index_q), .resident_i (resident), .entry_o (entry), .warp_o (warp),
    .debug_cta_o, .debug_bar_o, .debug_word_i, .debug_warp_o, .debug_warp_i, .commit_i
  );

  if (EnCounters) begin : g_counters
    muster_axil_counters #(.NumWarps(Cfg.NumWarps), .NumCtas(Cfg.NumCtas)) u_counters (
      .clk_i, .rst_ni,
      .commit_i, .launched_i (launched), .left_i (left), .slot_i (slot),
      .freeze_i (control_q.freeze), .clear_i (clear_counters),
      .read_i (read), .bar_i (read_addr[5:2]),
      .completed_o (completed), .waited_o (waited)
    );
  end else begin : g_no_counters
    assign completed = '0;
    assign waited    = '0;
  end

  // -------------------------------------------------------------------------------------------
  // Reads
  // -------------------------------------------------------------------------------------------

  config_reg_t       sizes;
  features_reg_t     switches;
  fault_status_reg_t status;

  assign sizes    = '{num_warps: 7'(Cfg.NumWarps), num_ctas: 6'(Cfg.NumCtas),
                      num_issue: 3'(Cfg.NumIssue), default: '0};
  assign switches = '{reduce: Cfg.EnReduce, state: Cfg.EnState, faults: Cfg.EnFaults,
                      drain: Cfg.EnDrain,
                      lanes: Cfg.EnLanes, mbarrier: Cfg.EnMbarrier,
                      mb_limit: Cfg.EnMbLimit, counters: EnCounters, joins: Cfg.EnJoin,
                      split: Cfg.EnSplit, result: Cfg.EnReduce && Cfg.EnResult,
                      report: Cfg.EnReport, default: '0};
  assign status   = '{count: fault_count, empty: fault_count == '0, full: fault_count == 5'd16,
                      lost: fault_lost != '0, default: '0};

  always_comb begin
    unique case (read_addr) inside
      IdAddr:           rdata = "MUST";
      VersionAddr:      rdata = Version;
      ConfigAddr:       rdata = sizes;
      FeaturesAddr:     rdata = switches;
      ControlAddr:      rdata = control_q;
      IrqPendingAddr:   rdata = pending_q;
      IrqEnableAddr:    rdata = enable_q;
      ResidentAddr:     rdata = resident;
      FaultStatusAddr:  rdata = status;
      FaultLostAddr:    rdata = 32'(fault_lost);
      FaultAddr:        rdata = fault;
      FaultLanesAddr:   rdata = fault_lanes;
      FaultAddressAddr: rdata = fault_address;
      DebugIndexAddr:   rdata = index_q;
      DebugEntryAddr:   rdata = entry;
      DebugWarpAddr:    rdata = warp;
      [CompletedAddr:CompletedAddr + 12'h03f]: rdata = completed;
      [WaitedAddr:WaitedAddr + 12'h03f]:       rdata = waited;
      default:          rdata = '0;
    endcase
  end

endmodule
