// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// A candidate execution before anything is known of its order: the events of one path for each
// thread, and how the values that they write follow from those that they read.
#ifndef MUSTER_SIM_LITMUS_CANDIDATE_H_
#define MUSTER_SIM_LITMUS_CANDIDATE_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "sim/litmus/paths.h"
#include "sim/litmus/relation.h"
#include "sim/litmus/test.h"

namespace muster::litmus {

struct Event {
  static constexpr unsigned kInitial = ~0U;
  unsigned thread = kInitial;                // kInitial of the initial contents of a word of memory
  const Instruction* instruction = nullptr;  // null of initial contents
  bool reads = false;
  bool writes = false;
  unsigned memory = 0;   // of an access
  unsigned address = 0;  // the virtual one
  unsigned value = 0;    // the expression that it writes

  bool IsAccess() const { return reads || writes; }
  bool IsInitial() const { return thread == kInitial; }
};

// What a value comes from.
struct Expression {
  enum class Kind { kConstant, kRead, kOperation };
  Kind kind = Kind::kConstant;
  std::int64_t constant = 0;
  unsigned event = 0;  // that reads it
  Operator op = Operator::kAdd;
  unsigned a = 0;
  unsigned b = 0;
};

// What a path takes for granted of a value.
struct Requirement {
  unsigned a = 0;
  Comparison comparison = Comparison::kEqual;
  unsigned b = 0;
  bool holds = false;
};

struct BarrierEvent {
  unsigned event = 0;
  unsigned number = 0;            // an expression
  std::optional<unsigned> count;  // another
};

class Candidate {
 public:
  // `paths` has one of each thread. Check fits() before anything else.
  Candidate(const Test& test, const std::vector<const Path*>& paths);

  bool fits() const { return fits_; }
  const Test& test() const { return test_; }
  const std::vector<Event>& events() const { return events_; }
  const std::vector<Expression>& expressions() const { return expressions_; }
  const std::vector<Requirement>& requirements() const { return requirements_; }
  // How the path of each thread ends.
  const std::vector<Path::End>& ends() const { return ends_; }
  const Relation& program_order() const { return program_order_; }
  // The reads on which an event's written value, or whether the event is there at all, depends.
  const std::vector<Set>& dependencies() const { return dependencies_; }
  // The reads on which it depends that a thread's path is the one it is.
  Set control(unsigned thread) const { return controls_[thread]; }
  // The barriers of a thread, in order.
  const std::vector<BarrierEvent>& barriers(unsigned thread) const { return barriers_[thread]; }
  // The events of the round in which a thread spins.
  Set spin(unsigned thread) const { return spins_[thread]; }
  // The expressions of the registers when the thread's path ends.
  const std::vector<unsigned>& finals(unsigned thread) const { return finals_[thread]; }

 private:
  class Builder;

  const Test& test_;
  std::vector<Path::End> ends_;
  bool fits_ = true;
  std::vector<Event> events_;
  std::vector<Expression> expressions_;
  std::vector<Requirement> requirements_;
  Relation program_order_{kMostEvents};
  std::vector<Set> dependencies_;
  std::vector<Set> controls_;
  std::vector<std::vector<BarrierEvent>> barriers_;
  std::vector<Set> spins_;
  std::vector<std::vector<unsigned>> finals_;
};

}  // namespace muster::litmus

#endif  // MUSTER_SIM_LITMUS_CANDIDATE_H_
