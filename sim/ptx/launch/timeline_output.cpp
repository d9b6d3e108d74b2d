// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/launch/timeline_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <string_view>
#include <vector>

#include "sim/ptx/launch/page_output.h"
#include "sim/ptx/program/demangle.h"

namespace muster::ptx {
namespace {

using OrderedJson = nlohmann::ordered_json;
using Kind = Timeline::Kind;

constexpr unsigned kTracks = 64;  // of a warp at most: one lane each, twice over

std::string NameOf(const Session& session, const Timeline::Place& place) {
  switch (place.kind) {
    case Kind::kBarrier:
      return fmt::format("barrier {}", place.id);
    case Kind::kMbarrier:
      return "mbarrier " + session.grid().MbarrierAt(place.id);
    case Kind::kCluster:
      return "barrier.cluster";
    case Kind::kLanes:
      return "other lanes of the warp";
  }
  return "";
}

// The recorded waits, each with a track of its row on which it overlaps no other one.
struct Bars {
  Bars(const Timeline& timeline, std::uint64_t cycles)
      : last(std::min(cycles, timeline.full_at())) {
    std::map<std::uint32_t, std::vector<std::uint64_t>> ends;  // by row: of each track
    for (const Timeline::Wait& wait : timeline.waits()) {
      std::vector<std::uint64_t>& own = ends[wait.from.row];
      const auto free = std::find_if(own.begin(), own.end(),
                                     [&](std::uint64_t end) { return end <= wait.from.cycle; });
      const auto track = static_cast<unsigned>(free - own.begin());
      tracks.push_back(std::min(track, kTracks - 1));
      own.resize(std::max<std::size_t>(own.size(), track + 1));
      own[track] = EndOf(wait);
    }
  }
  std::uint64_t EndOf(const Timeline::Wait& wait) const {
    return std::max(std::min(wait.end, last), wait.from.cycle);
  }

  const std::uint64_t last;  // what is open then ends there
  std::vector<unsigned> tracks;
};

// The names of places and lines, each once.
class Names {
 public:
  explicit Names(const Session& session) : session_(session) {}

  std::size_t Of(const Timeline::Place& place) {
    const std::string name = NameOf(session_, place);
    const auto [found, is_new] = numbers_.emplace(name, places.size());
    if (is_new) {
      places.push_back({{"name", name}, {"kind", static_cast<int>(place.kind)}});
    }
    return found->second;
  }
  std::uint32_t Of(std::uint32_t line) {
    lines[std::to_string(line)] = line == 0 ? "" : session_.program().Place(line);
    return line;
  }

  OrderedJson places = OrderedJson::array();
  OrderedJson lines = OrderedJson::object();

 private:
  const Session& session_;
  std::map<std::string, std::size_t> numbers_;
};

// -1: no operation; -2: a copy, or another CTA.
std::int64_t Releaser(const Timeline::Wait& wait) {
  return wait.by == Timeline::kNobody    ? -1
         : wait.by == Timeline::kOutside ? -2
                                         : static_cast<std::int64_t>(wait.by);
}

}  // namespace

std::string TitleOf(const Session& session) {
  const std::string which = session.Which();
  return which.empty() ? Demangled(session.program().Kernel().name) : which;
}

std::string TimelinePage(const Session& session, std::uint64_t cycles) {
  const Timeline& timeline = *session.timeline();
  const Bars bars(timeline, cycles);
  Names names(session);
  OrderedJson rows = OrderedJson::array();
  for (const Timeline::Row& row : timeline.rows()) {
    rows.push_back({session.grid().CtaName(row.warp.first), row.warp.second, row.begin,
                    std::min(row.end, bars.last)});
  }
  OrderedJson arrivals = OrderedJson::array();
  for (const Timeline::Arrival& a : timeline.arrivals()) {
    arrivals.push_back({a.row, names.Of(a.place), a.phase, names.Of(a.line), a.cycle});
  }
  OrderedJson waits = OrderedJson::array();
  for (std::size_t i = 0; i < timeline.waits().size(); ++i) {
    const Timeline::Wait& wait = timeline.waits()[i];
    waits.push_back({wait.from.row, names.Of(wait.from.place), wait.from.phase,
                     names.Of(wait.from.line), wait.from.cycle, bars.EndOf(wait), bars.tracks[i],
                     Releaser(wait), names.Of(wait.by_line), wait.completed,
                     wait.end == Timeline::kOpen ? 1 : 0});
  }
  OrderedJson turns = OrderedJson::array();
  for (const Timeline::TurnMark& turn : timeline.turns()) {
    turns.push_back({turn.row, turn.number, names.Of(turn.line), turn.cycle});
  }
  const OrderedJson data = {{"kernel", TitleOf(session)},
                            {"config", session.config().name},
                            {"seed", session.seed()},
                            {"outcome", OutcomeName(session.grid())},
                            {"cycles", cycles},
                            {"shown", bars.last},
                            {"most", Timeline::kMaxEvents},
                            {"places", names.places},
                            {"lines", names.lines},
                            {"rows", rows},
                            {"arrivals", arrivals},
                            {"waits", waits},
                            {"turns", turns}};
  constexpr std::string_view kPlaceholder = "{\"rows\":[]}";
  std::string page = kTimelinePage;
  return page.replace(page.find(kPlaceholder), kPlaceholder.size(), EmbeddedInPage(data));
}

namespace {

// The events of a trace, an object each.
class Trace {
 public:
  Trace(const Session& session, std::uint64_t cycles)
      : session_(session), timeline_(*session.timeline()), bars_(timeline_, cycles) {}

