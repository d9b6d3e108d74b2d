// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// What the names in a litmus file refer to: memory, and registers of threads.
#ifndef MUSTER_SIM_LITMUS_NAMES_H_
#define MUSTER_SIM_LITMUS_NAMES_H_

#include <optional>
#include <string>

#include "sim/litmus/lexer.h"
#include "sim/litmus/test.h"

namespace muster::litmus {

class Names {
 public:
  explicit Names(Test* test) : test_(*test) {}

  std::optional<unsigned> FindLocation(const std::string& name) const;
  // The location of that name; memory that no line declares is 0 at first.
  unsigned LocationOf(const std::string& name);
  // A further name of a location's memory: with an address of its own, or the same for a proxy.
  void AddAlias(const std::string& name, Proxy proxy, unsigned of);
  std::optional<unsigned> FindRegister(unsigned thread, const std::string& name) const;
  unsigned RegisterOf(unsigned thread, const std::string& name);

 private:
  Test& test_;
};

// Parses a condition: comparisons with /\, \/, not, and parentheses.
Condition ParseCondition(Lexer* words, const Test& test, const Names& names);

// Takes "P1" or, before a colon, "1".
std::optional<unsigned> TakeThread(Lexer* words);

}  // namespace muster::litmus

#endif  // MUSTER_SIM_LITMUS_NAMES_H_
