// The text of the files that a configuration is made of, and places in it.
//
// A place is a file and a byte offset; line and column are computed when one is shown. Columns
// count bytes from 1, as compilers do. One load owns one Sources; not shared between threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace config {

// A piece of a file: where it begins and how much of the line to underline (0: one column).
struct Place {
  std::uint32_t file = 0;
  std::uint32_t offset = 0;
  std::uint32_t size = 0;
};

class Source {
 public:
  Source(std::string name, std::string text);

  const std::string& name() const { return name_; }  // as the user would type it
  std::string_view text() const { return text_; }
  // The folder that the file's relative paths start from; "" is the working directory.
  std::string folder() const;

  struct Position {
    std::size_t line = 1;
    std::size_t column = 1;
  };
  Position position(std::size_t offset) const;
  // Without its line break.
  std::string_view line(std::size_t number) const;
  std::size_t line_begin(std::size_t number) const;
  std::size_t line_count() const { return line_begins_.size(); }

 private:
  std::string name_;
  std::string text_;
  std::vector<std::size_t> line_begins_;
};

class Sources {
 public:
  std::uint32_t add(std::string name, std::string text);
  const Source& operator[](std::uint32_t file) const { return sources_[file]; }
  std::size_t size() const { return sources_.size(); }

 private:
  std::deque<Source> sources_;  // a deque: a Source stays where it is
};

// Of what YAML can't be: the offset, or npos where the text is UTF-8 without NUL.
std::size_t first_bad_byte(std::string_view text);

}  // namespace config
