// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/board/uart_dut.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "sim/board/pins.h"

namespace muster::board {
namespace {

constexpr std::size_t kStoreBytes = 64;  // in a frame
constexpr std::size_t kWordBytes = 8;

}  // namespace

UartDut::UartDut(std::shared_ptr<Link> link)
    : link_(std::move(link)), identity_(link_->Identify()) {
  link_->Reset();
  if (identity_.mbarrier) {
    const Bytes zeroes(kStoreBytes, 0);
    const std::uint32_t end = std::uint32_t{identity_.num_ctas} << identity_.smem_log2;
    for (std::uint32_t address = 0; address < end; address += kStoreBytes) {
      link_->Store(address, zeroes);
    }
  }
}

void UartDut::Settle() {
  if (!lost.empty()) {
    return;
  }
  try {
    Exchange();
  } catch (const BoardError& error) {
    lost = error.what();
  }
}

void UartDut::Exchange() {
  Bytes pins = pins_;
  EncodePins(identity_, in, &pins);
  std::size_t first = 0;
  Bytes changed = pins;
  if (pins.size() == pins_.size()) {
    const auto [from, _] = std::mismatch(pins.begin(), pins.end(), pins_.begin());
    first = static_cast<std::size_t>(std::distance(pins.begin(), from));
    const auto last =
        std::mismatch(pins.rbegin(), std::make_reverse_iterator(from), pins_.rbegin());
    changed.assign(from, last.first.base());
  }
  const Bytes report = link_->Cycle(pulses_, first, changed);
  if (!DecodeOutputs(identity_, report, &out)) {
    throw BoardError("the board's answers are of another length than this version's");
  }
  pulses_ = 0;
  pins_ = std::move(pins);
  // They come after the edge before this cycle, and before its own.
  for (const MbInputs::Store& store : in.mb.stores) {
    Bytes word(kWordBytes);
    for (std::size_t i = 0; i < kWordBytes; ++i) {
      word[i] = static_cast<std::uint8_t>(store.word >> 8 * i);
    }
    link_->Store((std::uint32_t{store.place.cta} << identity_.smem_log2) + store.place.addr, word);
  }
}

}  // namespace muster::board
