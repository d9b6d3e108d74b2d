// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/gpu/ending.h"

#include <utility>

namespace muster::gpu {
namespace {

const char* WordsOf(EndKind kind) {
  switch (kind) {
    case EndKind::kCompletes:
      return "completes";
    case EndKind::kHangs:
      return "hangs";
    case EndKind::kTrap:
      return "trap";
    case EndKind::kDoesNotFit:
      return "does not fit";
    case EndKind::kDoesNotLoad:
      return "does not load";
    case EndKind::kDoesNotLaunch:
      return "does not launch";
    default:
      return "lost";
  }
}

}  // namespace

Ending Failed(EndKind kind, std::string name, std::string text) {
  Ending ending;
  ending.kind = kind;
  ending.name = std::move(name);
  ending.text = std::move(text);
  return ending;
}

std::string Ending::Outcome() const {
  const std::string words = WordsOf(kind);
  return name.empty() ? words : words + ": " + name;
}

bool Ending::Is(const std::string& outcome) const {
  if (kind == EndKind::kCompletes) {
    return outcome == "completes";
  }
  if (kind == EndKind::kHangs) {
    return outcome == "deadlock" || outcome == "timeout";
  }
  if (kind != EndKind::kTrap) {
    return false;
  }
  const bool fault = outcome == "memory_fault" || outcome.rfind("fault:", 0) == 0;
  return name == "assert" ? outcome == "assert" : fault;
}

void to_json(nlohmann::json& json, const Ending& ending) {
  json = {{"kind", static_cast<int>(ending.kind)},
          {"name", ending.name},
          {"text", ending.text},
          {"launch", ending.launch},
          {"seconds", ending.seconds},
          {"printed", ending.printed}};
}

void from_json(const nlohmann::json& json, Ending& ending) {
  ending.kind = static_cast<EndKind>(json.at("kind").get<int>());
  json.at("name").get_to(ending.name);
  json.at("text").get_to(ending.text);
  json.at("launch").get_to(ending.launch);
  json.at("seconds").get_to(ending.seconds);
  json.at("printed").get_to(ending.printed);
}

}  // namespace muster::gpu
