// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/app/explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "sim/app/files.h"
#include "sim/app/verify.h"
#include "sim/explore/shrink.h"
#include "sim/explore/state_search.h"
#include "sim/explore/story.h"
#include "sim/isa/bits.h"
#include "sim/ptx/launch/choice.h"
#include "sim/ptx/launch/hang_report.h"
#include "sim/ptx/launch/schedule_file.h"
#include "sim/ptx/program/op_class.h"
#include "sim/ptx/syntax/error.h"

namespace muster::app {
namespace {

using Clock = std::chrono::steady_clock;
using explore::World;

class Explainer {
 public:
  Explainer(const ptx::HangFile& file, std::string path, const Job& job,
            const ExploreOptions& options)
      : path_(std::move(path)), job_(job), options_(options), begun_(Clock::now()) {
    ptx::Manifest& manifest = job_.manifest;
    if (manifest.LaunchCount() != 1) {
      throw ptx::InputError(fmt::format(
          "{}: explain takes one launch, and the manifest has {}: make a manifest of the one that "
          "hangs",
          manifest.path, manifest.LaunchCount()));
    }
    config_ = ConfigOf(manifest, options);
    manifest.config = config_.name;
    manifest.seed = options.seed.value_or(manifest.seed);
    if (!options.witness.empty()) {
      std::vector<std::string> inputs = job.inputs;
      inputs.push_back(path_);
      CheckOutputs(inputs, {options.witness});
    }
    session_ = std::make_unique<ptx::Session>(manifest, config_, manifest.seed);
    hang_ = file.Of(session_->program(), session_->launch());
    state_ = StateOf(hang_, session_->program());
  }

  ExplainCode Run() {
    const std::unique_ptr<World> world = MakeWorld();
    constexpr std::uint64_t kOrders = 512;
    explore::StateSearch search =
        SearchState(world.get(), state_, job_.manifest.seed, kOrders, [this] { return IsOver(); });
    bool complete = false;
    std::uint64_t classes = 0;
    if (!search.found) {
      explore::Explored explored = SearchAll(&search.near);
      complete = explored.complete;
      classes = explored.classes;
      for (explore::Finding& finding : explored.findings) {
        if (finding.is_bad && finding.pair.empty()) {
          search.found = std::move(finding);
        }
      }
    }
    if (search.found && Follows(&*search.found)) {
      TellOrder(world.get(), std::move(*search.found));
      return ExplainCode::kFound;
    }
    if (mismatch_) {
      return ExplainCode::kMismatch;
    }
    fmt::print("By the dump alone (what is in registers is not known):\n{}",
               WaitingText(session_->program(), session_->launch(),
                           ptx::WaitingIn(hang_, session_->program(), session_->launch())));
    fmt::print("{}: no order was found that leads there: {} orders at random, {} class{} of {}\n",
               path_, search.orders, classes, classes == 1 ? "" : "es",
               complete ? "orders, which are all" : "them");
    if (search.near != 0) {
      fmt::print(
          "In {} of them all threads ended there, but the words or barriers held something "
          "else\n",
          search.near);
    }
    return ExplainCode::kNoOrder;
  }

 private:
  double Seconds() const { return std::chrono::duration<double>(Clock::now() - begun_).count(); }
  bool IsOver() const { return Seconds() > options_.seconds; }

  std::unique_ptr<World> MakeWorld() const {
    return std::make_unique<World>(config_, session_->program(), session_->launch(),
                                   session_->memory());
  }

  // Lanes that try a wait or a load again may be seen anywhere in their loop.
  static explore::HungState StateOf(const ptx::Hang& hang, const ptx::Program& program) {
    std::vector<std::vector<std::uint32_t>> stands(program.code.size());  // in the loops of these
    for (std::uint32_t pc = 0; pc < program.code.size(); ++pc) {
      for (const std::uint32_t at : ptx::LoopOf(program.code, pc)) {
        stands[at].push_back(pc);
      }
    }
    explore::HungState state;
    for (const ptx::Hang::Lanes& lanes : hang.lanes) {
      std::vector<std::uint32_t> pcs;
      for (const std::uint32_t pc : lanes.pcs) {
        pcs.insert(pcs.end(), stands[pc].begin(), stands[pc].end());
      }
      ForEachBit(lanes.lanes, [&](unsigned lane) {
        state.lanes[{lanes.cta, lanes.warp, lane}] = pcs;
      });
    }
    for (const ptx::Hang::Word& word : hang.words) {
      state.words.push_back({word.cta, word.address, word.bits});
    }
    for (const ptx::Hang::Barrier& barrier : hang.barriers) {
      state.barriers.push_back({barrier.cta, barrier.id, barrier.arrived});
    }
    return state;
  }

