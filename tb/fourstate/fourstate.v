// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The unit in four states, as a simulator sees it whose registers and memories power up unknown: no output
// that says that something is there may ever be unknown, nor what comes with it. Plain Verilog of the small
// configuration (scripts/synth/verilog.py), random operations, most of them by warps that were never
// launched or to CTAs that are not there, and a reset now and then. scripts/synth/fourstate.py runs it.
module fourstate;
  parameter integer Seed   = 1;
  parameter integer Cycles = 100000;

  reg          clk = 1'b0, rst_n = 1'b1;
  reg          issue_valid = 0, lc_valid = 0, exit_valid = 0, response_ready = 0;
  reg  [94:0]  issue;
  reg  [52:0]  lc;
  reg  [42:0]  exit;
  reg  [7:0]   lc_warps, fence_ack, mb_fence_ack;
  reg  [8:0]   debug = 0;
  reg          mb_issue_valid = 0, async_valid = 0, remote_valid = 0, mb_response_ready = 0;
  reg  [115:0] mb_issue;
  reg  [72:0]  async;
  reg  [105:0] remote;
  reg          read_ready = 0, rdata_valid = 0, write_ready = 0;
  reg  [63:0]  rdata;

  wire         issue_ready, lc_ready, exit_ready, response_valid, mb_issue_ready, async_ready, remote_ready;
  wire [7:0]   busy, fence_req, released, mb_busy, mb_fence_req, wake, expire;
  wire [23:0]  release_info;
  wire [38:0]  response;
  wire [2:0]   fault_valid;
  wire [155:0] fault;
  wire [71:0]  commit;
  wire [31:0]  debug_word;
  wire [6:0]   debug_warp;
  wire         read_valid, write_valid, mb_response_valid, mb_fault_valid;
  wire [36:0]  read_place, write_place;
  wire [63:0]  write_data;
  wire [2:0]   held_valid;
  wire [110:0] held_place;
  wire [126:0] mb_response;
  wire [81:0]  mb_fault;
  wire [144:0] mb_commit;

  muster_small u_unit (
    .clk_i(clk), .rst_ni(rst_n),
    .issue_valid_i(issue_valid), .issue_ready_o(issue_ready), .issue_i(issue), .busy_o(busy),
    .lifecycle_valid_i(lc_valid), .lifecycle_ready_o(lc_ready), .lifecycle_i(lc), .lifecycle_warps_i(lc_warps),
    .exit_valid_i(exit_valid), .exit_ready_o(exit_ready), .exit_i(exit),
    .fence_req_o(fence_req), .fence_ack_i(fence_ack),
    .release_o(released), .release_info_o(release_info),
    .response_valid_o(response_valid), .response_ready_i(response_ready), .response_o(response),
    .fault_valid_o(fault_valid), .fault_o(fault), .commit_o(commit),
    .debug_cta_i({4'd0, debug[8]}), .debug_bar_i(debug[7:4]), .debug_word_o(debug_word),
    .debug_warp_i({3'd0, debug[2:0]}), .debug_warp_o(debug_warp),
    .mb_issue_valid_i(mb_issue_valid), .mb_issue_ready_o(mb_issue_ready), .mb_issue_i(mb_issue),
    .mb_async_valid_i(async_valid), .mb_async_ready_o(async_ready), .mb_async_i(async),
    .mb_remote_valid_i(remote_valid), .mb_remote_ready_o(remote_ready), .mb_remote_i(remote),
    .mb_busy_o(mb_busy), .mb_fence_req_o(mb_fence_req), .mb_fence_ack_i(mb_fence_ack),
    .smem_read_valid_o(read_valid), .smem_read_ready_i(read_ready), .smem_read_place_o(read_place),
    .smem_rdata_valid_i(rdata_valid), .smem_rdata_i(rdata),
    .smem_write_valid_o(write_valid), .smem_write_ready_i(write_ready),
    .smem_write_place_o(write_place), .smem_write_data_o(write_data),
    .smem_held_valid_o(held_valid), .smem_held_place_o(held_place), .smem_yield_i(1'b0), .mb_stopped_ns_i(32'd0),
    .mb_response_valid_o(mb_response_valid), .mb_response_ready_i(mb_response_ready),
    .mb_response_o(mb_response), .mb_wake_o(wake), .mb_expire_o(expire),
    .mb_fault_valid_o(mb_fault_valid), .mb_fault_o(mb_fault), .mb_commit_o(mb_commit)
  );

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

  task look;
    begin
      known("issue_ready_o", ^issue_ready === 1'bx);
      known("busy_o", ^busy === 1'bx);
      known("lifecycle_ready_o", ^lc_ready === 1'bx);
      known("exit_ready_o", ^exit_ready === 1'bx);
      known("fence_req_o", ^fence_req === 1'bx);
      known("release_o", ^released === 1'bx);
      known("release_info_o", released != 0 && ^release_info === 1'bx);
      known("response_valid_o", ^response_valid === 1'bx);
      known("response_o", response_valid && ^response === 1'bx);
      known("fault_valid_o", ^fault_valid === 1'bx);
      known("fault_o[0]", fault_valid[0] && ^fault[51:0] === 1'bx);
      known("fault_o[1]", fault_valid[1] && ^fault[103:52] === 1'bx);
      known("fault_o[2]", fault_valid[2] && ^fault[155:104] === 1'bx);
      known("commit_o.valid", ^commit[71:68] === 1'bx);
      known("commit_o.warp", commit[68] && ^commit[49:44] === 1'bx);
      known("commit_o.lifecycle", commit[43] === 1'bx);
      known("commit_o.exit", commit[42] === 1'bx);
      known("commit_o.entry_valid", commit[41] === 1'bx);
      known("commit_o.entry", commit[41] && ^commit[40:0] === 1'bx);
      known("mb_issue_ready_o", ^mb_issue_ready === 1'bx);
      known("mb_async_ready_o", ^async_ready === 1'bx);
      known("mb_remote_ready_o", ^remote_ready === 1'bx);
      known("mb_busy_o", ^mb_busy === 1'bx);
      known("mb_fence_req_o", ^mb_fence_req === 1'bx);
      known("smem_read_valid_o", ^read_valid === 1'bx);
      known("smem_read_place_o", read_valid && ^read_place === 1'bx);
      known("smem_write_valid_o", ^write_valid === 1'bx);
      known("smem_write", write_valid && ^{write_place, write_data} === 1'bx);
      known("smem_held_valid_o", ^held_valid === 1'bx);
      known("smem_held_place_o", (held_valid[0] && ^held_place[36:0] === 1'bx) ||
            (held_valid[1] && ^held_place[73:37] === 1'bx) ||
            (held_valid[2] && ^held_place[110:74] === 1'bx));
      known("mb_response_valid_o", ^mb_response_valid === 1'bx);
      known("mb_response_o", mb_response_valid && ^mb_response === 1'bx);
      known("mb_wake_o", ^wake === 1'bx);
      known("mb_expire_o", ^expire === 1'bx);
      known("mb_fault_valid_o", ^mb_fault_valid === 1'bx);
      known("mb_fault_o", mb_fault_valid && ^mb_fault === 1'bx);
      known("mb_commit_o.valid", mb_commit[144] === 1'bx);
    end
  endtask

  // ---------------------------------------------------------------------------------------------
  // Cycles
  // ---------------------------------------------------------------------------------------------

  reg [63:0] words [0:7];
  reg        slot;
  reg [7:0]  taken;  // handshakes of the cycle
  reg [36:0] place;
  integer    i;

  task present;
    begin
      if (!issue_valid && below(4) != 0) begin
        issue_valid = 1'b1;
        issue       = {some_op(0), 5'(below(3)), 6'(below(9)), 4'(below(3)), some_count(0),
                       (below(8) == 0) ? 32'd0 : some_lanes(0), (below(2) == 0) ? 32'd0 : 32'($random(seed))};
      end
      if (!lc_valid && below(20) == 0) begin
        // A slot has warps of its own, so that no launch or join names one that is live elsewhere.
        slot     = below(2);
        lc_valid = 1'b1;
        lc_warps = (1 + below(15)) << (slot ? 4 : 0);
        case (below(12))
          0, 1:    lc = {3'd3, 4'd0, slot, 45'd0};
          2:       lc = {3'd2, 5'(below(3)), 45'd0};
          3, 4:    lc = {3'd1, 4'd0, slot, 7'(1 + below(4)), 38'd0};
          5, 6, 7: lc = {3'd4, 4'd0, slot, 7'd0, 3'd0, slot, 2'(below(4)), some_lanes(0)};
          default: lc = {3'd0, 4'd0, slot, 7'(1 + below(8)), 38'd0};
        endcase
      end
      if (!exit_valid && below(30) == 0) begin
        exit_valid = 1'b1;
        exit       = {5'(below(3)), 6'(below(9)), some_lanes(0)};
      end
      if (!mb_issue_valid && below(3) != 0) begin
        mb_issue_valid = 1'b1;
        mb_issue       = {4'(below(15)), some_place(0), 6'(below(8)), some_lanes(0), 32'(1 + below(3)), 5'(below(32))};
      end
      if (!async_valid && below(8) == 0) begin
        async_valid = 1'b1;
        async       = {(below(2) == 0) ? 4'd9 : 4'd2, some_place(0), 32'(1 + below(3))};
      end
      if (!remote_valid && below(8) == 0) begin
        remote_valid = 1'b1;
        remote       = {4'(below(10)), some_place(0), some_lanes(0), 32'(1 + below(3)), 1'(below(9) == 0)};
      end
      fence_ack         = $random(seed);
      mb_fence_ack      = $random(seed);
      response_ready    = below(4) != 0;
      mb_response_ready = below(4) != 0;
      read_ready        = below(4) != 0;
      write_ready       = below(4) != 0;
      debug            = $random(seed);
    end
  endtask

  initial begin
    for (i = 0; i < 8; i = i + 1) words[i] = 64'd0;
    rdata = 64'd0;
    for (cycle = 0; cycle < Cycles; cycle = cycle + 1) begin
      #5 present;
      // One edge in reset; before it nothing is known, but for what a reset sets at once.
      rst_n = cycle != 0 && below(5000) != 0;
      resets = resets + !rst_n;
      if (!rst_n) rdata_valid = 1'b0;
      #4 look;
      if (rst_n) begin
        commits   = commits + commit[68] + mb_commit[144];
        releases  = releases + (released != 0);
        faults    = faults + (fault_valid != 0) + mb_fault_valid;
        responses = responses + (response_valid && response_ready) + (mb_response_valid && mb_response_ready);
        completions = completions + (mb_commit[144] && mb_commit[1]);
        wakes     = wakes + (wake != 0) + (expire != 0);
      end
      taken = {exit_ready, issue_ready, lc_ready, mb_issue_ready, async_ready, remote_ready, read_valid && read_ready,
               write_valid && write_ready} & {8{rst_n}};
      place = read_place;
      if (taken[0]) words[{write_place[32], write_place[4:3]}] = write_data;
      #1 clk = 1'b1;
      #1 issue_valid = issue_valid && !taken[6] && rst_n;
      lc_valid       = lc_valid && !taken[5] && rst_n;
      exit_valid     = exit_valid && !taken[7] && rst_n;
      mb_issue_valid = mb_issue_valid && !taken[4] && rst_n;
      async_valid    = async_valid && !taken[3] && rst_n;
      remote_valid   = remote_valid && !taken[2] && rst_n;
      rdata_valid    = taken[1];
      if (taken[1]) rdata = words[{place[32], place[4:3]}];
      #5 clk = 1'b0;
    end
    $display("seed %0d: %0d cycles, %0d resets, %0d commits, %0d releases, %0d faults, %0d responses, %0d completions, %0d woken: nothing unknown",
             Seed, Cycles, resets, commits, releases, faults, responses, completions, wakes);
    if (releases == 0 || responses == 0 || completions == 0 || wakes == 0) $fatal(1, "too little has happened");
  end

endmodule
