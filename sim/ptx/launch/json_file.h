// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// A JSON file that is given to a command: what is wrong with it is said with the line.
#ifndef MUSTER_SIM_PTX_LAUNCH_JSON_FILE_H_
#define MUSTER_SIM_PTX_LAUNCH_JSON_FILE_H_

#include <nlohmann/json.hpp>
#include <string>

#include "sim/ptx/launch/json_lines.h"

namespace muster::ptx {

class JsonFile {
 public:
  // `what` it is to be, for messages: "manifest". Throws InputError.
  JsonFile(const std::string& path, const std::string& what);

  const nlohmann::json& root() const { return root_; }
  // Throws InputError: `what` is wrong with the member of that path.
  [[noreturn]] void Fail(const std::string& at, const std::string& what) const;
  // Throws InputError where a key is there twice.
  void CheckKeys() const;

 private:
  std::string path_;
  std::string what_;
  std::string text_;
  JsonLines lines_;
  nlohmann::json root_;
};

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_LAUNCH_JSON_FILE_H_
