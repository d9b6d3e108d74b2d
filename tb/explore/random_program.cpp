// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "tb/explore/random_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <random>
#include <utility>
#include <vector>

namespace muster::explore {
namespace {

using Kind = Operation::Kind;
using Order = Operation::Order;

class Draw {
 public:
  explicit Draw(std::uint64_t seed) : random_(seed) {}

  SmallProgram Program() {
    warps_ = Below(10) < 6 ? 2 : 3;
    program_.warps.resize(warps_);
    for (unsigned i = 1 + Below(kMostObjects); i > 0; --i) {
      program_.shared.push_back(Below(3) != 0);
    }
    strong_ = Below(4);
    if (Below(3) == 0) {
      AnythingAtAll();
    } else {
      Meetings();
    }
    return std::move(program_);
  }

  SmallProgram Lanes() {
    program_.lanes_apart = true;
    return Program();
  }

 private:
  unsigned Below(unsigned bound) { return static_cast<unsigned>(random_() % bound); }

  // Independent random operations: most of these programs deadlock.
  void AnythingAtAll() {
    for (unsigned i = Below(kMostObjects); i > 0; --i) {
      program_.expected.push_back(1 + Below(warps_));
    }
    threads_ = {0, Threads(), Threads()};
    mismatch_ = Below(8) == 0;
    for (auto& list : program_.warps) {
      for (unsigned i = warps_ == 2 ? 3 + Below(4) : 3; i > 0; --i) {
        const bool in_warp = program_.lanes_apart && &list - program_.warps.data() < 2;
        list.push_back(Below(2) == 0 ? Access() : Synchronization(in_warp));
      }
    }
  }

  unsigned Threads() {
    const unsigned drawn = Below(8);
    return kThreadsOfWarp * (drawn < 2 ? drawn : 2 + Below(warps_ - 1));
  }

  // Warps that meet at barriers, all in one order, with accesses in between. Some of these programs
  // get one mistake.
  void Meetings() {
    std::array<unsigned, kMostObjects> phases{};
    program_.expected.resize(Below(kMostObjects));
    for (unsigned& expected : program_.expected) {
      expected = 1 + Below(warps_);
    }
    for (unsigned i = 1 + Below(2); i > 0; --i) {
      SomeAccesses();
      if (!program_.expected.empty() && Below(2) == 0) {
        const unsigned object = Below(static_cast<unsigned>(program_.expected.size()));
        MeetAtMbarrier(object, phases[object]++ & 1);
      } else if (program_.lanes_apart) {
        MeetInWarp();
      } else {
        MeetAtBarrier(1 + Below(2));
      }
    }
    SomeAccesses();
    auto& list = program_.warps[Below(warps_)];
    if (!list.empty() && Below(3) == 0) {
      const auto at = list.begin() + Below(static_cast<unsigned>(list.size()));
      if (Below(2) == 0) {
        std::rotate(list.begin(), at, list.end());
      } else {
        *at = Access();
      }
    }
  }

  void SomeAccesses() {
    for (auto& list : program_.warps) {
      if (Below(warps_ == 2 ? 4 : 5) >= 2) {
        list.push_back(Access());
      }
    }
  }

  // All warps, or all but one of three.
  void MeetAtBarrier(unsigned id) {
    const unsigned without =
        !program_.lanes_apart && warps_ == 3 && Below(2) == 0 ? Below(warps_) : warps_;
    const bool counted = without < warps_ || Below(4) != 0;
    const unsigned threads = without < warps_ ? kThreadsOfWarp * (warps_ - 1) : ThreadsOf(program_);
    const unsigned waits = Below(warps_);
    bool arrives = false;
    for (unsigned warp = 0; warp < warps_; ++warp) {
      if (warp != without) {
        const bool is_second_lane = program_.lanes_apart && warp == 1;
        const bool must_wait = warp == waits || (program_.lanes_apart && warp == 0 && waits == 1);
        arrives = is_second_lane ? arrives : counted && !must_wait && Below(2) == 0;
        program_.warps[warp].push_back(
            {arrives ? Kind::kArrive : Kind::kSync, id, counted ? threads : 0, Order::kWeak});
      }
    }
  }

  // Half of the time at bar.warp.sync, else at a named barrier, which both lanes come to.
  void MeetInWarp() {
    if (Below(2) == 0) {
      MeetAtBarrier(1 + Below(2));
      return;
    }
    for (unsigned lane = 0; lane < 2; ++lane) {
      program_.warps[lane].push_back({Kind::kWarpSync, 0, 0, Order::kWeak});
    }
  }

