// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/launch/wait_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <string_view>
#include <utility>

namespace muster::ptx {
namespace {

constexpr std::size_t kShort = 8;     // rows that need no summary
constexpr std::size_t kSummary = 5;   // lines
constexpr std::size_t kMostCtas = 4;  // that are named
// A producer's first wait mostly is for the phase before the first.
constexpr const char* kFreshHint =
    "no phase has completed here: a wait for parity 0 waits for the first one, and a wait for "
    "parity 1 is answered at once";

// "warp 3", "warps 0, 4-7".
std::string WarpsText(const std::vector<unsigned>& warps) {
  std::string text;
  for (std::size_t i = 0; i < warps.size();) {
    std::size_t end = i + 1;
    while (end < warps.size() && warps[end] == warps[end - 1] + 1) {
      ++end;
    }
    text += fmt::format("{}{}", text.empty() ? "" : ", ", warps[i]);
    if (end - i > 1) {
      text += fmt::format("-{}", warps[end - 1]);
    }
    i = end;
  }
  return (warps.size() == 1 ? "warp " : "warps ") + text;
}

// "waits at barrier 1" of several warps: "wait at barrier 1".
std::string Of(std::size_t warps, const std::string& what) {
  constexpr std::pair<std::string_view, std::string_view> kVerbs[] = {{"waits", "wait"},
                                                                      {"has", "have"},
                                                                      {"repeats", "repeat"},
                                                                      {"exits", "exit"},
                                                                      {"runs", "run"}};
  for (const auto& [one, several] : kVerbs) {
    if (warps > 1 && what.rfind(one, 0) == 0) {
      return fmt::format("{}{}", several, what.substr(one.size()));
    }
  }
  return what;
}

// Warps that are at the same place.
struct Together {
  std::vector<unsigned> warps;
  std::string what;
  std::string brief;
  std::uint32_t line = 0;
  bool has_exited = false;

