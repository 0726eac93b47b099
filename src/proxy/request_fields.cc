#include "proxy/request_fields.h"

#include <algorithm>
#include <vector>

#include "base/text.h"
#include "http/forwarded.h"
#include "http/forwarding_name.h"
#include "proxy/hop_by_hop.h"

namespace proxy {

namespace {

using http::FieldName;

// How often this process stands in a Via field.
int count_passes(std::string_view via, std::string_view pseudonym) {
  int passes = 0;
  while (auto element = base::next_piece(via, ',')) {
    const std::size_t space = element->find(' ');
    if (space == std::string_view::npos) continue;
    std::string_view by = base::trim_left(element->substr(space));
    if (by.substr(0, by.find(' ')) == pseudonym) ++passes;
  }
  return passes;
}

// Makes the fields of one request.
class Maker {
 public:
  Maker(http::Exchange& exchange, const RequestRules& rules, http::Fields& out,
        std::string& scratch)
      : exchange_(exchange),
        request_(exchange.request()),
        rules_(rules),
        out_(out),
        scratch_(scratch),
        trusted_(exchange.connection().peer_trusted) {}

  RequestVerdict make(std::string_view host) {
    const Nominations nominations(request_.fields);
    if (nominations.too_many()) return RequestVerdict::nominations;
    out_.clear();
    out_.add(FieldName::host, host);
    for (const http::Field& field : request_.fields.all()) {
      if (RequestVerdict verdict = take(field, nominations); verdict != RequestVerdict::good) {
        return verdict;
      }
    }
    if (passes_ >= kPassesMax) return RequestVerdict::loop;
    // What a trusted proxy said in the form that we don't speak goes on as it is.
    if (rules_.x_forwarded) {
      add_x_forwarded();
    } else if (!out_.has(FieldName::x_forwarded_for)) {
      add(FieldName::x_forwarded_for, forwarded_for_.value);
    }
    if (rules_.forwarded) {
      add_forwarded();
    } else if (!out_.has(FieldName::forwarded)) {
      add(FieldName::forwarded, forwarded_.value);
    }
    if (rules_.pseudonym != nullptr) {
      out_.add(FieldName::via, rules_.pseudonym->via(request_.version));
    }
    return full_ ? RequestVerdict::out_of_memory : RequestVerdict::good;
  }

 private:
  RequestVerdict take(const http::Field& field, const Nominations& nominations) {
    switch (field.id) {
      case FieldName::other:
        if (!exchange_.received(field.name)) break;
        if (nominations.contains(field)) return RequestVerdict::good;
        if (!trusted_ && http::is_forwarding_name(field.name)) return RequestVerdict::good;
        break;
      case FieldName::host:
      case FieldName::content_length:
      case FieldName::expect:
      case FieldName::proxy:
        return RequestVerdict::good;
      case FieldName::forwarded:
      case FieldName::x_forwarded_for:
        if (!exchange_.received(field.value)) break;
        if (trusted_) lines(field.id).push(field.value, *this);
        return RequestVerdict::good;
      case FieldName::x_forwarded_host:
      case FieldName::x_forwarded_proto:
        if (exchange_.received(field.value) && !trusted_) return RequestVerdict::good;
        break;
      case FieldName::x_real_ip:
        // A trusted proxy may have let pass what its client said: ours is as true as the client
        // address (S30).
        if (exchange_.received(field.value) && (!trusted_ || tells_client())) {
          return RequestVerdict::good;
        }
        break;
      case FieldName::via:
        if (rules_.pseudonym != nullptr) {
          passes_ += count_passes(field.value, rules_.pseudonym->name());
        }
        break;
      case FieldName::max_forwards:
        return take_max_forwards(field);
      default:
        if (is_hop_by_hop(field.id)) return RequestVerdict::good;
        break;
    }
    out_.push(field);
    return RequestVerdict::good;
  }

  // RFC 9110 7.6.2; for other methods the field means nothing.
  RequestVerdict take_max_forwards(const http::Field& field) {
    if (request_.method == http::Method::options || request_.method == http::Method::trace) {
      auto left = base::parse_decimal(field.value);
      if (left && *left == 0) return RequestVerdict::last_hop;
      if (left) {
        scratch_.clear();
        base::append_decimal(scratch_, *left - 1);
        add(FieldName::max_forwards, keep(scratch_));
        return RequestVerdict::good;
      }
    }
    out_.push(field);
    return RequestVerdict::good;
  }

