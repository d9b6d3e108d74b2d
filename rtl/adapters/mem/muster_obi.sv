// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The unit's ports to shared memory, as one OBI manager (Open Bus Interface, version 1: A and R channels,
// answers in order), 64 bits wide.
module muster_obi
  import muster_pkg::*;
#(
  parameter int unsigned Outstanding = 4  // as in muster_mem_port
) (
  input  logic        clk_i,
  input  logic        rst_ni,         // of the bus
  input  logic        unit_rst_ni,    // of the unit

  // The unit, and where a CTA's shared memory begins: as in muster_mem_port.
  input  logic        read_valid_i,
  output logic        read_ready_o,
  input  mb_place_t   read_place_i,
  output logic        rdata_valid_o,
  output mb_word_t    rdata_o,
  input  logic        write_valid_i,
  output logic        write_ready_o,
  input  mb_place_t   write_place_i,
  input  mb_word_t    write_data_i,
  output cta_t        cta_o,
  input  logic [31:0] base_i,

  // OBI, A channel.
  output logic        req_o,
  input  logic        gnt_i,
  output logic [31:0] addr_o,
  output logic        we_o,
  output logic [7:0]  be_o,
  output logic [63:0] wdata_o,
  // R channel: every transfer has a response.
  input  logic        rvalid_i,
  output logic        rready_o,       // always
  input  logic [63:0] rdata_i
);

  muster_mem_port #(.WriteAnswers(1'b1), .Outstanding(Outstanding)) u_port (
    .clk_i, .rst_ni, .unit_rst_ni,
    .read_valid_i, .read_ready_o, .read_place_i, .rdata_valid_o, .rdata_o,
    .write_valid_i, .write_ready_o, .write_place_i, .write_data_i, .cta_o, .base_i,
    .req_o, .gnt_i, .addr_o, .we_o, .wdata_o, .rvalid_i, .rdata_i
  );

  assign be_o     = '1;
  assign rready_o = 1'b1;

endmodule
