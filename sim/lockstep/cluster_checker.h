// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Compares a cluster scope with its golden model in every cycle (rtl/cluster/README.md): refusals
// and faults exactly; no lane goes on, no grid's level rises and no operation arrives before the
// model says so; all of it happens once, and within the published bounds; what is valid is held
// until ready.
//
// A request takes effect in the cycle before its warp is no longer busy. The hardware hears of
// phases and exits later than the model, by ClusterNews() cycles at most: in that time lanes may
// wait that need not, and a CTA that has gone may seem to be there.
#ifndef MUSTER_SIM_LOCKSTEP_CLUSTER_CHECKER_H_
#define MUSTER_SIM_LOCKSTEP_CLUSTER_CHECKER_H_

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sim/golden/cluster_scope.h"
#include "sim/isa/cluster_operation.h"
#include "sim/isa/fault.h"
#include "sim/isa/operation.h"
#include "sim/lockstep/mismatch.h"
#include "sim/port/cluster_pins.h"

namespace muster::lockstep {

// Cycles from the acceptance of the last arrival of a phase to the releases, if nothing else is
// under way.
inline constexpr unsigned kClusterLatency = 7;
// Cycles after which all units have heard of what a request has done, at most. It takes effect
// three cycles after its acceptance.
constexpr unsigned ClusterNews(const ClusterConfig& config) {
  return config.num_units * config.num_ctas - 1 + kClusterLatency - 3;
}
// Cycles that an operation spends in the network, at most, if the targets are ready: it waits for
// the one ahead of it, and for its turn.
constexpr unsigned NetworkWait(const ClusterConfig& config) { return 2 * config.num_units; }

class ClusterChecker {
 public:
  explicit ClusterChecker(const ClusterConfig& config);

  void Reset();
  // The settled pins of one cycle, before its clock edge. Cycles without an edge, in which nothing
  // is presented and nothing was active in the one before, may be left out. False: they are wrong;
  // see mismatch().
  bool Check(std::uint64_t cycle, const ClusterInputs& in, const ClusterOutputs& out);
  const std::optional<Mismatch>& mismatch() const { return mismatch_; }

  const golden::ClusterScope& model() const { return model_; }
  // Nothing is under way, and all that may go on has.
  bool Settled() const;
  // The CTA left, in the model, so long ago that the hardware knows.
  bool HasLeft(unsigned cluster, unsigned rank, std::uint64_t cycle) const;
  // Lanes of the warp that have come to wait, or are under way, and have not been let go.
  std::uint32_t held(unsigned unit, unsigned warp) const { return held_[unit][warp].all(); }
  bool IsUnderWay(unsigned unit, unsigned warp) const {
    return held_[unit][warp].pending.has_value();
  }

  // The requests that took effect in the cycle checked last.
  struct Done {
    unsigned unit = 0;
    ClusterRequest request;
    ClusterEffects effects;
  };
  const std::vector<Done>& done() const { return done_; }
  // The cluster for which clusterlaunchcontrol is at work.
  std::optional<unsigned> CancelledCluster() const {
    return cancel_ ? std::optional<unsigned>(cancel_->request.cluster) : std::nullopt;
  }

  struct Counts {
    std::uint64_t requests = 0, releases = 0, late_releases = 0, go = 0, faults = 0,
                  grid_releases = 0;
    std::uint64_t sent = 0, delivered = 0, lost = 0, answers = 0, cancels = 0, writes = 0,
                  refused_lives = 0;
    std::uint64_t longest_news = 0, longest_send = 0;
  };
  const Counts& counts() const { return counts_; }

 private:
  struct Warp {
    std::optional<ClusterRequest> pending;  // accepted, and not yet in effect
    std::uint32_t waits = 0;                // lanes that the hardware holds at barrier.cluster
    std::uint32_t waits_for_grids = 0;
    std::uint32_t may_go = 0;  // of these, the lanes that the model has let go
    std::uint64_t since = 0;   // the cycle in which it did
    std::uint32_t may_leave_grid = 0;
    std::uint64_t grid_since = 0;

