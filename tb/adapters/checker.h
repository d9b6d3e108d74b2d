// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Judges what a unit does by the golden model, which carries out each operation when it takes
// effect: no warp is released early, late, twice or never, and each gets the right result.
#ifndef MUSTER_TB_ADAPTERS_CHECKER_H_
#define MUSTER_TB_ADAPTERS_CHECKER_H_

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "sim/golden/mbarrier.h"
#include "sim/golden/model.h"
#include "sim/isa/effects.h"
#include "tb/adapters/adapter.h"
#include "tb/adapters/traffic.h"

namespace muster::adapters {

enum class Wrong : std::uint8_t {
  kNothing,
  kEarly,   // released while it had to wait
  kTwice,   // released again
  kLate,    // not released, answered, reported, accepted or carried out in time
  kResult,  // released with another result
  kAnswer,  // told another phase, or not asked
  kReport,  // reported, though there was no misuse
  kMisuse,  // accepted, though it was misuse
  kState,   // an mbarrier holds something else
  kVacuous  // of a regression: it has tested nothing of something
};
const char* Name(Wrong wrong);

struct Failure {
  Wrong wrong = Wrong::kNothing;
  unsigned cycle = 0;
  std::string where;  // warp, CTA, barrier
  std::string expected;
  std::string got;
};

// What a run has tested.
struct Tally {
  unsigned waited = 0;  // for another warp, at a named barrier
  unsigned reduced = 0, completed_by_arrival = 0, completed_by_exit = 0, before_all_joined = 0;
  unsigned repeated = 0;  // arrivals of a warp that has arrived already
  unsigned answered = 0, waited_for_phase = 0, waited_for_phase_1 = 0, refused = 0;
  unsigned two_ctas = 0;  // a completion while warps of another CTA wait
  unsigned parked = 0, completed_by_bytes = 0, bytes_first = 0, remote = 0, held = 0;

  void Add(const Tally& other);
  // What the unit has, and the run has not tested: in words, or empty.
  std::string Missing(const Features& features) const;
};

class Checker {
 public:
  explicit Checker(const Features& features);

  const golden::Model& core() const { return core_; }
  const golden::Mbarriers& words() const { return words_; }
  const Tally& tally() const { return tally_; }
  void CountHeld() { ++tally_.held; }
  const Failure& failure() const { return failure_; }

  void Start(const Program& program);
  // The warp has nothing outstanding.
  bool IsIdle(unsigned warp) const;
  bool NothingIsDue() const;
  // The phase that the warp was told last at this barrier.
  bool PhaseTold(unsigned warp, unsigned bar) const { return told_[warp][bar]; }

  // What the unit did in this cycle. Each returns false if it is wrong.
  bool Effect(unsigned cycle, const Step& step);
  bool Release(unsigned cycle, const Seen::Release& release);
  bool Answer(unsigned cycle, const Seen::Answer& answer);
  bool Refused(unsigned cycle, unsigned warp);
  bool EndOfCycle(unsigned cycle, Adapter* adapter);
  // An operation that waits at a port, or in the unit, for so long.
  bool Late(unsigned cycle, const Step& step, const char* what, unsigned within);

 private:
  struct Due {
    unsigned since = 0;
    std::string where;
    bool has_value = false;
    std::uint32_t value = 0;  // of a reduction; or the phase
  };
  using Dues = std::array<std::optional<Due>, kMaxWarps>;

  bool Fail(Wrong wrong, unsigned cycle, std::string where, std::string expected, std::string got);
  bool EffectNamed(unsigned cycle, const Step& step);
  bool EffectAtWord(unsigned cycle, const Step& step);
  void CountNamed(const Step& step, const Effects& effects);
  void CountAtWord(const Step& step, const MbEffects& effects);
  bool OnTime(unsigned cycle, unsigned warp, const char* what, Dues* dues);
  bool CheckDues(unsigned cycle, const Dues& dues, const char* what);
  std::string WhereIs(unsigned warp) const;

  const Features features_;
  golden::Model core_;
  golden::Mbarriers words_;
  Tally tally_;
  Failure failure_;
  Dues releases_, answers_, reports_;
  std::array<std::string, kMaxWarps> at_;   // where the warp's latest operation is
  std::array<bool, kMaxWarps> released_{};  // since that
  std::array<std::array<bool, kNumBars>, kMaxWarps> told_{};
  std::map<std::pair<unsigned, unsigned>, unsigned>
      touched_;  // CTA and mbarrier: the latest effect
};

}  // namespace muster::adapters

#endif  // MUSTER_TB_ADAPTERS_CHECKER_H_
