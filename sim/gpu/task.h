// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// A manifest prepared for a GPU: the texts of its PTX files, its launches, and the places of its
// buffers and symbols in the memory that host and GPU share. Knows nothing of drivers and
// processes.
#ifndef MUSTER_SIM_GPU_TASK_H_
#define MUSTER_SIM_GPU_TASK_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sim/ptx/launch/manifest.h"
#include "sim/ptx/program/program.h"

namespace muster::gpu {

class Task {
 public:
  struct File {
    std::string path;
    std::string text;
    unsigned architecture = 0;  // 90 for sm_90
    char variant = 0;           // 'a' of sm_90a, 'f' of sm_100f
  };
  struct Launch {
    std::size_t file = 0;
    ptx::Function kernel;
    std::array<std::uint32_t, 3> grid{1, 1, 1};
    std::array<std::uint32_t, 3> block{1, 1, 1};
    std::optional<std::array<std::uint32_t, 3>> cluster;  // set if the launch has to request it
    std::uint32_t cluster_ctas = 1;
    bool cooperative = false;
    bool programmatic = false;  // it may begin before the launch before has ended
    std::uint32_t dynamic_shared = 0;
    bool much_shared = false;  // more shared memory than a CTA has by default
  };

  // What the driver has made for a task, by name.
  struct Objects {
    std::map<std::string, ptx::TensorMapImage> maps;
    std::map<std::string, std::uint64_t> textures;
    std::map<std::string, std::uint64_t> surfaces;
  };

  // Throws ptx::InputError.
  explicit Task(ptx::Manifest manifest);

  const ptx::Manifest& manifest() const { return manifest_; }
  const std::vector<File>& files() const { return files_; }
  const std::vector<Launch>& launches() const { return launches_; }
  // Returns "launch 2 of 3, kernel sum", or an empty text for the only launch.
  std::string Which(std::size_t launch) const;

  // The shared memory: its size, the place of a buffer or symbol, and its initial contents.
  std::size_t bytes() const { return bytes_; }
  std::size_t PlaceOf(std::size_t buffer) const { return places_[buffer]; }
  std::size_t PlaceOf(const std::string& buffer) const;
  void Fill(std::uint8_t* memory) const;
  std::vector<std::uint8_t> ContentsIn(const std::uint8_t* memory, std::size_t buffer) const;

  // Returns the bytes of each argument of a launch, for the memory at that address.
  std::vector<std::vector<std::uint8_t>> Arguments(std::size_t launch, std::uint64_t memory,
                                                   const Objects& objects) const;
  // Writes the tensor maps with which buffers and symbols begin.
  void Fill(std::uint8_t* memory, const Objects& objects) const;
  // Returns whether a launch takes that texture as a surface.
  bool IsSurface(const std::string& texture) const;
  // Returns the file of a symbol.
  std::size_t FileOf(const ptx::FileSymbol& symbol) const;

 private:
  std::size_t Read(const std::string& path);
  void AddLaunch(const ptx::KernelLaunch& own);

  ptx::Manifest manifest_;
  std::vector<File> files_;
  std::vector<Launch> launches_;
  std::vector<std::size_t> places_;
  std::size_t bytes_ = 0;
};

}  // namespace muster::gpu

#endif  // MUSTER_SIM_GPU_TASK_H_
