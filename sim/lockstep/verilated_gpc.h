// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The only place that knows the class that Verilator makes of muster_gpc. Included once for each
// GPC, by a source that CMake writes.
#ifndef MUSTER_SIM_LOCKSTEP_VERILATED_GPC_H_
#define MUSTER_SIM_LOCKSTEP_VERILATED_GPC_H_

#include <verilated.h>
#include <verilated_fst_c.h>

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

#include "sim/lockstep/dut.h"
#include "sim/lockstep/gpc_dut.h"
#include "sim/lockstep/power_up.h"
#include "sim/lockstep/verilated_context.h"
#include "sim/lockstep/verilated_pins.h"

namespace muster::lockstep {

// The ports of the blocks by the names that they have there: the fields of the bundles, and what
// has a port of its own.
template <typename... Parts>
struct Ports : Parts... {
  explicit Ports(Parts... parts) : Parts(parts)... {}
};

template <typename Gpc>
struct UnitVectors {
  Gpc& gpc;
  decltype(Gpc::issue_valid_i) issue_valid_i = gpc.issue_valid_i;
  decltype(Gpc::issue_ready_o) issue_ready_o = gpc.issue_ready_o;
  decltype(Gpc::issue_i) issue_i = gpc.issue_i;
  decltype(Gpc::idle_o) idle_o = gpc.idle_o;
  decltype(Gpc::busy_o) busy_o = gpc.busy_o;
  decltype(Gpc::lifecycle_warps_i) lifecycle_warps_i = gpc.lifecycle_warps_i;
  decltype(Gpc::fence_req_o) fence_req_o = gpc.fence_req_o;
  decltype(Gpc::fence_ack_i) fence_ack_i = gpc.fence_ack_i;
  decltype(Gpc::release_o) release_o = gpc.release_o;
  decltype(Gpc::fault_valid_o) fault_valid_o = gpc.fault_valid_o;
  decltype(Gpc::fault_o) fault_o = gpc.fault_o;
  decltype(Gpc::mb_idle_o) mb_idle_o = gpc.mb_idle_o;
  decltype(Gpc::mb_busy_o) mb_busy_o = gpc.mb_busy_o;
  decltype(Gpc::mb_fence_req_o) mb_fence_req_o = gpc.mb_fence_req_o;
  decltype(Gpc::mb_fence_ack_i) mb_fence_ack_i = gpc.mb_fence_ack_i;
  decltype(Gpc::mb_wake_o) mb_wake_o = gpc.mb_wake_o;
  decltype(Gpc::mb_expire_o) mb_expire_o = gpc.mb_expire_o;
};

template <typename Gpc>
auto UnitPorts(Gpc& gpc) {
  return Ports{sv::cta_req_ports{gpc.cta_req_i},
               sv::cta_rsp_ports{gpc.cta_rsp_o},
               sv::mb_req_ports{gpc.mb_req_i},
               sv::mb_rsp_ports{gpc.mb_rsp_o},
               sv::smem_req_ports{gpc.smem_req_o},
               sv::smem_rsp_ports{gpc.smem_rsp_i},
               sv::debug_req_ports{gpc.debug_req_i},
               sv::debug_rsp_ports{gpc.debug_rsp_o},
               UnitVectors<Gpc>{gpc}};
}

template <typename Gpc>
struct WarpVectors {
  Gpc& gpc;
  decltype(Gpc::warp_clear_i) clear_i = gpc.warp_clear_i;
  decltype(Gpc::warp_values_i) values_i = gpc.warp_values_i;
  decltype(Gpc::warp_open_o) open_o = gpc.warp_open_o;
  std::array<std::uint64_t, kMaxUnits> busy_i{};  // inside, the barriers' own
};

template <typename Gpc>
auto WarpPorts(Gpc& gpc) {
  return Ports{sv::warp_req_ports{gpc.warp_req_i}, sv::warp_rsp_ports{gpc.warp_rsp_o},
               WarpVectors<Gpc>{gpc}};
}

template <typename Gpc>
struct AtomicVectors {
  Gpc& gpc;
  decltype(Gpc::at_busy_o) busy_o = gpc.at_busy_o;
  decltype(Gpc::at_fence_req_o) fence_req_o = gpc.at_fence_req_o;
  decltype(Gpc::at_fence_ack_i) fence_ack_i = gpc.at_fence_ack_i;
  // Inside; remote_busy_o is of at_rsp_ports.
  std::uint16_t remote_valid_i = 0;
  std::uint16_t remote_ready_o = 0;
  VlWide<kMaxUnits * sv::at_update_t::kWidth / 32 + 1> remote_i{};
};

template <typename Gpc>
auto AtomicPorts(Gpc& gpc) {
  return Ports{sv::at_req_ports{gpc.at_req_i}, sv::at_rsp_ports{gpc.at_rsp_o},
               sv::at_smem_req_ports{gpc.at_smem_req_o}, sv::smem_rsp_ports{gpc.at_smem_rsp_i},
               AtomicVectors<Gpc>{gpc}};
}

// `Scope` is the instance.
template <typename Gpc, typename Scope>
struct ClusterVectors {
  Gpc& gpc;
  Scope& scope;
  decltype(Gpc::cluster_busy_o) busy_o = gpc.cluster_busy_o;
  decltype(Gpc::cluster_fence_req_o) fence_req_o = gpc.cluster_fence_req_o;
  decltype(Gpc::cluster_fence_ack_i) fence_ack_i = gpc.cluster_fence_ack_i;
  decltype(Gpc::cluster_release_o) release_o = gpc.cluster_release_o;
  decltype(Gpc::grid_release_o) grid_release_o = gpc.grid_release_o;
  decltype(Gpc::grid_launch_o) launch_o = gpc.grid_launch_o;
  decltype(Gpc::grid_flush_o) flush_o = gpc.grid_flush_o;
  decltype(Gpc::grid_flushed_i) flushed_i = gpc.grid_flushed_i;
  // Inside.
  decltype((std::declval<Scope&>().remote_valid_o)) remote_valid_o = scope.remote_valid_o;
  decltype((std::declval<Scope&>().remote_o)) remote_o = scope.remote_o;
  decltype((std::declval<Scope&>().remote_atomic_o)) remote_atomic_o = scope.remote_atomic_o;
  decltype((std::declval<Scope&>().complete_valid_o)) complete_valid_o = scope.complete_valid_o;
  decltype((std::declval<Scope&>().complete_o)) complete_o = scope.complete_o;
  decltype((std::declval<Scope&>().answer_ready_o)) answer_ready_o = scope.answer_ready_o;
  std::uint16_t answer_valid_i = 0;  // the units' own
  VlWide<kMaxUnits * sv::at_response_t::kWidth / 32 + 1> answer_i{};
  std::uint16_t remote_ready_i = 0;
  std::uint16_t complete_ready_i = 0;
};

template <typename Gpc, typename Scope>
auto ClusterPorts(Gpc& gpc, Scope& scope) {
  return Ports{sv::cluster_req_ports{gpc.cluster_req_i}, sv::cluster_rsp_ports{gpc.cluster_rsp_o},
               sv::scheduler_req_ports{gpc.scheduler_req_i},
               sv::scheduler_rsp_ports{gpc.scheduler_rsp_o},
               ClusterVectors<Gpc, Scope>{gpc, scope}};
}

// In the place of the instances of a GPC without atomics.
struct NoAtomics {
  struct Instance {
    std::uint8_t active_o = 0;
  };
  const Instance* operator[](unsigned /*u*/) const { return nullptr; }
};

// `Places` finds the instances inside: Units(root), Warps(root), Atomics(root), Cluster(root).
template <typename Gpc, typename Places, typename Shape, bool kTraced>
class VerilatedGpc final : public GpcDut {
 public:
  VerilatedGpc(GpcShape shape, const PowerUp& power_up)
      : shape_(std::move(shape)),
        gpc_(PoweredUp(&context_, power_up.seed), "gpc"),
        units_(Places::Units(gpc_.rootp)),
        warps_(Places::Warps(gpc_.rootp)),
        atomics_(Places::Atomics(gpc_.rootp)),
        cluster_(Places::Cluster(gpc_.rootp)),
        unit_ports_(UnitPorts(gpc_)),
        warp_ports_(WarpPorts(gpc_)),
        atomic_ports_(AtomicPorts(gpc_)),
        cluster_ports_(ClusterPorts(gpc_, *cluster_)) {
    pins.units.resize(units_.size());
    for (GpcUnitPins& unit : pins.units) {
      ports.push_back(std::make_unique<GpcPort>());
      unit.port = ports.back().get();
    }
    if (!power_up.low) {
      Settle();
    }
    // In reset every pin is driven once, so that payloads whose valid is low are not random either.
    pins.reset = true;
    SetAll(true);
    Settle();
    SetAll(false);
    Settle();
    Clock();
    Settle();
    pins.reset = false;
  }

