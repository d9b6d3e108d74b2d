// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Linking: where the variables of a file lie, what its names stand for, and its code in one array.
#ifndef MUSTER_SIM_PTX_PROGRAM_LINKER_H_
#define MUSTER_SIM_PTX_PROGRAM_LINKER_H_

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "sim/ptx/program/cursor.h"
#include "sim/ptx/program/program.h"
#include "sim/ptx/program/symbols.h"

namespace muster::ptx {

inline constexpr std::uint32_t kDynamicAlign = 16;
// The most that a file may ask for, which is well below what the numbers here can hold.
inline constexpr std::uint32_t kMaxRegisters = 1U << 17;   // of a function
inline constexpr std::uint64_t kMaxBytes = 1U << 28;       // of a space, as of the buffers
inline constexpr std::uint64_t kMaxLocalBytes = 1U << 19;  // of a function's frame (CUDA's limit)

constexpr std::uint64_t RoundUp(std::uint64_t value, std::uint64_t align) {
  return (value + align - 1) / align * align;
}

// The size and alignment of a variable in bytes. An array without a size has that of its
// initialiser.
std::uint64_t BytesOf(const syntax::Variable& variable);
std::uint64_t AlignOf(const syntax::Variable& variable);

class Linker {
 public:
  explicit Linker(const syntax::Module& module)
      : module_(module), target_(TargetOf(module)), code_(&program_) {
    program_.file = module.file;
    program_.sources = SourceMap(module);
    program_.types = DebugTypes(module);
  }

  Program Run(const std::vector<std::string>& kernels);
  Program Outline(std::string_view kernel);
  std::vector<Finding> Check();

 private:
  const syntax::Function& Choose(std::string_view kernel) const;
  void ChooseAll(const std::vector<std::string>& kernels);
  void Fail(const syntax::Position& at, std::string message) {
    diagnostics_.push_back({at, std::move(message), Diagnostic::Kind::kError});
  }
  std::vector<Finding> Findings();
  void ThrowIfAny();
  void DeclareAll();
  void LinkAll();

  void MeasureShared();

  // link.cpp: functions.
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
  bool FillFrom(const std::vector<syntax::Operand>& values, Type type,
                std::vector<std::uint8_t>* image, std::uint64_t* offset, std::uint64_t end);

  void DecodeFunction(const syntax::Function& source, Function* function);
  void DeclareAliases();
  void DeclareLabels(const std::vector<syntax::Statement>& body, std::size_t begin);

  const syntax::Module& module_;
  const Target target_;
  Program program_;
  Code code_;
  SymbolTable symbols_;
  std::deque<std::string> element_names_;  // that symbols_ has views of
  std::vector<Diagnostic> diagnostics_;
  std::vector<const syntax::Function*> kernels_;
  std::unordered_set<std::string_view> reached_;  // by these
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

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_PROGRAM_LINKER_H_
