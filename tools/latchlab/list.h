#pragma once
// Commands that print what the program knows: `latchlab list`, `schema` and `explain`.

#include <string>

namespace latchlab::tool {

struct ListArguments {
  std::string what;
  std::string data;
  bool json = false;
  bool names = false;     // only names, one per line
  bool markdown = false;  // the tables of docs/locks.md
};
int list(const ListArguments& arguments);
void list_protocols(bool as_json);
int list_markdown(const std::string& what);

struct SchemaArguments {
  bool nic = false;       // the schema of a NIC description, not of a scenario
  bool markdown = false;  // a Markdown page, not JSON
};
int schema(const SchemaArguments& arguments);

struct ExplainArguments {
  std::string name;                // empty: list all topics
  std::string nic = "connectx-5";  // the NIC whose constants are shown
  std::string data;
  bool json = false;
  bool glossary = false;  // print all terms as a page
};
int explain(const ExplainArguments& arguments);

}  // namespace latchlab::tool
