// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Carries transfers out, each after a time of its own, so before or after what was started earlier.
// A machine has the engine of what comes to its own shared memory, and of what its CTAs send to
// global memory.
#ifndef MUSTER_SIM_PTX_SIMT_COPY_ENGINE_H_
#define MUSTER_SIM_PTX_SIMT_COPY_ENGINE_H_

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <utility>

#include "sim/ptx/simt/late_sink.h"
#include "sim/ptx/simt/memory.h"
#include "sim/ptx/simt/random.h"
#include "sim/ptx/simt/schedule_replay.h"
#include "sim/ptx/simt/transfer.h"

namespace muster::ptx {

class CopyEngine : public TransferSink {
 public:
  // Takes a transfer whose time has come, and that goes through the network of the cluster. False:
  // the engine carries it out.
  using Network = std::function<bool(const Transfer& transfer)>;

  CopyEngine(Memory* memory, std::uint64_t seed) : memory_(*memory), random_(seed) {}

  void Post(Transfer transfer, std::uint64_t cycle) override;
  // Carries out what is due. Returns whether memory has changed.
  bool Step(std::uint64_t cycle);
  bool Idle() const { return transfers_.empty(); }
  // Whether some of the launch's transfers are left.
  bool HasOf(const Launch& launch) const;
  // Something goes on by itself: not what waits for its turn.
  bool Moves() const;
  // Transfers take their turns there; null: in any order.
  void set_replay(ScheduleReplay* replay) { replay_ = replay; }
  void set_network(Network network) { network_ = std::move(network); }
  // Hides stores from transfers, if there is one.
  void set_late(LateSink* late) { late_ = late; }
  // The CTA ends: what is on its way to its memory, or has not been read from there, is lost.
  // Returns the first that another CTA has sent to it, if any.
  std::optional<Transfer> Abandon(const Cta* cta);

 private:
  // Returns when it goes on, or 0 if it is done.
  std::uint64_t Advance(Transfer* transfer, std::uint64_t cycle);
  bool MayRead(const Transfer& transfer) const;
  bool MayPerform(const Transfer& transfer) const;
  static bool IsAfterItsThread(const Transfer& transfer);
  template <typename F>
  void Reading(const Transfer& transfer, F read);
  bool Write(const Transfer& transfer);
  void Complete(const Transfer& transfer);

  Memory& memory_;
  Random random_;
  ScheduleReplay* replay_ = nullptr;
  LateSink* late_ = nullptr;
  Network network_;
  std::multimap<std::uint64_t, Transfer> transfers_;  // by the cycle in which they are due
  bool changed_ = false;
};

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_SIMT_COPY_ENGINE_H_
