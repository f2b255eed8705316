// The handshake with and without the token, byte by byte, without sockets; checked against OpenSSL
// used directly.
#include "core/launch/secure.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/hmac.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

#include <string>
#include <utility>

namespace latchlab::launch {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using Side = SecureStream::Side;

const std::string kSecret = "0123456789abcdef";

// A conversation, and all bytes that a listener on the network receives.
struct Talk {
  SecureStream coordinator{Side::coordinator, kSecret};
  SecureStream member{Side::member, kSecret};
  std::string heard_by_coordinator;
  std::string heard_by_member;
  std::string from_member;
  std::string from_coordinator;

  // Until neither side has anything to send.
  void go_on() {
    for (bool more = true; more;) {
      const std::string there = member.take();
      coordinator.receive(there, heard_by_coordinator);
      const std::string back = coordinator.take();
      member.receive(back, heard_by_member);
      from_member += there;
      from_coordinator += back;
      more = !there.empty() || !back.empty();
    }
  }
};

TEST(SecureStream, two_peers_with_one_token_receive_each_others_data) {
  Talk talk;
  EXPECT_FALSE(talk.member.is_secure());
  talk.go_on();
  ASSERT_TRUE(talk.member.is_secure());
  ASSERT_TRUE(talk.coordinator.is_secure());
  const std::string much(100'000, 'x');
  talk.member.say("who I am");
  talk.coordinator.say(much);
  talk.go_on();
  EXPECT_EQ(talk.heard_by_coordinator, "who I am");
  EXPECT_EQ(talk.heard_by_member, much);
  EXPECT_EQ(talk.member.trouble(), "");
  for (const std::string& wire : {talk.from_member, talk.from_coordinator}) {
    EXPECT_THAT(wire, Not(HasSubstr(kSecret)));
    EXPECT_THAT(wire, Not(HasSubstr("who I am")));
    EXPECT_THAT(wire, Not(HasSubstr("xxxxxxxx")));
  }
}

TEST(SecureStream, the_division_of_the_bytes_does_not_matter) {
  Talk talk;
  for (int turn = 0; turn < 10; ++turn) {
    for (const char byte : talk.member.take())
      talk.coordinator.receive({&byte, 1}, talk.heard_by_coordinator);
    for (const char byte : talk.coordinator.take())
      talk.member.receive({&byte, 1}, talk.heard_by_member);
    if (turn == 5) talk.member.say("bit by bit");
  }
  EXPECT_EQ(talk.heard_by_coordinator, "bit by bit");
}

TEST(SecureStream, another_token_is_detected_on_both_sides) {
  Talk talk;
  talk.member = SecureStream(Side::member, "0123456789abcdeF");
  talk.go_on();
  EXPECT_FALSE(talk.member.is_secure());
  EXPECT_FALSE(talk.coordinator.is_secure());
  EXPECT_THAT(talk.member.trouble(), HasSubstr("another token"));
  EXPECT_THAT(talk.coordinator.trouble(), HasSubstr("another token"));
}

TEST(SecureStream, a_replayed_handshake_is_refused) {
  Talk first;
  first.go_on();
  first.member.say("let me in");
  first.go_on();
  ASSERT_EQ(first.heard_by_coordinator, "let me in");
  SecureStream second(Side::coordinator, kSecret);
  std::string heard;
  second.receive(first.from_member, heard);
  EXPECT_FALSE(second.is_secure());
  EXPECT_NE(second.trouble(), "");
  EXPECT_EQ(heard, "");
}

TEST(SecureStream, half_a_handshake_proves_nothing) {
  const std::string hello = SecureStream(Side::member, kSecret).take();
  for (std::size_t length = 0; length < hello.size(); length += 7) {
    SecureStream coordinator(Side::coordinator, kSecret);
    std::string heard;
    coordinator.receive(hello.substr(0, length), heard);
    EXPECT_FALSE(coordinator.is_secure());
    EXPECT_EQ(coordinator.take(), "");
  }
}

TEST(SecureStream, a_changed_byte_is_detected_at_any_place) {
  for (std::size_t at = 0; at < 60; ++at) {
    Talk talk;
    talk.go_on();
    talk.member.say("pay 10 to the bearer");
    std::string wire = talk.member.take();
    if (at >= wire.size()) break;
    wire[at] = static_cast<char>(wire[at] ^ 1);
    talk.coordinator.receive(wire, talk.heard_by_coordinator);
    EXPECT_EQ(talk.heard_by_coordinator, "") << at;
    // The record is longer than the data and has not ended yet.
    const bool is_length = at == 3 || at == 4;
    EXPECT_TRUE(is_length || !talk.coordinator.trouble().empty()) << at;
  }
}

TEST(SecureStream, nothing_is_accepted_after_an_error) {
  Talk talk;
  talk.go_on();
  talk.coordinator.receive("this is no record", talk.heard_by_coordinator);
  EXPECT_THAT(talk.coordinator.trouble(), HasSubstr("not its own, or was changed"));
  talk.member.say("hello?");
  talk.go_on();
  EXPECT_EQ(talk.heard_by_coordinator, "");
}

TEST(SecureStream, other_protocols_are_refused) {
  for (const char* said : {"GET / HTTP/1.1\r\n\r\n", "SSH-2.0-OpenSSH_9.2\r\n",
                           "\0\0\1\2\1{\"magic\": \"latchlab-node\"}"}) {
    Talk talk;
    talk.coordinator.receive(std::string(said, 18), talk.heard_by_coordinator);
    EXPECT_THAT(talk.coordinator.trouble(), HasSubstr("does not speak TLS 1.3 with a token"));
    talk.member.receive(std::string(said, 18), talk.heard_by_member);
    EXPECT_THAT(talk.member.trouble(), HasSubstr("does not speak TLS 1.3 with a token"));
  }
}

std::string hmac(const std::string& key, const std::string& text) {
  std::string digest(32, '\0');
  HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()),
       reinterpret_cast<const unsigned char*>(text.data()), text.size(),
       reinterpret_cast<unsigned char*>(digest.data()), nullptr);
  return digest;
}

