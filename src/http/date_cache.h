// The value of the Date field (RFC 9110 6.6.1), made once a second.
//
// One for each worker, shared by its connections of every version. `unix_time` is the loop's.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/date.h"

namespace http {

class DateCache {
 public:
  std::string_view value(int64_t unix_time) {
    if (unix_time != time_) {
      time_ = unix_time;
      base::write_http_date(unix_time, text_);
    }
    return {text_, base::kHttpDateSize};
  }

 private:
  int64_t time_ = INT64_MIN;
  char text_[base::kHttpDateSize] = {};
};

}  // namespace http
