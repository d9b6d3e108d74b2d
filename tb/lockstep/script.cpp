// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "tb/lockstep/script.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include "sim/isa/config.h"
#include "sim/isa/effects.h"
#include "sim/lockstep/dut.h"

namespace muster {

void PrintTo(const Config& config, std::ostream* out) { *out << config.name; }

}  // namespace muster

namespace muster::lockstep {
namespace {

constexpr std::uint64_t kQuiet = 12;  // cycles in which any pipeline runs empty
constexpr std::uint64_t kMaxCycles = 20'000;

}  // namespace

std::vector<Config> BuiltConfigs() {
  std::vector<Config> built;
  std::copy_if(Configs().begin(), Configs().end(), std::back_inserter(built),
               [](const Config& config) {
                 return config.num_warps >= 8 && config.num_ctas >= 2 && HasUnit(config);
               });
  return built;
}

std::vector<Config> With(bool Config::*feature) {
  std::vector<Config> configs = BuiltConfigs();
  configs.erase(std::remove_if(configs.begin(), configs.end(),
                               [feature](const Config& config) { return !(config.*feature); }),
                configs.end());
  return configs;
}

std::uint64_t FirstWarps(unsigned count) {
  return count == kMaxWarps ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
}

Operation Arrival(OpKind kind, unsigned warp, unsigned bar, unsigned warps) {
  Operation operation;
  operation.kind = kind;
  operation.warp = Byte(warp);
  operation.bar = Byte(bar);
  operation.count = static_cast<std::uint16_t>(warps * Config().warp_size);
  operation.lanes = kAllLanes;
  return operation;
}

Operation InCta(unsigned cta, Operation operation) {
  operation.cta = Byte(cta);
  return operation;
}

Operation WithPredicates(std::uint32_t predicates, Operation operation) {
  operation.operand = predicates;
  return operation;
}

Operation Exit(unsigned warp) { return Arrival(OpKind::kExit, warp, 0, 0); }

Operation Launch(unsigned cta, std::uint64_t warps) {
  Operation launch;
  launch.kind = OpKind::kLaunch;
  launch.cta = Byte(cta);
  launch.warps = warps;
  launch.size = static_cast<std::uint8_t>(__builtin_popcountll(warps));
  return launch;
}

Operation Open(unsigned cta, unsigned size) {
  Operation open;
  open.kind = OpKind::kOpen;
  open.cta = Byte(cta);
  open.size = Byte(size);
  return open;
}

Operation Join(unsigned cta, unsigned warp, std::uint32_t lanes) {
  Operation join;
  join.kind = OpKind::kJoin;
  join.cta = Byte(cta);
  join.warp = Byte(warp);
  join.lanes = lanes;
  return join;
}

Operation Leave(OpKind kind, unsigned cta) {
  Operation leave;
  leave.kind = kind;
  leave.cta = Byte(cta);
  return leave;
}

Operation Read(OpKind kind, unsigned warp, unsigned bar) { return Arrival(kind, warp, bar, 0); }

Operation Write(OpKind kind, unsigned warp, unsigned bar, std::uint32_t word) {
  return WithPredicates(word, Arrival(kind, warp, bar, 0));
}

Script::Id Script::Add(unsigned port, const Operation& operation, std::uint64_t from) {
  Act act;
  act.operation = operation;
  act.from = from;
  acts_.push_back(act);
  scenes_.back().ports[port].push_back(acts_.size() - 1);
  return acts_.size() - 1;
}

Script::Id Script::Issue(unsigned port, const Operation& operation, std::uint64_t from) {
  return Add(port, operation, from);
}

Script::Id Script::Lifecycle(const Operation& operation, std::uint64_t from) {
  return Add(operation.kind == OpKind::kExit ? kExit : kLifecycle, operation, from);
}

Script::Id Script::Launch(unsigned cta, std::uint64_t warps) {
  const Id id = Lifecycle(lockstep::Launch(cta, warps));
  NextScene();
  return id;
}

void Script::Accessing(std::uint64_t warps, std::uint64_t from) {
  scenes_.back().accessing.push_back({from, warps});
}

void Script::Taking(bool responses, std::uint64_t from) {
  scenes_.back().taking.push_back({from, static_cast<std::uint64_t>(responses)});
}

void Script::Run() {
  Options options;
  options.max_cycles = kMaxCycles;
  const Result result = lockstep::Run(config_, *this, options);
  EXPECT_EQ(result.ending, Ending::kDone) << result.report;
}

bool Script::Drive(std::uint64_t cycle, const Outputs& seen, Inputs* inputs) {
  if (cycle != 0) {
    Look(cycle - 1, seen, *inputs);
  }
  if (Over()) {
    scenes_.pop_front();
    if (scenes_.empty()) {
      return false;
    }
    scene_from_ = cycle;
    quiet_ = 0;
  }
  Scene& scene = scenes_.front();
  const std::uint64_t now = cycle - scene_from_;
  for (unsigned port = 0; port < config_.num_issue; ++port) {
    const unsigned bit = 1U << port;
    const bool valid = (inputs->issue_valid & bit) != 0;
    const bool ready = (seen.issue_ready & bit) != 0;
    const bool present = Present(port, now, valid, ready, &inputs->issue[port]);
    inputs->issue_valid =
        static_cast<std::uint8_t>((inputs->issue_valid & ~bit) | (present ? bit : 0));
  }
  inputs->lifecycle_valid =
      Present(kLifecycle, now, inputs->lifecycle_valid, seen.lifecycle_ready, &inputs->lifecycle);
  inputs->exit_valid = Present(kExit, now, inputs->exit_valid, seen.exit_ready, &inputs->exit);
  for (; !scene.accessing.empty() && scene.accessing.front().from <= now;
       scene.accessing.pop_front()) {
    accessing_ = scene.accessing.front().level;
  }
  for (; !scene.taking.empty() && scene.taking.front().from <= now; scene.taking.pop_front()) {
    taking_ = scene.taking.front().level != 0;
  }
  inputs->fence_ack = ~accessing_;
  inputs->response_ready = taking_;
  return true;
}

// What happened in the cycle before.
void Script::Look(std::uint64_t cycle, const Outputs& seen, const Inputs& inputs) {
  for (unsigned port = 0; port < config_.num_issue; ++port) {
    if ((inputs.issue_valid & seen.issue_ready & 1U << port) != 0) {
      acts_[presented_[port].front()].accepted = cycle;
    }
  }
  if (inputs.lifecycle_valid && seen.lifecycle_ready) {
    acts_[presented_[kLifecycle].front()].accepted = cycle;
  }
  if (inputs.exit_valid && seen.exit_ready) {
    acts_[presented_[kExit].front()].accepted = cycle;
  }
  if (seen.released != 0) {
    releases_.push_back({cycle, seen.released, seen.release_kind, seen.release_value});
  }
  if (seen.response_valid && inputs.response_ready) {
    responses_.push_back({cycle, seen.response_warp, seen.response_data, seen.response_pred});
  }
  fenced_ |= seen.fence_req;
  idle_.push_back(seen.idle);
  ++quiet_;
}

bool Script::Over() const {
  const Scene& scene = scenes_.front();
  const auto none = [](const std::deque<Id>& ids) { return ids.empty(); };
  return quiet_ > kQuiet && scene.accessing.empty() && scene.taking.empty() &&
         std::all_of(scene.ports.begin(), scene.ports.end(), none) &&
         std::all_of(presented_.begin(), presented_.end(), none) &&
         std::all_of(flying_.begin(), flying_.end(), none) && flying_lifecycle_.empty() &&
         flying_exits_.empty();
}

// True: the port carries *operation in this cycle.
bool Script::Present(unsigned port, std::uint64_t now, bool valid, bool ready,
                     Operation* operation) {
  if (valid && !ready) {
    return true;
  }
  if (valid) {
    presented_[port].pop_front();
  }
  std::deque<Id>& left = scenes_.front().ports[port];
  if (left.empty() || acts_[left.front()].from > now) {
    return false;
  }
  const Id after = acts_[left.front()].after;
  if (after != kNone && acts_[after].committed == 0) {
    return false;
  }
  const Id id = left.front();
  left.pop_front();
  acts_[id].presented = scene_from_ + now;
  *operation = acts_[id].operation;
  presented_[port].push_back(id);
  Flying(*operation).push_back(id);
  return true;
}

std::deque<Script::Id>& Script::Flying(const Operation& operation) {
  return operation.kind == OpKind::kExit ? flying_exits_
         : IsLifecycle(operation.kind)   ? flying_lifecycle_
                                         : flying_[operation.warp];
}

void Script::OnCommit(std::uint64_t cycle, const Operation& operation, const Effects& effects) {
  std::deque<Id>& flying = Flying(operation);
  Act& act = acts_[flying.front()];
  flying.pop_front();
  act.committed = cycle;
  act.effects = effects;
  quiet_ = 0;
}

}  // namespace muster::lockstep
