// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/launch/page_output.h"

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string_view>
#include <vector>

#include "sim/ptx/launch/timeline_output.h"
#include "sim/ptx/launch/wait_text.h"

namespace muster::ptx {
namespace {

namespace fs = std::filesystem;
using OrderedJson = nlohmann::ordered_json;

constexpr std::uintmax_t kLongestFile = std::uintmax_t{1} << 20;  // bytes

// Whether the file is in the folder of the other one, or below it: it has the same author.
bool IsBeside(const std::string& file, const std::string& other) {
  const std::string folder = fs::path(other).parent_path().string();
  return folder.empty() ? fs::path(file).is_relative() : file.rfind(folder + "/", 0) == 0;
}

}  // namespace

std::string EmbeddedInPage(const OrderedJson& json) {
  std::string text = json.dump(-1, ' ', false, OrderedJson::error_handler_t::replace);
  for (std::size_t at = 0; (at = text.find('<', at)) != std::string::npos;) {
    text.replace(at, 1, "\\u003c");
  }
  return text;
}

int ReportPage::FileOf(const std::string& path) {
  const auto [found, is_new] = file_numbers_.try_emplace(path, -1);
  std::error_code error;
  if (!is_new || !fs::is_regular_file(path, error) || fs::file_size(path, error) > kLongestFile) {
    return found->second;
  }
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  found->second = static_cast<int>(files_.size());
  files_.push_back({{"name", fs::path(path).filename().string()}, {"text", text.str()}});
  return found->second;
}

std::size_t ReportPage::NumberOf(const Program& program) {
  const auto [found, is_new] = program_numbers_.try_emplace(program.file, programs_.size());
  if (!is_new) {
    return found->second;
  }
  const fs::path folder = fs::path(program.file).parent_path();
  OrderedJson lines = OrderedJson::object();
  std::uint32_t before = 0;
  for (const Instruction& instruction : program.code) {
    if (instruction.line == before) {
      continue;
    }
    before = instruction.line;
    const std::vector<SourcePlace> places = program.sources.At(instruction.line);
    OrderedJson row = OrderedJson::array();
    for (const SourcePlace& place : places) {
      if (IsBeside(place.file, places.front().file)) {
        const int as_named = FileOf(place.file);
        row.push_back(
            {as_named >= 0 ? as_named : FileOf((folder / place.file).string()), place.line});
      }
    }
    if (!row.empty()) {
      lines[std::to_string(instruction.line)] = std::move(row);
    }
  }
  programs_.push_back({{"ptx", FileOf(program.file)}, {"lines", std::move(lines)}});
  return found->second;
}

void ReportPage::Add(const std::string& title, const std::string& text, const Program& program) {
  parts_.push_back({{"title", title},
                    {"text", text},
                    {"program", NumberOf(program)},
                    {"causes", OrderedJson::array()},
                    {"stuck", OrderedJson::array()}});
}

void ReportPage::Add(const std::string& title, const std::string& text, const std::string& notes,
                     const Session& session, std::uint64_t cycles) {
  Add(title, text, session.program());
  OrderedJson& part = parts_.back();
  part["notes"] = notes;
  part["timeline"] = TimelinePage(session, cycles);
  const Outcome outcome = session.grid().outcome();
  if (outcome != Outcome::kDeadlock && outcome != Outcome::kTimeout) {
    return;
  }
  const WaitText waits(session.program(), session.launch(), WaitingIn(session.grid()));
  if (outcome == Outcome::kDeadlock) {
    part["causes"] = waits.Causes();
  }
  for (const WaitText::Paragraph& paragraph : waits.paragraphs()) {
    part["stuck"].push_back({{"ctas", paragraph.ctas},
                             {"place", paragraph.place},
                             {"where", paragraph.where},
                             {"state", paragraph.state},
                             {"rows", paragraph.rows}});
  }
}

std::string ReportPage::Html(const std::string& title, const std::string& verdict, bool good,
                             const std::string& command, const std::string& text) const {
  const OrderedJson data = {{"title", title},     {"verdict", verdict},   {"good", good},
                            {"command", command}, {"text", text},         {"parts", parts_},
                            {"files", files_},    {"programs", programs_}};
  constexpr std::string_view kPlaceholder = "{\"parts\":[]}";
  std::string page = kReportPage;
  return page.replace(page.find(kPlaceholder), kPlaceholder.size(), EmbeddedInPage(data));
}

}  // namespace muster::ptx
