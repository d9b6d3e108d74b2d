// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Written by scripts/pages/registers.py from registers.json.
package muster_axil_pkg;

  typedef logic [11:0] addr_t;

  localparam addr_t IdAddr = 12'h000;
  localparam addr_t VersionAddr = 12'h004;
  localparam addr_t ConfigAddr = 12'h008;
  localparam addr_t FeaturesAddr = 12'h00c;
  localparam addr_t ControlAddr = 12'h010;
  localparam addr_t IrqPendingAddr = 12'h014;
  localparam addr_t IrqEnableAddr = 12'h018;
  localparam addr_t ResidentAddr = 12'h01c;
  localparam addr_t FaultStatusAddr = 12'h020;
  localparam addr_t FaultLostAddr = 12'h024;
  localparam addr_t FaultAddr = 12'h028;
  localparam addr_t FaultLanesAddr = 12'h02c;
  localparam addr_t FaultAddressAddr = 12'h030;
  localparam addr_t DebugIndexAddr = 12'h034;
  localparam addr_t DebugEntryAddr = 12'h038;
  localparam addr_t DebugWarpAddr = 12'h03c;
  localparam addr_t CompletedAddr = 12'h040;
  localparam addr_t WaitedAddr = 12'h080;

  localparam logic [31:0] Version = 32'h00010000;

  typedef struct packed {
    logic [7:0] zero0;
    logic [7:0] major;
    logic [7:0] minor;
    logic [7:0] patch;
  } version_reg_t;

  typedef struct packed {
    logic [12:0] zero0;
    logic [2:0] num_issue;
    logic [1:0] zero1;
    logic [5:0] num_ctas;
    logic zero2;
    logic [6:0] num_warps;
  } config_reg_t;

  typedef struct packed {
    logic [17:0] zero0;
    logic report;
    logic result;
    logic split;
    logic zero1;
    logic joins;
    logic counters;
    logic mb_limit;
    logic zero2;
    logic mbarrier;
    logic lanes;
    logic drain;
    logic faults;
    logic state;
    logic reduce;
  } features_reg_t;

  typedef struct packed {
    logic [28:0] zero0;
    logic clear_faults;
    logic clear_counters;
    logic freeze;
  } control_reg_t;

  typedef struct packed {
    logic [29:0] zero0;
    logic lost;
    logic fault;
  } irq_pending_reg_t;

  typedef struct packed {
    logic [29:0] zero0;
    logic lost;
    logic fault;
  } irq_enable_reg_t;

  typedef struct packed {
    logic [20:0] zero0;
    logic lost;
    logic full;
    logic empty;
    logic [2:0] zero1;
    logic [4:0] count;
  } fault_status_reg_t;

  typedef struct packed {
    logic valid;
    logic [2:0] port;
    logic [3:0] bar;
    logic [1:0] zero0;
    logic [5:0] warp;
    logic [2:0] zero1;
    logic [4:0] cta;
    logic [2:0] zero2;
    logic [4:0] cause;
  } fault_reg_t;

  typedef struct packed {
    logic [9:0] zero0;
    logic [5:0] warp;
    logic [2:0] zero1;
    logic [4:0] cta;
    logic [3:0] zero2;
    logic [3:0] bar;
  } debug_index_reg_t;

  typedef struct packed {
    logic [1:0] zero0;
    logic phase;
    logic [2:0] kind;
    logic [6:0] expected;
    logic [6:0] arrived;
    logic [11:0] value;
  } debug_entry_reg_t;

  typedef struct packed {
    logic [21:0] zero0;
    logic waiting;
    logic live;
    logic [2:0] zero1;
    logic [4:0] cta;
  } debug_warp_reg_t;

  function automatic logic readable(addr_t addr);
    return addr inside {[12'h000 : 12'h0bf]};
  endfunction

  function automatic logic writable(addr_t addr);
    return addr inside {[12'h010 : 12'h01b], [12'h034 : 12'h037]};
  endfunction

endpackage
