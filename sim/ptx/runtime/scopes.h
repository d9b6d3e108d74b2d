// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The interface between the warps of a core and what answers them. The core presents operations;
// their effects come back through the functions of Core, at once or in a later cycle. Knows no
// instructions, no cycles and no pins.
#ifndef MUSTER_SIM_PTX_RUNTIME_SCOPES_H_
#define MUSTER_SIM_PTX_RUNTIME_SCOPES_H_

#include "sim/isa/cluster_operation.h"
#include "sim/isa/mbarrier_operation.h"
#include "sim/isa/operation.h"
#include "sim/ptx/simt/transfer.h"
#include "sim/ptx/simt/warp.h"

namespace muster::ptx {

class Scopes {
 public:
  Scopes() = default;
  Scopes(const Scopes&) = delete;
  Scopes& operator=(const Scopes&) = delete;
  virtual ~Scopes() = default;

  // A CTA takes its slot: sets what is in front of its memory, and what carries out its transfers.
  virtual void TakeCta(Cta* cta) = 0;
  // All threads of the CTA have exited. Operations to its mbarriers that have not been presented
  // are lost.
  virtual void AbandonCta(Cta* cta) = 0;
  // The end of the CTA has committed.
  virtual void FreeMemory(unsigned slot) = 0;

  // A launch, an exit or the end of a CTA. Core::Commit follows.
  virtual void Request(const Operation& operation) = 0;
  // The warp arrives at the named barrier of its latest arrival. Core::Accept, Core::Commit and
  // Core::Release follow.
  virtual void Arrive(unsigned warp) = 0;
  // Lanes of the warp have exited: tells the warp scope and the cluster scope.
  virtual void ExitLanes(unsigned warp) = 0;

  // The warp is at barrier.cluster. Core::Settle or Core::LeaveCluster follows.
  virtual void ReachCluster(unsigned warp) = 0;
  // A request at griddepcontrol. Core::LeaveGrid follows if it waits.
  virtual void RequestGrid(const ClusterRequest& request, std::uint32_t line) = 0;
  // clusterlaunchcontrol.try_cancel.
  virtual void Cancel(const Warp& warp, const CancelCall& call) = 0;

  // The warp's latest mbarrier instruction. Core::Issued, Core::Perform and Core::Reply follow.
  virtual void Issue(unsigned warp) = 0;
  // The warp's latest atomic on shared memory. Core::AnswerAtomic and Core::EndAtomic follow.
  virtual void PerformAtomic(unsigned warp) = 0;
  // The unit refused an operation of the warp that the run continues after: its answer is zero.
  virtual void AnswerRefused(unsigned warp) = 0;
  // An operation that the unit sees later, by the arrive-on that it announces.
  virtual void Announce(const MbOperation& operation) = 0;
  // An operation on an mbarrier of another CTA leaves; Core::Receive follows there.
  virtual void Send(Transfer sent) = 0;
  // An operation from another CTA has arrived.
  virtual void Receive(const Transfer& sent) = 0;
};

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_RUNTIME_SCOPES_H_
