// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The AXI4-Lite adapter with a port for each field that the test drives in place of the unit.
module axil_flat
  import muster_pkg::*;
  import muster_cfg_pkg::*;
#(
  parameter int unsigned NumWarps    = 8,
  parameter int unsigned NumCtas     = 2,
  parameter int unsigned NumIssue    = 1,
  parameter int unsigned EnReduce    = 1,
  parameter int unsigned EnLifecycle = 1,
  parameter int unsigned EnCounters  = 1
) (
  input  logic               clk_i,
  input  logic               rst_ni,

  input  logic               awvalid_i,
  output logic               awready_o,
  input  logic [11:0]        awaddr_i,
  input  logic               wvalid_i,
  output logic               wready_o,
  input  logic [31:0]        wdata_i,
  input  logic [3:0]         wstrb_i,
  output logic               bvalid_o,
  input  logic               bready_i,
  output logic [1:0]         bresp_o,
  input  logic               arvalid_i,
  output logic               arready_o,
  input  logic [11:0]        araddr_i,
  output logic               rvalid_o,
  input  logic               rready_i,
  output logic [31:0]        rdata_o,
  output logic [1:0]         rresp_o,
  output logic               irq_o,

  input  logic               lifecycle_valid_i,
  input  logic               lifecycle_ready_i,
  input  logic [2:0]         lifecycle_op_i,
  input  logic [4:0]         lifecycle_cta_i,

  input  logic [NumIssue+1:0] fault_valid_i,
  input  logic [4:0]         fault_cause_i [NumIssue+2],
  input  logic [4:0]         fault_cta_i   [NumIssue+2],
  input  logic [5:0]         fault_warp_i  [NumIssue+2],
  input  logic [31:0]        fault_lanes_i [NumIssue+2],
  input  logic [3:0]         fault_bar_i   [NumIssue+2],
  input  logic               mb_fault_valid_i,
  input  logic [4:0]         mb_fault_cause_i,
  input  logic [1:0]         mb_fault_source_i,
  input  logic [4:0]         mb_fault_cta_i,
  input  logic [5:0]         mb_fault_warp_i,
  input  logic [31:0]        mb_fault_lanes_i,
  input  logic [31:0]        mb_fault_addr_i,

  input  logic               commit_lifecycle_i,
  input  logic               entry_valid_i,
  input  logic [4:0]         entry_cta_i,
  input  logic [3:0]         entry_bar_i,
  input  logic [31:0]        entry_word_i,

  output logic [4:0]         debug_cta_o,
  output logic [3:0]         debug_bar_o,
  input  logic [31:0]        debug_word_i,
  output logic [5:0]         debug_warp_o,
  input  logic               debug_waiting_i,
  input  logic               debug_live_i,
  input  logic [4:0]         debug_warp_cta_i
);

  fault_t [NumIssue+1:0] fault;

  for (genvar p = 0; p < NumIssue + 2; p++) begin : g_fault
    assign fault[p] = '{cause: fault_e'(fault_cause_i[p]), cta: fault_cta_i[p],
                        warp: fault_warp_i[p], lanes: fault_lanes_i[p], bar: fault_bar_i[p]};
  end

  localparam muster_cfg_t Cfg = '{
    NumWarps: NumWarps, NumCtas: NumCtas, NumIssue: NumIssue, WarpSize: 32, EnReduce: EnReduce != 0, EnState: 1'b0,
    EnLanes: 1'b0, EnLifecycle: EnLifecycle != 0, SmemBytes: 1024, MbResponses: 8, ClockPeriodPs: 1000, WaitLimitNs: 4000,
    default: 1'b1  // all other switches
  };

  muster_axil #(.Cfg(Cfg), .EnCounters(EnCounters != 0)) u_axil (
    .clk_i, .rst_ni,
    .awvalid_i, .awready_o, .awaddr_i, .wvalid_i, .wready_o, .wdata_i, .wstrb_i,
    .bvalid_o, .bready_i, .bresp_o, .arvalid_i, .arready_o, .araddr_i, .rvalid_o, .rready_i,
    .rdata_o, .rresp_o, .irq_o,
    .lifecycle_valid_i, .lifecycle_ready_i,
    .lifecycle_i ('{op: lifecycle_e'(lifecycle_op_i), cta: lifecycle_cta_i, default: '0}),
    .fault_valid_i, .fault_i (fault), .mb_fault_valid_i,
    .mb_fault_i ('{cause: fault_e'(mb_fault_cause_i), source: mb_source_e'(mb_fault_source_i),
                   warp: mb_fault_warp_i, lanes: mb_fault_lanes_i,
                   place: '{cta: mb_fault_cta_i, addr: mb_fault_addr_i}}),
    .commit_i ('{lifecycle: commit_lifecycle_i, entry_valid: entry_valid_i, entry_cta: entry_cta_i,
                 entry_bar: entry_bar_i, entry_word: entry_word_i, default: '0}),
    .debug_cta_o, .debug_bar_o, .debug_word_i, .debug_warp_o,
    .debug_warp_i ('{waiting: debug_waiting_i, live: debug_live_i, cta: debug_warp_cta_i})
  );

endmodule
