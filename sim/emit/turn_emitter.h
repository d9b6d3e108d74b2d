// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Writes a kernel that keeps to a schedule by itself, on any GPU: its PTX text with a word in
// global memory for each turn, which the lanes of the turn clear and those of the next turn poll.
// Knows nothing of how a schedule was found, and of no run.
#ifndef MUSTER_SIM_EMIT_TURN_EMITTER_H_
#define MUSTER_SIM_EMIT_TURN_EMITTER_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "sim/ptx/program/program.h"
#include "sim/ptx/simt/interpreter.h"
#include "sim/ptx/simt/schedule.h"
#include "sim/ptx/syntax/syntax.h"

namespace muster::emit {

// The variable that holds the number of the first turn, from 1, that did not come; 0: all came.
inline constexpr const char* kMissed = "muster_missed";

struct Emitted {
  std::string text;
  std::size_t turns = 0;              // turns that the text keeps to
  std::vector<std::string> unforced;  // what of the order it cannot force, a sentence each
};

struct EmitStyle {
  // What has to be performed late is started late, which goes wrong where a turn before that needs
  // it to have started.
  bool holds_transfers = true;
  // Lanes that come to an instruction together take their turns apart. A compiler lets them meet
  // again behind it, where some would wait for others that wait for them: branches that are never
  // taken, and of which it does not know that, keep it from doing so.
  bool takes_lanes_apart = false;
};

class TurnEmitter {
 public:
  // The program is of the module. Throws ptx::InputError if the text has turn words already.
  TurnEmitter(const ptx::syntax::Module& module, const ptx::Program& program,
              const ptx::Launch& launch, EmitStyle style);

  Emitted Emit(const ptx::Schedule& schedule);

 private:
  // A turn that the text keeps to.
  struct Gate {
    ptx::Turn turn;
    std::size_t number = 0;  // its word; its lanes wait for the word before
    unsigned settle = 0;     // polls more, until what the turn before has begun is done
  };
  // An instruction with turns.
  struct Site {
    const ptx::syntax::Statement* statement = nullptr;
    std::size_t function = 0;
    std::vector<Gate> gates;
  };
  // Where an instruction stands in the text.
  struct Source {
    const ptx::syntax::Statement* statement = nullptr;
    std::size_t function = 0;
  };

  void TakeTurns(const ptx::Schedule& schedule);
  void TakeTurn(const ptx::Turn& turn, bool is_needed);
  void TakeTransfer(const ptx::Turn& turn, bool is_needed);
  bool IsHeldByOwn(const ptx::Turn& turn) const;
  bool SignalsFirst(std::uint32_t pc) const;
  bool IsWait(std::uint32_t pc) const;
  void Unforced(const std::string& sentence);

  void Insert(std::size_t offset, std::string text) { inserted_.emplace(offset, std::move(text)); }
  void WriteVariables();
  void WriteFunction(std::size_t function);
  void WriteSite(std::uint32_t pc, const Site& site);
  void WriteExits(std::size_t function);
  std::size_t BeginOf(const ptx::syntax::Instruction& instruction) const;
  std::string Before(std::uint32_t pc, const Site& site) const;
  std::string After(std::uint32_t pc, const Site& site) const;
  std::size_t OffsetOf(const char* at) const {
    return static_cast<std::size_t>(at - module_.text.data());
  }
  // Returns the offset of the next such character that is not in a comment.
  std::size_t Find(std::size_t offset, char wanted) const;

  const ptx::syntax::Module& module_;
  const ptx::Program& program_;
  const ptx::Launch& launch_;
  const EmitStyle style_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, Source> sources_;  // by line and column
  std::map<std::uint32_t, Site> sites_;                                // by pc
  std::vector<std::uint32_t> words_;  // lanes that have not executed; the first is of no turn
  unsigned settle_ = 0;               // of the next turn
  std::vector<ptx::Turn> taken_;      // the turns that are needed, so far
  std::multimap<std::size_t, std::string> inserted_;  // by offset
  Emitted emitted_;
};

}  // namespace muster::emit

#endif  // MUSTER_SIM_EMIT_TURN_EMITTER_H_
