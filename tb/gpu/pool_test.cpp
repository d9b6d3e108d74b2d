// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// A driver that does not answer, on the stand-in: the command's own patience is too long for a
// test.
#include "sim/gpu/pool.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "sim/gpu/driver.h"
#include "sim/gpu/task.h"
#include "sim/ptx/launch/manifest.h"

namespace muster::gpu {
namespace {

class GpuPool : public testing::Test {
 protected:
  void SetUp() override { setenv("MUSTER_LIBCUDA", MUSTER_STANDIN, 1); }
  void TearDown() override { unsetenv("STANDIN_STUCK"); }

  // A kernel that writes 3, 4, 5, ... into `out`, so often.
  static std::vector<Task> Tasks(std::size_t count) {
    const std::string path = testing::TempDir() + "muster_gpu_pool.json";
    std::ofstream(path) << R"({"ptx": ")" MUSTER_KERNELS R"(", "kernel": "fill", "block": [4, 1, 1],
      "args": [{"buffer": "out"}, {"u32": 3}], "buffers": {"out": {"type": "u32", "count": 64}}})";
    return {count, Task(ptx::ReadManifest(path))};
  }
  // What became of them, with little patience.
  static std::vector<Result> Run(const std::vector<Task>& tasks) {
    Settings settings;
    settings.patience = std::chrono::milliseconds(300);
    std::vector<Result> results(tasks.size());
    RunAll(tasks, settings,
           [&](std::size_t task, const Result& result) { results[task] = result; });
    return results;
  }
};

TEST_F(GpuPool, ADriverThatDoesNotStart) {
  setenv("STANDIN_STUCK", "cuInit", 1);
  try {
    Run(Tasks(2));
    FAIL() << "there is no GPU";
  } catch (const NoGpu& error) {
    EXPECT_STREQ(error.what(), "cuda: the driver has not started within 0.3 s");
  }
}

TEST_F(GpuPool, AnAssemblerThatDoesNotEnd) {
  setenv("STANDIN_STUCK", "cuModuleLoadDataEx", 1);
  for (const Result& result : Run(Tasks(2))) {
    EXPECT_EQ(result.ending.Outcome(), "does not load: no_answer");
    EXPECT_EQ(result.ending.text, "the driver has not loaded it within 0.3 s");
    ASSERT_EQ(result.contents.size(), 1u);
    EXPECT_FALSE(result.contents[0]);
  }
}

// Patience is for one answer, and not for all tasks together.
TEST_F(GpuPool, ManyTasksOfOneProcess) {
  for (const Result& result : Run(Tasks(200))) {
    EXPECT_EQ(result.ending.Outcome(), "completes");
    ASSERT_TRUE(result.contents.at(0));
    EXPECT_EQ(result.contents[0]->at(4), 4);
  }
}

}  // namespace
}  // namespace muster::gpu
