// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// muster::tlm: the example of sim/tlm/README.md, with two warps, each on a unit of its own.
#include <tlm_utils/simple_initiator_socket.h>

#include <cstdio>
#include <systemc>
#include <tlm>

#include "sim/isa/config.h"
#include "sim/tlm/barrier_unit.h"

struct Warp : sc_core::sc_module {
  tlm_utils::simple_initiator_socket<Warp> socket{"socket"};
  sc_core::sc_port<muster::tlm::ReleaseIf> releases{"releases"};
  muster::Operation launch, sync;
  bool released = false;

  explicit Warp(const sc_core::sc_module_name& name) : sc_module(name) {
    launch.kind = muster::OpKind::kLaunch;  // a CTA of this warp alone
    launch.warps = launch.size = 1;
    sync.kind = muster::OpKind::kSync;
    sync.bar = 1;
    sync.lanes = 0xffffffff;
    SC_HAS_PROCESS(Warp);
    SC_THREAD(Run);
  }
  void Run() {
    muster::tlm::BarrierTransaction transaction;  // payload and extension; reused at will
    sc_core::sc_time local;  // ahead of SystemC's time, as a quantum keeper has it
    for (const muster::Operation& operation : {launch, sync}) {
      transaction.extension().Clear();
      transaction.extension().Add(operation);
      socket->b_transport(transaction.Prepared(), local);
      sc_assert(transaction.ok());
      sc_assert(transaction.extension().effects()->fault == muster::FaultCause::kNone);
    }
    while (releases->waits(sync.warp)) wait(releases->released(sync.warp));
    released = true;
  }
};

int sc_main(int /*argc*/, char* /*argv*/[]) {
  const muster::Config& config = *muster::FindConfig("small");
  muster::tlm::BarrierUnit unit0("unit0", config), unit1("unit1", config);
  Warp warp0("warp0"), warp1("warp1");
  warp0.socket.bind(unit0.socket);
  warp1.socket.bind(unit1.socket);
  warp0.releases.bind(unit0.releases);
  warp1.releases.bind(unit1.releases);
  sc_core::sc_start();
  std::puts(sc_core::sc_time_stamp().to_string().c_str());
  return warp0.released && warp1.released ? 0 : 1;
}
