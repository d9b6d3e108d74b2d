// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/emit/turn_emitter.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <variant>

#include "sim/isa/warp_size.h"
#include "sim/ptx/program/op_class.h"
#include "sim/ptx/syntax/error.h"

namespace muster::emit {
namespace {

using ptx::Op;
using ptx::Turn;
using ptx::syntax::Statement;

// Polls of a word in global memory, each of which takes a GPU a microsecond or less.
constexpr unsigned kMostPolls = 4096;  // without a turn; then the order is given up
constexpr unsigned kToCommit = 8;      // until an instruction that has no end has taken effect
constexpr unsigned kToTransfer = 64;   // until a copy, or what else is asynchronous, is done

// Tells that this lane has taken its turn.
constexpr const char* kSignal =
    "\tst.volatile.global.u32\t[muster_latest], %muster_turn;\n"
    "\tnot.b32\t%muster_word, %muster_lane;\n"
    "\tred.global.and.b32\t[%muster_at], %muster_word;\n";

// A branch that is never taken.
constexpr const char* kNever =
    "\tld.volatile.global.u32\t%muster_word, [muster_missed];\n"
    "\tsetp.eq.u32\t%muster_never, %muster_word, 0xffffffff;\n"
    "\t@%muster_never bra\t$muster_begin;\n";

}  // namespace

TurnEmitter::TurnEmitter(const ptx::syntax::Module& module, const ptx::Program& program,
                         const ptx::Launch& launch, EmitStyle style)
    : module_(module), program_(program), launch_(launch), style_(style) {
  if (module.text.find("muster_turns") != std::string::npos) {
    throw ptx::InputError(fmt::format(
        "{}: it has turn words already: take the kernel that it was made of", module.file));
  }
  for (std::size_t i = 0; i < module.functions.size(); ++i) {
    for (const Statement& statement : module.functions[i].body) {
      if (statement.kind == Statement::Kind::kInstruction) {
        sources_[{statement.at.line, statement.at.column}] = {&statement, i};
      }
    }
  }
}

Emitted TurnEmitter::Emit(const ptx::Schedule& schedule) {
  TakeTurns(schedule);
  WriteVariables();
  std::set<std::size_t> functions;
  for (const auto& [pc, site] : sites_) {
    functions.insert(site.function);
    WriteSite(pc, site);
  }
  for (const std::size_t function : functions) {
    WriteFunction(function);
    if (style_.takes_lanes_apart) {
      WriteExits(function);
    }
  }
  std::size_t from = 0;
  for (const auto& [offset, text] : inserted_) {
    emitted_.text.append(module_.text, from, offset - from).append(text);
    from = offset;
  }
  emitted_.text.append(module_.text, from);
  return std::move(emitted_);
}

// ------------------------------------------------------------------------------------------------
// Which turns the text can keep to
// ------------------------------------------------------------------------------------------------

void TurnEmitter::TakeTurns(const ptx::Schedule& schedule) {
  words_ = {0};
  const std::size_t needed = schedule.needed.value_or(schedule.turns.size());
  for (std::size_t i = 0; i < schedule.turns.size(); ++i) {
    const Turn& turn = schedule.turns[i];
    if (turn.what == Turn::What::kStarts) {
      Unforced("the GPU decides when clusters start");
    } else if (turn.what == Turn::What::kExecutes) {
      TakeTurn(turn, i < needed);
    } else {
      TakeTransfer(turn, i < needed);
    }
  }
  emitted_.turns = words_.size() - 1;
}

void TurnEmitter::TakeTurn(const Turn& turn, bool is_needed) {
  const ptx::Instruction& i = program_.code[turn.pc];
  const auto source = sources_.find({i.line, i.column});
  if (source == sources_.end()) {
    Unforced(fmt::format("{}: the end of a body has no instruction that could wait",
                         program_.Place(i.line)));
    return;
  }
  if (!module_.functions[source->second.function].is_entry) {
    Unforced(fmt::format("{}: turns in a function that the kernel calls are not written",
                         program_.Place(i.line)));
    return;
  }
  Site& site = sites_[turn.pc];
  site.statement = source->second.statement;
  site.function = source->second.function;
  site.gates.push_back({turn, words_.size(), settle_});
  if (!is_needed) {  // it waits for all turns that are needed; the turns that wait for it: none
    return;
  }
  taken_.push_back(turn);
  words_.push_back(turn.lanes);
  settle_ = SignalsFirst(turn.pc) || i.op == Op::kMbarrier ? kToCommit : 0;
}

// What is asynchronous can be waited for, and held back where its lanes can wait before they start
// it.
void TurnEmitter::TakeTransfer(const Turn& turn, bool is_needed) {
  const auto begun = std::find_if(taken_.begin(), taken_.end(), [&](const Turn& one) {
    return one.cta == turn.cta && one.warp == turn.warp && one.pc == turn.pc &&
           one.time == turn.time && (one.lanes & turn.lanes) != 0;
  });
  const bool is_late = begun == taken_.end() ? !style_.holds_transfers || IsHeldByOwn(turn)
                                             : begun + 1 != taken_.end();
  if (is_late) {
    Unforced(
        fmt::format("{}: the GPU decides when what starts here {}: the order has it after turns "
                    "that need it to have started",
                    program_.Place(program_.code[turn.pc].line),
                    turn.what == Turn::What::kReads ? "reads its source" : "is performed"));
  } else if (begun == taken_.end()) {
    TakeTurn(turn, is_needed);
  }
  if (is_needed) {
    settle_ = kToTransfer;
  }
}

// Whether lanes of the warp must have gone past the instruction before this turn can come.
bool TurnEmitter::IsHeldByOwn(const Turn& turn) const {
  return std::any_of(taken_.begin(), taken_.end(), [&](const Turn& one) {
    return one.cta == turn.cta && one.warp == turn.warp &&
           (one.time > turn.time || (one.time == turn.time && one.pc > turn.pc));
  });
}

void TurnEmitter::Unforced(const std::string& sentence) {
  std::vector<std::string>& all = emitted_.unforced;
  if (std::find(all.begin(), all.end(), sentence) == all.end()) {
    all.push_back(sentence);
  }
}

// Whether lanes may stay at the instruction for long, or for ever: the next turn need not wait for
// its end.
bool TurnEmitter::SignalsFirst(std::uint32_t pc) const {
  const ptx::Instruction& i = program_.code[pc];
  return i.op == Op::kExit || i.op == Op::kTrap || i.op == Op::kBarrier ||
         i.op == Op::kClusterBarrier || i.op == Op::kExchange;
}

bool TurnEmitter::IsWait(std::uint32_t pc) const {
  const auto* const mbarrier = std::get_if<ptx::Mbarrier>(&program_.code[pc].payload);
  return mbarrier != nullptr && IsMbWait(mbarrier->op);
}

// ------------------------------------------------------------------------------------------------
// The text
// ------------------------------------------------------------------------------------------------

std::size_t TurnEmitter::Find(std::size_t offset, char wanted) const {
  const std::string& text = module_.text;
  while (offset < text.size() && text[offset] != wanted) {
    if (text.compare(offset, 2, "//") == 0) {
      offset = std::min(text.find('\n', offset), text.size());
    } else if (text.compare(offset, 2, "/*") == 0) {
      offset = std::min(text.find("*/", offset + 2), text.size() - 2) + 2;
    } else {
      ++offset;
    }
  }
  return offset;
}

// The turns that need not come share the last word, for which no turn waits.
void TurnEmitter::WriteVariables() {
  std::vector<std::uint32_t> words = words_;
  words.push_back(~0U);
  std::string text = fmt::format(
      "\n// The order of {} turns, for {} threads in {} CTAs: the lanes of each turn clear their "
      "bits of its word, for\n// which the lanes of the next one wait. After {} polls without a "
      "turn "
      "the order is given up, and\n// {} says which turn, from 1, did not come.\n",
      emitted_.turns, launch_.Threads() * launch_.Ctas(), launch_.Ctas(), kMostPolls, kMissed);
  text += fmt::format(".visible .global .u32 {} = 0;\n", kMissed);
  text += ".visible .global .u32 muster_latest = 0;\n";
  text += fmt::format(".visible .global .u32 muster_turns[{}] = {{", words.size());
  for (std::size_t i = 0; i < words.size(); ++i) {
    text += fmt::format("{}{:#x}", i == 0 ? "" : i % 8 == 0 ? ",\n\t" : ", ", words[i]);
  }
  text += "};\n";
  // After .address_size, or the .target.
  std::size_t at = OffsetOf(module_.target.data()) + module_.target.size();
  const std::size_t size = module_.text.find(".address_size", at);
  at = module_.text.find('\n', size == std::string::npos ? at : size);
  Insert(std::min(at, module_.text.size()), text);
}

// The registers, and which lane of which warp this is.
void TurnEmitter::WriteFunction(std::size_t function) {
  const ptx::syntax::Function& source = module_.functions[function];
  std::string text =
      "\n\t.reg .pred\t%muster_p, %muster_g, %muster_never;\n"
      "\t.reg .b32\t%muster_warp, %muster_lane, %muster_turn, %muster_word, %muster_polls, "
      "%muster_seen, %muster_settle;\n"
      "\t.reg .b64\t%muster_at;\n";
  std::string counts;
  for (const auto& [pc, site] : sites_) {
    if (site.function == function) {
      text += fmt::format("\t.reg .b32\t%muster_n{};\n", pc);
      counts += fmt::format("\tmov.u32\t%muster_n{}, 0;\n", pc);
    }
  }
  text += counts;
  const auto linear = [&](const std::string& result, const std::string& index,
                          const std::string& count) {
    text += fmt::format(
        "\tmov.u32\t{0}, %{1}.z;\n"
        "\tmov.u32\t%muster_word, %{2}.y;\n"
        "\tmul.lo.u32\t{0}, {0}, %muster_word;\n"
        "\tmov.u32\t%muster_word, %{1}.y;\n"
        "\tadd.u32\t{0}, {0}, %muster_word;\n"
        "\tmov.u32\t%muster_word, %{2}.x;\n"
        "\tmul.lo.u32\t{0}, {0}, %muster_word;\n"
        "\tmov.u32\t%muster_word, %{1}.x;\n"
        "\tadd.u32\t{0}, {0}, %muster_word;\n",
        result, index, count);
  };
  linear("%muster_lane", "tid", "ntid");
  linear("%muster_warp", "ctaid", "nctaid");
  text += fmt::format(
      "\tshr.u32\t%muster_word, %muster_lane, 5;\n"
      "\tmul.lo.u32\t%muster_warp, %muster_warp, {};\n"
      "\tadd.u32\t%muster_warp, %muster_warp, %muster_word;  // in the grid\n"
      "\tand.b32\t%muster_lane, %muster_lane, 31;\n"
      "\tmov.u32\t%muster_word, 1;\n"
      "\tshl.b32\t%muster_lane, %muster_word, %muster_lane;  // its bit\n{}",
      launch_.Warps(), style_.takes_lanes_apart ? "$muster_begin:" : "");
  Insert(Find(OffsetOf(source.name.data()), '{') + 1, text);
}

void TurnEmitter::WriteSite(std::uint32_t pc, const Site& site) {
  const ptx::syntax::Instruction& instruction = site.statement->instruction;
  const std::size_t opcode = OffsetOf(instruction.opcode.data());
  Insert(BeginOf(instruction), Before(pc, site));
  Insert(Find(opcode, ';') + 1, After(pc, site));
}

void TurnEmitter::WriteExits(std::size_t function) {
  for (const Statement& statement : module_.functions[function].body) {
    const ptx::syntax::Instruction& instruction = statement.instruction;
    if (statement.kind == Statement::Kind::kInstruction &&
        (instruction.opcode == "ret" || instruction.opcode == "exit")) {
      Insert(BeginOf(instruction), std::string(kNever) + "\t");
    }
  }
}

std::size_t TurnEmitter::BeginOf(const ptx::syntax::Instruction& instruction) const {
  return instruction.guard.empty() ? OffsetOf(instruction.opcode.data())
                                   : module_.text.rfind('@', OffsetOf(instruction.guard.data()));
}

// Lanes find out which turn this is, and wait until it has come.
std::string TurnEmitter::Before(std::uint32_t pc, const Site& site) const {
  const bool guarded = !site.statement->instruction.guard.empty();
  std::string text = fmt::format("// {} turn{}\n\tmov.u32\t%muster_turn, 0;\n", site.gates.size(),
                                 site.gates.size() == 1 ? "" : "s");
  if (guarded) {
    text += fmt::format("\t{}.pred\t%muster_g, {};\n\t@!%muster_g bra\t$muster_go{};\n",
                        site.statement->instruction.guard_negated ? "not" : "mov",
                        site.statement->instruction.guard, pc);
  }
  for (const Gate& gate : site.gates) {
    text += fmt::format(
        "\tsetp.eq.u32\t%muster_p, %muster_warp, {};\n"
        "\tsetp.eq.and.u32\t%muster_p, %muster_n{}, {}, %muster_p;\n"
        "\tand.b32\t%muster_word, %muster_lane, {:#x};\n"
        "\tsetp.ne.and.u32\t%muster_p, %muster_word, 0, %muster_p;\n"
        "\t@%muster_p mov.u32\t%muster_turn, {};\n"
        "\t@%muster_p mov.u32\t%muster_settle, {};\n",
        gate.turn.cta * launch_.Warps() + gate.turn.warp, pc, gate.turn.time - 1, gate.turn.lanes,
        gate.number, gate.settle);
  }
  if (!IsWait(pc)) {
    text += fmt::format("\tadd.u32\t%muster_n{0}, %muster_n{0}, 1;\n", pc);
  }
  text += fmt::format(
      "\tsetp.eq.u32\t%muster_p, %muster_turn, 0;\n"
      "\t@%muster_p bra\t$muster_go{0};\n"
      "\tmov.u64\t%muster_at, muster_turns;\n"
      "\tmad.wide.u32\t%muster_at, %muster_turn, 4, %muster_at;\n"
      "\tmov.u32\t%muster_polls, 0;\n"
      "\tmov.u32\t%muster_seen, 0;\n"
      "$muster_poll{0}:\n"
      "\tld.volatile.global.u32\t%muster_word, [muster_latest];\n"
      "\tsetp.ne.u32\t%muster_p, %muster_word, %muster_seen;\n"
      "\t@%muster_p mov.u32\t%muster_polls, 0;\n"
      "\tmov.u32\t%muster_seen, %muster_word;\n"
      "\tld.volatile.global.u32\t%muster_word, [muster_missed];\n"
      "\tsetp.ne.u32\t%muster_p, %muster_word, 0;\n"
      "\t@%muster_p bra\t$muster_go{0};\n"
      "\tadd.u32\t%muster_polls, %muster_polls, 1;\n"
      "\tsetp.gt.u32\t%muster_p, %muster_polls, {1};\n"
      "\t@%muster_p bra\t$muster_miss{0};\n"
      "{3}"
      "\tld.volatile.global.u32\t%muster_word, [%muster_at+-4];\n"
      "\tsetp.ne.u32\t%muster_p, %muster_word, 0;\n"
      "\t@%muster_p bra\t$muster_poll{0};\n"
      "\tmov.u32\t%muster_polls, 0;\n"
      "$muster_settle{0}:\n"
      "\tld.volatile.global.u32\t%muster_word, [muster_missed];\n"
      "\tsetp.ne.u32\t%muster_p, %muster_word, 0;\n"
      "\t@%muster_p bra\t$muster_come{0};\n"
      "\tadd.u32\t%muster_polls, %muster_polls, 1;\n"
      "\tsetp.le.u32\t%muster_p, %muster_polls, %muster_settle;\n"
      "\t@%muster_p bra\t$muster_settle{0};\n"
      "$muster_come{0}:\n"
      "\tmembar.gl;\n"
      "{2}"
      "\tbra\t$muster_go{0};\n"
      "$muster_miss{0}:\n"
      "\tsub.u32\t%muster_word, %muster_turn, 1;\n"
      "\tatom.global.cas.b32\t%muster_word, [muster_missed], 0, %muster_word;\n"
      "$muster_go{0}:\n\t",
      pc, kMostPolls, SignalsFirst(pc) ? kSignal : "", style_.takes_lanes_apart ? kNever : "");
  return text;
}

// They have executed it. A wait that is not over comes again, and is one execution.
std::string TurnEmitter::After(std::uint32_t pc, const Site& site) const {
  const bool guarded = !site.statement->instruction.guard.empty();
  std::string text = "\n";
  if (IsWait(pc)) {
    text += guarded ? fmt::format("\t@!%muster_g bra\t$muster_done{};\n", pc) : "";
    text += fmt::format("\t@{1} add.u32\t%muster_n{0}, %muster_n{0}, 1;\n", pc,
                        site.statement->instruction.operands.front().name);
  }
  if (!SignalsFirst(pc)) {
    text += fmt::format(
        "\tsetp.eq.u32\t%muster_p, %muster_turn, 0;\n"
        "\t@%muster_p bra\t$muster_done{0};\n"
        "\tmembar.gl;\n{1}",
        pc, kSignal);
  }
  return SignalsFirst(pc)
             ? ""
             : text + fmt::format("$muster_done{}:{}{}", pc, style_.takes_lanes_apart ? "\n" : "",
                                  style_.takes_lanes_apart ? kNever : "");
}

}  // namespace muster::emit
