// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "tb/explore/async_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <random>

namespace muster::explore {
namespace {

using Kind = AsyncOperation::Kind;
using Form = AsyncProgram::Form;

class Draw {
 public:
  Draw(Form form, std::uint64_t seed) : random_(seed) { program_.form = form; }

  AsyncProgram Program() {
    switch (program_.form) {
      case Form::kGroups:
        Groups();
        break;
      case Form::kMulticast:
        Multicast();
        break;
      case Form::kArrivals:
        Arrivals();
        break;
      case Form::kLaunches:
        Launches();
        break;
    }
    Spoil();
    return std::move(program_);
  }

 private:
  unsigned Below(unsigned bound) { return static_cast<unsigned>(random_() % bound); }
  std::vector<AsyncOperation>& Of(unsigned list) { return program_.lists[list].operations; }
  std::uint32_t Value() { return ++last_value_; }

  // One thread brings tiles in groups and says that they have come; the other reads them.
  void Groups() {
    program_.lists = {{0}, {0}};
    for (unsigned i = 1 + Below(2); i > 0; --i) {
      program_.shared.push_back(true);
    }
    program_.shared.push_back(Below(2) == 0);
    const auto tiles = static_cast<unsigned>(program_.shared.size() - 1);
    program_.arrivals = 1 + Below(2);
    for (unsigned i = 1 + Below(2); i > 0; --i) {
      Of(0).push_back({Kind::kCopy, Below(tiles), Value()});
      if (Below(4) != 0) {
        Of(0).push_back({Kind::kCommit});
      }
    }
    Of(0).push_back({Kind::kWaitGroup, 0, Below(3) == 0 ? 1U : 0U});
    if (Below(3) == 0) {
      Of(0).push_back(Access(static_cast<unsigned>(program_.shared.size())));
    }
    Of(0).push_back({Kind::kArrive});
    if (program_.arrivals == 2) {
      Of(1).push_back({Kind::kArrive});
    }
    Of(1).push_back({Kind::kWait});
    Of(1).push_back({Kind::kLoad, Below(tiles)});
    if (Below(2) == 0) {
      Of(1).push_back(Access(static_cast<unsigned>(program_.shared.size())));
    }
  }

  // One CTA copies to both, or to one of them, and each waits for its bytes.
  void Multicast() {
    program_.lists = {{0}, {1}};
    if (Below(6) == 0) {
      program_.lists.push_back({1});
    }
    program_.shared = {true, true};
    program_.shared.push_back(false);
    const bool twice = program_.lists.size() == 2 && Below(6) == 0;
    for (unsigned i = 0; i < program_.lists.size(); ++i) {
      const bool is_second = i == 2;
      if (!is_second) {
        Of(i).push_back({Kind::kArrive, 0, kAsyncBytes * (twice ? 2 : 1)});
      }
      for (unsigned copies = i == 0 ? (twice ? 2U : 1U) : 0U; copies > 0; --copies) {
        Of(0).push_back({Kind::kMulticast, Below(2), Value(), Below(6) == 0 ? 1 + Below(2) : 3});
      }
      if (!is_second || Below(2) == 0) {
        Of(i).push_back({Kind::kWait});
      }
      if (Below(3) != 0) {
        Of(i).push_back({Kind::kLoad, Below(2)});
      }
      if (Below(4) == 0) {
        Of(i).push_back({Kind::kStore, 2, Value()});
      }
    }
    if (Below(3) != 0) {
      for (AsyncProgram::List& list : program_.lists) {
        list.operations.push_back({Kind::kClusterSync});
      }
    }
  }

