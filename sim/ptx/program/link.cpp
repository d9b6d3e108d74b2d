// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Linking: where the variables of a file lie, what its names stand for, and its code in one array.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <unordered_set>

#include "sim/ptx/program/address.h"
#include "sim/ptx/program/decode.h"
#include "sim/ptx/program/directives.h"
#include "sim/ptx/program/program.h"
#include "sim/ptx/program/reach.h"
#include "sim/ptx/program/symbols.h"
#include "sim/ptx/program/timed.h"
#include "sim/ptx/syntax/error.h"

namespace muster::ptx {
namespace {

using syntax::Operand;
using syntax::Statement;
using Kind = syntax::Operand::Kind;

constexpr std::uint32_t kDynamicAlign = 16;
// What a file may ask for, well below what the numbers here can hold.
constexpr std::uint32_t kMaxRegisters = 1U << 17;   // of a function
constexpr std::uint64_t kMaxBytes = 1U << 28;       // of a space, as of the buffers
constexpr std::uint64_t kMaxLocalBytes = 1U << 19;  // of a function's frame (CUDA's limit)

std::uint64_t RoundUp(std::uint64_t value, std::uint64_t align) {
  return (value + align - 1) / align * align;
}

class Linker {
 public:
  explicit Linker(const syntax::Module& module)
      : module_(module), decoder_(module, symbols_, &program_, &diagnostics_) {
    program_.file = module.file;
  }

  Program Run(std::string_view kernel);
  std::vector<Finding> Check();

 private:
  void Choose(std::string_view kernel);
  void Fail(const syntax::Position& at, std::string message) {
    diagnostics_.push_back({at, std::move(message), Diagnostic::Kind::kError});
  }
  std::vector<Finding> Findings();
  void ThrowIfAny();
  void LinkAll();

  void MeasureShared();
  void DeclareFunctions();
  void DeclareParameters(const std::vector<syntax::Variable>& list,
                         std::vector<Parameter>* parameters);
  Function PrototypeOf(const syntax::Statement& statement);
  void FillTable(const syntax::Statement& label, const syntax::Statement& targets);
  void Declare(const syntax::Variable& variable);
  void DeclareRegister(const syntax::Variable& variable);
  void DeclareElements(const syntax::Variable& variable, Symbol element);
  void DeclareMemory(const syntax::Variable& variable);
  bool IsSound(const syntax::Variable& variable);
  void CheckSpace(const syntax::Variable& variable, std::uint64_t end, std::uint64_t most);
  void PutShared(const syntax::Variable& variable, Symbol* symbol);
  std::uint64_t Put(std::vector<std::uint8_t>* image, const syntax::Variable& variable);
  void Initialise();
  void Fill(const syntax::Variable& variable, std::vector<std::uint8_t>* image,
            std::uint64_t offset);
  bool FillFrom(const std::vector<Operand>& values, Type type, std::vector<std::uint8_t>* image,
                std::uint64_t* offset, std::uint64_t end);

  void DecodeFunction(const syntax::Function& source, Function* function);
  void DeclareAliases();
  void DeclareLabels(const std::vector<Statement>& body, std::size_t begin);

  const syntax::Module& module_;
  Program program_;
  SymbolTable symbols_;
  std::deque<std::string> element_names_;  // that symbols_ has views of
  std::vector<Diagnostic> diagnostics_;
  Decoder decoder_;
  const syntax::Function* kernel_ = nullptr;
  std::unordered_set<std::string_view> reached_;  // by the kernel
  Function* function_ = nullptr;                  // whose body is being decoded
  std::vector<std::uint32_t> labels_;             // program counters, by label index
  std::uint64_t shared_end_ = 0;                  // of what lies in shared memory so far

