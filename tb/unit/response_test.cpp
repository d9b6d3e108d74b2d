// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The assertions of the response queue fire: no driver of the whole unit can bring them about.
#include <Vresponse.h>
#include <gtest/gtest.h>

#include "tb/unit/clocked.h"

namespace muster {
namespace {

class Response : public Clocked<Vresponse> {  // a queue of one place
 protected:
  Response() { context_.fatalOnError(false); }  // a failing assertion is an error, not the end
};

TEST_F(Response, Overflows) {
  dut_.valid_i = 1;
  Clock();
  EXPECT_FALSE(context_.gotError());
  Clock();
  EXPECT_TRUE(context_.gotError());
}

TEST_F(Response, SpendsACreditTwice) {
  dut_.spend_i = 1;
  Clock();
  EXPECT_FALSE(context_.gotError());
  Clock();
  EXPECT_TRUE(context_.gotError());
}

}  // namespace
}  // namespace muster
