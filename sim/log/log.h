// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The log of a run: JSONL, a header line and then one line for each committed operation, in order.
//
//   {"muster_log":1,"config":"small","seed":1}
//   {"cycle":9,"op":"sync","cta":0,"warp":3,"bar":1,"count":64,"lanes":"0xffffffff",
//    "operand":"0x0","effects":{"entry_written":true,"bar":1,"word":"0x4101000"}}   (on one line)
//
// What happens to mbarriers has lines of its own, in their order with the others; "mb" is the
// operation, or "expire", "leave", "store" or "restore":
//
//   {"cycle":12,"mb":"arrive","source":"warp","cta":0,"addr":"0x40","warp":3,"lanes":"0x3",
//    "operand":1,"has_token":false,"behind":"0x0","releasing":true,
//    "effects":{"written":true,"word":"0x..."}}
//
// A kernel's operation also has where it comes from, which replaying does not need: the line of the
// PTX file and, if that is known, its place in the source and what is inlined there:
//
//   "ptx":{"line":47,"source":[{"file":"mine.cu","line":21,"function":"sum"}]}
//
// A reset, after which the unit and the golden model begin anew, is {"cycle":20,"reset":true}.
//
// Lifecycle operations have the members that they use. Of the effects, those that are not zero are
// written, under the names of sim/isa/effects.h.
#ifndef MUSTER_SIM_LOG_LOG_H_
#define MUSTER_SIM_LOG_LOG_H_

#include <fmt/format.h>

#include <cstdint>
#include <cstdio>
#include <fstream>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "sim/isa/config.h"
#include "sim/isa/effects.h"
#include "sim/isa/mbarrier_operation.h"
#include "sim/isa/operation.h"

namespace muster::log {

struct Record {
  std::uint64_t cycle = 0;
  Operation operation;
  Effects effects;
};

// One line of a log.
struct LogLine : Record {
  std::string place;          // where it comes from, in words; empty: it is not said
  bool reset = false;         // then nothing below tells of anything
  bool of_mbarriers = false;  // then these tell of it, and not the operation and its effects
  MbEvent event;
  MbEffects mb_effects;
};

class LogWriter {
 public:
  LogWriter(const std::string& path, std::string_view config, std::uint64_t seed);
  LogWriter(const LogWriter&) = delete;
  LogWriter& operator=(const LogWriter&) = delete;
  ~LogWriter() { Close(); }

  // `ptx` is the text of a JSON object, or empty.
  void Write(std::uint64_t cycle, const Operation& operation, const Effects& effects,
             std::string_view ptx = {});
  void Write(std::uint64_t cycle, const MbEvent& event, const MbEffects& effects,
             std::string_view ptx = {});

  void WriteReset(std::uint64_t cycle);

  // Returns false if the file could not be opened or written; error() then says so in a sentence.
  bool Close();
  const std::string& error() const { return error_; }

 private:
  void End(std::string_view ptx);
  void Flush();

  std::string path_;
  std::FILE* file_;
  fmt::memory_buffer buffer_;
  std::string error_;
};

class LogReader {
 public:
  // Opens the log and reads its header.
  explicit LogReader(const std::string& path);

  // Reads the next line. Returns false at the end of the log and on an error.
  bool Next(LogLine* line);

  // Null after an error in the header.
  const Config* config() const { return config_; }
  std::uint64_t seed() const { return seed_; }
  unsigned line() const { return line_; }
  // One sentence that begins with file and line; empty: no error.
  const std::string& error() const { return error_; }

 private:
  bool Fail(const std::string& what);
  bool ReadObject(nlohmann::json* object);
  void ReadHeader();

  std::string path_;
  std::ifstream file_;
  const Config* config_ = nullptr;
  std::uint64_t seed_ = 0;
  unsigned line_ = 0;
  std::string error_;
};

}  // namespace muster::log

#endif  // MUSTER_SIM_LOG_LOG_H_
