// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The pins of the unit as plain numbers, one cycle's worth, whatever the configuration. Bits and
// ports that a configuration lacks stay 0.
#ifndef MUSTER_SIM_PORT_PINS_H_
#define MUSTER_SIM_PORT_PINS_H_

#include <array>
#include <cstdint>
#include <vector>

#include "sim/isa/fault.h"
#include "sim/isa/mbarrier_operation.h"
#include "sim/isa/mbarrier_word.h"
#include "sim/isa/operation.h"

namespace muster {

// A word of shared memory: the CTA's slot, and the byte in its memory.
struct MbPlace {
  std::uint8_t cta = 0;
  std::uint32_t addr = 0;
  bool operator==(const MbPlace& other) const { return cta == other.cta && addr == other.addr; }
};

// What a block asks of the bank of shared memory, and what the bank answers.
inline constexpr unsigned kMostHeld = 3;
struct SmemRequest {
  bool read_valid = false;
  bool write_valid = false;
  std::uint8_t held_valid = 0;  // a bit per place below
  MbPlace read_place;
  MbPlace write_place;
  std::uint64_t write_data = 0;
  std::array<MbPlace, kMostHeld> held;  // read, and not yet written: closed to stores
};
struct SmemAnswer {
  bool read_ready = true;
  bool rdata_valid = false;
  bool write_ready = true;
  bool yield = false;
  std::uint64_t rdata = 0;
};

// The shared-memory scope (rtl/mbarrier/README.md). Operations are held until ready.
struct MbInputs : SmemAnswer {
  bool issue_valid = false;
  bool async_valid = false;
  bool remote_valid = false;
  bool gated = false;           // this cycle ends without an edge of mb_clk_i
  MbOperation issue;            // a group: lanes that name one word and one operand
  MbOperation async;            // kCompleteTx, kReportOn, or kArrive with count 1
  MbOperation remote;           // of another CTA of the cluster
  std::uint64_t fence_ack = 0;  // a bit per warp
  bool response_ready = true;
  std::uint32_t stopped_ns = 0;  // Inputs::stopped, in nanoseconds

  // Not a pin, but information that the checker cannot get otherwise: the stores of the cores that
  // the bank granted in this cycle, before what it grants the unit; at least those to words of
  // mbarriers.
  struct Store {
    MbPlace place;
    std::uint64_t word = 0;  // what the eight bytes are afterwards
    bool restores = false;   // it brings back the mbarrier of a CTA that was saved
    std::uint8_t warp = 0;   // whose store it is, if a warp's
    std::uint32_t tag = 0;   // as MbOperation::tag
  };
  std::vector<Store> stores;
  // Not pins either: operations that only the golden model sees.
  std::vector<MbOperation> announced;
};

// A store, as it is passed to the golden model.
inline MbEvent EventOf(const MbInputs::Store& store) {
  MbEvent event;
  event.kind = store.restores ? MbEvent::Kind::kRestore : MbEvent::Kind::kStore;
  event.word = store.word;
  event.operation.cta = store.place.cta;
  event.operation.addr = store.place.addr;
  event.operation.warp = store.warp;
  event.operation.tag = store.tag;
  return event;
}

constexpr unsigned kMbHeld = 3;  // words that the unit may hold at once

struct MbOutputs : SmemRequest {
  // Settled in the same cycle as the inputs.
  bool issue_ready = false;
  bool async_ready = false;
  bool remote_ready = false;
  bool idle = false;  // the block needs no clock edge after this cycle
  struct Commit {
    MbSource source = MbSource::kWarp;
    std::uint8_t warp = 0;
    bool written = false;
    bool completed = false;
    bool parked = false;
    std::uint32_t lanes = 0;
    MbPlace place;
    std::uint64_t word = 0;  // written
  };
  bool commit_valid = false;  // an update enters memory, or passes without a write
  Commit commit;

