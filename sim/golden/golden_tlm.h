// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The golden model as a SystemC TLM-2.0 target: loosely timed, temporally decoupled, no clock. An
// initiator that runs ahead of SystemC time sends the operations that committed in one cycle in one
// transport and reads the effects when it returns.
#ifndef MUSTER_SIM_GOLDEN_GOLDEN_TLM_H_
#define MUSTER_SIM_GOLDEN_GOLDEN_TLM_H_

#include <tlm_utils/simple_target_socket.h>

#include <systemc>
#include <tlm>

#include "sim/golden/mbarrier.h"
#include "sim/golden/model.h"
#include "sim/isa/config.h"
#include "sim/isa/effects.h"
#include "sim/isa/mbarrier_operation.h"
#include "sim/isa/operation.h"

namespace muster::golden {

// What a payload's data pointer points to: what has happened to mbarriers, and then the operations
// on named barriers that committed, in order. Each has a place for its effects.
struct Batch {
  const MbEvent* events = nullptr;
  MbEffects* event_effects = nullptr;
  unsigned event_count = 0;
  const Operation* operations = nullptr;
  Effects* effects = nullptr;
  unsigned count = 0;
};

class Target : public sc_core::sc_module {
 public:
  // `cycle` is what one transport adds to the initiator's local time.
  Target(const sc_core::sc_module_name& name, const Config& config, const sc_core::sc_time& cycle);

  // Takes write commands to address 0 whose data is one Batch.
  tlm_utils::simple_target_socket<Target> socket;

  const Model& model() const { return model_; }
  const Mbarriers& mbarriers() const { return mbarriers_; }
  void Reset() {
    model_.Reset();
    mbarriers_.Reset();
  }

 private:
  void Transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);

  Model model_;
  Mbarriers mbarriers_;
  sc_core::sc_time cycle_;
};

// Makes *payload carry *batch to a Target. Once is enough for many transports.
void Prepare(Batch* batch, tlm::tlm_generic_payload* payload);

}  // namespace muster::golden

#endif  // MUSTER_SIM_GOLDEN_GOLDEN_TLM_H_
