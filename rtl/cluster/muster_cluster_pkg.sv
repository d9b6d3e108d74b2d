// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The cluster scope: what crosses its pins, and what its blocks tell each other.
package muster_cluster_pkg;

  import muster_pkg::*;
  import muster_atomics_pkg::*;

  localparam int unsigned MaxUnits = 16, MaxRanks = 32, MaxClusters = 64, MaxGrids = 8;

  typedef logic [3:0]          unit_t;     // number of a unit in its GPC
  typedef logic [4:0]          rank_t;     // %cluster_ctarank: number of a CTA in its cluster
  typedef logic [5:0]          cluster_t;  // slot of a cluster
  typedef logic [2:0]          grid_t;     // slot of a grid
  typedef logic [MaxGrids-1:0] grids_t;    // a bit per grid

  // The configuration of the cluster scope: one value that is passed from module to module.
  typedef struct packed {
    int unsigned NumUnits;     // units of the GPC: 1 to 16
    int unsigned NumWarps;     // warp slots of each unit: 4 to 64
    int unsigned NumCtas;      // CTA slots of each unit: 1 to 32
    int unsigned NumClusters;  // cluster slots: 1 to 64
    int unsigned NumRanks;     // CTAs of a cluster, at most: 16 or 32
    int unsigned NumGrids;     // grid slots: 1 to 8
  } cluster_cfg_t;

  // The legal values that are next to those given, as of the unit.
  function automatic cluster_cfg_t NearestCluster(cluster_cfg_t cfg);
    return '{
      NumUnits: muster_cfg_pkg::Within(cfg.NumUnits, 1, MaxUnits),
      NumWarps: muster_cfg_pkg::Within(cfg.NumWarps, 4, MaxWarps),
      NumCtas: muster_cfg_pkg::Within(cfg.NumCtas, 1, MaxCtas),
      NumClusters: muster_cfg_pkg::Within(cfg.NumClusters, 1, MaxClusters),
      NumRanks: muster_cfg_pkg::PowerWithin(cfg.NumRanks, 16, MaxRanks),
      NumGrids: muster_cfg_pkg::Within(cfg.NumGrids, 1, MaxGrids)
    };
  endfunction

  // ---------------------------------------------------------------------------------------------
  // Clusters, CTAs and grids come and go
  // ---------------------------------------------------------------------------------------------

  typedef enum logic [1:0] {
    ClGrid   = 2'd0,  // a grid takes a slot
    ClOpen   = 2'd1,  // a cluster takes a slot
    ClLaunch = 2'd2,  // a CTA of it starts on a unit
    ClEnd    = 2'd3   // a CTA leaves its slot
  } cluster_life_e;

  typedef struct packed {
    cluster_life_e op;
    grid_t         grid;     // ClGrid, ClLaunch
    grids_t        awaits;   // ClGrid: its prerequisite grids
    // ClGrid: CTAs of the grid; ClOpen: CTAs of the cluster; ClLaunch: warps of the CTA.
    logic [31:0]   size;
    cluster_t      cluster;  // ClOpen, ClLaunch
    rank_t         rank;     // ClLaunch
    unit_t         unit;     // ClLaunch, ClEnd
    cta_t          cta;      // ClLaunch, ClEnd: the CTA slot of the unit
  } cluster_life_t;

  // ---------------------------------------------------------------------------------------------
  // Requests of warps
  // ---------------------------------------------------------------------------------------------

  typedef enum logic [2:0] {
    ClArrive        = 3'd0,  // barrier.cluster.arrive (.release): after the memory drain
    ClArriveRelaxed = 3'd1,  // barrier.cluster.arrive.relaxed
    ClWait          = 3'd2,  // barrier.cluster.wait
    ClExit          = 3'd3,  // lanes exit
    ClTrigger       = 3'd4,  // griddepcontrol.launch_dependents
    ClGridWait      = 3'd5   // griddepcontrol.wait
  } cluster_op_e;

  typedef struct packed {
    cluster_op_e op;
    warp_t       warp;
    cta_t        cta;    // CTA slot of the warp
    lanes_t      lanes;  // that execute it, or exit; none: no operation
    lanes_t      live;   // lanes of the warp that have not exited; an exit: that are left
  } cluster_request_t;

  // Lanes that need not wait.
  typedef struct packed {
    warp_t  warp;
    lanes_t lanes;
  } cluster_go_t;

  typedef struct packed {
    fault_e cause;
    warp_t  warp;
    cta_t   cta;
    lanes_t lanes;  // those at fault; cta_not_resident: all of the request
  } cluster_fault_t;

  // ---------------------------------------------------------------------------------------------
  // The network
  // ---------------------------------------------------------------------------------------------

  // What a warp does to another CTA of its cluster: an operation on an mbarrier, an update of a
  // value, or, of red.async and st.async, first the update and then the operation.
  typedef struct packed {
    cluster_t    cluster;
    rank_t       rank;       // of the other CTA
    warp_t       warp;
    mb_op_e      op;
    logic [31:0] addr;       // in the shared memory of the other CTA
    lanes_t      lanes;      // none: no operation on an mbarrier
    logic [31:0] operand;
    logic        has_token;
    at_remote_t  atomic;
  } remote_send_t;

  // Who sent what arrives.
  typedef struct packed {
    unit_t unit;
    warp_t warp;
  } remote_from_t;

  // An operation whose CTA is not there: it is lost.
  typedef struct packed {
    unit_t       unit;     // whose warp it was
    warp_t       warp;
    lanes_t      lanes;
    cluster_t    cluster;
    rank_t       rank;
    logic [31:0] addr;
  } remote_lost_t;

  // ---------------------------------------------------------------------------------------------
  // clusterlaunchcontrol
  // ---------------------------------------------------------------------------------------------

  typedef struct packed {
    cluster_t    cluster;    // of the warp
    rank_t       rank;
    warp_t       warp;
    logic        multicast;  // .multicast::cluster::all
    logic [31:0] addr;       // of the response, 16 bytes
    logic [31:0] mbar;       // of the mbarrier
  } cancel_t;

  // The response: 16 bytes in memory.
  typedef struct packed {
    logic [31:0]      is_canceled;  // 1 or 0
    // Z, y, x: of the first CTA of the cancelled cluster; 0 if there is none.
    logic [2:0][31:0] ctaid;
  } cancel_response_t;

  typedef struct packed {
    mb_place_t        place;
    cancel_response_t data;
  } cancel_write_t;

  // ---------------------------------------------------------------------------------------------
  // Inside
  // ---------------------------------------------------------------------------------------------

  // What the lanes of a warp have done. An arrived lane whose flag is set waits; of another lane,
  // the flag says that its phase has completed, and that it has not waited yet.
  typedef struct packed {
    // In which this was written: afterwards, waiting lanes are idle, and arrived ones have passed.
    logic   phase;
    lanes_t arrived;
    lanes_t flag;
  } warp_phase_t;

  // The CTA in a slot of a unit.
  typedef struct packed {
    logic     is_member;  // the hub has not heard that it is gone: so no other CTA has its rank
    cluster_t cluster;
    rank_t    rank;
  } cta_rank_t;

  // What passes through the network.
  typedef struct packed {
    remote_from_t from;
    mb_remote_t   remote;
    at_remote_t   atomic;
  } remote_flit_t;

  // What a unit tells of one of its CTAs.
  typedef struct packed {
    logic     arrived;    // all its lanes have, in this phase
    logic     gone;       // all its lanes have exited
    logic     triggered;  // launch_dependents
    cluster_t cluster;
    rank_t    rank;
    grid_t    grid;
  } cta_news_t;

endpackage
