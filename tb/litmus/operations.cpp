// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "tb/litmus/operations.h"

namespace muster::litmus {

using Kind = Instruction::Kind;

Operations::Operations(const Test& test) : test_(test) {
  for (unsigned memory = 0; memory < test.memory.size(); ++memory) {
    Operation initial;
    initial.initial = true;
    initial.memory = memory;
    initial.writes = true;
    operations_.push_back(initial);
  }
  for (std::size_t thread = 0; thread < test.threads.size(); ++thread) {
    std::size_t barriers = 0;
    for (const Instruction& instruction : test.threads[thread].instructions) {
      Add(thread, instruction, &barriers);
    }
  }
}

void Operations::Add(std::size_t thread, const Instruction& instruction, std::size_t* barriers) {
  Operation operation;
  operation.thread = thread;
  operation.what = &instruction;
  switch (instruction.kind) {
    case Kind::kLoad:
    case Kind::kStore:
    case Kind::kAtom:
    case Kind::kRed:
      operation.memory = test_.locations[instruction.location].memory;
      operation.address = test_.locations[instruction.location].address;
      operation.reads = instruction.kind != Kind::kStore;
      operation.writes = instruction.kind != Kind::kLoad;
      break;
    case Kind::kSync:
    case Kind::kArrive:
      operation.round = (*barriers)++;
      break;
    default:
      break;
  }
  operations_.push_back(operation);
}

bool Operations::IsScFence(std::size_t i) const {
  return operations_[i].IsFence() && operations_[i].what->order == Order::kSc;
}

bool Operations::InOneThread(std::size_t a, std::size_t b) const {
  return !operations_[a].initial && !operations_[b].initial &&
         operations_[a].thread == operations_[b].thread;
}

bool Operations::AreMorallyStrong(std::size_t a, std::size_t b) const {
  const Operation& x = operations_[a];
  const Operation& y = operations_[b];
  if (a == b || x.initial || y.initial || !(x.IsFence() || x.IsAccess()) ||
      !(y.IsFence() || y.IsAccess())) {
    return false;
  }
  const bool scopes = x.IsStrong() && y.IsStrong() &&
                      Includes(x.what->scope, ThreadOf(a), ThreadOf(b)) &&
                      Includes(y.what->scope, ThreadOf(b), ThreadOf(a));
  if (!InOneThread(a, b) && !scopes) {
    return false;
  }
  if (x.what->proxy != y.what->proxy) {
    return false;
  }
  return !x.IsAccess() || !y.IsAccess() || (x.memory == y.memory && x.address == y.address);
}

bool Operations::OnOneLocation(std::size_t a, std::size_t b) const {
  const Operation& x = operations_[a];
  const Operation& y = operations_[b];
  return x.IsAccess() && y.IsAccess() && x.address == y.address && x.memory == y.memory &&
         x.what->proxy == y.what->proxy;
}

bool Operations::Releases(std::size_t first, std::size_t write) const {
  const Operation& x = operations_[first];
  const Operation& w = operations_[write];
  if (!w.writes || !w.IsStrong() || !x.IsStrong() || !x.IsRelease() || !(x.IsFence() || x.writes)) {
    return false;
  }
  return first == write ||
         (InProgramOrder(first, write) && (x.IsFence() || OnOneLocation(first, write)));
}

bool Operations::Acquires(std::size_t read, std::size_t last) const {
  const Operation& r = operations_[read];
  const Operation& y = operations_[last];
  if (!r.reads || r.what->kind == Kind::kRed || !r.IsStrong() || !y.IsStrong() || !y.IsAcquire() ||
      !(y.IsFence() || y.reads)) {
    return false;
  }
  return read == last || (InProgramOrder(read, last) && (y.IsFence() || OnOneLocation(read, last)));
}

}  // namespace muster::litmus
