// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/program/directives.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string>

namespace muster::ptx {

unsigned NumberIn(std::string_view text) {
  unsigned number = 0;
  for (const char c : text) {
    if (c >= '0' && c <= '9') {
      number = number * 10 + static_cast<unsigned>(c - '0');
    }
  }
  return number;
}

std::uint32_t RegistersAtLaunch(const syntax::Function& function) {
  constexpr std::uint64_t kRegisters = 65536;  // of an SM
  constexpr std::uint64_t kMost = 256;         // of a thread
  constexpr std::uint64_t kUnit = 8;           // they are given out in
  if (!function.max_registers.empty()) {
    const std::uint64_t most = std::min(function.max_registers.front(), kMost);
    return static_cast<std::uint32_t>((most + kUnit - 1) / kUnit * kUnit);
  }
  const auto& extents =
      function.required_threads.empty() ? function.max_threads : function.required_threads;
  std::uint64_t threads = extents.empty() ? 0 : 1;
  for (const std::uint64_t extent : extents) {
    threads *= extent;
  }
  const std::uint64_t blocks = function.min_ctas.empty() ? 1 : function.min_ctas.front();
  if (threads == 0 || blocks == 0) {
    return 0;
  }
  return static_cast<std::uint32_t>(
      std::min(kMost, kRegisters / (threads * blocks) / kUnit * kUnit));
}

void CheckVersion(const syntax::Module& module, std::vector<Diagnostic>* diagnostics) {
  constexpr unsigned kNewest = 95;
  constexpr unsigned kArchitectures[] = {10, 11, 12, 13,  20,  21,  30,  32,  35,  37, 50,
                                         52, 53, 60, 61,  62,  70,  72,  75,  80,  86, 87,
                                         88, 89, 90, 100, 101, 103, 107, 110, 120, 121};
  const auto say = [&](std::string text) {
    diagnostics->push_back(
        {module.functions.front().at, std::move(text), Diagnostic::Kind::kMisuse});
  };
  if (module.functions.empty()) {
    return;
  }
  if (NumberIn(module.version) > kNewest) {
    say(fmt::format("there is no .version {}: the newest is {}.{}", module.version, kNewest / 10,
                    kNewest % 10));
  }
  const unsigned architecture = NumberIn(module.target);
  if (std::count(std::begin(kArchitectures), std::end(kArchitectures), architecture) == 0) {
    say(fmt::format("there is no .target {}", module.target));
  }
}

void CheckDirectives(const syntax::Module& module, const syntax::Function& function,
                     std::vector<Diagnostic>* diagnostics) {
  struct Directive {
    const char* name;
    bool given;
    std::vector<std::uint64_t> extents;
    std::size_t most;     // extents
    unsigned version;     // that it needs: 78 is 7.8
    unsigned target = 0;  // 90 is sm_90
  };
  const Directive directives[] = {
      {".maxntid", !function.max_threads.empty(), function.max_threads, 3, 0},
      {".reqntid", !function.required_threads.empty(), function.required_threads, 3, 0},
      {".reqnctapercluster", !function.required_cluster.empty(), function.required_cluster, 3, 78,
       90},
      {".maxclusterrank", !function.max_cluster.empty(), function.max_cluster, 1, 78, 90},
      {".explicitcluster", function.explicit_cluster, {}, 0, 78, 90},
      {".blocksareclusters", function.blocks_are_clusters, {}, 0, 90, 90},
  };
  const auto say = [&](Diagnostic::Kind kind, std::string text) {
    diagnostics->push_back({function.at, std::move(text), kind});
  };
  constexpr auto kError = Diagnostic::Kind::kError;
  constexpr auto kMisuse = Diagnostic::Kind::kMisuse;
  const unsigned version = NumberIn(module.version);
  const unsigned target = NumberIn(module.target);
  for (const Directive& directive : directives) {
    if (!directive.given) {
      continue;
    }
    const char* const name = directive.name;
    if (!function.is_entry) {
      say(kError, fmt::format("{} is for an .entry only", name));
    } else if (directive.extents.size() > directive.most) {
      say(kError, fmt::format("{} takes at most {} number{}, not {}", name, directive.most,
                              directive.most == 1 ? "" : "s", directive.extents.size()));
    } else if (name == std::string_view(".reqntid") &&
               std::count(directive.extents.begin(), directive.extents.end(), 0) != 0) {
      say(kError, fmt::format("{} has a zero", name));
    } else if (version < directive.version) {
      say(kMisuse, fmt::format("{} needs .version {}.{}", name, directive.version / 10,
                               directive.version % 10));
    } else if (target < directive.target) {
      say(kMisuse, fmt::format("{} needs .target sm_{}", name, directive.target));
    }
  }
  const auto exclude = [&](bool both, const char* names) {
    if (both) {
      say(kMisuse, fmt::format("{} cannot stand together", names));
    }
  };
  exclude(!function.max_threads.empty() && !function.required_threads.empty(),
          ".maxntid and .reqntid");
  exclude(!function.required_cluster.empty() && !function.max_cluster.empty(),
          ".reqnctapercluster and .maxclusterrank");
  if (function.blocks_are_clusters &&
      (function.required_threads.empty() || function.required_cluster.empty())) {
    say(kError, ".blocksareclusters needs .reqntid and .reqnctapercluster");
  }
}

}  // namespace muster::ptx