  // CTAs arrive at the mbarriers of both, or of one of them, and wait at their own.
  void Arrivals() {
    program_.lists = {{0}, {1}};
    if (Below(4) == 0) {
      program_.lists.push_back({1});
    }
    program_.shared = {false};
    program_.arrivals = 1 + Below(2);
    for (unsigned i = 0; i < program_.lists.size(); ++i) {
      if (Below(3) != 0) {
        Of(i).push_back({Kind::kStore, 0, Value()});
      }
      if (i < 2 && (i == 0 || program_.arrivals == 2)) {
        Of(i).push_back({Kind::kArriveAtAll, 0, 0, Below(4) == 0 ? Below(3) : 3});
      }
      if (Below(4) == 0) {
        Of(i).push_back({Kind::kArriveAtAll, 0, 0, 1 + Below(3)});
      }
      if (Below(6) != 0) {
        Of(i).push_back({Kind::kWait, 0, Below(8) == 0 ? 1U : 0U});
      }
      if (Below(3) != 0) {
        Of(i).push_back({Kind::kLoad, 0});
      }
    }
    if (Below(3) != 0) {
      for (AsyncProgram::List& list : program_.lists) {
        list.operations.push_back({Kind::kClusterSync});
      }
    }
  }

  // A launch that may begin before the one before it has ended.
  void Launches() {
    program_.lists = {{0}, {1}};
    if (Below(2) == 0) {
      program_.lists.insert(program_.lists.begin() + Below(2), AsyncProgram::List{0});
      program_.lists.back().cta = 1;
      program_.lists[1].cta = Below(2);
      std::stable_sort(program_.lists.begin(), program_.lists.end(),
                       [](const auto& a, const auto& b) { return a.cta < b.cta; });
    }
    program_.shared.assign(1 + Below(2), false);
    const auto variables = static_cast<unsigned>(program_.shared.size());
    for (unsigned i = 0; i < program_.lists.size(); ++i) {
      const bool second = program_.lists[i].cta == 1;
      if (second && Below(4) == 0) {
        Of(i).push_back(Access(variables));
      }
      if (second ? Below(4) != 0 : Below(6) == 0) {
        Of(i).push_back({Kind::kGridWait});
      }
      for (unsigned accesses = 1 + Below(2); accesses > 0; --accesses) {
        Of(i).push_back(Access(variables));
      }
      if (!second && Below(3) != 0) {
        Of(i).push_back({Kind::kLaunchDependents});
        if (Below(2) == 0) {
          Of(i).push_back(Access(variables));
        }
      }
    }
  }

  AsyncOperation Access(unsigned variables) {
    const unsigned object = Below(variables);
    return Below(2) == 0 ? AsyncOperation{Kind::kLoad, object}
                         : AsyncOperation{Kind::kStore, object, Value()};
  }

  // Takes one operation out of a third of the programs, or exchanges two.
  void Spoil() {
    std::vector<AsyncOperation>& list = Of(Below(static_cast<unsigned>(program_.lists.size())));
    if (list.size() < 2 || Below(3) != 0) {
      return;
    }
    const unsigned at = Below(static_cast<unsigned>(list.size() - 1));
    if (Below(2) == 0) {
      list.erase(list.begin() + at);
    } else {
      std::swap(list[at], list[at + 1]);
    }
  }

  std::mt19937_64 random_;
  AsyncProgram program_;
  std::uint32_t last_value_ = 0;
};

bool Copies(const AsyncOperation& operation) {
  return operation.kind == Kind::kCopy || operation.kind == Kind::kMulticast;
}

class Writer {
 public:
  explicit Writer(const AsyncProgram& program) : program_(program) {}

