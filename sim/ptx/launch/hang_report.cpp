// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/launch/hang_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "sim/isa/mbarrier_word.h"
#include "sim/isa/warp_size.h"
#include "sim/ptx/program/op_class.h"
#include "sim/ptx/program/sync_place.h"
#include "sim/ptx/runtime/mbarrier_arrivals.h"

namespace muster::ptx {
namespace {

bool Contains(const std::vector<std::uint32_t>& pcs, std::uint32_t pc) {
  return std::find(pcs.begin(), pcs.end(), pc) != pcs.end();
}

bool IsMbarrierWait(const Instruction& i) {
  return i.op == Op::kMbarrier && IsMbWait(i.As<Mbarrier>().op);
}
bool IsBarrierWait(const Instruction& i) {
  return i.op == Op::kBarrier && i.As<CtaBarrier>().kind != OpKind::kArrive;
}
bool IsClusterWait(const Instruction& i) {
  return i.op == Op::kClusterBarrier && i.As<ClusterBarrier>().op == ClusterForm::kWait;
}

class HangReport {
 public:
  HangReport(const Hang& hang, const Program& program, const Launch& launch)
      : program_(program), launch_(launch) {
    for (const SyncPlace& place : SyncPlacesOf(program)) {
      for (const std::uint32_t pc : place.pcs) {
        names_[pc] = place.what;
      }
    }
    for (const Hang::Lanes& lanes : hang.lanes) {
      warps_[lanes.cta][lanes.warp].push_back({lanes.lanes, PcOf(lanes.pcs)});
    }
  }

  Waiting Run(const Hang& hang) {
    AddBarriers(hang);
    AddMbarriers(hang);
    AddClusters();
    for (const auto& [cta, warps] : warps_) {
      for (const auto& [warp, standing] : warps) {
        for (const Standing& at : standing) {
          if (told_.count({cta, warp, at.pc}) == 0) {
            waiting_.warps.push_back({cta, {warp, "stands: " + What(at), LineOf(at.pc)}});
          }
        }
      }
    }
    return std::move(waiting_);
  }

 private:
  struct Standing {
    std::uint32_t lanes = 0;
    std::uint32_t pc = 0;
  };
  using Warps = std::map<unsigned, std::vector<Standing>>;

  std::uint32_t LineOf(std::uint32_t pc) const { return program_.code[pc].line; }

  // Of the instructions of one line the one that waits, or that which is tried again there.
  std::uint32_t PcOf(const std::vector<std::uint32_t>& pcs) const {
    for (const std::uint32_t pc : pcs) {
      const Instruction& i = program_.code[pc];
      if (IsMbarrierWait(i) || IsBarrierWait(i) || IsClusterWait(i)) {
        return pc;
      }
    }
    for (std::uint32_t pc = 0; pc < program_.code.size(); ++pc) {
      if (IsMbarrierWait(program_.code[pc]) && Contains(LoopOf(program_.code, pc), pcs.front())) {
        return pc;
      }
    }
    return pcs.front();
  }

  std::optional<std::uint64_t> ValueOf(Slot slot) const {
    return slot != kNoSlot && IsLiteral(slot) ? std::optional(program_.literals[LiteralIndex(slot)])
                                              : std::nullopt;
  }

  std::string What(const Standing& at) const {
    const auto name = names_.find(at.pc);
    return fmt::format("lanes {:#010x} at {}{}", at.lanes, program_.Place(LineOf(at.pc)),
                       name == names_.end() ? "" : fmt::format(" ({})", name->second));
  }

  WarpLocation Where(std::uint64_t cta, unsigned warp) const {
    const auto of_cta = warps_.find(cta);
    if (of_cta != warps_.end()) {
      if (const auto found = of_cta->second.find(warp); found != of_cta->second.end()) {
        std::string what = "stands: ";
        for (const Standing& at : found->second) {
          what += (&at == &found->second.front() ? "" : ", ") + What(at);
        }
        return {warp, what, LineOf(found->second.front().pc)};
      }
    }
    return {warp, "has exited, or has not begun", 0, false, "", true};
  }

  // The warps of the CTA that are none of these.
  std::vector<WarpLocation> Others(std::uint64_t cta, const std::set<unsigned>& there) const {
    std::vector<WarpLocation> others;
    for (unsigned warp = 0; warp < launch_.Warps(); ++warp) {
      if (there.count(warp) == 0) {
        others.push_back(Where(cta, warp));
      }
    }
    return others;
  }

  template <typename F>
  void ForEachStanding(F f) {
    for (const auto& [cta, warps] : warps_) {
      for (const auto& [warp, standing] : warps) {
        for (const Standing& at : standing) {
          f(cta, warp, at, program_.code[at.pc]);
        }
      }
    }
  }