  struct Pending {
    const syntax::Variable* variable;
    std::vector<std::uint8_t>* image;
    std::uint64_t offset;
  };
  std::vector<Pending> pending_;  // initialisers
};

void Linker::Choose(std::string_view kernel) {
  std::string names;
  unsigned entries = 0;
  for (const syntax::Function& function : module_.functions) {
    if (!function.is_entry || !function.has_body) {
      continue;
    }
    ++entries;
    names.append(names.empty() ? "" : ", ").append(function.name);
    if (kernel.empty() || function.name == kernel) {
      kernel_ = &function;
    }
  }
  if (entries == 0) {
    throw InputError(fmt::format("{}: the file has no .entry", module_.file));
  }
  if (kernel_ == nullptr) {
    throw InputError(fmt::format("{}: there is no kernel {}; the file has {}", module_.file,
                                 Printable(kernel), names));
  }
  if (kernel.empty() && entries > 1) {
    throw InputError(fmt::format("{}: \"kernel\" must name one of {}", module_.file, names));
  }
}

std::vector<Finding> Linker::Findings() {
  std::stable_sort(diagnostics_.begin(), diagnostics_.end(),
                   [](const Diagnostic& a, const Diagnostic& b) { return a.at.line < b.at.line; });
  std::vector<Finding> findings;
  for (const Diagnostic& diagnostic : diagnostics_) {
    findings.push_back({diagnostic.kind == Diagnostic::Kind::kMisuse,
                        fmt::format("{}:{}:{}: {}", module_.file, diagnostic.at.line,
                                    diagnostic.at.column, diagnostic.message)});
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

// ------------------------------------------------------------------------------------------------
// Variables
// ------------------------------------------------------------------------------------------------

std::uint64_t CountLeaves(const std::vector<Operand>& values) {
  std::uint64_t count = 0;
  for (const Operand& value : values) {
    count += value.kind == Kind::kVector ? CountLeaves(value.parts) : 1;
  }
  return count;
}

// An array without a size has that of its initialiser.
std::uint64_t BytesOf(const syntax::Variable& variable) {
  const std::uint64_t elements = variable.unsized && !variable.initial.empty()
                                     ? CountLeaves(variable.initial)
                                     : variable.vector * variable.elements;
  return Bytes(TypeOf(variable.type)) * elements;
}

std::uint64_t AlignOf(const syntax::Variable& variable) {
  return variable.align != 0 ? variable.align : Bytes(TypeOf(variable.type)) * variable.vector;
}

std::uint64_t Linker::Put(std::vector<std::uint8_t>* image, const syntax::Variable& variable) {
  const std::uint64_t offset = RoundUp(image->size(), AlignOf(variable));
  CheckSpace(variable, offset + BytesOf(variable), kMaxBytes);
  image->resize(offset + BytesOf(variable));
  if (!variable.initial.empty()) {
    pending_.push_back({&variable, image, offset});
  }
  return offset;
}

void Linker::PutShared(const syntax::Variable& variable, Symbol* symbol) {
  const bool reached = reached_.count(function_ == nullptr ? variable.name : function_->name) != 0;
  if (variable.is_extern || variable.unsized) {
    program_.has_dynamic_shared |= reached;
    symbol->address = program_.dynamic_base;
    program_.shared_names.push_back({std::string(variable.name), program_.dynamic_base, 0});
    return;
  }
  if (!reached) {
    return;  // what has no place here is not used either
  }
  symbol->address = RoundUp(shared_end_, AlignOf(variable));
  shared_end_ = symbol->address + BytesOf(variable);
  program_.shared_names.push_back({std::string(variable.name),
                                   static_cast<std::uint32_t>(symbol->address),
                                   static_cast<std::uint32_t>(BytesOf(variable))});
}

void Linker::DeclareRegister(const syntax::Variable& variable) {
  Symbol symbol;
  symbol.kind = Symbol::Kind::kRegister;
  symbol.type = TypeOf(variable.type);
  symbol.slot = static_cast<Slot>(function_->slots);
  symbol.range = variable.range;
  const std::uint64_t slots =
      std::uint64_t{std::max(variable.range, 1U)} * variable.vector * SlotsOf(symbol.type);
  if (slots > kMaxRegisters - std::min(function_->slots, kMaxRegisters)) {
    Fail(variable.at, fmt::format("{} makes more than {} registers", variable.name, kMaxRegisters));
    ThrowIfAny();
  }
  function_->slots += static_cast<std::uint32_t>(slots);
  if (variable.vector > 1) {
    DeclareElements(variable, symbol);
    symbol.vector = variable.vector;
  }
  if (!symbols_.Declare(variable.name, symbol)) {
    Fail(variable.at, fmt::format("{} is declared twice", variable.name));
  }
}

// v.x to v.w, also called v.r to v.a.
void Linker::DeclareElements(const syntax::Variable& variable, Symbol element) {
  constexpr std::string_view kNames[] = {"xyzw", "rgba"};
  if (variable.vector > kNames[0].size() || variable.range != 0) {
    Fail(variable.at, fmt::format("{} is no vector that registers can be", variable.name));
    return;
  }
  for (std::uint32_t i = 0; i < variable.vector; ++i) {
    for (const std::string_view names : kNames) {
      element_names_.push_back(fmt::format("{}.{}", variable.name, names[i]));
      symbols_.Declare(element_names_.back(), element);
    }
    element.slot += static_cast<Slot>(SlotsOf(element.type));
  }
}

void Linker::DeclareMemory(const syntax::Variable& variable) {
  Symbol symbol;
  symbol.kind = Symbol::Kind::kVariable;
  symbol.bytes = static_cast<std::uint32_t>(BytesOf(variable));
  if (variable.space == "shared") {
    symbol.space = Space::kShared;
    PutShared(variable, &symbol);
  } else if (variable.space == "global") {
    symbol.space = Space::kGlobal;
    symbol.address = GenericAddress(kGlobalSegment, Put(&program_.global_image, variable));
  } else if (variable.space == "const") {
    symbol.space = Space::kConst;
    symbol.address = GenericAddress(kConstSegment, Put(&program_.const_image, variable));
  } else if (function_ != nullptr) {  // local or param
    symbol.space = Space::kLocal;
    symbol.in_frame = true;
    symbol.is_parameter = variable.space == "param";
    symbol.address = RoundUp(function_->local_bytes, AlignOf(variable));
    CheckSpace(variable, symbol.address + symbol.bytes, kMaxLocalBytes);
    function_->local_bytes = static_cast<std::uint32_t>(symbol.address + symbol.bytes);
  } else {
    Fail(variable.at,
         fmt::format(".{} variables outside of functions are not supported", variable.space));
  }
  if (!symbols_.Declare(variable.name, symbol)) {
    Fail(variable.at, fmt::format("{} is declared twice", variable.name));
  }
}

// What no file can go on after: a space that is used up.
void Linker::CheckSpace(const syntax::Variable& variable, std::uint64_t end, std::uint64_t most) {
  if (end > most) {
    Fail(variable.at, fmt::format("{} brings the .{} variables to more than {} bytes",
                                  variable.name, variable.space, most));
    ThrowIfAny();
  }
}

// The variable has a type and a size that there can be.
bool Linker::IsSound(const syntax::Variable& variable) {
  if (TypeOf(variable.type) == Type::kNone) {
    Fail(variable.at,
         fmt::format("the type .{} of {} is not supported", variable.type, variable.name));
    return false;
  }
  if ((variable.align & (variable.align - 1)) != 0) {
    Fail(variable.at, fmt::format("the alignment of {} is not a power of two", variable.name));
    return false;
  }
  const bool local = variable.space == "local" || variable.space == "param";
  const std::uint64_t most = local ? kMaxLocalBytes : kMaxBytes;
  if (variable.align > most || variable.elements > most || BytesOf(variable) > most) {
    Fail(variable.at, fmt::format("{} is larger than {} bytes", variable.name, most));
    ThrowIfAny();
  }
  return true;
}

void Linker::Declare(const syntax::Variable& variable) {
  if (!IsSound(variable)) {
    return;
  }
  if (variable.space == "reg" && function_ == nullptr) {
    Fail(variable.at, "registers are declared in functions");
  } else if (variable.space == "reg") {
    DeclareRegister(variable);
  } else {
    DeclareMemory(variable);
  }
}

void Linker::Initialise() {
  for (const Pending& pending : pending_) {
    Fill(*pending.variable, pending.image, pending.offset);
  }
  pending_.clear();
}

void Linker::Fill(const syntax::Variable& variable, std::vector<std::uint8_t>* image,
                  std::uint64_t offset) {
  const std::uint64_t end = offset + BytesOf(variable);
  if (!FillFrom(variable.initial, TypeOf(variable.type), image, &offset, end)) {
    Fail(variable.at, fmt::format("the initialiser of {} does not fit it", variable.name));
  }
}

bool Linker::FillFrom(const std::vector<Operand>& values, Type type,
                      std::vector<std::uint8_t>* image, std::uint64_t* offset, std::uint64_t end) {
  for (const Operand& value : values) {
    if (value.kind == Kind::kVector) {
      if (!FillFrom(value.parts, type, image, offset, end)) {
        return false;
      }
      continue;
    }
    std::uint64_t bits = value.value;
    if (value.kind == Kind::kName || value.kind == Kind::kGeneric) {
      Symbol symbol;
      if (!symbols_.Find(value.name, &symbol) ||
          (symbol.kind != Symbol::Kind::kVariable && symbol.kind != Symbol::Kind::kFunction)) {
        Fail(value.at, fmt::format("{} is not a variable or a function", value.name));
        return true;
      }
      const bool is_function = symbol.kind == Symbol::Kind::kFunction;
      bits += is_function ? FunctionAddress(symbol.address) : symbol.address;
      if (value.kind == Kind::kGeneric && !is_function) {
        bits += WindowOf(symbol.space);
      }
      if (value.mask != 0) {
        bits = (bits & value.mask) >> __builtin_ctzll(value.mask);
      }
    } else {
      bits = ImmediateBits(value, type);
    }
    if (*offset + Bytes(type) > end) {
      return false;
    }
    std::memcpy(image->data() + *offset, &bits, Bytes(type));
    *offset += Bytes(type);
  }
  return true;
}

// ------------------------------------------------------------------------------------------------
// Functions
// ------------------------------------------------------------------------------------------------

void Linker::DeclareParameters(const std::vector<syntax::Variable>& list,
                               std::vector<Parameter>* parameters) {
  for (const syntax::Variable& variable : list) {
    if (function_->is_entry && !IsSound(variable)) {
      continue;
    }
    Parameter parameter;
    parameter.name = std::string(variable.name);
    parameter.type = variable.is_array ? Type::kNone : TypeOf(variable.type);
    parameter.bytes = static_cast<std::uint32_t>(BytesOf(variable));
    if (function_->is_entry) {
      Symbol symbol;
      symbol.kind = Symbol::Kind::kVariable;
      symbol.space = Space::kParam;
      symbol.is_parameter = true;
      symbol.bytes = parameter.bytes;
      std::uint32_t& end = function_->local_bytes;  // of the parameters, until the body begins
      parameter.offset = static_cast<std::uint32_t>(RoundUp(end, AlignOf(variable)));
      end = parameter.offset + parameter.bytes;
      CheckSpace(variable, end, kMaxLocalBytes);
      symbol.address = GenericAddress(kParamSegment, parameter.offset);
      if (!symbols_.Declare(variable.name, symbol)) {
        Fail(variable.at, fmt::format("{} is declared twice", variable.name));
      }
    } else if (variable.space == "reg") {
      parameter.slot = static_cast<Slot>(function_->slots);
      DeclareRegister(variable);
    } else {
      Declare(variable);
      Symbol symbol;
      if (symbols_.Find(variable.name, &symbol)) {
        parameter.offset = static_cast<std::uint32_t>(symbol.address);
      }
    }
    parameters->push_back(std::move(parameter));
  }
}

// Signatures come first, so that functions may call those that follow.
void Linker::DeclareFunctions() {
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
    function.explicit_cluster = source.explicit_cluster;
    function.blocks_are_clusters = source.blocks_are_clusters;
    CheckDirectives(module_, source, &diagnostics_);
    function_ = &function;
    symbols_.Begin();
    DeclareParameters(source.signature.returns, &function.returns);
    DeclareParameters(source.signature.parameters, &function.parameters);
    symbols_.End();
    if (&source == kernel_) {
      program_.kernel = static_cast<std::uint32_t>(symbol.address);
      program_.param_bytes = function.local_bytes;
    }
    function_ = nullptr;
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
  decoder_.Enter(function);
  labels_.clear();
  DeclareLabels(source.body, 0);
  for (std::size_t i = 0; i < source.body.size(); ++i) {
    const Statement& statement = source.body[i];
    switch (statement.kind) {
      case Statement::Kind::kInstruction:
        decoder_.Decode(statement);
        break;
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
  end.target = static_cast<std::uint32_t>(function - program_.functions.data());
  end.line = source.body.empty() ? source.at.line : source.body.back().at.line;
  program_.code.push_back(end);
  for (std::size_t pc = function->entry; pc < program_.code.size(); ++pc) {
    Instruction& instruction = program_.code[pc];
    if (instruction.op == Op::kBranch) {
      instruction.target = labels_[instruction.target];
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

void Linker::LinkAll() {
  MeasureShared();
  for (const syntax::Variable& variable : module_.variables) {
    Declare(variable);
  }
  DeclareFunctions();
  DeclareAliases();
  ThrowIfAny();
  for (const syntax::Function& source : module_.functions) {
    if (!source.has_body) {
      continue;
    }
    Symbol symbol;
    symbols_.Find(source.name, &symbol);
    Function* const function = &program_.functions[symbol.address];
    function->has_body = kernel_ == nullptr || reached_.count(source.name) != 0;
    if (function->has_body) {
      DecodeFunction(source, function);
    }
  }
  Initialise();
}

Program Linker::Run(std::string_view kernel) {
  Choose(kernel);
  reached_ = NamesReached(module_, *kernel_);
  LinkAll();
  ThrowIfAny();
  MarkTimed(&program_);
  return std::move(program_);
}

std::vector<Finding> Linker::Check() {
  try {
    LinkAll();
  } catch (const InputError&) {  // of declarations, which are among the findings
  }
  return Findings();
}

}  // namespace

Program Link(const syntax::Module& module, std::string_view kernel) {
  return Linker(module).Run(kernel);
}

std::vector<Finding> Check(const syntax::Module& module) { return Linker(module).Check(); }

}  // namespace muster::ptx
