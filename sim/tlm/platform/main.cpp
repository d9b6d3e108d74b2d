// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// A virtual platform with a barrier unit: four warps, a memory and a unit around a router. Two
// warps produce tiles of data, two consume them, with two buffers in between:
//
//   warps 0, 1 (producers) ──┐             ┌── memory: the two buffers
//   warps 2, 3 (consumers) ──┴── router ───┴── muster::tlm::BarrierUnit
//
// An mbarrier for each buffer says that it is full, another that it is empty. In the end all warps
// meet at a named barrier, a reduction, which says whether all consumers found what they should.
//
//   tlm_platform [FILE.vcd]    a table of who waited where and how long; and a waveform
//
// Exit code 0: the run ended as it should. 1: it did not. 2: the waveform cannot be written.
#include <fmt/format.h>
#include <sysc/tracing/sc_tracing_ids.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <memory>
#include <numeric>
#include <string>
#include <systemc>
#include <vector>

#include "sim/isa/config.h"
#include "sim/isa/state_word.h"
#include "sim/tlm/barrier_unit.h"
#include "sim/tlm/platform/memory.h"
#include "sim/tlm/platform/router.h"
#include "sim/tlm/platform/warp.h"

namespace muster::platform {
namespace {

constexpr unsigned kWarps = 4;
constexpr unsigned kProducers = 2;
constexpr unsigned kTiles = 8;
constexpr unsigned kBuffers = 2;
constexpr unsigned kPart = 32;  // words of a tile that a producer writes and a consumer reads
constexpr std::uint64_t kPartBytes = kPart * sizeof(std::uint32_t);
constexpr std::uint64_t kBufferBytes = kProducers * kPartBytes;

// Shared memory of the CTA, above the memory's part: words that only the unit touches.
constexpr auto kMbarriers = static_cast<std::uint32_t>(kMemorySize);
constexpr std::uint32_t Full(unsigned buffer) { return kMbarriers + 16 * buffer; }
constexpr std::uint32_t Empty(unsigned buffer) { return kMbarriers + 16 * buffer + 8; }

// Named barriers.
constexpr unsigned kReady = 0;
constexpr unsigned kVerdict = 1;

sc_core::sc_time Ns(double ns) { return {ns, sc_core::SC_NS}; }

std::uint32_t Value(unsigned tile, unsigned part, unsigned index) {
  return 1000 * tile + 100 * part + index;
}

std::uint64_t PlaceOf(unsigned tile, unsigned part) {
  return tile % kBuffers * kBufferBytes + part * kPartBytes;
}

// The parity of the phase in which a buffer is filled, and emptied, for this tile.
bool ParityOf(unsigned tile) { return tile / kBuffers % 2 != 0; }

void Produce(Warp* warp) {
  const unsigned part = warp->slot();
  if (part == 0) {
    for (unsigned buffer = 0; buffer < kBuffers; ++buffer) {
      warp->Init(Full(buffer), kProducers * kWarpSize);
      warp->Init(Empty(buffer), (kWarps - kProducers) * kWarpSize);
    }
  }
  warp->Sync(kReady);
  for (unsigned tile = 0; tile < kTiles; ++tile) {
    if (tile >= kBuffers) {
      warp->WaitFor(Empty(tile % kBuffers), ParityOf(tile - kBuffers), Place::kEmpty);
    }
    std::vector<std::uint32_t> words(kPart);
    for (unsigned i = 0; i < kPart; ++i) {
      words[i] = Value(tile, part, i);
    }
    warp->Compute(Ns(part == 0 ? 40 : 55));
    warp->Store(PlaceOf(tile, part), words);
    warp->Arrive(Full(tile % kBuffers));
  }
  warp->All(kVerdict, true);
}

void Consume(Warp* warp, bool* right) {
  const unsigned part = warp->slot() - kProducers;
  bool good = true;
  warp->Sync(kReady);
  for (unsigned tile = 0; tile < kTiles; ++tile) {
    warp->WaitFor(Full(tile % kBuffers), ParityOf(tile), Place::kFull);
    const std::vector<std::uint32_t> words = warp->Load(PlaceOf(tile, part), kPart);
    warp->Compute(Ns(part == 0 ? 90 : 60));
    const std::uint32_t sum = std::accumulate(words.begin(), words.end(), 0U);
    good = good && sum == kPart * Value(tile, part, 0) + kPart * (kPart - 1) / 2;
    warp->Arrive(Empty(tile % kBuffers));
  }
  *right = warp->All(kVerdict, good);
}

// Launches the CTA, as the scheduler of a GPU does, and starts its warps.
class Scheduler : public sc_core::sc_module {
 public:
  explicit Scheduler(const sc_core::sc_module_name& name)
      : sc_core::sc_module(name), socket("socket") {
    SC_HAS_PROCESS(Scheduler);
    SC_THREAD(Run);
  }

  tlm_utils::simple_initiator_socket<Scheduler> socket;
  sc_core::sc_event launched;

  // The word of a barrier of CTA 0, as a debugger sees it.
  std::uint32_t Entry(unsigned bar) {
    std::uint32_t word = ~std::uint32_t{0};
    ::tlm::tlm_generic_payload payload;
    payload.set_read();
    payload.set_address(kUnitBase + tlm::DebugMap::kEntries + sizeof(word) * bar);
    payload.set_data_ptr(reinterpret_cast<unsigned char*>(&word));
    payload.set_data_length(sizeof(word));
    payload.set_streaming_width(sizeof(word));
    socket->transport_dbg(payload);
    return word;
  }

