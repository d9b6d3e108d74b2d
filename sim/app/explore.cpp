// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/app/explore.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <exception>
#include <memory>
#include <optional>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include "sim/app/explore_page.h"
#include "sim/app/files.h"
#include "sim/app/judge.h"
#include "sim/app/witnesses.h"
#include "sim/explore/causes.h"
#include "sim/explore/explorer.h"
#include "sim/explore/report.h"
#include "sim/explore/story.h"
#include "sim/explore/world.h"
#include "sim/gpu/driver.h"
#include "sim/ptx/launch/choice.h"
#include "sim/ptx/launch/schedule_file.h"
#include "sim/ptx/launch/session.h"
#include "sim/ptx/syntax/error.h"

namespace muster::app {
namespace {

using Clock = std::chrono::steady_clock;
using explore::Kind;
using explore::World;

class Explorer {
 public:
  Explorer(Job job, const ExploreOptions& options)
      : job_(std::move(job)), options_(options), begun_(Clock::now()) {
    ptx::Manifest& manifest = job_.manifest;
    if (manifest.OverlapFrom(0) != manifest.LaunchCount()) {
      throw ptx::InputError(fmt::format(
          "{}: explore looks at one launch, or at launches that overlap, and the manifest has {}: "
          "make a manifest of the one in question",
          manifest.path, manifest.LaunchCount()));
    }
    config_ = ConfigOf(manifest, options);
    manifest.config = config_.name;
    manifest.seed = options.seed.value_or(manifest.seed);
    CheckFiles();
    writer_.emplace(job_, config_, options.emit);
  }

  Exploration Run() {
    if (!options_.schedule.empty()) {
      return WriteGiven();
    }
    const std::unique_ptr<World> world = Search(false);
    witnesses_->Shrink(&causes_, world.get(), judge_);
    WriteWitnesses(world->program());
    WriteKernels(world.get());
    const explore::Reporter reporter(*world);
    Exploration result = Result();
    result.text = Text(reporter, world->program());
    result.json = Json(reporter);
    if (!options_.page.empty()) {
      const auto schedule_of = [this](const auto& finding) {
        return ScheduleOf(job_.manifest, finding);
      };
      WriteFile(options_.page, ExplorePage(job_, config_, world->program(), reporter, causes_,
                                           schedule_of, Summary()));
    }
    return result;
  }

  Exploration UntilFinding(const Contents& reference) {
    contents_ = reference;
    std::unique_ptr<World> world = Search(true);
    if (causes_.findings.empty() && witnesses_->refused()) {
      world = Search(false);  // another witness may do
    }
    Exploration result = Result();
    if (!causes_.findings.empty()) {
      // Two events tell more than a bad end does.
      const auto pair = std::find_if(causes_.findings.begin(), causes_.findings.end(),
                                     [](const auto& cause) { return IsPair(cause.told.what); });
      const auto& told = pair == causes_.findings.end() ? causes_.findings.front() : *pair;
      const explore::Reporter reporter(*world);
      result.text = reporter.Text(1, told, "");
      result.json = reporter.Json(told);
    }
    return result;
  }

 private:
  Exploration Result() const {
    return {Code(),
            explored_.complete,
            explored_.classes,
            LeftOut(),
            causes_.findings.size(),
            causes_.suspicions.size(),
            "",
            {},
            contents_};
  }

  // Finds what there is to find. Returns a world of the kernel.
  std::unique_ptr<World> Search(bool until_finding) {
    session_ = std::make_unique<ptx::Session>(job_.manifest, config_, job_.manifest.seed);
    judge_ = Judge(*session_, &contents_);
    const auto make_world = [this] {
      return std::make_unique<World>(config_, session_->program(), session_->launch(),
                                     session_->memory());
    };
    std::unique_ptr<World> world = make_world();
    explore::ExplorerOptions how;
    how.seed = job_.manifest.seed;
    how.bound = options_.bound.value_or(how.bound);
    how.until_finding = until_finding;
    how.jobs = options_.jobs != 0 ? static_cast<unsigned>(options_.jobs)
                                  : std::max(1U, std::thread::hardware_concurrency());
    how.is_over = [this](double share) { return Seconds() > share * options_.seconds; };
    how.progress = [this](const std::string& doing, std::uint64_t count) { Say(doing, count); };
    if (!until_finding) {
      how.found = [this, &world](const explore::Suspicion& what) {
        SayFound(explore::Reporter(*world).Brief(what));
      };
    }
    explored_ = explore::Explorer(make_world, how, judge_).Run();
    witnesses_.emplace(
        job_.manifest, config_,
        Witnesses::Time{[this] { return Seconds(); }, options_.seconds, how.progress});
    witnesses_->Verify(&explored_, *world);
    Say("", 0);
    causes_ = explore::ByCause(explored_, *world);
    return world;
  }

