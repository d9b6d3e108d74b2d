// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "tb/lockstep/program.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <initializer_list>
#include <vector>

#include "sim/isa/config.h"
#include "tb/lockstep/random.h"

namespace muster::lockstep {
namespace {

// A sum in which the order counts (FNV-1a, by words).
std::uint64_t SumOf(const Program& program, std::uint64_t sum) {
  for (const std::vector<Step>& steps : program.steps) {
    for (const Step& step : steps) {
      const Operation& operation = step.operation;
      for (const std::uint64_t word :
           {std::uint64_t{static_cast<unsigned>(operation.kind)}, std::uint64_t{operation.bar},
            std::uint64_t{operation.count}, std::uint64_t{operation.lanes},
            std::uint64_t{operation.operand}, static_cast<std::uint64_t>(step.opens),
            static_cast<std::uint64_t>(step.after)}) {
        sum = (sum ^ word) * 0x100000001b3;
      }
    }
  }
  return sum;
}

// Compilers evaluate the arguments of a call in different orders: two numbers that are drawn in one
// call are another program with another compiler. Whoever changes the programs on purpose writes
// the new sum.
TEST(RandomProgram, IsTheSameFromEachCompiler) {
  std::uint64_t sum = 0xcbf29ce484222325;
  for (unsigned seed = 1; seed <= 50; ++seed) {
    Random random(seed);
    ProgramOptions options;
    options.warps = 1 + seed % 32;
    options.episodes = 30;
    sum = SumOf(MakeProgram(*FindConfig("full"), options, &random), sum);
  }
  EXPECT_EQ(sum, 4142166883263644947U);
}

}  // namespace
}  // namespace muster::lockstep
