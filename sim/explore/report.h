// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Findings as text and as JSON.
#ifndef MUSTER_SIM_EXPLORE_REPORT_H_
#define MUSTER_SIM_EXPLORE_REPORT_H_

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "sim/explore/causes.h"

namespace muster::explore {

class Reporter {
 public:
  // The world knows the program and its memory.
  explicit Reporter(const World& world) : world_(world) {}

  // Writes a finding in several lines, the first of which begins with "1. data_race:". `witness`:
  // how to repeat it.
  std::string Text(std::size_t number, const Cause<Finding>& cause,
                   const std::string& witness) const;
  // What is found, and where: "data_race at line 64, and at line 77".
  std::string Brief(const Suspicion& what) const;
  // A finding in one line.
  std::string Brief(std::size_t number, const Cause<Finding>& cause,
                    const std::string& witness) const;
  std::string Text(const Cause<Unconfirmed>& cause) const;
  std::string Text(const Cause<Suspicion>& cause) const;

  template <typename T>
  nlohmann::ordered_json Json(const Cause<T>& cause) const {
    nlohmann::ordered_json json = Json(cause.told);
    for (const T& other : cause.more) {
      json["more"].push_back(Json(other));
    }
    for (const Unconfirmed& suspicion : cause.unconfirmed) {
      json["more"].push_back(Json(suspicion));
    }
    for (const Suspicion& note : cause.notes) {
      json["notes"].push_back(Json(note));
    }
    return json;
  }

 private:
  nlohmann::ordered_json Json(const Finding& finding) const;
  nlohmann::ordered_json Json(const Unconfirmed& suspicion) const;
  nlohmann::ordered_json Json(const Suspicion& suspicion) const;
  std::string LeaversText(const std::vector<Place>& without) const;
  std::string NoteText(const Suspicion& note) const;
  std::string PlaceText(const Place& at) const;
  std::string SideText(const Side& side) const;
  std::string CollectivesText(const Suspicion& note) const;
  std::string ObjectText(const Suspicion& suspicion) const;
  std::string PairText(const Suspicion& suspicion) const;
  std::string ThreadText(const Place& at) const;
  nlohmann::ordered_json PlaceJson(const Place& at) const;

  const World& world_;
};

// Explains a kind of finding in a sentence.
const char* Explain(Kind kind);

}  // namespace muster::explore

#endif  // MUSTER_SIM_EXPLORE_REPORT_H_
