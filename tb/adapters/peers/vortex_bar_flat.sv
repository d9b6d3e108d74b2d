// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The barrier unit of a core of Vortex with the pins that the adapter drives. There is one core, so the bus of
// global barriers is idle.
`include "VX_define.vh"

module vortex_bar_flat
  import VX_gpu_pkg::*;
(
  input  logic        clk_i,
  input  logic        rst_i,
  output logic [7:0]  warps_o,
  output logic [7:0]  bars_o,
  output logic [15:0] events_o,

  // A cycle ahead of the request, whose phase is read.
  input  logic [7:0]  read_cta_i,
  input  logic [7:0]  read_bar_i,
  output logic        read_phase_o,

  input  logic        req_valid_i,
  input  logic [7:0]  req_warp_i,
  input  logic [7:0]  req_bar_i,
  input  logic        req_event_i,
  input  logic        req_arrive_i,
  input  logic        req_sync_i,
  input  logic        req_phase_i,
  input  logic [7:0]  req_size_m1_i,

  output logic        unlock_valid_o,
  output logic [63:0] unlock_mask_o
);

  localparam int unsigned Warps = `VX_CFG_NUM_WARPS;
  logic [Warps-1:0] mask;
  barrier_t         req;

  assign warps_o       = 8'(Warps);
  assign bars_o        = 8'(`VX_CFG_NUM_BARRIERS);
  assign events_o      = 16'(`VX_CFG_MAX_BAR_EVENTS);
  assign unlock_mask_o = 64'(mask);

  always_comb begin
    req           = '0;
    req.id        = NB_WIDTH'(req_bar_i);
    req.is_event  = req_event_i;
    req.is_arrive = req_arrive_i;
    req.is_sync   = req_sync_i;
    req.phase     = req_phase_i;
    req.size_m1   = BAR_SIZE_W'(req_size_m1_i);
  end

  VX_gbar_bus_if gbar ();
  assign gbar.req_ready = 1'b1;
  assign gbar.rsp_valid = 1'b0;
  assign gbar.rsp_data  = '0;

  VX_bar_unit u_bar (
    .clk(clk_i),
    .reset(rst_i),
    .req_valid(req_valid_i),
    .req_wid(NW_WIDTH'(req_warp_i)),
    .req_data(req),
    .read_addr({NW_BITS'(read_cta_i), NB_BITS'(read_bar_i)}),
    .read_phase(read_phase_o),
    .gbar_bus_if(gbar),
    .active_warps('1),
    .unlock_valid(unlock_valid_o),
    .unlock_mask(mask)
  );

endmodule
