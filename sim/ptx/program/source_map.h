// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Where the lines of a PTX file come from: what compilers say by .file, .loc and .debug_str.
#ifndef MUSTER_SIM_PTX_PROGRAM_SOURCE_MAP_H_
#define MUSTER_SIM_PTX_PROGRAM_SOURCE_MAP_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sim/ptx/syntax/syntax.h"

namespace muster::ptx {

struct SourcePlace {
  std::string file;  // as the compiler names it
  std::uint32_t line = 0;
  std::string function;  // demangled
};

class SourceMap {
 public:
  SourceMap() = default;
  explicit SourceMap(const syntax::Module& module);

  // The place of the kernel's or the function's own source first, then what is inlined there, the
  // innermost last. Empty: the file does not say where that line comes from.
  std::vector<SourcePlace> At(std::uint32_t ptx_line) const;

  // The same in words, "mine.cu:12 in sum, inlined barrier.h:240 in wait"; or nothing. Of many that
  // are inlined in each other: the first, the last of the kernel's author, and the last.
  std::string Text(std::uint32_t ptx_line) const;

  // The line that the kernel's author would change, "mine.cu:12": the last one of At that is in the
  // folder of the first, or below it. Empty: the file does not say.
  std::string OwnLine(std::uint32_t ptx_line) const;

 private:
  struct Site {
    std::uint32_t file = 0;
    std::uint32_t line = 0;
    std::uint32_t column = 0;

    bool operator==(const Site& other) const {
      return file == other.file && line == other.line && column == other.column;
    }
  };
  struct Loc {
    std::uint32_t ptx_line = 0;
    Site site;
    std::string function;  // that the site is in, where it is inlined
    std::optional<Site> inlined_at;
  };
  struct Begin {
    std::uint32_t ptx_line = 0;
    std::string function;
  };

  void ReadLoc(const syntax::DebugText& text);
  void ReadFile(const syntax::DebugText& text);
  void ReadStrings(const syntax::DebugText& section);
  std::string FileOf(const Site& site) const;

  std::map<std::uint32_t, std::string> files_;
  std::map<std::string, std::string> strings_;  // of .debug_str, by label
  std::vector<Loc> locs_;                       // by line
  std::vector<Begin> functions_;                // likewise
};

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_PROGRAM_SOURCE_MAP_H_
