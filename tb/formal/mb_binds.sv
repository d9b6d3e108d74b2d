// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The properties in simulations: binds the checkers of the proofs to each of their units, if this file is
// among the sources. Of a memory, only the first word is followed, and of parked waits those of the first and the
// last warp: more would cost too much.
bind muster_ram ram_props #(
  .Depth(Depth), .Width(Width), .NumRead(NumRead), .Forward(Forward)
) u_props (
  .clk_i, .we_i, .waddr_i, .wdata_i, .raddr_i, .follow_i ('0), .rdata_i (rdata_o)
);

bind muster_rr_arbiter rr_arbiter_props #(.NumReq(NumReq)) u_props (
  .clk_i, .rst_ni, .req_i, .advance_i, .gnt_o
);

bind muster_mb_pipe mb_commit_props #(
  .SmemBytes(Cfg.SmemBytes), .EnLanes(Cfg.EnLanes), .EnFaults(Cfg.EnFaults), .EnReport(Cfg.EnReport)
) u_props (
  .clk_i, .rst_ni, .commit_i (commit_o), .request_i (request_o), .found_i (old_word_o),
  .word_i (new_word_o), .written_i (written_o), .completed_i (completed_o), .passed_i (phase_passed_o)
);

bind muster_mbarrier mb_front_props u_front_props (
  .clk_i, .rst_ni,
  .asks_i ({remote_valid_i, async_valid_i,
            warp_valid && (!warp_responds || (Cfg.EnLanes ? spare : credit))}),
  .turn_i (turn),
  .taken_i ({remote_valid_i && remote_ready_o, async_valid_i && async_ready_o, warp_valid && warp_ready})
);

bind muster_mb_park mb_park_props #(
  .NumWarps(NumWarps), .NumCtas(NumCtas), .SmemBytes(Cfg.SmemBytes), .ClockPeriodPs(Cfg.ClockPeriodPs),
  .EnLimit(Cfg.EnMbLimit), .EnReport(Cfg.EnReport)
) u_first_props (
  .clk_i, .rst_ni, .follow_i ('0), .park_valid_i, .warp_i, .place_i, .phase_i,
  .conditional_phase_i, .conditional_i, .advances_i, .limit_i, .parked_o, .completed_i, .leave_i, .leave_cta_i, .stopped_ns_i, .wake_o, .expire_o
);

bind muster_mb_park mb_park_props #(
  .NumWarps(NumWarps), .NumCtas(NumCtas), .SmemBytes(Cfg.SmemBytes), .ClockPeriodPs(Cfg.ClockPeriodPs),
  .EnLimit(Cfg.EnMbLimit), .EnReport(Cfg.EnReport)
) u_last_props (
  .clk_i, .rst_ni, .follow_i (6'(NumWarps - 1)), .park_valid_i, .warp_i, .place_i, .phase_i,
  .conditional_phase_i, .conditional_i, .advances_i, .limit_i, .parked_o, .completed_i, .leave_i, .leave_cta_i, .stopped_ns_i, .wake_o, .expire_o
);
