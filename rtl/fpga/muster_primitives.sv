// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Declarations of the vendors' PLLs, with the ports and parameters that the boards use. Yosys and
// the vendors' tools have the contents.

(* blackbox *)
module SB_PLL40_CORE #(
  parameter              FEEDBACK_PATH = "SIMPLE",
  parameter logic [3:0]  DIVR          = 4'd0,
  parameter logic [6:0]  DIVF          = 7'd0,
  parameter logic [2:0]  DIVQ          = 3'd0,
  parameter logic [2:0]  FILTER_RANGE  = 3'd0
) (
  input  logic REFERENCECLK,
  input  logic RESETB,
  input  logic BYPASS,
  output logic PLLOUTGLOBAL,
  output logic LOCK
);
endmodule

(* blackbox *)
module EHXPLLL #(
  parameter              FEEDBK_PATH  = "CLKOP",
  parameter int unsigned CLKI_DIV     = 1,
  parameter int unsigned CLKFB_DIV    = 1,
  parameter              CLKOP_ENABLE = "ENABLED",
  parameter int unsigned CLKOP_DIV    = 8
) (
  input  logic CLKI,
  input  logic CLKFB,
  input  logic RST,
  input  logic STDBY,
  input  logic PHASESEL0,
  input  logic PHASESEL1,
  input  logic PHASEDIR,
  input  logic PHASESTEP,
  input  logic PHASELOADREG,
  input  logic PLLWAKESYNC,
  input  logic ENCLKOP,
  output logic CLKOP,
  output logic LOCK
);
endmodule

(* blackbox *)
module rPLL #(
  parameter              FCLKIN    = "100.0",
  parameter              DEVICE    = "GW1N-1",
  parameter int unsigned IDIV_SEL  = 0,
  parameter int unsigned FBDIV_SEL = 0,
  parameter int unsigned ODIV_SEL  = 8
) (
  input  logic       CLKIN,
  input  logic       CLKFB,
  input  logic       RESET,
  input  logic       RESET_P,
  input  logic [5:0] FBDSEL,
  input  logic [5:0] IDSEL,
  input  logic [5:0] ODSEL,
  input  logic [3:0] PSDA,
  input  logic [3:0] DUTYDA,
  input  logic [3:0] FDLY,
  output logic       CLKOUT,
  output logic       LOCK
);
endmodule

(* blackbox *)
module PLLE2_BASE #(
  parameter int unsigned DIVCLK_DIVIDE  = 1,
  parameter int unsigned CLKFBOUT_MULT  = 5,
  parameter int unsigned CLKOUT0_DIVIDE = 1
) (
  input  logic CLKIN1,
  input  logic CLKFBIN,
  input  logic RST,
  input  logic PWRDWN,
  output logic CLKFBOUT,
  output logic CLKOUT0,
  output logic LOCKED
);
endmodule

(* blackbox *)
module BUFG (
  input  logic I,
  output logic O
);
endmodule
