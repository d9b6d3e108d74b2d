// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// What cta_props remembers of an operation, and what a reduction comes to, from rtl/README.md.
package cta_spec_pkg;

  import muster_pkg::*;
  import muster_cta_pkg::kind_of;

  // An accepted operation.
  typedef struct packed {
    op_e         op;
    cta_t        cta;
    warp_t       warp;
    bar_t        bar;
    logic [11:0] count;
    logic        idle;
    logic [5:0]  lanes;  // participating ones
    logic [5:0]  hits;   // ... whose predicate is true
  } pending_t;

  // How many bits are set.
  function automatic logic [5:0] lanes_of(logic [31:0] bits);
    return 6'($countones(bits));
  endfunction

  function automatic logic waits_of(op_e op);
    return op inside {OpSync, OpRedAnd, OpRedOr, OpRedPopc};
  endfunction

  // What an operation is refused for, as the table in rtl/README.md has it; at an entry of that kind and
  // count, in a CTA of that size.
  function automatic fault_e refusal(pending_t o, kind_e kind, wcount_t expected, logic resident,
                                     wcount_t size, logic live, logic waiting);
    if (o.idle) return FaultNone;
    if (!resident) return FaultCtaNotResident;
    if (!live) return FaultWarpNotLive;
    if (o.op inside {OpB2rBar, OpB2rWarp}) return FaultNone;
    if (waiting) return FaultWarpWaiting;
    if (!(waits_of(o.op) || o.op == OpArrive)) return FaultNone;
    if (o.op == OpArrive && o.count == '0) return FaultArvWithoutCount;
    if (o.count[4:0] != '0) return FaultCountNotMultiple;
    if (o.count[11:5] > size) return FaultCountAboveCta;
    if (kind != KindIdle && expected != o.count[11:5]) return FaultCountMismatch;
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
