// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Text in the JUnit files.
#ifndef MUSTER_SIM_LOCKSTEP_XML_H_
#define MUSTER_SIM_LOCKSTEP_XML_H_

#include <string>

namespace muster::lockstep {

// The text as XML 1.0 can hold it, in an element or in quotes. A byte that is no UTF-8 becomes
// U+FFFD, and a character that XML does not have becomes a question mark.
std::string XmlText(const std::string& text);

}  // namespace muster::lockstep

#endif  // MUSTER_SIM_LOCKSTEP_XML_H_
