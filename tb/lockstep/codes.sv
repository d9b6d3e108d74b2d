// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The numbers of muster_pkg, where a test can read them.
module codes
  import muster_pkg::*;
(
  output logic [3:0]  op_o    [10],
  output logic [1:0]  lc_o    [4],
  output logic [2:0]  kind_o  [5],
  output logic [4:0]  fault_o [11],
  output logic [31:0] limit_o [5]
);

  assign op_o = '{OpSync, OpArrive, OpRedAnd, OpRedOr, OpRedPopc, OpB2rBar, OpB2rWarp, OpB2rResult,
                  OpR2bBar, OpR2bWarp};
  assign lc_o = '{LcLaunch, LcExit, LcSuspend, LcEnd};
  assign kind_o = '{KindIdle, KindSync, KindAnd, KindOr, KindPopc};
  assign fault_o = '{FaultNone, FaultBadLaunch, FaultCtaNotResident, FaultWarpNotLive,
                     FaultWarpWaiting, FaultBadStateWord, FaultArvWithoutCount,
                     FaultCountNotMultiple, FaultCountAboveCta, FaultCountMismatch,
                     FaultKindMismatch};
  assign limit_o = '{WarpSize, NumBars, MaxWarps, MaxCtas, MaxIssue};

endmodule