  // Checks the output files: for the first witness before the search, and then for each witness.
  void CheckFiles(std::size_t witness = 1) const {
    std::vector<std::string> outputs;
    if (!options_.report.empty() && !IsStandardOutput(options_.report)) {
      outputs.push_back(options_.report);
    }
    if (!options_.page.empty()) {
      outputs.push_back(options_.page);
    }
    if (!options_.witness.empty()) {
      outputs.push_back(WitnessFile(witness));
    }
    if (!options_.emit.file.empty()) {
      for (const std::string& file : KernelWriter(job_, config_, options_.emit).FilesOf(witness)) {
        outputs.push_back(file);
      }
    }
    CheckOutputs(job_.inputs, outputs);
  }

  double Seconds() const { return std::chrono::duration<double>(Clock::now() - begun_).count(); }

  // On a terminal, overwrites one line; otherwise prints a line every ten seconds.
  void Say(const std::string& doing, std::uint64_t count) {
    constexpr double kOften = 0.2;
    constexpr double kSeldom = 10;
    const bool terminal = isatty(STDERR_FILENO) != 0;
    if (doing.empty()) {
      fmt::print(stderr, "{}", terminal && said_ > 0 ? "\r\x1b[K" : "");
      return;
    }
    if (Seconds() - said_ < (terminal ? kOften : kSeldom)) {
      return;
    }
    said_ = Seconds();
    fmt::print(stderr, "{}{}: {}, {:.0f} of at most {:.0f} s{}", terminal ? "\r\x1b[K" : "", doing,
               count, said_, options_.seconds, terminal ? "" : "\n");
    std::fflush(stderr);
  }

  // Says at once what is found; the report follows when its witness has run on the unit.
  void SayFound(const std::string& what) {
    constexpr std::size_t kMost = 20;
    if (told_.size() < kMost && told_.insert(what).second) {
      Say("", 0);
      fmt::print(stderr, "found after {:.1f} s: {}\n", Seconds(), what);
    }
  }

  // If a file cannot be written, the finding is still reported, and says so.
  void WriteWitnesses(const ptx::Program& program) {
    const auto write = [&](const ptx::Schedule& schedule) {
      const std::size_t number = unwritten_.size() + 1;
      std::string& problem = unwritten_.emplace_back();
      try {
        CheckFiles(number);
        WriteFile(WitnessFile(number), ptx::ScheduleText(schedule, program));
      } catch (const std::exception& error) {
        problem = error.what();
      }
    };
    if (options_.witness.empty()) {
      return;
    }
    for (const auto& cause : causes_.findings) {
      write(ScheduleOf(job_.manifest, cause.told));
    }
    for (const auto& cause : causes_.suspicions) {
      write(ScheduleOf(job_.manifest, cause.told));
    }
  }

  // Writes the kernel that keeps to each witness by itself, where an order of instructions can show
  // the finding.
  void WriteKernels(World* world) {
    for (std::size_t i = 0; i < causes_.findings.size() && !options_.emit.file.empty(); ++i) {
      const explore::Finding& finding = causes_.findings[i].told;
      EmitReport& report = kernels_.emplace_back();
      std::string why = "nothing but the memory model tells this finding: no order shows it";
      if (!finding.what.of_memory_model) {
        try {
          CheckFiles(i + 1);
          Say("writing and running kernels", i + 1);
          report = writer_->Write(world, ScheduleOf(job_.manifest, finding), i + 1);
          continue;
        } catch (const gpu::NoGpu&) {
          throw;
        } catch (const ptx::InputError& error) {
          why = error.what();
        }
      }
      report = {fmt::format("     written  no PTX: {}\n", why), {{"unwritten", why}}};
    }
  }

  // Takes the order from a file.
  Exploration WriteGiven() {
    session_ = std::make_unique<ptx::Session>(job_.manifest, config_, job_.manifest.seed);
    const ptx::Schedule schedule = ptx::ReadSchedule(options_.schedule, session_->program());
    World world(config_, session_->program(), session_->launch(), session_->memory());
    const EmitReport report = writer_->Write(&world, schedule, 1);
    Exploration result;
    result.text =
        fmt::format("{}: the order of {}\n{}", job_.manifest.path, options_.schedule, report.text);
    result.json = Json(explore::Reporter(world));
    result.json["schedule"] = options_.schedule;
    result.json["emitted"] = report.json;
    return result;
  }

