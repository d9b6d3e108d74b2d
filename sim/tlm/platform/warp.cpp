// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/tlm/platform/warp.h"

#include <utility>

#include "sim/tlm/platform/router.h"

namespace muster::platform {
namespace {

constexpr std::uint32_t kAllLanes = ~std::uint32_t{0};

void ExpectOk(const ::tlm::tlm_generic_payload& payload, const std::string& why) {
  if (!payload.is_response_ok()) {
    SC_REPORT_FATAL("platform", (payload.get_response_string() + ": " + why).c_str());
  }
}

}  // namespace

Warp::Warp(const sc_core::sc_module_name& name, unsigned slot, Program program,
           const sc_core::sc_event& start)
    : sc_core::sc_module(name),
      socket("socket"),
      releases("releases"),
      answers("answers"),
      slot_(slot),
      program_(std::move(program)),
      start_(start),
      transaction_(kUnitBase) {
  SC_HAS_PROCESS(Warp);
  SC_THREAD(Run);
}

void Warp::Run() {
  wait(start_);
  keeper_.reset();
  program_(this);
  keeper_.sync();
  done_ = true;
}

// ------------------------------------------------------------------------------------------------
// What does not wait: the warp runs ahead of SystemC's time, until its quantum is used up
// ------------------------------------------------------------------------------------------------

void Warp::Compute(const sc_core::sc_time& time) {
  keeper_.inc(time);
  if (keeper_.need_sync()) {
    keeper_.sync();
  }
}

void Warp::Store(std::uint64_t address, std::vector<std::uint32_t> words) {
  Access(::tlm::TLM_WRITE_COMMAND, address, &words);
}

std::vector<std::uint32_t> Warp::Load(std::uint64_t address, std::size_t count) {
  std::vector<std::uint32_t> words(count);
  Access(::tlm::TLM_READ_COMMAND, address, &words);
  return words;
}

void Warp::Access(::tlm::tlm_command command, std::uint64_t address,
                  std::vector<std::uint32_t>* words) {
  const auto bytes = static_cast<unsigned>(words->size() * sizeof(std::uint32_t));
  ::tlm::tlm_generic_payload payload;
  payload.set_command(command);
  payload.set_address(kMemoryBase + address);
  payload.set_data_ptr(reinterpret_cast<unsigned char*>(words->data()));
  payload.set_data_length(bytes);
  payload.set_streaming_width(bytes);
  sc_core::sc_time local = keeper_.get_local_time();
  socket->b_transport(payload, local);
  ExpectOk(payload, "an access to memory");
  keeper_.set(local);
  if (keeper_.need_sync()) {
    keeper_.sync();
  }
}

void Warp::Send(tlm::BarrierTransaction* transaction) {
  sc_core::sc_time local = keeper_.get_local_time();
  ::tlm::tlm_generic_payload& payload = transaction->Prepared();
  socket->b_transport(payload, local);
  ExpectOk(payload, transaction->extension().refusal());
  keeper_.set(local);
}

MbEffects Warp::Ask(MbOperation operation) {
  operation.warp = static_cast<std::uint8_t>(slot_);
  transaction_.extension().Clear();
  transaction_.extension().Add(operation);
  Send(&transaction_);
  return *transaction_.extension().mb_effects();
}

void Warp::Init(std::uint32_t mbarrier, std::uint32_t arrivals) {
  MbOperation init;
  init.op = MbOp::kInit;
  init.lanes = 1;
  init.addr = mbarrier;
  init.operand = arrivals;
  Ask(init);
}

void Warp::Arrive(std::uint32_t mbarrier) {
  MbOperation arrive;
  arrive.op = MbOp::kArrive;
  arrive.lanes = kAllLanes;
  arrive.addr = mbarrier;
  arrive.operand = 1;
  Ask(arrive);
}

// ------------------------------------------------------------------------------------------------
// What waits: SystemC's time is the warp's own before and after it
// ------------------------------------------------------------------------------------------------

void Warp::WaitFor(std::uint32_t mbarrier, bool parity, Place place) {
  MbOperation wait_for;
  wait_for.op = MbOp::kTryWaitParity;
  wait_for.lanes = kAllLanes;
  wait_for.addr = mbarrier;
  wait_for.phase = parity;
  // As programs do: a try_wait whose time limit passes is tried again.
  for (bool complete = false; !complete;) {
    keeper_.sync();
    const MbEffects effects = Ask(wait_for);
    complete = effects.complete == kAllLanes;
    if (effects.parked != 0) {
      Block(
          place, [this] { return answers->parked(slot_); }, answers->answered(slot_));
      complete = answers->latest_answer(slot_).complete;
    }
  }
}

void Warp::Sync(unsigned bar) { All(bar, true); }

bool Warp::All(unsigned bar, bool predicate) {
  Operation red;
  red.kind = OpKind::kRedAnd;
  red.warp = static_cast<std::uint8_t>(slot_);
  red.bar = static_cast<std::uint8_t>(bar);
  red.lanes = kAllLanes;
  red.operand = predicate ? kAllLanes : 0;
  keeper_.sync();
  transaction_.extension().Clear();
  transaction_.extension().Add(red);
  Send(&transaction_);
  Block(
      Place::kBarrier, [this] { return releases->waits(slot_); }, releases->released(slot_));
  return releases->latest_release(slot_).predicate();
}

void Warp::Block(Place place, const std::function<bool()>& waits, const sc_core::sc_event& end) {
  since_ = sc_core::sc_time_stamp();
  const auto at = static_cast<std::size_t>(place);
  waiting_[at] = true;
  while (waits()) {
    wait(end);
  }
  waiting_[at] = false;
  ++waits_[at].count;
  waits_[at].total += sc_core::sc_time_stamp() - since_;
  keeper_.reset();
}

void Warp::Trace(sc_core::sc_trace_file* file) const {
  constexpr std::array<const char*, kPlaces> kNames = {"full", "empty", "barrier"};
  for (std::size_t place = 0; place < kPlaces; ++place) {
    sc_core::sc_trace(file, waiting_[place],
                      std::string(basename()) + ".waits_at_" + kNames[place]);
  }
}

}  // namespace muster::platform
