// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The assertions of the response queue fire: no driver of the whole unit can bring them about.
#include <Vresponse.h>
#include <gtest/gtest.h>
#include <verilated.h>

namespace muster {
namespace {

class Response : public testing::Test {  // a queue of one place
 protected:
  Response() {
    context_.fatalOnError(false);  // a failing assertion is an error, not the end
    queue_.rst_ni = 0;
    Clock();
    queue_.rst_ni = 1;
  }

  void Clock() {
    for (const unsigned char level : {0, 1}) {
      queue_.clk_i = level;
      queue_.eval();
    }
  }

  VerilatedContext context_;
  Vresponse queue_{&context_};
};

TEST_F(Response, Overflows) {
  queue_.valid_i = 1;
  Clock();
  EXPECT_FALSE(context_.gotError());
  Clock();
  EXPECT_TRUE(context_.gotError());
}

TEST_F(Response, SpendsACreditTwice) {
  queue_.spend_i = 1;
  Clock();
  EXPECT_FALSE(context_.gotError());
  Clock();
  EXPECT_TRUE(context_.gotError());
}

}  // namespace
}  // namespace muster
