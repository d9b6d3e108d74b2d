// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Which warps wait for which others when a run has stopped, in words: a paragraph for each barrier,
// and, where these are long, a summary of those from which the others follow.
#ifndef MUSTER_SIM_PTX_LAUNCH_WAIT_TEXT_H_
#define MUSTER_SIM_PTX_LAUNCH_WAIT_TEXT_H_

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "sim/ptx/program/program.h"
#include "sim/ptx/runtime/on_pins/clocked_grid.h"

namespace muster::ptx {

// What waits for what when a run has stopped.
struct Waiting {
  std::vector<StuckBarrier> barriers;
  std::vector<StuckMbarrier> mbarriers;
  std::vector<StuckCluster> clusters;
  std::vector<StuckWarp> warps;
  std::uint64_t not_begun = 0;  // CTAs
};
Waiting WaitingIn(const ClockedGrid& grid);

class WaitText {
 public:
  using Warps = std::set<std::pair<std::uint64_t, unsigned>>;  // of CTAs, by their linear ids
  // A barrier at which warps wait. Those of several CTAs at which all is the same are one.
  struct Paragraph {
    std::vector<std::string> ctas;  // their names; of barrier.cluster there are none
    std::string place;              // as a timeline names it: "barrier 1"
    std::string where;              // "barrier 1 (sync)"
    std::string state;              // "1 of 2 warps have arrived"
    std::vector<std::string> rows;
    std::string in_short;   // "warps 4-7 wait at k.cu:54; 16 bytes are lacking"
    bool is_fresh = false;  // an mbarrier at which nothing has happened
    Warps waiting;
    Warps missing;                 // those that can come
    std::size_t follows_from = 0;  // how many others
  };

  WaitText(const Program& program, const Launch& launch, Waiting waiting);

  // The paragraphs, and what stands at no barrier. Ends with a line feed, unless it is empty.
  std::string Details() const;
  // At most five lines; none if the details are as short.
  std::string Summary() const;
  // The sentences of the summary: which warps wait at which barrier, and what that lacks.
  std::vector<std::string> Causes() const;
  // What may be wrong where a cause is a wait at an mbarrier at which nothing has happened, or "".
  std::string Hint() const;
  const std::vector<Paragraph>& paragraphs() const { return paragraphs_; }

 private:
  void Add(const StuckBarrier& barrier);
  void Add(const StuckMbarrier& mbarrier);
  void Add(const StuckCluster& cluster);
  void Add(Paragraph paragraph);
  // Rows of the paragraphs say where these are.
  void NoteAbsent(std::uint64_t cta, const std::vector<WarpLocation>& missing,
                  const std::vector<WarpLocation>& others);
  // What stands at no barrier and is in no row: "warp 0 repeats a loop: ...".
  std::vector<std::pair<std::string, std::vector<std::string>>> Elsewhere() const;
  std::string Place(std::uint32_t line) const;  // in short: "k.cu:54"
  std::vector<std::string> Present(const char* what, const std::vector<WarpLocation>& warps) const;
  std::vector<std::string> Absent(const std::vector<WarpLocation>& missing,
                                  const std::vector<WarpLocation>& others) const;
  std::string WaitersInShort(const std::vector<WarpLocation>& waiters) const;
  std::string MissingInShort(const std::vector<WarpLocation>& missing, bool can_come) const;
  void SortByCause();
  bool LeadsTo(const Paragraph& from, const Paragraph& to) const;

  const Program& program_;
  const Launch& launch_;
  const Waiting waiting_;
  std::vector<Paragraph> paragraphs_;  // causes first
  Warps absent_;                       // of which a row says where they are
  std::size_t causes_ = 0;             // how many
};

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_LAUNCH_WAIT_TEXT_H_
