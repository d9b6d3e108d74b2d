// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The front of the mbarrier pipeline: an operation gets its word.
//
//     cycle       1       2       3       4
//     operation   enter   read    data    look (muster_mb_update)
//     bank                grant   word
//
// Enter finds faults that do not depend on the word, counts the lanes, and compares the word's
// address with those of the operations ahead: of read, data, look and write. The results go with
// the operation, and are shifted when those ahead of it move on. Read asks the bank for the word,
// unless the operation needs none (it is blind), or an operation ahead holds it. In the second case
// the nearest of these will leave the word: in the write stage when the operation is in look, or a
// stage earlier. Read waits until the sum of the operands is known. So an operation waits in data
// for its word or for the stage after it only.
module muster_mb_fetch
  import muster_pkg::*;
  import muster_cfg_pkg::*;
  import muster_mb_pkg::*;
#(
  parameter muster_cfg_t Cfg,
  localparam int unsigned NumCtas   = Cfg.NumCtas,
  localparam int unsigned SmemBytes = Cfg.SmemBytes  // of a CTA
) (
  input  logic        clk_i,
  input  logic        rst_ni,

  input  logic        valid_i,
  output logic        ready_o,
  input  mb_request_t request_i,       // with a cause, if it is refused already

  output logic        read_valid_o,
  input  logic        read_ready_i,
  output mb_place_t   read_place_o,
  input  logic        rdata_valid_i,   // of the read, in a later cycle
  input  mb_word_t    rdata_i,         // stays until the next read is granted
  input  logic        yield_i,         // no new reads

  output logic        valid_o,         // an operation in data has its word,
  input  mb_ready_t   ready_i,
  input  logic        look_moves_i,    // which of the two it is
  output mb_request_t request_o,
  output logic        from_ahead_o,    // it is what the operation ahead leaves,
  output mb_word_t    word_o,          // or else this one
  output nlanes_t     lanes_o,         // that have an effect of their own
  output total_t      total_o,         // the sum of their operands

  input  logic        look_holds_i,    // the stages after it hold a word,
  input  mb_place_t   look_place_i,
  input  logic        look_go_i,       // and the operation in look moves on to write
  input  logic        write_holds_i,
  input  mb_place_t   write_place_i,
  input  logic        write_go_i,      // the operation in write is done
  input  mb_word_t    new_word_i,      // the word that the operation in write leaves

  output logic        data_holds_o,
  output logic [3:0]  stage_valid_o,   // the places of enter, read, data
  output mb_request_t [3:0] stage_o
);