 private:
  void Run() {
    tlm::BarrierTransaction transaction(kUnitBase);
    Operation launch;
    launch.kind = OpKind::kLaunch;
    launch.warps = (1U << kWarps) - 1;
    launch.size = kWarps;
    transaction.extension().Add(launch);
    sc_core::sc_time local;
    socket->b_transport(transaction.Prepared(), local);
    wait(local);
    launched.notify();
  }
};

// Says what the unit refuses.
class FaultReport : public sc_core::sc_module, public ::tlm::tlm_analysis_if<tlm::Fault> {
 public:
  explicit FaultReport(const sc_core::sc_module_name& name) : sc_core::sc_module(name) {}
  unsigned count = 0;
  void write(const tlm::Fault& fault) override {
    ++count;
    fmt::print(stderr, "{}: warp {} of CTA {} is refused: {}\n",
               sc_core::sc_time_stamp().to_string(), fault.warp, fault.cta, Name(fault.cause));
  }
};

class Platform : public sc_core::sc_module {
 public:
  Platform(const sc_core::sc_module_name& name, const Config& config)
      : sc_core::sc_module(name),
        router_("router"),
        memory_("memory", kMemorySize, Ns(12)),
        unit_("unit", config),
        scheduler_("scheduler"),
        faults_("faults") {
    router_.to_memory.bind(memory_.socket);
    router_.to_unit.bind(unit_.socket);
    unit_.faults.bind(faults_);
    scheduler_.socket.bind(router_.from);
    for (unsigned slot = 0; slot < kWarps; ++slot) {
      const Warp::Program program =
          IsProducer(slot) ? Warp::Program(Produce) : [this, slot](Warp* warp) {
            Consume(warp, &right_[slot - kProducers]);
          };
      warps_.push_back(std::make_unique<Warp>(fmt::format("warp{}", slot).c_str(), slot, program,
                                              scheduler_.launched));
      warps_.back()->socket.bind(router_.from);
      warps_.back()->releases.bind(unit_.releases);
      warps_.back()->answers.bind(unit_.answers);
    }
  }

  void Trace(sc_core::sc_trace_file* file) const {
    for (const auto& warp : warps_) {
      warp->Trace(file);
    }
  }

  // The table, and whether all is as it should be.
  bool Report() {
    fmt::print("warp  role      at full      at empty     at barriers  waits in all\n");
    for (const auto& warp : warps_) {
      sc_core::sc_time all;
      std::string row =
          fmt::format("{:4}  {}", warp->slot(), IsProducer(warp->slot()) ? "producer" : "consumer");
      for (const Place place : {Place::kFull, Place::kEmpty, Place::kBarrier}) {
        const Waits& waits = warp->waits(place);
        row += fmt::format("  {:5} ns {:2}x", waits.total / Ns(1), waits.count);
        all += waits.total;
      }
      fmt::print("{}  {:5} ns {:4.0f} %\n", row, all / Ns(1),
                 100 * (all / sc_core::sc_time_stamp()));
    }
    bool done = true;
    for (const auto& warp : warps_) {
      done = done && warp->done();
    }
    const bool right = right_[0] && right_[1];
    const auto is_idle = [this](unsigned bar) {
      return DecodeBarWord(scheduler_.Entry(bar)).kind == 0;  // in either phase
    };
    const bool idle = is_idle(kReady) && is_idle(kVerdict);
    fmt::print("{} tiles in {} ns: {}, {}, {} faults\n", kTiles, sc_core::sc_time_stamp() / Ns(1),
               !done   ? "a warp is stuck"
               : right ? "all sums are right"
                       : "a sum is wrong",
               idle ? "all barriers idle" : "a barrier is not idle", faults_.count);
    return done && right && idle && faults_.count == 0;
  }

 private:
  static bool IsProducer(unsigned slot) { return slot < kProducers; }

  Router router_;
  Memory memory_;
  tlm::BarrierUnit unit_;
  Scheduler scheduler_;
  FaultReport faults_;
  std::vector<std::unique_ptr<Warp>> warps_;
  std::array<bool, kWarps - kProducers> right_{};
};

// Runs the platform; with a waveform, if `vcd` names a file.
int Main(const std::string& vcd) {
  if (!vcd.empty() && !std::ofstream(vcd)) {
    fmt::print(stderr, "{}: the waveform cannot be written there\n", vcd);
    return 2;
  }
  sc_core::sc_report_handler::set_actions(sc_core::SC_ID_TRACING_TIMESCALE_UNIT_,
                                          sc_core::SC_DO_NOTHING);
  ::tlm::tlm_global_quantum::instance().set(Ns(50));
  Platform platform("platform", *FindConfig("small"));
  sc_core::sc_trace_file* file = nullptr;
  if (!vcd.empty()) {
    file = sc_core::sc_create_vcd_trace_file(vcd.substr(0, vcd.rfind(".vcd")).c_str());
    file->set_time_unit(1, sc_core::SC_NS);
    platform.Trace(file);
  }
  sc_core::sc_start();
  const bool good = platform.Report();
  if (file != nullptr) {
    sc_core::sc_start(Ns(1));  // a change is written when time goes on
    sc_core::sc_close_vcd_trace_file(file);
  }
  return good ? 0 : 1;
}

}  // namespace
}  // namespace muster::platform

int sc_main(int argc, char* argv[]) {
  const std::string vcd = argc > 1 ? argv[1] : "";
  const bool is_vcd = vcd.size() > 4 && vcd.rfind(".vcd") == vcd.size() - 4;
  if (argc > 2 || (argc == 2 && !is_vcd)) {
    fmt::print(stderr, "usage: tlm_platform [FILE.vcd]\n");
    return 2;
  }
  return muster::platform::Main(vcd);
}