  ~VerilatedGpc() override {
    CloseTrace();
    gpc_.final();
    Verilated::threadContextp(&context_);  // which the scopes' destructors use
  }

  const GpcShape& shape() const override { return shape_; }

  void Settle() override {
    gpc_.rst_ni = static_cast<std::uint8_t>(!pins.reset);
    for (unsigned u = 0; u < units_.size(); ++u) {
      DriveUnit<Shape>(u, pins.units[u].port->in, &unit_ports_);
      DriveScope(shape_.warps, pins.units[u].warp_in, &warp_ports_, u);
      if (shape_.atomics) {
        DriveScope(*shape_.atomics, pins.units[u].atomic_in, &atomic_ports_, u);
      }
    }
    DriveScope(shape_.cluster, pins.cluster_in, &cluster_ports_);
    gpc_.clk_i = 0;
    gpc_.mb_clk_i = 0;
    gpc_.eval();
    for (unsigned u = 0; u < units_.size(); ++u) {
      SampleUnit<Shape>(u, unit_ports_, &pins.units[u].port->out);
      SampleScope(shape_.warps, warp_ports_, &pins.units[u].warp_out, u);
      pins.units[u].warp_out.active = warps_[u]->active_o != 0;
      if (shape_.atomics) {
        SampleScope(*shape_.atomics, atomic_ports_, &pins.units[u].atomic_out, u);
        pins.units[u].atomic_out.active = atomics_[u]->active_o != 0;
      }
      SampleCrossing(u, &pins.units[u].crossing);
    }
    SampleScope(shape_.cluster, cluster_ports_, &pins.cluster_out);
    pins.cluster_out.active = cluster_->active_o != 0;
  }

