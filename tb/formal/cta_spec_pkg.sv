// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// What cta_props remembers of an operation, and the value of a reduction, as rtl/README.md defines it.
package cta_spec_pkg;

  import muster_pkg::*;
  import muster_cta_pkg::kind_of;
  import muster_cta_pkg::is_reduction;

  // An accepted operation.
  typedef struct packed {
    op_e         op;
    cta_t        cta;
    warp_t       warp;
    bar_t        bar;
    logic [11:0] count;
    logic        idle;
    logic [5:0]  lanes;  // participating ones
    logic [5:0]  hits;   // participating lanes whose predicate is true
    logic [31:0] word;   // R2B: the state word
  } pending_t;

  // How many bits are set.
  function automatic logic [5:0] lanes_of(logic [31:0] bits);
    return 6'($countones(bits));
  endfunction

  function automatic pending_t pending_of(issue_t issue);
    return '{
      op:    issue.op,
      cta:   issue.cta,
      warp:  issue.warp,
      bar:   issue.bar,
      count: issue.count,
      idle:  issue.lanes == '0,
      lanes: lanes_of(issue.lanes),
      hits:  lanes_of(issue.lanes & issue.operand),
      word:  issue.operand
    };
  endfunction

  function automatic logic waits_of(op_e op);
    return op inside {OpSync, OpRedAnd, OpRedOr, OpRedPopc};
  endfunction

  function automatic logic arrives_of(op_e op);
    return waits_of(op) || op inside {OpArrive, OpArrivePhase};
  endfunction

  // Whether no entry of a CTA of that size, of which so many warps of 2^lane_w lanes are live, has this state
  // word.
  function automatic logic bad_bar(bar_word_t word, wcount_t size, wcount_t alive,
                                   int unsigned lane_w);
    if (word.zero != '0 || word.kind > KindPopc) return 1'b1;
    if (word.kind == KindIdle) return {word.expected, word.arrived, word.value} != '0;
    if (word.arrived == '0 || word.expected > size) return 1'b1;
    if (word.arrived >= ((word.expected == '0) ? alive : word.expected)) return 1'b1;
    return word.value > ((word.kind == KindPopc) ? 12'(word.arrived) << lane_w : 12'(word.kind != KindSync));
  endfunction

  // Whether no warp of such a CTA can have this word.
  function automatic logic bad_warp(warp_word_t word, wcount_t size, int unsigned lane_w);
    if (word.zero != '0 || word.kind == KindSync || word.kind > KindPopc) return 1'b1;
    if (!word.waiting && {word.apart, word.wait_bar} != '0) return 1'b1;
    if (word.kind == KindIdle) return {word.bar, word.value} != '0;
    return word.value > ((word.kind == KindPopc) ? 12'(size) << lane_w : 12'd1);
  endfunction

  // Whether no warp can wait as this word says at its entry, which is of that kind and count, in a CTA that
  // owes waiting warps or not.
  function automatic logic bad_wait(warp_word_t word, kind_e kind, wcount_t expected, logic owes);
    if (!word.waiting || word.apart) return 1'b0;
    if (kind == KindIdle || (expected == '0 && !owes)) return 1'b1;
    return is_reduction(kind) && {word.kind, word.bar, word.value} != {kind, word.wait_bar, 12'd0};
  endfunction

  // What an operation is refused for, as the table in rtl/README.md has it; at an entry of that kind and
  // count (R2B.WARP: where the warp is to wait), in a CTA of that size with so many live warps.
  function automatic fault_e refusal(pending_t o, kind_e kind, wcount_t expected, logic resident,
                                     wcount_t size, wcount_t alive, logic owes, logic live,
                                     logic waiting, int unsigned lane_w);
    if (o.idle) return FaultNone;
    if (!resident) return FaultCtaNotResident;
    if (!live) return FaultWarpNotLive;
    if (o.op inside {OpB2rBar, OpB2rWarp}) return FaultNone;
    if (waiting) return FaultWarpWaiting;
    if (owes && (arrives_of(o.op) || o.op == OpWait)) return FaultRestoreUnfinished;
    if ((o.op == OpR2bBar && (bad_bar(o.word, size, alive, lane_w) || kind != KindIdle)) ||
        (o.op == OpR2bWarp && (bad_warp(o.word, size, lane_w) || bad_wait(o.word, kind, expected, owes))))
      return FaultBadStateWord;
    if (!arrives_of(o.op)) return FaultNone;
    if (!waits_of(o.op) && o.count == '0) return FaultArvWithoutCount;
    if (((o.count >> lane_w) << lane_w) != o.count) return FaultCountNotMultiple;
    if ((o.count >> lane_w) > 12'(size)) return FaultCountAboveCta;
    if (kind != KindIdle && 12'(expected) != o.count >> lane_w) return FaultCountMismatch;
    if (kind != KindIdle && kind != kind_of(o.op)) return FaultKindMismatch;
    return FaultNone;
  endfunction

  // The value of a reduction, one warp further.
  function automatic logic [11:0] fold(kind_e kind, logic [11:0] value, logic opens, pending_t o);
    unique case (kind)
      KindPopc: return (opens ? 12'd0 : value) + 12'(o.hits);
      KindAnd:  return 12'((opens || value[0]) && o.hits == o.lanes);
      KindOr:   return 12'((!opens && value[0]) || o.hits != '0);
      default:  return '0;
    endcase
  endfunction

endpackage