  std::string WitnessFile(std::size_t number) const {
    if (options_.witness.empty() || number == 1) {
      return options_.witness;
    }
    const std::size_t dot = options_.witness.rfind('.');
    const std::size_t end = dot == std::string::npos ? options_.witness.size() : dot;
    return fmt::format("{}.{}{}", options_.witness.substr(0, end), number,
                       options_.witness.substr(end));
  }

  // Explains how to repeat a finding, or why that is impossible.
  std::string Again(std::size_t index) const {
    return options_.witness.empty() || job_.manifest.command.empty() ? ""
           : unwritten_[index].empty()
               ? fmt::format("muster run {} --schedule {}", job_.manifest.command,
                             WitnessFile(index + 1))
               : fmt::format("the witness is not written: {}", unwritten_[index]);
  }

  std::string Text(const explore::Reporter& reporter, const ptx::Program& program) const {
    std::string text;
    constexpr std::size_t kInFull = 5;
    for (std::size_t i = 0; i < causes_.findings.size(); ++i) {
      if (i >= kInFull) {
        text += i == kInFull ? "In short, for they may follow from these (--report has them all):\n"
                             : "";
        text += reporter.Brief(i + 1, causes_.findings[i], Again(i)) +
                (kernels_.empty() ? "" : kernels_[i].text);
        continue;
      }
      text += reporter.Text(i + 1, causes_.findings[i], Again(i)) +
              StoryText(causes_.findings[i].told, program) +
              (kernels_.empty() ? "" : kernels_[i].text);
    }
    if (!causes_.suspicions.empty()) {
      text += "Suspicions, which nothing has confirmed:\n";
    }
    for (std::size_t i = 0; i < causes_.suspicions.size(); ++i) {
      const std::string again = Again(causes_.findings.size() + i);
      text += reporter.Text(causes_.suspicions[i]) +
              (again.empty() ? "" : fmt::format("     nearest  {}\n", again));
    }
    if (!causes_.notes.empty()) {
      text += "Notes, which are no findings:\n";
    }
    for (const explore::Cause<explore::Suspicion>& cause : causes_.notes) {
      text += reporter.Text(cause);
    }
    return text + Summary();
  }

  std::string Summary() const {
    const auto several = [](std::size_t count, const char* what) {
      return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
    };
    const std::string classes =
        fmt::format("{} class{} of orders", explored_.classes, explored_.classes == 1 ? "" : "es");
    std::string seen = explored_.complete ? fmt::format("complete: every order, in {}", classes)
                                          : fmt::format("not complete: {} were seen in {:.1f} s",
                                                        classes, Seconds());
    if (explored_.settled) {
      seen +=
          "; it ended since steps at each two instructions that conflict have been seen both ways, "
          "and for long nothing new had come up";
    }
    const std::string input = InputText(job_.manifest);
    std::string text = input.empty() ? "" : fmt::format("With {}\n", input);
    text += fmt::format(
        "{}: {}, {}, {}; {}\n", job_.manifest.path, several(causes_.findings.size(), "finding"),
        several(causes_.suspicions.size(), "suspicion"),
        several(explored_.runs, "run") + " along which other orders were looked for", seen);
    if (explored_.classes == 0) {
      text += fmt::format("No order was searched: {}\n",
                          options_.bound == 0U ? "--bound is 0" : "the time was over before that");
    }
    for (const std::string& sentence : explore::InShort(explored_.left_out, session_->program())) {
      text += fmt::format("Not in these orders: {}\n", sentence);
    }
    if (!causes_.findings.empty() && options_.witness.empty() && !job_.manifest.command.empty()) {
      text += fmt::format(
          "To repeat a finding, with a waveform if you like:\n"
          "  muster explore {0} --witness w.json && muster run {0} --schedule w.json "
          "--wave w.fst\n",
          job_.manifest.command);
    }
    return text;
  }

  // What the orders leave out, as sentences.
  std::vector<std::string> LeftOut() const {
    std::vector<std::string> sentences;
    for (const explore::LeftOut& one : explored_.left_out) {
      sentences.push_back(Explain(one, session_->program()));
    }
    return sentences;
  }

