// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The atomics on shared memory, Verilated, in lockstep with their golden model.
#include "sim/golden/atomics.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <deque>
#include <map>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tb/unit/atomics_bench.h"
#include "tb/unit/atomics_types.h"
#include "tb/unit/atomics_units.h"
#include "tb/unit/float_values.h"

namespace muster::atomics {

namespace {

template <typename Unit>
constexpr unsigned kCtas = 2;
template <>
constexpr unsigned kCtas<Vatomics_full> = 32;
template <>
constexpr unsigned kCtas<Vatomics_one> = 1;
template <>
constexpr unsigned kCtas<Vatomics_bare> = 3;

std::string TypeOf(const AtomicUpdate& update) {
  return fmt::format("{}.{}", Name(update.op), TypeName(update.op, update.size, update.is_signed));
}

const FloatFormat& FormatOf(AtomicOp op, AtomicSize size) {
  return op == AtomicOp::kHAdd     ? kFormatF16
         : op == AtomicOp::kBAdd   ? kFormatBf16
         : size == AtomicSize::k64 ? kFormatF64
                                   : kFormatF32;
}

// Cover points, by how often they were met.
using Points = std::map<std::string, std::uint64_t>;

// All that the random traffic must meet.
Points AllPoints(const Shape& shape) {
  Points points;
  for (unsigned op = 0; op < kNumAtomicOps; ++op) {
    for (const AtomicSize size :
         {AtomicSize::k16, AtomicSize::k32, AtomicSize::k64, AtomicSize::k128}) {
      for (const bool is_signed : {false, true}) {
        AtomicUpdate update = Update(static_cast<AtomicOp>(op), size, 0, 0);
        update.is_signed = is_signed;
        if (!IsOne(update.op, size, is_signed, shape.floats, shape.has_128)) {
          continue;
        }
        for (const char* how : {"alone.answer", "alone", "behind.answer", "behind"}) {
          points[TypeOf(update) + "." + how] = 0;
        }
        if (IsFloat(update.op)) {
          for (const std::string& event : AllFloatEvents(FormatOf(update.op, size))) {
            points[event] = 0;
          }
        }
      }
    }
  }
  for (const char* point :
       {"inc.wraps", "inc.counts", "dec.wraps", "dec.wraps.zero", "dec.counts", "cas.hits",
        "cas.misses", "min.takes", "min.keeps", "max.takes", "max.keeps", "order.opposite",
        "half.upper", "turns", "answer.waits", "store.waits", "store", "long.alone"}) {
    points[point] = 0;
  }
  if (shape.has_128) {
    points["cas.halves.00"] = points["cas.halves.01"] = 0;
    points["cas.halves.10"] = points["cas.halves.11"] = 0;
  }
  if (shape.faults) {
    points["fault.misaligned"] = points["fault.outside"] = points["fault.between"] = 0;
  }
  if (shape.drain) {
    points["drain.waits"] = points["drain.passes"] = 0;
  }
  return points;
}

template <typename Unit>
class Atomics : public ::testing::Test {
 protected:
  unsigned Below(unsigned n) { return static_cast<unsigned>(random_() % n); }
  bool OneIn(unsigned n) { return Below(n) == 0; }

  // Values that meet: small ones, their neighbours, and ends of ranges.
  std::uint64_t Value() {
    static constexpr std::uint64_t kSome[] = {0,
                                              1,
                                              2,
                                              3,
                                              0x7fff,
                                              0x8000,
                                              0x7fffffff,
                                              0x80000000,
                                              0xffffffff,
                                              0x100000000,
                                              0x7fffffffffffffff,
                                              0x8000000000000000,
                                              0xffffffffffffffff};
    std::uint64_t value = 0;
    for (unsigned part = 0; part < 4; ++part) {
      value = value << 16 | (OneIn(2) ? Below(4) : Below(65536));
    }
    return OneIn(3) ? value : kSome[Below(13)] << (OneIn(3) ? 32 : 0);
  }

  // In each place of a word.
  std::uint64_t Floats(const FloatFormat& format, std::uint64_t word) {
    std::uint64_t floats = 0;
    for (unsigned shift = 0; shift < 64; shift += format.bits()) {
      const std::uint64_t mask = format.sign() * 2 - 1;
      floats |= FloatNear(format, word >> shift & mask, &random_) << shift;
    }
    return floats;
  }