  void Clock() override {
    Dump(0);
    gpc_.clk_i = static_cast<std::uint8_t>(!pins.gated);
    for (unsigned u = 0; u < units_.size(); ++u) {
      // Of the unit too: what passes inputs on is left out while clk_i is high (SETTLED).
      units_[u]->mb_clk_i = !pins.gated && !pins.units[u].port->in.mb.gated ? 1 : 0;
      SetBit(&gpc_.mb_clk_i, u, units_[u]->mb_clk_i != 0);
    }
    gpc_.eval();
    Dump(kCycleNs / 2);
    ++cycle_;
  }

  void OpenTrace(const std::string& path, std::uint64_t cycle) override {
    if constexpr (kTraced) {
      trace_ = std::make_unique<VerilatedFstC>();
      gpc_.trace(trace_.get(), kTraceLevels);
      trace_->open(path.c_str());
      cycle_ = cycle;
    }
  }
  void CloseTrace() override {
    if (trace_) {
      trace_->close();
      trace_.reset();
    }
  }

 private:
  void SetAll(bool valid) {
    ClusterInputs& cluster = pins.cluster_in;
    for (std::size_t u = 0; u < units_.size(); ++u) {
      Inputs& in = pins.units[u].port->in;
      in.issue_valid = valid ? (1U << Shape::kNumIssue) - 1 : 0;
      in.lifecycle_valid = in.exit_valid = valid;
      in.mb.issue_valid = in.mb.async_valid = in.mb.remote_valid = in.mb.rdata_valid = valid;
      pins.units[u].warp_in.valid = valid;
      pins.units[u].atomic_in.issue_valid = pins.units[u].atomic_in.rdata_valid = valid;
      cluster.units[u].request_valid = cluster.units[u].send_valid = valid;
      cluster.units[u].cancel_valid = valid;
    }
    cluster.life_valid = cluster.take_ready = valid;
  }

