// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// A kernel, or several whose launches may overlap, ready to run: the code of the functions that
// they can come to, and where variables lie.
#ifndef MUSTER_SIM_PTX_PROGRAM_PROGRAM_H_
#define MUSTER_SIM_PTX_PROGRAM_PROGRAM_H_

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sim/ptx/program/debug_types.h"
#include "sim/ptx/program/instruction.h"
#include "sim/ptx/program/source_map.h"
#include "sim/ptx/syntax/syntax.h"

namespace muster::ptx {

// Slots that begin every frame of registers.
inline constexpr Slot kReturnSlot = 0;  // where the caller goes on
inline constexpr Slot kFrameSlot = 1;   // the caller's frame
inline constexpr Slot kStackSlot = 2;   // where the frame's local memory begins
inline constexpr Slot kCarrySlot = 3;   // CC.CF
inline constexpr Slot kFirstSlot = 4;

struct Parameter {
  std::string name;
  Type type = Type::kNone;
  std::uint32_t bytes = 0;
  std::uint32_t offset = 0;  // in the parameter space, or in the frame's local memory
  Slot slot = kNoSlot;       // a register parameter of a function
};

struct Function {
  std::string name;
  bool is_entry = false;
  bool has_body = false;
  std::uint32_t entry = 0;           // its first instruction
  std::uint32_t slots = kFirstSlot;  // registers of its frame
  std::uint32_t local_bytes = 0;     // of its frame: local variables and parameters
  std::uint32_t param_bytes = 0;     // of an entry
  Slot top = kNoSlot;                // the register that counts what alloca has added to these
  std::vector<bool> timed;           // registers that depend on a clock (timed.h)
  std::vector<Parameter> parameters;
  std::vector<Parameter> returns;
  std::vector<std::uint64_t> max_threads;
  std::vector<std::uint64_t> required_threads;
  std::vector<std::uint64_t> required_cluster;  // CTAs
  std::uint64_t max_cluster = 0;                // likewise; 0: not given
  std::uint32_t registers = 0;     // of a thread at launch, as the directives have it; 0: not known
  bool registers_at_most = false;  // or fewer than these
  bool explicit_cluster = false;
  bool blocks_are_clusters = false;  // a launch counts clusters
};

// Where the caller has an argument, or wants a result: in a register or in its frame's local
// memory. The callee's side of it is a Parameter.
struct Place {
  std::uint32_t bytes = 0;  // 0: a register
  Slot slot = kNoSlot;
  std::uint32_t offset = 0;
};
struct Call {
  static constexpr std::uint32_t kIndirect = ~0U;
  std::uint32_t caller = 0;  // functions
  std::uint32_t function = 0;
  std::vector<Place> arguments;
  std::vector<Place> results;
};

// A variable in shared memory, for reports.
struct SharedName {
  std::string name;
  std::uint32_t address = 0;
  std::uint32_t bytes = 0;  // 0: the dynamic part
};

// A variable of the file in global or constant memory.
struct FileVariable {
  std::string name;
  bool is_const = false;
  std::uint64_t offset = 0;  // in its image
  std::uint64_t bytes = 0;
  syntax::Position at;  // of its declaration
};

struct Program {
  std::string file;
  std::vector<Instruction> code;
  std::vector<std::uint64_t> literals;
  std::vector<Function> functions;
  std::vector<Call> calls;
  std::vector<Function> prototypes;                // of indirect calls
  std::vector<std::vector<std::uint32_t>> tables;  // of branch targets
  std::vector<std::uint32_t> kernels;              // indices of the entries that it was linked for
  std::vector<std::uint8_t> global_image;          // the file's own .global variables
  std::vector<std::uint8_t> const_image;
  std::vector<FileVariable> variables;  // of both images
  std::uint32_t static_shared = 0;      // bytes per CTA
  std::uint32_t dynamic_base = 0;       // where the dynamic part of shared memory begins
  bool has_dynamic_shared = false;
  std::vector<SharedName> shared_names;
  std::vector<std::string> opaque;    // instructions that are not computed, as they are spelt
  std::vector<std::string> warnings;  // of its .version and .target, which do not matter to a run
  SourceMap sources;
  DebugTypes types;  // of its variables, where the file has debug information

  // A line of the file in words: "line 33"; or, where its source is known, "mine.cu:12 in sum, PTX
  // line 33".
  std::string Place(std::uint32_t line) const;
  // The same where a message begins: "k.ptx:33", or "mine.cu:12 in sum, k.ptx:33".
  std::string Where(std::uint32_t line) const;

  const Function& Kernel(std::size_t i = 0) const { return functions[kernels[i]]; }
};

// The file's variables in global and constant memory, whichever kernel uses them; without offsets.
std::vector<FileVariable> VariablesOf(const syntax::Module& module);

// Decodes what one kernel of a file can come to (empty name: the only one). Throws InputError: a
// name that is not there, or all its instructions that are not supported or malformed, a line each.
Program Link(const syntax::Module& module, std::string_view kernel);
// The same of several kernels, in that order. One may be there more than once.
Program Link(const syntax::Module& module, const std::vector<std::string>& kernels);

// What a launch has to know of a kernel, without its code: parameters, shared memory, variables.
// Nothing is said of its instructions, which may be such as only a GPU has. Throws InputError.
Program Outline(const syntax::Module& module, std::string_view kernel);

// What a compiler would refuse of a file: all that Link refuses, forms that the file's .version or
// .target does not have, and misuse of barriers that can be seen without running. By line.
struct Finding {
  bool runs = false;  // it can be run all the same
  std::string text;   // with file, line and column
};
std::vector<Finding> Check(const syntax::Module& module);

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_PROGRAM_PROGRAM_H_
