// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Binds the properties of the named barriers to CTA slot 0 in simulations.
bind muster_cta cta_props #(
  .NumWarps(Cfg.NumWarps), .NumIssue(Cfg.NumIssue), .WarpSize(Cfg.WarpSize), .EnFaults(Cfg.EnFaults),
  .EnLanes(Cfg.EnLanes), .EnSplit(Cfg.EnSplit), .Lag(Lag)
) u_props (
  .clk_i, .rst_ni, .follow_i ('0), .accept_i (issue_valid_i & issue_ready_o), .issue_i,
  .lc_done_i (lifecycle_valid_i && lifecycle_ready_o), .lifecycle_i, .lifecycle_warps_i,
  .exit_done_i (exit_valid_i && exit_ready_o), .exit_i,
  .release_i (release_o), .release_info_i (release_info_o),
  .fault_valid_i (fault_valid_o[Cfg.NumIssue-1:0]), .fault_i (fault_o[Cfg.NumIssue-1:0]),
  .response_valid_i (response_valid_o), .response_i (response_o), .commit_i (commit_o)
);
