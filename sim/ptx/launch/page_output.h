// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// A report as one page that any browser shows, without network: parts with their timelines, and the
// source beside them. Whatever names a line of the PTX file can be clicked.
#ifndef MUSTER_SIM_PTX_LAUNCH_PAGE_OUTPUT_H_
#define MUSTER_SIM_PTX_LAUNCH_PAGE_OUTPUT_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "sim/ptx/launch/session.h"

namespace muster::ptx {

// The page, in which a placeholder stands for the data (page.html).
extern const char* const kReportPage;

class ReportPage {
 public:
  // What a launch came to that was recorded, after so many cycles: its timeline, and which warps
  // are missing where. `text` and `notes`: what else there is to say of it, before and after that.
  void Add(const std::string& title, const std::string& text, const std::string& notes,
           const Session& session, std::uint64_t cycles);
  // A part without a run.
  void Add(const std::string& title, const std::string& text, const Program& program);

  // The page. `verdict` is a sentence, which is `good` or not, and `text` the whole report.
  std::string Html(const std::string& title, const std::string& verdict, bool good,
                   const std::string& command, const std::string& text) const;

 private:
  std::size_t NumberOf(const Program& program);
  // Of a file that is there and not too long; else -1.
  int FileOf(const std::string& path);

  nlohmann::ordered_json parts_ = nlohmann::ordered_json::array();
  nlohmann::ordered_json files_ = nlohmann::ordered_json::array();
  nlohmann::ordered_json programs_ = nlohmann::ordered_json::array();
  std::map<std::string, int> file_numbers_;             // by path
  std::map<std::string, std::size_t> program_numbers_;  // by file
};

// JSON that may stand in a page: nothing in it ends the script.
std::string EmbeddedInPage(const nlohmann::ordered_json& json);

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_LAUNCH_PAGE_OUTPUT_H_
