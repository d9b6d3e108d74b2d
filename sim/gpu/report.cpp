// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/gpu/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "sim/ptx/launch/compare.h"
#include "sim/ptx/launch/element.h"
#include "sim/ptx/program/demangle.h"
#include "sim/ptx/program/types.h"

namespace muster::gpu {
namespace {

using OrderedJson = nlohmann::ordered_json;

constexpr std::uint64_t kMostElements = 4096;  // of a buffer in a report

std::string OnWhat(const Gpu& gpu) {
  return fmt::format("{} (sm_{}, CUDA {})", gpu.name, gpu.architecture, gpu.driver);
}

ptx::ExitCode CodeOf(const Ending& ending) {
  switch (ending.kind) {
    case EndKind::kHangs:
      return ptx::ExitCode::kDeadlock;
    case EndKind::kTrap:
      return ptx::ExitCode::kFault;
    default:
      return ptx::ExitCode::kBadInput;
  }
}

// Returns the elements as numbers, or as text if JSON has no such number.
OrderedJson Elements(const ptx::Buffer& buffer, const std::vector<std::uint8_t>& bytes) {
  OrderedJson elements = OrderedJson::array();
  for (std::uint64_t i = 0; i < buffer.count; ++i) {
    const std::string text = ptx::FormatElement(buffer.type, &bytes[i * Bytes(buffer.type)]);
    OrderedJson element = OrderedJson::parse(text, nullptr, false);
    elements.push_back(element.is_discarded() ? OrderedJson(text) : std::move(element));
  }
  return elements;
}

OrderedJson Buffers(const Task& task, const Result& result) {
  OrderedJson buffers = OrderedJson::object();
  for (std::size_t i = 0; i < result.contents.size(); ++i) {
    const ptx::Buffer& buffer = task.manifest().buffers[i];
    if (result.ending.HasRun() && result.contents[i] && buffer.count <= kMostElements) {
      buffers[buffer.name] = Elements(buffer, *result.contents[i]);
    }
  }
  return buffers;
}

// Returns text of the driver or the kernel, which may hold any bytes, as valid text.
OrderedJson Text(const std::string& text) {
  return OrderedJson::parse(
      OrderedJson(text).dump(-1, ' ', false, OrderedJson::error_handler_t::replace));
}

// Returns the launch that an ending is about and, if they have run, those that overlap with it.
std::vector<std::size_t> LaunchesOf(const Task& task, const Ending& ending) {
  const std::size_t count = ending.HasRun() ? task.manifest().OverlapFrom(ending.launch) : 1;
  std::vector<std::size_t> launches(count);
  std::iota(launches.begin(), launches.end(), ending.launch);
  return launches;
}

std::string LineEnded(std::string text) {
  if (!text.empty() && text.back() != '\n') {
    text.push_back('\n');
  }
  return text;
}

}  // namespace

ptx::Verdict Judge(const Task& task, const Result& result) {
  const ptx::Manifest& manifest = task.manifest();
  const Ending& ending = result.ending;
  ptx::Verdict verdict;
  verdict.outcome = ending.Outcome();
  if (!ending.Is(manifest.outcome)) {
    std::string which = task.Which(ending.launch);
    if (LaunchesOf(task, ending).size() > 1) {
      which += ", or one that overlaps with it";
    }
    verdict.differences.push_back(fmt::format("{}{}the outcome is {}, where {} was expected", which,
                                              which.empty() ? "" : ": ", verdict.outcome,
                                              manifest.outcome));
    verdict.code = ending.HasRun() && manifest.outcome != "completes" ? ptx::ExitCode::kDiffers
                                                                      : CodeOf(ending);
    return verdict;
  }
  for (std::size_t i = 0; i < manifest.buffers.size() && ending.kind == EndKind::kCompletes; ++i) {
    std::string difference = ptx::Difference(manifest.buffers[i], *result.contents[i]);
    if (!difference.empty()) {
      verdict.differences.push_back(std::move(difference));
      verdict.code = ptx::ExitCode::kDiffers;
    }
  }
  return verdict;
}

std::vector<std::string> Differences(const Task& task, const Result& result,
                                     const std::string& outcome, const Contents& contents) {
  if (!result.ending.Is(outcome)) {
    const std::string& text = result.ending.text;
    return {fmt::format("the outcome is {}{}{}", result.ending.Outcome(), text.empty() ? "" : ": ",
                        text)};
  }
  std::vector<std::string> differences;
  const std::vector<ptx::Buffer>& buffers = task.manifest().buffers;
  const bool expects = std::any_of(buffers.begin(), buffers.end(), [](const ptx::Buffer& buffer) {
    return buffer.expected.has_value();
  });
  for (std::size_t i = 0; i < buffers.size() && outcome == "completes"; ++i) {
    // Each driver has a form of its own for tensor maps.
    if ((expects && !buffers[i].expected) || !buffers[i].maps.empty()) {
      continue;
    }
    ptx::Buffer buffer = buffers[i];
    if (contents[i].empty()) {
      differences.push_back(
          fmt::format("the unit does not know all of {} {}", buffer.Word(), buffer.name));
      continue;
    }
    buffer.expected = contents[i];
    std::string difference = ptx::Difference(buffer, *result.contents[i]);
    if (!difference.empty()) {
      differences.push_back(std::move(difference));
    }
  }
  return differences;
}

std::string TextReport(const Task& task, const Result& result, const ptx::Verdict& verdict) {
  const Ending& ending = result.ending;
  std::string text = DifferencesText(verdict) + LineEnded(ending.printed);
  for (const std::size_t index : LaunchesOf(task, ending)) {
    const Task::Launch& launch = task.launches()[index];
    const std::string which = task.Which(index);
    const std::string cluster =
        launch.cluster ? fmt::format(", cluster {}", fmt::join(*launch.cluster, "x")) : "";
    text += fmt::format("{}: grid {}{}, block {}, on {}\n",
                        which.empty() ? ptx::Demangled(launch.kernel.name) : which,
                        fmt::join(launch.grid, "x"), cluster, fmt::join(launch.block, "x"),
                        OnWhat(result.gpu));
  }
  text += ending.kind == EndKind::kHangs
              ? fmt::format("hangs: ended after {:.3g} s\n", ending.seconds)
          : ending.HasRun() ? fmt::format("{} after {:.3g} s\n", verdict.outcome, ending.seconds)
                            : verdict.outcome + "\n";
  text += LineEnded(ending.text);
  if (verdict.differences.empty()) {
    return text + "as expected\n";
  }
  return ending.HasRun() && ending.kind != EndKind::kCompletes
             ? text +
                   fmt::format("Next: muster run {} names the threads, if the unit says the same\n",
                               task.manifest().command)
             : text;
}

OrderedJson JsonReport(const Task& task, const Result& result, const ptx::Verdict& verdict) {
  const Ending& ending = result.ending;
  OrderedJson report = {{"target", "cuda"},
                        {"outcome", verdict.outcome},
                        {"gpu",
                         {{"name", Text(result.gpu.name)},
                          {"architecture", fmt::format("sm_{}", result.gpu.architecture)},
                          {"driver", result.gpu.driver}}},
                        {"kernel", task.launches()[ending.launch].kernel.name},
                        {"launch", ending.launch + 1},
                        {"launches_in_manifest", task.launches().size()},
                        {"seconds", ending.seconds},
                        {"buffers", Buffers(task, result)},
                        {"differences", verdict.differences}};
  const std::vector<std::size_t> launches = LaunchesOf(task, ending);
  for (std::size_t i = 1; i < launches.size(); ++i) {
    report["programmatic"].push_back(task.launches()[launches[i]].kernel.name);
  }
  if (!ending.text.empty()) {
    report["message"] = Text(ending.text);
  }
  if (!ending.printed.empty()) {
    report["printed"] = Text(ending.printed);
  }
  return report;
}

}  // namespace muster::gpu
