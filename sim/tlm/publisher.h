// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// What a BarrierUnit shows by itself: releases, answers and faults, each at its time. A release is
// computed when the last arrival is transported, which is before its time; it is kept here until
// SystemC's time has come that far.
#ifndef MUSTER_SIM_TLM_PUBLISHER_H_
#define MUSTER_SIM_TLM_PUBLISHER_H_

#include <cstddef>
#include <cstdint>
#include <systemc>
#include <tlm>
#include <variant>
#include <vector>

#include "sim/golden/mbarrier.h"
#include "sim/golden/model.h"
#include "sim/isa/effects.h"
#include "sim/tlm/wake_ports.h"

namespace muster::tlm {

class Publisher : public sc_core::sc_module, public ReleaseIf, public AnswerIf {
 public:
  // For warps 0 to num_warps - 1. The models know which of them wait.
  Publisher(const sc_core::sc_module_name& name, unsigned num_warps, const golden::Model& model,
            const golden::Mbarriers& mbarriers);

  // At the absolute time `at`, which is not in the past, these wake the warps of a set, answer a
  // warp, and report a fault. What is due at one time is shown in the order of the calls.
  void Wake(const sc_core::sc_time& at, golden::WarpSet warps, const Release& release);
  void Give(const sc_core::sc_time& at, const MbAnswer& answer);
  void Report(const sc_core::sc_time& at, const Fault& fault);

  // Forgets what is not shown yet, and the latest releases and answers.
  void Reset();

  // ReleaseIf
  const sc_core::sc_event& released(unsigned warp) const override {
    return warps_[warp].released.Ask();
  }
  bool waits(unsigned warp) const override;
  const Release& latest_release(unsigned warp) const override { return warps_[warp].release; }
  // AnswerIf
  const sc_core::sc_event& answered(unsigned warp) const override {
    return warps_[warp].answered.Ask();
  }
  bool parked(unsigned warp) const override;
  const Answer& latest_answer(unsigned warp) const override { return warps_[warp].answer; }

  ::tlm::tlm_analysis_port<Fault> faults;

 private:
  struct Released {
    golden::WarpSet warps = 0;
    Release release;
  };
  struct Answered {
    std::uint8_t warp = 0;
    Answer answer;
  };
  struct Entry {
    sc_core::sc_time at;
    std::variant<Released, Answered, Fault> what;
  };
  // An event that costs nothing while no process can wait for it.
  class Notice {
   public:
    const sc_core::sc_event& Ask() const;
    // Notifies a delta cycle after this one, `now`, so that who is about to wait is woken too.
    void Give(std::uint64_t now);

   private:
    mutable sc_core::sc_event event_;
    mutable bool asked_ = false;
    std::uint64_t given_in_ = ~std::uint64_t{0};  // the delta cycle, until a process has asked
  };
  struct Warp {
    Notice released;
    Notice answered;
    Release release;
    Answer answer;
    unsigned releases_due = 0;
    unsigned answers_due = 0;
  };

  void Keep(const sc_core::sc_time& at, const std::variant<Released, Answered, Fault>& what);
  void ShowDue();
  void Show(const Released& released);
  void Show(const Answered& answered);
  void Show(const Fault& fault) { faults.write(fault); }

  const golden::Model& model_;
  const golden::Mbarriers& mbarriers_;
  std::vector<Warp> warps_;  // by slot
  std::vector<Entry> kept_;  // in order of time, and at one time of the calls
  std::size_t shown_ = 0;    // so many of these, from the first on, are shown already
  sc_core::sc_event due_;
};

}  // namespace muster::tlm

#endif  // MUSTER_SIM_TLM_PUBLISHER_H_