  AsyncPtx Write() {
    const bool wide = program_.form == Form::kArrivals;
    Line(wide ? ".version 9.4" : ".version 8.0");
    Line(wide ? ".target sm_107f" : ".target sm_90");
    Line(".address_size 64");
    std::vector<std::string> words;
    for (std::size_t word = 0; word < WordsOf(program_); ++word) {
      words.push_back(word < program_.shared.size() ? "0" : fmt::format("{}", kNotRead));
    }
    Line(fmt::format(".global .align 16 .u32 words[{}] = {{{}}};", words.size(),
                     fmt::join(words, ", ")));
    std::vector<std::string> sources;
    for (const AsyncProgram::List& list : program_.lists) {
      for (const AsyncOperation& operation : list.operations) {
        if (Copies(operation)) {
          sources.push_back(fmt::format("{}, 0, 0, 0", operation.value));
        }
      }
    }
    sources.emplace_back("0, 0, 0, 0");
    Line(fmt::format(".global .align 16 .u32 sources[{}] = {{{}}};", 4 * sources.size(),
                     fmt::join(sources, ", ")));
    if (program_.form == Form::kLaunches) {
      Kernel("program", 0);
      Kernel("second", 1);
    } else {
      Kernel("program", program_.form == Form::kGroups ? 1 : 2);
    }
    return std::move(ptx_);
  }

 private:
  void Line(const std::string& text) {
    ptx_.text += text + "\n";
    ++lines_;
  }

  // Of one launch; or of all CTAs of a cluster of so many.
  void Kernel(const std::string& name, unsigned which) {
    const bool launches = program_.form == Form::kLaunches;
    Line(fmt::format(".visible .entry {}()", name));
    Line("{");
    Line("\t.reg .pred %p, %complete;");
    Line("\t.reg .b32 %tid, %lane, %rank, %value;");
    Line("\t.reg .b16 %mask;");
    for (std::size_t i = 0; i < program_.shared.size(); ++i) {
      if (program_.shared[i]) {
        Line(fmt::format("\t.shared .align 16 .b8 v{}[{}];", i, kAsyncBytes));
      }
    }
    if (!launches) {
      Line("\t.shared .align 8 .b64 m;");
    }
    Line("\tmov.u32 %tid, %tid.x;");
    Line("\tmov.u32 %rank, %cluster_ctarank;");
    Line("\tand.b32 %lane, %tid, 31;");
    Line("\tsetp.ne.u32 %p, %lane, 0;");
    Line("\t@%p ret;");
    if (!launches) {
      Line("\tsetp.ne.u32 %p, %tid, 0;");
      Line("\t@%p bra READY;");
      Line(fmt::format("\tmbarrier.init.shared::cta.b64 [m], {};", program_.arrivals));
      Line("\tfence.mbarrier_init.release.cluster;");
      Line("READY:");
      Line(which == 2 ? "\tbarrier.cluster.arrive;" : "\tbar.sync 0;");
      Line(which == 2 ? "\tbarrier.cluster.wait;" : "");
    }
    std::vector<unsigned> warps(2, 0);
    std::vector<std::pair<unsigned, std::string>> own;
    for (unsigned list = 0; list < program_.lists.size(); ++list) {
      const unsigned cta = program_.lists[list].cta;
      if (launches && cta != which) {
        continue;
      }
      const unsigned id = (launches ? 0 : 1024 * cta) + kThreadsOfWarp * warps[cta]++;
      Line("\tmad.lo.u32 %value, %rank, 1024, %tid;");
      Line(fmt::format("\tsetp.eq.u32 %p, %value, {};", id));
      Line(fmt::format("\t@%p bra W{};", list));
    }
    Line("\tret;");
    for (unsigned list = 0; list < program_.lists.size(); ++list) {
      if (launches && program_.lists[list].cta != which) {
        continue;
      }
      Line(fmt::format("W{}:", list));
      for (unsigned i = 0; i < program_.lists[list].operations.size(); ++i) {
        One({list, i});
      }
      Line("\tret;");
    }
    Line("}");
  }

  std::string Variable(unsigned object) const {
    return program_.shared[object] ? fmt::format("v{}", object)
                                   : fmt::format("words+{}", 4 * object);
  }

  std::size_t SourceOf(const Site& site) const {
    std::size_t count = 0;
    for (unsigned list = 0; list <= site.first; ++list) {
      const auto& operations = program_.lists[list].operations;
      const std::size_t end = list == site.first ? site.second : operations.size();
      count += static_cast<std::size_t>(std::count_if(
          operations.begin(), operations.begin() + static_cast<std::ptrdiff_t>(end), Copies));
    }
    return kAsyncBytes * count;
  }

