"""For tools/mutate --locks: faults of one line as schemata, all in one binary.

LATCHLAB_MUTANT=LOCK:NUMBER selects one fault of this lock when the program starts; without it the
program has no fault.

A co_await never stands within a conditional expression: GCC 12 destroys its temporaries twice.
"""
import re

import faults

HEADER = '''#pragma once
#pragma GCC system_header
#include <cstdlib>
#include <string_view>
#include <type_traits>

namespace latchlab_mutants {{

inline const int chosen_{lock} = [] {{
  const char* const given = std::getenv("LATCHLAB_MUTANT");
  const std::string_view mine = "{lock}:";
  if (given == nullptr || std::string_view(given).substr(0, mine.size()) != mine) return 0;
  return std::atoi(given + mine.size());
}}();
inline bool {lock}(int number) {{
  return chosen_{lock} == number;
}}
// In functions that the compiler may also have to call: there they are as written.
constexpr bool {lock}_at_run_time(int number) {{
  return !std::is_constant_evaluated() && chosen_{lock} == number;
}}

}}  // namespace latchlab_mutants
'''
FIXED_HEADS = re.compile(r'\benum\b|\bcase\b|\btemplate (?=<)|\bconstexpr\b|(?<=\w)<(?=[^ \n=])')
PLANTED = re.compile(r'(?<!!)\bPLANTED\(\w+\)( \?)?')
COLON = re.compile(r'(?<!:):(?!:)')
COMMENT = re.compile(r'//[^\n]*')


def statement_end(text, at):
    """The position after the ; or block that ends the statement which begins here."""
    depth = 0
    for at in range(at, len(text)):
        depth += (text[at] in faults.OPENING) - (text[at] in faults.CLOSING)
        if depth < 0 or (depth == 0 and text[at] in ';}' and text[at + 1:at + 2] != ';'):
            break
    return at + 1


def fixed_spans(text):
    """(start, end) of what is decided at compile time, or belongs to a planted bug; and, apart, the
    bodies of functions that may be called either way."""
    fixed, either = [], []
    for found in FIXED_HEADS.finditer(text):
        start, head = found.start(), found[0]
        if head == 'case':
            fixed.append((start, COLON.search(text, start).end()))
        elif head in ('<', 'template '):
            inside = re.compile(r'<[^<>;(){}]*(?:<[^<>;(){}]*>[^<>;(){}]*)*>').match(
                text, found.end() if head != '<' else start)
            if inside:
                fixed.append((start, inside.end()))
        elif head == 'constexpr' and text[:start].endswith('if '):
            fixed.append((start, faults.closing(text, text.index('(', start))))
        else:
            end = statement_end(text, start)
            is_function = head == 'constexpr' and re.match(r'[^=;{]*[\w=>]\(', text[start:end])
            (either if is_function else fixed).append((start, end))
    for found in PLANTED.finditer(text):
        start = max(text.rfind(c, 0, found.start()) for c in ';{}') + 1
        end = statement_end(text, found.end())
        head = re.compile(r'\s*(?:else )?(?:if|while) \(').match(text, start)
        if head:
            end = statement_end(text, faults.closing(text, head.end() - 1) + 1)
        if found[1]:
            start, end = found.start(), COLON.search(text, found.end()).end()
        if '||' not in text[start:end]:
            fixed.append((start, end))
            for call in re.finditer(r'\b(\w+)\((?!\w*\) \?)', text[start:end]):
                fixed += helper(text, call[1], (start, end))
    return fixed, either


def helper(text, name, caller):
    """The function of this name, if no other code in the file calls it."""
    found = [use for use in re.finditer(rf'\b{name}\(', text)
             if not caller[0] <= use.start() < caller[1]]
    if len(found) != 1:
        return []
    head = faults.closing(text, found[0].end() - 1) + 1
    body = re.match(r'(?: const| override)* (?=\{)', text[head:])
    return [(found[0].start(), statement_end(text, head))] if body else []


def touches(spans, start, end):
    return any(start < stop and begin < end for begin, stop in spans)


def ends_operand(before, c, after):
    """What binds less than a comparison: && and ||, = but no ==, : but no ::"""
    return (c in '&|' and c in (before, after)) or (c == ':' and ':' not in before + after) or \
        (c == '=' and after != '=' and before not in '=!<>')


