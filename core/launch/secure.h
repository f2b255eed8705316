#pragma once
// One side of a TLS 1.3 conversation whose only credential is a token that both sides have: an
// external pre-shared key (RFC 8446, 4.2.11) with a fresh (EC)DHE, one cipher suite, no
// certificates, no resumption, no early data. Bytes in, bytes out: it knows no socket and never
// waits.
//
// Each side shows that it has the token and neither says it, so a false one learns nothing. Whoever
// watches a handshake can try tokens on it, though, for as long as he likes (RFC 9257, 4.2): a
// token has to be random (token.h). What was said stays closed to whoever learns the token later.

#include <memory>
#include <string>
#include <string_view>

namespace latchlab::launch {

class SecureStream {
 public:
  enum class Side { coordinator, member };
  // The key is HKDF-SHA256 of the token, without salt, with the info "latchlab rendezvous token";
  // its identity is "latchlab". A member speaks first: see take().
  SecureStream(Side side, const std::string& token);
  ~SecureStream();
  SecureStream(SecureStream&&) noexcept;
  SecureStream& operator=(SecureStream&&) noexcept;

  // What the other side has sent; what it says by that is added to `said`. After trouble: nothing.
  void receive(std::string_view wire, std::string& said);
  // The other side has the token: what it says is heard, and we may say something.
  bool is_secure() const;
  void say(std::string_view text);
  // What is to be sent to the other side now; also a last word when there is trouble.
  std::string take();

  // Why nothing more of the other side is believed, for people; final. Empty: all is well.
  const std::string& trouble() const { return trouble_; }

 private:
  struct Parts;

  void shake_hands();
  bool only_waits(int result) const;

  std::unique_ptr<Parts> parts_;
  std::string trouble_;
};

}  // namespace latchlab::launch
