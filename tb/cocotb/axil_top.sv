// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// A unit with its AXI4-Lite adapter; the bus's signals have the names that bus models look for.
module axil_top
  import muster_pkg::*;
(
  input  logic        clk_i,
  input  logic        rst_ni,

  input  logic        issue_valid_i,
  output logic        issue_ready_o,
  input  issue_t      issue_i,
  input  logic        lifecycle_valid_i,
  output logic        lifecycle_ready_o,
  input  lifecycle_t  lifecycle_i,
  input  logic [7:0]  lifecycle_warps_i,
  output logic        irq_o,

  input  logic        s_axil_awvalid,
  output logic        s_axil_awready,
  input  logic [11:0] s_axil_awaddr,
  input  logic [2:0]  s_axil_awprot,
  input  logic        s_axil_wvalid,
  output logic        s_axil_wready,
  input  logic [31:0] s_axil_wdata,
  input  logic [3:0]  s_axil_wstrb,
  output logic        s_axil_bvalid,
  input  logic        s_axil_bready,
  output logic [1:0]  s_axil_bresp,
  input  logic        s_axil_arvalid,
  output logic        s_axil_arready,
  input  logic [11:0] s_axil_araddr,
  input  logic [2:0]  s_axil_arprot,
  output logic        s_axil_rvalid,
  input  logic        s_axil_rready,
  output logic [31:0] s_axil_rdata,
  output logic [1:0]  s_axil_rresp
);

  axil_unit_flat u_unit (
    .clk_i, .rst_ni, .issue_valid_i, .issue_ready_o, .issue_i,
    .lifecycle_valid_i, .lifecycle_ready_o, .lifecycle_i, .lifecycle_warps_i,
    .exit_valid_i (1'b0), .exit_ready_o (), .exit_i ('0),
    .mb_issue_valid_i (1'b0), .mb_issue_ready_o (), .mb_issue_addr_i ('0), .busy_o (),
    .awvalid_i (s_axil_awvalid), .awready_o (s_axil_awready), .awaddr_i (s_axil_awaddr),
    .wvalid_i (s_axil_wvalid), .wready_o (s_axil_wready), .wdata_i (s_axil_wdata),
    .wstrb_i (s_axil_wstrb),
    .bvalid_o (s_axil_bvalid), .bready_i (s_axil_bready), .bresp_o (s_axil_bresp),
    .arvalid_i (s_axil_arvalid), .arready_o (s_axil_arready), .araddr_i (s_axil_araddr),
    .rvalid_o (s_axil_rvalid), .rready_i (s_axil_rready), .rdata_o (s_axil_rdata),
    .rresp_o (s_axil_rresp), .irq_o
  );

  logic unused;
  assign unused = &{s_axil_awprot, s_axil_arprot};

endmodule