// The key as secure.h describes it, by the two steps of RFC 5869.
std::string key_by_hand() {
  const std::string no_salt(32, '\0');
  return hmac(hmac(no_salt, kSecret), "latchlab rendezvous token\x01");
}

// One side made with OpenSSL alone, as a third-party program would make it.
class ByHand {
 public:
  explicit ByHand(bool is_member)
      : context_(SSL_CTX_new(is_member ? TLS_client_method() : TLS_server_method())),
        is_member_(is_member) {}
  ~ByHand() {
    SSL_free(connection_);
    SSL_CTX_free(context_);
  }
  ByHand(const ByHand&) = delete;
  ByHand& operator=(const ByHand&) = delete;

  SSL_CTX* context() { return context_; }
  // Exchanges data with `other` until both have nothing to send.
  void talk_to(SecureStream& other) {
    begin();
    std::string heard;
    for (bool more = true; more;) {
      SSL_do_handshake(connection_);
      std::string mine(BIO_ctrl_pending(out_), '\0');
      BIO_read(out_, mine.data(), static_cast<int>(mine.size()));
      other.receive(mine, heard);
      const std::string back = other.take();
      BIO_write(in_, back.data(), static_cast<int>(back.size()));
      more = !mine.empty() || !back.empty();
    }
  }
  bool is_done() const { return SSL_is_init_finished(connection_) == 1; }
  SSL* connection() { return connection_; }

  static int use_key(SSL* connection, const EVP_MD*, const unsigned char** identity,
                     std::size_t* length, SSL_SESSION** session) {
    const std::string key = key_by_hand();
    const unsigned char suite[] = {0x13, 0x01};
    *session = SSL_SESSION_new();
    SSL_SESSION_set1_master_key(*session, reinterpret_cast<const unsigned char*>(key.data()), 32);
    SSL_SESSION_set_cipher(*session, SSL_CIPHER_find(connection, suite));
    SSL_SESSION_set_protocol_version(*session, TLS1_3_VERSION);
    *identity = reinterpret_cast<const unsigned char*>("latchlab");
    *length = 8;
    return 1;
  }

 private:
  void begin() {
    connection_ = SSL_new(context_);
    SSL_set_bio(connection_, in_ = BIO_new(BIO_s_mem()), out_ = BIO_new(BIO_s_mem()));
    if (is_member_)
      SSL_set_connect_state(connection_);
    else
      SSL_set_accept_state(connection_);
  }

  SSL_CTX* context_;
  bool is_member_;
  SSL* connection_ = nullptr;
  BIO* in_ = nullptr;
  BIO* out_ = nullptr;
};

TEST(SecureStream, a_peer_that_derives_the_key_as_documented_is_accepted) {
  ByHand member(true);
  SSL_CTX_set_psk_use_session_callback(member.context(), ByHand::use_key);
  SecureStream coordinator(Side::coordinator, kSecret);
  member.talk_to(coordinator);
  EXPECT_TRUE(coordinator.is_secure()) << coordinator.trouble();
  EXPECT_TRUE(member.is_done());
  EXPECT_EQ(std::string(SSL_get_cipher_name(member.connection())), "TLS_AES_128_GCM_SHA256");
  EXPECT_NE(SSL_get_negotiated_group(member.connection()), 0) << "a fresh (EC)DHE";
}

TEST(SecureStream, older_tls_other_suites_and_members_without_a_key_are_refused) {
  ByHand old(true);
  SSL_CTX_set_max_proto_version(old.context(), TLS1_2_VERSION);
  ByHand other_suite(true);
  SSL_CTX_set_ciphersuites(other_suite.context(), "TLS_AES_256_GCM_SHA384");
  ByHand keyless(true);
  for (ByHand* stranger : {&old, &other_suite, &keyless}) {
    SecureStream coordinator(Side::coordinator, kSecret);
    stranger->talk_to(coordinator);
    EXPECT_FALSE(coordinator.is_secure());
    EXPECT_THAT(coordinator.trouble(), HasSubstr("does not speak TLS 1.3 with a token"));
    EXPECT_FALSE(stranger->is_done());
  }
}

TEST(SecureStream, a_certificate_does_not_replace_the_token) {
  ByHand coordinator(false);
  EVP_PKEY* const key = EVP_PKEY_Q_keygen(nullptr, nullptr, "EC", "P-256");
  X509* const certificate = X509_new();
  X509_gmtime_adj(X509_getm_notBefore(certificate), 0);
  X509_gmtime_adj(X509_getm_notAfter(certificate), 3600);
  X509_set_pubkey(certificate, key);
  ASSERT_GT(X509_sign(certificate, key, EVP_sha256()), 0);
  ASSERT_EQ(SSL_CTX_use_certificate(coordinator.context(), certificate), 1);
  ASSERT_EQ(SSL_CTX_use_PrivateKey(coordinator.context(), key), 1);
  SecureStream member(Side::member, kSecret);
  coordinator.talk_to(member);
  EXPECT_FALSE(member.is_secure());
  EXPECT_THAT(member.trouble(), HasSubstr("certificate verify failed"));
  X509_free(certificate);
  EVP_PKEY_free(key);
}

}  // namespace
}  // namespace latchlab::launch
