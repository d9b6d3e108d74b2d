// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// For the proof that muster_mb_pipe makes progress: a memory that grants at once or a cycle later, and returns
// data in one cycle or two; places for responses are free again as soon; stores of the cores make it yield at
// any time, or never. Groups have one lane or two. The result of an update is left open
// (model/muster_mb_look.sv).
module mb_flow_formal
  import muster_pkg::*;
  import muster_cfg_pkg::*;
  import muster_mb_pkg::*;
#(
  parameter bit          Yields  = 1'b0,
  parameter int unsigned Longest = 8
) (
  input logic        clk_i,
  input logic        valid_i,
  input mb_request_t request_i,
  input logic        read_ready_i,
  input logic        rdata_valid_i,
  input mb_word_t    rdata_i,
  input logic        write_ready_i,
  input logic        credit_i,
  input logic        yield_i
);

  logic                      rst_n = 1'b0;
  logic                      spend, ready, read_valid, write_valid, asked_q;
  logic                      read_waits_q, write_waits_q, data_waits_q, place_waits_q, place_stays_q;
  logic [MbHeld-1:0]         held_valid;
  logic [$clog2(Longest):0]  waits_q;  // for the pipeline to take something; or since it yields

  localparam muster_cfg_t Cfg = '{
    NumWarps: 32, NumCtas: 1, NumIssue: 1, WarpSize: 32, SmemBytes: 16, MbResponses: 2,
    ClockPeriodPs: 1000, WaitLimitNs: 4000, EnReport: 1'b0, default: 1'b1  // all other switches
  };

  muster_mb_pipe #(.Cfg(Cfg)) u_pipe (
    .clk_i, .rst_ni (rst_n),
    .valid_i, .ready_o (ready), .request_i,
    .read_valid_o (read_valid), .read_ready_i, .read_place_o (), .rdata_valid_i, .rdata_i,
    .write_valid_o (write_valid), .write_ready_i, .write_place_o (), .write_data_o (),
    .held_valid_o (held_valid), .held_place_o (), .yield_i (yield_i && Yields),
    .busy_o (), .warp_valid_o (), .warp_o (), .credit_i, .may_split_o (), .credit_spend_o (spend),
    .commit_o (), .request_o (), .responds_o (), .refused_o (), .old_word_o (), .new_word_o (), .written_o (), .completed_o (), .phase_passed_o (),
    .may_park_o ()
  );

  initial {asked_q, read_waits_q, write_waits_q, data_waits_q, place_waits_q, place_stays_q} = '0;
  always_ff @(posedge clk_i) begin
    rst_n         <= 1'b1;
    read_waits_q  <= read_valid && !read_ready_i;
    write_waits_q <= write_valid && !write_ready_i;
    data_waits_q  <= asked_q && !rdata_valid_i;
    place_waits_q <= !credit_i;
    place_stays_q <= credit_i && !spend;
    asked_q       <= (read_valid && read_ready_i) || (asked_q && !rdata_valid_i);
    waits_q       <= (!rst_n || (Yields ? !yield_i : ready)) ? '0 :
                     (32'(waits_q) < Longest) ? (waits_q + 1'b1) : waits_q;
    assume (rst_n || (!valid_i && !rdata_valid_i));
    assume (read_ready_i || !read_waits_q);
    assume (write_ready_i || !write_waits_q);
    assume (credit_i || !(place_waits_q || place_stays_q));
    assume (!rdata_valid_i || asked_q);
    assume (!asked_q || rdata_valid_i || !data_waits_q);
    assume (request_i.cause == FaultNone && request_i.group.op <= MbCopyArrive);
    assume (request_i.group.lanes != '0 && request_i.group.lanes < 32'd4);
  end

  if (Yields) begin : g_yields
    always_ff @(posedge clk_i) begin
      if (rst_n) begin
        // 2. Stores of the cores do not starve: while one makes the pipeline yield, after so many cycles no word
        //    is held.
        P02_yields: assert (32'(waits_q) < Longest || held_valid == '0);
        C02_yields: cover (32'(waits_q) == Longest - 1 && held_valid != '0);
      end
    end
  end else begin : g_goes
    always_ff @(posedge clk_i) begin
      if (rst_n) begin
        // 1. The pipeline goes on: it takes the next operation within so many cycles.
        P01_goes: assert (32'(waits_q) < Longest);
        C01_goes: cover (32'(waits_q) == Longest - 1 && ready);
      end
    end
  end

endmodule
