// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Mbarriers as the lanes of a warp, copy engines and other CTAs see them: the instructions and
// their answers, and the shared memory in which the words lie.
#ifndef MUSTER_SIM_PTX_SIMT_MBARRIERS_H_
#define MUSTER_SIM_PTX_SIMT_MBARRIERS_H_

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "sim/isa/config.h"
#include "sim/isa/mbarrier_operation.h"
#include "sim/isa/mbarrier_word.h"
#include "sim/isa/operation.h"
#include "sim/isa/warp_size.h"

namespace muster::ptx {

// An mbarrier instruction of some lanes of a warp.
struct MbInstruction {
  MbOp op = MbOp::kArrive;
  MbAsks asks = MbAsks::kPrimary;
  bool has_token = false;
  bool has_hint = false;
  bool releasing = false;
  std::uint32_t lanes = 0;
  std::uint32_t live = 0;  // of the warp: they have not exited
  std::uint32_t line = 0;
  std::uint32_t pass = 0;                      // of a schedule (ScheduleReplay::pass)
  std::uint32_t phase = 0;                     // waits, layouts: a bit per lane
  std::uint32_t outside = 0;                   // lanes that name no word of shared memory
  std::uint64_t outside_address = 0;           // the address that the lowest of these lanes names
  std::string outside_what;                    // what is at that address
  std::uint32_t remote = 0;                    // lanes that name another CTA's word
  std::array<std::uint8_t, kWarpSize> rank{};  // that CTA's rank in the cluster, by lane
  std::array<std::uint32_t, kWarpSize> addr{};
  std::array<std::uint32_t, kWarpSize> operand{};
  // Of a multicast: a bit for each CTA of the cluster by its rank, by lane; the rank of the CTA of
  // the warp; of a schedule, the pass of what goes to another CTA, by its rank and lane.
  bool multicast = false;
  std::array<std::uint32_t, kWarpSize> ctas{};
  unsigned own_rank = 0;
  std::vector<std::uint32_t> passes{};
};
// Of a multicast: of these lanes, which go to the CTA of that rank; and which of them go to no
// higher one, and not to the warp's own.
std::uint32_t LanesTo(const MbInstruction& instruction, unsigned rank, std::uint32_t lanes);
std::uint32_t LanesThatEndAt(const MbInstruction& instruction, unsigned rank, std::uint32_t lanes);

// What the unit is given of it, one group after the other: lanes that name the same word and
// operand.
struct MbGroup {
  MbOperation operation;
  unsigned rank = 0;  // of an outbound one: of the other CTA
};
std::vector<MbGroup> GroupsOf(const Config& config, unsigned warp, unsigned cta,
                              const MbInstruction& instruction);

// The answer to some lanes of a warp.
struct MbReply {
  unsigned warp = 0;
  std::uint32_t lanes = 0;
  bool complete = false;                         // waits
  MbReport report = 0;                           // waits for a primary phase that is complete
  std::array<std::uint64_t, kWarpSize> token{};  // arrivals
};

// What is in front of the shared memory of a core's CTAs, and carries the operations that do not
// come from its warps to the unit.
class MbarrierSink {
 public:
  MbarrierSink() = default;
  MbarrierSink(const MbarrierSink&) = delete;
  MbarrierSink& operator=(const MbarrierSink&) = delete;
  virtual ~MbarrierSink() = default;

  // An operation of a copy engine at a word of the CTA operation.cta (its slot). Its tag is the
  // line.
  virtual void PostAsync(const MbOperation& operation) = 0;

  // May the warp access these bytes of shared memory in this cycle? If not, it tries again later.
  virtual bool MayAccess(unsigned warp, unsigned cta, std::uint64_t addr, unsigned bytes,
                         bool write) = 0;
  // The same for a store that is no warp's.
  virtual bool MayStore(unsigned cta, std::uint64_t addr, unsigned bytes) = 0;
  // It has stored to them.
  virtual void Stored(unsigned warp, unsigned cta, std::uint64_t addr, unsigned bytes,
                      std::uint32_t line) = 0;
  // How many groups of operations the warp has issued, and how many of these have taken effect.
  virtual std::uint64_t Issued(unsigned warp) const = 0;
  virtual std::uint64_t Performed(unsigned warp) const = 0;
  // Whether mbarrier operations have gone there.
  virtual bool Watches(unsigned cta, std::uint64_t addr, unsigned bytes) const = 0;
};

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_SIMT_MBARRIERS_H_