  std::string Names() const { return WarpsText(warps); }
  std::string Does() const { return Of(warps.size(), what); }
};

// The order in which warps came differs between CTAs in which all else is the same.
std::vector<Together> ByPlace(std::vector<WarpLocation> warps) {
  std::stable_sort(warps.begin(), warps.end(),
                   [](const WarpLocation& a, const WarpLocation& b) { return a.warp < b.warp; });
  std::vector<Together> groups;
  for (const WarpLocation& where : warps) {
    const auto same = std::find_if(groups.begin(), groups.end(), [&](const Together& group) {
      return group.what == where.what && group.line == where.line;
    });
    Together& group = same == groups.end() ? groups.emplace_back() : *same;
    group.warps.push_back(where.warp);
    group.what = where.what;
    group.brief = where.brief;
    group.line = where.line;
    group.has_exited = where.has_exited;
  }
  return groups;
}

// The warps of each CTA, in the order of the list.
std::vector<std::pair<std::uint64_t, std::vector<WarpLocation>>> ByCta(
    const std::vector<std::pair<std::uint64_t, WarpLocation>>& warps) {
  std::vector<std::pair<std::uint64_t, std::vector<WarpLocation>>> ctas;
  for (const auto& [cta, where] : warps) {
    if (ctas.empty() || ctas.back().first != cta) {
      ctas.push_back({cta, {}});
    }
    ctas.back().second.push_back(where);
  }
  return ctas;
}

std::string CtasText(const std::vector<std::string>& ctas) {
  const std::size_t named = ctas.size() > kMostCtas ? kMostCtas - 1 : ctas.size();
  std::string text = ctas.size() == 1 ? "CTA " : "CTAs ";
  for (std::size_t i = 0; i < named; ++i) {
    text += fmt::format("{}{}", i == 0 ? "" : " ", ctas[i]);
  }
  return named < ctas.size() ? text + fmt::format(" and {} more", ctas.size() - named) : text;
}

// The bytes that a phase still lacks, if any.
std::string BytesText(std::int64_t tx) {
  return tx == 0 ? ""
                 : fmt::format("{} byte{} {}", std::abs(tx), std::abs(tx) == 1 ? "" : "s",
                               tx > 0 ? "to come" : "more than expected");
}

}  // namespace

Waiting WaitingIn(const ClockedGrid& grid) {
  return {grid.StuckBarriers(), grid.StuckMbarriers(), grid.StuckClusters(), grid.StuckWarps(),
          grid.CtasNotBegun()};
}

WaitText::WaitText(const Program& program, const Launch& launch, Waiting waiting)
    : program_(program), launch_(launch), waiting_(std::move(waiting)) {
  for (const StuckBarrier& barrier : waiting_.barriers) {
    Add(barrier);
  }
  for (const StuckMbarrier& mbarrier : waiting_.mbarriers) {
    Add(mbarrier);
  }
  for (const StuckCluster& cluster : waiting_.clusters) {
    Add(cluster);
  }
  SortByCause();
}

std::string WaitText::Place(std::uint32_t line) const {
  const std::vector<SourcePlace> places = program_.sources.At(line);
  return places.empty()
             ? fmt::format("line {}", line)
             : fmt::format("{}:{}", std::filesystem::path(places.front().file).filename().string(),
                           places.front().line);
}

// Rows of warps that are at the barrier: "came     warps 4-7 at line 18: wait".
std::vector<std::string> WaitText::Present(const char* what,
                                           const std::vector<WarpLocation>& warps) const {
  std::vector<std::string> rows;
  for (const Together& group : ByPlace(warps)) {
    rows.push_back(fmt::format("{:<9}{} at {}: {}", what, group.Names(), program_.Place(group.line),
                               group.Does()));
  }
  return rows;
}

// Rows of warps that are not.
std::vector<std::string> WaitText::Absent(const std::vector<WarpLocation>& missing,
                                          const std::vector<WarpLocation>& others) const {
  const auto place = [this](const Together& group) {
    const bool has_lines = group.what.find("lanes 0x") != std::string::npos;
    return has_lines || group.line == 0 ? "" : fmt::format(" ({})", program_.Place(group.line));
  };
  std::vector<std::string> rows;
  for (const Together& group : ByPlace(missing)) {
    rows.push_back(
        fmt::format("missing  {}, which {}{}", group.Names(), group.Does(), place(group)));
  }
  for (const Together& group : ByPlace(others)) {
    const bool one = group.warps.size() == 1;
    rows.push_back(fmt::format("others   {}, which {} to no such arrival: {} {}{}", group.Names(),
                               one ? "comes" : "come", one ? "it" : "they", group.Does(),
                               place(group)));
  }
  return rows;
}

std::string WaitText::WaitersInShort(const std::vector<WarpLocation>& waiters) const {
  std::map<std::string, std::set<unsigned>> by_place;  // a line may have been unrolled
  for (const WarpLocation& where : waiters) {
    if (where.waits) {
      by_place[Place(where.line)].insert(where.warp);
    }
  }
  std::string text;
  for (const auto& [place, warps] : by_place) {
    text += fmt::format("{}{} {} at {}", text.empty() ? "" : ", ",
                        WarpsText({warps.begin(), warps.end()}),
                        warps.size() == 1 ? "waits" : "wait", place);
  }
  return text;
}

std::string WaitText::MissingInShort(const std::vector<WarpLocation>& missing,
                                     bool can_come) const {
  if (missing.empty()) {
    return "";
  }
  // Warps that have left too early are mostly what is wrong.
  std::vector<Together> groups = ByPlace(missing);
  std::stable_partition(groups.begin(), groups.end(),
                        [](const Together& group) { return group.has_exited; });
  if (can_come) {
    const Together& first = groups.front();
    return fmt::format(
        "; missing: {}, which {}{}", first.Names(),
        first.brief.empty() ? fmt::format("{} ({})", first.Does(), Place(first.line)) : first.brief,
        groups.size() == 1 ? "" : ", and others");
  }
  std::vector<std::string> where;
  std::set<unsigned> elsewhere;
  for (const Together& group : groups) {
    if (group.has_exited) {
      where.push_back(fmt::format("{} {}{}", group.Names(), group.Does(),
                                  group.line == 0 ? "" : fmt::format(" ({})", Place(group.line))));
    } else {
      elsewhere.insert(group.warps.begin(), group.warps.end());
    }
  }
  if (!elsewhere.empty()) {
    where.push_back(fmt::format("{} wait{} elsewhere",
                                WarpsText({elsewhere.begin(), elsewhere.end()}),
                                elsewhere.size() == 1 ? "s" : ""));
  }
  return fmt::format("; no other warp comes to an arrival here: {}", fmt::join(where, ", "));
}

void WaitText::Add(const StuckBarrier& barrier) {
  Paragraph paragraph;
  paragraph.ctas = {launch_.CtaName(barrier.cta)};
  paragraph.place = fmt::format("barrier {}", barrier.id);
  paragraph.where = fmt::format("{} ({})", paragraph.place, barrier.kind);
  paragraph.state = fmt::format("{} of {} warps have arrived{}", barrier.arrived, barrier.expected,
                                barrier.all_warps ? " (no count: all live warps)" : "");
  paragraph.rows = Present("came", barrier.came);
  for (std::string& row : Absent(barrier.missing, barrier.others)) {
    paragraph.rows.push_back(std::move(row));
  }
  const std::string waiters = WaitersInShort(barrier.came);
  paragraph.in_short = fmt::format("{} of {} warps have arrived; {}{}", barrier.arrived,
                                   barrier.expected, waiters.empty() ? "no warp waits" : waiters,
                                   MissingInShort(barrier.missing, barrier.can_come));
  for (const WarpLocation& where : barrier.came) {
    if (where.waits) {
      paragraph.waiting.insert({barrier.cta, where.warp});
    }
  }
  NoteAbsent(barrier.cta, barrier.missing, barrier.others);
  for (const WarpLocation& where : barrier.missing) {
    if (barrier.can_come) {
      paragraph.missing.insert({barrier.cta, where.warp});
    }
  }
  Add(std::move(paragraph));
}

void WaitText::Add(const StuckMbarrier& mbarrier) {
  Paragraph paragraph;
  const std::string bytes = BytesText(mbarrier.tx);
  paragraph.ctas = {launch_.CtaName(mbarrier.cta)};
  const int parity = mbarrier.parity ? 1 : 0;
  paragraph.place = "mbarrier " + mbarrier.name;
  paragraph.where = paragraph.place;
  paragraph.state = fmt::format(
      "{}, {} of {} arrivals pending, tx-count {}{}{}",
      mbarrier.phase ? fmt::format("phase {} (parity {})", *mbarrier.phase, parity)
                     : fmt::format("a phase of parity {}", parity),
      mbarrier.pending, mbarrier.expected, mbarrier.tx, bytes.empty() ? "" : ", ", bytes);
  for (const auto& rows : {Present("came", mbarrier.came), Present("waits", mbarrier.waits),
                           Absent(mbarrier.missing, mbarrier.others)}) {
    paragraph.rows.insert(paragraph.rows.end(), rows.begin(), rows.end());
  }
  std::vector<std::string> lacks;
  if (mbarrier.pending != 0) {
    lacks.push_back(fmt::format("{} of {} arrivals {} lacking", mbarrier.pending, mbarrier.expected,
                                mbarrier.pending == 1 ? "is" : "are"));
  }
  if (!bytes.empty()) {
    lacks.push_back(bytes + (mbarrier.tx > 0 ? ", and no copy is under way" : ""));
  }
  paragraph.in_short =
      fmt::format("{} for {}; {}{}", WaitersInShort(mbarrier.waits),
                  mbarrier.phase ? fmt::format("phase {}", *mbarrier.phase)
                                 : fmt::format("a phase of parity {}", parity),
                  fmt::join(lacks, ", "), MissingInShort(mbarrier.missing, mbarrier.can_come));
  paragraph.is_fresh = mbarrier.fresh && mbarrier.came.empty() &&
                       mbarrier.pending == mbarrier.expected && mbarrier.tx == 0;
  for (const WarpLocation& where : mbarrier.waits) {
    paragraph.waiting.insert({mbarrier.cta, where.warp});
  }
  NoteAbsent(mbarrier.cta, mbarrier.missing, mbarrier.others);
  for (const WarpLocation& where : mbarrier.missing) {
    if (mbarrier.can_come) {
      paragraph.missing.insert({mbarrier.cta, where.warp});
    }
  }
  Add(std::move(paragraph));
}

void WaitText::Add(const StuckCluster& cluster) {
  Paragraph paragraph;
  paragraph.place = "barrier.cluster";
  paragraph.where =
      fmt::format("cluster ({}), {}", fmt::join(cluster.cluster, ","), paragraph.place);
  paragraph.state = fmt::format("{} of {} warps have arrived", cluster.arrived, cluster.expected);
  std::vector<WarpLocation> waiting;
  std::vector<WarpLocation> missing;
  const auto row_of = [this](std::uint64_t cta, const std::string& row) {
    constexpr std::size_t kName = 9;  // "came     "
    return fmt::format("{}CTA {}, {}", row.substr(0, kName), launch_.CtaName(cta),
                       row.substr(kName));
  };
  for (const auto& [cta, warps] : ByCta(cluster.came)) {
    for (const std::string& row : Present("came", warps)) {
      paragraph.rows.push_back(row_of(cta, row));
    }
    for (const WarpLocation& where : warps) {
      if (where.waits) {
        paragraph.waiting.insert({cta, where.warp});
      }
    }
  }
  for (const auto& [cta, warps] : ByCta(cluster.missing)) {
    for (const std::string& row : Absent(warps, {})) {
      paragraph.rows.push_back(row_of(cta, row));
    }
    NoteAbsent(cta, warps, {});
    for (const WarpLocation& where : warps) {
      paragraph.missing.insert({cta, where.warp});
    }
  }
  paragraph.in_short =
      fmt::format("{} of {} warps have arrived", cluster.arrived, cluster.expected);
  if (!cluster.missing.empty()) {
    const auto [cta, warps] = ByCta(cluster.missing).front();
    paragraph.in_short +=
        fmt::format("{} of CTA {}", MissingInShort(warps, true), launch_.CtaName(cta));
  }
  Add(std::move(paragraph));
}

void WaitText::NoteAbsent(std::uint64_t cta, const std::vector<WarpLocation>& missing,
                          const std::vector<WarpLocation>& others) {
  for (const std::vector<WarpLocation>* const warps : {&missing, &others}) {
    for (const WarpLocation& where : *warps) {
      absent_.insert({cta, where.warp});
    }
  }
}

void WaitText::Add(Paragraph paragraph) {
  const auto same =
      std::find_if(paragraphs_.begin(), paragraphs_.end(), [&](const Paragraph& other) {
        return !paragraph.ctas.empty() && other.where == paragraph.where &&
               other.state == paragraph.state && other.rows == paragraph.rows;
      });
  if (same == paragraphs_.end()) {
    paragraphs_.push_back(std::move(paragraph));
    return;
  }
  same->ctas.push_back(paragraph.ctas.front());
  same->waiting.insert(paragraph.waiting.begin(), paragraph.waiting.end());
  same->missing.insert(paragraph.missing.begin(), paragraph.missing.end());
}

std::string WaitText::Details() const {
  std::string text;
  for (const Paragraph& paragraph : paragraphs_) {
    text += fmt::format("  {}{}{}: {}\n", paragraph.ctas.empty() ? "" : CtasText(paragraph.ctas),
                        paragraph.ctas.empty() ? "" : ", ", paragraph.where, paragraph.state);
    for (const std::string& row : paragraph.rows) {
      text += fmt::format("    {}\n", row);
    }
    if (paragraph.is_fresh && paragraph.follows_from == 0) {
      text += fmt::format("    {:<9}{}\n", "hint", kFreshHint);
    }
  }
  for (const auto& [row, ctas] : Elsewhere()) {
    text += fmt::format("  {}, {}\n", CtasText(ctas), row);
  }
  if (const std::uint64_t ctas = waiting_.not_begun; ctas != 0) {
    text += fmt::format(
        "  {} CTA{} not begun: there is room when one ends, or in a larger configuration\n", ctas,
        ctas == 1 ? " has" : "s have");
  }
  return text;
}

// Each place with the CTAs of which it is.
std::vector<std::pair<std::string, std::vector<std::string>>> WaitText::Elsewhere() const {
  std::map<std::uint64_t, std::vector<WarpLocation>> by_cta;
  for (const StuckWarp& warp : waiting_.warps) {
    if (absent_.count({warp.cta, warp.where.warp}) == 0) {
      by_cta[warp.cta].push_back(warp.where);
    }
  }
  std::vector<std::pair<std::string, std::vector<std::string>>> rows;
  for (const auto& [cta, warps] : by_cta) {
    for (const Together& group : ByPlace(warps)) {
      const std::string row = fmt::format("{} {}", group.Names(), group.Does());
      const auto same = std::find_if(rows.begin(), rows.end(),
                                     [&](const auto& other) { return other.first == row; });
      (same == rows.end() ? rows.emplace_back(row, std::vector<std::string>{}) : *same)
          .second.push_back(launch_.CtaName(cta));
    }
  }
  return rows;
}

// Whether a warp that is missing at one barrier waits at the other.
bool WaitText::LeadsTo(const Paragraph& from, const Paragraph& to) const {
  return std::any_of(from.missing.begin(), from.missing.end(),
                     [&](const auto& warp) { return to.waiting.count(warp) != 0; });
}

// Puts each barrier after those from which it follows: what it lacks waits there, and not the other
// way round. The first ones are causes, from which all others follow.
void WaitText::SortByCause() {
  const std::size_t n = paragraphs_.size();
  std::vector<std::vector<bool>> reaches(n, std::vector<bool>(n));
  for (std::size_t a = 0; a < n; ++a) {
    for (std::size_t b = 0; b < n; ++b) {
      reaches[a][b] = LeadsTo(paragraphs_[a], paragraphs_[b]);
    }
  }
  for (std::size_t via = 0; via < n; ++via) {
    for (std::size_t a = 0; a < n; ++a) {
      for (std::size_t b = 0; b < n && reaches[a][via]; ++b) {
        reaches[a][b] = reaches[a][b] || reaches[via][b];
      }
    }
  }
  for (std::size_t a = 0; a < n; ++a) {
    for (std::size_t b = 0; b < n; ++b) {
      paragraphs_[a].follows_from += reaches[a][b] && !reaches[b][a] ? 1 : 0;
    }
  }
  // A barrier follows from more than each of those from which it follows.
  std::stable_sort(
      paragraphs_.begin(), paragraphs_.end(),
      [](const Paragraph& a, const Paragraph& b) { return a.follows_from < b.follows_from; });
  causes_ = static_cast<std::size_t>(
      std::count_if(paragraphs_.begin(), paragraphs_.end(),
                    [](const Paragraph& one) { return one.follows_from == 0; }));
}

std::vector<std::string> WaitText::Causes() const {
  std::vector<std::string> causes;
  for (std::size_t i = 0; i < causes_; ++i) {
    const Paragraph& paragraph = paragraphs_[i];
    causes.push_back(
        fmt::format("{}{}: {}", paragraph.where,
                    paragraph.ctas.empty() ? "" : fmt::format(" of {}", CtasText(paragraph.ctas)),
                    paragraph.in_short));
  }
  return causes;
}

std::string WaitText::Hint() const {
  const auto end = paragraphs_.begin() + static_cast<std::ptrdiff_t>(causes_);
  return std::any_of(paragraphs_.begin(), end, [](const Paragraph& one) { return one.is_fresh; })
             ? kFreshHint
             : "";
}

std::string WaitText::Summary() const {
  const std::string details = Details();
  if (static_cast<std::size_t>(std::count(details.begin(), details.end(), '\n')) <= kShort) {
    return "";
  }
  const std::string hint = Hint();
  const std::vector<std::string> causes = Causes();
  const std::size_t follow = paragraphs_.size() - causes.size();
  const std::size_t most = kSummary - (hint.empty() ? 1 : 2);
  std::string text;
  for (std::size_t i = 0; i < std::min(causes.size(), most); ++i) {
    text += fmt::format("  {}\n", causes[i]);
  }
  std::vector<std::string> rest;
  if (causes.size() > most) {
    rest.push_back(fmt::format("{} more like these", causes.size() - most));
  }
  if (follow != 0) {
    rest.push_back(fmt::format("{} more barrier{} in vain only because of {}", follow,
                               follow == 1 ? " is waited at" : "s are waited at",
                               causes.size() == 1 ? "this" : "these"));
  }
  text += rest.empty() ? "" : fmt::format("  {}\n", fmt::join(rest, "; "));
  return hint.empty() ? text : text + fmt::format("  hint: {}\n", hint);
}

}  // namespace muster::ptx
