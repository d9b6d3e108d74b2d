// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The configuration of a unit: one value that is passed from module to module. The README has the
// rules that bind fields to each other, and what must not be presented where a switch is 0.
package muster_cfg_pkg;

  typedef struct packed {
    int unsigned NumWarps;       // warp slots of the core: 4 to 64
    int unsigned NumCtas;        // CTA slots: 1 to 32
    int unsigned NumIssue;       // issue ports: 1, 2 or 4
    int unsigned WarpSize;       // lanes of a warp: 4, 8, 16 or 32
    bit          EnReduce;       // RED, B2R
    bit          EnResult;       // with EnReduce: each warp's copy of its result, B2R.RESULT
    bit          EnState;        // R2B; needs EnReduce
    bit          EnFaults;       // misuse is refused and reported
    bit          EnDrain;        // the memory drain
    bit          EnLanes;        // exits by lanes, groups of several lanes at mbarriers
    bit          EnSplit;        // split phase
    bit          EnJoin;         // open and join
    bit          EnMbarrier;     // mbarriers, and all that follows
    bit          EnMbLimit;      // a try_wait's time limit
    bit          EnReport;       // mbarriers of layout v1: reports and conditional phases
    int unsigned SmemBytes;      // shared memory of a CTA in bytes: a power of two, 16 at least
    int unsigned MbResponses;    // places of the response queue: 1 at least, 2 with EnLanes
    int unsigned ClockPeriodPs;  // period of clk_i in picoseconds: 1 at least
    int unsigned WaitLimitNs;    // limit of a try_wait without a hint, in nanoseconds
  } muster_cfg_t;

  // The legal values that are next to those given. With them the rest of the unit elaborates, so
  // that the sentence about an illegal one comes first, and alone.
  function automatic muster_cfg_t Nearest(muster_cfg_t cfg);
    muster_cfg_t legal;
    legal             = cfg;
    legal.NumWarps    = Within(cfg.NumWarps, 4, muster_pkg::MaxWarps);
    legal.NumCtas     = Within(cfg.NumCtas, 1, muster_pkg::MaxCtas);
    legal.NumIssue    = PowerWithin(cfg.NumIssue, 1, muster_pkg::MaxIssue);
    legal.WarpSize    = PowerWithin(cfg.WarpSize, 4, 32);
    legal.SmemBytes   = PowerWithin(cfg.SmemBytes, 16, 32'h8000_0000);
    legal.MbResponses = (cfg.MbResponses < 1) ? 1 : cfg.MbResponses;
    return legal;
  endfunction
  function automatic int unsigned Within(int unsigned value, int unsigned low, int unsigned high);
    return (value < low) ? low : (value > high) ? high : value;
  endfunction
  function automatic int unsigned PowerWithin(int unsigned value, int unsigned low,
                                              int unsigned high);
    return 32'd1 << $clog2(Within(value, low, high));
  endfunction

endpackage
