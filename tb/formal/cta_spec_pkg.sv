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
    lanes_of = '0;
    for (int i = 0; i < 32; i++) lanes_of = lanes_of + 6'(bits[i]);
  endfunction

  function automatic logic waits_of(op_e op);
    return op inside {OpSync, OpRedAnd, OpRedOr, OpRedPopc};
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
