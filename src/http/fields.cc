#include "http/fields.h"

#include <algorithm>

#include "base/text.h"

namespace http {

namespace {

bool matches(const Field& field, FieldName id, std::string_view name) {
  if (id != FieldName::other || field.id != FieldName::other) return field.id == id;
  return field.name.size() == name.size() && base::iequals(field.name, name);
}

}  // namespace

void Fields::set(FieldName id, std::string_view value) {
  remove(id);
  add(id, value);
}

void Fields::set(std::string_view name, std::string_view value) {
  remove(name);
  add(name, value);
}

void Fields::remove(FieldName id) {
  if (has(id)) remove_if([id](const Field& field) { return field.id == id; });
}

void Fields::remove(std::string_view name) {
  FieldName id = field_name(name);
  if (has(id)) remove_if([&](const Field& field) { return matches(field, id, name); });
}

const Field* Fields::find(FieldName id) const {
  if (!has(id)) return nullptr;
  for (const Field& field : fields_) {
    if (field.id == id) return &field;
  }
  return nullptr;
}

const Field* Fields::find(std::string_view name) const {
  FieldName id = field_name(name);
  if (!has(id)) return nullptr;
  for (const Field& field : fields_) {
    if (matches(field, id, name)) return &field;
  }
  return nullptr;
}

size_t Fields::count(FieldName id) const {
  if (!has(id)) return 0;
  return static_cast<size_t>(std::ranges::count_if(fields_, [id](auto& f) { return f.id == id; }));
}

void Fields::rebase(const char* from, size_t size, const char* to) {
  auto move = [&](std::string_view& view) {
    if (view.data() >= from && view.data() + view.size() <= from + size) {
      view = {to + (view.data() - from), view.size()};
    }
  };
  for (Field& field : fields_) {
    move(field.name);
    move(field.value);
  }
}

void Fields::recount() {
  present_.reset();
  for (const Field& field : fields_) present_.set(static_cast<size_t>(field.id));
}

}  // namespace http
