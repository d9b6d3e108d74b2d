// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Reads one instruction of a thread.
#ifndef MUSTER_SIM_LITMUS_INSTRUCTION_PARSER_H_
#define MUSTER_SIM_LITMUS_INSTRUCTION_PARSER_H_

#include <map>
#include <string>
#include <vector>

#include "sim/litmus/lexer.h"
#include "sim/litmus/names.h"
#include "sim/litmus/test.h"

namespace muster::litmus {

// Reads the cells of one thread, in order.
class InstructionParser {
 public:
  InstructionParser(Lexer* words, Names* names, unsigned thread)
      : words_(*words), names_(*names), thread_(thread) {}

  // Reads a label or an instruction, which ends before "|" or ";".
  void Parse(std::vector<Instruction>* instructions);
  // Gives branches and jumps their targets.
  void Link(std::vector<Instruction>* instructions) const;

 private:
  void ParseMnemonic(Instruction* instruction, const std::string& name);
  void ParseMemory(Instruction* instruction, std::vector<std::string> parts);
  void ParseFence(Instruction* instruction, const std::vector<std::string>& parts);
  void ParseBarrier(Instruction* instruction, const std::vector<std::string>& parts);
  void ParseBranch(Instruction* instruction);
  std::vector<std::string> TakeQualifiers();
  Operand TakeOperand();
  unsigned TakeRegister() { return names_.RegisterOf(thread_, words_.TakeName("a register")); }
  void TakeLocation(Instruction* instruction);
  [[noreturn]] void Refuse(const Instruction& instruction) const;

  Lexer& words_;
  Names& names_;
  unsigned thread_;
  std::map<std::string, unsigned> labels_;
  std::vector<Word> targets_;  // of branches and jumps, in order
};

}  // namespace muster::litmus

#endif  // MUSTER_SIM_LITMUS_INSTRUCTION_PARSER_H_
