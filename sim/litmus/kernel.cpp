// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/litmus/kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "sim/ptx/syntax/error.h"

namespace muster::litmus {
namespace {

using Kind = Instruction::Kind;

constexpr unsigned kWarp = 32;

// Where the threads of a test are in the grid.
struct Grid {
  explicit Grid(const Test& test) {
    for (unsigned i = 0; i < test.threads.size(); ++i) {
      const unsigned first = CtaOf(test, i);
      const auto cta = std::find(ctas.begin(), ctas.end(), first);
      block.push_back(static_cast<unsigned>(cta - ctas.begin()));
      if (cta == ctas.end()) {
        ctas.push_back(first);
        sizes.push_back(0);
      }
      warp.push_back(sizes[block.back()]++);
    }
  }
  unsigned warps() const { return *std::max_element(sizes.begin(), sizes.end()); }

  std::vector<unsigned> ctas;   // by their first threads
  std::vector<unsigned> sizes;  // of each CTA
  std::vector<unsigned> block;  // of each thread
  std::vector<unsigned> warp;   // of each thread
};

const char* Text(Scope scope) {
  switch (scope) {
    case Scope::kCta:
      return "cta";
    case Scope::kCluster:
      return "cluster";
    case Scope::kGpu:
      return "gpu";
    case Scope::kSys:
      break;
  }
  return "sys";
}

const char* Text(Order order) {
  switch (order) {
    case Order::kWeak:
      return "weak";
    case Order::kRelaxed:
      return "relaxed";
    case Order::kAcquire:
      return "acquire";
    case Order::kRelease:
      return "release";
    case Order::kAcqRel:
      return "acq_rel";
    case Order::kSc:
      break;
  }
  return "sc";
}

const char* Text(Comparison comparison) {
  switch (comparison) {
    case Comparison::kEqual:
      return "eq";
    case Comparison::kNotEqual:
      return "ne";
    case Comparison::kLess:
      return "lt";
    case Comparison::kLessEqual:
      return "le";
    case Comparison::kGreater:
      return "gt";
    case Comparison::kGreaterEqual:
      break;
  }
  return "ge";
}

std::string Text(const std::string& comparison) {
  const std::vector<std::pair<std::string, std::string>> names{
      {"==", "eq"}, {"!=", "ne"}, {"<", "lt"}, {"<=", "le"}, {">", "gt"}, {">=", "ge"}};
  return std::find_if(names.begin(), names.end(),
                      [&](const auto& name) { return name.first == comparison; })
      ->second;
}

// The registers of a kernel: %r of the threads' values, %a of addresses, %p of conditions.
class Writer {
 public:
  explicit Writer(const Test& test) : test_(test), grid_(test) {
    Check();
    test_.condition.AddRegisters(&reported_);
    if (test_.filter) {
      test_.filter->AddRegisters(&reported_);
    }
    std::sort(reported_.begin(), reported_.end());
    reported_.erase(std::unique(reported_.begin(), reported_.end()), reported_.end());
  }

  std::size_t reported() const { return std::max<std::size_t>(reported_.size(), 1); }

  std::string Write() {
    for (unsigned thread = 0; thread < test_.threads.size(); ++thread) {
      WriteThread(thread);
    }
    WriteJudgement();
    std::string head = fmt::format("// The litmus test {}.\n//\n", test_.name);
    for (unsigned memory = 0; memory < test_.memory.size(); ++memory) {
      head += fmt::format("// memory[{}] is {}.\n", memory, NameOf(memory));
    }
    for (std::size_t i = 0; i < reported_.size(); ++i) {
      head += fmt::format("// registers[{}] is P{}:{}.\n", i, reported_[i].first,
                          test_.threads[reported_[i].first].registers[reported_[i].second]);
    }
    head +=
        ".version 8.6\n.target sm_90\n.address_size 64\n\n"
        ".visible .entry litmus(\n\t.param .u64 memory,\n\t.param .u64 registers,\n"
        "\t.param .u64 done,\n\t.param .u64 outcome\n)\n{\n";
    head += fmt::format("\t.reg .pred\t%p<{}>;\n\t.reg .b32\t%r<{}>;\n\t.reg .b64\t%a<4>;\n\n",
                        predicates_ + 1, values_ + 1);
    const std::vector<std::string> parameters{"memory", "registers", "done", "outcome"};
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      head += fmt::format("\tld.param.u64\t%a{0}, [{1}];\n\tcvta.to.global.u64\t%a{0}, %a{0};\n", i,
                          parameters[i]);
    }
    return head + WriteEntry() + body_ + "}\n";
  }

