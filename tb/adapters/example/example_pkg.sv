// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// What the parts of the example share.
package example_pkg;

  // Operations of a warp. From OpInit on they are at an mbarrier.
  typedef enum logic [3:0] {
    OpSync,
    OpArrive,  // answers the phase
    OpAnd,
    OpOr,
    OpPopc,
    OpWait,  // for the phase in the operand
    OpExit,
    OpInit,    // operand: arrivals of a phase
    OpMbArrive,  // answers the phase
    OpExpect,  // operand: bytes
    OpMbWait   // for the phase in the operand
  } op_e;

  // What is wrong with the unit. The numbers in the names are those of the list in the README.
  typedef enum logic [3:0] {
    FaultNone,
    Fault1AllCtas,     // completion is judged against the waiters of all CTAs
    Fault2Never,       // an exit completes nothing
    Fault2NoResult,    // an exit completes a reduction without its result
    Fault2Count,       // an exit also completes a barrier with a count
    Fault3Joined,      // warps that have not joined are not waited for
    Fault4Early,       // no arrival yet counts as all arrived, when a transaction completes
    Fault4Late,        // an arrival is taken while the phase lacks only transactions
    Fault5Bypass,      // the phase just written at another barrier is read
    Fault6Slot,        // a remote update is written to the word of a local one
    Fault7Reset,       // an accumulator is not reset
    Fault8Set,         // arrivals are a set of warps
    Fault9Multiple,    // a count that is no multiple of the warp's size is taken
    Fault10Underflow,  // the sign of the bytes is lost
    Fault11Storm       // transactions always win
  } fault_e;

endpackage
