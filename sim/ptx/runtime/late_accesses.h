// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Performs the accesses of a run late, as far as the text lets it: a store reaches other threads,
// and copies, later than it reaches memory, and some loads are performed after instructions that
// follow them. A seed draws how late; the golden model of visibility says what may be seen, and who
// counts accesses (FenceSink) when those before a fence are performed. Knows which instructions
// order accesses, and nothing of cycles but how long an access may be on its way.
#ifndef MUSTER_SIM_PTX_RUNTIME_LATE_ACCESSES_H_
#define MUSTER_SIM_PTX_RUNTIME_LATE_ACCESSES_H_

#include <array>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "sim/golden/visibility.h"
#include "sim/isa/access_class.h"
#include "sim/isa/warp_size.h"
#include "sim/ptx/program/program.h"
#include "sim/ptx/simt/late_sink.h"
#include "sim/ptx/simt/memory.h"
#include "sim/ptx/simt/random.h"
#include "sim/ptx/simt/transfer.h"

namespace muster::ptx {

class LateAccesses : public LateSink {
 public:
  LateAccesses(const Program& program, Memory* memory, std::uint64_t seed);

  bool Await(const Warp& warp, const Group& group, const Lanes& lanes, std::uint64_t cycle,
             std::vector<LateLoad>* due) override;
  void Reach(const Warp& warp, const Lanes& lanes) override;
  bool Delays(const Warp& warp, const Group& group, unsigned lane, std::uint64_t address) override;
  bool Load(const Warp& warp, unsigned lane, const Instruction& i, std::uint64_t address,
            const std::uint8_t* now, unsigned bytes, std::uint8_t* seen) override;
  void Store(const Warp& warp, unsigned lane, const Instruction& i, std::uint64_t address,
             const std::uint8_t* before, const std::uint8_t* after, unsigned bytes) override;
  void Swap(const Warp& warp, unsigned lane, const Instruction& i, std::uint64_t address,
            unsigned bytes) override;
  void EndAtomic(const Warp& warp) override;
  void EndWait(const Warp& warp, std::uint32_t lanes) override;
  void Leave(const Warp& warp, std::uint32_t lanes, Scope scope) override;
  void LeaveGrid() override { model_.SettleAll(); }
  std::uint64_t PerformedBy(const Warp& warp) override { return warps_[&warp].performed_by; }
  void Start(Transfer* transfer) override;
  void BeginRead(const Transfer& transfer) override;
  void EndRead() override { Restore(); }
  void BeginWrite(const Transfer& transfer) override;
  void EndWrite(const Transfer& transfer, bool written) override;

  // How often loads, or copies, at a line have not found what a store at another line had left; and
  // the first of them.
  struct Missed {
    std::uint32_t line = 0;
    std::uint32_t store_line = 0;
    std::uint64_t count = 0;
    std::uint64_t cycle = 0;
    std::uint64_t cta = 0;  // linear
  };
  const std::vector<Missed>& missed() const { return missed_; }
  std::uint64_t late_loads() const { return late_loads_; }  // performed after their instruction

 private:
  using Place = golden::Visibility::Place;
  using Thread = golden::Visibility::Thread;

  struct Pending {
    LateLoad load;
    Place place;
    unsigned bytes = 0;
    std::uint64_t due = 0;
  };
  // A store of a lane that is not performed yet.
  struct Stored {
    golden::Visibility::Point point;
    unsigned lane;
    AccessClass of;
    std::uint64_t until;
  };
  // Of a warp: what it has asked a unit, and what it has not performed.
  struct Asked {
    Ordering atomic;
    std::array<std::pair<bool, Scope>, kWarpSize> waits{};  // whether it acquires, and the scope
    std::vector<Pending> loads;
    std::vector<Stored> stores;
    std::uint64_t stored_in = ~std::uint64_t{0};  // the cycle of the latest ones
    std::uint64_t stores_until = 0;               // when these are performed
    std::uint64_t performed_by = 0;
  };
  // Bytes that are not in memory for a while, or that a copy must leave as they are.
  struct Kept {
    std::uint8_t* at;
    std::vector<std::uint8_t> bytes;
  };

  static Thread ThreadOf(const Cta& cta, unsigned warp, unsigned lane);
  static Thread ThreadOf(const Warp& warp, unsigned lane);
  static std::optional<Place> PlaceOf(const Warp& warp, Space space, std::uint64_t address);
  bool IsHeldUp(const Warp& warp, const Group& group, const Instruction& i);
  golden::Visibility::Point FirstOutstanding(const Warp& warp, unsigned lane, ClassSet classes);
  void ReleasePerformed(const Warp& warp, const Lanes& lanes, Scope scope);
  bool Needs(const Pending& pending, const Warp& warp, const Group& group, const Lanes& lanes);
  const std::vector<Slot>& Touched(std::uint32_t pc);
  void ReachFence(const Warp& warp, const Lanes& lanes, const MemoryFence& fence);
  template <typename F>
  static void ForEach(const Warp& warp, std::uint32_t lanes, F f);
  bool MissesWhatIsThere();  // drawn
  bool IsOfAsyncProxy(const Transfer& transfer) const;
  std::uint8_t* Find(Cta* cta, std::uint64_t address, std::uint64_t bytes);
  template <typename F>
  void ForEachHidden(const Transfer& transfer, Cta* cta, const Piece& piece, F f);
  void Restore();
  void Note(std::uint32_t line, std::uint32_t store_line, const Cta& cta);

  const Program& program_;
  Memory& memory_;
  Random random_;
  const std::uint32_t one_late_in_;
  const std::uint32_t fresh_;
  golden::Visibility model_;
  std::uint64_t cycle_ = 0;
  std::unordered_map<const Warp*, Asked> warps_;
  std::vector<std::vector<Slot>> touched_;  // registers, by instruction
  std::vector<Kept> kept_;
  std::vector<Missed> missed_;
  std::uint64_t late_loads_ = 0;
};

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_RUNTIME_LATE_ACCESSES_H_