 private:
  [[noreturn]] void Refuse(unsigned line, const std::string& why) const {
    throw ptx::InputError(
        fmt::format("{}:{}: no kernel can be written: {}", test_.file, line, why));
  }

  void Check() const {
    for (const Thread& thread : test_.threads) {
      if (thread.gpu != test_.threads[0].gpu) {
        Refuse(1, "the threads are on several GPUs");
      }
      if (thread.cluster != test_.threads[0].cluster) {
        Refuse(1, "the threads are in several clusters");
      }
      for (const Instruction& instruction : thread.instructions) {
        const bool atomic = instruction.kind == Kind::kAtom || instruction.kind == Kind::kRed;
        const bool aliases =
            (atomic || instruction.kind == Kind::kLoad || instruction.kind == Kind::kStore) &&
            test_.locations[instruction.location].address !=
                FirstAddressOf(test_.locations[instruction.location].memory);
        if (instruction.proxy != Proxy::kGeneric || aliases) {
          Refuse(instruction.line,
                 "buffers have neither aliases nor textures, surfaces and "
                 "constants");
        }
        if (atomic && (instruction.op == Operator::kMul || instruction.op == Operator::kDiv)) {
          Refuse(instruction.line, "PTX has no such atomic operation");
        }
      }
    }
  }

  unsigned FirstAddressOf(unsigned memory) const {
    return std::find_if(test_.locations.begin(), test_.locations.end(),
                        [&](const Location& location) { return location.memory == memory; })
        ->address;
  }

  const std::string& NameOf(unsigned memory) const {
    return test_.locations[FirstAddressOf(memory)].name;
  }

  // Sends lane 0 of each warp to its thread; all other lanes, and warps without a thread, end.
  std::string WriteEntry() const {
    std::string entry =
        "\tmov.u32\t%r0, %tid.x;\n\tand.b32\t%r0, %r0, 31;\n\tsetp.ne.u32\t%p0, %r0, 0;\n"
        "\t@%p0 ret;\n\tmov.u32\t%r0, %ctaid.x;\n";
    entry += fmt::format("\tmul.lo.u32\t%r0, %r0, {};\n\tmov.u32\t%r1, %tid.x;\n", grid_.warps());
    entry += "\tshr.u32\t%r1, %r1, 5;\n\tadd.u32\t%r0, %r0, %r1;\n";
    for (unsigned thread = 0; thread < test_.threads.size(); ++thread) {
      entry += fmt::format("\tsetp.eq.u32\t%p0, %r0, {};\n\t@%p0 bra\tP{};\n",
                           grid_.block[thread] * grid_.warps() + grid_.warp[thread], thread);
    }
    return entry + "\tret;\n";
  }

  template <typename... Arguments>
  void Put(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    body_ += "\t" + fmt::format(format, std::forward<Arguments>(arguments)...) + ";\n";
  }

  unsigned NewValue() { return values_++; }
  unsigned NewPredicate() { return predicates_++; }

  void WriteThread(unsigned thread) {
    const Thread& of = test_.threads[thread];
    first_ = values_;
    values_ += of.registers.size();
    body_ += fmt::format("\nP{}:\n", thread);
    for (std::size_t reg = 0; reg < of.registers.size(); ++reg) {
      Put("mov.b32\t%r{}, {}", first_ + reg, of.initial[reg]);
    }
    std::set<unsigned> targets;
    for (const Instruction& instruction : of.instructions) {
      if (instruction.kind == Kind::kBranch || instruction.kind == Kind::kJump) {
        targets.insert(instruction.target);
      }
    }
    for (unsigned i = 0; i <= of.instructions.size(); ++i) {
      if (targets.count(i) != 0) {
        body_ += fmt::format("P{}_{}:\n", thread, i);
      }
      if (i < of.instructions.size()) {
        WriteInstruction(thread, of.instructions[i]);
      }
    }
    for (std::size_t i = 0; i < reported_.size(); ++i) {
      if (reported_[i].first == thread) {
        Put("st.global.b32\t[%a1+{}], %r{}", 4 * i, first_ + reported_[i].second);
      }
    }
    Put("bra\tDONE");
  }

  std::string Of(const Operand& operand) const {
    return operand.reg ? fmt::format("%r{}", first_ + *operand.reg)
                       : fmt::format("{}", operand.constant);
  }

