// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// sim/litmus and the second reading of the text agree on random programs.
#include "tb/litmus/naive.h"

#include <gtest/gtest.h>

#include <string>

#include "sim/litmus/answer.h"
#include "sim/litmus/parser.h"
#include "tb/litmus/random_program.h"
#include "tb/volume.h"

namespace muster::litmus {
namespace {

TEST(LitmusNaive, AgreesOnRandomPrograms) {
  const unsigned programs = Volume(600, 3000);
  unsigned races = 0;
  unsigned several = 0;
  for (unsigned seed = 1; seed <= programs; ++seed) {
    const std::string text = RandomProgram(seed);
    const litmus::Test test = Parse("random", text);
    const Outcomes outcomes = TryAll(test);
    ASSERT_EQ(Allowed(test), outcomes.finals) << "seed " << seed << "\n" << text;
    const Answer answer = Solve(test, Options());
    ASSERT_EQ(answer.race.has_value(), outcomes.race) << "seed " << seed << "\n" << text;
    races += outcomes.race ? 1 : 0;
    several += outcomes.finals.size() > 1 ? 1 : 0;
  }
  // The programs are not all alike.
  EXPECT_GT(races, programs / 10);
  EXPECT_LT(races, programs * 9 / 10);
  EXPECT_GT(several, programs / 10);
}

}  // namespace
}  // namespace muster::litmus
