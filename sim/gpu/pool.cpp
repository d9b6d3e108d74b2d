// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/gpu/pool.h"

#include <poll.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "sim/gpu/worker.h"

namespace muster::gpu {
namespace {

using Clock = Worker::Clock;

// Waits until a worker has sent a message or has run out of time.
void Wait(const std::vector<std::unique_ptr<Worker>>& workers) {
  std::vector<pollfd> sockets;
  Clock::time_point first = Clock::time_point::max();
  for (const auto& worker : workers) {
    if (worker->task()) {
      sockets.push_back({worker->socket(), POLLIN, 0});
      first = std::min(first, worker->deadline());
    }
  }
  constexpr Clock::duration kMost = std::chrono::hours(1);  // poll() counts in an int
  const auto left = std::clamp(first - Clock::now(), Clock::duration::zero(), kMost);
  poll(sockets.data(), sockets.size(),
       static_cast<int>(std::chrono::ceil<std::chrono::milliseconds>(left).count()));
}

Result ResultOf(const Task& task, const Worker& worker, Ending ending) {
  Result result;
  const std::vector<ptx::Buffer>& buffers = task.manifest().buffers;
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    const bool known = buffers[i].symbol ? ending.kind == EndKind::kCompletes : ending.HasRun();
    result.contents.push_back(known ? std::optional(task.ContentsIn(worker.memory(), i))
                                    : std::nullopt);
  }
  result.ending = std::move(ending);
  result.gpu = worker.gpu().value();
  return result;
}

}  // namespace

void RunAll(const std::vector<Task>& tasks, const Settings& settings,
            const std::function<void(std::size_t task, const Result& result)>& done) {
  std::vector<std::unique_ptr<Worker>> workers;
  for (std::size_t i = 0; i < std::min(settings.workers, tasks.size()); ++i) {
    workers.push_back(std::make_unique<Worker>(tasks, settings.time_limit, settings.patience));
  }
  std::size_t next = 0;
  std::size_t end = tasks.size();
  for (std::size_t ended = 0; ended < end;) {
    for (const auto& worker : workers) {
      if (!worker->task() && next < end) {
        end = settings.is_over && settings.is_over() ? next : end;
        if (next < end) {
          worker->Begin(next++);
        }
      }
    }
    if (ended == end) {
      break;
    }
    Wait(workers);
    for (const auto& worker : workers) {
      const std::optional<std::size_t> task = worker->task();
      std::optional<Ending> ending = task ? worker->Advance() : std::nullopt;
      if (ending) {
        done(*task, ResultOf(tasks[*task], *worker, std::move(*ending)));
        ++ended;
      }
    }
  }
}

}  // namespace muster::gpu
