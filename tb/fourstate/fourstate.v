// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The unit in four states, as a simulator sees it whose registers and memories power up unknown: no output
// that says that something is there may ever be unknown, nor what comes with it. Plain Verilog of the small
// configuration (scripts/synth/verilog.py), random operations, most of them by warps that were never
// launched or to CTAs that are not there, and a reset now and then. scripts/synth/fourstate.py runs it.
module fourstate;
  parameter integer Seed   = 1;
  parameter integer Cycles = 100000;

  // The pins, the unit, the names of fields (`issue_i_0_op), and look, which calls known for each output.
  `include "fourstate_pins.vh"

  // ---------------------------------------------------------------------------------------------
  // Chance
  // ---------------------------------------------------------------------------------------------

  integer seed = Seed;

  function integer below(input integer n);
    below = $unsigned($random(seed)) % n;
  endfunction

  function [31:0] some_lanes(input integer dummy);
    case (below(4))
      0:       some_lanes = 32'd1 << below(32);
      1:       some_lanes = $random(seed) | 32'd1;
      default: some_lanes = 32'hffffffff;
    endcase
  endfunction

  function [3:0] some_op(input integer dummy);
    case (below(10))
      0:       some_op = 4'd1;
      1:       some_op = 4'd2;
      2:       some_op = 4'd3;
      3:       some_op = 4'd4;
      4:       some_op = 4'd8;
      5:       some_op = 4'd9;
      6:       some_op = 4'd10;
      7:       some_op = (below(4) == 0) ? 4'd12 : 4'd0;
      8:       some_op = (below(4) == 0) ? 4'd13 : 4'd0;
      default: some_op = 4'd0;
    endcase
  endfunction

  function [11:0] some_count(input integer dummy);
    case (below(4))
      0:       some_count = 12'd64;
      1:       some_count = 12'd32 * below(4);
      2:       some_count = (below(8) == 0) ? 12'd33 : 12'd0;
      default: some_count = 12'd0;
    endcase
  endfunction

  function [36:0] some_place(input integer dummy);
    some_place = {4'd0, 1'(below(2)), 32'd8 * below(4) + ((below(30) == 0) ? 32'd4 : 32'd0)};
  endfunction

  // ---------------------------------------------------------------------------------------------
  // What is never unknown
  // ---------------------------------------------------------------------------------------------

  integer cycle, resets = 0, commits = 0, releases = 0, faults = 0, responses = 0, completions = 0, wakes = 0;

  task known(input [255:0] name, input unknown);
    if (unknown !== 1'b0) begin
      $display("cycle %0d, seed %0d: %0s is unknown", cycle, Seed, name);
      $finish_and_return(1);
    end
  endtask

  // ---------------------------------------------------------------------------------------------
  // Cycles
  // ---------------------------------------------------------------------------------------------

  reg [63:0] words [0:7];
  reg        slot;
  reg [7:0]  taken;  // handshakes of the cycle
  reg [36:0] read_place;
  integer    i;

  task present;
    begin
      if (!issue_valid_i && below(4) != 0) begin
        issue_valid_i      = 1'b1;
        `issue_i_0_op      = some_op(0);
        `issue_i_0_cta     = below(3);
        `issue_i_0_warp    = below(9);
        `issue_i_0_bar     = below(3);
        `issue_i_0_count   = some_count(0);
        `issue_i_0_lanes   = (below(8) == 0) ? 32'd0 : some_lanes(0);
        `issue_i_0_operand = (below(2) == 0) ? 32'd0 : 32'($random(seed));
      end
      if (!lifecycle_valid_i && below(20) == 0) begin
        // A slot has warps of its own, so that no launch or join names one that is live elsewhere.
        slot              = below(2);
        lifecycle_valid_i = 1'b1;
        lifecycle_warps_i = (1 + below(15)) << (slot ? 4 : 0);
        lifecycle_i       = 0;
        `lifecycle_i_cta  = slot;
        case (below(12))
          0, 1:    `lifecycle_i_op = 3'd3;
          2:       begin
            `lifecycle_i_op  = 3'd2;
            `lifecycle_i_cta = below(3);
          end
          3, 4:    begin
            `lifecycle_i_op   = 3'd1;
            `lifecycle_i_size = 1 + below(4);
          end
          5, 6, 7: begin
            `lifecycle_i_op    = 3'd4;
            `lifecycle_i_warp  = {slot, 2'(below(4))};
            `lifecycle_i_lanes = some_lanes(0);
          end
          default: begin
            `lifecycle_i_op   = 3'd0;
            `lifecycle_i_size = 1 + below(8);
          end
        endcase
      end
      if (!exit_valid_i && below(30) == 0) begin
        exit_valid_i  = 1'b1;
        `exit_i_cta   = below(3);
        `exit_i_warp  = below(9);
        `exit_i_lanes = some_lanes(0);
      end
      if (!mb_issue_valid_i && below(3) != 0) begin
        mb_issue_valid_i      = 1'b1;
        mb_issue_i            = {4{$random(seed)}};  // the flags
        `mb_issue_i_op        = below(15);
        `mb_issue_i_place     = some_place(0);
        `mb_issue_i_warp      = below(8);
        `mb_issue_i_lanes     = some_lanes(0);
        `mb_issue_i_operand   = 1 + below(3);
      end
      if (!mb_async_valid_i && below(8) == 0) begin
        mb_async_valid_i    = 1'b1;
        `mb_async_i_op      = (below(2) == 0) ? 4'd9 : 4'd2;
        `mb_async_i_place   = some_place(0);
        `mb_async_i_operand = 1 + below(3);
      end
      if (!mb_remote_valid_i && below(8) == 0) begin
        mb_remote_valid_i      = 1'b1;
        `mb_remote_i_op        = below(10);
        `mb_remote_i_place     = some_place(0);
        `mb_remote_i_lanes     = some_lanes(0);
        `mb_remote_i_operand   = 1 + below(3);
        `mb_remote_i_has_token = below(9) == 0;
      end
      fence_ack_i         = $random(seed);
      mb_fence_ack_i      = $random(seed);
      response_ready_i    = below(4) != 0;
      mb_response_ready_i = below(4) != 0;
      smem_read_ready_i   = below(4) != 0;
      smem_write_ready_i  = below(4) != 0;
      debug_cta_i         = below(2);
      debug_bar_i         = below(16);
      debug_warp_i        = below(8);
    end
  endtask

  initial begin
    for (i = 0; i < 8; i = i + 1) words[i] = 64'd0;
    smem_rdata_i = 64'd0;
    rst_ni = 1'b1;
    for (cycle = 0; cycle < Cycles; cycle = cycle + 1) begin
      #5 present;
      // One edge in reset; before it nothing is known, but for what a reset sets at once.
      rst_ni = cycle != 0 && below(5000) != 0;
      resets = resets + !rst_ni;
      if (!rst_ni) smem_rdata_valid_i = 1'b0;
      #4 look;
      if (rst_ni) begin
        commits   = commits + `commit_o_valid + `mb_commit_o_valid;
        releases  = releases + (release_o != 0);
        faults    = faults + (fault_valid_o != 0) + mb_fault_valid_o;
        responses = responses + (response_valid_o && response_ready_i) + (mb_response_valid_o && mb_response_ready_i);
        completions = completions + (`mb_commit_o_valid && `mb_commit_o_completed);
        wakes     = wakes + (mb_wake_o != 0) + (mb_expire_o != 0);
      end
      taken = {exit_ready_o, issue_ready_o, lifecycle_ready_o, mb_issue_ready_o, mb_async_ready_o, mb_remote_ready_o,
               smem_read_valid_o && smem_read_ready_i, smem_write_valid_o && smem_write_ready_i} & {8{rst_ni}};
      read_place = smem_read_place_o;
      if (taken[0]) words[{smem_write_place_o[32], smem_write_place_o[4:3]}] = smem_write_data_o;
      #1 clk_i = 1'b1;
      mb_clk_i = mb_idle_o !== 1'b1;
      #1 issue_valid_i  = issue_valid_i && !taken[6] && rst_ni;
      lifecycle_valid_i  = lifecycle_valid_i && !taken[5] && rst_ni;
      exit_valid_i       = exit_valid_i && !taken[7] && rst_ni;
      mb_issue_valid_i   = mb_issue_valid_i && !taken[4] && rst_ni;
      mb_async_valid_i   = mb_async_valid_i && !taken[3] && rst_ni;
      mb_remote_valid_i  = mb_remote_valid_i && !taken[2] && rst_ni;
      smem_rdata_valid_i = taken[1];
      if (taken[1]) smem_rdata_i = words[{read_place[32], read_place[4:3]}];
      #5 clk_i = 1'b0;
      mb_clk_i = 1'b0;
    end
    $display("seed %0d: %0d cycles, %0d resets, %0d commits, %0d releases, %0d faults, %0d responses, %0d completions, %0d woken: nothing unknown",
             Seed, Cycles, resets, commits, releases, faults, responses, completions, wakes);
    if (releases == 0 || responses == 0 || completions == 0 || wakes == 0) $fatal(1, "too little has happened");
  end

endmodule