  AtomicUpdate Random() {
    AtomicUpdate update;
    const bool floats = OneIn(3) && bench_.shape().floats != 0;
    do {
      update.op = static_cast<AtomicOp>(Below(kNumAtomicOps));
      update.size = static_cast<AtomicSize>(Below(4));
      update.is_signed = OneIn(2);
    } while ((floats && !IsFloat(update.op)) ||
             !IsOne(update.op, update.size, update.is_signed, bench_.shape().floats,
                    bench_.shape().has_128));
    update.cta = static_cast<std::uint8_t>(OneIn(3) ? Below(kCtas<Unit>) : 0);
    update.warp = static_cast<std::uint8_t>(Below(bench_.shape().num_warps));
    update.lane = static_cast<std::uint8_t>(Below(32));
    const std::uint32_t bytes = BytesOf(update.size);
    // Few words, so that many updates meet.
    update.addr =
        (OneIn(8) ? Below(bench_.shape().smem_bytes) : 8 * Below(1U << Below(4)) + Below(8)) /
        bytes * bytes;
    if (bench_.shape().faults && OneIn(12)) {
      update.addr = OneIn(2) ? update.addr + 1 + Below(bytes - 1)
                             : update.addr + bench_.shape().smem_bytes * (1U + Below(5));
    }
    update.operand = IsFloat(update.op) ? Floats(FormatOf(update.op, update.size),
                                                 bench_.words().At(update.cta, update.addr))
                                        : Value();
    // What is there, every other time.
    update.compare = OneIn(2) ? Value() : bench_.words().At(update.cta, update.addr);
    update.has_answer = OneIn(2);
    update.releasing = OneIn(4);
    return update;
  }

  // To be presented; of 128 bits both halves.
  void Push(AtomicUpdate update, bool remote = false) {
    std::deque<AtomicUpdate>& queue = remote ? bench_.remote_queue() : bench_.queue();
    if (remote) {
      update.from = {true, static_cast<std::uint8_t>(Below(16))};
      update.releasing = false;
      update.completes = OneIn(2);
    }
    queue.push_back(update);
    if (update.size == AtomicSize::k128) {
      update.upper = true;
      update.releasing = false;
      update.operand = Value();
      update.compare = OneIn(2) ? Value() : bench_.words().At(update.cta, update.addr + 8);
      queue.push_back(update);
    }
  }

  void Note(const AtomicUpdate& update, const golden::AtomicEffects& effects, bool behind,
            unsigned latency) {
    if (effects.fault != FaultCause::kNone) {
      Hit(update.addr % BytesOf(update.size) != 0 ? "fault.misaligned" : "fault.outside");
      if (behind_fault_) {
        Hit("fault.between");
      }
      return;
    }
    Hit(TypeOf(update) + (behind ? ".behind" : ".alone") + (update.has_answer ? ".answer" : ""));
    const unsigned shift = 8 * (update.addr % 8);
    const bool changed = effects.after != effects.before;
    const auto old = static_cast<std::uint32_t>(effects.before >> shift);
    const auto bound = static_cast<std::uint32_t>(update.operand >> shift);
    switch (update.op) {
      case AtomicOp::kInc:
        Hit(old >= bound ? "inc.wraps" : "inc.counts");
        break;
      case AtomicOp::kDec:
        Hit(old == 0 ? "dec.wraps.zero" : old > bound ? "dec.wraps" : "dec.counts");
        break;
      case AtomicOp::kCas:
        Hit(changed ? "cas.hits" : "cas.misses");
        if (update.size == AtomicSize::k128) {
          const bool wanted = golden::IsAsWanted(update, effects.before);
          if (update.upper) {
            Hit(fmt::format("cas.halves.{:d}{:d}", lower_wanted_, wanted));
          }
          lower_wanted_ = wanted;
        }
        break;
      case AtomicOp::kMin:
      case AtomicOp::kMax:
        Hit(Name(update.op) + std::string(changed ? ".takes" : ".keeps"));
        if (update.is_signed &&
            ((effects.before ^ update.operand) >> (8 * BytesOf(update.size) - 1 + shift) & 1) !=
                0) {
          Hit("order.opposite");
        }
        break;
      case AtomicOp::kFAdd:
      case AtomicOp::kHAdd:
      case AtomicOp::kBAdd: {
        const FloatFormat& format = FormatOf(update.op, update.size);
        const std::uint64_t mask = format.sign() * 2 - 1;
        for (unsigned at = shift; at < shift + 8 * BytesOf(update.size); at += format.bits()) {
          for (const std::string& event :
               FloatEvents(format, effects.before >> at & mask, update.operand >> at & mask,
                           effects.after >> at & mask)) {
            Hit(event);
          }
        }
        break;
      }
      default:
        break;
    }
    if (BytesOf(update.size) < 8 && (update.addr & 4) != 0) {
      Hit("half.upper");
    }
    if (latency > 20) {
      Hit("long.alone");
    }
  }
  void Hit(const std::string& point) { ++points_[point]; }

