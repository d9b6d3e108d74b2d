// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// BAR.RED and the copies of its results: PTX ISA 9.7.13.1; BCU ISA, sections BAR.RED and
// B2R.RESULT.
#include <gtest/gtest.h>

#include "tb/golden/trace.h"

namespace muster::golden {
namespace {

// Without copies a warp knows which reduction it took part in last, and the release tells its
// result. A state word with a result is possible all the same: it may come from a unit that has
// copies.
TEST(GoldenCopy, NoneWithoutThem) {
  Config config = *FindConfig("small");
  config.result = false;
  EXPECT_FALSE(Has(config, OpKind::kB2rResult));
  EXPECT_TRUE(Has(config, OpKind::kB2rBar) && Has(config, OpKind::kB2rWarp) &&
              Has(config, OpKind::kR2bWarp) && Has(config, OpKind::kRedPopc));
  Trace(config).Run(R"(
    launch 0: 0 1
    0: RED.POPC 15,32 p=0x3   -> completes release 0 with popc 2
    0: B2R.WARP               -> reads popc 0 of 15
    0: RED.OR 1,64 p=1        -> or 1/2 1
    0: B2R.WARP               -> reads or 0 of 1 waits 1
    1: RED.OR 1,64 p=0        -> completes release 0 1 with or 1
    1: B2R.WARP               -> reads or 0 of 1
    1: R2B.WARP popc 33 of 4
    1: B2R.WARP               -> reads popc 0 of 4
    1: R2B.WARP popc 65 of 4  -> fault bad_state_word
  )");
  config.reduce = config.state = false;
  config.result = true;
  EXPECT_FALSE(Has(config, OpKind::kB2rResult));
}

}  // namespace
}  // namespace muster::golden
