// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/launch/hang_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <map>
#include <sstream>
#include <string_view>
#include <utility>

#include "sim/isa/operation.h"
#include "sim/isa/warp_size.h"
#include "sim/ptx/program/demangle.h"
#include "sim/ptx/syntax/error.h"

namespace muster::ptx {
namespace {

constexpr std::string_view kForms =
    "the row is none of: warp (X,Y,Z) N lanes MASK at FILE:LINE; a row of \"info cuda threads\"; "
    "block (X,Y,Z); ADDRESS: WORD or VARIABLE+BYTES: WORD; barrier N: M warps; base ADDRESS; "
    "launch FILE";

std::string NameOf(const std::string& path) {
  return std::filesystem::path(path).filename().string();
}

}  // namespace

// Reads a row from left to right. What does not match is left for another try.
class HangFile::Row {
 public:
  explicit Row(std::string_view text) : rest_(text) { Skip(); }

  bool empty() const { return rest_.empty(); }
  bool Begins(std::string_view text) const { return rest_.substr(0, text.size()) == text; }
  bool Take(std::string_view text) {
    if (!Begins(text)) {
      return false;
    }
    rest_.remove_prefix(text.size());
    Skip();
    return true;
  }
  void TakeUntil(char end) {
    const std::size_t found = rest_.find(end);
    rest_.remove_prefix(found == std::string_view::npos ? rest_.size() : found + 1);
    Skip();
  }
  bool Number(std::uint64_t* number) {
    const bool hex = Begins("0x");
    const char* const begin = rest_.data() + (hex ? 2 : 0);
    constexpr int kHex = 16;
    constexpr int kDecimal = 10;
    const auto [end, error] =
        std::from_chars(begin, rest_.data() + rest_.size(), *number, hex ? kHex : kDecimal);
    if (error != std::errc()) {
      return false;
    }
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    Skip();
    return true;
  }
  bool TakePoint(Point* point) {
    bool is_there = Take("(");
    for (std::size_t i = 0; i < point->size() && is_there; ++i) {
      std::uint64_t value = 0;
      is_there = Number(&value) && value <= ~std::uint32_t{0} && Take(i < 2 ? "," : ")");
      (*point)[i] = static_cast<std::uint32_t>(value);
    }
    return is_there;
  }
  // Up to one of these characters, or to the end.
  std::string Word(const char* ends) {
    const std::string_view word = rest_.substr(0, rest_.find_first_of(ends));
    rest_.remove_prefix(word.size());
    Skip();
    return std::string(word);
  }
  // FILE:LINE
  bool Place(std::string* file, std::uint64_t* line) {
    const std::size_t colon = rest_.rfind(':');
    if (colon == std::string_view::npos || colon == 0) {
      return false;
    }
    *file = std::string(rest_.substr(0, colon));
    rest_.remove_prefix(colon + 1);
    return Number(line);
  }

 private:
  void Skip() {
    while (!rest_.empty() && (rest_.front() == ' ' || rest_.front() == '\t')) {
      rest_.remove_prefix(1);
    }
  }

