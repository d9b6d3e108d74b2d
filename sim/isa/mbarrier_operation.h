// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The vocabulary of mbarriers (PTX ISA 9.7.13.15; layouts and reports: PTX ISA 9.4, 9.7.15.16): the
// operations on a word of shared memory. Their
// fault causes and hazards are in fault.h. sim/golden/mbarrier.md has the words bit
// by bit, and the readings of what the text leaves open.
#ifndef MUSTER_SIM_ISA_MBARRIER_OPERATION_H_
#define MUSTER_SIM_ISA_MBARRIER_OPERATION_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "sim/isa/config.h"
#include "sim/isa/operation.h"

namespace muster {

// The largest expected, pending and tx-count, and the largest operand that changes one.
inline constexpr std::uint32_t kMaxMbCount = (1U << 20) - 1;
// The largest expected and pending count of an object of layout v1.
inline constexpr std::uint32_t kMaxMbCountV1 = (1U << 9) - 1;

// Whether a lone expect_tx is followed by the completion test, as every arrive-on and complete_tx
// is. The text does not settle it; this is the one place that does.
inline constexpr bool kExpectTxCompletes = true;

// The operation of a lane. The operand is in parentheses.
enum class MbOp : std::uint8_t {
  kInit = 0,                  // (count)
  kInval = 1,                 // writes zeroes
  kArrive = 2,                // (count); async: an arrive-on, with count 1
  kArriveNoComplete = 3,      // (count)
  kArriveExpectTx = 4,        // (tx); the count is 1, as for the other .expect_tx
  kArriveDrop = 5,            // (count)
  kArriveDropNoComplete = 6,  // (count)
  kArriveDropExpectTx = 7,    // (tx)
  kExpectTx = 8,              // (tx)
  kCompleteTx = 9,            // (tx)
  kTestWait = 10,             // by the phase of a token
  kTestWaitParity = 11,       // by parity
  kTryWait = 12,              // (hint), by the phase of a token
  kTryWaitParity = 13,        // (hint), by parity
  kCopyArrive = 14,           // cp.async.mbarrier.arrive: pending rises, the arrive-on comes later
  kReportOn = 15,             // (value) async: the report of the current phase, on layout v1
  // cp.async.mbarrier.arrive.noinc does nothing until its arrive-on comes. The unit never sees it;
  // the golden model is told, so that it knows what is outstanding.
  kCopyArriveNoInc = 16,
};
inline constexpr unsigned kNumMbOps = 17;
const char* Name(MbOp op);  // as PTX spells it: "arrive_drop.expect_tx", "test_wait.parity"

// What a wait asks about. A wait by parity may ask about the conditional phase, and a test_wait
// that asks about the layout is check_layout.
enum class MbAsks : std::uint8_t { kPrimary = 0, kConditional = 1, kLayout = 2 };

constexpr bool IsDrop(MbOp op) {
  return op >= MbOp::kArriveDrop && op <= MbOp::kArriveDropExpectTx;
}
constexpr bool IsNoComplete(MbOp op) {
  return op == MbOp::kArriveNoComplete || op == MbOp::kArriveDropNoComplete;
}
// An arrive-on at once, which may return a token.
constexpr bool IsMbArrival(MbOp op) {
  return op >= MbOp::kArrive && op <= MbOp::kArriveDropExpectTx;
}
// The operand raises tx-count.
constexpr bool ExpectsTx(MbOp op) {
  return op == MbOp::kArriveExpectTx || op == MbOp::kArriveDropExpectTx || op == MbOp::kExpectTx;
}
constexpr bool ChangesTx(MbOp op) { return ExpectsTx(op) || op == MbOp::kCompleteTx; }
constexpr bool IsTryWait(MbOp op) { return op == MbOp::kTryWait || op == MbOp::kTryWaitParity; }
constexpr bool IsMbWait(MbOp op) { return op >= MbOp::kTestWait && op <= MbOp::kTryWaitParity; }
// Whether the operation is allowed on another CTA's word (9.7.13.15.8), if no token is wanted.
constexpr bool IsRemote(MbOp op) {
  return (IsMbArrival(op) && !IsNoComplete(op)) || op == MbOp::kExpectTx || op == MbOp::kCompleteTx;
}

enum class MbSource : std::uint8_t {
  kWarp = 0,      // lanes of a warp, at a word of their own CTA
  kAsync = 1,     // a copy engine: kCompleteTx, kReportOn, or kArrive with count 1
  kRemote = 2,    // another CTA of the cluster, at the word
  kOutbound = 3,  // lanes of a warp for another CTA's word: judged where they leave, and sent on
};
const char* Name(MbSource source);  // "warp", "async", "remote", "outbound"

// A group: lanes of one instruction that name the same word and the same operand. It has the effect
// of its lanes one by one in lane order. Each of them gets back the word just before its own
// operation, of which expect-tx and drop are a part: from lane to lane of an update
// pending falls by the count, with a drop expected does too, and with an expect_tx tx-count rises.
struct MbOperation {
  MbOp op = MbOp::kArrive;
  MbSource source = MbSource::kWarp;
  std::uint8_t cta = 0;       // the CTA of the word; outbound: of the warp
  std::uint8_t warp = 0;      // kWarp, kOutbound
  std::uint32_t lanes = 0;    // kAsync, kRemote: bit 0
  std::uint32_t addr = 0;     // bytes from the start of the CTA's shared memory
  std::uint32_t operand = 0;  // count, tx, value, or the smallest hint of the lanes in nanoseconds
  bool phase = false;  // waits: bit 63 of the token, or the parity; init, check_layout: layout v1
  MbAsks asks = MbAsks::kPrimary;  // waits
  bool has_token = false;          // arrivals: a register wants the token
  bool has_hint = false;           // try_wait: without one, the limit is the unit's own
  bool whole = true;               // try_wait: it may park, see IsWhole
  bool releasing = true;     // .release: enters after the warp's earlier accesses are performed
  std::uint32_t behind = 0;  // arrivals: the instruction's lanes that arrive here after these
  // What the driver knows the operation by, for instance its line. Neither the unit nor the golden
  // model looks at it; it comes back in the operation's MbEvent.
  std::uint32_t tag = 0;
  std::uint32_t pass = 0;  // likewise: the execution that it is of, where the driver counts these
};

// The name with what PTX writes behind it: "init.v1", "check_layout",
// "try_wait.parity.conditional".
const char* Name(const MbOperation& operation);
// Whether a unit has the operation. One that it lacks must not be presented.
constexpr bool Has(const Config& config, const MbOperation& operation) {
  return config.report ||
         !(operation.op == MbOp::kReportOn || (operation.op == MbOp::kInit && operation.phase) ||
           (IsMbWait(operation.op) && operation.asks != MbAsks::kPrimary));
}
// Sets what such a name tells. False: there is none of that name.
bool FindName(std::string_view name, MbOperation* operation);

// Whether the lanes of a try_wait's group are `whole`: all lanes of the instruction name this word
// and this phase. Without a time limit parked lanes wait as long as the phase lasts, and operations
// of other lanes of their warp may wait for them meanwhile; so there they must be all live lanes of
// the warp.
constexpr bool IsWhole(const Config& config, std::uint32_t lanes, std::uint32_t of_instruction,
                       std::uint32_t live) {
  return lanes == (config.mb_limit ? of_instruction : live);
}

// A wait, unlike check_layout, which has the code of one.
constexpr bool WaitsForPhase(const MbOperation& operation) {
  return IsMbWait(operation.op) && operation.asks != MbAsks::kLayout;
}

// Each lane gets an answer, also one that is refused: token 0, or false.
constexpr bool HasResponse(const MbOperation& operation) {
  return IsMbWait(operation.op) || operation.has_token;
}

// An event at mbarriers. The events in order are all that the golden model is told, and what a log
// holds.
struct MbEvent {
  enum class Kind : std::uint8_t {
    kStep,     // `operation` commits
    kExpire,   // the time limit of operation.warp has passed
    kLeave,    // operation.cta leaves its slot, by `how`
    kStore,    // an ordinary store to the eight bytes at operation.cta, .addr: they are `word`;
               // operation.warp, .tag: of the store
    kRestore,  // the same, of an mbarrier that was saved
  };
  Kind kind = Kind::kStep;
  OpKind how = OpKind::kEnd;
  std::uint64_t word = 0;
  MbOperation operation;
};

// In words: "arrive of 1 at 0x40 of CTA 0 by warp 3, lanes 0xff".
std::string Describe(const MbEvent& event);

// Precedence of the causes, for each lane by itself. What the core knows: cta_not_resident,
// warp_not_live, warp_waiting (at a named barrier), remote_not_allowed. The operands: bad_address,
// bad_init_count, bad_arrive_count (0, above kMaxMbCount), tx_overflow (above kMaxMbCount). The
// word: word_exhausted, bad_arrive_count (more than pending; a drop of more than expected),
// tx_overflow (tx-count beyond kMaxMbCount on either side), pending_overflow, nocomplete_completed;
// of a report-on wrong_layout (of an object of layout v0) alone.
//
// A word is exhausted when expected, pending and tx-count are all 0. Its lock and reserved bits
// have no meaning, and are written as 0 by every update.
//
// A parked try_wait is answered true when the phase that it waits for completes: by a completion of
// its word out of the parity that it was parked with. A try_wait of a warp whose slot is taken (by
// other lanes) does not park. Suspend and end answer false.

}  // namespace muster

#endif  // MUSTER_SIM_ISA_MBARRIER_OPERATION_H_
