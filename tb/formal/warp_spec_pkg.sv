// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The specification of the collectives' results for warps of four lanes, from the text of the instruction set (PTX
// 9.7.13.9, .10, .12, .14): lane by lane, and floating point by sign and magnitude. The numbers of
// operations and modes are those of rtl/warp/README.md.
package warp_spec_pkg;

  localparam int unsigned Lanes = 4;

  typedef logic [Lanes-1:0]       few_t;     // a bit per lane
  typedef logic [Lanes-1:0][63:0] values_t;  // a value per lane

  localparam logic [3:0] Elect = 4'd2, VoteAll = 4'd3, VoteAny = 4'd4, VoteUni = 4'd5, Ballot = 4'd6;
  localparam logic [3:0] MatchAny = 4'd7, MatchAll = 4'd8;
  localparam logic [3:0] Add = 4'd9, Min = 4'd10, Max = 4'd11, And = 4'd12, Or = 4'd13, Xor = 4'd14;
  localparam logic [3:0] Gather = 4'd15;

  localparam logic [1:0] B64 = 2'd1;             // match
  localparam logic [1:0] S32 = 2'd1, F32 = 2'd2;  // redux
  localparam logic [31:0] CanonicalNan = 32'h7fffffff;

  typedef struct packed {
    logic [31:0] data;
    logic        pred;
  } result_t;

  function automatic few_t lowest(few_t lanes);
    for (int l = 0; l < Lanes; l++) begin
      if (lanes[l]) return few_t'(1) << l;
    end
    return '0;
  endfunction

  function automatic logic is_legal(logic [3:0] op, logic [1:0] mode, logic abs, logic nan);
    logic float;
    float = op inside {Min, Max} && mode == F32;
    if ((abs || nan) && !float) return 1'b0;
    unique case (op)
      4'd1:               return 1'b1;  // the four directions of shfl
      MatchAny, MatchAll: return mode <= B64;
      Add:                return mode <= S32;
      Min, Max:           return mode <= F32;
      default:            return mode == 2'd0;
    endcase
  endfunction

  // vote.sync, elect.sync; shfl.sync and bar.warp.sync have no result. `came`: the non-exited threads in membermask.
  function automatic result_t vote(logic [3:0] op, few_t came, few_t preds);
    result_t r;
    logic    all, any;
    r   = '0;
    all = 1'b1;
    any = 1'b0;
    for (int l = 0; l < Lanes; l++) begin
      if (came[l] && preds[l]) any = 1'b1;
      if (came[l] && !preds[l]) all = 1'b0;
    end
    unique case (op)
      Elect: begin
        for (int l = Lanes - 1; l >= 0; l--) begin
          if (came[l]) r.data = 32'(l);
        end
      end
      VoteAll: r.pred = all;
      VoteAny: r.pred = any;
      VoteUni: r.pred = all || !any;  // the same value in all
      Ballot:  r.data = 32'(preds & came);
      default: ;
    endcase
    return r;
  endfunction

  function automatic logic equal(logic [63:0] a, logic [63:0] b, logic [1:0] mode);
    return (mode == B64) ? a == b : a[31:0] == b[31:0];
  endfunction

  // match.sync.any: the threads of the group that have the value of this one.
  function automatic few_t with_value_of(few_t lane, few_t came, values_t values, logic [1:0] mode);
    few_t same;
    same = '0;
    for (int l = 0; l < Lanes; l++) begin
      for (int m = 0; m < Lanes; m++) begin
        if (lane[l] && came[m] && equal(values[l], values[m], mode)) same[m] = 1'b1;
      end
    end
    return same;
  endfunction

  function automatic result_t match_all(few_t came, values_t values, logic [1:0] mode);
    logic same;
    same = with_value_of(lowest(came), came, values, mode) == came;
    return '{data: same ? 32'(came) : 32'd0, pred: same};
  endfunction

  function automatic logic is_nan(logic [31:0] f);
    return f[30:23] == 8'hff && f[22:0] != '0;
  endfunction

  // Of values that are no NaN; +0.0 > -0.0.
  function automatic logic less(logic [31:0] a, logic [31:0] b, logic [1:0] mode);
    unique case (mode)
      S32:     return $signed(a) < $signed(b);
      F32:     return (a[31] != b[31]) ? a[31] : (a[31] ? a[30:0] > b[30:0] : a[30:0] < b[30:0]);
      default: return a < b;
    endcase
  endfunction

  // redux.sync of the low halves of the values.
  function automatic logic [31:0] redux(logic [3:0] op, logic [1:0] mode, logic abs, logic nan, few_t came,
                                        values_t values);
    logic [31:0] result, value;
    logic        some, some_nan, float;
    result   = (op == And) ? '1 : '0;
    some     = 1'b0;
    some_nan = 1'b0;
    float    = op inside {Min, Max} && mode == F32;
    for (int l = 0; l < Lanes; l++) begin
      value = values[l][31:0];
      if (float && abs) value[31] = 1'b0;
      if (came[l] && float && is_nan(value)) begin
        some_nan = 1'b1;
      end else if (came[l]) begin
        unique case (op)
          Add: result = result + value;
          And: result = result & value;
          Or:  result = result | value;
          Xor: result = result ^ value;
          Min: if (!some || less(value, result, mode)) result = value;
          default: if (!some || less(result, value, mode)) result = value;
        endcase
        some = 1'b1;
      end
    end
    if (float && (!some || (nan && some_nan))) result = CanonicalNan;
    return result;
  endfunction

endpackage