  std::string_view rest_;
};

void HangFile::Fail(unsigned at, const std::string& what) const {
  throw InputError(fmt::format("{}:{}: {}", path_, at, Printable(what)));
}

HangFile::HangFile(const std::string& path) : path_(path) {
  std::istringstream text(ReadFile(path, "dump of a hung grid"));
  std::string line;
  for (unsigned at = 1; std::getline(text, line); ++at) {
    if (!line.empty() && line.back() == '\r') {
      line.pop_back();
    }
    Row row(line);
    Read(&row, at);
  }
  if (threads_.empty()) {
    throw InputError(fmt::format("{}: it says of no thread where it stands", path_));
  }
}

void HangFile::Read(Row* row, unsigned at) {
  // What a debugger prints around its rows.
  if (row->empty() || row->Begins("#") || row->Begins("BlockIdx") || row->Begins("Kernel ") ||
      row->Begins("Device ")) {
    return;
  }
  const bool focus = row->Begins("[Switching focus to CUDA");
  if (focus) {
    row->TakeUntil(',');  // kernel
    row->TakeUntil(',');  // grid
  }
  if (focus || row->Begins("block")) {
    Point block;
    if (!row->Take("block") || !row->TakePoint(&block) || (!focus && !row->empty())) {
      Fail(at, "a block is written as block (X,Y,Z)");
    }
    block_ = block;
    return;
  }
  if (row->Take("launch ")) {
    const std::filesystem::path file = row->Word("\n");
    launch_ = file.is_absolute() ? file.string()
                                 : (std::filesystem::path(path_).parent_path() / file).string();
    return;
  }
  if (row->Take("base ")) {
    if (!row->Number(&base_) || !row->empty()) {
      Fail(at, "base is followed by an address, as 0x400");
    }
    return;
  }
  if (row->Take("barrier ")) {
    Barrier barrier{at, Block(at)};
    const bool is_there = row->Number(&barrier.id) && row->Take(":") &&
                          row->Number(&barrier.arrived) &&
                          (row->Take("warps") || row->Take("warp")) && row->empty();
    if (!is_there || barrier.id >= kNumBars) {
      Fail(at, fmt::format("a barrier is written as barrier N: M warps, with N from 0 to {}",
                           kNumBars - 1));
    }
    barriers_.push_back(barrier);
    return;
  }
  if (!ReadThreads(row, at) && !ReadWords(row, at)) {
    Fail(at, std::string(kForms));
  }
}

// Returns false if the row is none of threads.
bool HangFile::ReadThreads(Row* row, unsigned at) {
  Threads threads;
  threads.at = at;
  if (row->Take("warp ")) {
    std::uint64_t warp = 0;
    threads.lanes = ~std::uint32_t{0};
    if (!row->TakePoint(&threads.first_block) || !row->Number(&warp) ||
        (row->Take("lanes ") && !row->Number(&threads.lanes)) || !row->Take("at ") ||
        !row->Place(&threads.file, &threads.line) || !row->empty()) {
      Fail(at, "a warp is written as warp (X,Y,Z) N lanes MASK at FILE:LINE");
    }
    threads.warp = warp;
    threads_.push_back(std::move(threads));
    return true;
  }
  row->Take("*");  // the debugger's focus
  if (!row->Begins("(")) {
    return false;
  }
  std::uint64_t pc = 0;
  if (!row->TakePoint(&threads.first_block) || !row->TakePoint(&threads.first_thread) ||
      !row->TakePoint(&threads.last_block) || !row->TakePoint(&threads.last_thread) ||
      !row->Number(&threads.count) || !row->Number(&pc)) {
    Fail(at,
         "a row of \"info cuda threads\" has the first block and thread, the last ones, how many "
         "there are, an address, a file and a line");
  }
  threads.file = row->Word(" \t");
  if (!row->Number(&threads.line) || threads.line == 0 || !row->empty()) {
    Fail(at, "the debugger knows no line there: compile the kernel with -lineinfo");
  }
  threads_.push_back(std::move(threads));
  return true;
}

// Returns false if the row is none of words of memory.
bool HangFile::ReadWords(Row* row, unsigned at) {
  constexpr unsigned kWordBytes = 8;
  Word word;
  word.at = at;
  if (row->Begins("0x")) {
    if (!row->Number(&word.address)) {
      return false;
    }
    if (row->Begins("<")) {
      row->TakeUntil('>');
    }
  } else {
    word.variable = row->Word("+: \t");
    if (word.variable.empty() || (row->Take("+") && !row->Number(&word.address))) {
      return false;
    }
  }
  if (!row->Take(":") || !row->Number(&word.bits)) {
    return false;
  }
  word.block = Block(at);
  words_.push_back(word);
  while (!row->empty()) {
    word.address += kWordBytes;
    if (!row->Number(&word.bits)) {
      return false;
    }
    words_.push_back(word);
  }
  return true;
}

const HangFile::Point& HangFile::Block(unsigned at) const {
  if (!block_) {
    Fail(at, "no row before says of which block this is: block (X,Y,Z)");
  }
  return *block_;
}

std::uint64_t HangFile::CtaOf(const Launch& launch, const Point& block, unsigned at) const {
  for (std::size_t i = 0; i < block.size(); ++i) {
    if (block[i] >= launch.grid[i]) {
      Fail(at, fmt::format("there is no block ({}): the grid is {}", fmt::join(block, ","),
                           fmt::join(launch.grid, "x")));
    }
  }
  return LinearOf(block, launch.grid);
}

// The instructions of a line of the PTX file, or of its source.
std::vector<std::uint32_t> HangFile::PcsOf(const Program& program, const Threads& threads) const {
  std::vector<std::uint32_t> pcs;
  const std::string name = NameOf(threads.file);
  const bool is_ptx = name == NameOf(program.file);
  for (std::uint32_t pc = 0; pc < program.code.size(); ++pc) {
    const std::uint32_t line = program.code[pc].line;
    const std::vector<SourcePlace> places =
        is_ptx ? std::vector<SourcePlace>{} : program.sources.At(line);
    if (is_ptx ? line == threads.line
               : std::any_of(places.begin(), places.end(), [&](const SourcePlace& place) {
                   return place.line == threads.line && NameOf(place.file) == name;
                 })) {
      pcs.push_back(pc);
    }
  }
  if (pcs.empty()) {
    Fail(threads.at, fmt::format("{}:{} is no instruction of the kernel in {}", threads.file,
                                 threads.line, program.file));
  }
  return pcs;
}

std::uint32_t HangFile::AddressOf(const Program& program, const Word& word) const {
  std::uint64_t address = word.address - base_;
  if (!word.variable.empty()) {
    const auto variable = std::find_if(
        program.shared_names.begin(), program.shared_names.end(), [&](const SharedName& name) {
          return name.name == word.variable || Demangled(name.name) == word.variable;
        });
    if (variable == program.shared_names.end()) {
      Fail(word.at, fmt::format("the kernel has no variable {} in shared memory", word.variable));
    }
    address = variable->address + word.address;
  }
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(address, ~std::uint32_t{0}));
}

