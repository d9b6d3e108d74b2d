// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Classes of instructions by their effect: what decides whether a loop can ever end, and what a
// schedule lists.
#ifndef MUSTER_SIM_PTX_PROGRAM_OP_CLASS_H_
#define MUSTER_SIM_PTX_PROGRAM_OP_CLASS_H_

#include <cstdint>
#include <vector>

#include "sim/ptx/program/instruction.h"

namespace muster::ptx {

enum class OpClass : std::uint8_t {
  kAlu,         // writes registers from registers, or does nothing
  kVolatile,    // writes registers from what changes by itself
  kLoad,        // writes registers from memory
  kDelay,       // lets time pass
  kSideEffect,  // changes memory, or what another instruction does later
  kControl,     // decides which instruction is next
  kSync,        // comes to a point where threads wait for each other
};

OpClass OpClassOf(const Instruction& instruction);

// Whether what it starts goes to several CTAs of the cluster.
bool IsMulticast(const Instruction& instruction);

// Whether it may have to wait until its CTA has enough of what it takes.
bool TakesResource(const Instruction& instruction);

// Whether the instruction only writes registers, or lets time pass.
bool OnlyWritesRegisters(const Instruction& instruction);

// What may come after an instruction that computes or branches.
std::vector<std::uint32_t> NextOf(const std::vector<Instruction>& code, std::uint32_t pc);

// Returns the instructions at which lanes may be seen that wait or load at this one again and
// again: it, and those on the ways from it back to it that change nothing but registers. With
// `tries`, there may be atomics and waits at mbarriers on the ways.
std::vector<std::uint32_t> LoopOf(const std::vector<Instruction>& code, std::uint32_t pc,
                                  bool tries = false);

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_PROGRAM_OP_CLASS_H_
