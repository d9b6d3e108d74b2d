// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Makes a run follow a schedule. Lanes at an instruction of the schedule ask whether they may
// execute it, and started operations ask whether they may be performed; the machines report what
// has happened. All machines of a run share one object. Knows turns, and nothing of what the
// instructions do.
#ifndef MUSTER_SIM_PTX_SIMT_SCHEDULE_REPLAY_H_
#define MUSTER_SIM_PTX_SIMT_SCHEDULE_REPLAY_H_

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "sim/isa/warp_size.h"
#include "sim/ptx/program/program.h"
#include "sim/ptx/simt/schedule.h"
#include "sim/ptx/simt/warp.h"

namespace muster::ptx {

class ScheduleReplay {
 public:
  ScheduleReplay(Schedule schedule, const Program& program);
  ScheduleReplay(const ScheduleReplay&) = delete;
  ScheduleReplay& operator=(const ScheduleReplay&) = delete;
  ~ScheduleReplay() = default;

  // ----------------------------------------------------------------------------------------------
  // The lanes of a warp
  // ----------------------------------------------------------------------------------------------

  // The schedule names the instruction.
  bool Lists(std::uint32_t pc) const { return listed_[pc]; }
  // Returns the lanes that may execute it now. All they start belongs to one turn, or to none.
  // The lanes of a turn execute it together, unless they have to come apart.
  std::uint32_t MayExecute(const Warp& warp, std::uint32_t pc, std::uint32_t lanes) const;

  // Lanes that may, execute a listed instruction. Until End, `pass` is the number of this
  // execution, by which all that comes of it is known: 0 where it is of no turn.
  void Begin(const Warp& warp, std::uint32_t pc, std::uint32_t lanes);
  std::uint32_t pass() const { return pass_; }
  // `executed`: or they have to wait for something else, and come again. `asked`: the unit performs
  // the atomic later.
  void End(bool executed, bool asked = false);

  // ----------------------------------------------------------------------------------------------
  // What comes of it
  // ----------------------------------------------------------------------------------------------

  // An mbarrier operation or atomic of the lanes has committed, or has set out for another CTA.
  void Commit(std::uint32_t pass, std::uint32_t lanes);
  // Of lanes of the warp: a barrier, a barrier of the cluster, or an exit (by the op) has
  // committed.
  void Commit(const Warp& warp, Op op, std::uint32_t lanes);
  // An arrival of these lanes will be of a turn.
  bool IsListed(const Warp& warp, Op op, std::uint32_t lanes) const;

  // What is not waited for: it starts, once for each of the lanes; may be carried out; has been.
  void Start(std::uint32_t pass, std::uint32_t lanes);
  // The lane's execution that is under way starts something that goes to one CTA, linear, of
  // perhaps several. Returns a pass of its own, or 0.
  std::uint32_t StartFor(unsigned lane, std::uint64_t to);
  bool MayRead(std::uint32_t pass) const { return IsOpen(passes_[pass].reads); }
  bool MayPerform(std::uint32_t pass) const { return IsOpen(passes_[pass].performs); }
  bool ReadsApart(std::uint32_t pass) const { return passes_[pass].reads != 0; }
  void Read(std::uint32_t pass);
  void Perform(std::uint32_t pass, unsigned count);

  // A cluster of these CTAs may start; one, of which this is a CTA, has started. If the schedule
  // lists starts, others come after all that happens to the queue of clusters.
  bool MayStart(const std::vector<std::uint64_t>& ctas) const;
  void Started(std::uint64_t cta);

  // ----------------------------------------------------------------------------------------------
  // The run
  // ----------------------------------------------------------------------------------------------

  // Turns have happened since this was asked for: who waits here may go on.
  bool TakeMoved() { return std::exchange(moved_, false); }
  bool moved() const { return moved_; }
  // Turns are left, and the run keeps to them.
  bool active() const { return !dropped_ && head_ < needed_; }
  // The next of them.
  const Turn& Head() const { return turns_[head_].turn; }
  const Turn& At(std::size_t index) const { return turns_[index].turn; }
  // Nothing else goes on. The lanes of the next turn need not come together. Returns false if they
  // need not already.
  bool LetApart();
  // From now on everything may go.
  void Drop();
  // The run has ended in a fault: what the lanes were about to commit is what it ended with.
  void EndWithFault();

  std::size_t size() const { return needed_; }
  std::size_t followed() const { return head_; }

 private:
  using Ticket = std::uint32_t;  // the number of a turn, from 1; 0: none
  struct State {
    Turn turn;
    std::uint32_t left = 0;    // lanes that have not done it
    std::uint32_t passed = 0;  // of these, lanes that are about to: the unit has not committed
    unsigned parts = 0;        // that were started and are not done
  };
  struct Place {
    std::array<std::uint32_t, kWarpSize> executions{};
    std::map<std::pair<Turn::What, std::uint32_t>, std::vector<Ticket>> turns;  // by time
  };
  struct Pass {
    Ticket executes = 0;
    Ticket reads = 0;
    Ticket performs = 0;
  };
  using Where = std::tuple<std::uint64_t, unsigned, std::uint32_t>;  // CTA, warp, pc

  static Where WhereOf(const Warp& warp, std::uint32_t pc);
  const Place* Find(const Warp& warp, std::uint32_t pc) const;
  // The turn of the lane's next execution; of what goes to that CTA, if it is named.
  Ticket TicketOf(const Place& place, Turn::What what, unsigned lane,
                  std::optional<std::uint64_t> to = std::nullopt) const;
  Pass PassOf(const Place& place, unsigned lane,
              std::optional<std::uint64_t> to = std::nullopt) const;
  bool IsOpen(Ticket ticket) const {
    return ticket <= head_ + 1 || !active() || IsTogether(ticket);
  }
  bool IsTogether(Ticket ticket) const;
  std::uint32_t Incomplete(const Warp& warp, std::uint32_t pc, std::uint32_t lanes) const;
  bool IsOf(const State& state, const Warp& warp, Op op) const;
  void Settle();

  const Program& program_;
  std::vector<State> turns_;
  std::size_t head_ = 0;
  std::size_t needed_ = 0;  // turns that have to come
  bool dropped_ = false;
  Ticket apart_ = 0;  // the turn whose lanes may come apart
  bool moved_ = false;
  std::vector<bool> listed_;  // by pc
  std::map<Where, Place> places_;
  std::map<std::uint64_t, Ticket> starts_;  // by CTA
  Ticket last_of_queue_ = 0;                // a start, or that a cluster is taken
  std::vector<Pass> passes_{1};             // by number
  // Of the execution that is under way.
  std::uint32_t pass_ = 0;
  Place* place_ = nullptr;
  std::uint32_t pc_ = 0;
  std::uint32_t lanes_ = 0;
};

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_SIMT_SCHEDULE_REPLAY_H_
