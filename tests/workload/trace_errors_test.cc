// Messages about invalid traces: the place, what was found, what is allowed, and what to do.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <streambuf>

#include "core/workload/trace_lines.h"
#include "tests/workload/trace_files.h"

namespace latchlab {
namespace {

const std::string kHeader = "transaction,lock,mode\n";
constexpr TraceOptions kFisslock = {.format = TraceFormat::fisslock};

std::string ours(const std::string& lines) {
  return complaint_of(lock_trace(kHeader + lines));
}
std::string fisslocks(const std::string& lines) {
  return complaint_of(lock_trace(lines, kFisslock));
}

TEST(TraceErrors, report_missing_and_surplus_fields) {
  EXPECT_EQ(ours("1,5,x\n1,6\n"),
            "t.csv:3: 2 fields in '1,6'; expected 3 (transaction,lock,mode): add what is missing");
  EXPECT_EQ(ours("hello\n"),
            "t.csv:2: 1 field in 'hello'; expected 3 (transaction,lock,mode): add what is missing");
  EXPECT_EQ(ours("1,5,x,\n"),
            "t.csv:2: 4 fields in '1,5,x,'; expected 3 (transaction,lock,mode): delete what is too "
            "much");
  EXPECT_EQ(fisslocks("1,0,3,10\n"),
            "t.csv:1: 4 fields in '1,0,3,10'; expected 5 (txn_id,task,txn_type,lock_id,lock_type): "
            "add what is missing");
}

TEST(TraceErrors, report_a_truncated_file) {
  EXPECT_EQ(ours("1,5,x\n1,6"),
            "t.csv:3: 2 fields in '1,6'; expected 3 (transaction,lock,mode): the file ends in the "
            "middle of this line, so copy it whole, or delete the line");
}

TEST(TraceErrors, report_the_range_of_numbers) {
  EXPECT_EQ(ours("1,281474976710656,x\n"),
            "t.csv:2: lock 281474976710656 is out of range; expected 0 to 281474976710655: number "
            "the locks anew from 0");
  EXPECT_EQ(ours("18446744073709551616,1,x\n"),
            "t.csv:2: transaction 18446744073709551616 is out of range; expected 0 to "
            "18446744073709551615: number the transactions anew");
  for (const std::string text : {"five", "-1", "+1", "1.0", "0x1", "", "1 2"})
    EXPECT_EQ(ours("1," + text + ",x\n"),
              "t.csv:2: lock '" + text +
                  "' is not a number; expected 0 to 281474976710655: write plain digits");
  EXPECT_EQ(fisslocks("1,1,3,10,2\n"),
            "t.csv:1: task 1 is out of range; expected 0 to 0: delete the line: a trace has "
            "requests for locks alone, and a transaction releases all that it has at its end");
  EXPECT_EQ(fisslocks("1,0,0,10,2\n"),
            "t.csv:1: txn_type 0 is out of range; expected 1 to 255: number the types anew from 1");
  EXPECT_EQ(fisslocks("1,0,256,10,2\n"),
            "t.csv:1: txn_type 256 is out of range; expected 1 to 255: number the types anew from "
            "1");
  EXPECT_EQ(fisslocks("1,0,255,10,3\n"),
            "t.csv:1: lock_type 3 is out of range; expected 1 to 2: write 1 for shared, 2 for "
            "exclusive");
}

TEST(TraceErrors, report_the_valid_modes) {
  for (const std::string text : {"write", "X", "", "sx"})
    EXPECT_EQ(ours("1,5," + text + "\n"),
              "t.csv:2: mode '" + text +
                  "' is unknown; expected shared, exclusive or update: write one of them, or s, x "
                  "or u");
}

TEST(TraceErrors, report_a_lock_that_is_requested_twice) {
  EXPECT_EQ(ours("1,4,x\n1,5,s\n# Again.\n1,5,s\n"),
            "t.csv:5: transaction 1 asks for lock 5 again, after line 3; expected each lock once "
            "in a transaction: delete one of the lines, or say duplicates: merge for the stronger "
            "mode");
  EXPECT_EQ(ours("1,5,x\n2,5,x\n"), "");
}

TEST(TraceErrors, report_transactions_that_are_too_large) {
  std::string text;
  for (std::size_t i = 0; i < kMostTraceNeeds; ++i) text += "1," + std::to_string(i) + ",x\n";
  EXPECT_EQ(ours(text + "2,1,x\n"), "");
  EXPECT_EQ(ours(text + "1,1000,x\n"),
            "t.csv:1002: transaction 1 asks for more than 1000 locks; expected at most so many: "
            "split it");
}

TEST(TraceErrors, report_transactions_that_are_not_contiguous) {
  EXPECT_EQ(ours("8,4,x\n9,4,x\n8,5,s\n"),
            "t.csv:4: transaction 8 comes back after others; expected all of its lines one after "
            "the other: move them together, or give it a number that is not in use");
  EXPECT_EQ(fisslocks("8,0,1,4,1\n8,0,2,5,1\n"),
            "t.csv:2: transaction 8 has txn_type 2 here and 1 on line 1; expected one type: give "
            "one of them a number of its own");
}

TEST(TraceErrors, report_another_format) {
  EXPECT_EQ(complaint_of(lock_trace("\n1,0,3,10,1\n")),
            "t.csv:2: the first line is '1,0,3,10,1'; expected transaction,lock,mode: write it "
            "there, or say format: fisslock for lines of txn_id,task,txn_type,lock_id,lock_type");
  EXPECT_NE(complaint_of(lock_trace("transaction,lock\n1,2,x\n")), "");
  EXPECT_NE(complaint_of(lock_trace("transaction,mode,lock\n1,x,2\n")), "");
  EXPECT_NE(complaint_of(lock_trace("transaction,lock,mode,more\n1,2,x,3\n")), "");
}

TEST(TraceErrors, report_an_empty_trace) {
  EXPECT_EQ(complaint_of(lock_trace("")),
            "t.csv: is empty; expected the line transaction,lock,mode and lines of transactions "
            "after it: is this the right file?");
  EXPECT_EQ(ours("# None.\n\n"),
            "t.csv: has no transactions; expected a line of transaction,lock,mode for each lock "
            "that one asks for: is this the right file?");
  EXPECT_EQ(fisslocks("\r\n"),
            "t.csv: has no transactions; expected a line of "
            "txn_id,task,txn_type,lock_id,lock_type for each lock that one asks for: is this the "
            "right file?");
}

TEST(TraceErrors, report_bytes_that_are_not_text) {
  EXPECT_EQ(ours(std::string("1,5,x\n1,\0 6,x\n", 14)),
            "t.csv:3: the byte 0x00 is not text; expected lines of fields between commas: is this "
            "the right file?");
  EXPECT_EQ(ours("1,5,x\r\r\n"),
            "t.csv:2: the byte 0x0d is not text; expected lines of fields between commas: is this "
            "the right file?");
  EXPECT_EQ(ours("1,\xc3\xbc,x\n"),
            "t.csv:2: lock '\xc3\xbc' is not a number; expected 0 to 281474976710655: write plain "
            "digits");
}

TEST(TraceErrors, report_how_to_decompress) {
  EXPECT_EQ(
      complaint_of(lock_trace("\x1f\x8b\x08")),
      "t.csv: compressed with gzip; expected plain text: decompress it first (gzip -dk FILE)");
  EXPECT_EQ(complaint_of(cache_trace("\x28\xb5\x2f\xfd\x04")),
            "c.csv: compressed with zstd; expected plain text: decompress it first (zstd -d FILE)");
  EXPECT_EQ(complaint_of(lock_trace(std::string("\xfd\x37zXZ\0\0", 7))),
            "t.csv: compressed with xz; expected plain text: decompress it first (xz -dk FILE)");
  EXPECT_EQ(complaint_of(lock_trace("BZh91AY")),
            "t.csv: compressed with bzip2; expected plain text: decompress it first (bzip2 -dk "
            "FILE)");
}

TEST(TraceErrors, report_lines_without_an_end) {
  const std::string longest(kLongestTraceLine - 1, 'c');
  EXPECT_EQ(complaint_of(lock_trace("#" + longest + "\n" + kHeader + "1,1,x\n")), "");
  EXPECT_EQ(ours("1,1,x\n#" + longest + "c\n2,1,x\n"),
            "t.csv:3: the line has more than 1048576 bytes; expected a trace of shorter lines: is "
            "this the right file?");
}

TEST(TraceErrors, show_only_a_part_of_a_long_line) {
  EXPECT_EQ(ours(std::string(100, 'a') + "\n"), "t.csv:2: 1 field in '" + std::string(60, 'a') +
                                                    "...'; expected 3 (transaction,lock,mode): "
                                                    "add what is missing");
}

TEST(TraceErrors, report_files_that_cannot_be_read) {
  const std::string directory = std::filesystem::temp_directory_path().string();
  EXPECT_EQ(complaint_of(read_lock_trace(directory + "/nowhere/t.csv", {})),
            directory + "/nowhere/t.csv: no such file; check the path");
  EXPECT_EQ(complaint_of(read_cache_trace(directory + "/nowhere/t.csv", {})),
            directory + "/nowhere/t.csv: no such file; check the path");
  EXPECT_EQ(complaint_of(read_lock_trace(directory, {})),
            directory +
                ": not a file; expected the path of a trace (not a pipe: each process of a "
                "run reads it for itself)");
}

// While it exists, the process can open no file.
class NoFiles {
 public:
  NoFiles() {
    ::getrlimit(RLIMIT_NOFILE, &before_);
    const rlimit none = {0, before_.rlim_max};
    ::setrlimit(RLIMIT_NOFILE, &none);
  }
  ~NoFiles() { ::setrlimit(RLIMIT_NOFILE, &before_); }
  NoFiles(const NoFiles&) = delete;
  NoFiles& operator=(const NoFiles&) = delete;

 private:
  rlimit before_ = {};
};

TEST(TraceErrors, report_files_that_cannot_be_opened) {
  const TraceFile file(kHeader);
  std::string complaint;
  {
    const NoFiles no_files;
    complaint = complaint_of(read_lock_trace(file.path(), {}));
  }
  EXPECT_EQ(complaint, file.path() +
                           ": cannot be opened; check its permissions, and how many "
                           "files are open");
}

// A file whose disk fails in the middle of it.
class BrokenDisk final : public std::streambuf {
 public:
  explicit BrokenDisk(std::string good) : good_(std::move(good)) {
    setg(good_.data(), good_.data(), good_.data() + good_.size());
  }

 protected:
  int_type underflow() override { throw std::ios_base::failure("broken"); }

 private:
  std::string good_;
};

TEST(TraceErrors, report_read_errors) {
  BrokenDisk disk(kHeader + "1,1,x\n");
  std::istream in(&disk);
  EXPECT_EQ(complaint_of(read_lock_trace(in, "t.csv", {})),
            "t.csv: cannot be read to its end; check the disk");
}

}  // namespace
}  // namespace latchlab