  // Random updates, a memory that stalls, a receiver that does, cores that store, warps that drain.
  void Run(unsigned cycles, bool stalls) {
    lockstep::BankTiming& timing = bench_.bank().timing;
    timing.more_latency = stalls ? Below(4) : 0;
    timing.read_stalls = stalls ? Below(60) : 0;
    timing.write_stalls = stalls ? Below(60) : 0;
    // The model of a memory with one port reads nothing while a word is held.
    timing.one_port = stalls && OneIn(3) && !bench_.shape().has_128;
    const unsigned slow = stalls ? 1 + Below(4) : 1;
    const unsigned gaps = 1 + Below(4);
    const bool others = OneIn(2);  // other CTAs have updates, too
    std::uint64_t draining = 0;    // warps with accesses outstanding
    for (unsigned i = 0; i < cycles && !this->HasFatalFailure(); ++i) {
      if (bench_.queue().empty() && (gaps == 1 || OneIn(gaps))) {
        Push(Random());
      }
      if (others && bench_.remote_queue().empty() && OneIn(gaps)) {
        Push(Random(), true);
      }
      bench_.Begin();
      if (bench_.in().issue_valid && bench_.in().remote_valid) {
        Hit("turns");
      }
      if (OneIn(3)) {
        draining ^= std::uint64_t{1} << Below(bench_.shape().num_warps);
      }
      bench_.in().fence_ack = ~draining;
      if (bench_.in().issue_valid && bench_.in().issue.releasing) {
        Hit((draining >> bench_.in().issue.warp & 1) != 0 ? "drain.waits" : "drain.passes");
      }
      const bool shown = bench_.out().response_valid;
      bench_.in().response_ready = slow == 1 || OneIn(slow);
      if (shown && !bench_.in().response_ready) {
        Hit("answer.waits");
      }
      if (OneIn(4)) {
        const MbPlace place{static_cast<std::uint8_t>(OneIn(3) ? Below(kCtas<Unit>) : 0),
                            8 * Below(8)};
        const bool may = bench_.bank().MayStore(place);
        Hit(may ? "store" : "store.waits");
        if (may) {
          const FloatFormat* const formats[] = {&kFormatF16, &kFormatBf16, &kFormatF32,
                                                &kFormatF64};
          bench_.words().Store(place, OneIn(2) ? Value() : Floats(*formats[Below(4)], 0));
        }
      }
      bench_.End();
      if (const auto& done = bench_.checker().committed()) {
        Note(done->update, done->effects, done->behind, done->latency);
        behind_fault_ = done->effects.fault == FaultCause::kNone;
      }
    }
    bench_.in().fence_ack = ~std::uint64_t{0};
    bench_.in().response_ready = true;
    timing = {};
    bench_.Settle();
  }

  AtomicsBench<Unit> bench_;
  std::mt19937 random_{1};
  Points points_ = AllPoints(kShape<Unit>);
  bool behind_fault_ = false;
  bool lower_wanted_ = false;
};

using Units = ::testing::Types<Vatomics_small, Vatomics_full, Vatomics_one, Vatomics_bare>;
TYPED_TEST_SUITE(Atomics, Units);

TYPED_TEST(Atomics, RandomUpdates) {
  for (unsigned round = 0; round < 500 && !this->HasFatalFailure(); ++round) {
    this->Run(2000, round % 4 != 0);
  }
  for (const auto& [point, hits] : this->points_) {
    EXPECT_NE(hits, 0U) << point << " is never met";
  }
  const auto& counts = this->bench_.checker().counts();
  EXPECT_GE(counts.longest_commit + 1, lockstep::LongestCommit(this->bench_.shape()));
  EXPECT_EQ(counts.longest_issue, lockstep::LongestIssue(this->bench_.shape()));
}

// All that is under way in a reset is lost, and what was written stays.
TYPED_TEST(Atomics, ResetAtAnyTime) {
  for (unsigned round = 0; round < 500 && !this->HasFatalFailure(); ++round) {
    this->Run(this->Below(60), true);
    for (unsigned i = 0; i < 4; ++i) {
      this->Push(this->Random());
    }
    for (unsigned i = this->Below(8); i > 0; --i) {
      this->bench_.Cycle();
    }
    this->bench_.queue().clear();
    this->bench_.remote_queue().clear();
    this->bench_.Reset();
  }
}

TYPED_TEST(Atomics, PlainAdd) {
  this->bench_.queue().push_back(Update(AtomicOp::kAdd, AtomicSize::k32, 12, 5));
  this->bench_.queue().push_back(Update(AtomicOp::kAdd, AtomicSize::k32, 12, 6));
  this->bench_.Settle();
  EXPECT_EQ(this->bench_.words().At(0, 8), std::uint64_t{11} << 32);
}

}  // namespace
}  // namespace muster::atomics
