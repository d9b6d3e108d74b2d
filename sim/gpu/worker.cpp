// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/gpu/worker.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <system_error>
#include <thread>

namespace muster::gpu {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kMaxMessage = std::size_t{1} << 17;
constexpr std::chrono::seconds kFarewell(5);  // in which an idle process may end by itself

std::size_t MostBytes(const std::vector<Task>& tasks) {
  std::size_t bytes = 0;
  for (const Task& task : tasks) {
    bytes = std::max(bytes, task.bytes());
  }
  return bytes;
}

double Seconds(Worker::Clock::duration duration) {
  return std::chrono::duration<double>(duration).count();
}

[[noreturn]] void Fail(const char* what) {
  throw std::system_error(errno, std::generic_category(), what);
}

// Each message is one packet.
void Send(int socket, const Json& message) {
  const std::string text = message.dump(-1, ' ', false, Json::error_handler_t::replace);
  send(socket, text.data(), std::min(text.size(), kMaxMessage), MSG_NOSIGNAL);
}

// Returns nothing if there is no message or the other process has ended.
std::optional<Json> Receive(int socket, int flags, bool* ended) {
  std::string text(kMaxMessage, '\0');
  ssize_t bytes = 0;
  do {
    bytes = recv(socket, text.data(), text.size(), flags);
    // If the other process ended without reading all, one error is reported before its messages.
  } while (bytes < 0 && (errno == EINTR || errno == ECONNRESET));
  *ended = bytes == 0 || (bytes < 0 && errno != EAGAIN);
  return bytes <= 0 ? std::nullopt
                    : std::optional(Json::parse(text.substr(0, static_cast<std::size_t>(bytes))));
}

}  // namespace

Worker::Worker(const std::vector<Task>& tasks, std::chrono::duration<double> limit,
               std::chrono::duration<double> patience)
    : tasks_(tasks),
      limit_(std::chrono::duration_cast<Clock::duration>(limit)),
      patience_(std::chrono::duration_cast<Clock::duration>(patience)),
      memory_(MostBytes(tasks)),
      printed_(memfd_create("printed", MFD_CLOEXEC)) {
  if (printed_ < 0) {
    Fail("a file for what kernels print");
  }
}

// An idle process ends by itself: tools that watch it (compute-sanitizer) then have their say.
Worker::~Worker() {
  if (process_ != 0 && !task_) {
    shutdown(socket_, SHUT_RDWR);
    const Clock::time_point latest = Clock::now() + kFarewell;
    siginfo_t ended{};
    while (waitid(P_PID, static_cast<id_t>(process_), &ended, WEXITED | WNOHANG | WNOWAIT) == 0 &&
           ended.si_pid == 0 && Clock::now() < latest) {
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
  }
  Stop();
  close(printed_);
}

void Worker::Start() {
  std::array<int, 2> sockets{};
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets.data()) != 0) {
    Fail("a socket for a GPU's process");
  }
  std::fflush(nullptr);  // otherwise both processes would write it
  process_ = fork();
  if (process_ < 0) {
    process_ = 0;
    Fail("a process for a GPU");
  }
  if (process_ == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    close(sockets[0]);
    Serve(sockets[1], printed_);
  }
  close(sockets[1]);
  socket_ = sockets[0];
  launch_.reset();
}

// The main loop of the process.
void Worker::Serve(int socket, int printed) const {
  try {
    dup2(printed, STDOUT_FILENO);
    Executor executor;
    Send(socket, {{"gpu", executor.gpu()}});
    bool ended = false;
    while (const std::optional<Json> message = Receive(socket, 0, &ended)) {
      const Task& task = tasks_.at(message->at("task").get<std::size_t>());
      bool begun = false;
      const Ending ending = executor.Run(task, memory_.data(), [&](std::size_t launch) {
        begun = true;
        Send(socket, {{"begins", launch}});
      });
      // A trap before the first launch is of the task before.
      if (const std::string trap = executor.Trap(); !begun && !trap.empty()) {
        Send(socket, {{"late", trap}});
        break;
      }
      Send(socket, {{"end", ending}});
      if (ending.kind == EndKind::kTrap || ending.kind == EndKind::kHangs) {
        break;
      }
    }
  } catch (const std::exception& error) {
    Send(socket, {{"no_gpu", error.what()}});
  }
  std::fflush(stdout);
  _exit(0);  // skips the exit handlers of the driver and of this program
}

