// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/log/log.h"

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

#include "sim/isa/config.h"
#include "sim/isa/effects.h"
#include "sim/isa/mbarrier_operation.h"
#include "sim/isa/operation.h"
#include "sim/log/members.h"

namespace muster::log {
namespace {

constexpr unsigned kVersion = 1;
constexpr std::size_t kMaxLine = std::size_t{1} << 16;

// The members of a line, listed once for writing, reading and comparing. Operation and Effects may
// be const.

template <typename Op, typename Visitor>
void VisitOperation(Op& operation, Visitor* visitor) {
  visitor->Enum("op", operation.kind);
  visitor->Number("cta", operation.cta);
  switch (operation.kind) {
    case OpKind::kSuspend:
    case OpKind::kEnd:
      break;
    case OpKind::kLaunch:
      visitor->Bits("warps", operation.warps);
      visitor->Number("size", operation.size);
      break;
    case OpKind::kOpen:
      visitor->Number("size", operation.size);
      break;
    case OpKind::kJoin:
    case OpKind::kExit:
      visitor->Number("warp", operation.warp);
      visitor->Bits("lanes", operation.lanes);
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

// Where the operation of a line comes from, in words.
std::string PlaceOf(nlohmann::json ptx, std::string* error) {
  nlohmann::json source = ptx.value("source", nlohmann::json::array());
  ptx.erase("source");
  std::uint32_t ptx_line = 0;
  MemberReader reader(&ptx, /*required=*/true, error);
  reader.Number("line", ptx_line);
  reader.Finish();
  const bool list = source.is_array() && std::all_of(source.begin(), source.end(),
                                                     [](auto& site) { return site.is_object(); });
  if (!list) {
    *error = error->empty() ? "\"source\" is not a list of places" : *error;
    return "";
  }
  std::string place;
  for (nlohmann::json& site : source) {
    std::string file;
    std::string function;
    std::uint32_t line = 0;
    MemberReader site_reader(&site, /*required=*/true, error);
    site_reader.String("file", file);
    site_reader.Number("line", line);
    site_reader.String("function", function);
    site_reader.Finish();
    place += fmt::format("{}{}:{} in {}, ", place.empty() ? "" : "inlined ",
                         file.substr(file.rfind('/') + 1), line, function);
  }
  return place + fmt::format("PTX line {}", ptx_line);
}

}  // namespace

std::string Differences(const Effects& recorded, const Effects& expected) {
  MemberLister left;
  MemberLister right;
  VisitEffects(recorded, &left);
  VisitEffects(expected, &right);
  return Differences(left, right);
}

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

// The end of a line.
void LogWriter::End(std::string_view ptx) {
  const fmt::appender out(buffer_);
  if (!ptx.empty()) {
    fmt::format_to(out, FMT_STRING(",\"ptx\":{}"), ptx);
  }
  fmt::format_to(out, "}}\n");
  Flush();
}

void LogWriter::Write(std::uint64_t cycle, const Operation& operation, const Effects& effects,
                      std::string_view ptx) {
  const fmt::appender out(buffer_);
  fmt::format_to(out, FMT_STRING("{{\"cycle\":{},"), cycle);
  MemberWriter operation_writer(&buffer_, /*zeros=*/true);
  VisitOperation(operation, &operation_writer);
  fmt::format_to(out, ",\"effects\":{{");
  MemberWriter effects_writer(&buffer_, /*zeros=*/false);
  VisitEffects(effects, &effects_writer);
  fmt::format_to(out, "}}");
  End(ptx);
}

void LogWriter::Write(std::uint64_t cycle, const MbEvent& event, const MbEffects& effects,
                      std::string_view ptx) {
  fmt::format_to(fmt::appender(buffer_), FMT_STRING("{{\"cycle\":{},"), cycle);
  log::Write(event, effects, &buffer_);
  End(ptx);
}

void LogWriter::WriteReset(std::uint64_t cycle) {
  fmt::format_to(fmt::appender(buffer_), FMT_STRING("{{\"cycle\":{},\"reset\":true}}\n"), cycle);
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
  if (!file_) {
    return Fail(fmt::format("this is longer than the {} bytes that a line may have", kMaxLine));
  }
  *object = nlohmann::json::parse(text.data(), nullptr, /*allow_exceptions=*/false);
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

bool LogReader::Next(LogLine* line) {
  nlohmann::json object;
  if (!error_.empty() || !ReadObject(&object)) {
    return false;
  }
  *line = LogLine();
  std::string what;
  nlohmann::json effects = nlohmann::json::object();
  MemberReader reader(&object, /*required=*/true, &what);
  reader.Number("cycle", line->cycle);
  if (object.contains("ptx")) {
    nlohmann::json ptx;
    reader.Object("ptx", ptx);
    line->place = PlaceOf(ptx, &what);
  }
  if (object.contains("reset")) {
    reader.Flag("reset", line->reset);
    reader.Finish();
    if (what.empty() && !line->reset) {
      what = "\"reset\" is not true";
    }
    return what.empty() || Fail(what);
  }
  if (object.contains("mb")) {
    line->of_mbarriers = true;
    Read(&object, &line->event, &line->mb_effects, &what);
    return what.empty() || Fail(what);
  }
  VisitOperation(line->operation, &reader);
  reader.Object("effects", effects);
  reader.Finish();
  MemberReader effects_reader(&effects, /*required=*/false, &what);
  VisitEffects(line->effects, &effects_reader);
  effects_reader.Finish();
  return what.empty() || Fail(what);
}

}  // namespace muster::log