void HangFile::AddThreads(const Program& program, const Launch& launch, const Threads& threads,
                          Hang* hang) const {
  const std::vector<std::uint32_t> pcs = PcsOf(program, threads);
  const std::uint64_t cta = CtaOf(launch, threads.first_block, threads.at);
  const std::uint64_t of_cta = launch.Threads();
  const auto lanes_of = [&](std::uint64_t warp) {
    const std::uint64_t left = of_cta - warp * kWarpSize;
    return left >= kWarpSize ? ~std::uint32_t{0} : (std::uint32_t{1} << left) - 1;
  };
  if (threads.warp) {
    if (*threads.warp >= launch.Warps()) {
      Fail(threads.at,
           fmt::format("there is no warp {}: a block has {}", *threads.warp, launch.Warps()));
    }
    const auto lanes = static_cast<std::uint32_t>(threads.lanes) & lanes_of(*threads.warp);
    if (lanes == 0 || threads.lanes > ~std::uint32_t{0}) {
      Fail(threads.at, fmt::format("the warp has no lanes {:#x}", threads.lanes));
    }
    hang->lanes.push_back({cta, static_cast<unsigned>(*threads.warp), lanes, pcs});
    return;
  }
  const auto index = [&](const Point& block, const Point& thread) {
    for (std::size_t i = 0; i < thread.size(); ++i) {
      if (thread[i] >= launch.block[i]) {
        Fail(threads.at, fmt::format("there is no thread ({}): the block is {}",
                                     fmt::join(thread, ","), fmt::join(launch.block, "x")));
      }
    }
    return CtaOf(launch, block, threads.at) * of_cta + LinearOf(thread, launch.block);
  };
  const std::uint64_t first = index(threads.first_block, threads.first_thread);
  const std::uint64_t last = index(threads.last_block, threads.last_thread);
  if (first > last || last - first + 1 != threads.count) {
    Fail(threads.at, fmt::format("it says {} threads, and from the first to the last there are {}",
                                 threads.count, first > last ? 0 : last - first + 1));
  }
  for (std::uint64_t thread = first; thread <= last; ++thread) {
    const auto warp = static_cast<unsigned>(thread % of_cta / kWarpSize);
    const std::uint32_t lane = std::uint32_t{1} << (thread % of_cta % kWarpSize);
    if (thread == first || lane == 1) {
      hang->lanes.push_back({thread / of_cta, warp, 0, pcs});
    }
    hang->lanes.back().lanes |= lane;
  }
}

