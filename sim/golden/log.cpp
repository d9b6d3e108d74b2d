// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/golden/log.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/golden/config.h"
#include "sim/golden/golden.h"
#include "sim/golden/model.h"
#include "sim/golden/operation.h"

namespace muster::golden {
namespace {

constexpr unsigned kVersion = 1;
constexpr std::size_t kFlushAt = std::size_t{1} << 16;
constexpr std::size_t kMaxReports = 10;
constexpr std::size_t kMaxLine = 4096;

// The value of an enumeration that has this name.
template <typename Enum>
bool FindName(std::string_view name, Enum* value) {
  constexpr unsigned kEnd = 32;  // beyond every enumeration of operation.h
  for (unsigned code = 0; code < kEnd; ++code) {
    if (name != "?" && name == Name(static_cast<Enum>(code))) {
      *value = static_cast<Enum>(code);
      return true;
    }
  }
  return false;
}

// The members of a line, listed once for writing, reading and comparing. Operation and Effects may
// be const.

template <typename Op, typename Visitor>
void VisitOperation(Op& operation, Visitor* visitor) {
  visitor->Enum("op", operation.kind);
  visitor->Number("cta", operation.cta);
  switch (operation.kind) {
    case OpKind::kLaunch:
      visitor->Bits("warps", operation.warps);
      visitor->Number("size", operation.size);
      break;
    case OpKind::kExit:
      visitor->Number("warp", operation.warp);
      visitor->Bits("lanes", operation.lanes);
      break;
    case OpKind::kSuspend:
    case OpKind::kEnd:
      break;
    default:
      visitor->Number("warp", operation.warp);
      visitor->Number("bar", operation.bar, kNumBars - 1);
      visitor->Number("count", operation.count, 0xfff);
      visitor->Bits("lanes", operation.lanes);
      visitor->Bits("operand", operation.operand);
      break;
  }
}

template <typename What, typename Visitor>
void VisitEffects(What& effects, Visitor* visitor) {
  visitor->Enum("fault", effects.fault);
  visitor->Bits("released", effects.released);
  visitor->Enum("released_kind", effects.released_kind);
  visitor->Number("released_value", effects.released_value);
  visitor->Flag("responds", effects.responds);
  visitor->Bits("data", effects.data);
  visitor->Flag("pred", effects.pred);
  visitor->Flag("completed", effects.completed);
  visitor->Flag("entry_written", effects.entry_written);
  visitor->Number("cta", effects.cta);
  visitor->Number("bar", effects.bar);
  visitor->Bits("word", effects.word);
  visitor->Hazards("hazards", effects.hazards);
}

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

  const std::vector<std::pair<const char*, std::string>>& members() const { return members_; }

 private:
  std::vector<std::pair<const char*, std::string>> members_;
};

// Empty: the two are equal.
std::string Differences(const Effects& recorded, const Effects& expected) {
  MemberLister left;
  MemberLister right;
  VisitEffects(recorded, &left);
  VisitEffects(expected, &right);
  std::string text;
  for (std::size_t i = 0; i < left.members().size(); ++i) {
    const auto& [name, value] = left.members()[i];
    if (value != right.members()[i].second) {
      text += fmt::format("{}{} is {} in the log and {} in the golden model",
                          text.empty() ? "" : "; ", name, value, right.members()[i].second);
    }
  }
  return text;
}

}  // namespace

// ------------------------------------------------------------------------------------------------
// Writing
// ------------------------------------------------------------------------------------------------

LogWriter::LogWriter(const std::string& path, std::string_view config, std::uint64_t seed)
    : path_(path), file_(std::fopen(path.c_str(), "w")) {
  if (file_ == nullptr) {
    error_ = fmt::format("{}: cannot be opened for writing.", path_);
    return;
  }
  fmt::format_to(fmt::appender(buffer_),
                 FMT_STRING("{{\"muster_log\":{},\"config\":\"{}\",\"seed\":{}}}\n"), kVersion,
                 config, seed);
}

void LogWriter::Write(std::uint64_t cycle, const Operation& operation, const Effects& effects) {
  const fmt::appender out(buffer_);
  fmt::format_to(out, FMT_STRING("{{\"cycle\":{},"), cycle);
  MemberWriter operation_writer(&buffer_, /*zeros=*/true);
  VisitOperation(operation, &operation_writer);
  fmt::format_to(out, ",\"effects\":{{");
  MemberWriter effects_writer(&buffer_, /*zeros=*/false);
  VisitEffects(effects, &effects_writer);
  fmt::format_to(out, "}}}}\n");
  if (buffer_.size() >= kFlushAt) {
    Flush();
  }
}

void LogWriter::Flush() {
  if (file_ != nullptr && std::fwrite(buffer_.data(), 1, buffer_.size(), file_) != buffer_.size()) {
    error_ = fmt::format("{}: cannot be written.", path_);
  }
  buffer_.clear();
}

bool LogWriter::Close() {
  Flush();
  if (file_ != nullptr && std::fclose(std::exchange(file_, nullptr)) != 0) {
    error_ = fmt::format("{}: cannot be written.", path_);
  }
  return error_.empty();
}

