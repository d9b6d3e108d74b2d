// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The parser of manifests: manifest.cpp reads the members, manifest_values.cpp the values,
// manifest_symbols.cpp, manifest_tensor.cpp, manifest_texture.cpp and manifest_multicast.cpp what
// they are named after.
#ifndef MUSTER_SIM_PTX_LAUNCH_MANIFEST_READER_H_
#define MUSTER_SIM_PTX_LAUNCH_MANIFEST_READER_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/ptx/launch/json_file.h"
#include "sim/ptx/launch/manifest.h"

namespace muster::ptx {

using Json = nlohmann::json;
using Image = std::vector<std::uint8_t>;

// A path that a manifest names is relative to the manifest.
inline std::string Beside(const std::string& manifest, const std::string& file) {
  return (std::filesystem::path(manifest).parent_path() / file).string();
}

// Reads the members of a manifest, and checks what the schema cannot. Paths are written as
// "buffers.in.type" and "args[2]".
class ManifestReader {
 public:
  explicit ManifestReader(const std::string& path);
  // Members from elsewhere; paths in them count from the current folder. `where` has the words for
  // a member in messages.
  using Where = std::function<std::string(const std::string& at)>;
  ManifestReader(Json members, Where where) : root_(std::move(members)), where_(std::move(where)) {}
  Manifest Read();

 private:
  // Calls read with the member of the object, or of the manifest, if it is there.
  template <typename Read>
  static void With(const Json& object, const char* key, Read read) {
    if (object.contains(key)) {
      read(object[key]);
    }
  }
  template <typename Read>
  void With(const char* key, Read read) const {
    With(root_, key, read);
  }
  [[noreturn]] void Fail(const std::string& at, const std::string& what) const;
  std::uint64_t Whole(const Json& value, const std::string& at, std::uint64_t least) const;
  std::uint64_t Element(const Json& value, Type type, const std::string& at) const;
  std::uint64_t Integer(const Json& value, Type type, const std::string& at) const;
  double Float(const Json& value, const std::string& at) const;

  // The launch that an object describes: the manifest (`at` is empty), or one of several.
  void ReadLaunch(const Json& object, const Manifest& manifest, const std::string& at,
                  KernelLaunch* launch) const;
  void CheckProgrammatic(const KernelLaunch& launch, const Manifest& manifest,
                         const std::string& at) const;
  void ReadLaunches(const Json& list, Manifest* manifest) const;
  void ReadBuffers(const Json& object, Manifest* manifest) const;
  // manifest_texture.cpp
  void ReadTextures(const Json& object, Manifest* manifest) const;
  NamedTexture ReadTexture(const std::string& name, const Json& value, const Manifest& manifest,
                           const std::string& at) const;
  // manifest_multicast.cpp
  void ReadMulticasts(const Json& object, Manifest* manifest) const;
  // manifest_symbols.cpp
  void ReadSymbols(const Json& object, Manifest* manifest) const;
  FileSymbol FindSymbol(const std::string& name, const Json& value, const Manifest& manifest,
                        const std::string& at) const;
  // manifest_tensor.cpp
  void ReadMaps(Manifest* manifest) const;
  NamedMap ReadMap(const std::string& name, const Json& value, const Manifest& manifest,
                   const std::string& at) const;
  void ReadHeldMaps(const Json& init, const Manifest& manifest, const std::string& at,
                    Buffer* buffer) const;
  Image Initial(const Json& value, const Buffer& buffer, const std::string& at) const;
  Image Contents(const Json& value, const Buffer& buffer, const std::string& at) const;
  // What a value may be that is left open. Nothing: it is none of these.
  std::optional<Choice> ChoiceOf(const Json& value, Type type, const std::string& at) const;
  Argument ReadArgument(const Json& value, const Manifest& manifest, const std::string& at) const;
  std::vector<Argument> ReadArguments(const Json& list, const Manifest& manifest,
                                      const std::string& at) const;
  void ReadExpected(const Json& object, Manifest* manifest) const;
  void ReadTolerance(const Json& object, Manifest* manifest) const;
  void CheckOutcome(const std::string& outcome) const;
  std::string File(const Json& value, const std::string& at) const;

  std::string path_;
  std::optional<JsonFile> file_;
  Json root_;
  Where where_;  // of members from elsewhere
};

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_LAUNCH_MANIFEST_READER_H_
