// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/litmus/instruction_parser.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/ptx/syntax/error.h"

namespace muster::litmus {
namespace {

using Kind = Instruction::Kind;

const std::map<std::string, Order> kOrders{
    {"weak", Order::kWeak},       {"relaxed", Order::kRelaxed}, {"acquire", Order::kAcquire},
    {"release", Order::kRelease}, {"acq_rel", Order::kAcqRel},  {"sc", Order::kSc}};
const std::map<std::string, Scope> kScopes{{"cta", Scope::kCta},
                                           {"cluster", Scope::kCluster},
                                           {"gpu", Scope::kGpu},
                                           {"gl", Scope::kGpu},
                                           {"sys", Scope::kSys}};
const std::map<std::string, Operator> kOperators{
    {"add", Operator::kAdd}, {"sub", Operator::kSub},       {"mul", Operator::kMul},
    {"div", Operator::kDiv}, {"and", Operator::kAnd},       {"or", Operator::kOr},
    {"xor", Operator::kXor}, {"exch", Operator::kExchange}, {"cas", Operator::kCompareAndSwap}};
const std::map<std::string, Comparison> kBranches{
    {"beq", Comparison::kEqual},   {"bne", Comparison::kNotEqual},
    {"blt", Comparison::kLess},    {"ble", Comparison::kLessEqual},
    {"bgt", Comparison::kGreater}, {"bge", Comparison::kGreaterEqual}};
const std::map<std::string, Proxy> kProxies{
    {"constant", Proxy::kConstant}, {"texture", Proxy::kTexture}, {"surface", Proxy::kSurface}};

struct Access {
  Kind kind;
  Proxy proxy;
};
const std::map<std::string, Access> kAccesses{
    {"ld", {Kind::kLoad, Proxy::kGeneric}},   {"tld", {Kind::kLoad, Proxy::kTexture}},
    {"suld", {Kind::kLoad, Proxy::kSurface}}, {"cold", {Kind::kLoad, Proxy::kConstant}},
    {"st", {Kind::kStore, Proxy::kGeneric}},  {"sust", {Kind::kStore, Proxy::kSurface}},
    {"atom", {Kind::kAtom, Proxy::kGeneric}}, {"suatom", {Kind::kAtom, Proxy::kSurface}},
    {"red", {Kind::kRed, Proxy::kGeneric}},   {"sured", {Kind::kRed, Proxy::kSurface}}};

// Takes the value of the first part out of the parts if it is a key of the map.
template <typename Value>
bool TakePart(const std::map<std::string, Value>& map, std::vector<std::string>* parts,
              Value* value) {
  if (parts->empty()) {
    return false;
  }
  const auto found = map.find(parts->front());
  if (found == map.end()) {
    return false;
  }
  *value = found->second;
  parts->erase(parts->begin());
  return true;
}

}  // namespace

void InstructionParser::Parse(std::vector<Instruction>* instructions) {
  if (IsName(words_.Next().text) && words_.Ahead(1).text == ":") {
    const Word label = words_.Take();
    words_.Expect(":");
    if (!labels_.emplace(label.text, instructions->size()).second) {
      words_.FailAt(label.line,
                    fmt::format("thread P{} has the label {} twice", thread_, label.text));
    }
    return;
  }
  Instruction instruction;
  instruction.line = words_.Next().line;
  for (std::size_t i = 0;; ++i) {
    const std::string& text = words_.Ahead(i).text;
    if (text.empty() || text == "|" || text == ";") {
      break;
    }
    const bool space = text != "," && text != "." && i != 0 && words_.Ahead(i - 1).text != "." &&
                       words_.Ahead(i - 1).text != "-";
    instruction.text += (space ? " " : "") + text;
  }
  instruction.text = ptx::Printable(instruction.text);
  ParseMnemonic(&instruction, words_.TakeName("an instruction"));
  if (!words_.Is("|") && !words_.Is(";")) {
    words_.Fail(fmt::format(R"("|" or ";" should end the instruction before "{}")",
                            ptx::Printable(words_.Next().text)));
  }
  instructions->push_back(std::move(instruction));
}

void InstructionParser::ParseMnemonic(Instruction* instruction, const std::string& name) {
  if (kBranches.count(name) != 0) {
    instruction->comparison = kBranches.at(name);
    return ParseBranch(instruction);
  }
  if (name == "goto") {
    instruction->kind = Kind::kJump;
    targets_.push_back({words_.TakeName("a label"), instruction->line});
    return;
  }
  if (kOperators.count(name) != 0 && name != "exch" && name != "cas") {
    instruction->kind = Kind::kArithmetic;
    instruction->op = kOperators.at(name);
    instruction->result = TakeRegister();
    words_.Expect(",");
    instruction->a = TakeOperand();
    words_.Expect(",");
    instruction->b = TakeOperand();
    return;
  }
  std::vector<std::string> parts = TakeQualifiers();
  if (name == "mov" || (name == "ld" && parts.empty())) {
    instruction->kind = Kind::kMove;
    instruction->result = TakeRegister();
    words_.Expect(",");
    instruction->a = TakeOperand();
    return;
  }
  if (name == "fence" || name == "membar") {
    if (name == "membar" && (parts.empty() || parts[0] != "proxy")) {
      parts.insert(parts.begin(), "sc");
    }
    return ParseFence(instruction, parts);
  }
  if (name == "bar" || name == "barrier") {
    return ParseBarrier(instruction, parts);
  }
  const auto access = kAccesses.find(name);
  if (access == kAccesses.end()) {
    Refuse(*instruction);
  }
  instruction->kind = access->second.kind;
  instruction->proxy = access->second.proxy;
  ParseMemory(instruction, std::move(parts));
}

std::vector<std::string> InstructionParser::TakeQualifiers() {
  std::vector<std::string> parts;
  while (words_.TakeIf(".")) {
    parts.push_back(words_.TakeName("a qualifier"));
  }
  return parts;
}

Operand InstructionParser::TakeOperand() {
  Operand operand;
  if (const auto number = words_.TakeNumber()) {
    operand.constant = *number;
    return operand;
  }
  operand.reg = TakeRegister();
  return operand;
}

void InstructionParser::TakeLocation(Instruction* instruction) {
  const bool bracketed = words_.TakeIf("[");
  instruction->location = names_.LocationOf(words_.TakeName("the name of memory"));
  if (bracketed) {
    words_.Expect("]");
  }
}

void InstructionParser::ParseMemory(Instruction* instruction, std::vector<std::string> parts) {
  const bool atomic = instruction->kind == Kind::kAtom || instruction->kind == Kind::kRed;
  if (!parts.empty() && parts[0] == "volatile" && !atomic) {
    instruction->order = Order::kRelaxed;  // at the scope of the system
    parts.erase(parts.begin());
  } else {
    if (!TakePart(kOrders, &parts, &instruction->order)) {
      instruction->order = atomic ? Order::kRelaxed : Order::kWeak;
    }
    const bool scoped = TakePart(kScopes, &parts, &instruction->scope);
    if (!scoped && atomic) {
      instruction->scope = Scope::kGpu;
    } else if (!scoped && instruction->order != Order::kWeak) {
      words_.FailAt(instruction->line, fmt::format(R"("{}" has no scope: add .cta, .cluster, .gpu )"
                                                   "or .sys",
                                                   instruction->text));
    }
  }
  if (atomic && !TakePart(kOperators, &parts, &instruction->op)) {
    Refuse(*instruction);
  }
  const bool wrong_order =
      instruction->order == Order::kSc || (instruction->order == Order::kWeak && atomic) ||
      (instruction->kind == Kind::kLoad &&
       (instruction->order == Order::kRelease || instruction->order == Order::kAcqRel)) ||
      (instruction->kind == Kind::kStore &&
       (instruction->order == Order::kAcquire || instruction->order == Order::kAcqRel));
  const bool wrong_red =
      instruction->kind == Kind::kRed &&
      (instruction->op == Operator::kExchange || instruction->op == Operator::kCompareAndSwap);
  if (wrong_order || wrong_red || !parts.empty()) {
    Refuse(*instruction);
  }
  if (instruction->kind == Kind::kLoad || instruction->kind == Kind::kAtom) {
    instruction->result = TakeRegister();
    words_.Expect(",");
  }
  TakeLocation(instruction);
  if (instruction->kind != Kind::kLoad) {
    words_.Expect(",");
    instruction->a = TakeOperand();
  }
  if (instruction->op == Operator::kCompareAndSwap) {
    words_.Expect(",");
    instruction->b = TakeOperand();
  }
}

void InstructionParser::ParseFence(Instruction* instruction,
                                   const std::vector<std::string>& parts) {
  if (parts.size() == 2 && parts[0] == "proxy") {
    const auto proxy = kProxies.find(parts[1]);
    if (proxy == kProxies.end() && parts[1] != "alias") {
      Refuse(*instruction);
    }
    instruction->kind = parts[1] == "alias" ? Kind::kAliasFence : Kind::kProxyFence;
    instruction->proxy = proxy == kProxies.end() ? Proxy::kGeneric : proxy->second;
    return;
  }
  std::vector<std::string> rest = parts;
  instruction->kind = Kind::kFence;
  instruction->order = Order::kAcqRel;
  TakePart(kOrders, &rest, &instruction->order);
  if (!TakePart(kScopes, &rest, &instruction->scope) || !rest.empty() ||
      instruction->order == Order::kWeak || instruction->order == Order::kRelaxed) {
    Refuse(*instruction);
  }
}

// "bar.cta.sync NUMBER", "bar.cta.sync LABEL, NUMBER" or "bar.cta.sync LABEL, NUMBER, COUNT".
void InstructionParser::ParseBarrier(Instruction* instruction,
                                     const std::vector<std::string>& parts) {
  const std::string form = parts.empty() ? "" : parts.back();
  if ((form != "sync" && form != "arrive") || parts.size() > 2 ||
      (parts.size() == 2 && parts[0] != "cta")) {
    Refuse(*instruction);
  }
  instruction->kind = form == "sync" ? Kind::kSync : Kind::kArrive;
  instruction->a = TakeOperand();
  if (words_.TakeIf(",")) {
    instruction->a = TakeOperand();
  }
  if (words_.TakeIf(",")) {
    instruction->b = TakeOperand();
  }
}

void InstructionParser::ParseBranch(Instruction* instruction) {
  instruction->kind = Kind::kBranch;
  instruction->a = TakeOperand();
  words_.Expect(",");
  instruction->b = TakeOperand();
  words_.Expect(",");
  targets_.push_back({words_.TakeName("a label"), instruction->line});
}

void InstructionParser::Link(std::vector<Instruction>* instructions) const {
  auto target = targets_.begin();
  for (Instruction& instruction : *instructions) {
    if (instruction.kind != Kind::kBranch && instruction.kind != Kind::kJump) {
      continue;
    }
    const auto label = labels_.find(target->text);
    if (label == labels_.end()) {
      words_.FailAt(target->line, fmt::format("thread P{} has no label {}", thread_, target->text));
    }
    instruction.target = label->second;
    ++target;
  }
}

void InstructionParser::Refuse(const Instruction& instruction) const {
  words_.FailAt(instruction.line,
                fmt::format(R"(no such instruction in a litmus test: "{}")", instruction.text));
}

}  // namespace muster::litmus