def operands(text, start, end):
    """Start and end of the comparison that has this operator."""
    first, depth = start, 0
    while first > 0:
        around = text[max(first - 2, 0):first + 1].rjust(3)
        before, c, after = around
        depth += (c in faults.CLOSING) - (c in faults.OPENING)
        if depth < 0 or (depth == 0 and (c in ',;?' or (c + after) == '}\n' or
                                         ends_operand(before, c, after))):
            break
        first -= 1
    words = list(re.finditer(r'\b(?:(?:co_)?return|else)\b', text[first:start]))
    first += words[-1].end() if words else 0
    first += len(text[first:start]) - len(text[first:start].lstrip())
    last, depth = end, 0
    while last < len(text):
        before, c, after = text[last - 1:last + 2].ljust(3)
        depth += (c in faults.OPENING) - (c in faults.CLOSING)
        if depth < 0 or (depth == 0 and (c in ',;?' or ends_operand(before, c, after))):
            break
        last += 1
    return first, first + len(text[first:last].rstrip())


def one_line(code):
    return re.sub(r'\s*\n\s*', ' ', COMMENT.sub('', code))


class Schema:
    """A fault, and what stands in its place: start to end of the file becomes `make(inner)`, where
    `inner(a, b)` is what stands from a to b, with the other faults there."""

    def __init__(self, start, end, make):
        self.start, self.end, self.make = start, end, make


def schema(fault, original, text, chosen):
    """The schema of a fault; None: it cannot be selected at run time. `text` is blanked, `chosen`
    is a C++ expression."""
    start, end = fault.start, fault.end
    if fault.kind == 'constant':
        return Schema(start, end, lambda inner: f'({chosen} ? {fault.text} : {inner(start, end)})')
    if fault.kind == 'negated':
        return Schema(start, end, lambda inner:
                      f'({chosen} != static_cast<bool>({inner(start, end)}))')
    if fault.kind == 'dropped' and fault.text == 'false':
        return Schema(start, end, lambda inner: f'!{chosen} && ({inner(start, end)})')
    if fault.kind == 'dropped':
        return Schema(start, end, lambda inner: f'{{ if (!{chosen}) {{ {inner(start, end)} }} }}')
    if fault.kind == 'comparison':
        first, last = operands(text, start, end)
        if 'co_await' in text[first:last]:
            return None
        other = one_line(original[first:start] + fault.text + original[end:last])
        return Schema(first, last, lambda inner: f'({chosen} ? ({other}) : ({inner(first, last)}))')
    if fault.kind == 'swapped':
        second, first = map(len, fault.text.split(', '))

        def swapped(inner):
            one, other = inner(start, start + first), inner(end - second, end)
            return f'({chosen} ? {other} : {one}), ({chosen} ? {one} : {other})'
        return Schema(start, end, swapped)
    first, second = next((one, two) for one, two in faults.movable(text)
                         if (min(one, two)[0], max(one, two)[1]) == (start, end))
    before, after = (chosen, '!' + chosen) if second < first else ('!' + chosen, chosen)

    def moved(inner):
        move, stay = inner(*first), inner(*second)
        ways = [f'if ({before}) {{ {move} }}', stay, f'if ({after}) {{ {move} }}']
        return ' '.join(ways[:2]) + '\n' * original.count('\n', start, end) + ways[2]
    return Schema(start, end, moved)


def fits(new, placed):
    """Whether it is within another one, around it or apart from it, but does not cross it."""
    return all(new.end <= old.start or old.end <= new.start or
               (old.start <= new.start and new.end <= old.end) or
               (new.start <= old.start and old.end <= new.end) for old in placed)


def composed(original, schemata):
    def inner(within, begin, stop):
        pieces, at = [], begin
        outer = sorted((s for s in within if begin <= s.start and s.end <= stop),
                       key=lambda s: (s.start, -s.end))
        for each in outer:
            if each.start < at:
                continue
            rest = [s for s in outer if s is not each]
            pieces += [original[at:each.start], each.make(lambda a, b, r=rest: inner(r, a, b))]
            at = each.end
        return ''.join(pieces) + original[at:stop]
    return inner(schemata, 0, len(original))


def with_header(code, lock, file):
    include = f'#include "core/protocols/{lock}/mutants_of_{lock}.h"\n'
    if file.endswith('.h'):
        guard, found, rest = code.partition('#pragma once\n')
        return f'{guard}{found}#pragma GCC system_header\n{include}#line ' \
               f'{guard.count(chr(10)) + 2}\n{rest}'
    return f'{include}#line 1\n{code}'