// ------------------------------------------------------------------------------------------------
// Reading
// ------------------------------------------------------------------------------------------------

LogReader::LogReader(const std::string& path) : path_(path), file_(path) {
  if (!file_) {
    error_ = fmt::format("{}: cannot be opened.", path_);
    return;
  }
  ReadHeader();
}

bool LogReader::Fail(const std::string& what) {
  error_ = fmt::format("{}:{}: {}.", path_, line_, what);
  return false;
}

// Reads one line. Returns false at the end of the file and on an error.
bool LogReader::ReadObject(nlohmann::json* object) {
  std::array<char, kMaxLine> text;
  file_.getline(text.data(), text.size());
  if (file_.gcount() == 0) {
    if (!file_.eof()) {
      error_ = fmt::format("{}: cannot be read.", path_);
    }
    return false;
  }
  ++line_;
  if (!file_ && !file_.eof()) {
    return Fail(fmt::format("this is longer than the {} bytes that a line may have", kMaxLine));
  }
  const std::ptrdiff_t length = file_.gcount() - (file_.eof() ? 0 : 1);
  *object =
      nlohmann::json::parse(text.data(), text.data() + length, nullptr, /*allow_exceptions=*/false);
  return object->is_object() || Fail("this is not a JSON object");
}

void LogReader::ReadHeader() {
  nlohmann::json object;
  if (!ReadObject(&object)) {
    if (error_.empty()) {
      error_ = fmt::format("{}: the log is empty.", path_);
    }
    return;
  }
  std::uint64_t version = 0;
  std::string config;
  std::string what;
  MemberReader reader(&object, /*required=*/true, &what);
  reader.Number("muster_log", version, kVersion);
  reader.String("config", config);
  reader.Number("seed", seed_);
  reader.Finish();
  if (what.empty() && FindConfig(config) == nullptr) {
    what = fmt::format("there is no configuration named \"{}\"", config);
  }
  if (!what.empty()) {
    Fail(what);
    return;
  }
  config_ = FindConfig(config);
}

bool LogReader::Next(Record* record) {
  nlohmann::json object;
  if (!error_.empty() || !ReadObject(&object)) {
    return false;
  }
  *record = Record();
  std::string what;
  nlohmann::json effects = nlohmann::json::object();
  MemberReader reader(&object, /*required=*/true, &what);
  reader.Number("cycle", record->cycle);
  VisitOperation(record->operation, &reader);
  reader.Object("effects", effects);
  reader.Finish();
  MemberReader effects_reader(&effects, /*required=*/false, &what);
  VisitEffects(record->effects, &effects_reader);
  effects_reader.Finish();
  return what.empty() || Fail(what);
}

// ------------------------------------------------------------------------------------------------
// Replaying
// ------------------------------------------------------------------------------------------------

std::string Describe(const Operation& operation) {
  const char* name = Name(operation.kind);
  switch (operation.kind) {
    case OpKind::kLaunch:
      return fmt::format("{} of CTA {} with warps {:#x} of {}", name, operation.cta,
                         operation.warps, operation.size);
    case OpKind::kSuspend:
    case OpKind::kEnd:
      return fmt::format("{} of CTA {}", name, operation.cta);
    case OpKind::kExit:
      return fmt::format("{} of lanes {:#x} of warp {} of CTA {}", name, operation.lanes,
                         operation.warp, operation.cta);
    case OpKind::kB2rWarp:
    case OpKind::kB2rResult:
      return fmt::format("{} of warp {} of CTA {}", name, operation.warp, operation.cta);
    case OpKind::kR2bWarp:
      return fmt::format("{} of {:#x} by warp {} of CTA {}", name, operation.operand,
                         operation.warp, operation.cta);
    case OpKind::kB2rBar:
      return fmt::format("{} of barrier {} by warp {} of CTA {}", name, operation.bar,
                         operation.warp, operation.cta);
    case OpKind::kR2bBar:
      return fmt::format("{} of {:#x} to barrier {} by warp {} of CTA {}", name, operation.operand,
                         operation.bar, operation.warp, operation.cta);
    default:
      break;
  }
  std::string text = fmt::format("{} at barrier {} with count {} by warp {} of CTA {}", name,
                                 operation.bar, operation.count, operation.warp, operation.cta);
  if (operation.lanes != ~std::uint32_t{0}) {
    text += fmt::format(", lanes {:#x}", operation.lanes);
  }
  if (IsReduction(operation.kind)) {
    text += fmt::format(", predicates {:#x}", operation.operand);
  }
  return text;
}

Replayed Replay(const std::string& path) {
  Replayed replayed;
  LogReader reader(path);
  if (reader.config() != nullptr) {
    Model model(*reader.config());
    Record record;
    while (reader.Next(&record)) {
      ++replayed.operations;
      const std::string text = Differences(record.effects, model.Step(record.operation));
      if (text.empty()) {
        continue;
      }
      if (++replayed.differences <= kMaxReports) {
        replayed.reports.push_back(fmt::format("{}:{}: cycle {}, {}: {}.", path, reader.line(),
                                               record.cycle, Describe(record.operation), text));
      }
    }
  }
  replayed.error = reader.error();
  return replayed;
}

}  // namespace muster::golden
