// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The members of a line of a log, which its parts list once for writing, reading and comparing:
// Visit...(what, visitor) calls visitor->Number("name", what.member) and the like for each.
#ifndef MUSTER_SIM_LOG_MEMBERS_H_
#define MUSTER_SIM_LOG_MEMBERS_H_

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/isa/effects.h"
#include "sim/isa/fault.h"
#include "sim/isa/mbarrier_operation.h"
#include "sim/isa/operation.h"

namespace muster::log {

// The value of an enumeration that has this name.
template <typename Enum>
bool FindName(std::string_view name, Enum* value) {
  constexpr unsigned kEnd = 32;  // beyond every enumeration that has names
  for (unsigned code = 0; code < kEnd; ++code) {
    if (name != "?" && name == Name(static_cast<Enum>(code))) {
      *value = static_cast<Enum>(code);
      return true;
    }
  }
  return false;
}

using LaneFaults = std::array<FaultCause, kMaxLanes>;
using LaneTokens = std::array<std::uint64_t, kMaxLanes>;

inline std::uint32_t LanesOf(const LaneFaults& faults, FaultCause cause) {
  std::uint32_t lanes = 0;
  for (unsigned lane = 0; lane < kMaxLanes; ++lane) {
    lanes |= std::uint32_t{faults[lane] == cause} << lane;
  }
  return lanes;
}

// mbarrier_lines.cpp
const char* EventName(const MbEvent& event);
bool FindEvent(std::string_view name, MbEvent* event);  // of a new event, which is a step: sets its
                                                        // operation or another kind
void Write(const MbEvent& event, const MbEffects& effects, fmt::memory_buffer* buffer);
void Read(nlohmann::json* object, MbEvent* event, MbEffects* effects, std::string* error);
std::string Differences(const MbEffects& recorded, const MbEffects& expected);

// log.cpp
std::string Differences(const Effects& recorded, const Effects& expected);

// Appends "name":value members. A zero is left out unless `zeros`.
class MemberWriter {
 public:
  MemberWriter(fmt::memory_buffer* buffer, bool zeros) : out_(*buffer), zeros_(zeros) {}

  template <typename T>
  void Enum(const char* name, T value) {
    if (zeros_ || value != T{}) {
      fmt::format_to(out_, FMT_STRING("{}\"{}\":\"{}\""), Separator(), name, Name(value));
    }
  }
  // What happens to mbarriers, as one name: that of the operation, or "store" and the like.
  void Event(const char* name, const MbEvent& event) {
    fmt::format_to(out_, FMT_STRING("{}\"{}\":\"{}\""), Separator(), name, EventName(event));
  }
  void Number(const char* name, std::uint64_t value, std::uint64_t /*max*/ = 0) {
    if (zeros_ || value != 0) {
      fmt::format_to(out_, FMT_STRING("{}\"{}\":{}"), Separator(), name, value);
    }
  }
  void Bits(const char* name, std::uint64_t value) {
    if (zeros_ || value != 0) {
      fmt::format_to(out_, FMT_STRING("{}\"{}\":\"{:#x}\""), Separator(), name, value);
    }
  }
  void Flag(const char* name, bool value) {
    if (zeros_ || value) {
      fmt::format_to(out_, FMT_STRING("{}\"{}\":{}"), Separator(), name, value);
    }
  }
  void Hazards(const char* name, std::uint32_t hazards) {
    if (hazards == 0) {
      return;
    }
    fmt::format_to(out_, FMT_STRING("{}\"{}\":["), Separator(), name);
    const char* separator = "";
    for (unsigned i = 0; i < kNumHazards; ++i) {
      if ((hazards >> i & 1) != 0) {
        fmt::format_to(out_, FMT_STRING("{}\"{}\""), separator, Name(static_cast<Hazard>(i)));
        separator = ",";
      }
    }
    fmt::format_to(out_, "]");
  }
  // The lanes of each cause.
  void Faults(const char* name, const LaneFaults& faults) {
    const char* separator = "{";
    for (unsigned cause = 1; cause < kNumFaultCauses; ++cause) {
      if (const std::uint32_t lanes = LanesOf(faults, static_cast<FaultCause>(cause)); lanes != 0) {
        if (*separator == '{') {
          fmt::format_to(out_, FMT_STRING("{}\"{}\":"), Separator(), name);
        }
        fmt::format_to(out_, FMT_STRING("{}\"{}\":\"{:#x}\""), separator,
                       Name(static_cast<FaultCause>(cause)), lanes);
        separator = ",";
      }
    }
    fmt::format_to(out_, "{}", *separator == ',' ? "}" : "");
  }
  // One for each lane, from the first on that has one.
  void Tokens(const char* name, const LaneTokens& tokens) {
    const auto last = std::find_if(tokens.rbegin(), tokens.rend(),
                                   [](std::uint64_t token) { return token != 0; });
    const auto count = static_cast<std::size_t>(tokens.rend() - last);
    for (std::size_t lane = 0; lane < count; ++lane) {
      if (lane == 0) {
        fmt::format_to(out_, FMT_STRING("{}\"{}\":["), Separator(), name);
      }
      fmt::format_to(out_, FMT_STRING("{}\"{:#x}\""), lane == 0 ? "" : ",", tokens[lane]);
    }
    fmt::format_to(out_, "{}", count != 0 ? "]" : "");
  }
  void Answers(const char* name, const std::vector<MbAnswer>& answers) {
    for (std::size_t i = 0; i < answers.size(); ++i) {
      if (i == 0) {
        fmt::format_to(out_, FMT_STRING("{}\"{}\":["), Separator(), name);
      }
      fmt::format_to(out_, FMT_STRING("{}{{\"warp\":{},\"lanes\":\"{:#x}\",\"complete\":{}"),
                     i == 0 ? "" : ",", answers[i].warp, answers[i].lanes, answers[i].complete);
      if (answers[i].report != 0) {
        fmt::format_to(out_, FMT_STRING(",\"report\":\"{:#x}\""), answers[i].report);
      }
      fmt::format_to(out_, "}}");
    }
    fmt::format_to(out_, "{}", answers.empty() ? "" : "]");
  }