  // What the lines of a list field say, joined; most often there is one.
  struct Lines {
    std::string_view value;
    void push(std::string_view line, Maker& maker) {
      value = value.empty() ? line : maker.join(value, ", ", line);
    }
  };
  Lines& lines(FieldName id) { return id == FieldName::forwarded ? forwarded_ : forwarded_for_; }

  // Whether X-Real-IP is for us to say: of a client on a unix socket there is no address.
  bool tells_client() const { return rules_.x_forwarded && exchange_.client().is_ip(); }

  void add_x_forwarded() {
    const base::Address& peer = exchange_.connection().peer;
    const bool x_forwarded_for = out_.has(FieldName::x_forwarded_for);
    if (peer.is_ip()) {
      // Lives as long as the connection.
      std::string_view text = exchange_.connection().peer_ip();
      if (!x_forwarded_for) {
        add(FieldName::x_forwarded_for,
            forwarded_for_.value.empty() ? text : join(forwarded_for_.value, ", ", text));
      }
    } else if (!x_forwarded_for && !forwarded_for_.value.empty()) {
      add(FieldName::x_forwarded_for, forwarded_for_.value);
    }
    if (tells_client() && !out_.has(FieldName::x_real_ip)) {
      add(FieldName::x_real_ip, exchange_.client() == peer ? exchange_.connection().peer_ip()
                                                           : address(exchange_.client()));
    }
    if (!out_.has(FieldName::x_forwarded_proto)) {
      out_.add(FieldName::x_forwarded_proto, request_.scheme);
    }
    if (!out_.has(FieldName::x_forwarded_host) && !request_.authority.empty()) {
      out_.add(FieldName::x_forwarded_host, request_.authority);
    }
  }

  void add_forwarded() {
    if (out_.has(FieldName::forwarded)) return;
    scratch_.clear();
    http::append_forwarded_element(scratch_, exchange_.connection().peer, request_.authority,
                                   request_.scheme);
    std::string_view ours = keep(scratch_);
    add(FieldName::forwarded, forwarded_.value.empty() ? ours : join(forwarded_.value, ", ", ours));
  }

  std::string_view address(const base::Address& address) {
    scratch_.clear();
    address.append_ip_to(scratch_);
    return keep(scratch_);
  }
  std::string_view keep(std::string_view text) { return join(text, {}, {}); }
  std::string_view join(std::string_view a, std::string_view b, std::string_view c) {
    std::string_view joined = exchange_.arena().join(a, b, c);
    full_ |= joined.empty();
    return joined;
  }
  void add(FieldName id, std::string_view value) {
    if (!value.empty()) out_.add(id, value);
  }

  http::Exchange& exchange_;
  const http::Request& request_;
  const RequestRules& rules_;
  http::Fields& out_;
  std::string& scratch_;
  const bool trusted_;
  bool full_ = false;
  int passes_ = 0;
  Lines forwarded_for_;
  Lines forwarded_;
};

}  // namespace

Pseudonym::Pseudonym(std::uint64_t random) {
  name_ = "webship-";
  for (int shift = 28; shift >= 0; shift -= 4) name_ += base::kLowerHex[random >> shift & 15];
  // RFC 9110 7.6.3: the name of the protocol may be left out where it is HTTP.
  constexpr std::array<std::string_view, 4> kVersions = {"1.0", "1.1", "2", "3"};
  for (std::size_t i = 0; i < via_.size(); ++i) via_[i] = std::string(kVersions[i]) + " " + name_;
}

RequestVerdict make_request_fields(http::Exchange& exchange, std::string_view host,
                                   const RequestRules& rules, http::Fields& out,
                                   std::string& scratch) {
  return Maker(exchange, rules, out, scratch).make(host);
}

std::string_view request_target(http::Exchange& exchange) {
  const http::Request& request = exchange.request();
  if (!request.has_query) return request.raw_path;
  // Unchanged, path and query stand side by side in what was received.
  const char* end = request.raw_path.data() + request.raw_path.size();
  if (exchange.received(request.raw_path) && exchange.received({end, 1}) && *end == '?' &&
      (request.query.empty() || request.query.data() == end + 1)) {
    return {request.raw_path.data(), request.raw_path.size() + 1 + request.query.size()};
  }
  return exchange.arena().join(request.raw_path, "?", request.query);
}

}  // namespace proxy
