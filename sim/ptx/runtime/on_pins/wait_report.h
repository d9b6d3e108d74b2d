// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Which warps of a core wait for which others at the end of a run, for reports of deadlocks and
// timeouts. Reads the state of the machine, and changes nothing.
#ifndef MUSTER_SIM_PTX_RUNTIME_ON_PINS_WAIT_REPORT_H_
#define MUSTER_SIM_PTX_RUNTIME_ON_PINS_WAIT_REPORT_H_

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "sim/golden/cluster_scope.h"
#include "sim/ptx/program/ahead.h"
#include "sim/ptx/program/program.h"
#include "sim/ptx/runtime/core.h"
#include "sim/ptx/runtime/on_pins/mb_port.h"

namespace muster::ptx {

// Lanes of a warp at a line of the PTX file.
struct LanesAt {
  std::uint64_t cta = 0;  // linear id
  unsigned warp = 0;      // of the CTA
  std::uint32_t lanes = 0;
  std::uint32_t line = 0;
};
// The word of an mbarrier.
struct MbarrierWord {
  std::uint64_t cta = 0;
  std::uint32_t address = 0;
  std::uint64_t bits = 0;
};

class WaitReport {
 public:
  // `cluster`: the model of the cluster scope, `port`: the core's side of mbarriers; null: there is
  // none. `deadlocked`: no warp proceeds, so that each running warp repeats a loop.
  WaitReport(const Program& program, const Core& core, const golden::ClusterScope* cluster,
             MbPort* port, bool deadlocked)
      : program_(program),
        core_(core),
        residents_(core.residents()),
        cluster_(cluster),
        port_(port),
        deadlocked_(deadlocked),
        ahead_(program) {}

  std::vector<StuckBarrier> StuckBarriers() const;
  std::vector<StuckMbarrier> StuckMbarriers() const;
  std::vector<StuckWarp> StuckWarps() const;
  // Warps that had not exited when the run ended, with their locations.
  std::vector<StuckWarp> RunningWarps() const;
  // Where all lanes stand that have not exited, and what the mbarriers of their CTAs hold.
  std::vector<LanesAt> Standing() const;
  std::vector<MbarrierWord> MbarrierWords() const;
  // Returns where the warp of the CTA is, if resident: "waits at barrier 0 (line 38)".
  std::optional<std::string> At(std::uint64_t cta, unsigned warp) const;
  // Adds the machine's CTA of the cluster. Returns whether one of its warps waits at
  // barrier.cluster.
  bool DescribeCta(unsigned cta, StuckCluster* row) const;

 private:
  WarpLocation Where(unsigned warp) const;
  // Whether each lane of the warp waits at an mbarrier, or tries that again in a loop that looks at
  // nothing else.
  bool IsAtMbarriers(unsigned warp) const;
  // What lanes that repeat a loop look at: ", and read 0 at flag (0x8) (line 11)".
  std::string PollsText(unsigned warp, const Group& group) const;
  // The mbarriers at which these lanes wait: "mbarrier full (0x10)".
  std::string MbarriersOf(unsigned warp, std::uint32_t lanes) const;
  // The arrivals that lanes of the warp may still come to.
  Arrivals AheadOf(unsigned warp) const;
  // Says where the warps of the CTA are that have not come. If some of them may come, because
  // `may_come` says so, the others are apart.
  template <typename HasCome, typename MayCome>
  void AddAbsent(const CtaSlot& cta, HasCome has_come, MayCome may_come,
                 std::vector<WarpLocation>* missing, std::vector<WarpLocation>* others,
                 bool* can_come) const;
  std::vector<StuckWarp> WarpsIn(std::initializer_list<WarpPhase> phases) const;

  const Program& program_;
  const Core& core_;
  const Residents& residents_;
  const golden::ClusterScope* const cluster_;
  MbPort* const port_;
  const bool deadlocked_;
  const Ahead ahead_;
};

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_RUNTIME_ON_PINS_WAIT_REPORT_H_
