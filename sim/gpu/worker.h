// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// A process that executes tasks on a GPU, one after the other. It is killed if a kernel hangs,
// exits after a trap, and is started again for the next task.
#ifndef MUSTER_SIM_GPU_WORKER_H_
#define MUSTER_SIM_GPU_WORKER_H_

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/gpu/ending.h"
#include "sim/gpu/executor.h"
#include "sim/gpu/mapped_memory.h"
#include "sim/gpu/task.h"

namespace muster::gpu {

class Worker {
 public:
  using Clock = std::chrono::steady_clock;

  // The process inherits the tasks, which must outlive this object. `limit` is the time for a
  // launch, and `patience` the time for the driver to start and to assemble.
  Worker(const std::vector<Task>& tasks, std::chrono::duration<double> limit,
         std::chrono::duration<double> patience);
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;
  ~Worker();

  // Begins a task: fills its memory, and starts a process if there is none.
  void Begin(std::size_t task);
  // The current task.
  std::optional<std::size_t> task() const { return task_; }
  // The descriptor to poll, and until when.
  int socket() const { return socket_; }
  Clock::time_point deadline() const { return deadline_; }
  // Receives messages and enforces the deadline. Returns how the task ended, once it has; the
  // contents of the memory are then final. Throws NoGpu.
  std::optional<Ending> Advance();

  const std::uint8_t* memory() const { return memory_.data(); }
  const std::optional<Gpu>& gpu() const { return gpu_; }  // known when a process has started

 private:
  void Start();
  [[noreturn]] void Serve(int socket, int printed) const;
  std::optional<Ending> Take(const nlohmann::json& message);
  Ending Hangs();
  Ending Lost();
  int Stop();  // returns the exit status of the process
  std::string Printed() const;

  const std::vector<Task>& tasks_;
  const Clock::duration limit_;
  const Clock::duration patience_;
  SharedMemory memory_;
  const int printed_;  // an unnamed file for the output of kernels
  std::optional<Gpu> gpu_;
  pid_t process_ = 0;  // 0: there is none
  int socket_ = -1;
  std::optional<std::size_t> task_;
  std::optional<std::size_t> last_;  // the task before in the same process
  // The number, from 1, of the launch that has begun, of those that overlap that of the first one;
  // 0 before the first launch, and empty while the GPU is being opened.
  std::optional<std::size_t> launch_;
  Clock::time_point deadline_;
};

}  // namespace muster::gpu

#endif  // MUSTER_SIM_GPU_WORKER_H_
