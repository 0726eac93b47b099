// Which fields end here (RFC 9110 7.6.1): those of the connection, and those that its Connection
// field nominates.
//
// Runs before any field of our own is added. Only names that the server doesn't know can be
// nominated: what it knows either ends here anyway or is meant for everybody, so taking it off is
// only an attack (S29: Host, Content-Length, Authorization, X-Forwarded-For). Other names of
// http/forwarding_name.h can't be either.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "http/fields.h"

namespace proxy {

// Of the fields that the server knows.
bool is_hop_by_hop(http::FieldName id);

// The names that a message's Connection fields nominate.
class Nominations {
 public:
  // No honest message has more; bounds the work of comparing them with every field.
  static constexpr std::size_t kMax = 32;

  explicit Nominations(const http::Fields& fields) {
    if (fields.has(http::FieldName::connection)) read(fields);
  }
  bool too_many() const { return too_many_; }
  bool contains(const http::Field& field) const { return count_ != 0 && search(field); }

 private:
  void read(const http::Fields& fields);
  bool search(const http::Field& field) const;

  struct Name {  // without initial values: most messages nominate nothing
    const char* data;
    std::size_t size;
  };
  std::array<Name, kMax> names_;
  std::size_t count_ = 0;
  bool too_many_ = false;
};

}  // namespace proxy
