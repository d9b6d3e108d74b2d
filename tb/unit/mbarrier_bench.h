// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The Verilated mbarrier block with a shared memory, cores that store to it and drain their warps,
// and a check of every commit and of all that follows from it.
#ifndef MUSTER_TB_UNIT_MBARRIER_BENCH_H_
#define MUSTER_TB_UNIT_MBARRIER_BENCH_H_

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <utility>

#include "Vmuster_mbarrier.h"
#include "sim/port/pins.h"
#include "tb/unit/mb_oracle.h"

namespace muster::mb {

// The parameters of the block (mb.cmake).
inline constexpr unsigned kWarps = 32;
inline constexpr unsigned kCtas = 4;
inline constexpr std::uint32_t kSmemBytes = 4096;
inline constexpr std::uint64_t kClockPeriodPs = 1500;
inline constexpr std::uint64_t kLimitNs = 3000;

// What rtl/mbarrier/README.md promises, in cycles.
inline constexpr unsigned kCompletionToWake = 2;
inline constexpr std::uint64_t kExpiry = kWarps + 4;  // after the limit, at most

enum Source : unsigned { kWarp, kAsync, kRemote, kNumSources };

using Place = std::pair<unsigned, std::uint32_t>;  // CTA, byte

struct Group {
  Op op = Op::kArrive;
  Place place;
  unsigned warp = 0;
  std::uint32_t lanes = 1;
  std::uint32_t operand = 1;
  bool phase = false, has_token = false, has_hint = false, whole = false, releasing = false;
};

// How the memory and the cores behave, in percent of cycles.
struct Environment {
  unsigned latency = 1;       // of a read
  unsigned more_latency = 0;  // at random, up to
  unsigned read_stalls = 0;
  unsigned write_stalls = 0;
  bool one_port = false;  // reads wait for writes
  unsigned stores = 0;    // by the cores, to words of mbarriers
  unsigned response_stalls = 0;
  unsigned outstanding = 0;  // a warp has an access to drain
};

class Bench {
 public:
  explicit Bench(std::uint64_t seed);

  // A group waits at its source until it is accepted; one at a time.
  bool Free(Source source) const { return !presented_.at(source).has_value(); }
  void Present(Source source, const Group& group);
  void Leave(unsigned cta);  // unless a warp that is parked there has a group under way

  void Cycle();
  void Drain();  // cycles until nothing is on its way
  bool Idle() const;
  void Reset();  // while nothing is on its way but parked waits, which it forgets

  Object Word(Place place) const;
  void Store(Place place, std::uint64_t word);  // as from outside, in no cycle

  // The first thing that was wrong, or nothing.
  const std::string& error() const { return error_; }

  Environment environment;
  std::mt19937_64 random;

  // What has been seen.
  std::uint64_t cycle = 0, commits = 0, completions = 0, wakes = 0, expiries = 0, parks = 0,
                splits = 0;
  std::uint64_t drains = 0, stores = 0, responses = 0, back_to_back = 0;
  std::uint64_t reads = 0, held = 0;  // held: cycles in which some word is
  std::array<std::uint64_t, 20> causes{};
  std::array<std::uint64_t, kNumSources> worst_wait{};
  std::uint64_t last_commit = 0;

 private:
  // What the pins say of a commit.
  struct Commit {
    unsigned source, warp;
    std::uint32_t lanes;
    Place place;
    bool written, completed, parked;
    std::uint64_t word, found;
  };
  struct Accepted {
    Group group;
    bool drained = false;
    bool split = false;
  };
  struct Parked {
    Place place;
    bool phase;
    std::uint64_t since, limit_ns;
  };
  struct Response {
    unsigned warp;
    std::uint32_t lanes;
    Op op;
    std::uint32_t operand;
    bool complete;
    std::uint64_t token;
  };
  struct Fault {
    Cause cause;
    unsigned source, warp;
    std::uint32_t lanes;
    Place place;
  };

  bool Percent(unsigned percent) { return random() % 100 < percent; }
  void Fail(const std::string& what);
  void Drive();
  void Observe();
  void ObserveFalseAnswers();
  void ObserveCommit();
  void ObserveResults();
  void ObserveMemory();
  void ObserveHandshakes();
  void Expect(const Accepted& accepted, const Object& before);
  bool Held(Place place) const;

  Vmuster_mbarrier unit_;
  MbOutputs seen_;  // what the structs at its pins say
  std::string error_;

  std::array<std::optional<Group>, kNumSources> presented_;
  std::array<std::uint64_t, kNumSources> presented_since_{};
  std::array<std::deque<Accepted>, kWarps> of_warp_;
  std::array<std::deque<Accepted>, kNumSources> of_source_;  // kAsync, kRemote
  std::optional<unsigned> leave_;

  std::map<Place, std::uint64_t> memory_;
  std::map<Place, Object> objects_;
  std::optional<std::pair<std::uint64_t, std::uint64_t>> read_;  // when, what
  std::optional<std::pair<Place, std::uint64_t>> store_;
  std::uint64_t store_since_ = 0;

  std::array<bool, kWarps> outstanding_{};
  std::array<std::optional<Parked>, kWarps> parked_;
  std::map<std::uint64_t, std::uint32_t> wake_at_;  // warps, by cycle
  std::uint32_t leaving_ = 0;                       // warps to be answered false in this cycle
  std::optional<Commit> commit_;                    // in the last cycle
  std::deque<Response> expected_responses_;
  std::optional<Fault> expected_fault_;
};

// A group's lanes as the unit may take them: up to the first completion or refusal.
Cause Judge(const Group& group, Source source);

}  // namespace muster::mb

#endif  // MUSTER_TB_UNIT_MBARRIER_BENCH_H_
