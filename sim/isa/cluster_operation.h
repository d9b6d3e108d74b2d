// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The vocabulary of the cluster scope (PTX ISA 9.7.13.3, .13, .17, .18, and what .15 says of
// mbarriers of other CTAs): what is presented to it, and what comes of it. rtl/cluster/README.md
// says what each field means. The fault causes are in fault.h.
#ifndef MUSTER_SIM_ISA_CLUSTER_OPERATION_H_
#define MUSTER_SIM_ISA_CLUSTER_OPERATION_H_

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "sim/isa/atomic_operation.h"
#include "sim/isa/fault.h"
#include "sim/isa/mbarrier_operation.h"

namespace muster {

inline constexpr unsigned kMaxUnits = 16;
inline constexpr unsigned kMaxRanks = 32;  // CTAs of a cluster
inline constexpr unsigned kMaxClusters = 64;
inline constexpr unsigned kMaxGrids = 8;

// The parameters of the scope. The defaults are the largest one.
struct ClusterConfig {
  unsigned num_units = kMaxUnits;
  unsigned num_warps = kMaxWarps;  // of a unit
  unsigned num_ctas = kMaxCtas;    // of a unit
  unsigned num_clusters = kMaxClusters;
  unsigned num_grids = kMaxGrids;
  unsigned num_ranks = kMaxRanks;  // CTAs of a cluster, at most
};

// The CTA slot of a unit.
struct CtaPlace {
  std::uint8_t unit = 0;
  std::uint8_t cta = 0;
};
inline bool operator==(const CtaPlace& a, const CtaPlace& b) {
  return a.unit == b.unit && a.cta == b.cta;
}
inline bool operator<(const CtaPlace& a, const CtaPlace& b) {
  return a.unit != b.unit ? a.unit < b.unit : a.cta < b.cta;
}

// ---------------------------------------------------------------------------------------------
// Grids, clusters and CTAs
// ---------------------------------------------------------------------------------------------

enum class ClusterLifeOp : std::uint8_t {
  kGrid = 0,    // a grid takes a slot
  kOpen = 1,    // a cluster takes a slot
  kLaunch = 2,  // a CTA of it takes a slot of a unit
  kEnd = 3,     // a CTA leaves its slot
};
inline constexpr unsigned kNumClusterLifeOps = 4;
const char* Name(ClusterLifeOp op);  // "grid", "open", "launch", "end"

struct ClusterLife {
  ClusterLifeOp op = ClusterLifeOp::kGrid;
  std::uint8_t grid = 0;     // kGrid, kLaunch
  std::uint8_t awaits = 0;   // kGrid: a bit for each prerequisite grid
  std::uint32_t size = 0;    // kGrid: CTAs; kOpen: CTAs; kLaunch: warps
  std::uint8_t cluster = 0;  // kOpen, kLaunch
  std::uint8_t rank = 0;     // kLaunch
  std::uint8_t unit = 0;     // kLaunch, kEnd
  std::uint8_t cta = 0;      // kLaunch, kEnd
};

// ---------------------------------------------------------------------------------------------
// Requests of warps
// ---------------------------------------------------------------------------------------------

enum class ClusterOp : std::uint8_t {
  kArrive = 0,         // .release
  kArriveRelaxed = 1,  // .relaxed
  kWait = 2,
  kExit = 3,
  kTrigger = 4,   // griddepcontrol.launch_dependents
  kGridWait = 5,  // griddepcontrol.wait
};
inline constexpr unsigned kNumClusterOps = 6;
// As PTX spells it: "barrier.cluster.arrive", "griddepcontrol.wait"; "exit".
const char* Name(ClusterOp op);

constexpr bool IsClusterArrival(ClusterOp op) {
  return op == ClusterOp::kArrive || op == ClusterOp::kArriveRelaxed;
}

struct ClusterRequest {
  ClusterOp op = ClusterOp::kArrive;
  std::uint8_t warp = 0;
  std::uint8_t cta = 0;
  std::uint32_t lanes = 0;  // that execute it, or exit; none: no operation
  std::uint32_t live = 0;   // lanes that have not exited; exit: those that are left
};

// Lanes of a warp of a unit.
struct ClusterLanes {
  std::uint8_t unit = 0;
  std::uint8_t warp = 0;
  std::uint32_t lanes = 0;
};
inline bool operator==(const ClusterLanes& a, const ClusterLanes& b) {
  return a.unit == b.unit && a.warp == b.warp && a.lanes == b.lanes;
}

struct ClusterEffects {
  // Other than kNone: refused, and there is nothing else.
  FaultCause fault = FaultCause::kNone;
  std::uint32_t at_fault = 0;               // a request: the lanes
  std::uint32_t go = 0;                     // kWait: the lanes that go on at once
  std::vector<ClusterLanes> releases;       // lanes that waited at barrier.cluster
  std::vector<ClusterLanes> grid_releases;  // lanes that waited at griddepcontrol.wait
  std::uint8_t launches = 0;                // grids whose launch_o becomes high
  std::uint8_t flushes = 0;                 // grids whose flush_o becomes high
};

// The state of the lanes of a warp.
struct ClusterWarp {
  std::uint32_t live = 0;
  std::uint32_t arrived = 0;  // in the phase that runs
  std::uint32_t waiting = 0;  // of these: for its end
  std::uint32_t passed = 0;   // have not waited since their phase completed
  std::uint32_t at_grid = 0;  // wait at griddepcontrol.wait
};

// ---------------------------------------------------------------------------------------------
// The network
// ---------------------------------------------------------------------------------------------

// What a warp does to another CTA of its cluster: an operation on an mbarrier, an update of a
// value, or, of red.async and st.async, first the update and then the operation.
struct RemoteSend {
  std::uint8_t cluster = 0;
  std::uint8_t rank = 0;  // of the other CTA
  std::uint8_t warp = 0;
  MbOp op = MbOp::kArrive;
  std::uint32_t addr = 0;
  std::uint32_t lanes = 0;  // none: no operation on an mbarrier
  std::uint32_t operand = 0;
  bool has_token = false;
  RemoteAtomic atomic;
};
bool operator==(const RemoteSend& a, const RemoteSend& b);

// The same where it is carried out.
struct RemoteOperation {
  MbOp op = MbOp::kArrive;
  CtaPlace place;
  std::uint32_t addr = 0;
  std::uint32_t lanes = 0;
  std::uint32_t operand = 0;
  bool has_token = false;
  RemoteAtomic atomic;
};
bool operator==(const RemoteOperation& a, const RemoteOperation& b);

// An operation or a cancel whose CTA is not there.
struct RemoteLost {
  std::uint8_t unit = 0;  // whose warp it was
  std::uint8_t warp = 0;
  std::uint32_t lanes = 0;  // 0 of a cancel
  std::uint8_t cluster = 0;
  std::uint8_t rank = 0;
  std::uint32_t addr = 0;
};
bool operator==(const RemoteLost& a, const RemoteLost& b);

// The effects of an operation when it is accepted.
struct SendEffects {
  std::optional<RemoteLost> lost;
  std::uint8_t target = 0;  // otherwise: the unit to which it is on its way
};

// What becomes of it where it arrives: exactly one of the two.
struct DeliverEffects {
  std::optional<RemoteLost> lost;
  std::optional<RemoteOperation> delivered;
};

// ---------------------------------------------------------------------------------------------
// clusterlaunchcontrol
// ---------------------------------------------------------------------------------------------

inline constexpr std::uint32_t kCancelBytes = 16;

struct CancelRequest {
  std::uint8_t cluster = 0;
  std::uint8_t rank = 0;
  std::uint8_t warp = 0;
  bool multicast = false;
  std::uint32_t addr = 0;  // of the response
  std::uint32_t mbar = 0;
};

// The 16 bytes of a response, as four little-endian words in the order of their addresses: x, y and
// z of the ctaid of the cancelled cluster's first CTA, and 1; or zeroes.
using CancelResponse = std::array<std::uint32_t, 4>;

// What clusterlaunchcontrol.query_cancel answers.
struct CancelQuery {
  bool is_canceled = false;
  std::array<std::uint32_t, 3> first_ctaid{};  // x, y, z
};

// Whom the response is for, by ascending rank; or the request is refused.
struct CancelPlan {
  std::optional<RemoteLost> lost;
  std::vector<CtaPlace> places;
  std::uint32_t addr = 0;
  std::uint32_t mbar = 0;
};

// One thing that a response does: a write of 16 bytes, or the complete_tx of so many.
struct CancelStep {
  bool writes = false;
  CtaPlace place;
  std::uint32_t addr = 0;
  CancelResponse data{};    // of a write
  std::uint32_t bytes = 0;  // of a complete_tx
};
bool operator==(const CancelStep& a, const CancelStep& b);

}  // namespace muster

#endif  // MUSTER_SIM_ISA_CLUSTER_OPERATION_H_
