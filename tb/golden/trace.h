// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Hand-written traces for the golden model, an operation a line, and after the arrow everything
// that it does: a line without an arrow must do nothing that can be seen. traces/cta has most.
//
//   launch 0: 0 1 2 3            CTA slot 0 with warps 0 to 3 (`size 6`: it once had six)
//   open 0 size 4                CTA slot 0 for four warps, which are still to join
//   3: join lanes=0xf            warp 3 becomes live in CTA 0, with these lanes (else with all)
//   0: SYNC 1,64                 warp 0 of CTA 0, barrier 1, count 64 (`SYNC 1`: all warps)
//   1.4: ARV 1,64                warp 4 of CTA 1
//   2: RED.POPC 3,128 p=0xff     with the predicate of each lane; also RED.AND, RED.OR
//   1: ARV.PHASE 1,64            OpArrivePhase
//   1: WAIT 1,0                  OpWait at barrier 1 for phase 0
//   2: SYNC 1 lanes=0xf          only these lanes take part (exit: only these lanes exit)
//   2: B2R.BAR 3                 also B2R.WARP, B2R.RESULT
//   2: R2B.BAR 3 popc 1/4 17     or the word in hexadecimal
//   2: R2B.BAR 3 idle phase 1
//   2: R2B.WARP popc 17 of 3 waits 5
//   2: R2B.WARP none waits 5 apart
//   2: exit
//   suspend 0
//   end 0                        # and comments
//
// After the arrow, in this order:
//
//   fault CAUSE                  refused; nothing has changed (which every fault is checked for)
//   popc 1/4 17                  the entry: kind, arrived/expected warps (or `all`), value unless
//   0. Its
//                                phase is shown only where B2R.BAR or R2B.BAR has it; each line
//                                checks that completions, and nothing else, change it
//   completes                    the generation completes, and the entry is idle again
//   bar 3 completes              the same at an exit, which names no barrier
//   idle                         R2B.BAR wrote zeroes
//   release 0 1 with popc 17     these warps may go on; nothing after `release` warps: SYNC
//   releases nobody              completed by arrivals that do not wait
//   reads VALUE                  a response: B2R.BAR as an entry, B2R.WARP as for R2B.WARP
//                                ("none": no reduction yet), B2R.RESULT as a number or `true`,
//                                ARV.PHASE as a number
//   hazard NAME
#ifndef MUSTER_TB_GOLDEN_TRACE_H_
#define MUSTER_TB_GOLDEN_TRACE_H_

#include <array>
#include <bitset>
#include <string>
#include <string_view>

#include "sim/golden/model.h"
#include "sim/isa/config.h"
#include "sim/isa/effects.h"
#include "sim/isa/operation.h"

namespace muster::golden {

class Trace {
 public:
  explicit Trace(std::string_view config = "small");
  explicit Trace(const Config& config);

  // Steps through the lines of the text. Each difference is a GoogleTest failure with its line.
  void Run(std::string_view text);

  const Model& model() const { return model_; }

 private:
  void RunLine(const std::string& line);
  void ExpectPhases(const Operation& operation, const Effects& effects);

  const Config config_;
  Model model_;
  std::array<std::bitset<kNumBars>, kMaxCtas> phases_;  // what they must be
};

// The operation of a line, without the arrow and what follows.
Operation ParseOperation(const std::string& text);

// What comes after the arrow.
std::string Describe(const Operation& operation, const Effects& effects);

}  // namespace muster::golden

#endif  // MUSTER_TB_GOLDEN_TRACE_H_
