// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/lockstep/xml.h"

#include <nlohmann/json.hpp>

namespace muster::lockstep {

std::string XmlText(const std::string& text) {
  using Json = nlohmann::json;
  const std::string utf8 =
      Json::parse(Json(text).dump(-1, ' ', false, Json::error_handler_t::replace));
  std::string escaped;
  for (std::size_t i = 0; i < utf8.size(); ++i) {
    switch (const char c = utf8[i]) {
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '&':
        escaped += "&amp;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      default:
        if (const std::string character = utf8.substr(i, 3);
            character == "\xef\xbf\xbe" || character == "\xef\xbf\xbf") {  // U+FFFE, U+FFFF
          escaped += '?';
          i += 2;
        } else {  // of the control characters XML has white space alone
          escaped += c >= 0 && c < ' ' && c != '\n' && c != '\t' ? '?' : c;
        }
    }
  }
  return escaped;
}

}  // namespace muster::lockstep