  void Dump(std::uint64_t ns) {
    if (trace_) {
      trace_->dump(cycle_ * kCycleNs + ns);
    }
  }

  void SampleCrossing(unsigned u, GpcCrossing* crossing) const {
    const auto& unit = *units_[u];
    crossing->async_valid = unit.mb_async_valid_i != 0;
    crossing->async_ready = unit.mb_async_ready_o != 0;
    if (crossing->async_valid) {
      crossing->async.source = MbSource::kAsync;
      crossing->async.lanes = 1;
      sv::mb_async_t::Get(unit.mb_async_i, &crossing->async);
    }
    crossing->remote_valid = unit.mb_remote_valid_i != 0;
    crossing->remote_ready = unit.mb_remote_ready_o != 0;
    if (crossing->remote_valid) {
      crossing->remote.source = MbSource::kRemote;
      sv::mb_remote_t::Get(unit.mb_remote_i, &crossing->remote);
    }
    if (shape_.atomics) {
      SampleAtomics(*atomics_[u], &crossing->atomics);
    }
    crossing->network_ready = IsSet(cluster_->remote_ready_i, u);
    crossing->complete_ready = IsSet(cluster_->complete_ready_i, u);
  }

  template <typename Instance>
  static void SampleAtomics(const Instance& of, AtomicCrossing* crossing) {
    if constexpr (!std::is_same_v<Instance, NoAtomics::Instance>) {
      crossing->remote_valid = of.remote_valid_i != 0;
      crossing->remote_ready = of.remote_ready_o != 0;
      crossing->remote_busy = of.remote_busy_o != 0;
      if (crossing->remote_valid) {
        sv::at_update_t::Get(of.remote_i, &crossing->remote);
      }
      crossing->response_valid = of.response_valid_o != 0;
      crossing->response_ready = of.response_ready_i != 0;
      if (crossing->response_valid) {
        sv::at_response_t::Get(of.response_o, &crossing->response);
      }
    }
  }

  const GpcShape shape_;
  VerilatedContext context_;
  Gpc gpc_;
  const decltype(Places::Units(gpc_.rootp)) units_;
  const decltype(Places::Warps(gpc_.rootp)) warps_;
  const decltype(Places::Atomics(gpc_.rootp)) atomics_;
  const decltype(Places::Cluster(gpc_.rootp)) cluster_;
  decltype(UnitPorts(std::declval<Gpc&>())) unit_ports_;
  decltype(WarpPorts(std::declval<Gpc&>())) warp_ports_;
  decltype(AtomicPorts(std::declval<Gpc&>())) atomic_ports_;
  decltype(ClusterPorts(std::declval<Gpc&>(), *cluster_)) cluster_ports_;
  std::unique_ptr<VerilatedFstC> trace_;
  std::uint64_t cycle_ = 0;
};

}  // namespace muster::lockstep

#endif  // MUSTER_SIM_LOCKSTEP_VERILATED_GPC_H_
