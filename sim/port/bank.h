// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The bank of shared memory that a driver connects to the unit. It grants the unit's reads and
// writes, and decides when the cores may store to a word that the unit holds
// (rtl/mbarrier/README.md, "What the memory must do").
#ifndef MUSTER_SIM_PORT_BANK_H_
#define MUSTER_SIM_PORT_BANK_H_

#include <array>
#include <cstdint>

#include "sim/port/pins.h"

namespace muster::lockstep {

// Latency and stalls of the bank.
struct BankTiming {
  unsigned latency = 1;       // of a read, in cycles
  unsigned more_latency = 0;  // at random, up to
  unsigned read_stalls = 0;   // percent of cycles
  unsigned write_stalls = 0;
  bool one_port = false;  // reads wait for writes
};

class Bank {
 public:
  // Access to the words, which the driver stores. No address is beyond a CTA's shared memory.
  class Words {
   public:
    virtual ~Words() = default;
    virtual std::uint64_t Load(MbPlace place) = 0;
    virtual void Store(MbPlace place, std::uint64_t word) = 0;
  };

  explicit Bank(Words* words, std::uint64_t seed) : words_(*words), state_(seed) {}

  // Called at the beginning of a cycle. Carries out the accesses that the unit was granted in the
  // cycle before, and sets the bank's pins of this cycle. `seen` and *in are as in Driver::Drive.
  void Cycle(const SmemRequest& seen, SmemAnswer* in);

  // Called after Cycle(). Returns whether the cores may store to this word in this cycle. If not,
  // the bank remembers that a store waits, and makes the unit yield.
  bool MayStore(MbPlace place);

  // Whether the unit has read some word and not written it.
  bool Holds() const { return held_valid_ != 0 || read_granted_; }

  BankTiming timing;

 private:
  bool Percent(unsigned percent) { return Draw() % 100 < percent; }
  std::uint64_t Draw();

  Words& words_;
  std::uint64_t state_;
  // From the cycle before: the words held, and whether a read was granted.
  std::uint8_t held_valid_ = 0;
  std::array<MbPlace, kMostHeld> held_;
  bool read_granted_ = false;
  unsigned reading_ = 0;  // cycles until the data of the read on its way
  MbPlace read_place_;
  unsigned waiting_ = 0;  // cycles in which a store was held up, in a row
  bool refused_ = false;  // in this cycle
};

}  // namespace muster::lockstep

#endif  // MUSTER_SIM_PORT_BANK_H_