    std::uint32_t all() const {
      const bool stays =
          pending && (pending->op == ClusterOp::kWait || pending->op == ClusterOp::kGridWait);
      return waits | waits_for_grids | (stays ? pending->lanes : 0);
    }
  };
  struct Sent {
    std::uint64_t cycle = 0;
    std::uint64_t stalled = 0;  // what stalled_ was
    RemoteSend send;
    bool is_lost = false;  // its CTA was not there
  };

  bool Wrong(const char* field, std::string unit, std::string golden, int of_unit = -1,
             int warp = -1);
  bool CheckHeld(const ClusterInputs& in, const ClusterOutputs& out);
  bool CheckRequests(std::uint64_t cycle, const ClusterInputs& in, const ClusterOutputs& out);
  bool Commit(std::uint64_t cycle, unsigned unit, unsigned warp, const ClusterOutputs::Unit& out);
  void Note(std::uint64_t cycle, const ClusterEffects& effects);
  bool CheckReleases(std::uint64_t cycle, unsigned unit, const ClusterOutputs::Unit& out);
  bool CheckGrids(std::uint64_t cycle, const ClusterOutputs& out);
  bool CheckLife(std::uint64_t cycle, const ClusterInputs& in, const ClusterOutputs& out);
  void NoteChange(std::optional<unsigned> cluster);
  void NoteWhoIsThere(std::uint64_t cycle);
  bool CheckNetwork(std::uint64_t cycle, const ClusterInputs& in, const ClusterOutputs& out);
  bool CheckLost(unsigned sender, const RemoteLost& lost, const std::optional<CtaPlace>& ending);
  bool CheckArrival(std::uint64_t cycle, unsigned target, const ClusterOutputs::Unit& out);
  bool CheckReplies(const ClusterInputs& in, const ClusterOutputs& out);
  bool CheckCancel(std::uint64_t cycle, const ClusterInputs& in, const ClusterOutputs& out);
  CancelPlan PlanOf(std::uint64_t cycle, unsigned unit, const CancelRequest& request) const;
  bool CheckQuiet(const ClusterOutputs& out);

  ClusterConfig config_;
  golden::ClusterScope model_;
  std::array<std::array<Warp, kMaxWarps>, kMaxUnits> held_{};
  std::array<std::uint64_t, kMaxUnits> busy_{};     // in the cycle before
  std::array<std::uint64_t, kMaxUnits> watched_{};  // warps that may go on, and have not
  std::map<std::pair<unsigned, unsigned>, std::uint64_t> left_;  // {cluster, rank}: since when
  std::map<std::pair<unsigned, unsigned>, CtaPlace> places_;     // of all that are or were there
  std::uint64_t changed_ = 0;  // clusters: a CTA may have come or gone
  std::array<std::uint64_t, kMaxGrids> launch_since_{}, flush_since_{};
  std::array<std::deque<Sent>, kMaxUnits> sent_;  // by sender, in order
  std::array<bool, kMaxUnits> shown_{};           // an operation that has been counted is held
  std::uint64_t stalled_ = 0;                     // cycles in which some target was not ready
  std::array<std::optional<AtomicResponse>, kMaxUnits> replies_;  // by unit, to be shown
  // Cycles for which a unit's answer has waited while there was a place for it.
  std::array<unsigned, kMaxUnits> asks_{};
  struct Cancel {
    unsigned unit = 0;
    CancelRequest request;
    CancelPlan plan;  // as of the cycle after its acceptance
    bool planned = false;
    bool taken = false;
    std::deque<CancelStep> steps;
    std::map<unsigned, CtaPlace> places;   // by rank, of the CTAs that the response is for
    std::map<CtaPlace, unsigned> serials;  // the serial numbers of these CTAs
  };
  bool MayLose(const RemoteLost& lost, const ClusterInputs& in) const;
  // The slot whose end is presented.
  static std::optional<CtaPlace> Ending(const ClusterInputs& in);
  std::optional<Cancel> cancel_;
  ClusterInputs in_;    // of the cycle before: its units
  ClusterOutputs out_;  // likewise, and the steps of a cancel
  bool has_before_ = false;
  std::optional<Mismatch> mismatch_;
  std::vector<Done> done_;
  Counts counts_;
};

}  // namespace muster::lockstep

#endif  // MUSTER_SIM_LOCKSTEP_CLUSTER_CHECKER_H_
