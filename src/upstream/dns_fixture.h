// For tests: a name server over TCP on loopback, with the answers that a test puts in.
//
// Test code only. Answers when serve() is called between two turns of the loop; what it doesn't
// know is NXDOMAIN, and while `silent` it says nothing at all.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/address.h"
#include "base/text.h"
#include "io/origin_fixture.h"
#include "upstream/resolver.h"

namespace upstream {

class DnsFixture {
 public:
  struct Record {
    std::vector<std::string> addresses;  // IPv4 and IPv6
    std::uint32_t ttl = 60;
  };

  std::map<std::string, Record> records;
  bool silent = false;
  std::size_t silent_type = 0;  // 1: A, 28: AAAA
  bool failing = false;         // SERVFAIL
  int questions = 0;

  ResolverSettings settings() const {
    return {.servers = listening_.address().to_string(), .tcp = true, .hosts_file = "/dev/null"};
  }

  void serve() {
    listening_.accept();
    for (auto& peer : listening_.peers) {
      peer->receive();
      pending_[peer.get()] += peer->take();
      std::string& bytes = pending_[peer.get()];
      while (bytes.size() >= 2 && bytes.size() >= 2 + read16(bytes, 0)) {
        const std::string query = bytes.substr(2, read16(bytes, 0));
        bytes.erase(0, 2 + query.size());
        ++questions;
        reply(*peer, query);
      }
    }
  }
  // What was not answered while it was to be silent, as far as it now may be.
  void answer_kept() {
    for (auto& [peer, query] : std::exchange(kept_, {})) reply(*peer, query);
  }

 private:
  static std::size_t read16(const std::string& bytes, std::size_t at) {
    return static_cast<unsigned char>(bytes[at]) << 8U | static_cast<unsigned char>(bytes[at + 1]);
  }
  static std::string write16(std::size_t value) {
    return {static_cast<char>(value >> 8), static_cast<char>(value & 0xff)};
  }

  void reply(io::Peer& peer, const std::string& query) {
    if (silent || type_of(query) == silent_type) {
      kept_.emplace_back(&peer, query);
      return;
    }
    const std::string bytes = answer(query);
    peer.send(write16(bytes.size()) + bytes);
  }

  static std::size_t type_of(const std::string& query) {
    return read16(query, query.find('\0', 12) + 1);
  }

  // RFC 1035 4: header, the question again, and an answer that points to its name.
  std::string answer(const std::string& query) {
    std::string name;
    std::size_t at = 12;
    while (query[at] != 0) {
      const auto length = static_cast<unsigned char>(query[at]);
      if (!name.empty()) name += '.';
      for (std::size_t i = 0; i < length; ++i) name += base::to_lower(query[at + 1 + i]);
      at += 1U + length;
    }
    const std::string question = query.substr(12, at + 5 - 12);
    const std::size_t type = read16(query, at + 1);
    std::string answers;
    std::size_t count = 0;
    auto found = records.find(name);
    if (found != records.end() && !failing) {
      for (const std::string& text : found->second.addresses) {
        const auto address = *base::Address::parse_ip(text);
        const bool ipv4 = address.family() == base::Address::Family::kIpv4;
        if (type != (ipv4 ? 1U : 28U)) continue;
        ++count;
        const std::uint32_t ttl = found->second.ttl;
        answers += "\xc0\x0c" + write16(type) + write16(1) + write16(ttl >> 16) +
                   write16(ttl & 0xffff) + write16(ipv4 ? 4 : 16);
        for (std::size_t i = 0; i < (ipv4 ? 4U : 16U); ++i) {
          answers += static_cast<char>(address.ip()[i]);
        }
      }
    }
    const std::size_t code = failing ? 2 : found == records.end() ? 3 : 0;
    return query.substr(0, 2) + write16(0x8180 | code) + write16(1) + write16(count) + write16(0) +
           write16(0) + question + answers;
  }

  io::ListeningPeer listening_;
  std::map<io::Peer*, std::string> pending_;
  std::vector<std::pair<io::Peer*, std::string>> kept_;
};

}  // namespace upstream
