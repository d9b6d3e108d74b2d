// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// muster._native: what the program does, for Python. The Python files beside it make it
// comfortable.
#include <fmt/format.h>
#include <nanobind/nanobind.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "sim/app/cuda.h"
#include "sim/app/explore.h"
#include "sim/app/files.h"
#include "sim/app/run.h"
#include "sim/ptx/launch/direct.h"
#include "sim/ptx/launch/manifest.h"
#include "sim/ptx/program/program.h"
#include "sim/ptx/syntax/error.h"
#include "sim/ptx/syntax/parser.h"

namespace nb = nanobind;
using nb::literals::operator""_a;

namespace muster {
namespace {

// Of SystemC there is one context in a process, so one run at a time.
std::mutex& Running() {
  static std::mutex running;
  return running;
}

// A launch whose buffers begin with these bytes.
using Bytes = std::map<std::string, std::string>;
app::Job JobOf(const ptx::DirectLaunch& launch, const Bytes& contents,
               const std::vector<std::uint32_t>& without, const std::string& label) {
  ptx::DirectManifest made = ptx::ManifestOf(launch);
  for (ptx::Buffer& buffer : made.manifest.buffers) {
    if (const auto found = contents.find(buffer.name); found != contents.end()) {
      const std::string& bytes = found->second;
      if (bytes.size() != buffer.initial.size()) {
        throw ptx::InputError(fmt::format("the buffer {} has {} bytes, and {} were given",
                                          buffer.name, buffer.initial.size(), bytes.size()));
      }
      buffer.initial.assign(bytes.begin(), bytes.end());
    }
  }
  made.manifest.path = label;
  made.manifest.command.clear();  // no command line has the arrays
  made.manifest.without = without;
  return {std::move(made.manifest), std::move(made.inputs)};
}

// Buffers as Python's bytes. An empty one is not known.
std::map<std::string, nb::bytes> ContentsOf(
    const std::vector<std::string>& names, const std::vector<std::vector<std::uint8_t>>& contents) {
  std::map<std::string, nb::bytes> bytes;
  for (std::size_t i = 0; i < contents.size(); ++i) {
    bytes.emplace(names[i], nb::bytes(contents[i].data(), contents[i].size()));
  }
  return bytes;
}

std::vector<std::string> NamesOf(const ptx::Manifest& manifest) {
  std::vector<std::string> names;
  for (const ptx::Buffer& buffer : manifest.buffers) {
    names.push_back(buffer.name);
  }
  return names;
}

// The exit code of `muster run`, the text, the JSON report, and what the buffers hold.
using Ran = std::tuple<int, std::string, std::string, std::map<std::string, nb::bytes>>;
Ran Run(const ptx::DirectLaunch& launch, const std::map<std::string, nb::bytes>& contents,
        app::RunOptions options, const std::vector<std::uint32_t>& without,
        const std::string& label) {
  Bytes bytes;
  for (const auto& [name, value] : contents) {
    bytes.emplace(name, std::string(value.c_str(), value.size()));
  }
  options.keeps_contents = true;
  std::vector<std::string> names;
  app::RunResult result;
  {
    const nb::gil_scoped_release released;
    const std::lock_guard<std::mutex> alone(Running());
    app::Job job = JobOf(launch, bytes, without, label);
    names = NamesOf(job.manifest);
    result = app::Run(std::move(job), options);
  }
  return {static_cast<int>(result.code), result.text, app::JsonText(result.report),
          ContentsOf(names, result.contents)};
}

// The exit code of `muster explore`, the text, and the JSON report.
std::tuple<int, std::string, std::string> Explore(const ptx::DirectLaunch& launch,
                                                  const std::map<std::string, nb::bytes>& contents,
                                                  const app::ExploreOptions& options,
                                                  const std::vector<std::uint32_t>& without,
                                                  const std::string& label) {
  Bytes bytes;
  for (const auto& [name, value] : contents) {
    bytes.emplace(name, std::string(value.c_str(), value.size()));
  }
  const nb::gil_scoped_release released;
  const std::lock_guard<std::mutex> alone(Running());
  const app::Exploration explored = app::Explore(JobOf(launch, bytes, without, label), options);
  return {static_cast<int>(explored.code), explored.text, app::JsonText(explored.json)};
}

// What a compiler would refuse of a file: each with whether it runs all the same.
std::vector<std::pair<bool, std::string>> Check(const std::string& path) {
  std::vector<std::pair<bool, std::string>> found;
  for (const ptx::Finding& finding :
       ptx::Check(*ptx::Parse(path, ptx::ReadFile(path, "PTX file")))) {
    found.emplace_back(finding.runs, finding.text);
  }
  return found;
}

NB_MODULE(_native, module) {
  module.attr("version") = MUSTER_VERSION;
  module.attr("configs") = MUSTER_BUILT_CONFIGS;
  nb::exception<ptx::InputError>(module, "InputError", PyExc_ValueError);

  nb::class_<ptx::DirectLaunch>(module, "Launch")
      .def(nb::init<>())
      .def_rw("ptx", &ptx::DirectLaunch::ptx)
      .def_rw("kernel", &ptx::DirectLaunch::kernel)
      .def_rw("grid", &ptx::DirectLaunch::grid)
      .def_rw("block", &ptx::DirectLaunch::block)
      .def_rw("cluster", &ptx::DirectLaunch::cluster)
      .def_rw("smem", &ptx::DirectLaunch::smem)
      .def_rw("cooperative", &ptx::DirectLaunch::cooperative)
      .def_rw("args", &ptx::DirectLaunch::args)
      .def_rw("buffers", &ptx::DirectLaunch::buffers)
      .def_rw("tensor_maps", &ptx::DirectLaunch::tensor_maps);
  nb::class_<app::RunOptions>(module, "RunOptions")
      .def(nb::init<>())
      .def_rw("config", &app::RunOptions::config)
      .def_rw("seed", &app::RunOptions::seed)
      .def_rw("max_cycles", &app::RunOptions::max_cycles)
      .def_rw("wave", &app::RunOptions::wave)
      .def_rw("wave_from", &app::RunOptions::wave_from)
      .def_rw("wave_to", &app::RunOptions::wave_to)
      .def_rw("late", &app::RunOptions::late)
      .def_rw("schedule", &app::RunOptions::schedule)
      .def_rw("log", &app::RunOptions::log)
      .def_rw("timeline", &app::RunOptions::timeline)
      .def_rw("trace", &app::RunOptions::trace);
  nb::class_<app::ExploreOptions>(module, "ExploreOptions")
      .def(nb::init<>())
      .def_rw("config", &app::ExploreOptions::config)
      .def_rw("seed", &app::ExploreOptions::seed)
      .def_rw("bound", &app::ExploreOptions::bound)
      .def_rw("seconds", &app::ExploreOptions::seconds)
      .def_rw("jobs", &app::ExploreOptions::jobs)
      .def_rw("witness", &app::ExploreOptions::witness);

  module.def("run", &Run, "launch"_a, "contents"_a, "options"_a, "without"_a, "label"_a);
  module.def("explore", &Explore, "launch"_a, "contents"_a, "options"_a, "without"_a, "label"_a);
  module.def("check", &Check, "path"_a);
  module.def(
      "compile_cuda",
      [](const std::string& path, const std::string& architecture,
         const std::vector<std::string>& flags) {
        return app::CompileCuda(path, {architecture, flags});
      },
      "path"_a, "architecture"_a, "flags"_a);
}

}  // namespace
}  // namespace muster
