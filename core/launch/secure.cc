#include "core/launch/secure.h"

#include <fmt/core.h>
#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/kdf.h>
#include <openssl/params.h>
#include <openssl/ssl.h>

#include <algorithm>
#include <array>
#include <utility>

#include "core/base/check.h"
#include "core/launch/rendezvous.h"

namespace latchlab::launch {
namespace {

constexpr std::string_view kIdentity = "latchlab";
constexpr std::string_view kLabel = "latchlab rendezvous token";
constexpr const char* kSuite = "TLS_AES_128_GCM_SHA256";
constexpr std::array<unsigned char, 2> kSuiteNumber = {0x13, 0x01};  // RFC 8446, appendix B.4
constexpr std::size_t kRecord = 16 << 10;

template <auto free>
struct Free {
  template <class T>
  void operator()(T* thing) const {
    free(thing);
  }
};
using Context = std::unique_ptr<SSL_CTX, Free<SSL_CTX_free>>;
using Session = std::unique_ptr<SSL_SESSION, Free<SSL_SESSION_free>>;
using Kdf = std::unique_ptr<EVP_KDF, Free<EVP_KDF_free>>;
using KdfContext = std::unique_ptr<EVP_KDF_CTX, Free<EVP_KDF_CTX_free>>;
using Connection = std::unique_ptr<SSL, Free<SSL_free>>;

using Key = std::array<unsigned char, 32>;

bool derive_key(const std::string& token, Key& key) {
  const Kdf kdf(EVP_KDF_fetch(nullptr, "HKDF", nullptr));
  const KdfContext context(EVP_KDF_CTX_new(kdf.get()));
  std::string digest = "SHA256";
  std::string secret = token;
  std::string label(kLabel);
  const std::array<OSSL_PARAM, 4> all = {
      OSSL_PARAM_construct_utf8_string(OSSL_KDF_PARAM_DIGEST, digest.data(), 0),
      OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_KEY, secret.data(), secret.size()),
      OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_INFO, label.data(), label.size()),
      OSSL_PARAM_construct_end()};
  return context && EVP_KDF_derive(context.get(), key.data(), key.size(), all.data()) == 1;
}

// The token as a pre-shared key for OpenSSL.
Session session_of(SSL* connection, const std::string& token) {
  Key key = {};
  Session session(SSL_SESSION_new());
  const SSL_CIPHER* const suite = SSL_CIPHER_find(connection, kSuiteNumber.data());
  const bool made = session && suite != nullptr && derive_key(token, key) &&
                    SSL_SESSION_set1_master_key(session.get(), key.data(), key.size()) == 1 &&
                    SSL_SESSION_set_cipher(session.get(), suite) == 1 &&
                    SSL_SESSION_set_protocol_version(session.get(), TLS1_3_VERSION) == 1;
  OPENSSL_cleanse(key.data(), key.size());
  return made ? std::move(session) : Session();
}

// A new reference to the session that is attached to the connection.
SSL_SESSION* shared_session(SSL* connection) {
  auto* const session = static_cast<SSL_SESSION*>(SSL_get_app_data(connection));
  SSL_SESSION_up_ref(session);
  return session;
}

int find_session(SSL* connection, const unsigned char* identity, std::size_t length,
                 SSL_SESSION** session) {
  const bool known = length == kIdentity.size() &&
                     std::equal(kIdentity.begin(), kIdentity.end(), identity,
                                [](char a, unsigned char b) { return a == static_cast<char>(b); });
  *session = known ? shared_session(connection) : nullptr;
  return 1;
}

int use_session(SSL* connection, const EVP_MD*, const unsigned char** identity, std::size_t* length,
                SSL_SESSION** session) {
  *identity = reinterpret_cast<const unsigned char*>(kIdentity.data());
  *length = kIdentity.size();
  *session = shared_session(connection);
  return 1;
}

Context new_context(SecureStream::Side side) {
  const bool is_member = side == SecureStream::Side::member;
  Context context(SSL_CTX_new(is_member ? TLS_client_method() : TLS_server_method()));
  if (!context || SSL_CTX_set_min_proto_version(context.get(), TLS1_3_VERSION) != 1 ||
      SSL_CTX_set_max_proto_version(context.get(), TLS1_3_VERSION) != 1 ||
      SSL_CTX_set_ciphersuites(context.get(), kSuite) != 1 ||
      SSL_CTX_set1_groups_list(context.get(), "X25519:P-256") != 1 ||
      SSL_CTX_set_num_tickets(context.get(), 0) != 1)
    return Context();
  SSL_CTX_set_options(context.get(), SSL_OP_NO_TICKET);
  SSL_CTX_clear_options(context.get(), SSL_OP_ALLOW_NO_DHE_KEX);
  SSL_CTX_set_session_cache_mode(context.get(), SSL_SESS_CACHE_OFF);
  SSL_CTX_set_mode(context.get(), SSL_MODE_RELEASE_BUFFERS);  // there may be many peers
  if (is_member) {
    // No certificate is trusted; a coordinator does not have one.
    SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER, nullptr);
    SSL_CTX_set_psk_use_session_callback(context.get(), use_session);
  } else {
    SSL_CTX_set_psk_find_session_callback(context.get(), find_session);
  }
  return context;
}

// Created once, because it takes as long as several handshakes. Null: this OpenSSL does not support
// it.
SSL_CTX* context_of(SecureStream::Side side) {
  static const Context coordinators = new_context(SecureStream::Side::coordinator);
  static const Context members = new_context(SecureStream::Side::member);
  return (side == SecureStream::Side::member ? members : coordinators).get();
}

