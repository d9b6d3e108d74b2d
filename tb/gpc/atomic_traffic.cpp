// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "tb/gpc/atomic_traffic.h"

#include <array>

#include "sim/isa/bits.h"

namespace muster::gpc {

AtomicTraffic::AtomicTraffic(const lockstep::AtomicsShape& shape, std::uint64_t seed)
    : shape_(shape), random_(seed), bank_(this, seed) {}

void AtomicTraffic::SetKnobs() {
  until_ = random_.Between(100, 1000);
  starts_ = random_.Pick(std::array{0U, 5U, 30U, 100U});
  takes_ = random_.Pick(std::array{100U, 100U, 30U});
  words_used_ = random_.Pick(std::array{1U, 4U, 32U});
  bank_.timing.more_latency = random_.Pick(std::array{0U, 0U, 3U});
  bank_.timing.read_stalls = random_.Pick(std::array{0U, 20U, 60U});
  bank_.timing.write_stalls = random_.Pick(std::array{0U, 20U, 60U});
}

void AtomicTraffic::Begin(const AtomicOutputs& seen, AtomicInputs* in) {
  if (until_-- == 0) {
    SetKnobs();
  }
  in->memory = this;
  bank_.Cycle(seen, in);
  if (seen.commit_valid && !seen.commit.from.remote) {
    const AtomicUpdate& update = flights_.front();
    // A refused update has no answer.
    if (!seen.commit.written && update.has_answer) {
      End(update.warp);
    }
    End(update.warp);
    flights_.pop_front();
  }
  if (seen.response_valid && in->response_ready) {
    End(seen.response.warp);
  }
  if (in->issue_valid && seen.issue_ready) {
    in->issue_valid = false;
    flights_.push_back(queue_.front());
    queue_.pop_front();
  }
}

void AtomicTraffic::Present(std::uint64_t accessing, AtomicInputs* in) {
  in->fence_ack = ~accessing;
  in->response_ready = random_.Percent(takes_);
  if (!in->issue_valid && !queue_.empty()) {
    in->issue_valid = true;
    in->issue = queue_.front();
  }
  if (random_.OneIn(8)) {
    const MbPlace place{static_cast<std::uint8_t>(random_.Below(kMaxCtas)),
                        8 * random_.Below(words_used_)};
    if (bank_.MayStore(place)) {
      At(place) = Value();
    }
  }
}

bool AtomicTraffic::Wants() { return !rests_ && queue_.empty() && random_.Percent(starts_); }

void AtomicTraffic::Start(unsigned warp, unsigned cta) {
  AtomicUpdate update = Random(warp, cta);
  const unsigned each = update.has_answer ? 2 : 1;
  queue_.push_back(update);
  left_[warp] = each;
  if (update.size == AtomicSize::k128) {
    update.upper = true;
    update.releasing = false;
    update.operand = Value();
    queue_.push_back(update);
    left_[warp] += each;
  }
  engaged_ |= Bit(warp);
}

RemoteAtomic AtomicTraffic::Send(unsigned warp, bool may_await) {
  const AtomicUpdate update = Random(warp, random_.Below(2));
  RemoteAtomic sent;
  sent.valid = true;
  sent.op = update.op;
  sent.size = update.size;
  sent.is_signed = update.is_signed;
  sent.addr = update.addr;
  sent.lane = update.lane;
  sent.operand = update.operand;
  sent.compare = update.compare;
  sent.has_answer = update.has_answer && may_await;
  if (update.size == AtomicSize::k128) {
    sent.operand_upper = Value();
    sent.compare_upper = Value();
  }
  if (sent.has_answer) {
    left_[warp] = update.size == AtomicSize::k128 ? 2 : 1;
    engaged_ |= Bit(warp);
  }
  return sent;
}

void AtomicTraffic::End(unsigned warp) {
  if (--left_[warp] == 0) {
    engaged_ &= ~Bit(warp);
  }
}

// Values that meet.
std::uint64_t AtomicTraffic::Value() {
  return random_.OneIn(3) ? random_.Next()
                          : random_.Next() & random_.Next() & std::uint64_t{0x0003000300030003};
}

AtomicUpdate AtomicTraffic::Random(unsigned warp, unsigned cta) {
  AtomicUpdate update;
  do {
    update.op = static_cast<AtomicOp>(random_.Below(kNumAtomicOps));
    update.size = static_cast<AtomicSize>(random_.Below(4));
  } while (!lockstep::Has(shape_, update));
  update.is_signed = random_.OneIn(2);
  update.cta = static_cast<std::uint8_t>(cta);
  update.warp = static_cast<std::uint8_t>(warp);
  update.lane = static_cast<std::uint8_t>(random_.Below(kMaxLanes));
  const std::uint32_t bytes = BytesOf(update.size);
  const std::uint32_t at = 8 * random_.Below(words_used_);
  update.addr = (at + random_.Below(8)) / bytes * bytes;
  if (shape_.faults && random_.OneIn(20)) {
    update.addr = random_.OneIn(2) ? update.addr + 1 : update.addr + shape_.smem_bytes;
  }
  const std::uint64_t word = At({update.cta, WordAt(update)});
  update.operand = Value();
  update.compare = random_.OneIn(2) ? word : Value();
  update.has_answer = random_.OneIn(2);
  update.releasing = random_.OneIn(4);
  return update;
}

}  // namespace muster::gpc