Hang HangFile::Of(const Program& program, const Launch& launch) const {
  if (launch.Launches() != 1) {
    throw InputError(fmt::format("{}: explain takes one launch, and here are {} that overlap",
                                 path_, launch.Launches()));
  }
  Hang hang;
  std::map<std::pair<std::uint64_t, unsigned>, std::uint32_t> named;
  for (const Threads& threads : threads_) {
    const std::size_t before = hang.lanes.size();
    AddThreads(program, launch, threads, &hang);
    for (std::size_t i = before; i < hang.lanes.size(); ++i) {
      const Hang::Lanes& lanes = hang.lanes[i];
      std::uint32_t& known = named[{lanes.cta, lanes.warp}];
      if ((known & lanes.lanes) != 0) {
        Fail(threads.at,
             fmt::format("lanes {:#010x} of warp {} of block {} stand somewhere already",
                         known & lanes.lanes, lanes.warp, launch.CtaName(lanes.cta)));
      }
      known |= lanes.lanes;
    }
  }
  for (const Word& word : words_) {
    const std::uint32_t address = AddressOf(program, word);
    constexpr unsigned kWordBytes = 8;
    if (address % kWordBytes != 0 || std::uint64_t{address} + kWordBytes > launch.shared_bytes) {
      Fail(word.at, fmt::format("{:#x} is no word of 8 bytes in the {} bytes of shared memory",
                                address, launch.shared_bytes));
    }
    hang.words.push_back({CtaOf(launch, word.block, word.at), address, word.bits});
  }
  for (const Barrier& barrier : barriers_) {
    if (barrier.arrived > launch.Warps()) {
      Fail(barrier.at, fmt::format("a block has {} warps", launch.Warps()));
    }
    hang.barriers.push_back({CtaOf(launch, barrier.block, barrier.at),
                             static_cast<unsigned>(barrier.id),
                             static_cast<unsigned>(barrier.arrived)});
  }
  return hang;
}

std::string HangText(const Session& session) {
  const Launch& launch = session.launch();
  const ClockedGrid& grid = session.grid();
  const std::string file = NameOf(session.program().file);
  std::string text = "# muster run: a hung grid\n";
  for (const LanesAt& at : grid.Standing()) {
    text +=
        fmt::format("warp ({}) {} lanes {:#010x} at {}:{}\n",
                    fmt::join(PointOf(at.cta, launch.grid), ","), at.warp, at.lanes, file, at.line);
  }
  std::map<std::uint64_t, std::string> held;  // by CTA
  for (const StuckBarrier& barrier : grid.StuckBarriers()) {
    held[barrier.cta] += fmt::format("barrier {}: {} warp{}\n", barrier.id, barrier.arrived,
                                     barrier.arrived == 1 ? "" : "s");
  }
  for (const MbarrierWord& word : grid.MbarrierWords()) {
    held[word.cta] += fmt::format("{:#x}: {:#018x}\n", word.address, word.bits);
  }
  for (const auto& [cta, rows] : held) {
    text += fmt::format("block ({})\n{}", fmt::join(PointOf(cta, launch.grid), ","), rows);
  }
  return text;
}

}  // namespace muster::ptx
