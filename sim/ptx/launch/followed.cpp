// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/launch/followed.h"

#include <fmt/format.h>

#include <cstddef>

namespace muster::ptx {
namespace {

std::string Ordinal(std::size_t number) {
  const bool teen = number / 10 % 10 == 1;
  const char* const ends[] = {"th", "st", "nd", "rd"};
  return fmt::format("{}{}", number, ends[teen || number % 10 > 3 ? 0 : number % 10]);
}

}  // namespace

std::string FollowedText(const Session& session) {
  const ScheduleReplay* const replay = session.replay();
  if (replay == nullptr) {
    return "";
  }
  const std::size_t all = replay->size();
  if (replay->followed() == all) {
    return fmt::format("schedule: all {} turns, in order\n", all);
  }
  const Turn& turn = replay->Head();
  const std::string& missed = session.grid().missed();
  const std::string but = missed.empty() ? "the cycles were used up before" : missed;
  const std::string followed = fmt::format("schedule: {} of {} turns; the {}, ", replay->followed(),
                                           all, Ordinal(replay->followed() + 1));
  if (turn.what == Turn::What::kStarts) {
    return fmt::format("{}the start of CTA {}, could not come: {}\n", followed,
                       session.grid().CtaName(turn.cta), but);
  }
  const char* const what = turn.what == Turn::What::kExecutes ? ""
                           : turn.what == Turn::What::kReads  ? ", reads"
                                                              : ", performs";
  return fmt::format(
      "{}warp {} of CTA {} at {} (lanes {:#010x}, time {}{}{}), could not come: {}\n", followed,
      turn.warp, session.grid().CtaName(turn.cta),
      session.program().Place(session.program().code[turn.pc].line), turn.lanes, turn.time, what,
      turn.to ? " for CTA " + session.grid().CtaName(*turn.to) : "", but);
}

}  // namespace muster::ptx
