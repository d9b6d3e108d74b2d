// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// State words: those that a program could have produced, and others, which must be refused.
#include <array>

#include "sim/isa/state_word.h"
#include "tb/lockstep/random_driver.h"

namespace muster::lockstep {

// A word that a program could have produced, most of the time.
std::uint32_t RandomDriver::BarWord(const Cta& cta) {
  BarState state;
  state.phase = config_.split && random_.Percent(50);
  if (random_.Percent(20)) {
    return Encode(state);
  }
  state.kind = random_.Between(1, 4);
  state.arrived = random_.Between(1, 3);
  state.expected = random_.Percent(40) ? 0 : random_.Between(1, cta.size);
  if (state.kind == static_cast<unsigned>(BarKind::kPopc)) {
    state.value = random_.Below(state.arrived * config_.warp_size + 1);
  } else if (state.kind != static_cast<unsigned>(BarKind::kSync)) {
    state.value = random_.Below(2);
  }
  return Encode(state);
}

std::uint32_t RandomDriver::BadBarWord(const Cta& cta) {
  BarState state = DecodeBarWord(BarWord(cta));
  switch (random_.Below(7)) {
    case 0:
      state.zero = config_.split ? random_.Between(1, 3) : random_.Below(4);
      state.phase = state.phase || state.zero == 0;
      break;
    case 1:
      state.kind = random_.Between(5, 7);
      break;
    case 2:  // not idle, but with no arrivals
      state.arrived = 0;
      state.kind = random_.Between(1, 4);
      break;
    case 3:  // as many as are expected, or more
      state.expected = random_.Between(1, cta.size);
      state.arrived = random_.Between(state.expected, 127);
      state.kind = 1;
      state.value = 0;
      break;
    case 4:
      state.arrived = 1;
      state.expected = random_.Between(cta.size + 1, 127);
      break;
    case 5:  // a value without a reduction
      state = BarState();
      state.kind = random_.Below(2);
      state.arrived = state.kind;
      state.value = random_.Between(1, config_.warp_size - 1);
      break;
    default:
      state.arrived = 1;
      state.kind = random_.Between(1, 4);
      state.value = state.kind == static_cast<unsigned>(BarKind::kPopc)
                        ? random_.Between(config_.warp_size + 1, 0xfff)
                        : random_.Between(2, 0xfff);
      break;
  }
  return Encode(state);
}

std::uint32_t RandomDriver::WarpWord(const Cta& cta) {
  WarpState state;
  if (random_.Percent(80)) {
    state.kind = random_.Between(2, 4);
    state.bar = random_.Below(kNumBars);
    state.value = state.kind == static_cast<unsigned>(BarKind::kPopc)
                      ? random_.Below(cta.size * config_.warp_size + 1)
                      : random_.Below(2);
  }
  return Encode(state);
}

// A word of a warp that waits at the entry, and that a program could have produced most of the
// time.
std::uint32_t RandomDriver::WaitingWord(const Cta& cta, unsigned bar) {
  WarpState state = DecodeWarpWord(WarpWord(cta));
  const BarState entry = DecodeBarWord(words_[cta.slot][bar]);
  if (entry.kind > static_cast<unsigned>(BarKind::kSync)) {
    state.kind = entry.kind;
    state.bar = bar;
    state.value = 0;
  }
  state.waiting = true;
  state.wait_bar = bar;
  return random_.Percent(50) ? Encode(state) : Contradict(cta, Encode(state));
}

// The same word with another reduction than the one that it waits for, or a result of it.
std::uint32_t RandomDriver::Contradict(const Cta& cta, std::uint32_t word) {
  WarpState state = DecodeWarpWord(word);
  const BarState entry = DecodeBarWord(words_[cta.slot][state.wait_bar]);
  switch (random_.Below(6)) {
    case 0:
      state.kind = state.bar = state.value = 0;
      break;
    case 1:
      state.kind = 2 + (entry.kind - 1) % 3;
      break;
    case 2:
      state.bar = (state.wait_bar + random_.Between(1, kNumBars - 1)) % kNumBars;
      break;
    default:
      state.value = 1;
      break;
  }
  return Encode(state);
}

std::uint32_t RandomDriver::BadWarpWord(const Cta& cta) {
  WarpState state = DecodeWarpWord(WarpWord(cta));
  switch (random_.Below(6)) {
    case 0:
      state.zero = random_.Between(1, 127);
      break;
    case 1:  // not waiting, but apart; mostly that alone is wrong
      state = random_.Percent(80) ? WarpState() : state;
      state.apart = true;
      break;
    case 2:
      state.kind = random_.Pick(std::array{1U, 5U, 6U, 7U});
      break;
    case 3:  // no copy, but a value or a barrier of one
      state.kind = 0;
      state.value = random_.Below(random_.Percent(50) ? config_.warp_size : 0x1000);
      state.bar = state.value == 0 ? 1 : random_.Percent(50) ? 0 : random_.Below(kNumBars);
      break;
    case 4:
      state.kind = random_.Between(2, 4);
      state.value = state.kind == static_cast<unsigned>(BarKind::kPopc)
                        ? random_.Between(cta.size * config_.warp_size + 1, 0xfff)
                        : random_.Between(2, 0xfff);
      break;
    default:  // not waiting, but with a barrier waited at
      state.wait_bar = random_.Between(1, kNumBars - 1);
      break;
  }
  return Encode(state);
}

}  // namespace muster::lockstep
