// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// A line of bytes to a board.
#ifndef MUSTER_SIM_BOARD_LINE_H_
#define MUSTER_SIM_BOARD_LINE_H_

#include <memory>
#include <stdexcept>
#include <string>

#include "sim/board/frame.h"

namespace muster::board {

// An error whose sentence says what keeps a board from being used.
class BoardError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class Line {
 public:
  Line() = default;
  Line(const Line&) = delete;
  Line& operator=(const Line&) = delete;
  virtual ~Line() = default;

  virtual void Write(const Bytes& bytes) = 0;
  // What there is, when there is something; nothing after so many milliseconds of silence.
  virtual Bytes Read(int milliseconds) = 0;
};

// A serial device at 3 Mbaud, 8 data bits, no parity, for this process alone. Throws BoardError.
std::unique_ptr<Line> OpenSerial(const std::string& device);

}  // namespace muster::board

#endif  // MUSTER_SIM_BOARD_LINE_H_
