// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Runs that keep to a schedule, against the golden model alone, and the order in which the units
// committed.
#ifndef MUSTER_TB_UNIT_PTX_SCHEDULE_H_
#define MUSTER_TB_UNIT_PTX_SCHEDULE_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sim/isa/mbarrier_operation.h"
#include "sim/isa/operation.h"
#include "sim/ptx/launch/session.h"
#include "tb/unit/ptx_fixture.h"

namespace muster::ptx {

// A turn, by a comment that the instruction's line ends with.
struct Listed {
  std::string mark;
  unsigned warp = 0;
  std::uint32_t lanes = 1;
  std::uint32_t time = 1;
  std::string what = "executes";
  std::uint64_t cta = 0;
  std::optional<std::uint64_t> to{};  // of what performs: the part for this CTA
};
// The turn of a CTA's cluster to start.
inline Listed Starts(std::uint64_t cta) { return {"", 0, 1, 1, "starts", cta, {}}; }

// An operation that a unit has committed.
struct Committed {
  unsigned unit = 0;
  bool of_mbarrier = false;
  OpKind kind = OpKind::kSync;  // of a named barrier, or an exit
  MbOp op = MbOp::kInit;        // of an mbarrier
  MbSource source = MbSource::kWarp;
  unsigned cta = 0;  // slots
  unsigned warp = 0;
  std::uint32_t lanes = 0;
  std::uint32_t bar = 0;      // its number, or the address
  std::uint32_t operand = 0;  // of an mbarrier
  std::uint32_t line = 0;     // likewise
};

class Followed {
 public:
  Followed(const Kernel& kernel, const std::vector<Listed>& rows, std::uint64_t seed = 1,
           const std::string& config = "default");
  Followed(const Kernel& kernel, const Schedule& schedule, std::uint64_t seed,
           const std::string& config = "default");

  const Session& session() const { return *session_; }
  std::string outcome() const { return OutcomeName(session_->grid()); }
  std::size_t turns() const { return session_->replay()->followed(); }
  std::vector<std::uint32_t> Words(std::size_t buffer) const;
  const std::vector<Committed>& commits() const { return commits_; }
  // The warps that have arrived at a named barrier, in order.
  std::vector<unsigned> WarpsAt(unsigned bar) const;
  // What other CTAs have done with mbarriers: the operands, in order.
  std::vector<std::uint32_t> RemoteOperands() const;
  // How many updates the units' atomics have committed.
  std::uint64_t updates() const { return updates_; }
  // The units and warps that have arrived at barrier.cluster, in order.
  const std::vector<std::pair<unsigned, unsigned>>& cluster_arrivals() const {
    return cluster_arrivals_;
  }

 private:
  void Begin(const Kernel& kernel, std::uint64_t seed, const std::string& config);
  void Run(const Schedule& schedule);

  std::unique_ptr<Kernel> kernel_;
  std::unique_ptr<Session> session_;
  std::vector<Committed> commits_;
  std::vector<std::pair<unsigned, unsigned>> cluster_arrivals_;
  std::uint64_t updates_ = 0;
};

// A file with that schedule, of a kernel.
std::string ScheduleJson(const std::string& ptx, const std::vector<Listed>& rows);

}  // namespace muster::ptx

#endif  // MUSTER_TB_UNIT_PTX_SCHEDULE_H_
