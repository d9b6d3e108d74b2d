// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// For the proof of the tracker that answers drains: accesses of two classes of one warp begin and
// are performed at any time, in any order, and requests name any classes. One access is followed;
// of the others it is counted how many were there at the request.
module fence_formal (
  input logic       clk_i,
  input logic [1:0] begin_i,       // by class
  input logic [1:0] done_i,
  input logic [1:0] done_epoch_i,
  input logic [1:0] busy_i,
  input logic       req_i,
  input logic [1:0] classes_i,
  input logic       class_i,       // of the access that is followed
  input logic       marks_i,       // the access that begins is followed
  input logic       ends_i         // it is the one that is performed
);

  logic       rst_n = 1'b0;
  logic [1:0] epoch, full;
  logic       ack;

  muster_fence_tracker #(.NumWarps(1), .NumClasses(2), .MaxOutstanding(3)) u_tracker (
    .clk_i, .rst_ni (rst_n), .begin_i, .epoch_o (epoch), .full_o (full), .done_i, .done_epoch_i,
    .busy_i, .fence_req_i (req_i), .fence_classes_i (classes_i), .fence_ack_o (ack)
  );

  logic           [1:0] classes_q;
  logic                 class_q, req_q, waits_q, first, marks, followed_q, epoch_q, before_q;
  logic [1:0][1:0][1:0] count_q;   // by class and epoch
  logic      [1:0][2:0] earlier_q; // of a class, those that the request waits for
  logic      [1:0]      asked_q;   // the epoch in which they began
  logic           [1:0] drained;   // nothing of the class keeps the request back

  assign first = req_i && !req_q;
  assign marks = marks_i && begin_i[class_q] && !followed_q;

  always_comb begin
    for (int c = 0; c < 2; c++) begin
      drained[c] = !classes_i[c] || (earlier_q[c] == '0 && !busy_i[c]);
    end
  end

  initial {classes_q, class_q, req_q, waits_q, followed_q, before_q, count_q, earlier_q} = '0;
  always_ff @(posedge clk_i) begin
    rst_n     <= 1'b1;
    classes_q <= classes_i;
    req_q     <= rst_n && req_i;
    waits_q   <= rst_n && req_i && !ack;
    if (!rst_n) class_q <= class_i;

    assume (rst_n || (begin_i == '0 && done_i == '0 && !req_i));
    assume ((begin_i & full) == '0);
    // A request, with its classes, is held until it is acknowledged, and then falls.
    assume (!waits_q || (req_i && classes_i == classes_q));
    assume (!(req_q && !waits_q && req_i));
    for (int c = 0; c < 2; c++) begin
      assume (!done_i[c] || count_q[c][done_epoch_i[c]] != '0);
      for (int e = 0; e < 2; e++) begin
        count_q[c][e] <= count_q[c][e] + 2'(begin_i[c] && epoch[c] == 1'(e)) -
                         2'(done_i[c] && done_epoch_i[c] == 1'(e));
      end
      if (first) begin
        asked_q[c]   <= epoch[c];
        earlier_q[c] <= 3'(count_q[c][0]) + 3'(count_q[c][1]) + 3'(begin_i[c]) - 3'(done_i[c]);
      end else if (done_i[c] && done_epoch_i[c] == asked_q[c] && earlier_q[c] != '0) begin
        earlier_q[c] <= earlier_q[c] - 3'd1;
      end
    end

    // Which access of its epoch is performed is free, but for the last one.
    assume (!ends_i || (followed_q && done_i[class_q] && done_epoch_i[class_q] == epoch_q));
    assume (!(followed_q && done_i[class_q] && done_epoch_i[class_q] == epoch_q &&
              count_q[class_q][epoch_q] == 2'd1) || ends_i);
    followed_q <= marks || (followed_q && !ends_i);
    if (marks) epoch_q <= epoch[class_q];
    if (first) before_q <= marks || (followed_q && !ends_i);
    else if (marks || ends_i) before_q <= 1'b0;

    if (rst_n) begin
      // 1. A request is not acknowledged while an access of its classes that had begun in its first
      //    cycle or before is not performed.
      P01_performed: assert (!(req_i && !first && ack && classes_i[class_q] && followed_q && before_q));

      // 2. In the first cycle of a request, and without one, an acknowledge says that no access of
      //    the classes is outstanding.
      P02_idle: assert (!((first || !req_i) && ack && classes_i[class_q] && followed_q));

      // 3. A request is acknowledged as soon as these accesses are performed, whatever has begun
      //    since, and whatever is outstanding of other classes.
      P03_time: assert (!(req_i && !first && drained == '1) || ack);

      C01_performed: cover (req_i && !first && ack && classes_i[class_q] && followed_q && !before_q);
      C02_idle:      cover (first && ack && !classes_i[class_q] && followed_q);
      C03_time:      cover (req_i && !first && drained == '1 && followed_q && !classes_i[class_q] && before_q);
    end
  end

endmodule
