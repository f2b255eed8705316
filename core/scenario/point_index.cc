#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "core/scenario/quantities.h"
#include "core/scenario/resolve.h"
#include "core/scenario/section_expect.h"
#include "core/scenario/suggestions.h"

namespace latchlab {
namespace {

constexpr std::size_t kMostListed = 12;

// The text itself and its value in every unit that it can be read in. Two texts are equal if they
// share a form.
std::vector<std::string> forms_of(const std::string& text) {
  std::vector<std::string> forms = {"text " + text};
  for (const auto kind :
       {NumberKind::count, NumberKind::ratio, NumberKind::duration, NumberKind::bytes})
    if (const auto number = parse_number(kind, text))
      forms.push_back(fmt::format("{} {}", static_cast<int>(kind), number.value()));
  return forms;
}

bool share_a_form(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  return std::find_first_of(a.begin(), a.end(), b.begin(), b.end()) != a.end();
}

// "clients 5, label cas"
std::string described(const YamlNode& where, std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i)
    text += fmt::format("{}{} {}", i == 0 ? "" : ", ", where.entries[i].key,
                        where.entries[i].value.text);
  return text;
}

std::string listed(std::vector<std::string> words) {
  const bool cut = words.size() > kMostListed;
  if (cut) words.resize(kMostListed);
  return joined(words) + (cut ? ", ..." : "");
}

}  // namespace

// A distribution or a placement may also be given by its kind alone.
PointIndex::Texts PointIndex::texts_at(std::size_t point, const std::string& path) {
  const Point& here = scenario_.points[point];
  if (path == "label") return {here.protocol.label};
  if (path == "clients") return {fmt::format("{}", here.platform.clients())};
  Texts texts;
  for (const auto& [axis, text] : here.axes)
    if (axis == path) texts.push_back(text);
  if (!texts.empty() && !texts.front().starts_with('{')) return texts;
  const YamlNode tree = write_point(here, scenario_.name);
  const YamlNode* node = find_path(tree, path);
  if (node && node->is_map()) node = node->find("kind");
  if (node && node->is_scalar()) texts.push_back(node->text);
  return texts;
}

const std::vector<PointIndex::Value>& PointIndex::values_of(const std::string& path) {
  const auto [at, fresh] = values_.try_emplace(path);
  if (fresh)
    for (std::size_t i = 0; i < scenario_.points.size(); ++i) {
      Value value{texts_at(i, path), {}};
      for (const std::string& text : value.texts)
        for (std::string& form : forms_of(text)) value.forms.push_back(std::move(form));
      at->second.push_back(std::move(value));
    }
  return at->second;
}

PointIndex::Texts PointIndex::choices(const std::string& path,
                                      const std::vector<std::size_t>& points) {
  Texts all;
  for (const std::size_t point : points) {
    const Texts& texts = values_of(path)[point].texts;
    if (!texts.empty() && std::find(all.begin(), all.end(), texts.front()) == all.end())
      all.push_back(texts.front());
  }
  return all;
}

void PointIndex::reject_none(const YamlNode& where, std::size_t at,
                             const std::vector<std::size_t>& before, const SourceLocation& place,
                             const std::string& path) {
  const std::string& wanted = where.entries[at].key;
  const std::string& value = where.entries[at].value.text;
  const Texts known = choices(wanted, before);
  if (known.empty()) {
    Texts paths = {"label", "clients"};
    for (const auto& [axis, text] : scenario_.points.front().axes) paths.push_back(axis);
    reject(place, "{}: points have no {}{}", path, in_quotes(wanted), suggestion(wanted, paths));
  }
  reject(place, "{}: no point{} has {} {}; there is {}{}", path,
         at == 0 ? "" : " with " + described(where, at), wanted, in_quotes(value), listed(known),
         aside(value, known));
}

void PointIndex::reject_several(const std::vector<std::size_t>& found, const SourceLocation& place,
                                const std::string& path) {
  Texts paths = {"label"};
  for (const auto& [axis, text] : scenario_.points.front().axes)
    if (axis != "protocol") paths.push_back(axis);
  std::string which;
  for (const std::string& each : paths) {
    const Texts known = choices(each, found);
    if (known.size() > 1) which += fmt::format("; {}: {}", each, listed(known));
  }
  reject(place, "{} fits {} points; it has to say which{}", path, found.size(), which);
}

std::vector<std::size_t> PointIndex::find_all(const YamlNode& where, const SourceLocation& place,
                                              const std::string& path) {
  std::vector<std::size_t> left(scenario_.points.size());
  std::iota(left.begin(), left.end(), std::size_t{0});
  for (std::size_t i = 0; i < where.entries.size(); ++i) {
    const std::vector<Value>& values = values_of(where.entries[i].key);
    const std::vector<std::string> wanted = forms_of(where.entries[i].value.text);
    std::vector<std::size_t> next;
    for (const std::size_t point : left)
      if (share_a_form(values[point].forms, wanted)) next.push_back(point);
    if (next.empty()) reject_none(where, i, left, place, path);
    left = std::move(next);
  }
  return left;
}

std::size_t PointIndex::find(const YamlNode& where, const SourceLocation& place,
                             const std::string& path) {
  const std::vector<std::size_t> found = find_all(where, place, path);
  if (found.size() > 1) reject_several(found, place, path);
  return found.front();
}

}  // namespace latchlab
