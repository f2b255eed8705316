#include <fmt/format.h>

#include <utility>

#include "core/scenario/section_expect.h"
#include "core/scenario/sections.h"

namespace latchlab {
namespace {

struct Column {};

const Keys& column_keys() {
  static const Keys keys = rows<Column>({
      {"metric", said<Column>(KeyKind::text), "", ""},
      {"factor", said<Column>(KeyKind::figure), "", ""},
      {"tolerance", said<Column>(KeyKind::ratio), "", ""},
      {"absolute", said<Column>(KeyKind::figure), "", ""},
  });
  return keys;
}

// Each cell of a table copies the table's common keys. This bounds the bytes that hostile text can
// create.
constexpr std::size_t kMostBytes = 16 << 20;

class Expander {
 public:
  void add_entry(const YamlNode& entry, const std::string& path) {
    require_map(entry, path, "a mapping such as {id: ..., kind: value, ...}");
    const YamlNode* profiles = entry.find("profile");
    if (!profiles || !profiles->is_map()) {
      add_single(entry, path);
      return;
    }
    for (const YamlEntry& profile : profiles->entries) add_profile(entry, profile, path);
  }
  std::vector<FlatExpectation> take() { return std::move(flat_); }

 private:
  void add_profile(const YamlNode& entry, const YamlEntry& profile, const std::string& path) {
    const std::string where = fmt::format("{}.profile.{}", path, profile.key);
    if (!profile.value.is_map())
      reject(profile.place, "{} holds {}; expected what it adds to where, such as {{label: paper}}",
             where, kind_name(profile.value));
    YamlNode copy = entry;
    copy.set("profile", yaml_text(profile.key, profile.place));
    YamlNode& merged = where_of(copy);
    for (const YamlEntry& value : profile.value.entries) merged.set(value.key, value.value);
    if (YamlNode* id = copy.find("id"); id && id->is_scalar()) id->text += "@" + profile.key;
    add_single(copy, path);
  }

  // The mapping `where`; creates it if absent.
  static YamlNode& where_of(YamlNode& entry) {
    if (YamlNode* where = entry.find("where"); where && !where->is_null()) {
      require_map(*where, "where", "a mapping such as {label: cas}");
      return *where;
    }
    return entry.set("where", yaml_map(entry.place));
  }

  void add_single(const YamlNode& entry, const std::string& path) {
    const YamlNode* kind = entry.find("kind");
    if (kind && kind->is_scalar() && kind->text == "table")
      add_table(entry, path);
    else
      add_flat(entry, path);
  }

  void add_flat(YamlNode node, std::string path) {
    if (flat_.size() >= kMostExpectations)
      reject(node.place, "expect has more than {} figures; split the scenario", kMostExpectations);
    const YamlSize size = size_of(node);
    bytes_ += size.nodes * sizeof(YamlNode) + size.bytes;
    if (bytes_ > kMostBytes)
      reject(node.place, "expect is too large: its cells repeat long texts or conditions");
    flat_.push_back({std::move(node), std::move(path)});
  }

  void add_table(const YamlNode& entry, const std::string& path) {
    read_keys(expect_keys(), entry, path, nullptr);
    const auto text = [&](const char* key) {
      return scalar(*entry.find(key), path_of(path, key), "a text");
    };
    const std::string id = text("id");
    const std::string over = text("over");
    const std::string unit = entry.find("unit") ? text("unit") : "";
    const YamlNode& columns = *entry.find("columns");
    const YamlNode& rows = *entry.find("rows");
    require_entries(columns, path + ".columns");
    require_entries(rows, path + ".rows");
    YamlNode model = entry;
    for (const char* key : {"over", "columns", "rows", "unit"}) model.erase(key);
    model.set("kind", yaml_text("value"));
    for (const YamlEntry& row : rows.entries) {
      where_of(model).set(over, yaml_text(row.key));
      where_of(model).place = row.place;
      model.set("id", yaml_text(fmt::format("{}/{}", id, row.key)));
      add_row(model, row, columns, unit, fmt::format("{}.rows.{}", path, row.key));
    }
  }

  static void require_entries(const YamlNode& node, const std::string& path) {
    if (!node.is_map() || node.entries.empty())
      reject(node.place, "{} holds {}; expected a mapping with at least one entry", path,
             kind_name(node));
  }

  void add_row(const YamlNode& model, const YamlEntry& row, const YamlNode& columns,
               const std::string& unit, const std::string& path) {
    if (!row.value.is_sequence() || row.value.items.size() != columns.entries.size())
      reject(row.place,
             "{} has {}; expected a list of {}, one for each column, with null where nothing was "
             "printed",
             path,
             row.value.is_sequence() ? fmt::format("{} cells", row.value.items.size())
                                     : kind_name(row.value),
             columns.entries.size());
    for (std::size_t i = 0; i < columns.entries.size(); ++i)
      if (!row.value.items[i].is_null())
        add_cell(model, row.value.items[i], columns.entries[i], unit, path);
  }

  void add_cell(const YamlNode& model, const YamlNode& cell, const YamlEntry& column,
                const std::string& unit, const std::string& row_path) {
    const std::string path = fmt::format("{}.{}", row_path, column.key);
    YamlNode node = model;
    node.place = cell.place;
    YamlNode id = *model.find("id");
    id.text += "/" + column.key;
    id.place = cell.place;
    node.set("id", std::move(id));
    YamlNode value = cell;
    scalar(cell, path, "a number or null");
    value.text += unit;
    node.set("value", std::move(value));
    if (column.value.is_map()) {
      read_keys(column_keys(), column.value, "columns." + column.key, nullptr);
      for (const YamlEntry& each : column.value.entries) node.set(each.key, each.value);
    } else {
      node.set("metric", column.value);
    }
    add_flat(std::move(node), path);
  }

  std::vector<FlatExpectation> flat_;
  std::size_t bytes_ = 0;
};

}  // namespace

std::vector<FlatExpectation> expand_expectations(const YamlNode* list) {
  Expander expander;
  if (!list || list->is_null()) return {};
  if (!list->is_sequence())
    reject(list->place, "expect holds {}; expected a list such as [{{id: ..., kind: value, ...}}]",
           kind_name(*list));
  for (std::size_t i = 0; i < list->items.size(); ++i)
    expander.add_entry(list->items[i], fmt::format("expect.{}", i));
  return expander.take();
}

}  // namespace latchlab
