// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// What a barrier unit with an interface of its own must offer to be checked: a table of what it
// has, and a translation between its pins and operations. README.md shows how to write one.
#ifndef MUSTER_TB_ADAPTERS_ADAPTER_H_
#define MUSTER_TB_ADAPTERS_ADAPTER_H_

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "sim/isa/mbarrier_operation.h"
#include "sim/isa/operation.h"

namespace muster::adapters {

// What the unit has. The traffic presents nothing else.
struct Features {
  const char* name = "";
  unsigned warps = 0;
  unsigned ctas = 0;
  unsigned lanes = 4;  // of a warp, 4 to 32; counts are of threads

  unsigned barriers = 0;    // named barriers of a CTA, 0 to 16
  bool all_warps = false;   // a barrier of all warps of the CTA
  bool counts = false;      // a barrier of a number of warps
  bool arrivals = false;    // a warp arrives and goes on
  bool phases = false;      // it is told the phase, and may wait for it later
  bool reductions = false;  // and, or, popc
  bool exits = false;       // a warp that has exited is not waited for
  bool joins = false;       // warps of a CTA are launched one after the other
  bool late_joins = false;  // and use barriers, or exit, before all are
  bool odd_counts = false;  // a count that is no multiple of `lanes` is refused, and reported

  unsigned words = 0;             // mbarriers of a CTA
  unsigned most_arrivals = 0;     // of a phase
  unsigned arrivals_at_once = 1;  // of an arrive by a warp
  bool transactions = false;      // expect_tx, complete_tx
  unsigned most_bytes = 0;        // that a phase may lack
  unsigned bytes_at_once = 0;     // of a complete_tx
  bool early_bytes = false;       // complete_tx may come before its expect_tx
  bool remote = false;            // other CTAs arrive
  bool early_arrivals = false;    // an arrival is held up while its phase lacks transactions alone
  bool shown = false;             // State() is there

  // Bounds, in cycles. If a unit promises a constant latency, the first two are the same.
  unsigned release_from = 0;    // from effect to release, answer, report: the least
  unsigned release_within = 0;  // the same, the most
  unsigned accept_within = 0;   // from presented to accepted, and from there to effect
  unsigned shown_after = 0;     // from effect to the word of State()
};

// What may be left out, by name.
inline constexpr std::array<std::pair<const char*, bool Features::*>, 14> kSwitches = {{
    {"all_warps", &Features::all_warps},
    {"counts", &Features::counts},
    {"arrivals", &Features::arrivals},
    {"phases", &Features::phases},
    {"reductions", &Features::reductions},
    {"exits", &Features::exits},
    {"joins", &Features::joins},
    {"late_joins", &Features::late_joins},
    {"odd_counts", &Features::odd_counts},
    {"transactions", &Features::transactions},
    {"early_bytes", &Features::early_bytes},
    {"remote", &Features::remote},
    {"early_arrivals", &Features::early_arrivals},
    {"shown", &Features::shown},
}};

// And what may be set.
inline constexpr std::array<std::pair<const char*, unsigned Features::*>, 8> kNumbers = {{
    {"warps", &Features::warps},
    {"ctas", &Features::ctas},
    {"barriers", &Features::barriers},
    {"words", &Features::words},
    {"most_arrivals", &Features::most_arrivals},
    {"most_bytes", &Features::most_bytes},
    {"release_within", &Features::release_within},
    {"accept_within", &Features::accept_within},
}};

enum class Port : std::uint8_t { kWarps, kTransactions, kLifecycle };
inline constexpr unsigned kPorts = 3;

// An operation of a program. `named` is a sync, arrive, arrive with phase, reduction, wait, exit,
// open or join; `word` an init, arrive, expect_tx or try_wait with parity by lane 0 of a warp, or a
// complete_tx or arrive from elsewhere.
struct Step {
  unsigned id = 0;     // its place in the program as it was drawn
  unsigned delay = 0;  // cycles between the end of the operation before, of the same warp or
                       // source, and this one
  Port port = Port::kWarps;
  bool at_word = false;  // which of the two:
  Operation named;
  MbOperation word;

  unsigned cta() const { return at_word ? word.cta : named.cta; }
  unsigned warp() const { return at_word ? word.warp : named.warp; }
  unsigned index() const { return word.addr / 8; }  // of the mbarrier in its CTA
};

// What the unit did in a cycle.
struct Seen {
  struct Release {
    unsigned warp = 0;
    std::uint32_t value = 0;  // of a reduction
  };
  struct Answer {
    unsigned warp = 0;
    bool phase = false;
  };

  std::array<bool, kPorts> accepted{};  // what was presented
  std::vector<unsigned> effective;      // operations that took effect, by id, in their order
  std::vector<Answer> answers;          // phases of arrivals, no sooner than their effect
  std::vector<Release> releases;
  std::vector<unsigned> refused;  // warps whose operation was reported as misuse
};

// An mbarrier as a debugger sees it.
struct WordState {
  bool phase = false;
  unsigned pending = 0;
  int bytes = 0;
};

class Adapter {
 public:
  explicit Adapter(const Features& features) : features_(features) {}
  Adapter(const Adapter&) = delete;
  Adapter& operator=(const Adapter&) = delete;
  virtual ~Adapter() = default;

  const Features& features() const { return features_; }
  // To leave out some of what the unit has.
  Features* mutable_features() { return &features_; }

  virtual void Reset() = 0;
  // A cycle in which these are presented, by Port; null: nothing. What is presented stays until it
  // is accepted.
  virtual void Cycle(const std::array<const Step*, kPorts>& presented, Seen* seen) = 0;
  // Where the unit shows its mbarriers.
  virtual WordState State(unsigned /*cta*/, unsigned /*index*/) { return {}; }

 private:
  Features features_;
};

}  // namespace muster::adapters

#endif  // MUSTER_TB_ADAPTERS_ADAPTER_H_
