// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// What the launches of a manifest have in common: memory with the buffers, and the variables of
// each PTX file, which stay as its launches leave them.
#ifndef MUSTER_SIM_PTX_LAUNCH_DEVICE_H_
#define MUSTER_SIM_PTX_LAUNCH_DEVICE_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sim/ptx/launch/manifest.h"
#include "sim/ptx/program/program.h"
#include "sim/ptx/simt/memory.h"

namespace muster::ptx {

class Device {
 public:
  // The manifest must outlive it.
  explicit Device(const Manifest& manifest);
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  // The kernels of launches of one file, linked. Throws InputError.
  std::shared_ptr<const Program> Load(const std::string& ptx,
                                      const std::vector<std::string>& kernels);
  // A launch of the program begins: the variables of its file come to their addresses.
  void Enter(std::shared_ptr<const Program> program);

  Memory* memory() { return &memory_; }
  std::uint64_t AddressOf(const std::string& name) const;  // or handle
  // The 128 bytes of a tensor map of the manifest.
  TensorMapImage ImageOf(const std::string& map) const;
  // Returns what the buffer or symbol of this index holds.
  std::vector<std::uint8_t> Contents(std::size_t buffer) const {
    return ContentsIn(memory_, buffer);
  }
  // The same of a copy of the memory, in which the launch that has been entered has run.
  std::vector<std::uint8_t> ContentsIn(const Memory& memory, std::size_t buffer) const;
  UnknownBytes UnknownIn(const Memory& memory, std::size_t buffer) const;  // of them

 private:
  using Image = std::vector<std::uint8_t>;
  // A variable by where it is declared. Kernels of one file may have it at several addresses.
  using Declaration = std::pair<std::uint32_t, std::uint32_t>;

  static Declaration Of(const FileVariable& variable) {
    return {variable.at.line, variable.at.column};
  }
  struct Held {
    Image bytes;
    UnknownBytes unknown;
  };
  Image Holding(const Buffer& buffer) const;
  static std::uint64_t AddressOf(const FileVariable& variable);
  static Held InMemory(const Memory& memory, const FileVariable& variable);
  Held HeldIn(const Memory& memory, std::size_t buffer) const;

  const Manifest& manifest_;
  Memory memory_;
  std::vector<std::uint64_t> addresses_;          // of the buffers; 0: it is a symbol
  std::map<std::string, std::uint64_t> handles_;  // of multicast objects and textures
  std::map<std::pair<std::string, std::vector<std::string>>, std::shared_ptr<const Program>>
      programs_;  // by file and kernels
  std::shared_ptr<const Program>
      current_;  // its variables are in memory; null: those of no program
  std::map<std::string, std::map<Declaration, Held>> kept_;  // those of other files
};

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_LAUNCH_DEVICE_H_