  OrderedJson Events() {
    NameThreads();
    for (const Timeline::Arrival& arrival : timeline_.arrivals()) {
      OrderedJson event = Slice(arrival, "arrives at ", 0, arrival.cycle, arrival.cycle + 1);
      events_.push_back(std::move(event));
    }
    for (std::size_t i = 0; i < timeline_.waits().size(); ++i) {
      AddWait(timeline_.waits()[i], bars_.tracks[i], i + 1);
    }
    return std::move(events_);
  }

 private:
  OrderedJson Thread(std::uint32_t row, unsigned track) const {
    const Timeline::WarpName& warp = timeline_.rows()[row].warp;
    return {{"pid", warp.first}, {"tid", std::uint64_t{warp.second} * kTracks + track}};
  }

  OrderedJson Slice(const Timeline::Arrival& what, const char* verb, unsigned track,
                    std::uint64_t begin, std::uint64_t end) const {
    OrderedJson event = {{"ph", "X"},
                         {"name", verb + NameOf(session_, what.place)},
                         {"cat", "barrier"},
                         {"ts", begin},
                         {"dur", end - begin}};
    event.update(Thread(what.row, track));
    event["args"] = {{"phase", what.phase}, {"place", session_.program().Place(what.line)}};
    return event;
  }

  void NameThreads() {
    std::map<std::uint64_t, bool> ctas;
    const auto name = [&](const char* what, OrderedJson thread, const std::string& text) {
      OrderedJson event = {{"ph", "M"}, {"name", what}};
      event.update(thread);
      event["args"] = {{"name", text}};
      events_.push_back(std::move(event));
    };
    for (std::uint32_t row = 0; row < timeline_.rows().size(); ++row) {
      const Timeline::WarpName& warp = timeline_.rows()[row].warp;
      if (!std::exchange(ctas[warp.first], true)) {
        name("process_name", Thread(row, 0), "CTA " + session_.grid().CtaName(warp.first));
      }
      name("thread_name", Thread(row, 0), fmt::format("warp {}", warp.second));
    }
  }

  // The bar, and the arrow from the operation that ended it.
  void AddWait(const Timeline::Wait& wait, unsigned track, std::size_t number) {
    const std::uint64_t end = bars_.EndOf(wait);
    OrderedJson bar = Slice(wait.from, "waits at ", track, wait.from.cycle, end);
    if (wait.end == Timeline::kOpen) {
      bar["args"]["released"] = "never";
    } else if (wait.by == Timeline::kOutside) {
      bar["args"]["released"] =
          "by a copy or another CTA, " + session_.program().Place(wait.by_line);
    }
    events_.push_back(std::move(bar));
    if (wait.by >= timeline_.rows().size() || wait.end == Timeline::kOpen ||
        end <= wait.from.cycle) {
      return;
    }
    OrderedJson from = {{"ph", "s"},
                        {"name", "releases"},
                        {"cat", "release"},
                        {"id", number},
                        {"ts", wait.completed}};
    from.update(Thread(wait.by, 0));
    OrderedJson to = {{"ph", "f"},          {"bp", "e"},
                      {"name", "releases"}, {"cat", "release"},
                      {"id", number},       {"ts", std::max(end - 1, wait.completed)}};
    to.update(Thread(wait.from.row, track));
    events_.push_back(std::move(from));
    events_.push_back(std::move(to));
  }

  const Session& session_;
  const Timeline& timeline_;
  const Bars bars_;
  OrderedJson events_ = OrderedJson::array();
};

}  // namespace

std::string TimelineTrace(const Session& session, std::uint64_t cycles) {
  const Timeline& timeline = *session.timeline();
  OrderedJson trace = {{"displayTimeUnit", "ns"},
                       {"otherData",
                        {{"kernel", TitleOf(session)},
                         {"config", session.config().name},
                         {"seed", session.seed()},
                         {"outcome", OutcomeName(session.grid())},
                         {"cycles", cycles},
                         {"unit", "a microsecond is a cycle"}}},
                       {"traceEvents", Trace(session, cycles).Events()}};
  if (timeline.full_at() != Timeline::kOpen) {
    trace["otherData"]["recorded_until"] = timeline.full_at();
  }
  return trace.dump(-1, ' ', false, OrderedJson::error_handler_t::replace) + "\n";
}

}  // namespace muster::ptx
