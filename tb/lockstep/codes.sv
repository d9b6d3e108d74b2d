// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The numbers of muster_pkg, where a test can read them.
module codes
  import muster_pkg::*;
(
  output logic [3:0]  op_o    [12],
  output logic [2:0]  lc_o    [5],
  output logic [2:0]  kind_o  [5],
  output logic [4:0]  fault_o [27],
  output logic [3:0]  mb_op_o [15],
  output logic [1:0]  mb_source_o [3],
  output logic [31:0] limit_o [5]
);

  assign op_o = '{OpSync, OpArrive, OpRedAnd, OpRedOr, OpRedPopc, OpArrivePhase, OpB2rBar, OpB2rWarp,
                  OpB2rResult, OpWait, OpR2bBar, OpR2bWarp};
  assign lc_o = '{LcLaunch, LcOpen, LcSuspend, LcEnd, LcJoin};
  assign kind_o = '{KindIdle, KindSync, KindAnd, KindOr, KindPopc};
  assign fault_o = '{FaultNone, FaultBadLaunch, FaultCtaNotResident, FaultWarpNotLive,
                     FaultWarpWaiting, FaultBadStateWord, FaultArvWithoutCount,
                     FaultCountNotMultiple, FaultCountAboveCta, FaultCountMismatch,
                     FaultKindMismatch, FaultBadAddress, FaultBadInitCount, FaultBadArriveCount,
                     FaultTxOverflow, FaultPendingOverflow, FaultNocompleteCompleted,
                     FaultWordExhausted, FaultRemoteNotAllowed, FaultRestoreUnfinished,
                     FaultBadJoin, FaultNotAMember, FaultMaskMismatch,
                     FaultClusterArrivedTwice, FaultClusterWaitWithoutArrive, FaultRankNotThere,
                     FaultBarrierMismatch};
  assign mb_op_o = '{MbInit, MbInval, MbArrive, MbArriveNoComplete, MbArriveExpectTx, MbArriveDrop,
                     MbArriveDropNoComplete, MbArriveDropExpectTx, MbExpectTx, MbCompleteTx,
                     MbTestWait, MbTestWaitParity, MbTryWait, MbTryWaitParity, MbCopyArrive};
  assign mb_source_o = '{MbWarp, MbAsync, MbRemote};
  assign limit_o = '{MaxLanes, NumBars, MaxWarps, MaxCtas, MaxIssue};

endmodule
