// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// A process that carries out tasks on a GPU one after the other. It is ended when a kernel hangs,
// ends itself after a trap, and is started anew for the next task.
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

  // A process knows the tasks, which must outlive this, from its start. A launch has `limit`;
  // to start, and to assemble, the driver has `patience`.
  Worker(const std::vector<Task>& tasks, std::chrono::duration<double> limit,
         std::chrono::duration<double> patience);
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;
  ~Worker();

  // Begins a task: its memory is filled, and there is a process.
  void Begin(std::size_t task);
  // The task that is under way.
  std::optional<std::size_t> task() const { return task_; }
  // To be polled, until then.
  int socket() const { return socket_; }
  Clock::time_point deadline() const { return deadline_; }
  // Takes what has come and minds the deadline. Returns how the task has ended, once it has; what
  // the memory holds is then final. Throws NoGpu.
  std::optional<Ending> Advance();

  const std::uint8_t* memory() const { return memory_.data(); }
  const std::optional<Gpu>& gpu() const { return gpu_; }  // known when a process has started

 private:
  void Start();
  [[noreturn]] void Serve(int socket, int printed) const;
  std::optional<Ending> Take(const nlohmann::json& message);
  Ending Hangs();
  Ending Lost();
  int Stop();  // returns the status with which the process has ended
  std::string Printed() const;

  const std::vector<Task>& tasks_;
  const Clock::duration limit_;
  const Clock::duration patience_;
  SharedMemory memory_;
  const int printed_;  // a file without a name: what kernels print
  std::optional<Gpu> gpu_;
  pid_t process_ = 0;  // 0: there is none
  int socket_ = -1;
  std::optional<std::size_t> task_;
  std::optional<std::size_t> launches_;  // that have begun; nothing: the GPU is being opened
  Clock::time_point deadline_;
};

}  // namespace muster::gpu

#endif  // MUSTER_SIM_GPU_WORKER_H_
