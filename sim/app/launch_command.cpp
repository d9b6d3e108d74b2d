// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/app/launch_command.h"

#include <fmt/format.h>

#include <filesystem>
#include <limits>
#include <system_error>
#include <utility>

#include "sim/app/files.h"
#include "sim/app/inputs.h"
#include "sim/app/number_option.h"
#include "sim/ptx/launch/manifest.h"
#include "sim/ptx/launch/manifest_text.h"
#include "sim/ptx/syntax/error.h"

namespace muster::app {

bool EndsWith(const std::string& text, const std::string& end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

namespace {

// A file that is not there is told before what its launch lacks.
void CheckIsThere(const std::string& file, const char* what) {
  std::error_code error;
  if (!std::filesystem::exists(file, error)) {
    throw ptx::InputError(fmt::format("{}: the {} cannot be read", ptx::Printable(file), what));
  }
}

Job LaunchOf(LaunchCommand* command) {
  const bool cuda = EndsWith(command->file, ".cu");
  const bool ptx = EndsWith(command->file, ".ptx");
  CheckIsThere(command->file, cuda ? "CUDA file" : ptx ? "PTX file" : "manifest");
  if (!cuda && (!command->cuda.architecture.empty() || !command->cuda.flags.empty())) {
    throw ptx::InputError(
        fmt::format("{}: --arch, and what follows --, go to the compiler of a CUDA file (.cu), "
                    "which this is not",
                    ptx::Printable(command->file)));
  }
  if (!cuda && !ptx) {
    for (const CLI::Option* option : command->of_launch) {
      if (option->count() != 0) {
        throw ptx::InputError(
            fmt::format("{} goes with a PTX or CUDA file: the manifest {} says it by itself",
                        option->get_name(), ptx::Printable(command->file)));
      }
    }
    if (!command->write_manifest.empty()) {
      throw ptx::InputError("--write-manifest goes with a PTX or CUDA file");
    }
    return {ptx::ReadManifest(command->file), ptx::InputsOf(command->file)};
  }
  command->launch.ptx = cuda ? CompileCuda(command->file, command->cuda) : command->file;
  ptx::DirectManifest made = ptx::ManifestOf(command->launch);
  Job job{std::move(made.manifest), std::move(made.inputs)};
  if (!command->write_manifest.empty()) {
    CheckOutputs(job.inputs, {command->write_manifest});
    WriteFile(command->write_manifest,
              ptx::ManifestText(std::move(made.members), command->write_manifest));
    job.inputs.push_back(command->write_manifest);
  }
  return job;
}

}  // namespace

CLI::Option* AddFile(CLI::App* command, const std::string& name, std::string* file,
                     const std::string& what) {
  const auto check = [](const std::string& text) {
    return std::string(text.empty() ? "the name of the file is empty" : "");
  };
  return command->add_option(name, *file, what)
      ->check(CLI::Validator(check, ""))
      ->type_name("FILE");
}

void AddLaunchOptions(CLI::App* app, LaunchCommand* command) {
  app->add_option("file", command->file,
                  "A launch manifest (JSON); or a PTX file, or a CUDA file, and its launch")
      ->required();
  ptx::DirectLaunch& launch = command->launch;
  const auto add = [&](const std::string& name, auto* value, const std::string& what,
                       const std::string& type) {
    CLI::Option* const option =
        app->add_option(name, *value, what)->type_name(type)->group("Without a manifest");
    command->of_launch.push_back(option);
    return option;
  };
  const auto add_each = [&](const std::string& name, std::vector<std::string>* values,
                            const std::string& what, const std::string& type) {
    add(name, values, what, type)
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
        ->allow_extra_args(false);
  };
  add("kernel", &launch.kernel, "A kernel of the file, if it has several; plain or mangled",
      "KERNEL");
  add("--grid", &launch.grid, "CTAs (default: 1)", "X,Y,Z");
  add("--block", &launch.block, "Threads of a CTA", "X,Y,Z");
  add("--cluster", &launch.cluster, "CTAs of a cluster (default: what the kernel says)", "X,Y,Z");
  add("--smem", &launch.smem, "Bytes of dynamic shared memory", "BYTES");
  command->of_launch.push_back(
      app->add_flag("--cooperative", launch.cooperative, "All CTAs are there at once")
          ->group("Without a manifest"));
  add_each(
      "--arg", &launch.args,
      "The next argument: NAME=TYPE[COUNT] (a buffer), NAME=TYPE[COUNT]:INIT (INIT: zero, iota, "
      "V, V,V,... or @FILE), NAME (a buffer again), V or TYPE:V (a number), {...} (JSON)",
      "ARGUMENT");
  add_each("--buffer", &launch.buffers,
           "A buffer that is no argument: NAME=TYPE[COUNT], or with :INIT as of --arg", "BUFFER");
  add_each("--tensor-map", &launch.tensor_maps,
           "A tensor map, as a manifest has it; --arg NAME passes it", "NAME={...}");
  add_each("--symbol", &launch.symbols,
           "What a variable of the file begins with: NAME=TYPE:INIT (INIT as of --arg); NAME=TYPE "
           "to expect or show it",
           "NAME=TYPE:INIT");
  add_each("--expect", &launch.expects,
           "What a buffer or symbol must hold in the end: NAME=V, V,V,... or @FILE", "NAME=VALUES");
  add_each("--tolerance", &launch.tolerances,
           "How far floating-point elements may be off: absolute:V, relative:V, ulps:N, or several "
           "of these with commas, of which one must hold",
           "NAME=LIMITS");
  add_each("--hazard", &launch.hazards, "How often a hazard must be met", "NAME=COUNT");
  add("--outcome", &launch.outcome, "How the run must end (default: completes)", "OUTCOME");
  add("--after-inval", &launch.after_inval,
      "What an operation on an invalidated mbarrier is: fault or hazard", "WHAT");
  add("--hint", &launch.hint, "What becomes of a try_wait's time hint: used or ignored", "WHAT");
  app->add_option("--arch", command->cuda.architecture,
                  "Of a CUDA file: what to compile it for (default: sm_90a with nvcc, sm_80 with "
                  "clang); options of the compiler itself follow --")
      ->type_name("SM")
      ->group("Without a manifest");
  AddNumber(app, "--input", &command->input,
            "Of what the manifest leaves open: draw that of this number (default: 1)", 1);
  AddNumber(app, "--without", &command->without,
            "Leave out these barriers, fences and waits, by the numbers that muster explore "
            "--needless gives them",
            0, std::numeric_limits<std::uint32_t>::max())
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("N,N,...");
  AddFile(app, "--write-manifest", &command->write_manifest,
          "Write a manifest that says the same, and run")
      ->group("Without a manifest");
}

Job JobOf(LaunchCommand* command) {
  Job job = LaunchOf(command);
  if (command->input != 0) {
    job = WithInput(std::move(job), command->input);
  }
  if (!command->without.empty()) {
    if (job.manifest.LaunchCount() != 1) {
      throw ptx::InputError(
          fmt::format("{}: --without goes with one launch, and the manifest has {}",
                      job.manifest.path, job.manifest.LaunchCount()));
    }
    job.manifest.without = command->without;
    job.manifest.command += fmt::format(" --without {}", fmt::join(command->without, ","));
  }
  return job;
}

}  // namespace muster::app
