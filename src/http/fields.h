// The fields of a message (RFC 9110 5), in the order of arrival.
//
// Names and values are views: into the bytes of the head, the exchange's arena, or the
// configuration. Whoever adds a field sees to it that its text outlives the message. Values are
// free of CR, LF and NUL: parsers refuse them, templates drop them.
#pragma once

#include <bitset>
#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "http/field_name.h"

namespace http {

struct Field {
  std::string_view name;
  std::string_view value;
  FieldName id = FieldName::other;
};

class Fields {
 public:
  void add(FieldName id, std::string_view value) { push({field_text(id), value, id}); }
  void add(std::string_view name, std::string_view value) { push({name, value, field_name(name)}); }
  void push(const Field& field) {
    fields_.push_back(field);
    present_.set(static_cast<size_t>(field.id));
  }
  // Replaces all of that name by one.
  void set(FieldName id, std::string_view value);
  void set(std::string_view name, std::string_view value);
  void remove(FieldName id);
  void remove(std::string_view name);

  bool has(FieldName id) const { return present_.test(static_cast<size_t>(id)); }
  // The first of that name, or nullptr.
  const Field* find(FieldName id) const;
  const Field* find(std::string_view name) const;
  // The first one's value, or empty.
  std::string_view value(FieldName id) const {
    const Field* field = find(id);
    return field == nullptr ? std::string_view() : field->value;
  }
  size_t count(FieldName id) const;

  std::span<const Field> all() const { return fields_; }
  std::span<Field> all() { return fields_; }
  // Removes those for which `predicate(field)` holds.
  template <typename Predicate>
  void remove_if(Predicate predicate) {
    std::erase_if(fields_, predicate);
    recount();
  }
  size_t size() const { return fields_.size(); }
  bool empty() const { return fields_.empty(); }
  void clear() {
    fields_.clear();
    present_.reset();
  }
  void reserve(size_t count) { fields_.reserve(count); }
  // Views into [from, from + size) become views into the same places of `to` (a head was copied).
  void rebase(const char* from, size_t size, const char* to);

 private:
  void recount();

  std::vector<Field> fields_;
  std::bitset<128> present_;
};

}  // namespace http