  void WriteInstruction(unsigned thread, const Instruction& instruction) {
    const std::string result = fmt::format("%r{}", first_ + instruction.result);
    switch (instruction.kind) {
      case Kind::kLoad:
        return Put("ld{}.global.b32\t{}, [{}]", Strength(instruction), result, Place(instruction));
      case Kind::kStore:
        return Put("st{}.global.b32\t[{}], {}", Strength(instruction), Place(instruction),
                   Of(instruction.a));
      case Kind::kAtom:
      case Kind::kRed:
        return WriteAtomic(instruction, result);
      case Kind::kFence:
        return Put("fence.{}.{}", Text(instruction.order), Text(instruction.scope));
      case Kind::kProxyFence:
        return;
      case Kind::kAliasFence:
        return Put("fence.proxy.alias");
      case Kind::kSync:
      case Kind::kArrive:
        return WriteBarrier(thread, instruction);
      case Kind::kMove:
        return Put("mov.b32\t{}, {}", result, Of(instruction.a));
      case Kind::kArithmetic:
        return WriteArithmetic(instruction, result);
      case Kind::kBranch: {
        const unsigned predicate = NewPredicate();
        Put("setp.{}.s32\t%p{}, {}, {}", Text(instruction.comparison), predicate,
            InRegister(Of(instruction.a)), Of(*instruction.b));
        return Put("@%p{} bra\tP{}_{}", predicate, thread, instruction.target);
      }
      case Kind::kJump:
        return Put("bra\tP{}_{}", thread, instruction.target);
    }
  }

  // The operand in a register: where PTX takes no constant.
  std::string InRegister(const std::string& operand) {
    if (operand[0] == '%') {
      return operand;
    }
    const unsigned value = NewValue();
    Put("mov.b32\t%r{}, {}", value, operand);
    return fmt::format("%r{}", value);
  }

  static std::string Strength(const Instruction& instruction) {
    return instruction.order == Order::kWeak
               ? ".weak"
               : fmt::format(".{}.{}", Text(instruction.order), Text(instruction.scope));
  }

  std::string Place(const Instruction& instruction) const {
    return fmt::format("%a0+{}", 4 * test_.locations[instruction.location].memory);
  }

  void WriteAtomic(const Instruction& instruction, const std::string& result) {
    std::string operand = InRegister(Of(instruction.a));
    std::string op;
    switch (instruction.op) {
      case Operator::kSub: {
        const unsigned negated = NewValue();
        Put("neg.s32\t%r{}, {}", negated, operand);
        operand = fmt::format("%r{}", negated);
        op = "add.s32";
        break;
      }
      case Operator::kAnd:
        op = "and.b32";
        break;
      case Operator::kOr:
        op = "or.b32";
        break;
      case Operator::kXor:
        op = "xor.b32";
        break;
      case Operator::kExchange:
        op = "exch.b32";
        break;
      case Operator::kCompareAndSwap:
        op = "cas.b32";
        operand += ", " + InRegister(Of(*instruction.b));
        break;
      default:
        op = "add.s32";
    }
    const bool atom = instruction.kind == Kind::kAtom;
    Put("{}.{}.{}.global.{}\t{}[{}], {}", atom ? "atom" : "red", Text(instruction.order),
        Text(instruction.scope), op, atom ? result + ", " : "", Place(instruction), operand);
  }

  void WriteBarrier(unsigned thread, const Instruction& instruction) {
    std::string count;
    if (instruction.b) {
      const unsigned threads = NewValue();
      Put("mul.lo.u32\t%r{}, {}, {}", threads, InRegister(Of(*instruction.b)), kWarp);
      count = fmt::format(", %r{}", threads);
    } else if (instruction.kind == Kind::kArrive) {
      count = fmt::format(", {}", kWarp * grid_.sizes[grid_.block[thread]]);
    }
    Put("barrier.cta.{}\t{}{}", instruction.kind == Kind::kSync ? "sync" : "arrive",
        Of(instruction.a), count);
  }

  void WriteArithmetic(const Instruction& instruction, const std::string& result) {
    const std::string a = InRegister(Of(instruction.a));
    const std::string b = InRegister(Of(*instruction.b));
    const char* op = "add.s32";
    switch (instruction.op) {
      case Operator::kSub:
        op = "sub.s32";
        break;
      case Operator::kMul:
        op = "mul.lo.s32";
        break;
      case Operator::kDiv:
        op = "div.s32";
        break;
      case Operator::kAnd:
        op = "and.b32";
        break;
      case Operator::kOr:
        op = "or.b32";
        break;
      case Operator::kXor:
        op = "xor.b32";
        break;
      default:
        break;
    }
    Put("{}\t{}, {}, {}", op, result, a, b);
  }

