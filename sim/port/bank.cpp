// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/port/bank.h"

namespace muster::lockstep {
namespace {

constexpr unsigned kYieldAfter = 8;  // cycles that a store has waited

}  // namespace

std::uint64_t Bank::Draw() {  // splitmix64
  state_ += 0x9e3779b97f4a7c15;
  std::uint64_t z = state_;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
  z = (z ^ z >> 27) * 0x94d049bb133111eb;
  return z ^ z >> 31;
}

void Bank::Cycle(const SmemRequest& seen, SmemAnswer* in) {
  read_granted_ = seen.read_valid && in->read_ready;
  if (read_granted_) {
    read_place_ = seen.read_place;
    reading_ = timing.latency;
    if (timing.more_latency != 0) {
      reading_ += static_cast<unsigned>(Draw() % (timing.more_latency + 1));
    }
  }
  if (seen.write_valid && in->write_ready) {
    words_.Store(seen.write_place, seen.write_data);
  }
  held_valid_ = seen.held_valid;
  held_ = seen.held;

  in->rdata_valid = reading_ == 1;
  if (in->rdata_valid) {
    in->rdata = words_.Load(read_place_);
  }
  reading_ -= static_cast<unsigned>(reading_ != 0);
  in->write_ready = !Percent(timing.write_stalls);
  // With one port, it is known only in the cycle itself whether a word is written, so a read is not
  // granted while a word may be written.
  const bool writes = timing.one_port && (seen.held_valid != 0 || read_granted_);
  in->read_ready = reading_ == 0 && !writes && !Percent(timing.read_stalls);

  waiting_ = refused_ ? waiting_ + 1 : 0;
  refused_ = false;
  in->yield = waiting_ > kYieldAfter;
}

// A word held in the cycle before may be written in this one, and a word read then is held now.
bool Bank::MayStore(MbPlace place) {
  bool held = read_granted_ && read_place_ == place;
  for (unsigned i = 0; i < held_.size(); ++i) {
    held = held || ((held_valid_ >> i & 1) != 0 && held_[i] == place);
  }
  refused_ = refused_ || held;
  return !held;
}

}  // namespace muster::lockstep
