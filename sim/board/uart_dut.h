// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The unit on a board, as the lockstep wants it: a frame and its answer for each cycle. The unit's
// clock stands still in between.
#ifndef MUSTER_SIM_BOARD_UART_DUT_H_
#define MUSTER_SIM_BOARD_UART_DUT_H_

#include <cstdint>
#include <memory>
#include <string>

#include "sim/board/link.h"
#include "sim/lockstep/dut.h"

namespace muster::board {

class UartDut final : public lockstep::Dut {
 public:
  // Resets the unit and clears its memory. Throws BoardError; later trouble is told by lost.
  explicit UartDut(std::shared_ptr<Link> link);

  void Settle() override;
  void Clock() override { ++pulses_; }

  void OpenTrace(const std::string& /*path*/, std::uint64_t /*cycle*/) override {}
  void CloseTrace() override {}

 private:
  void Exchange();

  const std::shared_ptr<Link> link_;
  const Identity identity_;
  unsigned pulses_ = 0;  // that the board has not heard of
  Bytes pins_;           // that it has
};

}  // namespace muster::board

#endif  // MUSTER_SIM_BOARD_UART_DUT_H_
