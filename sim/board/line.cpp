// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/board/line.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/file.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

namespace muster::board {
namespace {

class SerialLine final : public Line {
 public:
  explicit SerialLine(const std::string& device)
      : device_(device), file_(open(device.c_str(), O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)) {
    if (file_ < 0) {
      throw BoardError(fmt::format("{}: {}", device, std::strerror(errno)));
    }
    try {
      Configure();
    } catch (...) {
      close(file_);
      throw;
    }
  }
  ~SerialLine() override { close(file_); }

  void Write(const Bytes& bytes) override {
    for (std::size_t done = 0; done < bytes.size();) {
      const ssize_t n = write(file_, &bytes[done], bytes.size() - done);
      if (n > 0) {
        done += static_cast<std::size_t>(n);
      } else if (errno != EAGAIN && errno != EINTR) {
        Lost();
      } else {
        Wait(POLLOUT, kStalled);
      }
    }
  }

  Bytes Read(int milliseconds) override {
    std::array<std::uint8_t, 256> bytes;
    if (!Wait(POLLIN, milliseconds)) {
      return {};
    }
    const ssize_t n = read(file_, bytes.data(), bytes.size());
    if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR)) {
      Lost();
    }
    return n < 0 ? Bytes{} : Bytes(bytes.data(), bytes.data() + n);
  }

 private:
  static constexpr int kStalled = 1000;  // milliseconds

  void Configure() {
    termios settings{};
    if (tcgetattr(file_, &settings) != 0) {
      throw BoardError(fmt::format("{}: this is not a serial device", device_));
    }
    if (flock(file_, LOCK_EX | LOCK_NB) != 0) {
      throw BoardError(fmt::format("{}: another program is using it", device_));
    }
    cfmakeraw(&settings);
    settings.c_cflag |= CLOCAL | CREAD;
    settings.c_cflag &= ~(CSTOPB | CRTSCTS);
    if (cfsetspeed(&settings, B3000000) != 0 || tcsetattr(file_, TCSANOW, &settings) != 0 ||
        tcflush(file_, TCIOFLUSH) != 0) {
      throw BoardError(fmt::format("{}: it does not do 3 Mbaud", device_));
    }
  }

  bool Wait(int what, int milliseconds) const {
    pollfd waits{};
    waits.fd = file_;
    waits.events = static_cast<decltype(waits.events)>(what);
    return poll(&waits, 1, milliseconds) > 0;
  }

  [[noreturn]] void Lost() const { throw BoardError(fmt::format("{}: the line is gone", device_)); }

  const std::string device_;
  const int file_;
};

}  // namespace

std::unique_ptr<Line> OpenSerial(const std::string& device) {
  return std::make_unique<SerialLine>(device);
}

}  // namespace muster::board