`include "muster_assert.svh"

  localparam int unsigned AddrW = $clog2(SmemBytes);
  localparam int unsigned CtaW  = (NumCtas > 1) ? $clog2(NumCtas) : 1;

  function automatic logic same(mb_place_t a, mb_place_t b);
    return (NumCtas == 1 || a.cta[CtaW-1:0] == b.cta[CtaW-1:0]) &&
           a.addr[AddrW-1:3] == b.addr[AddrW-1:3];
  endfunction

  function automatic logic two_of_four(logic [3:0] bits);
    return (bits[0] && bits[1]) || (bits[2] && bits[3]) ||
           ((bits[0] || bits[1]) && (bits[2] || bits[3]));
  endfunction

  // More than one lane.
  function automatic logic several_of(lanes_t lanes);
    logic [7:0] some;
    logic       several;
    several = 1'b0;
    for (int q = 0; q < 8; q++) begin
      some[q] = lanes[4*q +: 4] != '0;
      several = several || two_of_four(lanes[4*q +: 4]);
    end
    return several || two_of_four(some[3:0]) || two_of_four(some[7:4]) ||
           (some[3:0] != '0 && some[7:4] != '0);
  endfunction

  // The operations ahead that hold the same word, by their stage.
  typedef struct packed {
    logic data;
    logic look;
    logic write;
  } ahead_t;

  logic        enter_valid, read_valid_q, data_valid_q;
  mb_request_t enter, read_q, data_q;
  mb_ready_t   read_goes, data_free;
  logic        enter_go, read_free, read_go, data_loads, data_go;
  logic        [1:0] held_valid;  // in enter
  mb_request_t [1:0] held;

  // ---------------------------------------------------------------------------------------------
  // Enter
  // ---------------------------------------------------------------------------------------------

  fault_e    cause;
  mb_class_t enter_kind;
  logic      in_read, in_data, in_look, in_write;  // the same word
  ahead_t    entering;  // the operations ahead with the same word, after this cycle

  muster_mb_enter #(.Cfg(Cfg)) u_enter (
    .clk_i, .rst_ni,
    .valid_i, .ready_o, .request_i,
    .valid_o (enter_valid), .go_i (enter_go), .request_o (enter),
    .held_valid_o (held_valid), .held_o (held)
  );

  assign enter_go   = enter_valid && read_free;
  assign cause      = !Cfg.EnFaults || enter.cause != FaultNone ? enter.cause :
                      judge(enter.source, enter.group, AddrW, Cfg.EnReport);
  assign enter_kind = class_of(enter.group.op);

  assign in_read  = read_valid_q && read_q.cause == FaultNone &&
                    same(enter.group.place, read_q.group.place);
  assign in_data  = data_holds_o && same(enter.group.place, data_q.group.place);
  assign in_look  = look_holds_i && same(enter.group.place, look_place_i);
  assign in_write = write_holds_i && same(enter.group.place, write_place_i);

  // If there is an operation in read, it moves on in the cycle in which this one does.
  assign entering = '{
    data:  in_read || (in_data && !data_go),
    look:  data_go ? in_data : in_look && !look_go_i,
    write: look_go_i ? in_look : in_write && !write_go_i
  };

  // ---------------------------------------------------------------------------------------------
  // Read
  // ---------------------------------------------------------------------------------------------

  logic    blind_q, summed;
  ahead_t  ahead_q, ahead;
  nlanes_t lanes;
  total_t  total;

  assign ahead = '{
    data:  ahead_q.data && !data_go,
    look:  data_go ? ahead_q.data : ahead_q.look && !look_go_i,
    write: look_go_i ? ahead_q.look : ahead_q.write && !write_go_i
  };

  logic reads, may_go;

  assign reads        = !blind_q && ahead_q == '0;
  assign may_go       = read_valid_q && (summed || blind_q) && !yield_i;
  assign read_valid_o = may_go && reads && (look_moves_i ? data_free.moves : data_free.stays);
  assign read_place_o = read_q.group.place;
  assign read_goes    = either_way(may_go && (!reads || read_ready_i)) & data_free;
  assign read_go      = look_moves_i ? read_goes.moves : read_goes.stays;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      read_valid_q <= 1'b0;
    end else begin
      read_valid_q <= enter_go || (read_valid_q && !read_go);
    end
  end

  // A stage that is free takes what is there: only whether it is valid needs to know whether that
  // moves on.
  assign read_free = !read_valid_q || read_go;

  always_ff @(posedge clk_i) begin
    ahead_q <= read_free ? entering : ahead;
    if (read_free) begin
      read_q       <= enter;
      read_q.cause <= cause;
      blind_q      <= cause != FaultNone || enter_kind.inits || enter_kind.invalidates;
    end
  end

  if (Cfg.EnLanes) begin : g_lanes
    logic [1:0][4:0] count, count_q;  // of the lanes of each half
    nlanes_t         sum;
    logic            alike, one, single, one_q, alike_q, single_q;

    assign alike  = enter_kind.inits || enter_kind.invalidates || enter_kind.waits;
    assign one    = enter_kind.adds || enter.group.operand[19:0] == 20'd1;
    assign single = alike || !several_of(enter.group.lanes);

    always_comb begin
      count = '0;
      for (int l = 0; l < MaxLanes; l++) count[l / 16] += 5'(enter.group.lanes[l]);
    end

    always_ff @(posedge clk_i) begin
      if (read_free) begin
        count_q  <= count;
        alike_q  <= alike;
        single_q <= single;
        one_q    <= one;
      end
    end

    // Several lanes of these operations have the effect of one.
    assign sum   = {count_q[1][4] && count_q[0][4], count_q[1] + count_q[0]};
    assign lanes = alike_q ? 6'd1 : sum;

    muster_mb_amount u_amount (
      .clk_i, .load_i (read_free),
      .lanes_i (lanes), .single_i (single_q), .one_i (one_q),
      .operand_i (read_q.group.operand[19:0]), .done_o (summed), .total_o (total)
    );
  end else begin : g_lane
    assign lanes  = 6'd1;
    assign summed = 1'b1;
    assign total  = TotalW'(read_q.group.operand[19:0]);
  end

  // ---------------------------------------------------------------------------------------------
  // Data
  // ---------------------------------------------------------------------------------------------

  // The word is that of the operation in look; or in write, or just gone from there.
  logic     near_q, far_q;
  logic     got_q;             // the word has been taken from write
  logic     none_q;            // the operation is blind
  logic     waits_q;           // for the word to be read
  mb_word_t got_word_q;
  nlanes_t  lanes_q;
  total_t   total_q;

  assign data_free    = either_way(!data_valid_q) | (either_way(valid_o) & ready_i);
  assign valid_o      = data_valid_q && (!waits_q || rdata_valid_i);
  assign data_go      = valid_o && (look_moves_i ? ready_i.moves : ready_i.stays);
  assign data_loads   = look_moves_i ? data_free.moves : data_free.stays;
  assign data_holds_o = data_valid_q && data_q.cause == FaultNone;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      data_valid_q <= 1'b0;
    end else begin
      data_valid_q <= read_go || (data_valid_q && !data_go);
    end
  end

  always_ff @(posedge clk_i) begin
    waits_q <= data_loads ? reads : waits_q && !rdata_valid_i;
    if (data_loads) begin
      data_q     <= read_q;
      none_q     <= blind_q;
      near_q     <= !blind_q && ahead.look;
      far_q      <= !blind_q && !ahead.look && ahead.write;
      got_q      <= !blind_q && !ahead.look && !ahead.write && ahead_q != '0;
      got_word_q <= new_word_i;
      lanes_q    <= lanes;
      total_q    <= total;
    end
  end

  // The operation moves with the one in look, if there is one. Then the word that write leaves goes
  // there before another takes its place.
  always_comb begin
    from_ahead_o = near_q || (far_q && !look_go_i);
    word_o       = far_q ? new_word_i : got_q ? got_word_q : rdata_i;
    if (none_q) word_o = '0;
  end

  assign request_o = data_q;
  assign lanes_o   = lanes_q;
  assign total_o   = total_q;

  assign stage_valid_o = {data_valid_q, read_valid_q, held_valid};
  assign stage_o       = {data_q, read_q, held};

  `MUSTER_ASSERT(SomeLane, !(valid_i && Cfg.EnLanes) || request_i.group.lanes != '0,
                 "a group without lanes")
  `MUSTER_ASSERT(DataOfARead, !rdata_valid_i || (data_valid_q && waits_q),
                 "data of a read that was not asked for")
  `MUSTER_ASSERT(MovesWithTheNearest, !(data_valid_q && near_q && look_go_i && !data_go),
                 "an operation stays when the one whose word it waits for moves on")

endmodule
