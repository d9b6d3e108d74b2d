// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The lines of a log that are of mbarriers.
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "sim/isa/effects.h"
#include "sim/isa/mbarrier_operation.h"
#include "sim/log/members.h"

namespace muster::log {
namespace {

using Kind = MbEvent::Kind;

const char* Name(Kind kind) {
  switch (kind) {
    case Kind::kExpire:
      return "expire";
    case Kind::kLeave:
      return "leave";
    case Kind::kStore:
      return "store";
    case Kind::kRestore:
      return "restore";
    case Kind::kStep:
      break;
  }
  return "?";
}

// Event and Effects may be const.
template <typename Event, typename Visitor>
void VisitEvent(Event& event, Visitor* visitor) {
  visitor->Event("mb", event);
  auto& at = event.operation;
  switch (event.kind) {
    case Kind::kExpire:
      visitor->Number("warp", at.warp, kMaxWarps - 1);
      return;
    case Kind::kLeave:
      visitor->Number("cta", at.cta, kMaxCtas - 1);
      visitor->Enum("how", event.how);
      return;
    case Kind::kStore:
    case Kind::kRestore:
      visitor->Number("cta", at.cta, kMaxCtas - 1);
      visitor->Bits("addr", at.addr);
      visitor->Bits("word", event.word);
      return;
    case Kind::kStep:
      break;
  }
  visitor->Enum("source", at.source);
  visitor->Number("cta", at.cta, kMaxCtas - 1);
  visitor->Bits("addr", at.addr);
  visitor->Number("warp", at.warp, kMaxWarps - 1);
  visitor->Bits("lanes", at.lanes);
  visitor->Number("operand", at.operand);
  if (IsMbWait(at.op)) {
    visitor->Flag("phase", at.phase);
  }
  if (IsTryWait(at.op)) {
    visitor->Flag("has_hint", at.has_hint);
    visitor->Flag("whole", at.whole);
  }
  if (IsMbArrival(at.op) || IsRemote(at.op)) {  // to be refused for it, if remote
    visitor->Flag("has_token", at.has_token);
  }
  if (IsMbArrival(at.op)) {
    visitor->Bits("behind", at.behind);
  }
  visitor->Flag("releasing", at.releasing);
}

template <typename Effects, typename Visitor>
void VisitEffects(Effects& effects, Visitor* visitor) {
  visitor->Faults("fault", effects.fault);
  visitor->Tokens("token", effects.token);
  visitor->Bits("complete", effects.complete);
  visitor->Bits("report", effects.report);
  visitor->Bits("parked", effects.parked);
  visitor->Flag("written", effects.written);
  visitor->Bits("word", effects.word);
  visitor->Number("completions", effects.completions);
  visitor->Answers("answers", effects.answers);
  visitor->Hazards("hazards", effects.hazards);
}

}  // namespace

const char* EventName(const MbEvent& event) {
  return event.kind == Kind::kStep ? Name(event.operation) : Name(event.kind);
}

bool FindEvent(std::string_view name, MbEvent* event) {
  for (const Kind kind : {Kind::kExpire, Kind::kLeave, Kind::kStore, Kind::kRestore}) {
    if (name == Name(kind)) {
      event->kind = kind;
      return true;
    }
  }
  return muster::FindName(name, &event->operation);
}

void Write(const MbEvent& event, const MbEffects& effects, fmt::memory_buffer* buffer) {
  MemberWriter event_writer(buffer, /*zeros=*/true);
  VisitEvent(event, &event_writer);
  fmt::format_to(fmt::appender(*buffer), ",\"effects\":{{");
  MemberWriter effects_writer(buffer, /*zeros=*/false);
  VisitEffects(effects, &effects_writer);
  fmt::format_to(fmt::appender(*buffer), "}}");
}

void Read(nlohmann::json* object, MbEvent* event, MbEffects* effects, std::string* error) {
  nlohmann::json members = nlohmann::json::object();
  MemberReader reader(object, /*required=*/true, error);
  VisitEvent(*event, &reader);
  reader.Object("effects", members);
  reader.Finish();
  MemberReader effects_reader(&members, /*required=*/false, error);
  VisitEffects(*effects, &effects_reader);
  effects_reader.Finish();
}

std::string Differences(const MbEffects& recorded, const MbEffects& expected) {
  MemberLister left;
  MemberLister right;
  VisitEffects(recorded, &left);
  VisitEffects(expected, &right);
  return Differences(left, right);
}

}  // namespace muster::log
