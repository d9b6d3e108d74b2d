// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// A hung grid as text (sim/REPORTS.md): where its threads stand, and what their barriers hold. A
// run writes it at a deadlock, and a debugger shows the same of a GPU.
#ifndef MUSTER_SIM_PTX_LAUNCH_HANG_FILE_H_
#define MUSTER_SIM_PTX_LAUNCH_HANG_FILE_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/ptx/launch/session.h"
#include "sim/ptx/program/program.h"
#include "sim/ptx/simt/launch.h"

namespace muster::ptx {

// What is known of a hung grid. Threads that it does not name have exited or have not begun.
struct Hang {
  struct Lanes {
    std::uint64_t cta = 0;  // linear
    unsigned warp = 0;      // of the CTA
    std::uint32_t lanes = 0;
    std::vector<std::uint32_t> pcs;  // they stand at one of these
  };
  struct Word {
    std::uint64_t cta = 0;
    std::uint32_t address = 0;
    std::uint64_t bits = 0;
  };
  struct Barrier {
    std::uint64_t cta = 0;
    unsigned id = 0;
    unsigned arrived = 0;  // warps
  };
  std::vector<Lanes> lanes;
  std::vector<Word> words;
  std::vector<Barrier> barriers;
};

class HangFile {
 public:
  // Throws InputError, here and below.
  explicit HangFile(const std::string& path);

  // The launch that the file names, with the file's folder before it; empty: it names none.
  const std::string& launch() const { return launch_; }
  // Of a kernel and its launch.
  Hang Of(const Program& program, const Launch& launch) const;

 private:
  using Point = std::array<std::uint32_t, 3>;
  // Threads from the first to the last, in the order of the grid, or lanes of a warp.
  struct Threads {
    unsigned at = 0;  // the line
    Point first_block{};
    Point first_thread{};
    Point last_block{};
    Point last_thread{};
    std::uint64_t count = 0;
    std::optional<std::uint64_t> warp;  // of the first block
    std::uint64_t lanes = 0;
    std::string file;
    std::uint64_t line = 0;
  };
  struct Word {
    unsigned at = 0;
    Point block{};
    std::string variable;  // empty: the address is that of the word
    std::uint64_t address = 0;
    std::uint64_t bits = 0;
  };
  struct Barrier {
    unsigned at = 0;
    Point block{};
    std::uint64_t id = 0;
    std::uint64_t arrived = 0;
  };
  class Row;

  [[noreturn]] void Fail(unsigned at, const std::string& what) const;
  void Read(Row* row, unsigned at);
  bool ReadThreads(Row* row, unsigned at);
  bool ReadWords(Row* row, unsigned at);
  const Point& Block(unsigned at) const;
  std::uint64_t CtaOf(const Launch& launch, const Point& block, unsigned at) const;
  std::vector<std::uint32_t> PcsOf(const Program& program, const Threads& threads) const;
  std::uint32_t AddressOf(const Program& program, const Word& word) const;
  void AddThreads(const Program& program, const Launch& launch, const Threads& threads,
                  Hang* hang) const;

  std::string path_;
  std::string launch_;
  std::uint64_t base_ = 0;  // where shared memory begins
  std::optional<Point> block_;
  std::vector<Threads> threads_;
  std::vector<Word> words_;
  std::vector<Barrier> barriers_;
};

// The text of a file that says where the threads of a run have ended.
std::string HangText(const Session& session);

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_LAUNCH_HANG_FILE_H_
