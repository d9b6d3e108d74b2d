// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// clang-format off
// Hand-written traces for the golden model of mbarriers. Like the traces of trace.h, they have one
// operation per line, followed by an arrow and everything that the operation does; a line without
// an arrow must do nothing that can be seen. Each operation is also carried out lane by lane, and
// must then have the same outcome.
//
// An operation is spelled as in PTX, without `mbarrier.`, the state space and the type:
//
//   0: init [0x40], 4                 lane 0 of warp 0 of CTA 0 initializes the word at 0x40
//   1.4: arrive [0x40]                lane 0 of warp 4 of CTA 1
//   0: arrive [0x40] lanes=0xf        these lanes; `lanes=all`: the whole warp
//   0: arrive [0x40] behind=0x2       others of the instruction arrive there after them
//   0: arrive %r, [0x40], 2           each lane's token goes to its register %r of this warp
//   0: arrive %%r, [0x40]             the same, to a register that all warps share
//   0: arrive _, [0x40]               no token is wanted; nor is it without `_,`
//   0: pending_count %r -> 3          the pending count of a token
//   0: test_wait [0x40], %r           waits for the phase of a token
//   0: test_wait [0x40], 1            waits by parity (PTX: test_wait.parity)
//   0: try_wait [0x40], %r, 20        with a time hint
//   0: try_wait [0x40], 1 part        other lanes of the instruction name another word or phase
//   0: cp.async.mbarrier.arrive [0x40]
//   0: init.v1 [0x40], 4              of layout v1 (PTX: init.layout::v1)
//   0: check_layout [0x40], 1         whether the layout is v1
//   0: test_wait.parity.conditional [0x40], 1     waits for the conditional phase; likewise try_wait
//   async 0: report_on [0x40], 0x12   a copy engine reports
//   0: arrive [0x40] out              outbound: the word belongs to another CTA
//   remote 0: arrive [0x40]           inbound: another CTA arrives at a word of CTA 0
//   async 0: complete_tx [0x40], 16   a copy engine completes 16 bytes, or arrives
//
// Other lines:
//
//   launch 0: 0 1 2 3                 these, and SYNC and exit of a warp, are as in trace.h
//   suspend 0
//   end 0
//   store 0: [0x40] 0x123             a core stores to a word of CTA 0
//   restore 0: [0x40] 0x123           the word of an mbarrier that was saved before is written back
//   load 0: [0x40] -> 0x123           a core loads the word
//   expire 2                          the time limit of the parked wait of warp 2 passes
//   # a comment                       (a line that ends with \ continues in the next one)
//
// After the arrow, in this order:
//
//   fault CAUSE                       all lanes are refused, and the word is not written
//   fault CAUSE lanes=0x8             these lanes are refused
//   completes                         one phase completes
//   completes 2 phases                two phases complete
//   p0 3/4 tx -16                     the word written: parity of the phase, pending/expected count,
//                                     and the tx-count unless it is 0
//   token p0 4/4                      the token that the lane gets
//   tokens p0 4/4, p0 3/4             the tokens of several lanes
//   true, false, or parks             the outcome of a wait
//   answers true to 1 2               the parked waits of these warps are answered
//   hazard NAME                       this hazard is reported
// clang-format on
#ifndef MUSTER_TB_GOLDEN_MBARRIER_TRACE_H_
#define MUSTER_TB_GOLDEN_MBARRIER_TRACE_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "sim/golden/mbarrier.h"
#include "sim/golden/model.h"
#include "sim/isa/config.h"
#include "sim/isa/effects.h"
#include "sim/isa/mbarrier_operation.h"

namespace muster::golden {

class MbTrace {
 public:
  static constexpr std::uint32_t kSmemBytes = 1024;

  explicit MbTrace(std::string_view config = "small");
  explicit MbTrace(const Config& config);  // with two CTAs; of more, only the first two are used

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
  bool layouts_;
  Mbarriers mbarriers_;
  std::map<std::pair<std::string, unsigned>, std::uint64_t> registers_;  // by name and lane
};

}  // namespace muster::golden

#endif  // MUSTER_TB_GOLDEN_MBARRIER_TRACE_H_
