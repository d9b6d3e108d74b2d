// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Hand-written traces for the golden model of mbarrier, in the manner of trace.h: an operation a
// line, and after the arrow everything that it does.
//
//   launch 0: 0 1 2 3            the core's own lines, as in trace.h: also exit and SYNC
//   0: init [0x40], 4            lane 0 of warp 0 of CTA 0; every operation as PTX spells it,
//   1.4: arrive [0x40]           without mbarrier., space and type; warp 4 of CTA 1
//   0: arrive %r, [0x40], 2      a token for the lane's register %r; `_`, or nothing: none wanted;
//                                %%r: the same register for this lane of all warps
//   0: test_wait [0x40], %r      by token; [0x40], 1 with .parity
//   0: try_wait [0x40], %r, 20   with a hint; `part`: other lanes name another word or phase
//   0: cp.async.mbarrier.arrive [0x40]
//   0: pending_count %r -> 3
//   0: arrive [0x40] lanes=0xf   these lanes (all: the whole warp)
//   0: arrive [0x40] out         at the word of another CTA: what becomes of it where it leaves
//   remote 0: arrive [0x40]      at CTA 0's word, from another CTA
//   async 0: complete_tx [0x40], 16   by a copy engine; also arrive
//   store 0: [0x40] 0x123        an ordinary store; restore: the same, of an mbarrier saved before
//   load 0: [0x40] -> 0x123      an ordinary load
//   expire 2                     the time limit of warp 2 has passed
//   suspend 0
//   end 0                        # and comments; a line that ends with \ goes on in the next
//
// After the arrow, in this order:
//
//   fault CAUSE                  for all lanes, or those that follow: lanes=0x8; nothing has
//   changed p0 3/4 tx -16                the word: parity of the phase, pending/expected, tx-count
//   unless 0 turns p1 4/4                 a phase completed; `turns 2 times`: as many token p0 4/4
//   the word that the lane gets; `tokens` of several lanes, with commas true, false, parks a wait
//   answers true to 1 2          parked warps
//   hazard NAME
//
// Each line is also carried out lane by lane, with the same outcome.
#ifndef MUSTER_TB_GOLDEN_MBARRIER_TRACE_H_
#define MUSTER_TB_GOLDEN_MBARRIER_TRACE_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "sim/golden/mbarrier.h"
#include "sim/golden/model.h"
#include "sim/isa/effects.h"
#include "sim/isa/mbarrier_operation.h"

namespace muster::golden {

class MbTrace {
 public:
  static constexpr std::uint32_t kSmemBytes = 1024;

  MbTrace();

  // Steps through the lines of the text. Each difference is a GoogleTest failure with its line.
  void Run(std::string_view text);

  const Mbarriers& mbarriers() const { return mbarriers_; }

 private:
  struct Line {
    std::string mnemonic;
    std::string name;  // of a register
    MbOperation operation;
  };

  void RunLine(const std::string& line);
  // What the line does, in the words of the trace.
  std::string Carry(const std::string& text);
  std::string CarryOperation(const std::string& text);
  Line ParseLine(const std::string& text) const;
  std::uint64_t Register(const std::string& name, std::uint32_t lanes) const;
  std::string Leave(const std::string& text);
  void CheckLaneByLane(const MbOperation& operation, const MbEffects& effects,
                       Mbarriers before) const;
  std::string StateText(const Mbarriers& mbarriers) const;

  Model core_;
  Mbarriers mbarriers_;
  std::map<std::pair<std::string, unsigned>, std::uint64_t> registers_;  // by name and lane
};

}  // namespace muster::golden

#endif  // MUSTER_TB_GOLDEN_MBARRIER_TRACE_H_
