// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// What belongs to a warp: whether it waits and where, and its own copy of the result of its latest
// reduction (BCU ISA, BAR.RED), which stays until its next one completes.
module muster_warps
  import muster_pkg::*;
  import muster_cta_pkg::*;
#(
  parameter int unsigned NumWarps = 32,
  parameter bit          EnReduce = 1'b1,
  parameter bit          EnState  = 1'b1,
  localparam int unsigned WarpW   = $clog2(NumWarps),
  localparam int unsigned ValueW  = WarpW + 6
) (
  input  logic                clk_i,
  input  logic                rst_ni,

  input  logic [NumWarps-1:0] waits_i,         // begin to wait ...
  input  bar_t                wait_bar_i,      // ... here
  input  logic [NumWarps-1:0] released_i,      // stop waiting
  input  logic                leave_i,         // a CTA leaves, ...
  input  logic [NumWarps-1:0] leavers_i,       // ... and these warps with it
  input  logic                launch_i,        // a CTA comes, ...
  input  logic [NumWarps-1:0] comers_i,        // ... and these warps with it
  output logic [NumWarps-1:0] waiting_o,

  input  logic [NumWarps-1:0] release_i,       // the release, ...
  input  release_t            release_info_i,  // ... and the result that goes with it
  input  outcome_t            outcome_i,       // for R2B.WARP, of this warp
  input  logic [WarpW-1:0]    warp_i,

  input  logic [WarpW-1:0]    read_warp_i,
  output warp_word_t          read_word_o      // B2R.WARP, in the same cycle
);

  logic [NumWarps-1:0] waiting_q, waiting_d;

  always_comb begin
    waiting_d = (waiting_q | waits_i) & ~released_i;
    if (leave_i) waiting_d = waiting_d & ~leavers_i;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      waiting_q <= '0;
    end else begin
      waiting_q <= waiting_d;
    end
  end

  assign waiting_o = waiting_q;

  if (EnReduce) begin : g_copies
    typedef struct packed {
      kind_e             kind;
      bar_t              bar;
      logic [ValueW-1:0] value;
    } copy_t;

    logic  [NumWarps-1:0] reduced_q, reduced_d;  // the warp has a copy
    copy_t [NumWarps-1:0] copies_q;
    copy_t                copy;
    logic  [NumWarps-1:0] copies_we;

    // R2B.WARP, a cycle later: in step with the release.
    logic             write_q;
    logic [WarpW-1:0] write_warp_q;
    warp_word_t       write_word_q;

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        write_q <= 1'b0;
      end else begin
        write_q <= EnState && outcome_i.accepted && (outcome_i.op == GroupWriteWarp);
      end
    end

    always_ff @(posedge clk_i) begin
      write_warp_q <= warp_i;
      write_word_q <= outcome_i.word;
    end

    // A release and an R2B.WARP never meet: each is a group of its own.
    always_comb begin
      copies_we = is_reduction(release_info_i.kind) ? release_i : '0;
      copy      = '{
        kind:  release_info_i.kind,
        bar:   release_info_i.bar,
        value: release_info_i.value[ValueW-1:0]
      };
      reduced_d = reduced_q | copies_we;
      if (write_q) begin
        copies_we               = '0;
        copies_we[write_warp_q] = 1'b1;
        copy = '{
          kind:  write_word_q.kind,
          bar:   write_word_q.bar,
          value: write_word_q.value[ValueW-1:0]
        };
        reduced_d = reduced_q;
        reduced_d[write_warp_q] = (write_word_q.kind != KindIdle);
      end
      if (launch_i) reduced_d = reduced_d & ~comers_i;
    end

    always_ff @(posedge clk_i) begin
      reduced_q <= reduced_d;
      if (copies_we != '0) begin
        for (int w = 0; w < NumWarps; w++) begin
          if (copies_we[w]) copies_q[w] <= copy;
        end
      end
    end

    copy_t read_copy;
    bar_t  read_bar;
    logic  read_waiting;

    assign read_copy    = reduced_q[read_warp_i] ? copies_q[read_warp_i] : '0;
    assign read_waiting = EnState && waiting_q[read_warp_i];

    if (EnState) begin : g_where
      bar_t [NumWarps-1:0] wait_bars_q;
      always_ff @(posedge clk_i) begin
        if (waits_i != '0) begin
          for (int w = 0; w < NumWarps; w++) begin
            if (waits_i[w]) wait_bars_q[w] <= wait_bar_i;
          end
        end
      end
      assign read_bar = read_waiting ? wait_bars_q[read_warp_i] : '0;
    end else begin : g_nowhere
      assign read_bar = '0;
    end

    assign read_word_o = '{
      zero:     '0,
      waiting:  read_waiting,
      wait_bar: read_bar,
      kind:     read_copy.kind,
      bar:      read_copy.bar,
      value:    value_t'(read_copy.value)
    };
  end else begin : g_no_copies
    assign read_word_o = '0;
  end

endmodule
