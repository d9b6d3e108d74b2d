// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Where a test program may leave files.
#ifndef MUSTER_TB_SCRATCH_H_
#define MUSTER_TB_SCRATCH_H_

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>

namespace muster {

// A folder of this process alone, in the system's temporary folder. It is gone when the process
// ends; a process that it forks, such as GoogleTest's death tests are, leaves it.
inline const std::filesystem::path& Scratch() {
  class Folder {
   public:
    Folder() {
      std::string name = (std::filesystem::temp_directory_path() / "muster_test_XXXXXX").string();
      if (mkdtemp(name.data()) == nullptr) {
        throw std::system_error(errno, std::generic_category(), name);
      }
      path = name;
    }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    ~Folder() {
      std::error_code ignored;
      if (getpid() == owner_) {
        std::filesystem::remove_all(path, ignored);
      }
    }

    std::filesystem::path path;

   private:
    const pid_t owner_ = getpid();
  };
  static const Folder folder;
  return folder.path;
}

}  // namespace muster

#endif  // MUSTER_TB_SCRATCH_H_
