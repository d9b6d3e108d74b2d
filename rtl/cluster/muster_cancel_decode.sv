// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Decodes the response of clusterlaunchcontrol.query_cancel (PTX 9.7.13.18). It has no state.
module muster_cancel_decode
  import muster_cluster_pkg::*;
(
  input  cancel_response_t response_i,     // the 16 bytes
  output logic             is_canceled_o,  // a cluster was cancelled
  output logic [2:0][31:0] ctaid_o         // z, y, x of its first CTA; of a failure 0
);

  assign is_canceled_o = response_i.is_canceled[0];
  assign ctaid_o       = is_canceled_o ? response_i.ctaid : '0;

endmodule
