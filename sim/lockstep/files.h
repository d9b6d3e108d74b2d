// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The names of the files that a run writes.
#ifndef MUSTER_SIM_LOCKSTEP_FILES_H_
#define MUSTER_SIM_LOCKSTEP_FILES_H_

#include <string>

namespace muster::lockstep {

// The file of one unit of several: name.fst, then name.1.fst and so on. One alone (-1): name.fst.
std::string Numbered(const std::string& path, int unit);

// A path without symbolic links, also if there is no file yet.
std::string Resolved(const std::string& path);

// A file can be written. One that is there stays as it is, and one that is not there is not left.
bool Writable(const std::string& path);

}  // namespace muster::lockstep

#endif  // MUSTER_SIM_LOCKSTEP_FILES_H_
