// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/app/needless.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sim/app/files.h"
#include "sim/ptx/launch/session.h"
#include "sim/ptx/program/sync_place.h"
#include "sim/ptx/syntax/error.h"

namespace muster::app {
namespace {

using Clock = std::chrono::steady_clock;

class Needless {
 public:
  Needless(const Job& job, const ExploreOptions& options)
      : job_(job), options_(options), out_(TextBeside(options.report)), begun_(Clock::now()) {
    if (!options.witness.empty()) {
      throw ptx::InputError(
          "--witness does not go with --needless: it goes with --without, for one place");
    }
    if (!job.manifest.without.empty()) {
      throw ptx::InputError("--needless tries the kernel without each place: --without names some");
    }
    if (!options.report.empty() && !IsStandardOutput(options.report)) {
      CheckOutputs(job.inputs, {options.report});
    }
  }

  ExploreCode Run() {
    const ptx::Session session(job_.manifest, ConfigOf(job_.manifest, options_), 1);
    program_ = &session.program();
    places_ = ptx::SyncPlacesOf(*program_);
    whole_ = Explore({}, places_.size());
    if (whole_.findings != 0) {
      fmt::print(out_,
                 "{}{}: that is found of the kernel as it is: what it needs was not asked. muster "
                 "explore {} tells all of it\n",
                 whole_.text, job_.manifest.path, job_.manifest.command);
      Write();
      return whole_.code;
    }
    for (std::uint32_t number = 1; number <= places_.size(); ++number) {
      Try(number);
    }
    TryTogether();
    fmt::print(out_, "{}", Summary());
    Write();
    const bool mismatch = std::any_of(trials_.begin(), trials_.end(), [](const auto& trial) {
      return trial && trial->code == ExploreCode::kMismatch;
    });
    return mismatch            ? ExploreCode::kMismatch
           : Unshown().empty() ? ExploreCode::kNothing
                               : ExploreCode::kNeedless;
  }

 private:
  double Seconds() const { return std::chrono::duration<double>(Clock::now() - begun_).count(); }

  // Explores the kernel without these places. `left`: how many trials come after this one, which
  // share the time.
  Exploration Explore(const std::vector<std::uint32_t>& without, std::size_t left) {
    Job job = job_;
    job.manifest.without = without;
    ExploreOptions options = options_;
    options.report.clear();
    const double share =
        (static_cast<double>(options_.seconds) - Seconds()) / static_cast<double>(left + 1);
    options.seconds = std::max(share, 0.0);
    return ExploreUntilFinding(job, options, whole_.contents);
  }

  std::string Where(const ptx::SyncPlace& place) const {
    return program_->Place(program_->code[place.pcs.front()].line);
  }

  // How far a trial has looked.
  static std::string Extent(const Exploration& trial) {
    std::string text = trial.complete ? "in every order"
                                      : fmt::format("in the {} class{} of orders that were seen",
                                                    trial.classes, trial.classes == 1 ? "" : "es");
    for (const std::string& left_out : trial.left_out) {
      text += "; " + left_out;
    }
    return text;
  }

  void Try(std::uint32_t number) {
    const ptx::SyncPlace& place = places_[number - 1];
    if (!place.untried.empty()) {
      trials_.emplace_back();
      fmt::print(out_, "{:3}. not tried: {} at {}\n     why      {}\n", number, place.what,
                 Where(place), place.untried);
      return;
    }
    const Exploration trial = Explore({number}, places_.size() - number + 1);
    if (trial.findings != 0) {
      constexpr std::size_t kNumber = 5;  // "  1. "
      fmt::print(
          out_,
          "{:3}. needed: {} at {}\n     without  {}     again    muster explore {} --without "
          "{}\n",
          number, place.what, Where(place), trial.text.substr(kNumber), job_.manifest.command,
          number);
    } else {
      fmt::print(out_, "{:3}. not shown to be needed: {} at {}\n     seen     {}\n", number,
                 place.what, Where(place), Extent(trial));
      if (trial.suspicions != 0) {
        fmt::print(out_, "     but      {} suspicion{} that nothing has confirmed\n",
                   trial.suspicions, trial.suspicions == 1 ? "" : "s");
      }
      if (!place.unseen.empty()) {
        fmt::print(out_, "     but      {}\n", place.unseen);
      }
    }
    std::fflush(out_);
    trials_.push_back(trial);
  }

  // The places that are not shown to be needed.
  std::vector<std::uint32_t> Unshown() const {
    std::vector<std::uint32_t> numbers;
    for (std::uint32_t number = 1; number <= trials_.size(); ++number) {
      if (trials_[number - 1] && trials_[number - 1]->findings == 0) {
        numbers.push_back(number);
      }
    }
    return numbers;
  }