void Worker::Begin(std::size_t task) {
  tasks_[task].Fill(memory_.data());
  task_ = task;
  if (process_ == 0) {
    Start();
  } else {
    launch_ = 0;
  }
  Send(socket_, {{"task", task}});
  deadline_ = Clock::now() + patience_;
}

std::optional<Ending> Worker::Advance() {
  bool ended = false;
  while (const std::optional<Json> message = Receive(socket_, MSG_DONTWAIT, &ended)) {
    if (std::optional<Ending> ending = Take(*message)) {
      return ending;
    }
  }
  if (ended) {
    return Lost();
  }
  return Clock::now() < deadline_ ? std::nullopt : std::optional(Hangs());
}

std::optional<Ending> Worker::Take(const Json& message) {
  if (message.contains("no_gpu")) {
    throw NoGpu(message["no_gpu"].get<std::string>());
  }
  if (message.contains("gpu")) {
    gpu_ = message["gpu"].get<Gpu>();
    launch_ = 0;
    deadline_ = Clock::now() + patience_;
    return std::nullopt;
  }
  if (message.contains("late")) {
    Stop();
    fmt::print(stderr, "cuda: {} had completed when the driver told of a trap: {}\n",
               tasks_[*last_].manifest().path, message["late"].get<std::string>());
    Begin(*task_);
    return std::nullopt;
  }
  if (message.contains("begins")) {
    launch_ = message["begins"].get<std::size_t>() + 1;
    deadline_ = Clock::now() + limit_;
    return std::nullopt;
  }
  auto ending = message["end"].get<Ending>();
  last_ = task_;
  if (ending.kind == EndKind::kTrap || ending.kind == EndKind::kHangs) {
    Stop();
  }
  ending.printed = Printed();
  task_.reset();
  return ending;
}

// The deadline has passed. If no kernel has begun, the driver hangs.
Ending Worker::Hangs() {
  Stop();
  if (!launch_) {
    throw NoGpu(
        fmt::format("cuda: the driver has not started within {:.3g} s", Seconds(patience_)));
  }
  Ending ending;
  ending.kind = *launch_ == 0 ? EndKind::kDoesNotLoad : EndKind::kHangs;
  if (*launch_ == 0) {
    ending.name = "no_answer";
    ending.text = fmt::format("the driver has not loaded it within {:.3g} s", Seconds(patience_));
  } else {
    ending.launch = *launch_ - 1;
    ending.seconds = Seconds(limit_);
  }
  ending.printed = Printed();
  task_.reset();
  return ending;
}

Ending Worker::Lost() {
  const int status = Stop();
  if (!launch_) {
    throw NoGpu("cuda: the driver has ended the process that started it");
  }
  Ending ending;
  ending.kind = EndKind::kLost;
  ending.text = WIFSIGNALED(status)
                    ? fmt::format("its process has ended by signal {}", WTERMSIG(status))
                    : fmt::format("its process has ended with status {}", WEXITSTATUS(status));
  ending.launch = std::max<std::size_t>(*launch_, 1) - 1;
  ending.printed = Printed();
  task_.reset();
  return ending;
}

// Once the process has ended, the GPU writes nothing more.
int Worker::Stop() {
  int status = 0;
  if (process_ != 0) {
    kill(process_, SIGKILL);
    while (waitpid(process_, &status, 0) < 0 && errno == EINTR) {
    }
    close(socket_);
    process_ = 0;
    socket_ = -1;
  }
  return status;
}

// Returns the output since the last call. Both processes share the file's position.
std::string Worker::Printed() const {
  constexpr off_t kMost = off_t{1} << 20;
  std::string text(static_cast<std::size_t>(std::min(lseek(printed_, 0, SEEK_END), kMost)), '\0');
  text.resize(
      static_cast<std::size_t>(std::max<ssize_t>(pread(printed_, text.data(), text.size(), 0), 0)));
  if (ftruncate(printed_, 0) != 0 || lseek(printed_, 0, SEEK_SET) != 0) {
    Fail("the file of what kernels print");
  }
  return text;
}

}  // namespace muster::gpu