 private:
  const char* Separator() { return std::exchange(separator_, ","); }

  fmt::appender out_;
  bool zeros_;
  const char* separator_ = "";
};

// Takes members out of an object. A member that is absent stays as it is unless `required`.
class MemberReader {
 public:
  MemberReader(nlohmann::json* object, bool required, std::string* error)
      : object_(*object), required_(required), error_(*error) {}

  template <typename T>
  void Enum(const char* name, T& value) {
    Take(name, "is no name that is known there", [&value](const nlohmann::json& member) {
      return member.is_string() && FindName(Text(member), &value);
    });
  }
  void Event(const char* name, MbEvent& event) {
    Take(name, "is no name that is known there", [&event](const nlohmann::json& member) {
      return member.is_string() && FindEvent(Text(member), &event);
    });
  }
  template <typename T>
  void Number(const char* name, T& value, std::uint64_t max = std::numeric_limits<T>::max()) {
    Take(name, fmt::format("is not a number from 0 to {}", max),
         [&value, max](const nlohmann::json& member) {
           const bool fits = member.is_number_unsigned() && member.get<std::uint64_t>() <= max;
           value = fits ? member.get<T>() : T{};
           return fits;
         });
  }
  template <typename T>
  void Bits(const char* name, T& value) {
    Take(name,
         fmt::format("is not a string such as \"0x1f\" of at most {} bits",
                     std::numeric_limits<T>::digits),
         [&value](const nlohmann::json& member) {
           return member.is_string() && ParseBits(Text(member), &value);
         });
  }
  void Flag(const char* name, bool& value) {
    Take(name, "is neither true nor false", [&value](const nlohmann::json& member) {
      value = member == true;
      return member.is_boolean();
    });
  }
  void Hazards(const char* name, std::uint32_t& hazards) {
    Take(name, "is not a list of hazards", [&hazards](const nlohmann::json& member) {
      return member.is_array() &&
             std::all_of(member.begin(), member.end(), [&hazards](const nlohmann::json& item) {
               Hazard hazard{};
               const bool known = item.is_string() && FindName(Text(item), &hazard);
               hazards |= 1U << static_cast<unsigned>(hazard);
               return known;
             });
    });
  }
  void Faults(const char* name, LaneFaults& faults) {
    Take(name, "does not name the lanes of each cause", [&faults](const nlohmann::json& member) {
      bool known = member.is_object();
      for (auto item = member.begin(); known && item != member.end(); ++item) {
        FaultCause cause{};
        std::uint32_t lanes = 0;
        known = FindName(item.key(), &cause) && item->is_string() && ParseBits(Text(*item), &lanes);
        for (; known && lanes != 0; lanes &= lanes - 1) {
          faults[static_cast<unsigned>(__builtin_ctz(lanes))] = cause;
        }
      }
      return known;
    });
  }
  void Tokens(const char* name, LaneTokens& tokens) {
    Take(name, "is not a list of at most 32 tokens", [&tokens](const nlohmann::json& member) {
      bool known = member.is_array() && member.size() <= tokens.size();
      for (std::size_t lane = 0; known && lane < member.size(); ++lane) {
        known = member[lane].is_string() && ParseBits(Text(member[lane]), &tokens[lane]);
      }
      return known;
    });
  }
  void Answers(const char* name, std::vector<MbAnswer>& answers) {
    Take(name, "is not a list of answers", [&](const nlohmann::json& member) {
      bool known = member.is_array();
      for (std::size_t i = 0; known && i < member.size(); ++i) {
        nlohmann::json item = member[i];
        std::string wrong = item.is_object() ? "" : "no object";
        MbAnswer& answer = answers.emplace_back();
        MemberReader reader(&item, /*required=*/true, &wrong);
        if (wrong.empty()) {
          reader.Number("warp", answer.warp, kMaxWarps - 1);
          reader.Bits("lanes", answer.lanes);
          reader.Flag("complete", answer.complete);
          MemberReader(&item, /*required=*/false, &wrong).Bits("report", answer.report);
          reader.Finish();
        }
        known = wrong.empty();
      }
      return known;
    });
  }
  void String(const char* name, std::string& value) {
    Take(name, "is not a string", [&value](const nlohmann::json& member) {
      value = member.is_string() ? Text(member) : std::string();
      return member.is_string();
    });
  }
  void Object(const char* name, nlohmann::json& value) {
    Take(name, "is not an object", [&value](const nlohmann::json& member) {
      value = member.is_object() ? member : nlohmann::json::object();
      return member.is_object();
    });
  }