constexpr int alert(int description) {
  return SSL_AD_REASON_OFFSET + description;
}

// True for the errors with which a handshake of two different tokens ends, on either side.
bool tells_of_another_token(int reason) {
  for (const int one : {SSL_R_BINDER_DOES_NOT_VERIFY, SSL_R_DECRYPTION_FAILED_OR_BAD_RECORD_MAC,
                        SSL_R_DIGEST_CHECK_FAILED, alert(SSL_AD_ILLEGAL_PARAMETER),
                        alert(SSL_AD_BAD_RECORD_MAC), alert(SSL_AD_DECRYPT_ERROR)})
    if (reason == one) return true;
  return false;
}

std::string first_reason() {
  const char* const text = ERR_reason_error_string(ERR_peek_error());
  return text == nullptr ? "no reason given" : text;
}

}  // namespace

struct SecureStream::Parts {
  Session session;
  Connection connection;  // after what it uses
  BIO* from_other = nullptr;
  BIO* to_other = nullptr;
};

SecureStream::SecureStream(Side side, const std::string& token)
    : parts_(std::make_unique<Parts>()) {
  ERR_clear_error();
  SSL_CTX* const context = context_of(side);
  Parts& parts = *parts_;
  if (context != nullptr) parts.connection.reset(SSL_new(context));
  if (parts.connection) parts.session = session_of(parts.connection.get(), token);
  parts.from_other = BIO_new(BIO_s_mem());
  parts.to_other = BIO_new(BIO_s_mem());
  if (!parts.session || parts.from_other == nullptr || parts.to_other == nullptr) {
    BIO_free(parts.from_other);
    BIO_free(parts.to_other);
    parts.connection.reset();
    trouble_ = fmt::format("the OpenSSL of this machine cannot do TLS 1.3 with {} and a token ({})",
                           kSuite, first_reason());
    return;
  }
  SSL_set_bio(parts.connection.get(), parts.from_other, parts.to_other);  // which now owns them
  SSL_set_app_data(parts.connection.get(), parts.session.get());
  if (side == Side::coordinator) {
    SSL_set_accept_state(parts.connection.get());
  } else {
    SSL_set_connect_state(parts.connection.get());
    shake_hands();
  }
}

SecureStream::~SecureStream() = default;
SecureStream::SecureStream(SecureStream&&) noexcept = default;
SecureStream& SecureStream::operator=(SecureStream&&) noexcept = default;

bool SecureStream::is_secure() const {
  SSL* const connection = parts_->connection.get();
  // "Reused" means that the pre-shared key was used and not some other authentication.
  return trouble_.empty() && SSL_is_init_finished(connection) == 1 &&
         SSL_session_reused(connection) == 1;
}

void SecureStream::shake_hands() {
  ERR_clear_error();
  const int result = SSL_do_handshake(parts_->connection.get());
  if (result != 1 && only_waits(result)) return;
  if (result != 1 && tells_of_another_token(ERR_GET_REASON(ERR_peek_error())))
    trouble_ = fmt::format("it has another token; give both sides the same in {}", kTokenVariable);
  else if (result != 1)
    trouble_ = fmt::format(
        "it does not speak TLS 1.3 with a token ({}); is it latchlab, of the "
        "same build?",
        first_reason());
  else if (!is_secure())
    trouble_ = "it made a connection without a token; is it latchlab?";
}

void SecureStream::receive(std::string_view wire, std::string& said) {
  if (!trouble_.empty() || wire.empty()) return;
  SSL* const connection = parts_->connection.get();
  // A memory BIO accepts all bytes unless memory runs out.
  LATCHLAB_CHECK(BIO_write(parts_->from_other, wire.data(), static_cast<int>(wire.size())) ==
                     static_cast<int>(wire.size()),
                 "what has arrived can be kept");
  if (!is_secure()) shake_hands();
  std::array<char, kRecord> text;
  while (is_secure()) {
    ERR_clear_error();
    const int got = SSL_read(connection, text.data(), static_cast<int>(text.size()));
    if (got > 0) {
      said.append(text.data(), static_cast<std::size_t>(got));
      continue;
    }
    if (only_waits(got)) return;
    trouble_ =
        fmt::format("what it sends is not its own, or was changed on the way ({})", first_reason());
  }
}

// True if there is no error: the peer has not sent more yet, or has closed the connection.
bool SecureStream::only_waits(int result) const {
  const int kind = SSL_get_error(parts_->connection.get(), result);
  return kind == SSL_ERROR_WANT_READ || kind == SSL_ERROR_ZERO_RETURN;
}

void SecureStream::say(std::string_view text) {
  LATCHLAB_CHECK(is_secure(), "nothing is said to strangers");
  if (text.empty()) return;
  ERR_clear_error();
  const int taken = SSL_write(parts_->connection.get(), text.data(), static_cast<int>(text.size()));
  LATCHLAB_CHECK(taken == static_cast<int>(text.size()), "what is said can be kept");
}

std::string SecureStream::take() {
  std::string wire;
  if (!parts_->connection) return wire;
  wire.resize(BIO_ctrl_pending(parts_->to_other));
  if (!wire.empty()) BIO_read(parts_->to_other, wire.data(), static_cast<int>(wire.size()));
  return wire;
}

}  // namespace latchlab::launch
