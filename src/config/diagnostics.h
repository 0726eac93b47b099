// What is wrong with a configuration: every error, in the order of the files, as text that shows
// the line, points at the place, and says what was probably meant.
//
//   webship.yaml:3:5: error: unknown key "fles" in a site
//      3 |     fles: /srv/www
//        |     ^~~~
//        did you mean "files"?
//
// One load owns one. Text from files and the environment is shown without control characters, so
// that no file speaks to the terminal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/source.h"

namespace config {

class Diagnostics {
 public:
  // More don't help anybody, and a hostile file could make millions.
  static constexpr std::size_t kErrorsMax = 100;

  // The same message at the same place counts once: a site's TLS keys are read per listener.
  void error(const Place& place, std::string message, std::string hint = {}) {
    add({place, std::move(message), std::move(hint), false});
  }
  // What may be meant so, or can't be known here.
  void warning(const Place& place, std::string message, std::string hint = {}) {
    add({place, std::move(message), std::move(hint), true});
  }

  // What has no place: the file itself can't be read.
  void failure(std::string message) { failure_ = std::move(message); }

  // Warnings don't count.
  bool empty() const { return errors_ == 0 && failure_.empty(); }
  std::size_t size() const { return errors_; }
  // All of them, warnings too, each ending with a line break.
  std::string text(const Sources& sources) const;

 private:
  struct Item {
    Place place;
    std::string message;
    std::string hint;
    bool warning = false;
  };
  void add(Item item);

  std::vector<Item> items_;
  std::size_t errors_ = 0;
  std::string failure_;
  bool more_ = false;
};

// The text in double quotes, cut when long, with control characters made visible.
std::string in_quotes(std::string_view text);

// `"a", "b" or "c"`.
std::string either(const std::vector<std::string_view>& words);

// `did you mean "X"?`, or empty where none of the candidates is near.
std::string did_you_mean(std::string_view text, const std::vector<std::string_view>& candidates);

}  // namespace config