  nlohmann::ordered_json Json(const explore::Reporter& reporter) const {
    nlohmann::ordered_json json{{"muster", "explore"},
                                {"version", 1},
                                {"manifest", job_.manifest.path},
                                {"kernel", session_->program().Kernel().name},
                                {"config", job_.manifest.config},
                                {"seed", job_.manifest.seed},
                                {"complete", explored_.complete},
                                {"settled", explored_.settled},
                                {"left_out", LeftOut()},
                                {"classes", explored_.classes},
                                {"runs", explored_.runs},
                                {"seconds", Seconds()}};
    if (HasChoices(job_.manifest)) {
      json["input"] = job_.manifest.input;
      json["input_text"] = InputText(job_.manifest);
    }
    json["findings"] = nlohmann::ordered_json::array();
    json["suspicions"] = nlohmann::ordered_json::array();
    json["notes"] = nlohmann::ordered_json::array();
    for (std::size_t i = 0; i < causes_.findings.size(); ++i) {
      const explore::Finding& finding = causes_.findings[i].told;
      json["findings"].push_back(reporter.Json(causes_.findings[i]));
      json["findings"].back()["minimal"] = finding.is_minimal;
      json["findings"].back()["order"] = explore::StoryOf(finding, session_->program());
      AddWitness(i, &json["findings"].back());
      if (!kernels_.empty()) {
        json["findings"].back()["emitted"] = kernels_[i].json;
      }
    }
    for (const explore::Cause<explore::Unconfirmed>& cause : causes_.suspicions) {
      json["suspicions"].push_back(reporter.Json(cause));
      AddWitness(causes_.findings.size() + json["suspicions"].size() - 1,
                 &json["suspicions"].back());
    }
    for (const explore::Cause<explore::Suspicion>& cause : causes_.notes) {
      json["notes"].push_back(reporter.Json(cause));
    }
    return json;
  }

  // Names the file with the witness of a finding, or with the order nearest to a suspicion.
  void AddWitness(std::size_t index, nlohmann::ordered_json* json) const {
    if (!options_.witness.empty()) {
      const bool is_written = unwritten_[index].empty();
      (*json)[is_written ? "witness" : "unwritten"] =
          is_written ? WitnessFile(index + 1) : unwritten_[index];
    }
  }

  ExploreCode Code() const {
    if (witnesses_->mismatch()) {
      return ExploreCode::kMismatch;
    }
    const bool deadlock =
        std::any_of(explored_.findings.begin(), explored_.findings.end(),
                    [](const explore::Finding& one) { return one.ending == "deadlock"; });
    return deadlock                      ? ExploreCode::kDeadlock
           : !explored_.findings.empty() ? ExploreCode::kFinding
           : !causes_.suspicions.empty() ? ExploreCode::kSuspicions
           : explored_.classes == 0      ? ExploreCode::kUnsearched
                                         : ExploreCode::kNothing;
  }

  Job job_;
  const ExploreOptions& options_;
  Clock::time_point begun_;
  double said_ = 0;
  std::set<std::string> told_;  // what has been said at once
  Config config_;
  std::unique_ptr<ptx::Session> session_;
  Contents contents_;  // after the first order
  explore::Explorer::Judge judge_;
  explore::Explored explored_;
  std::optional<Witnesses> witnesses_;
  explore::Causes causes_;  // the findings, each cause once
  // Why the witness of each finding was not written; empty: it was.
  std::vector<std::string> unwritten_;
  std::optional<KernelWriter> writer_;
  std::vector<EmitReport> kernels_;  // of the findings, if they are wanted
};

}  // namespace

const Config& ConfigOf(const ptx::Manifest& manifest, const ExploreOptions& options) {
  const std::string name = options.config.value_or(manifest.config);
  const Config* const config = FindConfig(name);
  if (config == nullptr) {
    throw ptx::InputError(fmt::format("there is no configuration {}: there are {}",
                                      ptx::Printable(name), ConfigNames()));
  }
  return *config;
}

Exploration Explore(const Job& job, const ExploreOptions& options) {
  Exploration result = Explorer(job, options).Run();
  if (!options.report.empty()) {
    WriteReport(options.report, result.json);
  }
  return result;
}

Exploration ExploreUntilFinding(const Job& job, const ExploreOptions& options,
                                const Contents& reference) {
  return Explorer(job, options).UntilFinding(reference);
}

}  // namespace muster::app
