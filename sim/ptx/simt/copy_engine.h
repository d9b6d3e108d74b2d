// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// What threads start and do not wait for: copies, reductions, stores to another CTA, and operations
// on another CTA's mbarriers. Each is carried out after a time of its own, so before or after what
// was started earlier. A machine has the engine of what comes to its own shared memory, and of what
// its CTAs send to global memory.
#ifndef MUSTER_SIM_PTX_SIMT_COPY_ENGINE_H_
#define MUSTER_SIM_PTX_SIMT_COPY_ENGINE_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sim/isa/mbarrier_operation.h"
#include "sim/ptx/program/instruction.h"
#include "sim/ptx/simt/memory.h"
#include "sim/ptx/simt/random.h"

namespace muster::ptx {

struct Cta;

// The copies of one thread that count in groups (cp.async, or cp.async.bulk), in its order.
class CopyGroups {
 public:
  // A copy starts. Returns its number, for the rest.
  std::uint32_t Start() {
    outstanding_.push_back({next_, group_, false});
    return next_++;
  }
  void Commit() { ++group_; }
  void Read(std::uint32_t number);
  void End(std::uint32_t number);

  // All are done, or have read their sources, but for those of the latest `groups` groups.
  bool Done(std::uint32_t groups, bool read) const;
  bool AllDone() const { return outstanding_.empty(); }
  // What has been started by now: done when DoneBefore.
  std::uint32_t next() const { return next_; }
  bool DoneBefore(std::uint32_t number) const;

 private:
  struct Copy {
    std::uint32_t number;
    std::uint32_t group;
    bool read;
  };
  std::vector<Copy> outstanding_;
  std::uint32_t next_ = 0;
  std::uint32_t group_ = 0;  // that the next copy is of
};

struct Transfer {
  enum class Kind : std::uint8_t {
    kMove,    // bytes
    kReduce,  // elements, into what is there
    kArrive,  // the arrive-on of copies, when they are done
    kRemote,  // an operation of another CTA of the cluster: through the network, not by an engine
  };
  Kind kind = Kind::kMove;
  // Where to: shared memory, or (null) an address of global memory.
  Cta* to = nullptr;
  std::uint64_t address = 0;
  // Where from: likewise, unless the bytes have been read. Bytes beyond them are zeroes.
  Cta* from = nullptr;
  std::uint64_t source = 0;
  std::uint32_t bytes = 0;
  bool has_read = false;
  std::vector<std::uint8_t> data{};
  std::uint32_t zeroes = 0;
  Atomic atomic = Atomic::kAdd;
  Type type = Type::kB32;
  // The mbarrier, of `to`, that hears of the bytes.
  std::optional<std::uint32_t> mbarrier{};
  // Who started it.
  Cta* issuer = nullptr;
  unsigned warp = 0;             // its slot
  CopyGroups* groups = nullptr;  // if it counts there
  std::uint32_t number = 0;
  std::uint32_t line = 0;
  MbOperation operation{};  // kRemote
};

class CopyEngine {
 public:
  CopyEngine(Memory* memory, std::uint64_t seed) : memory_(*memory), random_(seed) {}

  void Post(Transfer transfer, std::uint64_t cycle);
  // Carries out what is due. Returns whether memory has changed.
  bool Step(std::uint64_t cycle);
  bool Idle() const { return transfers_.empty(); }
  // The CTA ends: what is on its way to its memory, or has not been read from there, is lost.
  // Returns the first that another CTA has sent to it, if any.
  std::optional<Transfer> Abandon(const Cta* cta);

 private:
  // Returns when it goes on, or 0 if it is done.
  std::uint64_t Advance(Transfer* transfer, std::uint64_t cycle);
  bool Read(Transfer* transfer);
  bool Write(const Transfer& transfer);
  void Complete(const Transfer& transfer);

  Memory& memory_;
  Random random_;
  std::multimap<std::uint64_t, Transfer> transfers_;  // by the cycle in which they are due
  bool changed_ = false;
};

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_SIMT_COPY_ENGINE_H_
