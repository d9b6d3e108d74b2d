// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The operations of a program without branches, and what the text says of them before any runs.
#ifndef MUSTER_TB_LITMUS_OPERATIONS_H_
#define MUSTER_TB_LITMUS_OPERATIONS_H_

#include <cstddef>
#include <vector>

#include "sim/litmus/test.h"

namespace muster::litmus {

struct Operation {
  using Kind = Instruction::Kind;

  bool initial = false;
  std::size_t thread = 0;
  const Instruction* what = nullptr;
  unsigned memory = 0;
  unsigned address = 0;
  bool reads = false;
  bool writes = false;
  std::size_t round = 0;  // of a barrier

  bool IsFence() const { return !initial && what->kind == Kind::kFence; }
  bool IsAccess() const { return reads || writes; }
  bool IsBarrier() const {
    return !initial && (what->kind == Kind::kSync || what->kind == Kind::kArrive);
  }
  bool IsStrong() const {
    return !initial && (IsFence() || (IsAccess() && what->order != Order::kWeak));
  }
  bool IsRelease() const {
    return !initial && (what->order == Order::kRelease || what->order == Order::kAcqRel ||
                        what->order == Order::kSc);
  }
  bool IsAcquire() const {
    return !initial && (what->order == Order::kAcquire || what->order == Order::kAcqRel ||
                        what->order == Order::kSc);
  }
};

class Operations {
 public:
  explicit Operations(const Test& test);

  std::size_t size() const { return operations_.size(); }
  const Operation& operator[](std::size_t i) const { return operations_[i]; }
  const Thread& ThreadOf(std::size_t i) const { return test_.threads[operations_[i].thread]; }

  bool IsScFence(std::size_t i) const;
  bool InOneThread(std::size_t a, std::size_t b) const;
  bool InProgramOrder(std::size_t a, std::size_t b) const { return InOneThread(a, b) && a < b; }
  bool AreMorallyStrong(std::size_t a, std::size_t b) const;
  // Whether the two are a release pattern's first operation and its write, or an acquire pattern's
  // read and its last operation.
  bool Releases(std::size_t first, std::size_t write) const;
  bool Acquires(std::size_t read, std::size_t last) const;

 private:
  void Add(std::size_t thread, const Instruction& instruction, std::size_t* barriers);
  bool OnOneLocation(std::size_t a, std::size_t b) const;

  const Test& test_;
  std::vector<Operation> operations_;
};

}  // namespace muster::litmus

#endif  // MUSTER_TB_LITMUS_OPERATIONS_H_
