// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// What a BarrierUnit shows by itself: releases, answers and faults, each at its time. A release is
// computed when the last arrival is transported, which is before its time; it is kept here until
// SystemC's time has come that far.
#ifndef MUSTER_SIM_TLM_PUBLISHER_H_
#define MUSTER_SIM_TLM_PUBLISHER_H_

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
  const sc_core::sc_event& released(unsigned warp) const override { return warps_[warp].released; }
  bool waits(unsigned warp) const override;
  const Release& latest_release(unsigned warp) const override { return warps_[warp].release; }
  // AnswerIf
  const sc_core::sc_event& answered(unsigned warp) const override { return warps_[warp].answered; }
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
    std::uint64_t number = 0;  // by which entries of one time are in order
    std::variant<Released, Answered, Fault> what;
  };
  struct Warp {
    sc_core::sc_event released;
    sc_core::sc_event answered;
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
  static bool IsLater(const Entry& a, const Entry& b) {
    return a.at != b.at ? a.at > b.at : a.number > b.number;
  }

  const golden::Model& model_;
  const golden::Mbarriers& mbarriers_;
  std::vector<Warp> warps_;  // by slot
  std::vector<Entry> kept_;  // a heap: the earliest is in front
  std::uint64_t next_number_ = 0;
  sc_core::sc_event due_;
};

}  // namespace muster::tlm

#endif  // MUSTER_SIM_TLM_PUBLISHER_H_
