// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// For the proofs of muster_cluster_cancel: a CTA, rank 0 of cluster 0, that asks; it exits and ends at any time. Then another CTA may
// have its slot, and another cluster that of its cluster, with a rank 0 in any slot. The scheduler and the memories
// answer at any time.
module cluster_cancel_formal
  import muster_pkg::*;
  import muster_cluster_pkg::*;
(
  input logic             clk_i,
  input logic             unit_i,      // where the CTA runs
  input logic             slot_i,
  input logic             next_unit_i, // where rank 0 of the next cluster runs
  input logic             next_slot_i,
  input logic             asks_i,
  input cancel_t          cancel_i,
  input logic             exits_i,     // the hub hears that its last lane has exited
  input logic             ends_i,      // its end is presented
  input logic             reuses_i,    // another CTA takes the slot
  input logic             opens_i,     // another cluster takes the slot of its cluster
  input logic             launches_i,  // rank 0 of that other cluster is launched
  input logic             take_ready_i,
  input cancel_response_t take_i,
  input logic       [1:0] write_ready_i,
  input logic       [1:0] complete_ready_i
);

  logic                rst_n = 1'b0;
  logic                unit_q, slot_q, next_unit_q, next_slot_q;
  logic                gone_q, ended_q, reused_q, opened_q, launched_q, leaves_q, asked_q, waits_q;
  logic          [1:0] ready, write_valid, complete_valid;
  logic                writes, finds, carried, lost, found_unit_q;
  logic                found_slot_q;
  logic     [1:0][1:0] resident;
  cluster_life_t       life;
  logic         [15:0] present;
  cancel_t             cancel_q;
  cancel_write_t       write;
  mb_async_t           complete;
  logic          [4:0] find;

  always_comb begin
    life         = '0;  // of cluster 0
    life.unit    = unit_t'(unit_q);
    life.cta     = cta_t'(slot_q);
    // Another CTA has each other slot.
    resident                 = '1;
    resident[unit_q][slot_q] = !ended_q || reused_q;
    present                  = 16'(opened_q ? launched_q : !gone_q);
  end

  localparam cluster_cfg_t Cfg = '{
    NumUnits: 2, NumWarps: 32, NumCtas: 2, NumClusters: 2, NumGrids: 2, NumRanks: 16
  };

  muster_cluster_cancel #(.Cfg(Cfg)) u_cancel (
    .clk_i, .rst_ni (rst_n),
    .valid_i (2'(asks_i) << unit_q), .ready_o (ready), .cancel_i ({cancel_i, cancel_i}),
    .open_i (opens_i), .end_valid_i (leaves_q), .life_i (life), .resident_i (resident), .slot_written_o (writes), .slot_lookup_o (finds),
    .members_i ({16'd0, 16'd1}), .present_i ({16'd0, present}),
    .find_o (find), .find_unit_i (found_unit_q), .find_cta_i (cta_t'(found_slot_q)),
    .take_valid_o (), .take_ready_i, .take_i, .write_valid_o (write_valid), .write_ready_i, .write_o (write),
    .complete_valid_o (complete_valid), .complete_ready_i, .complete_o (complete), .lost_valid_o (lost), .lost_o (), .active_o ()
  );

  assign carried = ends_i && leaves_q && !writes;

  initial {gone_q, ended_q, reused_q, opened_q, launched_q, leaves_q, asked_q, waits_q} = '0;
  always_ff @(posedge clk_i) begin
    rst_n <= 1'b1;
    if (!rst_n) {unit_q, slot_q, next_unit_q, next_slot_q} <= {unit_i, slot_i, next_unit_i, next_slot_i};
    {found_unit_q, found_slot_q} <= (launched_q || launches_i) ? {next_unit_q, next_slot_q} : {unit_q, slot_q};
    leaves_q   <= ends_i && !carried;
    gone_q     <= gone_q || exits_i;
    ended_q    <= ended_q || carried;
    reused_q   <= reused_q || reuses_i;
    opened_q   <= opened_q || opens_i;
    launched_q <= launched_q || launches_i;
    waits_q    <= asks_i && ready == '0;
    cancel_q   <= cancel_i;
    asked_q    <= asked_q || (asks_i && ready != '0);
    assume (rst_n || !(asks_i || exits_i || ends_i || reuses_i || opens_i || launches_i));
    // One request, while the CTA is there; it stays until it is accepted, and the CTA does not end before.
    assume (!asks_i || (!asked_q && !gone_q && !exits_i && !ends_i && !ended_q));
    assume (!waits_q || (asks_i && cancel_i == cancel_q));
    assume (cancel_i.cluster == '0 && cancel_i.rank == '0);
    assume (!leaves_q || ends_i);
    assume (!ends_i || !ended_q);
    // A slot is used again when the hub has heard of the end, and while no slot is looked up.
    assume (!reuses_i || (ended_q && (gone_q || exits_i) && !finds));
    assume (!opens_i || (gone_q && !opened_q));
    assume (!launches_i || (opened_q && !finds));
    // The next rank 0 has this slot when it is free.
    assume (!launches_i || {next_unit_q, next_slot_q} != {unit_q, slot_q} || reused_q || reuses_i);
  end

  always_ff @(posedge clk_i) begin
    if (rst_n) begin
      // 1. A response is written, and its mbarrier hears of it, in the slot of the CTA that asked, while that CTA has it.
      P01_its_slot: assert ((write_valid == '0 && complete_valid == '0) ||
                            (!ended_q && (write_valid | complete_valid) == 2'(2'd1 << unit_q) &&
                             (write_valid == '0 || write.place.cta == cta_t'(slot_q)) &&
                             (complete_valid == '0 || complete.place.cta == cta_t'(slot_q))));
      C01_written: cover (complete_valid != '0 && gone_q);
      // 2. It is lost only if the CTA has exited or ended, or is about to.
      P02_lost: assert (!lost || gone_q || ended_q || leaves_q);
      C02_lost: cover (lost && reused_q && launched_q);
    end
  end

endmodule
