// Forwarded (RFC 7239) and X-Forwarded-For: who the client is, as far as trusted proxies say so.
//
// The peer is believed only if its address is trusted; then each address from the right is taken
// for the client until one that isn't trusted, which is the client. What isn't an IP address
// (`unknown`,
// `_hidden`, rubbish) ends the walk at the last address that was good: nobody can invent a hop
// beyond a proxy that is ours (S30).
// Pure functions, any thread; views into the arguments. Which of the two fields counts is
// configured; they are never mixed.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/address.h"
#include "base/cidr.h"

namespace http {

// Addresses that are walked from the right; more is not a chain of proxies but an attack.
inline constexpr std::size_t kForwardedHopsMax = 32;

struct ForwardedClient {
  base::Address address;   // the peer's where nothing can be believed; port 0 if the field had none
  std::string_view proto;  // `http` or `https` as said by the hop that saw the client, or empty
  std::string_view host;   // from the same hop, as written, or empty; Forwarded only
  bool from_field = false;  // the address comes from the field
};

// `lines`: the values of the field's lines, in order of the message.
ForwardedClient client_from_forwarded(const base::Address& peer,
                                      std::span<const std::string_view> lines,
                                      const base::CidrSet& trusted);
ForwardedClient client_from_x_forwarded_for(const base::Address& peer,
                                            std::span<const std::string_view> lines,
                                            const base::CidrSet& trusted);

// One element of Forwarded, names in lower case, values without quotes.
struct ForwardedElement {
  std::string_view for_node, by_node, host, proto;
};
// Nothing if it breaks the grammar, or names a parameter twice (RFC 7239 4).
std::optional<ForwardedElement> parse_forwarded_element(std::string_view text);

// The address of a node: `192.0.2.1`, `192.0.2.1:80`, `[2001:db8::1]:80`, and IPv6 without brackets
// as X-Forwarded-For has it.
std::optional<base::Address> parse_node(std::string_view node);

// Appends `for=192.0.2.1;host="example.com:8080";proto=https`, quoted where RFC 7239 4 asks for it.
// Nothing is written for what is empty. An address that isn't IP is `unknown`.
void append_forwarded_element(std::string& out, const base::Address& client, std::string_view host,
                              std::string_view proto);

}  // namespace http