  // As many warps arrive as are expected. All others wait, and some of these do, too.
  void MeetAtMbarrier(unsigned object, std::uint32_t parity) {
    const unsigned first = Below(warps_);
    for (unsigned i = 0; i < warps_; ++i) {
      auto& list = program_.warps[(first + i) % warps_];
      const bool arrives = i < program_.expected[object];
      if (arrives) {
        list.push_back({Kind::kMbArrive, object, 0, Order::kWeak});
      }
      if (!arrives || Below(2) == 0) {
        list.push_back({Kind::kMbWait, object, parity, Order::kWeak});
      }
    }
  }

  // `in_warp`: of a lane that has another one beside it.
  Operation Synchronization(bool in_warp) {
    if (Below(12) == 0) {
      return {Kind::kExit, 0, 0, Order::kWeak};
    }
    if (in_warp && Below(2) == 0) {
      return {Kind::kWarpSync, 0, 0, Order::kWeak};
    }
    if (program_.lanes_apart && program_.expected.empty()) {
      return Access();
    }
    if (program_.lanes_apart || (!program_.expected.empty() && Below(2) == 0)) {
      const unsigned object = Below(static_cast<unsigned>(program_.expected.size()));
      return Below(2) == 0 ? Operation{Kind::kMbArrive, object, 0, Order::kWeak}
                           : Operation{Kind::kMbWait, object, Below(3) == 0, Order::kWeak};
    }
    const unsigned id = 1 + Below(2);
    const unsigned threads = mismatch_ && Below(3) == 0 ? Threads() : threads_[id];
    const bool arrives = threads != 0 && Below(3) == 0;
    return {arrives ? Kind::kArrive : Kind::kSync, id, threads, Order::kWeak};
  }

  Operation Access() {
    const unsigned object = Below(static_cast<unsigned>(program_.shared.size()));
    const std::uint32_t value = ++last_value_;
    const bool strong = Below(4) < strong_;
    switch (Below(5)) {
      case 0:
      case 1:
        return {Kind::kLoad, object, 0,
                !strong         ? Order::kWeak
                : Below(4) == 0 ? Order::kRelaxed
                                : Order::kAcquire};
      case 2:
      case 3:
        return {Kind::kStore, object, value,
                !strong         ? Order::kWeak
                : Below(4) == 0 ? Order::kRelaxed
                                : Order::kRelease};
      default:
        return {Kind::kAdd, object, value * 16,
                std::array{Order::kRelaxed, Order::kAcquire, Order::kRelease,
                           Order::kAcquireRelease}[Below(4)]};
    }
  }

  std::mt19937_64 random_;
  SmallProgram program_;
  unsigned warps_ = 0;
  std::array<unsigned, 3> threads_{};  // of each named barrier
  bool mismatch_ = false;
  unsigned strong_ = 0;
  std::uint32_t last_value_ = 0;
};

const char* Qualifier(Order order) {
  switch (order) {
    case Order::kWeak:
      return "";
    case Order::kRelaxed:
      return ".relaxed.cta";
    case Order::kAcquire:
      return ".acquire.cta";
    case Order::kRelease:
      return ".release.cta";
    default:
      return ".acq_rel.cta";
  }
}

class Writer {
 public:
  explicit Writer(const SmallProgram& program) : program_(program) {}

  Ptx Write() {
    Begin();
    for (unsigned warp = 0; warp < program_.warps.size(); ++warp) {
      Line(fmt::format("W{}:", warp));
      for (unsigned i = 0; i < program_.warps[warp].size(); ++i) {
        One({warp, i});
      }
      Line("\tret;");
    }
    Line("}");
    ptx_.manifest =
        fmt::format("{{\"ptx\": \"program.ptx\", \"block\": [{}, 1, 1]}}\n", ThreadsOf(program_));
    return std::move(ptx_);
  }

 private:
  void Line(const std::string& text) {
    ptx_.text += text + "\n";
    ++lines_;
  }