  // Of places that are not shown to be needed one may stand in for another: which may go together?
  void TryTogether() {
    const std::vector<std::uint32_t> unshown = Unshown();
    for (std::size_t i = 0; i < unshown.size() && unshown.size() > 1; ++i) {
      std::vector<std::uint32_t> more = together_;
      more.push_back(unshown[i]);
      if (more.size() == 1) {
        together_ = std::move(more);
        continue;
      }
      Exploration trial = Explore(more, unshown.size() - i - 1);
      if (trial.findings == 0) {
        together_ = std::move(more);
        seen_together_ = std::move(trial);
      }
    }
  }

  std::string Summary() const {
    const std::vector<std::uint32_t> unshown = Unshown();
    const auto untried =
        static_cast<std::size_t>(std::count(trials_.begin(), trials_.end(), std::nullopt));
    std::string text = fmt::format(
        "{}: barriers, fences and waits: {}; needed: {}, not shown to be: {}, not tried: {}\n",
        job_.manifest.path, places_.size(), places_.size() - unshown.size() - untried,
        unshown.size(), untried);
    if (unshown.size() < 2) {
      return text;
    }
    if (seen_together_) {
      text += fmt::format("Without {} together nothing is found either, {}\n",
                          fmt::join(together_, ","), Extent(*seen_together_));
    }
    std::vector<std::uint32_t> others;
    std::set_difference(unshown.begin(), unshown.end(), together_.begin(), together_.end(),
                        std::back_inserter(others));
    if (!others.empty()) {
      text += fmt::format("Without {} something is found if {} is gone, too\n",
                          fmt::join(together_, ","), fmt::join(others, " or "));
    }
    return text;
  }

  nlohmann::ordered_json PlaceJson(std::uint32_t number) const {
    const ptx::SyncPlace& place = places_[number - 1];
    nlohmann::ordered_json json{{"number", number}, {"what", place.what}};
    for (const std::uint32_t pc : place.pcs) {
      json["lines"].push_back(program_->code[pc].line);
    }
    const std::uint32_t line = program_->code[place.pcs.front()].line;
    for (const ptx::SourcePlace& source : program_->sources.At(line)) {
      json["source"].push_back(
          {{"file", source.file}, {"line", source.line}, {"function", source.function}});
    }
    const std::optional<Exploration>& trial = trials_[number - 1];
    if (!trial) {
      json["verdict"] = "not_tried";
      json["why"] = place.untried;
      return json;
    }
    json["instead"] = place.instead;
    json["verdict"] = trial->findings != 0 ? "needed" : "not_shown";
    if (trial->findings != 0) {
      json["finding"] = trial->json;
      return json;
    }
    json["seen"] = SeenJson(*trial);
    if (!place.unseen.empty()) {
      json["why"] = place.unseen;
    }
    return json;
  }

  static nlohmann::ordered_json SeenJson(const Exploration& trial) {
    return {{"complete", trial.complete},
            {"classes", trial.classes},
            {"left_out", trial.left_out},
            {"suspicions", trial.suspicions}};
  }

  void Write() const {
    if (options_.report.empty()) {
      return;
    }
    nlohmann::ordered_json json{{"muster", "explore --needless"},
                                {"version", 1},
                                {"manifest", job_.manifest.path},
                                {"config", ConfigOf(job_.manifest, options_).name},
                                {"seed", options_.seed.value_or(job_.manifest.seed)},
                                {"seconds", Seconds()},
                                {"whole", SeenJson(whole_)}};
    if (whole_.findings != 0) {
      json["whole"]["finding"] = whole_.json;
    }
    json["places"] = nlohmann::ordered_json::array();
    for (std::uint32_t number = 1; number <= trials_.size(); ++number) {
      json["places"].push_back(PlaceJson(number));
    }
    if (seen_together_) {
      json["together"] = {{"numbers", together_}, {"seen", SeenJson(*seen_together_)}};
    }
    WriteReport(options_.report, json);
  }

  const Job& job_;
  const ExploreOptions& options_;
  std::FILE* const out_;
  const Clock::time_point begun_;
  Exploration whole_;
  const ptx::Program* program_ = nullptr;
  std::vector<ptx::SyncPlace> places_;
  std::vector<std::optional<Exploration>> trials_;  // by place; none: it was not tried
  std::vector<std::uint32_t> together_;
  std::optional<Exploration> seen_together_;  // without these
};

}  // namespace

ExploreCode FindNeedless(const Job& job, const ExploreOptions& options) {
  return Needless(job, options).Run();
}

}  // namespace muster::app
