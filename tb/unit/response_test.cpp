// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The assertions of the response queue fire: no driver of the whole unit can bring them about.
#include <Vresponse.h>
#include <gtest/gtest.h>
#include <verilated.h>

#include <string>

namespace {

std::string& Failure() {
  static std::string failure;
  return failure;
}

}  // namespace

// Verilator's hook for a failing assertion (VL_USER_STOP).
void vl_stop(const char* filename, int linenum, const char* /*hier*/) {
  Failure() = std::string(filename) + ":" + std::to_string(linenum);
}

namespace muster {
namespace {

class Response : public testing::Test {  // a queue of one place
 protected:
  Response() {
    Failure().clear();
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
  EXPECT_EQ(Failure(), "");
  Clock();
  EXPECT_NE(Failure().find("muster_response.sv:"), std::string::npos);
}

TEST_F(Response, SpendsACreditTwice) {
  queue_.spend_i = 1;
  Clock();
  EXPECT_EQ(Failure(), "");
  Clock();
  EXPECT_NE(Failure().find("muster_response.sv:"), std::string::npos);
}

}  // namespace
}  // namespace muster
