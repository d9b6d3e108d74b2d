// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/explore/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "sim/isa/bits.h"
#include "sim/ptx/runtime/mbarrier_arrivals.h"
#include "sim/ptx/simt/tensor_operation.h"

namespace muster::explore {
namespace {

// Whether the finding has a place where the order ends. A deadlock has several places.
bool HasPlace(const Suspicion& suspicion) {
  return !IsPair(suspicion) && suspicion.first.at.lanes != 0 && suspicion.kind != Kind::kDeadlock;
}

// The first few of a list of elements.
std::string InShort(const std::string& why) {
  constexpr unsigned kMost = 3;
  std::size_t end = 0;
  for (unsigned i = 0; i < kMost; ++i) {
    end = why.find("; ", end);
    if (end == std::string::npos) {
      return why;
    }
    end += 2;
  }
  return why.substr(0, end) + "...";
}

// Returns "and 7 more with this cause: 6 data_race, 1 lifetime", or an empty text.
std::string MoreText(const std::map<std::string, std::size_t>& kinds) {
  std::size_t count = 0;
  std::string text;
  for (const auto& [kind, of_kind] : kinds) {
    count += of_kind;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", of_kind, kind);
  }
  return count == 0 ? "" : fmt::format("     and {} more with this cause: {}\n", count, text);
}

}  // namespace

const char* Explain(Kind kind) {
  switch (kind) {
    case Kind::kDataRace:
      return "two accesses to the same memory that nothing orders, one of them a write";
    case Kind::kProxyRace:
      return "an access of the generic proxy and one of the async or the tensormap proxy, with no "
             "fence.proxy.async or .tensormap between them";
    case Kind::kSourceOverwritten:
      return "the source of a bulk copy, or an operand of a tensor core, is written before it has "
             "been read";

    case Kind::kOtherPhase:
      return "an arrival that another order of events counts in another generation or phase";
    case Kind::kLateWait:
      return "a wait that may come when the next phase, too, has completed";
    case Kind::kExpectedBytes:
      return "bytes of a copy that another order of events counts in another phase";
    case Kind::kSharedBarrier:
      return "one barrier in use by groups of warps that nothing orders";
    case Kind::kLifetime:
      return "an object or a CTA's memory that is not there yet, or not any more, in another order";
    case Kind::kRegisterOrder:
      return "two setmaxnreg of a warpgroup, between which its warps do not synchronize";
    case Kind::kCollectiveOrder:
      return "two accesses that only collectives of a warp order, of which PTX does not promise it";
    case Kind::kUnawaited:
      return "a barrier for which nobody waits";
    case Kind::kBeforeFirst:
      return "a wait that is over at once, for the phase before the first of its mbarrier";
    case Kind::kPassedWithout:
      return "a barrier that threads pass, and before which others have left";
    case Kind::kDeadlock:
      return "an order of events in which threads wait for ever";
    case Kind::kFault:
      return "an order of events that ends in a fault";
    case Kind::kHazard:
      return "an order of events that meets a hazard";
    case Kind::kWrongResult:
      return "an order of events that leaves a wrong result";
    case Kind::kDifferingResult:
      return "orders of events that leave different results";
  }
  return "";
}

std::string Reporter::ThreadText(const Place& at) const {
  const ptx::Launch& launch = world_.launch().OfCta(at.cta);
  const std::string where = world_.launch().AllCtas() == 1
                                ? ""
                                : fmt::format(" of CTA {}", world_.launch().CtaName(at.cta));
  if (Ones(at.lanes) == 1) {
    const auto thread = ptx::PointOf(at.warp * kWarpSize + First(at.lanes), launch.block);
    return fmt::format("thread ({},{},{}), warp {}{}", thread[0], thread[1], thread[2], at.warp,
                       where);
  }
  return fmt::format("warp {}{}, lanes {:#010x}", at.warp, where, at.lanes);
}

std::string Reporter::PlaceText(const Place& at) const {
  return world_.program().Place(world_.program().code[at.pc].line);
}

std::string Reporter::SideText(const Side& side) const {
  const std::string place = PlaceText(side.at);
  return side.transfer == 0
             ? fmt::format("{} {} at {}", ThreadText(side.at), side.action.Text(), place)
             : fmt::format("what {} has started at {} {}", ThreadText(side.at), place,
                           side.action.Text());
}

std::string Reporter::ObjectText(const Suspicion& suspicion) const {
  const Range& object = suspicion.object;
  if (suspicion.bar >= 0) {
    return fmt::format("barrier {}", suspicion.bar);
  }
  if (object.size == 0) {
    return "";
  }
  if (IsTensorMemory(object.owner)) {
    const auto piece = static_cast<unsigned>(object.address) / ptx::kPieceBytes;
    const std::uint64_t cta = object.owner & ~kTensorMemory;
    return fmt::format("column {} of lanes {} to {} in tensor memory{}",
                       piece % ptx::kTensorColumns, piece / ptx::kTensorColumns * ptx::kPieceLanes,
                       (piece / ptx::kTensorColumns + 1) * ptx::kPieceLanes - 1,
                       world_.launch().AllCtas() == 1 ? "" : fmt::format(" of CTA {}", cta));
  }
  if (object.owner != kGlobal) {
    return ptx::MbarrierName(world_.program(), static_cast<std::uint32_t>(object.address)) +
           " in shared memory" +
           (world_.launch().AllCtas() == 1 ? "" : fmt::format(" of CTA {}", object.owner));
  }
  return fmt::format("byte {} of {}", ptx::ByteOf(object.address), VariableOf(suspicion, world_));
}

std::string Reporter::PairText(const Suspicion& suspicion) const {
  const std::string object = ObjectText(suspicion);
  std::string text;
  if (IsPair(suspicion)) {
    text += fmt::format("     first    {}\n", SideText(suspicion.first));
    text += fmt::format("     second   {}\n", SideText(suspicion.second));
  } else if (HasPlace(suspicion)) {
    text += fmt::format("     place    {} at {}\n", ThreadText(suspicion.first.at),
                        PlaceText(suspicion.first.at));
  }
  if (!object.empty()) {
    text += fmt::format("     object   {}\n", object);
  }
  if (!suspicion.why.empty()) {
    text +=
        fmt::format("     why      {}\n",
                    suspicion.kind == Kind::kWrongResult ? InShort(suspicion.why) : suspicion.why);
  }
  if (!suspicion.hint.empty()) {
    text += fmt::format("     hint     {}\n", suspicion.hint);
  }
  return text;
}

std::string Reporter::Text(std::size_t number, const Cause<Finding>& cause,
                           const std::string& witness) const {
  const Finding& finding = cause.told;
  std::string text =
      fmt::format("{:3}. {}: {}\n", number, Name(finding.what.kind), Explain(finding.what.kind));
  text += PairText(finding.what);
  if (finding.what.of_memory_model) {
    text += "     shown by the run itself: no order of instructions shows it better\n";
  } else if (finding.is_bad && IsPair(finding.what)) {
    text += fmt::format("     shown by an order that ends in {}\n", finding.ending);
  } else if (IsPair(finding.what)) {
    text += "     shown by an order in which the second comes first\n";
  }
  if (finding.what.kind == Kind::kDeadlock) {
    std::map<std::uint32_t, unsigned> lines;
    for (const Place& place : finding.standing) {
      lines[world_.program().code[place.pc].line] += Ones(place.lanes);
    }
    for (const auto& [line, threads] : lines) {
      text += fmt::format("     waits    {} thread{} at {}\n", threads, threads == 1 ? "" : "s",
                          world_.program().Place(line));
    }
    constexpr std::size_t kMost = 4;
    for (std::size_t i = 0; i < std::min(kMost, finding.lacks.size()); ++i) {
      text += fmt::format("     lacks    {}\n", finding.lacks[i]);
    }
    for (const std::string& hint : finding.hints) {
      text += fmt::format("     hint     {}\n", hint);
    }
  }
  for (const Suspicion& note : cause.notes) {
    text += fmt::format("     note     {}: {}, and a wait for it would order the two\n",
                        Name(note.kind), NoteText(note));
  }
  if (!witness.empty()) {
    text += fmt::format("     again    {}\n", witness);
  }
  std::map<std::string, std::size_t> more;
  for (const Finding& other : cause.more) {
    ++more[Name(other.what.kind)];
  }
  for (const Unconfirmed& other : cause.unconfirmed) {
    ++more[std::string(Name(other.what.kind)) + " (a suspicion)"];
  }
  return text + MoreText(more);
}

std::string Reporter::Brief(const Suspicion& what) const {
  const std::string where =
      IsPair(what)
          ? fmt::format(" at {}, and at {}", PlaceText(what.first.at), PlaceText(what.second.at))
      : HasPlace(what) ? fmt::format(" at {}", PlaceText(what.first.at))
                       : "";
  return Name(what.kind) + where;
}

std::string Reporter::Brief(std::size_t number, const Cause<Finding>& cause,
                            const std::string& witness) const {
  return fmt::format("{:3}. {}{}\n", number, Brief(cause.told.what),
                     witness.empty() ? "" : fmt::format(": {}", witness));
}

std::string Reporter::Text(const Cause<Unconfirmed>& cause) const {
  const Unconfirmed& suspicion = cause.told;
  std::map<std::string, std::size_t> more;
  for (const Unconfirmed& other : cause.more) {
    ++more[Name(other.what.kind)];
  }
  return fmt::format("  -  {}: {}\n{}     tried    {}\n{}", Name(suspicion.what.kind),
                     Explain(suspicion.what.kind), PairText(suspicion.what), suspicion.tried,
                     MoreText(more));
}

// Explains what libraries rely on, and what PTX promises.
std::string Reporter::CollectivesText(const Suspicion& note) const {
  std::string text;
  for (const Collective& one : note.collectives) {
    text += fmt::format("{}{} at {}", text.empty() ? "" : " and ", Name(one.op), PlaceText(one.at));
  }
  return fmt::format(
      "only {} order{} them, and PTX does not promise that {} memory; bar.warp.sync "
      "(__syncwarp()) at that place would",
      text, note.collectives.size() == 1 ? "s" : "",
      note.collectives.size() == 1 ? "it orders" : "these order");
}

// Returns "40 threads, of which 32 left at line 9 and 8 at line 11".
std::string Reporter::LeaversText(const std::vector<Place>& without) const {
  std::map<std::uint32_t, unsigned> lines;
  unsigned all = 0;
  for (const Place& place : without) {
    lines[world_.program().code[place.pc].line] += Ones(place.lanes);
    all += Ones(place.lanes);
  }
  std::string text;
  for (const auto& [line, threads] : lines) {
    const std::string place = world_.program().Place(line);
    text += lines.size() == 1 ? "which left at " + place
            : text.empty()    ? fmt::format("of which {} left at {}", threads, place)
                              : fmt::format(", {} at {}", threads, place);
  }
  return fmt::format("{} thread{}, {}", all, all == 1 ? "" : "s", text);
}

std::string Reporter::NoteText(const Suspicion& note) const {
  std::string object = ObjectText(note);
  object = object.empty() ? "barrier.cluster" : object;
  switch (note.kind) {
    case Kind::kCollectiveOrder:
      return fmt::format("{}, {}, then {}: {}", object, SideText(note.first), SideText(note.second),
                         CollectivesText(note));
    case Kind::kBeforeFirst:
      return fmt::format("{}, {}: {}", object, SideText(note.second), note.why);
    case Kind::kPassedWithout:
      return fmt::format("{} at {}: passed without {}", object, PlaceText(note.second.at),
                         LeaversText(note.without));
    default:
      return fmt::format("{}, {}: {}", object, SideText(note.first), note.why);
  }
}

// Returns a note as one line.
std::string Reporter::Text(const Cause<Suspicion>& cause) const {
  const std::string more =
      cause.more.empty() ? "" : fmt::format("; and {} more of these lines", cause.more.size());
  return fmt::format("  -  {}: {}{}\n", Name(cause.told.kind), NoteText(cause.told), more);
}

// ------------------------------------------------------------------------------------------------
// JSON
// ------------------------------------------------------------------------------------------------

nlohmann::ordered_json Reporter::PlaceJson(const Place& at) const {
  const std::uint32_t line = world_.program().code[at.pc].line;
  nlohmann::ordered_json json{{"cta", at.cta},
                              {"warp", at.warp},
                              {"lanes", fmt::format("{:#010x}", at.lanes)},
                              {"line", line}};
  for (const ptx::SourcePlace& place : world_.program().sources.At(line)) {
    json["source"].push_back(
        {{"file", place.file}, {"line", place.line}, {"function", place.function}});
  }
  return json;
}

nlohmann::ordered_json Reporter::Json(const Suspicion& suspicion) const {
  nlohmann::ordered_json json{{"kind", Name(suspicion.kind)}};
  const auto side = [&](const Side& one) {
    nlohmann::ordered_json place = PlaceJson(one.at);
    place["what"] = one.action.Text();
    return place;
  };
  if (suspicion.first.at.lanes != 0) {
    json["first"] = side(suspicion.first);
    json["second"] = side(suspicion.second);
  }
  const std::string object = ObjectText(suspicion);
  if (!object.empty()) {
    json["object"] = object;
  }
  json["why"] =
      suspicion.kind == Kind::kCollectiveOrder ? CollectivesText(suspicion) : suspicion.why;
  if (!suspicion.hint.empty()) {
    json["hint"] = suspicion.hint;
  }
  for (const Collective& one : suspicion.collectives) {
    nlohmann::ordered_json place = PlaceJson(one.at);
    place["what"] = Name(one.op);
    json["collectives"].push_back(place);
  }
  for (const Place& place : suspicion.without) {
    json["without"].push_back(PlaceJson(place));
  }
  return json;
}

nlohmann::ordered_json Reporter::Json(const Finding& finding) const {
  nlohmann::ordered_json json = Json(finding.what);
  json["ending"] = finding.ending;
  json["turns"] = finding.turns.size();
  for (const Place& place : finding.standing) {
    json["standing"].push_back(PlaceJson(place));
  }
  if (!finding.lacks.empty()) {
    json["lacks"] = finding.lacks;
  }
  if (!finding.hints.empty()) {
    json["hints"] = finding.hints;
  }
  return json;
}

nlohmann::ordered_json Reporter::Json(const Unconfirmed& suspicion) const {
  nlohmann::ordered_json json = Json(suspicion.what);
  json["tried"] = suspicion.tried;
  return json;
}

}  // namespace muster::explore
