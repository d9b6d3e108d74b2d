// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/program/reach.h"

#include <unordered_map>
#include <utility>
#include <vector>

namespace muster::ptx {
namespace {

class Walk {
 public:
  explicit Walk(const syntax::Module& module) {
    for (const syntax::Function& function : module.functions) {
      if (function.has_body) {
        functions_.emplace(function.name, &function);
      }
    }
    for (const syntax::Variable& variable : module.variables) {
      variables_.emplace(variable.name, &variable);
    }
    for (const syntax::Alias& alias : module.aliases) {
      aliases_.emplace(alias.name, alias.function);
    }
  }

  std::unordered_set<std::string_view> From(std::string_view kernel) {
    Name(kernel);
    while (!open_.empty()) {
      const std::string_view name = open_.back();
      open_.pop_back();
      if (const auto alias = aliases_.find(name); alias != aliases_.end()) {
        Name(alias->second);
      }
      if (const auto variable = variables_.find(name); variable != variables_.end()) {
        Names(variable->second->initial);
      }
      if (const auto function = functions_.find(name); function != functions_.end()) {
        for (const syntax::Statement& statement : function->second->body) {
          Names(statement.instruction.operands);
          Names(statement.targets);
          Names(statement.variable.initial);
        }
      }
    }
    return std::move(names_);
  }

 private:
  void Name(std::string_view name) {
    if (names_.insert(name).second) {
      open_.push_back(name);
    }
  }
  void Names(const std::vector<syntax::Operand>& operands) {
    for (const syntax::Operand& operand : operands) {
      Name(operand.name);
      Names(operand.parts);
    }
  }

  std::unordered_map<std::string_view, const syntax::Function*> functions_;
  std::unordered_map<std::string_view, const syntax::Variable*> variables_;
  std::unordered_map<std::string_view, std::string_view> aliases_;
  std::unordered_set<std::string_view> names_;
  std::vector<std::string_view> open_;  // named, and not yet looked into
};

}  // namespace

std::unordered_set<std::string_view> NamesReached(const syntax::Module& module,
                                                  const syntax::Function& kernel) {
  return Walk(module).From(kernel.name);
}

}  // namespace muster::ptx