  void AddBarriers(const Hang& hang) {
    struct Of {
      std::set<unsigned> there;
      StuckBarrier row;
    };
    std::map<std::pair<std::uint64_t, unsigned>, Of> barriers;
    ForEachStanding(
        [&](std::uint64_t cta, unsigned warp, const Standing& at, const Instruction& i) {
          if (!IsBarrierWait(i)) {
            return;
          }
          const auto& barrier = i.As<CtaBarrier>();
          const std::optional<std::uint64_t> id = ValueOf(barrier.id);
          const std::optional<std::uint64_t> count =
              barrier.count == kNoSlot ? std::optional(std::uint64_t{0}) : ValueOf(barrier.count);
          if (!id || !count) {
            return;  // they are in registers
          }
          Of& of = barriers[{cta, static_cast<unsigned>(*id)}];
          of.row.cta = cta;
          of.row.id = static_cast<unsigned>(*id);
          of.row.kind = Name(barrier.kind);
          of.row.all_warps = *count == 0;
          of.row.expected =
              static_cast<unsigned>(*count == 0 ? warps_[cta].size() : *count / kWarpSize);
          if (of.there.insert(warp).second) {
            of.row.came.push_back({warp, "waits", i.line, true});
          }
          told_.insert({cta, warp, at.pc});
        });
    for (auto& [key, of] : barriers) {
      of.row.arrived = static_cast<unsigned>(of.there.size());
      for (const Hang::Barrier& known : hang.barriers) {
        if (std::pair(known.cta, known.id) == key) {
          of.row.arrived = known.arrived;
        }
      }
      of.row.missing = Others(key.first, of.there);
      waiting_.barriers.push_back(std::move(of.row));
    }
  }

  // Waits of which only a register knows the mbarrier may be at any word of their CTA.
  void AddMbarriers(const Hang& hang) {
    std::set<std::uint64_t> unknown;  // CTAs with such waits
    ForEachStanding(
        [&](std::uint64_t cta, unsigned /*warp*/, const Standing& /*at*/, const Instruction& i) {
          if (IsMbarrierWait(i) && !ValueOf(i.As<Mbarrier>().address.base)) {
            unknown.insert(cta);
          }
        });
    for (const Hang::Word& known : hang.words) {
      const MbWord word = DecodeMbWord(known.bits, true);
      StuckMbarrier row;
      row.cta = known.cta;
      row.name = MbarrierName(program_, known.address);
      row.parity = word.phase;
      row.pending = word.pending;
      row.expected = word.expected;
      row.tx = word.tx;
      std::set<unsigned> there;
      ForEachStanding([&](std::uint64_t cta, unsigned warp, const Standing& at,
                          const Instruction& i) {
        if (cta != known.cta || !IsMbarrierWait(i)) {
          return;
        }
        const Address& address = i.As<Mbarrier>().address;
        const std::optional<std::uint64_t> base = ValueOf(address.base);
        constexpr std::uint64_t kLow = 0xffffffff;
        if (base && (address.From(*base) & kLow) == known.address) {
          row.waits.push_back({warp, fmt::format("waits, lanes {:#010x}", at.lanes), i.line, true});
          there.insert(warp);
          told_.insert({cta, warp, at.pc});
        }
      });
      if (!there.empty()) {
        row.missing = Others(known.cta, there);
      }
      if (!there.empty() || unknown.count(known.cta) != 0) {
        waiting_.mbarriers.push_back(std::move(row));
      }
    }
  }

  void AddClusters() {
    std::map<std::array<std::uint32_t, 3>, std::set<std::pair<std::uint64_t, unsigned>>> clusters;
    const auto cluster_of = [&](std::uint64_t cta) {
      std::array<std::uint32_t, 3> point = PointOf(cta, launch_.grid);
      for (std::size_t i = 0; i < point.size(); ++i) {
        point[i] /= launch_.cluster[i];
      }
      return point;
    };
    ForEachStanding(
        [&](std::uint64_t cta, unsigned warp, const Standing& at, const Instruction& i) {
          if (IsClusterWait(i)) {
            clusters[cluster_of(cta)].insert({cta, warp});
            told_.insert({cta, warp, at.pc});
          }
        });
    for (const auto& [cluster, there] : clusters) {
      StuckCluster row;
      row.cluster = cluster;
      row.arrived = static_cast<unsigned>(there.size());
      for (std::uint64_t cta = 0; cta < launch_.Ctas(); ++cta) {
        for (unsigned warp = 0; warp < launch_.Warps() && cluster_of(cta) == cluster; ++warp) {
          const WarpLocation where = Where(cta, warp);
          row.expected += where.line != 0 ? 1 : 0;
          if (there.count({cta, warp}) != 0) {
            row.came.emplace_back(cta, WarpLocation{warp, "waits", where.line, true});
          } else {
            row.missing.emplace_back(cta, where);
          }
        }
      }
      waiting_.clusters.push_back(std::move(row));
    }
  }

  const Program& program_;
  const Launch& launch_;
  std::map<std::uint32_t, std::string> names_;                         // of places, by instruction
  std::map<std::uint64_t, Warps> warps_;                               // by CTA
  std::set<std::tuple<std::uint64_t, unsigned, std::uint32_t>> told_;  // CTA, warp, instruction
  Waiting waiting_;
};

}  // namespace

Waiting WaitingIn(const Hang& hang, const Program& program, const Launch& launch) {
  return HangReport(hang, program, launch).Run(hang);
}

}  // namespace muster::ptx
