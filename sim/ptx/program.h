// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// A kernel ready to run: the code of all functions of its file, and where its variables lie.
#ifndef MUSTER_SIM_PTX_PROGRAM_H_
#define MUSTER_SIM_PTX_PROGRAM_H_

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sim/ptx/instruction.h"
#include "sim/ptx/syntax.h"

namespace muster::ptx {

// Slots that begin every frame of registers.
inline constexpr Slot kReturnSlot = 0;  // where the caller goes on
inline constexpr Slot kFrameSlot = 1;   // the caller's frame
inline constexpr Slot kStackSlot = 2;   // where the frame's local memory begins
inline constexpr Slot kFirstSlot = 3;

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
  std::vector<Parameter> parameters;
  std::vector<Parameter> returns;
  std::vector<std::uint64_t> max_threads;
  std::vector<std::uint64_t> required_threads;
};

// What a call moves: between registers or between frames' local memories.
struct Transfer {
  std::uint32_t bytes = 0;  // 0: registers
  Slot caller = kNoSlot;
  Slot callee = kNoSlot;
  std::uint32_t caller_offset = 0;
  std::uint32_t callee_offset = 0;
};
struct Call {
  std::uint32_t caller = 0;  // functions
  std::uint32_t function = 0;
  std::vector<Transfer> arguments;
  std::vector<Transfer> results;
};

struct Program {
  std::string file;
  std::vector<Instruction> code;
  std::vector<std::uint64_t> literals;
  std::vector<Function> functions;
  std::vector<Call> calls;
  std::uint32_t kernel = 0;                // index of the entry that it was linked for
  std::vector<std::uint8_t> global_image;  // the file's own .global variables
  std::vector<std::uint8_t> const_image;
  std::uint32_t param_bytes = 0;    // of the kernel
  std::uint32_t static_shared = 0;  // bytes per CTA
  std::uint32_t dynamic_base = 0;   // where the dynamic part of shared memory begins
  bool has_dynamic_shared = false;

  const Function& Kernel() const { return functions[kernel]; }
};

// Decodes a file for one of its kernels (empty name: its only one). Throws InputError: a name that
// is not there, or all the instructions that are not supported or malformed, a line each.
Program Link(const syntax::Module& module, std::string_view kernel);

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_PROGRAM_H_