  // Registered.
  std::uint64_t busy = 0;  // warps with a group between acceptance and commit
  std::uint64_t fence_req = 0;
  std::uint64_t wake = 0;    // parked warps that are answered true in this cycle
  MbReport wake_report = 0;  // those that waited for a primary phase: its report
  std::uint64_t expire = 0;  // parked warps that are answered false in this cycle
  struct Response {
    std::uint8_t warp = 0;
    MbOp op = MbOp::kArrive;
    bool complete = false;      // waits
    std::uint32_t lanes = 0;    // that it answers; TokenOf() has the token of each
    std::uint32_t operand = 0;  // arrivals: the lower 20 bits of the count or tx
    std::uint64_t token = 0;    // arrivals: of the first lane; waits: the word that they found
  };
  bool response_valid = false;
  Response response;
  struct Fault {
    FaultCause cause = FaultCause::kNone;
    MbSource source = MbSource::kWarp;
    std::uint8_t warp = 0;
    std::uint32_t lanes = 0;
    MbPlace place;
  };
  bool fault_valid = false;
  Fault fault;
};

struct Inputs {
  bool reset = false;                      // the whole of this cycle; nothing else counts then
  std::uint64_t stopped = 0;               // cycles for which the clock stands still after this one
  bool gated = false;                      // this cycle ends without an edge of either clock
  std::uint8_t issue_valid = 0;            // a bit per port
  std::array<Operation, kMaxIssue> issue;  // held until ready
  bool lifecycle_valid = false;
  Operation lifecycle;  // held until ready
  bool exit_valid = false;
  Operation exit;               // held until ready
  std::uint64_t fence_ack = 0;  // a bit per warp
  bool response_ready = true;
  std::uint8_t debug_cta = 0;  // entry to read
  std::uint8_t debug_bar = 0;
  std::uint8_t debug_warp = 0;  // warp to look at
  MbInputs mb;
};

struct Outputs {
  // Settled in the same cycle as the inputs.
  std::uint8_t issue_ready = 0;
  bool lifecycle_ready = false;
  bool exit_ready = false;
  // The operations that enter the read-modify-write pipeline in this cycle, in port order.
  std::uint8_t commit_valid = 0;  // a bit per port
  std::array<std::uint8_t, kMaxIssue> commit_warp{};
  bool commit_lifecycle = false;
  bool commit_exit = false;

  bool idle = false;  // the unit needs no clock edge after this cycle

  // Registered.
  std::uint64_t busy = 0;  // warps with an operation between issue and commit
  std::uint64_t fence_req = 0;
  std::uint64_t released = 0;
  std::uint8_t release_cta = 0;
  std::uint8_t release_bar = 0;
  BarKind release_kind = BarKind::kIdle;
  std::uint16_t release_value = 0;
  bool response_valid = false;
  std::uint8_t response_warp = 0;
  std::uint32_t response_data = 0;
  bool response_pred = false;
  struct Fault {
    FaultCause cause = FaultCause::kNone;
    std::uint8_t cta = 0;
    std::uint8_t warp = 0;
    std::uint8_t bar = 0;
    std::uint32_t lanes = 0;
  };
  std::uint8_t fault_valid =
      0;  // a bit per issue port, then the lifecycle port, then the exit port
  std::array<Fault, kMaxIssue + 2> fault;
  bool entry_valid = false;  // an entry was written, and its word afterwards
  std::uint8_t entry_cta = 0;
  std::uint8_t entry_bar = 0;
  std::uint32_t entry_word = 0;
  std::uint32_t debug_word = 0;  // of the entry addressed in the cycle before
  // Of the warp addressed in the cycle before.
  bool debug_live = false;  // if its CTA is resident
  bool debug_waiting = false;
  std::uint8_t debug_warp_cta = 0;
  MbOutputs mb;
};

}  // namespace muster

#endif  // MUSTER_SIM_PORT_PINS_H_
