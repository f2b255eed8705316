#pragma once
// One side of a TLS 1.3 connection whose only credential is a token that both sides have: an
// external pre-shared key (RFC 8446, 4.2.11) with a fresh (EC)DHE, one cipher suite, no
// certificates, no resumption, no early data. It maps bytes to bytes, uses no socket and never
// waits.
//
// Each side proves that it has the token without sending it, so that a peer without it learns
// nothing. An observer of a handshake can test guesses of the token offline (RFC 9257, 4.2), so the
// token must be random (rendezvous.h). Recorded traffic stays secret even if the token becomes
// known later.

#include <memory>
#include <string>
#include <string_view>

namespace latchlab::launch {

class SecureStream {
 public:
  enum class Side { coordinator, member };
  // The key is HKDF-SHA256 of the token, without salt, with the info "latchlab rendezvous token";
  // its identity is "latchlab". A member must send first: see take().
  SecureStream(Side side, const std::string& token);
  ~SecureStream();
  SecureStream(SecureStream&&) noexcept;
  SecureStream& operator=(SecureStream&&) noexcept;

  // Processes bytes from the peer and appends the decrypted text to `said`. Ignored after trouble.
  void receive(std::string_view wire, std::string& said);
  // True after the peer has proved that it has the token; from then on data can flow in both
  // directions.
  bool is_secure() const;
  void say(std::string_view text);
  // The bytes to send to the peer now, including an alert if there is trouble.
  std::string take();

  // Why data from the peer is no longer accepted, for messages; final. Empty: no error.
  const std::string& trouble() const { return trouble_; }

 private:
  struct Parts;

  void shake_hands();
  bool only_waits(int result) const;

  std::unique_ptr<Parts> parts_;
  std::string trouble_;
};

}  // namespace latchlab::launch
