// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// A core on golden models: each operation takes effect at once, and the grid is told of it. Waits
// at mbarriers and transfers are left to the grid, which says when they go on. Knows no cycles, nor
// which warp runs next.
#ifndef MUSTER_SIM_PTX_RUNTIME_ON_GOLDEN_GOLDEN_MACHINE_H_
#define MUSTER_SIM_PTX_RUNTIME_ON_GOLDEN_GOLDEN_MACHINE_H_

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "sim/golden/mbarrier.h"
#include "sim/golden/model.h"
#include "sim/golden/warp_scope.h"
#include "sim/isa/config.h"
#include "sim/ptx/runtime/core.h"
#include "sim/ptx/runtime/scopes.h"
#include "sim/ptx/simt/mbarriers.h"
#include "sim/ptx/simt/warp_unit.h"

namespace muster::ptx {

class GoldenGrid;

class GoldenMachine : public Scopes, public MbarrierSink, public WarpUnit {
 public:
  GoldenMachine(GoldenGrid* grid, unsigned unit, const Config& config, const Program& program,
                const Launch& launch, Memory* memory);
  void Reset();

  Core& core() { return core_; }
  const Core& core() const { return core_; }
  const golden::Model& model() const { return model_; }
  const Config& config() const { return config_; }
  // The word in the memory of the CTA in that slot.
  std::uint64_t Word(unsigned cta, std::uint32_t addr) const;

  // Runs one instruction of the warp, with all that comes of it.
  StepEvent Run(unsigned warp);
  // An operation on an mbarrier takes effect: one of a warp, of a copy, or of another CTA.
  MbEffects Perform(const MbOperation& operation);
  // Lanes that the warp scope has gathered, and that have not arrived at their barrier; they do.
  const std::optional<WarpArrival>& due(unsigned warp) const { return due_[warp]; }
  void TakeDue(unsigned warp);

  // Scopes
  void TakeCta(Cta* cta) override;
  void AbandonCta(Cta*) override {}
  void FreeMemory(unsigned slot) override;
  void Request(const Operation& operation) override;
  void Arrive(unsigned warp) override;
  void ExitLanes(unsigned warp) override;
  void ReachCluster(unsigned warp) override;
  void RequestGrid(const ClusterRequest& request, std::uint32_t line) override;
  void Cancel(const Warp& warp, const CancelCall& call) override;
  void Issue(unsigned warp) override;
  void PerformAtomic(unsigned) override {}  // atomics are done in place
  void AnswerRefused(unsigned) override {}  // Issue answers
  void Announce(const MbOperation& operation) override { Perform(operation); }
  void Send(Transfer sent) override;
  void Receive(const Transfer& sent) override { Perform(sent.operation); }

  // MbarrierSink. Transfers end by Perform.
  void PostAsync(const MbOperation& operation) override { Perform(operation); }
  bool MayAccess(unsigned, unsigned, std::uint64_t, unsigned, bool) override { return true; }
  bool MayStore(unsigned, std::uint64_t, unsigned) override { return true; }
  void Stored(unsigned warp, unsigned cta, std::uint64_t addr, unsigned bytes,
              std::uint32_t line) override;
  std::uint64_t Issued(unsigned) const override { return 0; }  // each takes effect at once
  std::uint64_t Performed(unsigned) const override { return 0; }
  bool Watches(unsigned cta, std::uint64_t addr, unsigned bytes) const override;

  // WarpUnit
  void Reset(unsigned warp) override;
  void Request(const WarpRequest& request) override { requests_.push_back(request); }
  bool IsUnderWay(unsigned warp) const override { return due_[warp].has_value(); }

 private:
  void Commit(const Operation& operation, std::uint32_t line);
  void Perform(const WarpRequest& request);
  void Perform(const ClusterRequest& request, std::uint32_t line);
  void Watch(unsigned cta, std::uint32_t addr);

  GoldenGrid& grid_;
  const Config config_;
  golden::Model model_;
  golden::Mbarriers words_;
  golden::WarpScope scope_;
  Core core_;
  std::vector<WarpRequest> requests_;  // of the instruction that runs
  std::array<std::optional<WarpArrival>, kMaxWarps> due_;
  // By CTA and word: whether mbarrier operations have reached it.
  std::array<std::vector<bool>, kMaxCtas> watched_;
};

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_RUNTIME_ON_GOLDEN_GOLDEN_MACHINE_H_