  // To be called last: what has not been taken should not be there.
  void Finish() {
    if (error_.empty() && !object_.empty()) {
      error_ = nlohmann::json(object_.begin().key()).dump() + " is not known here";
    }
  }

 private:
  static const std::string& Text(const nlohmann::json& member) {
    return member.get_ref<const std::string&>();
  }

  template <typename T>
  static bool ParseBits(const std::string& text, T* value) {
    constexpr unsigned kHex = 16;
    const bool hex = text.rfind("0x", 0) == 0 && text.size() > 2 &&
                     text.size() <= 2 + std::numeric_limits<T>::digits / 4 &&
                     text.find_first_not_of("0123456789abcdef", 2) == std::string::npos;
    if (hex) {
      *value = static_cast<T>(std::stoull(text, nullptr, kHex));
    }
    return hex;
  }

  // Hands the member of that name to `parse` and removes it; `what` is wrong if that returns false.
  template <typename Parse>
  void Take(const char* name, const std::string& what, const Parse& parse) {
    const auto found = object_.find(name);
    if (found != object_.end()) {
      if (!parse(*found)) {
        Fail(name, what);
      }
      object_.erase(found);
    } else if (required_) {
      Fail(name, "is missing");
    }
  }

  void Fail(const std::string& name, const std::string& what) {
    if (error_.empty()) {
      error_ = fmt::format("\"{}\" {}", name, what);
    }
  }

  nlohmann::json& object_;
  bool required_;
  std::string& error_;
};

// Names and values of the members, to be compared with those of another object.
class MemberLister {
 public:
  template <typename T>
  void Enum(const char* name, T value) {
    members_.emplace_back(name, Name(value));
  }
  void Number(const char* name, std::uint64_t value) {
    members_.emplace_back(name, fmt::format("{}", value));
  }
  void Bits(const char* name, std::uint64_t value) {
    members_.emplace_back(name, fmt::format("{:#x}", value));
  }
  void Flag(const char* name, bool value) { members_.emplace_back(name, value ? "true" : "false"); }
  void Hazards(const char* name, std::uint32_t value) { Bits(name, value); }
  void Faults(const char* name, const LaneFaults& faults) {
    std::string text;
    for (unsigned cause = 1; cause < kNumFaultCauses; ++cause) {
      if (const std::uint32_t lanes = LanesOf(faults, static_cast<FaultCause>(cause)); lanes != 0) {
        text += fmt::format("{}{} of lanes {:#x}", text.empty() ? "" : ", ",
                            Name(static_cast<FaultCause>(cause)), lanes);
      }
    }
    members_.emplace_back(name, text.empty() ? "none" : text);
  }
  void Tokens(const char* /*name*/, const LaneTokens& tokens) {
    for (unsigned lane = 0; lane < tokens.size(); ++lane) {
      members_.emplace_back(fmt::format("token of lane {}", lane),
                            fmt::format("{:#018x}", tokens[lane]));
    }
  }
  void Answers(const char* name, const std::vector<MbAnswer>& answers) {
    std::string text;
    for (const MbAnswer& answer : answers) {
      text += fmt::format("{}{} of warp {}, lanes {:#x}", text.empty() ? "" : ", ", answer.complete,
                          answer.warp, answer.lanes);
      if (answer.report != 0) {
        text += fmt::format(", report {:#x}", answer.report);
      }
    }
    members_.emplace_back(name, text.empty() ? "none" : text);
  }

  const std::vector<std::pair<std::string, std::string>>& members() const { return members_; }

 private:
  std::vector<std::pair<std::string, std::string>> members_;
};

// What differs, in words; empty: nothing does.
inline std::string Differences(const MemberLister& recorded, const MemberLister& expected) {
  std::string text;
  for (std::size_t i = 0; i < recorded.members().size(); ++i) {
    const auto& [name, value] = recorded.members()[i];
    if (value != expected.members()[i].second) {
      text += fmt::format("{}{} is {} in the log and {} in the golden model",
                          text.empty() ? "" : "; ", name, value, expected.members()[i].second);
    }
  }
  return text;
}

}  // namespace muster::log

#endif  // MUSTER_SIM_LOG_MEMBERS_H_
