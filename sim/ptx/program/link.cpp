// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "sim/ptx/program/address.h"
#include "sim/ptx/program/decode.h"
#include "sim/ptx/program/decode_memory.h"
#include "sim/ptx/program/decode_warpgroup.h"
#include "sim/ptx/program/demangle.h"
#include "sim/ptx/program/directives.h"
#include "sim/ptx/program/linker.h"
#include "sim/ptx/program/reach.h"
#include "sim/ptx/program/timed.h"
#include "sim/ptx/syntax/error.h"

namespace muster::ptx {
namespace {

using syntax::Operand;
using syntax::Statement;
using Kind = syntax::Operand::Kind;

}  // namespace

// The kernel of that name, or the only one of that plain name; without a name, the only one.
const syntax::Function& Linker::Choose(std::string_view kernel) const {
  std::string names;
  const syntax::Function* chosen = nullptr;
  std::vector<const syntax::Function*> plain;
  unsigned entries = 0;
  for (const syntax::Function& function : module_.functions) {
    if (!function.is_entry || !function.has_body) {
      continue;
    }
    ++entries;
    names.append(names.empty() ? "" : ", ").append(function.name);
    if (kernel.empty() || function.name == kernel) {
      chosen = &function;
    } else if (PlainName(function.name) == kernel) {
      plain.push_back(&function);
    }
  }
  if (entries == 0) {
    throw InputError(fmt::format("{}: the file has no .entry", module_.file));
  }
  if (chosen == nullptr && plain.size() == 1) {
    chosen = plain.front();
  }
  if (chosen == nullptr) {
    throw InputError(fmt::format("{}: there {} {}; the file has {}", module_.file,
                                 plain.empty() ? "is no kernel" : "are several kernels",
                                 Printable(kernel), names));
  }
  if (kernel.empty() && entries > 1) {
    throw InputError(fmt::format("{}: the kernel must be named: one of {}", module_.file, names));
  }
  return *chosen;
}

void Linker::ChooseAll(const std::vector<std::string>& kernels) {
  for (const std::string& kernel : kernels) {
    kernels_.push_back(&Choose(kernel));
    reached_.merge(NamesReached(module_, *kernels_.back()));
  }
}

std::vector<Finding> Linker::Findings() {
  std::stable_sort(diagnostics_.begin(), diagnostics_.end(),
                   [](const Diagnostic& a, const Diagnostic& b) { return a.at.line < b.at.line; });
  std::vector<Finding> findings;
  const SourceMap sources(module_);
  for (const Diagnostic& diagnostic : diagnostics_) {
    const std::string source = sources.Text(diagnostic.at.line);
    findings.push_back(
        {diagnostic.kind == Diagnostic::Kind::kMisuse,
         fmt::format("{}{}{}:{}:{}: {}", source, source.empty() ? "" : ", ", module_.file,
                     diagnostic.at.line, diagnostic.at.column, diagnostic.message)});
  }
  return findings;
}

void Linker::ThrowIfAny() {
  std::string text;
  for (const Finding& finding : Findings()) {
    if (!finding.runs) {
      text.append(text.empty() ? "" : "\n").append(finding.text);
    }
  }
  if (!text.empty()) {
    throw InputError(text);
  }
}

// Signatures come first, so that functions may call those that follow.
void Linker::DeclareFunctions() {
  CheckVersion(module_, &diagnostics_);
  for (const syntax::Function& source : module_.functions) {
    Symbol symbol;
    if (!symbols_.Find(source.name, &symbol)) {
      symbol.kind = Symbol::Kind::kFunction;
      symbol.address = program_.functions.size();
      symbols_.Declare(source.name, symbol);
      program_.functions.emplace_back();
    } else if (symbol.kind != Symbol::Kind::kFunction ||
               (source.has_body && program_.functions[symbol.address].has_body)) {
      Fail(source.at, fmt::format("{} is declared twice", source.name));
      continue;
    } else if (!source.has_body) {
      continue;
    }
    Function& function = program_.functions[symbol.address];
    function = {};
    function.name = std::string(source.name);
    function.is_entry = source.is_entry;
    function.has_body = source.has_body;
    function.max_threads = source.max_threads;
    function.required_threads = source.required_threads;
    function.required_cluster = source.required_cluster;
    function.max_cluster = source.max_cluster.empty() ? 0 : source.max_cluster.front();
    function.registers = RegistersAtLaunch(source);
    function.registers_at_most = source.max_registers.empty();
    function.explicit_cluster = source.explicit_cluster;
    function.blocks_are_clusters = source.blocks_are_clusters;
    CheckDirectives(module_, source, &diagnostics_);
    function_ = &function;
    symbols_.Begin();
    DeclareParameters(source.signature.returns, &function.returns);
    DeclareParameters(source.signature.parameters, &function.parameters);
    symbols_.End();
    function.param_bytes = function.is_entry ? function.local_bytes : 0;
    function_ = nullptr;
  }
  for (const syntax::Function* const kernel : kernels_) {
    Symbol symbol;
    symbols_.Find(kernel->name, &symbol);
    program_.kernels.push_back(static_cast<std::uint32_t>(symbol.address));
  }
}

// Other names of functions.
void Linker::DeclareAliases() {
  for (const syntax::Alias& alias : module_.aliases) {
    Symbol symbol;
    if (!symbols_.Find(alias.function, &symbol) || symbol.kind != Symbol::Kind::kFunction) {
      Fail(alias.at, fmt::format("{} is not a function", alias.function));
      continue;
    }
    symbols_.Replace(alias.name, symbol);
  }
}

// What a .callprototype says, or the first function of .calltargets.
Function Linker::PrototypeOf(const Statement& statement) {
  Symbol symbol;
  if (statement.kind == Statement::Kind::kTargets) {
    symbols_.Find(statement.targets.front().name, &symbol);
    return program_.functions[symbol.address];
  }
  Function prototype;
  const auto describe = [](const std::vector<syntax::Variable>& list) {
    std::vector<Parameter> parameters;
    for (const syntax::Variable& variable : list) {
      Parameter parameter;
      parameter.type = TypeOf(variable.type);
      parameter.bytes = static_cast<std::uint32_t>(BytesOf(variable));
      parameter.slot = variable.space == "reg" ? kFirstSlot : kNoSlot;
      parameters.push_back(std::move(parameter));
    }
    return parameters;
  };
  prototype.returns = describe(statement.prototype.returns);
  prototype.parameters = describe(statement.prototype.parameters);
  return prototype;
}

// Labels of the scope that begins at statement `begin`; those of inner scopes are their own.
void Linker::DeclareLabels(const std::vector<Statement>& body, std::size_t begin) {
  unsigned depth = 0;
  for (std::size_t i = begin; i < body.size(); ++i) {
    if (body[i].kind == Statement::Kind::kBegin) {
      ++depth;
    }
    if (body[i].kind == Statement::Kind::kEnd && depth-- == 0) {
      break;
    }
    if (body[i].kind != Statement::Kind::kLabel || depth != 0) {
      continue;
    }
    Symbol symbol;
    Symbol target;
    const Statement* const next = i + 1 < body.size() ? &body[i + 1] : nullptr;
    const bool lists = next != nullptr && next->kind == Statement::Kind::kTargets;
    const bool calls = lists && symbols_.Find(next->targets.front().name, &target) &&
                       target.kind == Symbol::Kind::kFunction;
    if (calls || (next != nullptr && next->kind == Statement::Kind::kPrototype)) {
      symbol.kind = Symbol::Kind::kPrototype;
      symbol.address = program_.prototypes.size();
      program_.prototypes.push_back(PrototypeOf(*next));
    } else if (lists) {
      symbol.kind = Symbol::Kind::kTargets;
      symbol.address = program_.tables.size();
      program_.tables.emplace_back();
    } else {
      symbol.kind = Symbol::Kind::kLabel;
      symbol.address = labels_.size();
      labels_.push_back(0);
    }
    if (!symbols_.Declare(body[i].label, symbol)) {
      Fail(body[i].at, fmt::format("{} is declared twice", body[i].label));
    }
  }
}

// Until the end of the function a table holds the labels' indices.
void Linker::FillTable(const Statement& label, const Statement& targets) {
  Symbol table;
  symbols_.Find(label.label, &table);
  if (table.kind != Symbol::Kind::kTargets) {
    return;
  }
  for (const Operand& target : targets.targets) {
    Symbol symbol;
    if (!symbols_.Find(target.name, &symbol) || symbol.kind != Symbol::Kind::kLabel) {
      Fail(target.at, fmt::format("there is no label {} here", target.name));
      continue;
    }
    program_.tables[table.address].push_back(static_cast<std::uint32_t>(symbol.address));
  }
}

void Linker::DecodeFunction(const syntax::Function& source, Function* function) {
  function_ = function;
  function->slots = kFirstSlot;
  function->local_bytes = 0;
  function->returns.clear();
  function->parameters.clear();
  symbols_.Begin();
  DeclareParameters(source.signature.returns, &function->returns);
  DeclareParameters(source.signature.parameters, &function->parameters);
  if (function->is_entry) {
    function->local_bytes = 0;
  }
  const std::size_t first_table = program_.tables.size();
  function->entry = static_cast<std::uint32_t>(program_.code.size());
  code_.Enter(function);
  labels_.clear();
  DeclareLabels(source.body, 0);
  for (std::size_t i = 0; i < source.body.size(); ++i) {
    const Statement& statement = source.body[i];
    switch (statement.kind) {
      case Statement::Kind::kInstruction: {
        Cursor cursor(statement, symbols_, target_, &code_, &diagnostics_);
        Decode(&cursor);
        break;
      }
      case Statement::Kind::kVariable:
        Declare(statement.variable);
        break;
      case Statement::Kind::kLabel: {
        Symbol symbol;
        symbols_.Find(statement.label, &symbol);
        if (symbol.kind == Symbol::Kind::kLabel) {
          labels_[symbol.address] = static_cast<std::uint32_t>(program_.code.size());
        }
        break;
      }
      case Statement::Kind::kTargets:
        if (i > 0 && source.body[i - 1].kind == Statement::Kind::kLabel) {
          FillTable(source.body[i - 1], statement);
        }
        break;
      case Statement::Kind::kPrototype:
        break;
      case Statement::Kind::kBegin:
        symbols_.Begin();
        DeclareLabels(source.body, i + 1);
        break;
      case Statement::Kind::kEnd:
        symbols_.End();
        break;
    }
  }
  symbols_.End();
  Instruction end;  // a body that runs out returns
  end.op = function->is_entry ? Op::kExit : Op::kReturn;
  if (end.op == Op::kReturn) {
    end.Make<Return>().function = static_cast<std::uint32_t>(function - program_.functions.data());
  }
  end.line = source.body.empty() ? source.at.line : source.body.back().at.line;
  program_.code.push_back(end);
  for (std::size_t pc = function->entry; pc < program_.code.size(); ++pc) {
    if (auto* const branch = std::get_if<Branch>(&program_.code[pc].payload); branch != nullptr) {
      branch->target = labels_[branch->target];
    }
  }
  for (std::size_t table = first_table; table < program_.tables.size(); ++table) {
    for (std::uint32_t& target : program_.tables[table]) {
      target = labels_[target];
    }
  }
  function->local_bytes = static_cast<std::uint32_t>(RoundUp(function->local_bytes, 16));
  function_ = nullptr;
}

// What is known of shared memory beforehand: the dynamic part follows all else.
void Linker::MeasureShared() {
  std::uint64_t align = kDynamicAlign;
  std::uint64_t end = 0;
  const auto measure = [&](const syntax::Variable& variable) {
    if (variable.space != "shared" || TypeOf(variable.type) == Type::kNone) {
      return;
    }
    if (variable.is_extern || variable.unsized) {
      align = std::max(align, AlignOf(variable));
      program_.has_dynamic_shared = true;
    } else {
      end = RoundUp(end, AlignOf(variable)) + BytesOf(variable);
    }
  };
  for (const syntax::Variable& variable : module_.variables) {
    if (reached_.count(variable.name) != 0) {
      measure(variable);
    }
  }
  for (const syntax::Function& function : module_.functions) {
    if (reached_.count(function.name) == 0) {
      continue;
    }
    for (const Statement& statement : function.body) {
      if (statement.kind == Statement::Kind::kVariable) {
        measure(statement.variable);
      }
    }
  }
  program_.static_shared = static_cast<std::uint32_t>(std::min(end, kMaxBytes));
  program_.dynamic_base = static_cast<std::uint32_t>(RoundUp(program_.static_shared, align));
}

void Linker::DeclareAll() {
  MeasureShared();
  for (const syntax::Variable& variable : module_.variables) {
    Declare(variable);
  }
  DeclareFunctions();
  DeclareAliases();
  ThrowIfAny();
}

void Linker::LinkAll() {
  DeclareAll();
  for (const syntax::Function& source : module_.functions) {
    if (!source.has_body) {
      continue;
    }
    Symbol symbol;
    symbols_.Find(source.name, &symbol);
    Function* const function = &program_.functions[symbol.address];
    function->has_body = kernels_.empty() || reached_.count(source.name) != 0;
    if (function->has_body) {
      DecodeFunction(source, function);
    }
  }
  Initialise();
}

Program Linker::Run(const std::vector<std::string>& kernels) {
  ChooseAll(kernels);
  LinkAll();
  ThrowIfAny();
  std::vector<Diagnostic> version;
  CheckVersion(module_, &version);
  for (const Diagnostic& one : version) {
    program_.warnings.push_back(fmt::format("{}: {}", program_.file, one.message));
  }
  MarkTimed(&program_);
  MarkFragments(&program_);
  DropAnswers(&program_);
  return std::move(program_);
}

Program Linker::Outline(std::string_view kernel) {
  ChooseAll({std::string(kernel)});
  DeclareAll();
  return std::move(program_);
}

std::vector<Finding> Linker::Check() {
  try {
    LinkAll();
  } catch (const InputError&) {  // of declarations, which are among the findings
  }
  return Findings();
}

Program Link(const syntax::Module& module, std::string_view kernel) {
  return Linker(module).Run({std::string(kernel)});
}

Program Link(const syntax::Module& module, const std::vector<std::string>& kernels) {
  return Linker(module).Run(kernels);
}

Program Outline(const syntax::Module& module, std::string_view kernel) {
  return Linker(module).Outline(kernel);
}

std::vector<Finding> Check(const syntax::Module& module) { return Linker(module).Check(); }

}  // namespace muster::ptx