  void Begin() {
    Line(".version 8.0\n.target sm_90\n.address_size 64");
    lines_ += 2;
    std::vector<std::string> initial;
    for (std::size_t word = 0; word < WordsOf(program_); ++word) {
      initial.push_back(word < program_.shared.size() ? "0" : fmt::format("{}", kNotRead));
    }
    Line(fmt::format(".global .align 4 .u32 words[{}] = {{{}}};", initial.size(),
                     fmt::join(initial, ", ")));
    Line(".visible .entry program()\n{");
    ++lines_;
    Line("\t.reg .pred %p, %complete;\n\t.reg .b32 %tid, %lane, %value;");
    ++lines_;
    for (std::size_t i = 0; i < program_.shared.size(); ++i) {
      Line(fmt::format("\t.shared .align 4 .u32 v{};", i));
    }
    for (std::size_t i = 0; i < program_.expected.size(); ++i) {
      Line(fmt::format("\t.shared .align 8 .b64 m{};", i));
    }
    Line("\tmov.u32 %tid, %tid.x;");
    Line("\tand.b32 %lane, %tid, 31;");
    if (program_.lanes_apart) {
      Line("\tsetp.eq.u32 %p, %tid, 1;");
      Line("\tselp.u32 %lane, 0, %lane, %p;");
    }
    Line("\tsetp.ne.u32 %p, %lane, 0;");
    Line("\t@%p ret;");
    if (!program_.expected.empty()) {
      Line("\tsetp.ne.u32 %p, %tid, 0;");
      Line("\t@%p bra READY;");
      for (std::size_t i = 0; i < program_.expected.size(); ++i) {
        Line(fmt::format("\tmbarrier.init.shared::cta.b64 [m{}], {};", i, program_.expected[i]));
      }
      Line("READY:");
      Line("\tbar.sync 0;");
    }
    for (unsigned warp = 1; warp < program_.warps.size(); ++warp) {
      Line(fmt::format("\tsetp.eq.u32 %p, %tid, {};", ThreadOf(program_, warp)));
      Line(fmt::format("\t@%p bra W{};", warp));
    }
  }

  void One(const Site& site) {
    const Operation& operation = program_.warps[site.first][site.second];
    if (operation.kind == Kind::kStore) {
      Line(fmt::format("\tmov.u32 %value, {};", operation.value));
    }
    if (operation.kind == Kind::kMbWait) {
      Line(fmt::format("T{}_{}:", site.first, site.second));
    }
    Line("\t" + Text(operation));
    ptx_.sites[lines_] = site;
    if (operation.kind == Kind::kMbWait) {
      Line(fmt::format("\t@!%complete bra T{}_{};", site.first, site.second));
    }
    if (Reads(operation)) {
      Line(fmt::format("\tst.global.u32 [words+{}], %value;", 4 * WordOf(program_, site)));
    }
  }

  std::string Text(const Operation& operation) const {
    const char* const order = Qualifier(operation.order);
    switch (operation.kind) {
      case Kind::kLoad:
        return fmt::format("ld{}.{}.u32 %value, {};", order, Space(operation), Address(operation));
      case Kind::kStore:
        return fmt::format("st{}.{}.u32 {}, %value;", order, Space(operation), Address(operation));
      case Kind::kAdd:
        return fmt::format("atom{}.{}.add.u32 %value, {}, {};", order, Space(operation),
                           Address(operation), operation.value);
      case Kind::kSync:
        return operation.value == 0
                   ? fmt::format("barrier.sync {};", operation.object)
                   : fmt::format("barrier.sync {}, {};", operation.object, operation.value);
      case Kind::kArrive:
        return fmt::format("barrier.arrive {}, {};", operation.object, operation.value);
      case Kind::kMbArrive:
        return fmt::format("mbarrier.arrive.shared::cta.b64 _, [m{}];", operation.object);
      case Kind::kMbWait:
        return fmt::format("mbarrier.try_wait.parity.shared::cta.b64 %complete, [m{}], {};",
                           operation.object, operation.value);
      case Kind::kWarpSync:
        return "bar.warp.sync 3;";
      default:
        return "ret;";
    }
  }

  const char* Space(const Operation& operation) const {
    return program_.shared[operation.object] ? "shared" : "global";
  }
  std::string Address(const Operation& operation) const {
    return program_.shared[operation.object] ? fmt::format("[v{}]", operation.object)
                                             : fmt::format("[words+{}]", 4 * operation.object);
  }

  const SmallProgram& program_;
  Ptx ptx_;
  std::uint32_t lines_ = 0;
};

}  // namespace

SmallProgram RandomProgram(std::uint64_t seed) { return Draw(seed).Program(); }

SmallProgram RandomLanes(std::uint64_t seed) { return Draw(seed).Lanes(); }

Ptx PtxOf(const SmallProgram& program) { return Writer(program).Write(); }

}  // namespace muster::explore
