// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "tb/unit/ptx_fixture.h"

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>

#include "sim/isa/config.h"
#include "sim/isa/fault.h"
#include "sim/ptx/runtime/on_golden/unit_at_pins.h"
#include "sim/ptx/syntax/error.h"
#include "tb/scratch.h"

namespace muster::ptx {

std::string WriteTestFile(const std::string& name, const std::string& text) {
  const auto* const test = testing::UnitTest::GetInstance()->current_test_info();
  const std::filesystem::path directory =
      Scratch() / (std::string(test->test_suite_name()) + "." + test->name());
  std::filesystem::create_directories(directory);
  const std::filesystem::path path = directory / name;
  std::ofstream(path, std::ios::binary) << text;
  return path.string();
}

std::string ManifestRefusal(const std::string& text) {
  const std::string path = WriteTestFile("m.json", text);
  try {
    ReadManifest(path);
  } catch (const InputError& error) {
    const std::string what = error.what();
    return what.rfind(path, 0) == 0 ? what.substr(path.size()) : what;
  }
  return "accepted";
}

std::string Header(const std::string& target) {
  return ".version 7.5\n.target " + target + "\n.address_size 64\n";
}

Buffer MakeBuffer(const std::string& name, Type type, std::uint64_t count) {
  Buffer buffer;
  buffer.name = name;
  buffer.type = type;
  buffer.count = count;
  buffer.initial.resize(count * Bytes(type));
  return buffer;
}

Buffer MakeBuffer(const std::string& name, const std::vector<std::uint64_t>& elements) {
  Buffer buffer = MakeBuffer(name, Type::kU64, elements.size());
  std::memcpy(buffer.initial.data(), elements.data(), buffer.initial.size());
  return buffer;
}

Kernel::Kernel(const std::string& ptx, std::uint32_t threads, std::uint32_t ctas) {
  manifest.path = "test.json";
  manifest.ptx = WriteTestFile("test.ptx", ptx);
  manifest.block = {threads, 1, 1};
  manifest.grid = {ctas, 1, 1};
  manifest.max_cycles = 300'000;
}

Ended::Ended(const Kernel& kernel, const std::string& config, std::uint64_t seed)
    : kernel_(std::make_unique<Kernel>(kernel)) {
  Manifest& manifest = kernel_->manifest;
  if (manifest.arguments.empty()) {
    for (const Buffer& buffer : manifest.buffers) {
      manifest.arguments.push_back({buffer.name, Type::kU64, 0});
    }
  }
  const Config& unit = *FindConfig(config);
  session_ = std::make_unique<Session>(manifest, unit, seed);
  const GoldenRun run = RunGolden(unit, session_->grid().Drivers(), manifest.max_cycles);
  cycles_ = run.cycles;
  if (outcome() == "completes") {  // no lane has met others of its warp elsewhere
    EXPECT_EQ(run.warp_lanes, grid().RendezvousLanes());
  }
}

std::vector<std::uint32_t> Ended::Words(std::size_t buffer) const {
  const auto& bytes = session_->Contents(buffer);
  std::vector<std::uint32_t> words(bytes.size() / 4);
  std::memcpy(words.data(), bytes.data(), bytes.size());
  return words;
}

std::vector<std::uint64_t> Ended::Longs(std::size_t buffer) const {
  const auto& bytes = session_->Contents(buffer);
  std::vector<std::uint64_t> longs(bytes.size() / 8);
  std::memcpy(longs.data(), bytes.data(), bytes.size());
  return longs;
}

std::uint64_t Ended::Hazards(Hazard hazard) const {
  std::uint64_t count = 0;
  for (const Incident& incident : grid().hazards()) {
    if (incident.name == Name(hazard)) {
      count += incident.count;
    }
  }
  return count;
}

}  // namespace muster::ptx
