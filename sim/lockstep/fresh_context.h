// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Several runs of SystemC in one process.
#ifndef MUSTER_SIM_LOCKSTEP_FRESH_CONTEXT_H_
#define MUSTER_SIM_LOCKSTEP_FRESH_CONTEXT_H_

#include <memory>
#include <systemc>

namespace muster::lockstep {

// A second elaboration in one process needs a simulation context of its own: this one, as long as
// it lives. Only harnesses and tests, which run whole simulations as one runs a function, use it;
// sim/tlm works in whatever context there is.
class FreshContext {
 public:
  FreshContext()
      : before_{sc_core::sc_curr_simcontext, sc_core::sc_default_global_context},
        context_(std::make_unique<sc_core::sc_simcontext>()) {
    sc_core::sc_curr_simcontext = context_.get();
    sc_core::sc_default_global_context = context_.get();
  }
  FreshContext(const FreshContext&) = delete;
  FreshContext& operator=(const FreshContext&) = delete;
  ~FreshContext() {
    sc_core::sc_curr_simcontext = before_.current;
    sc_core::sc_default_global_context = before_.global;
  }

 private:
  const struct {
    sc_core::sc_simcontext* current;
    sc_core::sc_simcontext* global;
  } before_;
  std::unique_ptr<sc_core::sc_simcontext> context_;
};

}  // namespace muster::lockstep

#endif  // MUSTER_SIM_LOCKSTEP_FRESH_CONTEXT_H_
