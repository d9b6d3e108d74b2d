// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// What crosses the pins of muster_gpc: for each block of a core what the core presents to it
// (_req_t) and what comes back (_rsp_t). A field is the port of that name, of the block's page.
// What is as wide as the configuration says has ports of its own.
package muster_gpc_pkg;

  import muster_pkg::*;
  import muster_atomics_pkg::*;
  import muster_warp_pkg::*;
  import muster_cluster_pkg::*;

  // ---------------------------------------------------------------------------------------------
  // The named barriers of a core (muster, rtl/README.md), but for the issue ports
  // ---------------------------------------------------------------------------------------------

  typedef struct packed {
    logic       lifecycle_valid;  // the CTA scheduler presents an operation
    lifecycle_t lifecycle;
    logic       exit_valid;       // lanes exit
    exit_t      exit;
    logic       response_ready;
  } cta_req_t;

  typedef struct packed {
    logic      lifecycle_ready;
    logic      exit_ready;
    release_t  release_info;    // goes with release_o
    logic      response_valid;  // what a B2R, or an arrival with its phase, reads
    response_t response;
  } cta_rsp_t;

  // ---------------------------------------------------------------------------------------------
  // The mbarriers of a core, and its bank of shared memory (muster, rtl/mbarrier/README.md)
  // ---------------------------------------------------------------------------------------------

  typedef struct packed {
    logic        issue_valid;     // a group of lanes of a warp
    mb_group_t   issue;
    logic        async_valid;     // a copy engine's operation
    mb_async_t   async;
    logic        response_ready;
    logic [31:0] stopped_ns;      // for which the clock stood still
  } mb_req_t;

  typedef struct packed {
    logic         issue_ready;
    logic         async_ready;
    logic         response_valid;  // a token, or the answer of a wait
    mb_response_t response;
    mb_report_t   wake_report;     // goes with mb_wake_o
    logic         fault_valid;
    mb_fault_t    fault;
  } mb_rsp_t;

  typedef struct packed {
    logic                   read_valid;
    mb_place_t              read_place;
    logic                   write_valid;
    mb_place_t              write_place;
    mb_word_t               write_data;
    logic      [MbHeld-1:0] held_valid;  // words that no store may reach
    mb_place_t [MbHeld-1:0] held_place;
  } smem_req_t;

  typedef struct packed {
    logic     read_ready;
    logic     rdata_valid;
    mb_word_t rdata;
    logic     write_ready;
    logic     yield;        // a store waits for a word that is held
  } smem_rsp_t;

  // ---------------------------------------------------------------------------------------------
  // The atomics of a core, with a port of their own at the bank (muster_atomics,
  // rtl/atomics/README.md)
  // ---------------------------------------------------------------------------------------------

  typedef struct packed {
    logic       issue_valid;     // an update of a warp
    at_update_t issue;
    logic       response_ready;
  } at_req_t;

  typedef struct packed {
    logic         issue_ready;
    logic         response_valid;  // a word as it was
    at_response_t response;
    logic         fault_valid;
    at_fault_t    fault;
    logic         remote_busy;     // an update of another CTA is under way here
    at_commit_t   commit;          // observation
  } at_rsp_t;

  typedef struct packed {
    logic                   read_valid;
    mb_place_t              read_place;
    logic                   write_valid;
    mb_place_t              write_place;
    logic [63:0]            write_data;
    logic      [AtHeld-1:0] held_valid;
    mb_place_t [AtHeld-1:0] held_place;
  } at_smem_req_t;

  // ---------------------------------------------------------------------------------------------
  // The warp scope of a core (muster_warp, rtl/warp/README.md)
  // ---------------------------------------------------------------------------------------------

  typedef struct packed {
    logic          valid;          // a collective, a gather, an exit
    warp_request_t request;
    logic [4:0]    beat;           // which lanes the values are of
    logic          last;
    logic          arrival_ready;
  } warp_req_t;

  typedef struct packed {
    logic          ready;
    logic          answer_valid;   // lanes go on
    warp_answer_t  answer;
    warp_group_t   group;          // with the answer of WarpRead, as the value
    logic [63:0]   value;
    logic          arrival_valid;  // all lanes of a warp have come to barriers
    warp_arrival_t arrival;
    logic          fault_valid;
    warp_fault_t   fault;
  } warp_rsp_t;

  // ---------------------------------------------------------------------------------------------
  // The cluster scope (muster_cluster, rtl/cluster/README.md): a core, and the CTA scheduler
  // ---------------------------------------------------------------------------------------------

  typedef struct packed {
    logic             request_valid;  // barrier.cluster, griddepcontrol, an exit
    cluster_request_t request;
    logic             send_valid;     // an operation on another CTA's mbarrier, or an update
    remote_send_t     send;
    logic             reply_ready;
    logic             cancel_valid;   // clusterlaunchcontrol.try_cancel
    cancel_t          cancel;
    logic             write_ready;    // the response is written
  } cluster_req_t;

  typedef struct packed {
    logic           request_ready;
    logic           go_valid;       // lanes of a wait need not wait
    cluster_go_t    go;
    logic           fault_valid;
    cluster_fault_t fault;
    logic           send_ready;
    remote_from_t   remote_from;    // the sender of what comes to the core's mbarriers
    logic           lost_valid;     // an operation of the core is lost
    remote_lost_t   lost;
    logic           reply_valid;    // the answer of another unit's atomics
    at_response_t   reply;
    logic           cancel_ready;
    logic           write_valid;    // the response in scheduler_rsp_t is to be written
  } cluster_rsp_t;

  typedef struct packed {
    logic             life_valid;  // a grid, cluster or CTA comes or goes
    cluster_life_t    life;
    logic             take_ready;  // the next cluster is not launched
    cancel_response_t take;
  } scheduler_req_t;

  typedef struct packed {
    logic          life_ready;
    fault_e        life_fault;
    logic          take_valid;
    cancel_write_t write;        // where the response goes, and the 16 bytes
    logic          lost_valid;   // a CTA that the response is for is not there
    remote_lost_t  lost;
  } scheduler_rsp_t;

  // ---------------------------------------------------------------------------------------------
  // Observation of a core, with MUSTER_OBSERVE only
  // ---------------------------------------------------------------------------------------------

  typedef struct packed {
    cta_t  cta;   // the entry to read,
    bar_t  bar;
    warp_t warp;  // and the warp
  } debug_req_t;

  typedef struct packed {
    commit_t     commit;
    mb_commit_t  mb_commit;
    bar_word_t   word;       // a cycle after the request, as the warp
    debug_warp_t warp;
  } debug_rsp_t;

endpackage
