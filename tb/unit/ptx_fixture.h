// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Kernels given as text, run against the golden model alone.
#ifndef MUSTER_TB_UNIT_PTX_FIXTURE_H_
#define MUSTER_TB_UNIT_PTX_FIXTURE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sim/isa/fault.h"
#include "sim/ptx/launch/manifest.h"
#include "sim/ptx/launch/session.h"

namespace muster::ptx {

// Writes a file of that name into the test's own directory, and returns its path.
std::string WriteTestFile(const std::string& name, const std::string& text);

// What is wrong with a manifest, without its path; "accepted": nothing.
std::string ManifestRefusal(const std::string& text);

// The directives that begin a file.
std::string Header(const std::string& target = "sm_80");

// All threads of a cluster meet.
inline const std::string kMeet = "  barrier.cluster.arrive; barrier.cluster.wait;\n";

// A buffer of u32 or u64, all zero or with the elements given.
Buffer MakeBuffer(const std::string& name, Type type, std::uint64_t count);
Buffer MakeBuffer(const std::string& name, const std::vector<std::uint64_t>& elements);

// A kernel, and how it is launched: the arguments are the buffers, in order.
struct Kernel {
  explicit Kernel(const std::string& ptx, std::uint32_t threads = 32, std::uint32_t ctas = 1);

  Manifest manifest;
};

// A session that has ended.
class Ended {
 public:
  explicit Ended(const Kernel& kernel, const std::string& config = "default",
                 std::uint64_t seed = 1);

  Verdict verdict() const { return session_->Judge(); }
  std::string outcome() const { return OutcomeName(session_->grid()); }
  const ClockedGrid& grid() const { return session_->grid(); }
  const Session& session() const { return *session_; }
  std::uint64_t cycles() const { return cycles_; }
  std::vector<std::uint32_t> Words(std::size_t buffer) const;
  std::vector<std::uint64_t> Longs(std::size_t buffer) const;
  std::uint64_t Hazards(Hazard hazard) const;

 private:
  std::unique_ptr<Kernel> kernel_;
  std::unique_ptr<Session> session_;
  std::uint64_t cycles_ = 0;
};

}  // namespace muster::ptx

#endif  // MUSTER_TB_UNIT_PTX_FIXTURE_H_
