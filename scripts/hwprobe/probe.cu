// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The probe's host side: runs everything and prints what was found as JSON. What the PTX text
// leaves undefined may end a kernel, and with it all that the process can do on the GPU: so each
// launch has a process of its own, and hands its findings over in shared memory.
#include <cuda_runtime.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "scripts/hwprobe/device.cu"
#include "scripts/hwprobe/report.h"

namespace muster::hwprobe {
namespace {

constexpr unsigned kMaxCtas = 8;

// What a child leaves for its parent.
struct Handed {
  Record records[kMaxSteps];
  unsigned long long numbers[kMaxCtas * kMaxWarps];
  char error[256];
  char device[256];
};

Handed* handed = nullptr;

void Note(cudaError_t error) {
  if (error != cudaSuccess && handed->error[0] == '\0') {
    std::strncpy(handed->error, cudaGetErrorString(error), sizeof handed->error - 1);
  }
}

// Memory that the device writes and the host still reads when the kernel has failed.
void* Mapped(std::size_t bytes) {
  void* memory = nullptr;
  Note(cudaHostAlloc(&memory, bytes, cudaHostAllocMapped));
  if (memory == nullptr) {
    _exit(1);
  }
  std::memset(memory, 0, bytes);
  return memory;
}

template <typename Work>
void InChild(Work work) {
  std::memset(handed, 0, sizeof *handed);
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    work();
    _exit(0);
  }
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child || status != 0) {
    if (handed->error[0] == '\0') {
      std::strcpy(handed->error, "the process of this launch did not come to its end");
    }
  }
}

Finding Run(const Scenario& scenario) {
  InChild([&] {
    const auto count = static_cast<unsigned>(scenario.steps.size());
    auto* steps = static_cast<Step*>(Mapped(sizeof(Step) * kMaxSteps));
    auto* records = static_cast<Record*>(Mapped(sizeof(Record) * kMaxSteps));
    std::copy(scenario.steps.begin(), scenario.steps.end(), steps);
    run_script<<<1, 32>>>(steps, count, records);
    Note(cudaGetLastError());
    Note(cudaDeviceSynchronize());
    std::copy(records, records + kMaxSteps, handed->records);
  });
  Finding finding;
  finding.error = handed->error;
  for (unsigned i = 0; i < scenario.steps.size() && handed->records[i].done != 0; ++i) {
    finding.records.push_back(handed->records[i]);
  }
  return finding;
}

// The cycles of a round, of the slowest warp; below 0 if it failed.
double Time(Timed what, unsigned ctas, unsigned warps) {
  InChild([&] {
    auto* cycles = static_cast<unsigned long long*>(Mapped(sizeof handed->numbers));
    cudaLaunchConfig_t config = {};
    config.gridDim = ctas;
    config.blockDim = 32 * warps;
    cudaLaunchAttribute cluster = {};
    cluster.id = cudaLaunchAttributeClusterDimension;
    cluster.val.clusterDim.x = ctas;
    cluster.val.clusterDim.y = 1;
    cluster.val.clusterDim.z = 1;
    config.attrs = &cluster;
    config.numAttrs = 1;
    for (int run = 0; run < 2; ++run) {  // the first one fills the caches
      Note(cudaLaunchKernelEx(&config, time_rounds, what, cycles));
      Note(cudaDeviceSynchronize());
    }
    std::copy(cycles, cycles + ctas * warps, handed->numbers);
  });
  if (handed->error[0] != '\0') {
    return -1;
  }
  return static_cast<double>(*std::max_element(handed->numbers, handed->numbers + ctas * warps)) /
         kRounds;
}

void PrintCycles() {
  std::printf("  \"cycles\": [\n");
  const auto print = [](Timed what, unsigned ctas, unsigned warps, const char* end) {
    std::printf("    {\"what\": \"%s\", \"ctas\": %u, \"warps\": %u, \"cycles\": %.1f}%s\n",
                Name(what), ctas, warps, Time(what, ctas, warps), end);
  };
  for (unsigned what = 0; what < static_cast<unsigned>(Timed::kClusterBarrier); ++what) {
    for (unsigned warps = 1; warps <= kMaxWarps; ++warps) {
      print(static_cast<Timed>(what), 1, warps, ",");
    }
  }
  for (unsigned ctas = 1; ctas <= kMaxCtas; ctas *= 2) {
    print(Timed::kClusterBarrier, ctas, 4, ctas == kMaxCtas ? "" : ",");
  }
  std::printf("  ]");
}

// Without a hint first: the limit of the system.
void PrintLimits() {
  std::printf("  \"limits\": [\n");
  const std::vector<long long> hints = {-1, 0, 100, 1'000, 10'000, 100'000, 1'000'000, 10'000'000};
  for (const long long hint : hints) {
    InChild([&] {
      auto* result = static_cast<unsigned long long*>(Mapped(2 * sizeof(unsigned long long)));
      time_limit<<<1, 1>>>(hint >= 0 ? 1 : 0, static_cast<unsigned>(std::max(hint, 0LL)), result);
      Note(cudaGetLastError());
      Note(cudaDeviceSynchronize());
      std::copy(result, result + 2, handed->numbers);
    });
    std::printf("    {\"hint_ns\": %s, \"answer\": %llu, \"ns\": %llu, \"error\": \"%s\"}%s\n",
                hint < 0 ? "null" : std::to_string(hint).c_str(), handed->numbers[0],
                handed->numbers[1], handed->error, hint == hints.back() ? "" : ",");
  }
  std::printf("  ]");
}

int Main() {
  handed = static_cast<Handed*>(
      mmap(nullptr, sizeof(Handed), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  if (handed == MAP_FAILED) {
    std::perror("hwprobe: mmap");
    return 2;
  }
  InChild([] {
    cudaDeviceProp device;
    Note(cudaGetDeviceProperties(&device, 0));
    if (handed->error[0] == '\0') {
      std::snprintf(handed->device, sizeof handed->device, "%s (sm_%d%d)", device.name,
                    device.major, device.minor);
      if (device.major < 9) {
        std::strcpy(handed->error, "the probe needs a GPU of sm_90 or later");
      }
    }
  });
  if (handed->error[0] != '\0') {
    std::fprintf(stderr, "hwprobe: %s\n", handed->error);
    return 2;
  }
  std::printf("{\n  \"kind\": \"hardware\",\n  \"device\": \"%s\",\n", handed->device);
  std::vector<Finding> findings;
  for (const Scenario& scenario : Scenarios()) {
    findings.push_back(Run(scenario));
  }
  PrintFindings(findings);
  std::printf(",\n");
  PrintLimits();
  std::printf(",\n");
  PrintCycles();
  std::printf("\n}\n");
  return 0;
}

}  // namespace
}  // namespace muster::hwprobe

int main() { return muster::hwprobe::Main(); }
