// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// For the proof of muster_remote_split: any messages at any time, atomics that accept and commit when they like, four
// updates of other CTAs at most on their way, and mbarriers that take operations when they like. One operation is
// followed from its message to the mbarriers.
module remote_split_formal
  import muster_pkg::*;
  import muster_atomics_pkg::*;
(
  input logic       clk_i,
  input logic       valid_i,
  input mb_remote_t remote_i,
  input at_remote_t atomic_i,
  input logic [3:0] unit_i,
  input warp_t      warp_i,
  input logic       update_ready_i,
  input logic       commits_i,    // the oldest update commits
  input logic       own_i,        // or one of the core's own warps
  input logic       own_fails_i,  // which is refused
  input logic       mb_ready_i,
  input logic       marks_i       // the operation that is accepted now is followed
);

  localparam int unsigned Depth = 4;  // operations that wait, and updates that are on their way

  // A message as the network has it. Of operands and operations on mbarriers, a bit each: what becomes of the others
  // is as of these.
  typedef struct packed {
    logic       valid;
    mb_remote_t remote;
    at_remote_t atomic;
    logic [3:0] sender;
    warp_t      warp;
  } message_t;

  logic       rst_n = 1'b0;
  message_t   message, message_q;
  logic       ready, update_valid, update_ready, mb_valid, pending;
  at_update_t update, right, update_q;
  at_commit_t commit;
  mb_remote_t mb, mb_q, marked_q;

  always_comb begin
    message                      = '0;
    message.valid                = valid_i && rst_n;
    message.remote.lanes[0]      = remote_i.lanes[0];
    message.remote.operand[0]    = remote_i.operand[0];
    message.remote.place.cta[0]  = remote_i.place.cta[0];
    message.sender[0]            = unit_i[0];
    message.warp[0]              = warp_i[0];
    message.atomic.valid         = atomic_i.valid;
    message.atomic.op            = atomic_i.op;
    message.atomic.size          = atomic_i.size;
    message.atomic.is_signed     = atomic_i.is_signed;
    message.atomic.addr[4:0]     = atomic_i.addr[4:0];
    message.atomic.lane[0]       = atomic_i.lane[0];
    message.atomic.has_answer    = atomic_i.has_answer;
    message.atomic.operand[0]       = atomic_i.operand[0];
    message.atomic.compare[0]       = atomic_i.compare[0];
    message.atomic.operand_upper[0] = atomic_i.operand_upper[0];
    message.atomic.compare_upper[0] = atomic_i.compare_upper[0];
  end

  muster_remote_split #(.SmemBytes(16)) u_split (
    .clk_i, .rst_ni (rst_n),
    .valid_i (message.valid), .ready_o (ready), .remote_i (message.remote), .atomic_i (message.atomic),
    .unit_i (message.sender), .warp_i (message.warp),
    .update_valid_o (update_valid), .update_ready_i (update_ready), .update_o (update), .commit_i (commit),
    .mb_valid_o (mb_valid), .mb_ready_i, .mb_o (mb), .pending_o (pending)
  );

  // ---------------------------------------------------------------------------------------------
  // The atomics: updates commit in the order of their acceptance
  // ---------------------------------------------------------------------------------------------

  typedef struct packed {
    logic completes;  // as the update says
    logic refused;
    logic settles;    // its operation may be performed after it
  } entry_t;

  logic               goes, last, refused, commits;
  logic         [2:0] flight_q;
  entry_t [Depth-1:0] queue_q;

  assign update_ready = update_ready_i && flight_q != 3'(Depth);
  assign goes         = update_valid && update_ready;
  assign commits      = commits_i && flight_q != '0;

  // Misplaced: not a multiple of its size, or beyond 16 bytes.
  always_comb begin
    unique case (message.atomic.size)
      At16:    refused = message.atomic.addr % 2 != 0 || message.atomic.addr >= 16;
      At32:    refused = message.atomic.addr % 4 != 0 || message.atomic.addr >= 16;
      At64:    refused = message.atomic.addr % 8 != 0 || message.atomic.addr >= 16;
      default: refused = message.atomic.addr != 0;
    endcase
  end

  always_comb begin
    commit           = '0;
    commit.valid     = commits || own_i;
    commit.completes = commits && queue_q[0].completes;
    commit.written   = commits ? !queue_q[0].refused : !own_fails_i;
  end

  // ---------------------------------------------------------------------------------------------
  // What is owed
  // ---------------------------------------------------------------------------------------------

  logic       accepts, has_operation, owes, hands, passes, marks, followed_q, upper_q;
  logic [2:0] owed_q;       // operations that are accepted and not handed on, but for those of refused updates
  logic [2:0] performed_q;  // those of them whose updates have committed
  logic [2:0] ahead_q;      // those of them before the one that is followed
  logic       mb_waits_q, update_waits_q, message_waits_q;

  assign has_operation = message.remote.lanes != '0;
  assign accepts       = message.valid && ready;
  assign hands         = mb_valid && mb_ready_i;
  assign passes        = accepts && !message.atomic.valid;  // an operation alone
  assign owes          = accepts && message.atomic.valid && has_operation && !refused;
  assign marks         = owes && marks_i && !followed_q;
  assign last          = message.atomic.size != At128 || upper_q;

  // The update that is right in this cycle.
  always_comb begin
    right             = '0;
    right.op          = message.atomic.op;
    right.size        = message.atomic.size;
    right.is_signed   = message.atomic.is_signed;
    right.place.cta   = message.remote.place.cta;
    right.place.addr  = message.atomic.addr;
    right.upper       = upper_q;
    right.warp        = message.warp;
    right.lane        = message.atomic.lane;
    right.from.remote = 1'b1;
    right.from.unit   = message.sender;
    right.completes   = has_operation && last;
    right.operand     = upper_q ? message.atomic.operand_upper : message.atomic.operand;
    right.compare     = upper_q ? message.atomic.compare_upper : message.atomic.compare;
    right.has_answer  = message.atomic.has_answer;
  end

  initial {flight_q, owed_q, performed_q, followed_q, upper_q, mb_waits_q, update_waits_q, message_waits_q} = '0;
  always_ff @(posedge clk_i) begin
    rst_n           <= 1'b1;
    message_q       <= message;
    message_waits_q <= message.valid && !ready;
    update_q        <= update;
    update_waits_q  <= update_valid && !update_ready;
    mb_q            <= mb;
    mb_waits_q      <= mb_valid && !mb_ready_i;

    flight_q <= flight_q + 3'(goes) - 3'(commits);
    for (int i = 0; i < Depth; i++) begin
      if (commits && i < Depth - 1) queue_q[i] <= queue_q[i+1];
      if (goes && 3'(i) == flight_q - 3'(commits)) begin
        queue_q[i] <= '{completes: update.completes, refused: refused, settles: last && has_operation && !refused};
      end
    end
    if (goes) upper_q <= !last;

    owed_q      <= owed_q + 3'(owes) - 3'(hands && !passes);
    performed_q <= performed_q + 3'(commits && queue_q[0].settles) - 3'(hands && !passes);
    followed_q  <= marks || (followed_q && !(hands && ahead_q == '0));
    if (marks) begin
      marked_q <= message.remote;
      ahead_q  <= owed_q - 3'(hands);
    end else begin
      ahead_q <= ahead_q - 3'(hands && ahead_q != '0);
    end

    assume (!(own_i && commits));
    assume (!message_waits_q || message == message_q);
    assume (message.atomic.valid || has_operation);
  end

  always_ff @(posedge clk_i) begin
    if (rst_n) begin
      // 1. Each update is presented once, as its message has it; that of 128 bits as its lower half, and then its
      //    upper one. The message is accepted with the last of them: so updates are in the order of messages.
      P01_updates: assert ((!update_valid || (message.valid && message.atomic.valid && update == right)) &&
                           (!message.atomic.valid || accepts == (goes && last)));
      // 2. Operations on mbarriers are handed on in the order of their messages, each once and unchanged; none of an
      //    update that is refused.
      P02_in_order: assert ((!mb_valid || owed_q != '0 || (message.valid && !message.atomic.valid && mb == message.remote)) &&
                            (!passes || (hands && owed_q == '0)) &&
                            (!(hands && followed_q && ahead_q == '0) || mb == marked_q));
      // 3. The arithmetic is performed first: an operation is presented when its update has committed.
      P03_after_commit: assert (!mb_valid || owed_q == '0 || performed_q != '0);
      // 4. Nothing waits for anything else: an operation whose update has committed is presented in the next cycle, one
      //    alone at once if none waits, and an update unless the operation after it would be the fifth that waits.
      P04_at_once: assert ((performed_q == '0 || mb_valid) &&
                           (!(message.valid && !message.atomic.valid && owed_q == '0) || mb_valid) &&
                           (!(message.valid && message.atomic.valid) || update_valid ||
                            (has_operation && owed_q == 3'(Depth))));
      // 5. It is known when an operation waits, and no more than four do.
      P05_pending: assert (pending == (owed_q != '0) && owed_q <= 3'(Depth));
      // 6. What is presented stays.
      P06_held: assert ((!mb_waits_q || (mb_valid && mb == mb_q)) &&
                        (!update_waits_q || (update_valid && update == update_q)));

      C01_updates:      cover (accepts && upper_q && owes && flight_q == 3'd3);
      C02_in_order:     cover (hands && followed_q && ahead_q == '0 && owed_q == 3'd3 && mb.operand[0]);
      C03_after_commit: cover (mb_valid && owed_q == 3'd2 && performed_q == 3'd1);
      C04_at_once:      cover (message.valid && message.atomic.valid && !update_valid && performed_q == '0);
      C05_pending:      cover (pending && flight_q == '0 && message.valid && !message.atomic.valid);
      C06_held:         cover (mb_waits_q && update_waits_q && owed_q != '0);
    end
  end

endmodule