  std::vector<explore::BadEnd> Judge(const World& world) const {
    const bool is_there = world.end() == World::End::kDeadlock && state_.HoldsThreadsOf(world) &&
                          state_.HoldsBarriersOf(world);
    return is_there ? std::vector<explore::BadEnd>{{explore::Kind::kDeadlock, "deadlock", {}}}
                    : std::vector<explore::BadEnd>{};
  }

  // Goes through the orders one after the other, until one leads there.
  explore::Explored SearchAll(std::uint64_t* near) const {
    std::atomic<bool> found = false;
    std::atomic<std::uint64_t> count = 0;
    explore::ExplorerOptions how;
    how.seed = job_.manifest.seed;
    how.bound = options_.bound.value_or(how.bound);
    how.attempts = 0;
    how.jobs = options_.jobs != 0 ? static_cast<unsigned>(options_.jobs)
                                  : std::max(1U, std::thread::hardware_concurrency());
    how.is_over = [&](double) { return found || IsOver(); };
    explore::Explored explored =
        explore::Explorer([this] { return MakeWorld(); }, how,
                          [&](const World& world) {
                            std::vector<explore::BadEnd> ends = Judge(world);
                            found = found || !ends.empty();
                            count += ends.empty() && world.end() == World::End::kDeadlock &&
                                             state_.HoldsThreadsOf(world)
                                         ? 1
                                         : 0;
                            return ends;
                          })
            .Run();
    *near += count;
    return explored;
  }

  ptx::Schedule ScheduleOf(const explore::Finding& finding) const {
    ptx::Schedule schedule{finding.turns, finding.needed, job_.manifest.config, job_.manifest.seed};
    if (HasChoices(job_.manifest)) {
      schedule.input = job_.manifest.input;
    }
    return schedule;
  }

  // Whether the unit follows the order to the deadlock. Keeps what a run says of that.
  bool Follows(explore::Finding* finding) {
    std::string text;
    const Replay replay = ReplayOnUnit(
        job_.manifest, config_, ScheduleOf(*finding),
        [&](const ptx::Session& session, std::uint64_t) { text = ptx::WaitingText(session); });
    mismatch_ = mismatch_ || replay.mismatch;
    if (replay.mismatch || replay.outcome != "deadlock") {
      return false;
    }
    waiting_ = std::move(text);
    return true;
  }

  void TellOrder(World* world, explore::Finding finding) {
    constexpr double kMost = 5;  // seconds
    const double begun = Seconds();
    explore::Finding shrunk = explore::Shrink(
        finding, world, [this](const World& one) { return Judge(one); },
        [&] { return Seconds() > begun + kMost; });
    if (shrunk.turns.size() < finding.turns.size() && Follows(&shrunk)) {
      finding = std::move(shrunk);
    }
    fmt::print("{}: the grid has come to a deadlock, in which every live warp waits:\n{}", path_,
               waiting_);
    if (finding.turns.empty()) {
      fmt::print("Every order that was tried leads there\n");
    } else {
      fmt::print("An order that leads there, which the unit has followed:\n");
      std::size_t count = 0;
      for (const std::string& sentence : explore::StoryOf(finding, session_->program())) {
        fmt::print("  {}. {}\n", ++count, sentence);
      }
    }
    if (options_.witness.empty()) {
      return;
    }
    WriteFile(options_.witness, ptx::ScheduleText(ScheduleOf(finding), session_->program()));
    fmt::print("Again: muster run {} --schedule {}\n", job_.manifest.command, options_.witness);
  }

  const std::string path_;
  Job job_;
  const ExploreOptions& options_;
  const Clock::time_point begun_;
  Config config_;
  std::unique_ptr<ptx::Session> session_;
  ptx::Hang hang_;
  explore::HungState state_;
  std::string waiting_;
  bool mismatch_ = false;
};

}  // namespace

ExplainCode Explain(const ptx::HangFile& file, const std::string& path, const Job& job,
                    const ExploreOptions& options) {
  return Explainer(file, path, job, options).Run();
}

}  // namespace muster::app
