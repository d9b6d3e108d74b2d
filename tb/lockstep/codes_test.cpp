// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The numbers of rtl/muster_pkg.sv are those of sim/isa.
#include <Vcodes.h>
#include <gtest/gtest.h>
#include <verilated.h>

#include <cstddef>
#include <vector>

#include "sim/isa/fault.h"
#include "sim/isa/mbarrier_operation.h"
#include "sim/isa/operation.h"

namespace muster {
namespace {

template <typename Pins, typename Code>
void ExpectEqual(const Pins& pins, const std::vector<Code>& codes, unsigned base = 0) {
  for (std::size_t i = 0; i < codes.size(); ++i) {
    EXPECT_EQ(pins[i] + base, static_cast<unsigned>(codes[i])) << "number " << i;
  }
}

TEST(Codes, EqualThoseOfThePackage) {
  VerilatedContext context;
  Vcodes unit(&context);
  unit.eval();
  ExpectEqual(unit.op_o,
              std::vector{OpKind::kSync, OpKind::kArrive, OpKind::kRedAnd, OpKind::kRedOr,
                          OpKind::kRedPopc, OpKind::kArrivePhase, OpKind::kB2rBar, OpKind::kB2rWarp,
                          OpKind::kB2rResult, OpKind::kWait, OpKind::kR2bBar, OpKind::kR2bWarp});
  ExpectEqual(
      unit.lc_o,
      std::vector{OpKind::kLaunch, OpKind::kOpen, OpKind::kSuspend, OpKind::kEnd, OpKind::kJoin},
      static_cast<unsigned>(OpKind::kLaunch));
  ExpectEqual(unit.kind_o, std::vector{BarKind::kIdle, BarKind::kSync, BarKind::kAnd, BarKind::kOr,
                                       BarKind::kPopc});
  ExpectEqual(unit.fault_o, std::vector{FaultCause::kNone,
                                        FaultCause::kBadLaunch,
                                        FaultCause::kCtaNotResident,
                                        FaultCause::kWarpNotLive,
                                        FaultCause::kWarpWaiting,
                                        FaultCause::kBadStateWord,
                                        FaultCause::kArvWithoutCount,
                                        FaultCause::kCountNotMultiple,
                                        FaultCause::kCountAboveCta,
                                        FaultCause::kCountMismatch,
                                        FaultCause::kKindMismatch,
                                        FaultCause::kBadAddress,
                                        FaultCause::kBadInitCount,
                                        FaultCause::kBadArriveCount,
                                        FaultCause::kTxOverflow,
                                        FaultCause::kPendingOverflow,
                                        FaultCause::kNocompleteCompleted,
                                        FaultCause::kWordExhausted,
                                        FaultCause::kRemoteNotAllowed,
                                        FaultCause::kRestoreUnfinished,
                                        FaultCause::kBadJoin,
                                        FaultCause::kNotAMember,
                                        FaultCause::kMaskMismatch,
                                        FaultCause::kClusterArrivedTwice,
                                        FaultCause::kClusterWaitWithoutArrive,
                                        FaultCause::kRankNotThere,
                                        FaultCause::kBarrierMismatch});
  ExpectEqual(
      unit.mb_op_o,
      std::vector{MbOp::kInit, MbOp::kInval, MbOp::kArrive, MbOp::kArriveNoComplete,
                  MbOp::kArriveExpectTx, MbOp::kArriveDrop, MbOp::kArriveDropNoComplete,
                  MbOp::kArriveDropExpectTx, MbOp::kExpectTx, MbOp::kCompleteTx, MbOp::kTestWait,
                  MbOp::kTestWaitParity, MbOp::kTryWait, MbOp::kTryWaitParity, MbOp::kCopyArrive});
  ExpectEqual(unit.mb_source_o, std::vector{MbSource::kWarp, MbSource::kAsync, MbSource::kRemote});
  ExpectEqual(unit.limit_o, std::vector{kMaxLanes, kNumBars, kMaxWarps, kMaxCtas, kMaxIssue});
}

}  // namespace
}  // namespace muster