  void Mark(const Site& site) { ptx_.sites[lines_] = site; }

  void One(const Site& site) {
    const AsyncOperation& operation = program_.lists[site.first].operations[site.second];
    const char* const space =
        operation.object < program_.shared.size() && program_.shared[operation.object] ? "shared"
                                                                                       : "global";
    switch (operation.kind) {
      case Kind::kLoad:
        Line(fmt::format("\tld.{}.u32 %value, [{}];", space, Variable(operation.object)));
        Mark(site);
        Line(fmt::format("\tst.global.u32 [words+{}], %value;", 4 * WordOf(program_, site)));
        return;
      case Kind::kStore:
        Line(fmt::format("\tmov.u32 %value, {};", operation.value));
        Line(fmt::format("\tst.{}.u32 [{}], %value;", space, Variable(operation.object)));
        break;
      case Kind::kCopy:
        Line(fmt::format("\tcp.async.ca.shared.global [{}], [sources+{}], 4;",
                         Variable(operation.object), SourceOf(site)));
        break;
      case Kind::kCommit:
        Line("\tcp.async.commit_group;");
        break;
      case Kind::kWaitGroup:
        Line(fmt::format("\tcp.async.wait_group {};", operation.value));
        break;
      case Kind::kMulticast:
        Line(fmt::format("\tmov.b16 %mask, {};", operation.mask));
        Line(
            fmt::format("\tcp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"
                        ".multicast::cluster [{}], [sources+{}], {}, [m], %mask;",
                        Variable(operation.object), SourceOf(site), kAsyncBytes));
        break;
      case Kind::kArrive:
        Line(operation.value == 0
                 ? "\tmbarrier.arrive.shared::cta.b64 _, [m];"
                 : fmt::format("\tmbarrier.arrive.expect_tx.shared::cta.b64 _, [m], {};",
                               operation.value));
        break;
      case Kind::kArriveAtAll:
        Line(fmt::format("\tmov.u32 %value, {};", operation.mask));
        Line("\tmov.u32 %lane, m;");
        Line(
            "\tmbarrier.arrive.release.cluster.shared::cluster.multicast::cluster::32b.b64 _, "
            "[%lane], %value;");
        break;
      case Kind::kWait:
        Line(fmt::format("T{}_{}:", site.first, site.second));
        Line(fmt::format("\tmbarrier.try_wait.parity{}.shared::cta.b64 %complete, [m], {};",
                         program_.form == Form::kArrivals ? ".acquire.cluster" : "",
                         operation.value));
        Mark(site);
        Line(fmt::format("\t@!%complete bra T{}_{};", site.first, site.second));
        return;
      case Kind::kClusterSync:
        Line("\tbarrier.cluster.arrive;");
        Mark(site);
        Line("\tbarrier.cluster.wait;");
        return;
      case Kind::kLaunchDependents:
        Line("\tgriddepcontrol.launch_dependents;");
        break;
      case Kind::kGridWait:
        Line("\tgriddepcontrol.wait;");
        break;
    }
    Mark(site);
  }

  const AsyncProgram& program_;
  AsyncPtx ptx_;
  std::uint32_t lines_ = 0;
};

}  // namespace

AsyncProgram RandomAsync(Form form, std::uint64_t seed) { return Draw(form, seed).Program(); }

std::size_t WordOf(const AsyncProgram& program, const Site& site) {
  std::size_t word = program.shared.size() + site.second;
  for (unsigned list = 0; list < site.first; ++list) {
    word += program.lists[list].operations.size();
  }
  return word;
}

std::size_t WordsOf(const AsyncProgram& program) {
  return WordOf(program, {static_cast<unsigned>(program.lists.size()), 0});
}

AsyncPtx PtxOf(const AsyncProgram& program) { return Writer(program).Write(); }

}  // namespace muster::explore
