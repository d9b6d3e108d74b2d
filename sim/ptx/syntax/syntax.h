// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// What the parser makes of a PTX file: its text cut into declarations, instructions and operands,
// before any name has a meaning. Names are views into the text that the tree holds.
#ifndef MUSTER_SIM_PTX_SYNTAX_SYNTAX_H_
#define MUSTER_SIM_PTX_SYNTAX_SYNTAX_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace muster::ptx::syntax {

struct Position {
  std::uint32_t line = 0;
  std::uint32_t column = 0;
};

struct Operand {
  enum class Kind : std::uint8_t {
    kName,     // register, symbol, special register, "_"; `value` is what is added to it
    kMinus,    // -name
    kGeneric,  // generic(name) + value, in an initialiser
    kInteger,
    kFloat,    // `value` holds the bits of an f32 (0f...) or an f64 (0d... and decimals)
    kAddress,  // [parts]; `value` is what is added behind the bracket
    kVector,   // {parts}
    kList,     // (parts)
  };
  Kind kind = Kind::kName;
  bool negated = false;  // !name
  bool has_offset = false;
  std::uint8_t width = 0;  // of a float: 32 or 64
  std::string_view name;
  std::string_view second;  // p|q
  std::uint64_t value = 0;
  std::uint64_t mask = 0;  // mask(name), in an initialiser: those bits of the address, moved down
  std::vector<Operand> parts;
  Position at;
};

struct Instruction {
  std::string_view guard;  // empty: none
  bool guard_negated = false;
  std::string_view opcode;
  std::vector<std::string_view> modifiers;  // without their dots
  std::vector<Operand> operands;
};

struct Variable {
  std::string_view space;  // reg, global, const, shared, local, param
  std::string_view type;
  std::string_view name;
  std::uint32_t align = 0;     // 0: that of the type
  std::uint32_t vector = 1;    // .v2, .v4
  std::uint32_t range = 0;     // %r<range>: that many registers
  std::uint64_t elements = 1;  // of all dimensions
  bool is_array = false;
  bool unsized = false;  // x[]
  bool is_extern = false;
  std::vector<Operand> initial;  // empty: zeroes
  Position at;
};

struct Signature {
  std::vector<Variable> returns;
  std::vector<Variable> parameters;
};

struct Statement {
  enum class Kind : std::uint8_t {
    kInstruction,
    kLabel,
    kVariable,
    kTargets,    // .branchtargets, .calltargets; the label before it is its name
    kPrototype,  // .callprototype; likewise
    kBegin,
    kEnd,
  };
  Kind kind = Kind::kInstruction;
  Position at;
  std::string_view label;
  Instruction instruction;
  Variable variable;
  std::vector<Operand> targets;
  Signature prototype;
};

struct Function {
  bool is_entry = false;
  bool has_body = false;
  std::string_view name;
  Signature signature;
  std::vector<std::uint64_t> max_threads;       // .maxntid, empty: not given
  std::vector<std::uint64_t> required_threads;  // .reqntid
  std::vector<std::uint64_t> required_cluster;  // .reqnctapercluster
  std::vector<std::uint64_t> max_cluster;       // .maxclusterrank
  std::vector<std::uint64_t> max_registers;     // .maxnreg
  std::vector<std::uint64_t> min_ctas;          // .minnctapersm
  bool explicit_cluster = false;
  bool blocks_are_clusters = false;
  std::vector<Statement> body;
  Position at;
};

struct Alias {
  std::string_view name;
  std::string_view function;
  Position at;
};

// A directive that says where code comes from, as it is written.
struct DebugText {
  std::uint32_t line = 0;
  std::string_view text;
};

struct Module {
  std::string file;
  std::string text;
  std::string_view version;
  std::string_view target;  // the first one: sm_80
  std::vector<Variable> variables;
  std::vector<Function> functions;
  std::vector<Alias> aliases;
  std::vector<DebugText> locs;      // .loc
  std::vector<DebugText> files;     // .file
  std::vector<DebugText> sections;  // .section

  Module() = default;
  Module(const Module&) = delete;  // names point into `text`
  Module& operator=(const Module&) = delete;
};

}  // namespace muster::ptx::syntax

#endif  // MUSTER_SIM_PTX_SYNTAX_SYNTAX_H_
