// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The Verilated board behind a pseudo-terminal: prints its name, and serves until it is ended. With
// the argument "mbarrier" the board has that block, and 4 KiB of shared memory a CTA.
#include <fcntl.h>
#include <poll.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string_view>

#include "tb/unit/fpga_board.h"

namespace {

using muster::board::Bytes;
using muster::board::SimulatedBoard;

// Bytes from the host; false: there is no terminal any more.
bool Receive(int terminal, int milliseconds, SimulatedBoard* board) {
  pollfd input{terminal, POLLIN, 0};
  if (poll(&input, 1, milliseconds) <= 0) {
    return true;
  }
  std::array<std::uint8_t, 256> bytes;
  const ssize_t n = read(terminal, bytes.data(), bytes.size());
  if (n > 0) {
    board->Send(Bytes(bytes.data(), bytes.data() + n));
  }
  return n > 0 || errno == EAGAIN || errno == EINTR;
}

bool Send(int terminal, const Bytes& bytes) {
  for (std::size_t done = 0; done < bytes.size();) {
    const ssize_t n = write(terminal, &bytes[done], bytes.size() - done);
    if (n < 0 && errno != EINTR) {
      return false;
    }
    done += n < 0 ? 0 : static_cast<std::size_t>(n);
  }
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  const int terminal = posix_openpt(O_RDWR | O_NOCTTY);
  if (terminal < 0 || grantpt(terminal) != 0 || unlockpt(terminal) != 0) {
    std::perror("a pseudo-terminal");
    return 2;
  }
  const char* const name = ptsname(terminal);
  // Held open, so that the terminal stays when a host closes it; raw before the first one comes.
  const int held = open(name, O_RDWR | O_NOCTTY);
  termios settings{};
  if (held < 0 || tcgetattr(held, &settings) != 0) {
    std::perror(name);
    return 2;
  }
  cfmakeraw(&settings);
  tcsetattr(held, TCSANOW, &settings);
  const std::unique_ptr<SimulatedBoard> board = SimulatedBoard::Make(
      argc > 1 && std::string_view(argv[1]) == "mbarrier" ? SimulatedBoard::Variant::kRoomy
                                                          : SimulatedBoard::Variant::kNamed);
  std::printf("%s\n", name);
  std::fflush(stdout);

  // While nothing happens, the board's time stands still, too.
  for (int milliseconds = -1; Receive(terminal, milliseconds, board.get());) {
    board->RunToByte(SimulatedBoard::kQuiet);
    const Bytes bytes = board->Received();
    if (!Send(terminal, bytes)) {
      break;
    }
    milliseconds = bytes.empty() ? -1 : 0;
  }
  return 0;
}
