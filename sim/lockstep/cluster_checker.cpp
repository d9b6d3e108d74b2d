// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/lockstep/cluster_checker.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "sim/isa/bits.h"
#include "sim/lockstep/cluster_text.h"

namespace muster::lockstep {
namespace {

bool IsSame(const ClusterRequest& a, const ClusterRequest& b) {
  return a.op == b.op && a.warp == b.warp && a.cta == b.cta && a.lanes == b.lanes &&
         a.live == b.live;
}

}  // namespace

ClusterChecker::ClusterChecker(const ClusterConfig& config) : config_(config), model_(config) {}

void ClusterChecker::Reset() {
  const Counts counts = counts_;
  *this = ClusterChecker(config_);
  counts_ = counts;
}

bool ClusterChecker::Wrong(const char* field, std::string unit, std::string golden, int of_unit,
                           int warp) {
  if (!mismatch_) {
    mismatch_ = Mismatch();
    mismatch_->field = of_unit < 0 ? std::string("cluster.") + field
                                   : fmt::format("cluster.{}[{}]", field, of_unit);
    mismatch_->unit = std::move(unit);
    mismatch_->golden = std::move(golden);
    mismatch_->warp = warp;
  }
  return false;
}

bool ClusterChecker::Settled() const {
  for (unsigned u = 0; u < config_.num_units; ++u) {
    if (watched_[u] != 0 || busy_[u] != 0 || !sent_[u].empty() || replies_[u]) {
      return false;
    }
    for (const Warp& warp : held_[u]) {
      if (warp.pending) {
        return false;
      }
    }
  }
  return !cancel_;
}

bool ClusterChecker::HasLeft(unsigned cluster, unsigned rank, std::uint64_t cycle) const {
  const auto left = left_.find({cluster, rank});
  return model_.Place(cluster, rank) == std::nullopt &&
         (left == left_.end() || cycle > left->second + ClusterNews(config_));
}

bool ClusterChecker::Check(std::uint64_t cycle, const ClusterInputs& in,
                           const ClusterOutputs& out) {
  done_.clear();
  const bool good = CheckHeld(in, out) && CheckRequests(cycle, in, out) && CheckGrids(cycle, out) &&
                    CheckNetwork(cycle, in, out) && CheckReplies(in, out) &&
                    CheckCancel(cycle, in, out) && CheckLife(cycle, in, out) && CheckQuiet(out);
  NoteWhoIsThere(cycle);
  for (unsigned u = 0; u < config_.num_units; ++u) {
    busy_[u] = out.units[u].busy;
    in_.units[u] = in.units[u];
    out_.units[u] = out.units[u];
  }
  out_.write = out.write;
  out_.complete = out.complete;
  has_before_ = true;
  return good;
}

// What was valid and not ready stays.
bool ClusterChecker::CheckHeld(const ClusterInputs& in, const ClusterOutputs& out) {
  for (unsigned u = 0; has_before_ && u < config_.num_units; ++u) {
    const ClusterInputs::Unit& was_in = in_.units[u];
    const ClusterOutputs::Unit& was = out_.units[u];
    const ClusterOutputs::Unit& is = out.units[u];
    if (was_in.request_valid && !was.request_ready &&
        !(in.units[u].request_valid && IsSame(was_in.request, in.units[u].request))) {
      return Wrong("request", "the core changes it before it is accepted", Describe(was_in.request),
                   static_cast<int>(u));
    }
    if (was.remote_valid && !was_in.remote_ready && !(is.remote_valid && is.remote == was.remote)) {
      return Wrong("remote", "it changes before it is taken", Describe(was.remote),
                   static_cast<int>(u));
    }
    if (was.write_valid && !was_in.write_ready && !(is.write_valid && out.write == out_.write)) {
      return Wrong("write", "it changes before it is taken", Describe(out_.write),
                   static_cast<int>(u));
    }
    if (was.complete_valid && !was_in.complete_ready &&
        !(is.complete_valid && out.complete == out_.complete)) {
      return Wrong("complete", "it changes before it is taken", Describe(out_.complete),
                   static_cast<int>(u));
    }
    const ClusterRequest& accepted = was_in.request;
    const unsigned w = accepted.warp % kMaxWarps;
    if (was_in.request_valid && was.request_ready && accepted.op == ClusterOp::kArrive &&
        accepted.lanes != 0 && (was_in.fence_ack >> w & 1) == 0 && (is.fence_req >> w & 1) == 0) {
      return Wrong("fence_req", "an arrival .release goes on with accesses outstanding",
                   "a request for a drain", static_cast<int>(u), static_cast<int>(w));
    }
    if ((was.fence_req & ~was_in.fence_ack & ~is.fence_req) != 0) {
      return Wrong("fence_req", "a request for a drain is withdrawn", "it is held",
                   static_cast<int>(u));
    }
  }
  return true;
}

// ------------------------------------------------------------------------------------------------
// Requests of warps
// ------------------------------------------------------------------------------------------------

bool ClusterChecker::CheckRequests(std::uint64_t cycle, const ClusterInputs& in,
                                   const ClusterOutputs& out) {
  for (unsigned u = 0; u < config_.num_units; ++u) {
    const ClusterOutputs::Unit& unit = out.units[u];
    std::uint64_t done = busy_[u] & ~unit.busy;
    if ((done & (done - 1)) != 0) {
      return Wrong("busy", "requests of several warps end in one cycle", "one does",
                   static_cast<int>(u));
    }
    if (done == 0 && (unit.fault_valid || unit.go_valid)) {
      return Wrong(unit.fault_valid ? "fault" : "go", "of nobody", "nothing", static_cast<int>(u));
    }
    if (done != 0 && !Commit(cycle, u, First(done), unit)) {
      return false;
    }
    if (!CheckReleases(cycle, u, unit)) {
      return false;
    }
  }
  for (unsigned u = 0; u < config_.num_units; ++u) {
    const ClusterInputs::Unit& given = in.units[u];
    if (!given.request_valid || !out.units[u].request_ready) {
      continue;
    }
    Warp& warp = held_[u][given.request.warp % kMaxWarps];
    if (given.request.warp >= config_.num_warps || warp.pending ||
        (warp.all() & given.request.lanes) != 0 || !model_.MayBePresented(u, given.request)) {
      return Wrong("request", Describe(given.request), "it must not be presented",
                   static_cast<int>(u), given.request.warp);
    }
    warp.pending = given.request;
    ++counts_.requests;
  }
  NoteWhoIsThere(cycle);
  return true;
}

// The request of the warp has taken effect.
bool ClusterChecker::Commit(std::uint64_t cycle, unsigned u, unsigned w,
                            const ClusterOutputs::Unit& out) {
  Warp& warp = held_[u][w];
  if (!warp.pending) {
    return Wrong("busy", "the warp was busy", "it had no request", static_cast<int>(u),
                 static_cast<int>(w));
  }
  const ClusterRequest request = *warp.pending;
  warp.pending.reset();
  const ClusterEffects effects = model_.Step(u, request);
  if (request.op == ClusterOp::kExit) {
    NoteChange(model_.ClusterAt({static_cast<std::uint8_t>(u), request.cta}));
  }
  const bool refused = effects.fault != FaultCause::kNone;
  if (out.fault_valid != refused ||
      (refused && (out.fault.cause != effects.fault || out.fault.warp != w ||
                   out.fault.cta != request.cta || out.fault.lanes != effects.at_fault))) {
    return Wrong("fault",
                 out.fault_valid ? fmt::format("{} of warp {} in CTA slot {}, lanes {:#010x}",
                                               Name(out.fault.cause), out.fault.warp, out.fault.cta,
                                               out.fault.lanes)
                                 : "none",
                 fmt::format("{}: {} lanes {:#010x}", Describe(request), Name(effects.fault),
                             effects.at_fault),
                 static_cast<int>(u), static_cast<int>(w));
  }
  counts_.faults += refused ? 1 : 0;
  if (out.go_valid &&
      (out.go.warp != w || out.go.lanes == 0 || (out.go.lanes & ~effects.go) != 0)) {
    return Wrong("go", fmt::format("lanes {:#010x} of warp {}", out.go.lanes, out.go.warp),
                 fmt::format("{}: lanes {:#010x}", Describe(request), effects.go),
                 static_cast<int>(u), static_cast<int>(w));
  }
  const std::uint32_t gone = out.go_valid ? out.go.lanes : 0;
  counts_.go += out.go_valid ? 1 : 0;
  if (!refused && request.op == ClusterOp::kWait) {
    warp.waits |= request.lanes & ~gone;
    if (const std::uint32_t late = effects.go & ~gone; late != 0) {
      ++counts_.late_releases;
      warp.since = warp.may_go == 0 ? cycle : warp.since;
      warp.may_go |= late;
      watched_[u] |= Bit(w);
    }
  }
  if (!refused && request.op == ClusterOp::kGridWait) {
    warp.waits_for_grids |= request.lanes;
  }
  Note(cycle, effects);
  done_.push_back({u, request, effects});
  return true;
}

// Lanes may go on from now on.
void ClusterChecker::Note(std::uint64_t cycle, const ClusterEffects& effects) {
  for (const ClusterLanes& lanes : effects.releases) {
    Warp& warp = held_[lanes.unit][lanes.warp];
    warp.since = warp.may_go == 0 ? cycle : warp.since;
    warp.may_go |= lanes.lanes;
    watched_[lanes.unit] |= Bit(lanes.warp);
  }
  for (const ClusterLanes& lanes : effects.grid_releases) {
    Warp& warp = held_[lanes.unit][lanes.warp];
    warp.grid_since = warp.may_leave_grid == 0 ? cycle : warp.grid_since;
    warp.may_leave_grid |= lanes.lanes;
    watched_[lanes.unit] |= Bit(lanes.warp);
  }
  for (unsigned g = 0; g < config_.num_grids; ++g) {
    launch_since_[g] = (effects.launches >> g & 1) != 0 ? cycle : launch_since_[g];
    flush_since_[g] = (effects.flushes >> g & 1) != 0 ? cycle : flush_since_[g];
  }
}

bool ClusterChecker::CheckReleases(std::uint64_t cycle, unsigned u,
                                   const ClusterOutputs::Unit& out) {
  for (std::uint64_t rest = out.release | out.grid_release; rest != 0; rest &= rest - 1) {
    const unsigned w = First(rest);
    Warp& warp = held_[u][w];
    if ((out.release & Bit(w)) != 0) {
      if (warp.waits == 0 || warp.waits != warp.may_go) {
        return Wrong("release", fmt::format("lanes {:#010x} of warp {} go on", warp.waits, w),
                     fmt::format("lanes {:#010x} may", warp.may_go), static_cast<int>(u),
                     static_cast<int>(w));
      }
      counts_.longest_news = std::max(counts_.longest_news, cycle - warp.since);
      warp.waits = warp.may_go = 0;
      ++counts_.releases;
    }
    if ((out.grid_release & Bit(w)) != 0) {
      if (warp.waits_for_grids == 0 || warp.waits_for_grids != warp.may_leave_grid) {
        return Wrong("grid_release",
                     fmt::format("lanes {:#010x} of warp {} go on", warp.waits_for_grids, w),
                     fmt::format("lanes {:#010x} may", warp.may_leave_grid), static_cast<int>(u),
                     static_cast<int>(w));
      }
      warp.waits_for_grids = warp.may_leave_grid = 0;
      ++counts_.grid_releases;
    }
  }
  for (std::uint64_t rest = watched_[u]; rest != 0; rest &= rest - 1) {
    const unsigned w = First(rest);
    const Warp& warp = held_[u][w];
    if (warp.may_go == 0 && warp.may_leave_grid == 0) {
      watched_[u] &= ~Bit(w);
    } else if ((warp.may_go != 0 && cycle > warp.since + ClusterNews(config_)) ||
               (warp.may_leave_grid != 0 && cycle > warp.grid_since + ClusterNews(config_))) {
      return Wrong("release", "it has not come",
                   fmt::format("lanes {:#010x} of warp {} may go on since cycle {}",
                               warp.may_go | warp.may_leave_grid, w,
                               warp.may_go != 0 ? warp.since : warp.grid_since),
                   static_cast<int>(u), static_cast<int>(w));
    }
  }
  return true;
}

// ------------------------------------------------------------------------------------------------
// Grids, clusters, CTAs
// ------------------------------------------------------------------------------------------------

bool ClusterChecker::CheckGrids(std::uint64_t cycle, const ClusterOutputs& out) {
  const std::uint8_t flight = model_.GridsInFlight();
  const auto check = [&](const char* field, std::uint8_t unit, std::uint8_t golden,
                         const auto& since) {
    for (unsigned g = 0; g < config_.num_grids; ++g) {
      const bool is = (unit >> g & 1) != 0;
      const bool may = (golden >> g & 1) != 0;
      if ((flight >> g & 1) == 0 || is == may) {
        continue;
      }
      if (is || cycle > since[g] + ClusterNews(config_)) {
        return Wrong(field, fmt::format("it is {} for grid {}", is ? "high" : "low", g),
                     may ? "high" : "low");
      }
    }
    return true;
  };
  return check("launch", out.launch, model_.Launches(), launch_since_) &&
         check("flush", out.flush, model_.Flushes(), flush_since_);
}

bool ClusterChecker::CheckLife(std::uint64_t cycle, const ClusterInputs& in,
                               const ClusterOutputs& out) {
  if (in.life_valid && out.life_ready) {
    if (!model_.MayBePresented(in.life)) {
      return Wrong("life", Name(in.life.op), "it must not be presented");
    }
    NoteChange(in.life.op == ClusterLifeOp::kEnd ? model_.ClusterAt({in.life.unit, in.life.cta})
                                                 : std::optional<unsigned>(in.life.cluster));
    const ClusterEffects effects = model_.Step(in.life);
    if (effects.fault != out.life_fault) {
      return Wrong("life_fault", Name(out.life_fault),
                   fmt::format("{}: {}", Name(in.life.op), Name(effects.fault)));
    }
    counts_.refused_lives += effects.fault != FaultCause::kNone ? 1 : 0;
    if (in.life.op == ClusterLifeOp::kEnd && effects.fault == FaultCause::kNone) {
      for (unsigned w = 0; w < config_.num_warps; ++w) {
        Warp& warp = held_[in.life.unit][w];
        const ClusterWarp* const known = model_.FindWarp(in.life.unit, w);
        if (!warp.pending && known == nullptr) {  // its CTA has ended, or it has exited
          warp = Warp();
          watched_[in.life.unit] &= ~Bit(w);
        }
      }
    }
    Note(cycle, effects);
  }
  for (unsigned g = 0; g < config_.num_grids; ++g) {
    if ((out.flush & in.flushed & Bit(g)) != 0 &&
        (model_.GridsInFlight() & model_.Flushes() & Bit(g)) != 0) {
      Note(cycle, model_.Flushed(g));
    }
  }
  return true;
}

void ClusterChecker::NoteChange(std::optional<unsigned> cluster) {
  if (cluster && *cluster < config_.num_clusters) {
    changed_ |= Bit(*cluster);
  }
}

void ClusterChecker::NoteWhoIsThere(std::uint64_t cycle) {
  for (; changed_ != 0; changed_ &= changed_ - 1) {
    const unsigned c = First(changed_);
    for (unsigned r = 0; r < config_.num_ranks; ++r) {
      const std::optional<CtaPlace> place = model_.Place(c, r);
      if (place) {
        places_[{c, r}] = *place;
        left_.erase({c, r});
      } else if (places_.count({c, r}) != 0) {
        left_.emplace(std::pair(c, r), cycle);
      }
    }
  }
}

// ------------------------------------------------------------------------------------------------

bool ClusterChecker::CheckQuiet(const ClusterOutputs& out) {
  if (out.active) {
    return true;
  }
  for (unsigned u = 0; u < config_.num_units; ++u) {
    const ClusterOutputs::Unit& unit = out.units[u];
    if (unit.busy != 0 || watched_[u] != 0 || !sent_[u].empty() || unit.go_valid ||
        unit.fault_valid || unit.release != 0 || unit.grid_release != 0 || unit.remote_valid ||
        unit.lost_valid || unit.reply_valid) {
      return Wrong("active", "it is low", "something is on its way", static_cast<int>(u));
    }
  }
  if (cancel_) {
    return Wrong("active", "it is low", "a cluster is to be cancelled");
  }
  return true;
}

}  // namespace muster::lockstep
