// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/simt/schedule_replay.h"

#include <algorithm>

#include "sim/isa/bits.h"
#include "sim/ptx/program/op_class.h"

namespace muster::ptx {
namespace {

// The unit commits the instruction some time after lanes have executed it.
bool CommitsLater(const Instruction& instruction) {
  switch (instruction.op) {
    case Op::kBarrier:
    case Op::kClusterBarrier:
    case Op::kExit:
      return true;
    case Op::kMbarrier:  // the unit never sees a noinc
      return instruction.As<Mbarrier>().op != MbOp::kCopyArriveNoInc;
    default:
      return false;
  }
}

}  // namespace

ScheduleReplay::ScheduleReplay(Schedule schedule, const Program& program)
    : program_(program),
      needed_(schedule.needed.value_or(schedule.turns.size())),
      listed_(program.code.size()) {
  for (const Turn& turn : schedule.turns) {
    turns_.push_back({turn, turn.lanes});
    if (turn.what == Turn::What::kStarts) {
      starts_[turn.cta] = last_of_queue_ = static_cast<Ticket>(turns_.size());
      continue;
    }
    if (turn.what == Turn::What::kReads && program.code[turn.pc].op == Op::kTryCancel) {
      last_of_queue_ = static_cast<Ticket>(turns_.size());
    }
    listed_[turn.pc] = true;
    places_[{turn.cta, turn.warp, turn.pc}].turns[{turn.what, turn.time}].push_back(
        static_cast<Ticket>(turns_.size()));
  }
}

ScheduleReplay::Where ScheduleReplay::WhereOf(const Warp& warp, std::uint32_t pc) {
  return {warp.cta->linear_id, warp.first_thread / kWarpSize, pc};
}

const ScheduleReplay::Place* ScheduleReplay::Find(const Warp& warp, std::uint32_t pc) const {
  const auto found = places_.find(WhereOf(warp, pc));
  return found == places_.end() ? nullptr : &found->second;
}

ScheduleReplay::Ticket ScheduleReplay::TicketOf(const Place& place, Turn::What what, unsigned lane,
                                                std::optional<std::uint64_t> to) const {
  const auto found = place.turns.find({what, place.executions[lane] + 1});
  if (found == place.turns.end()) {
    return 0;
  }
  for (const Ticket ticket : found->second) {
    const Turn& turn = turns_[ticket - 1].turn;
    if ((turn.lanes >> lane & 1U) != 0 && (!turn.to || !to || turn.to == to)) {
      return ticket;
    }
  }
  return 0;
}

ScheduleReplay::Pass ScheduleReplay::PassOf(const Place& place, unsigned lane,
                                            std::optional<std::uint64_t> to) const {
  return {TicketOf(place, Turn::What::kExecutes, lane), TicketOf(place, Turn::What::kReads, lane),
          TicketOf(place, Turn::What::kPerforms, lane, to)};
}

// ------------------------------------------------------------------------------------------------
// The lanes of a warp
// ------------------------------------------------------------------------------------------------

std::uint32_t ScheduleReplay::MayExecute(const Warp& warp, std::uint32_t pc,
                                         std::uint32_t lanes) const {
  const Place* const place = Find(warp, pc);
  // What the schedule does not list may go at any time; but what takes from others comes after all
  // takers that it lists.
  const auto takes_later = [&](const State& state) {
    return state.turn.what == Turn::What::kExecutes && TakesResource(program_.code[state.turn.pc]);
  };
  const bool takes =
      active() && TakesResource(program_.code[pc]) &&
      std::any_of(turns_.begin() + static_cast<std::ptrdiff_t>(head_),
                  turns_.begin() + static_cast<std::ptrdiff_t>(needed_), takes_later);
  if (place == nullptr || !active()) {
    return takes ? 0 : lanes;
  }
  std::uint32_t may = 0;
  Pass first;
  ForEachBit(lanes, [&](unsigned lane) {
    const Pass pass = PassOf(*place, lane);
    first = may == 0 ? pass : first;
    const bool alike = pass.reads == first.reads && pass.performs == first.performs;
    const bool may_go = IsOpen(pass.executes) && (pass.executes != 0 || !takes);
    may |= (may_go && alike ? 1U : 0U) << lane;
  });
  return may & ~Incomplete(warp, pc, lanes);
}

// The lanes of the next turn, if others of it are still to come there.
std::uint32_t ScheduleReplay::Incomplete(const Warp& warp, std::uint32_t pc,
                                         std::uint32_t lanes) const {
  if (!active() || apart_ == head_ + 1) {
    return 0;
  }
  const State& head = turns_[head_];
  const bool here = head.turn.pc == pc && IsOf(head, warp, program_.code[pc].op);
  const std::uint32_t missing = here ? head.left & ~head.passed & ~lanes : 0;
  return missing == 0 ? 0 : head.turn.lanes;
}

void ScheduleReplay::Begin(const Warp& warp, std::uint32_t pc, std::uint32_t lanes) {
  const auto found = places_.find(WhereOf(warp, pc));
  place_ = found == places_.end() ? nullptr : &found->second;
  if (place_ == nullptr) {
    return;
  }
  pc_ = pc;
  lanes_ = lanes;
  Pass pass;
  ForEachBit(lanes, [&](unsigned lane) {
    const Pass of_lane = PassOf(*place_, lane);
    pass.executes = std::max(pass.executes, of_lane.executes);
    pass.reads = std::max(pass.reads, of_lane.reads);
    pass.performs = std::max(pass.performs, of_lane.performs);
  });
  if (pass.executes != 0 || pass.reads != 0 || pass.performs != 0) {
    pass_ = static_cast<std::uint32_t>(passes_.size());
    passes_.push_back(pass);
  }
}

void ScheduleReplay::End(bool executed, bool asked) {
  if (place_ == nullptr) {
    return;
  }
  if (executed) {
    const bool later = asked || CommitsLater(program_.code[pc_]);
    ForEachBit(lanes_, [&](unsigned lane) {
      const Pass pass = PassOf(*place_, lane);
      if (pass.executes != 0) {
        State& state = turns_[pass.executes - 1];
        state.passed |= later ? 1U << lane : 0;
        state.left &= later ? ~0U : ~(1U << lane);
      }
      for (const Ticket ticket : {pass.reads, pass.performs}) {
        if (ticket != 0 && program_.code[pc_].op != Op::kMbarrier) {
          turns_[ticket - 1].left &= ~(1U << lane);  // also where it has started nothing
        }
      }
      ++place_->executions[lane];
    });
    Settle();
  } else if (pass_ != 0) {
    passes_.pop_back();
  }
  pass_ = 0;
  place_ = nullptr;
}

// ------------------------------------------------------------------------------------------------
// What comes of it
// ------------------------------------------------------------------------------------------------

void ScheduleReplay::Commit(std::uint32_t pass, std::uint32_t lanes) {
  if (const Ticket ticket = passes_[pass].executes; ticket != 0) {
    turns_[ticket - 1].left &= ~lanes;
    Settle();
  }
}

bool ScheduleReplay::IsOf(const State& state, const Warp& warp, Op op) const {
  return warp.cta != nullptr && state.turn.cta == warp.cta->linear_id &&
         state.turn.what == Turn::What::kExecutes &&
         state.turn.warp == warp.first_thread / kWarpSize && program_.code[state.turn.pc].op == op;
}

void ScheduleReplay::Commit(const Warp& warp, Op op, std::uint32_t lanes) {
  for (std::size_t i = head_; i < turns_.size() && IsOf(turns_[i], warp, op); ++i) {
    turns_[i].left &= ~(turns_[i].passed & lanes);
  }
  Settle();
}

bool ScheduleReplay::IsListed(const Warp& warp, Op op, std::uint32_t lanes) const {
  for (std::size_t i = head_; i < turns_.size() && IsOf(turns_[i], warp, op); ++i) {
    if ((turns_[i].passed & turns_[i].left & lanes) != 0) {
      return true;
    }
  }
  return false;
}

// At a barrier that is not aligned a warp arrives when all its lanes have come, perhaps by several
// instructions: the turns of these are one commit.
bool ScheduleReplay::IsTogether(Ticket ticket) const {
  const Turn& last = turns_[ticket - 1].turn;
  const auto gathers = [&](const State& state) {
    const Instruction& i = program_.code[state.turn.pc];
    return state.turn.what == Turn::What::kExecutes && state.turn.cta == last.cta &&
           state.turn.warp == last.warp &&
           ((i.op == Op::kBarrier && !i.As<CtaBarrier>().aligned) ||
            (i.op == Op::kClusterBarrier && !i.As<ClusterBarrier>().aligned));
  };
  for (std::size_t i = head_; i + 1 < ticket; ++i) {
    if (!gathers(turns_[i]) || (turns_[i].left & ~turns_[i].passed) != 0) {
      return false;
    }
  }
  return gathers(turns_[ticket - 1]);
}

void ScheduleReplay::Start(std::uint32_t pass, std::uint32_t lanes) {
  for (const Ticket ticket : {passes_[pass].reads, passes_[pass].performs}) {
    if (ticket != 0) {
      turns_[ticket - 1].parts += Ones(lanes);
      turns_[ticket - 1].left &= ~lanes;
    }
  }
}

std::uint32_t ScheduleReplay::StartFor(unsigned lane, std::uint64_t to) {
  if (pass_ == 0) {
    return 0;
  }
  passes_.push_back(PassOf(*place_, lane, to));
  const auto pass = static_cast<std::uint32_t>(passes_.size() - 1);
  Start(pass, 1U << lane);
  return pass;
}

bool ScheduleReplay::MayStart(const std::vector<std::uint64_t>& ctas) const {
  for (const std::uint64_t cta : ctas) {
    if (const auto found = starts_.find(cta); found != starts_.end()) {
      return IsOpen(found->second);
    }
  }
  return starts_.empty() || !active() || last_of_queue_ <= head_;
}

void ScheduleReplay::Started(std::uint64_t cta) {
  if (const auto found = starts_.find(cta); found != starts_.end()) {
    turns_[found->second - 1].left = 0;
    Settle();
  }
}

void ScheduleReplay::Read(std::uint32_t pass) {
  if (const Ticket ticket = passes_[pass].reads; ticket != 0) {
    --turns_[ticket - 1].parts;
    Settle();
  }
}

void ScheduleReplay::Perform(std::uint32_t pass, unsigned count) {
  if (const Ticket ticket = passes_[pass].performs; ticket != 0) {
    turns_[ticket - 1].parts -= count;
    Settle();
  }
}

// ------------------------------------------------------------------------------------------------
// The run
// ------------------------------------------------------------------------------------------------

// Once it has been dropped, no more turns are counted.
void ScheduleReplay::Settle() {
  while (active() && turns_[head_].left == 0 && turns_[head_].parts == 0) {
    ++head_;
    moved_ = true;
  }
}

bool ScheduleReplay::LetApart() {
  const auto next = static_cast<Ticket>(head_ + 1);
  if (std::exchange(apart_, next) == next || Head().what != Turn::What::kExecutes) {
    return false;
  }
  moved_ = true;
  return true;
}

void ScheduleReplay::Drop() {
  dropped_ = true;
  moved_ = true;
}

void ScheduleReplay::EndWithFault() {
  if (active() && turns_[head_].left == turns_[head_].passed) {
    turns_[head_].left = 0;
    turns_[head_].parts = 0;
    Settle();
  }
}

}  // namespace muster::ptx
