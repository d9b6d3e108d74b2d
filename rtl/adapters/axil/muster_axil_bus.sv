// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The AXI4-Lite side: turns the five channels into a write or a read of one register at a time.
// Address and data of a write are accepted independently. All ready and valid signals come from
// registers. An address that has no register, and a write to a register that only reads, is
// answered with SLVERR and does nothing.
//
//   cycle           0        1        2        3        4        5
//   write   AW, W accepted  write_o  BVALID              (W or AW, whichever is later)
//   read    AR accepted     read_o                     rdata_i  RVALID
//
// A write waits until the response of the last one has been taken; the next read is accepted in the
// cycle after the data of the last one have been taken.
module muster_axil_bus
  import muster_axil_pkg::*;
(
  input  logic        clk_i,
  input  logic        rst_ni,

  input  logic        awvalid_i,
  output logic        awready_o,
  input  addr_t       awaddr_i,
  input  logic        wvalid_i,
  output logic        wready_o,
  input  logic [31:0] wdata_i,
  input  logic [3:0]  wstrb_i,
  output logic        bvalid_o,
  input  logic        bready_i,
  output logic [1:0]  bresp_o,
  input  logic        arvalid_i,
  output logic        arready_o,
  input  addr_t       araddr_i,
  output logic        rvalid_o,
  input  logic        rready_i,
  output logic [31:0] rdata_o,
  output logic [1:0]  rresp_o,

  output logic        write_o,       // a pulse: a register is written; none at other addresses
  output addr_t       write_addr_o,  // of its word
  output logic [31:0] write_mask_o,  // the bits that are written
  output logic [31:0] write_data_o,
  output logic        read_o,        // a pulse: a read begins
  output addr_t       read_addr_o,
  input  logic [31:0] rdata_i        // the data of a read, three cycles after its pulse
);

`include "muster_assert.svh"

  localparam logic [1:0] Okay   = 2'b00;
  localparam logic [1:0] SlvErr = 2'b10;

  // -------------------------------------------------------------------------------------------
  // Writes
  // -------------------------------------------------------------------------------------------

  logic        aw_full_q, w_full_q, bvalid_q, executes;
  logic [1:0]  bresp_q;
  addr_t       awaddr_q;
  logic [31:0] wdata_q;
  logic [3:0]  wstrb_q;

  assign awready_o = !aw_full_q;
  assign wready_o  = !w_full_q;
  assign bvalid_o  = bvalid_q;
  assign bresp_o   = bresp_q;
  assign executes  = aw_full_q && w_full_q && !bvalid_q;

  assign write_o      = executes;
  assign write_addr_o = awaddr_q;
  assign write_data_o = wdata_q;
  for (genvar b = 0; b < 4; b++) begin : g_mask
    assign write_mask_o[8*b +: 8] = {8{wstrb_q[b]}};
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      aw_full_q <= 1'b0;
      w_full_q  <= 1'b0;
      bvalid_q  <= 1'b0;
    end else begin
      aw_full_q <= aw_full_q ? !executes : awvalid_i;
      w_full_q  <= w_full_q ? !executes : wvalid_i;
      bvalid_q  <= bvalid_q ? !bready_i : executes;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!aw_full_q) awaddr_q <= {awaddr_i[$bits(addr_t)-1:2], 2'b00};
    if (!w_full_q) {wdata_q, wstrb_q} <= {wdata_i, wstrb_i};
    if (executes) bresp_q <= writable(awaddr_q) ? Okay : SlvErr;
  end

  // -------------------------------------------------------------------------------------------
  // Reads
  // -------------------------------------------------------------------------------------------

  logic        reading_q, rvalid_q;
  logic [3:0]  step_q;  // of the read, one-hot
  addr_t       araddr_q;
  logic [1:0]  rresp_q;
  logic [31:0] rdata_q;

  assign arready_o   = !reading_q;
  assign rvalid_o    = rvalid_q;
  assign rresp_o     = rresp_q;
  assign rdata_o     = rdata_q;
  assign read_o      = step_q[0];
  assign read_addr_o = araddr_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      reading_q <= 1'b0;
      step_q    <= '0;
      rvalid_q  <= 1'b0;
    end else begin
      reading_q <= reading_q ? !(rvalid_q && rready_i) : arvalid_i;
      step_q    <= {step_q[2:0], arvalid_i && !reading_q};
      rvalid_q  <= rvalid_q ? !rready_i : step_q[3];
    end
  end

  always_ff @(posedge clk_i) begin
    if (!reading_q) araddr_q <= {araddr_i[$bits(addr_t)-1:2], 2'b00};
    if (step_q[3]) begin
      rdata_q <= rdata_i;
      rresp_q <= readable(araddr_q) ? Okay : SlvErr;
    end
  end

  // What the bus must keep to.
  `MUSTER_ASSERT_HELD(AddressHeld, awvalid_i, awready_o, awaddr_i,
                      "a write's address changes before it is accepted")
  `MUSTER_ASSERT_HELD(DataHeld, wvalid_i, wready_o, {wdata_i, wstrb_i},
                      "a write's data change before they are accepted")
  `MUSTER_ASSERT_HELD(ReadHeld, arvalid_i, arready_o, araddr_i,
                      "a read's address changes before it is accepted")

endmodule