  // The last thread to come here sees what all have written.
  void WriteJudgement() {
    body_ += "\nDONE:\n";
    const unsigned count = NewValue();
    const unsigned last = NewPredicate();
    Put("mov.b32\t%r{}, 1", count);
    Put("atom.acq_rel.gpu.global.add.u32\t%r{0}, [%a2], %r{0}", count);
    Put("setp.ne.u32\t%p{}, %r{}, {}", last, count, test_.threads.size() - 1);
    Put("@%p{} ret", last);
    unsigned asked = WriteCondition(test_.condition);
    if (test_.quantifier == Test::Quantifier::kForall) {
      asked = WriteNot(asked);
    }
    if (test_.filter) {
      asked = WriteBoth("and", asked, WriteCondition(*test_.filter));
    }
    const unsigned value = NewValue();
    Put("selp.u32\t%r{}, 1, 0, %p{}", value, asked);
    Put("st.global.u32\t[%a3], %r{}", value);
    Put("ret");
  }

  unsigned WriteNot(unsigned predicate) {
    const unsigned result = NewPredicate();
    Put("not.pred\t%p{}, %p{}", result, predicate);
    return result;
  }

  unsigned WriteBoth(const char* op, unsigned a, unsigned b) {
    const unsigned result = NewPredicate();
    Put("{}.pred\t%p{}, %p{}, %p{}", op, result, a, b);
    return result;
  }

  std::string WriteTerm(const Term& term) {
    const unsigned value = NewValue();
    switch (term.kind) {
      case Term::Kind::kConstant:
        Put("mov.b32\t%r{}, {}", value, term.constant);
        break;
      case Term::Kind::kMemory:
        Put("ld.global.b32\t%r{}, [%a0+{}]", value, 4 * term.index);
        break;
      case Term::Kind::kRegister: {
        const auto place =
            std::find(reported_.begin(), reported_.end(), std::pair(term.thread, term.index));
        Put("ld.global.b32\t%r{}, [%a1+{}]", value, 4 * (place - reported_.begin()));
        break;
      }
    }
    return fmt::format("%r{}", value);
  }

  unsigned WriteCondition(const Condition& condition) {
    switch (condition.kind) {
      case Condition::Kind::kNot:
        return WriteNot(WriteCondition(condition.parts[0]));
      case Condition::Kind::kAnd:
      case Condition::Kind::kOr: {
        const char* const op = condition.kind == Condition::Kind::kAnd ? "and" : "or";
        unsigned result = WriteCondition(condition.parts[0]);
        for (std::size_t i = 1; i < condition.parts.size(); ++i) {
          result = WriteBoth(op, result, WriteCondition(condition.parts[i]));
        }
        return result;
      }
      case Condition::Kind::kTrue:
      case Condition::Kind::kCompare:
        break;
    }
    const bool constant = condition.kind == Condition::Kind::kTrue;
    const std::string a = WriteTerm(condition.left);
    const std::string b = WriteTerm(condition.right);
    const unsigned result = NewPredicate();
    Put("setp.{}.s32\t%p{}, {}, {}", constant ? "eq" : Text(condition.comparison), result, a, b);
    return result;
  }

  const Test& test_;
  Grid grid_;
  std::vector<std::pair<unsigned, unsigned>> reported_;  // registers that the question names
  std::string body_;
  unsigned first_ = 0;  // register of the present thread
  unsigned values_ = 2;
  unsigned predicates_ = 1;
};

}  // namespace

std::string KernelOf(const Test& test) { return Writer(test).Write(); }

nlohmann::ordered_json ManifestOf(const Test& test, const Answer& answer, const std::string& ptx) {
  const Grid grid(test);
  nlohmann::ordered_json manifest{{"ptx", ptx}, {"grid", {grid.ctas.size(), 1, 1}}};
  manifest["block"] = {kWarp * grid.warps(), 1, 1};
  if (test.threads[0].cluster) {
    manifest["cluster"] = {grid.ctas.size(), 1, 1};
  }
  for (const char* const buffer : {"memory", "registers", "done", "outcome"}) {
    manifest["args"].push_back({{"buffer", buffer}});
  }
  auto& buffers = manifest["buffers"];
  buffers["memory"] = {{"type", "s32"},
                       {"count", std::max<std::size_t>(test.memory.size(), 1)},
                       {"init", test.memory}};
  if (test.memory.empty()) {
    buffers["memory"]["init"] = "zero";
  }
  buffers["registers"] = {{"type", "s32"}, {"count", Writer(test).reported()}, {"init", "zero"}};
  buffers["done"] = {{"type", "u32"}, {"count", 1}, {"init", "zero"}};
  buffers["outcome"] = {{"type", "u32"}, {"count", 1}, {"init", "zero"}};
  manifest["expect"] = {{"done", {test.threads.size()}}};
  if (answer.complete() && !answer.outcome) {
    manifest["expect"]["outcome"] = {0};
  }
  return manifest;
}

}  // namespace muster::litmus
