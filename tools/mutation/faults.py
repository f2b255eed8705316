"""For tools/mutate: the possible faults of one line in C++ sources, and their order in a draw.
Sources are read as clang-format writes them: a < between spaces compares, one without is a bracket.
"""
import bisect
import hashlib
import re
from collections import namedtuple

KINDS = ['comparison', 'constant', 'dropped', 'negated', 'order', 'swapped']
# `text` replaces the file from `start` to `end`; `line`, from 1, becomes `after`, as does the next
# line if two lines are exchanged.
Fault = namedtuple('Fault', 'file line kind start end text before after')

TEXTS = re.compile(r'''//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"
    |(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+'|^[ \t]*\#(?:\\\n|[^\n])*''', re.S | re.M | re.X)
CHECKS = re.compile(r'\b(?:static_assert|PATH|LATCHLAB_\w+)(\()|\[(\[)')
# What a condition guards once checks and labels are blanked, if it guards nothing else.
IDLE = re.compile(r'\s*(?:;|\{[\s;]*\})(?:\s*else\s*(?:;|\{[\s;]*\}))?(?!\s*else\b)')
COMPARISON = re.compile(r'(?<= )(?:<=|>=|==|!=|<|>)(?=[ \n])')
NEIGHBOUR = {'<': '<=', '<=': '<', '>': '>=', '>=': '>', '==': '!=', '!=': '=='}
CONSTANT = re.compile(r"(?<![\w.'])(?:(0x[\da-fA-F']+|\d[\d']*)([uUlL]*)|true|false)(?![\w.'])")
HEAD = re.compile(r'(?:if|while)(?: constexpr)? (\()')
BODY = re.compile(r'(?:\} )?(?:else )?(?:if|while|for)(?: constexpr)? (\()|else ')
BEFORE = re.compile(r'(?:[;{})]|\belse|\b(?:case [^;]*|default):)$')
SIMPLE = r'([&*]?\w+(?:(?:\.|->|::)\w+|\(\)|\[\w+\])*)'
PAIR = re.compile(rf'(?:(?<=\()|(?<=, ))(?={SIMPLE}, {SIMPLE}[,)])')
NO_ORDER = ('if', 'while', 'for', 'switch', 'return', 'min', 'max')  # of arguments
ASSIGNMENT = re.compile(r' (?:[-+*/%&|^]|<<|>>)?= ?')
LEAVING = re.compile(r'(?:co_)?return\b|break;|continue;')
STATEMENT = re.compile(r'(?!(?:(?:co_)?return|else|break|continue|using|case|if|for|while)\b)\S')
VERB = re.compile(r'\bco_await\b|\.(?:post|send|reply|wake|store|issue|call)\(')
NO_VERB = re.compile(r'\w*\.mark\(|;')
OPENING, CLOSING = '([{', ')]}'


def spaces(code):
    return re.sub(r'[^\n]', ' ', code)


def blanked(text):
    """The text with everything that is not code replaced by neutral characters."""
    text = TEXTS.sub(lambda found: re.sub(r'[^\n]', '"' if found[0][0] in '"\'R' else ' ',
                                          found[0]), text)
    for found in list(CHECKS.finditer(text)):
        end = closing(text, found.start(found.lastindex)) + 1
        text = text[:found.start()] + spaces(text[found.start():end]) + text[end:]
    for found in reversed(list(re.finditer(r'\bif (\()', text))):  # what follows an else first
        idle = IDLE.match(text, closing(text, found.start(1)) + 1)
        if idle:
            end = idle.end()
            text = text[:found.start()] + spaces(text[found.start():end - 1]) + ';' + text[end:]
    return text


def closing(text, at):
    depth = 0
    for at in range(at, len(text)):
        depth += (text[at] in OPENING) - (text[at] in CLOSING)
        if depth == 0:
            break
    return at


def opening(text, at):
    """The innermost bracket that is open at this position."""
    depth = 0
    while at > 0 and depth >= 0:
        at -= 1
        depth += (text[at] in CLOSING) - (text[at] in OPENING)
    return at


def condition_start(text, end):
    """Where the condition of a ?: begins, on its line."""
    at, depth = end, 0
    while at > 0 and text[at - 1] != '\n':
        c, around = text[at - 1], text[max(at - 2, 0):at + 1]
        ends = c in ',;?' or (c == '=' and not re.search('[=!<>]=|==', around)) or \
            (c == ':' and '::' not in around)
        if depth == 0 and (c in OPENING or ends):
            break
        depth += (c in CLOSING) - (c in OPENING)
        at -= 1
    at += re.match(r'\s*(?:(?:co_)?return )?', text[at:end]).end()
    return at if depth == 0 else end


def is_call_or_assignment(statement):
    """Whether it is a call or an assignment; reserve() affects only time, and does not count."""
    flat, before = statement[:-1], None
    while flat != before:  # brackets and what they hold: a declaration has a space outside of them
        before = flat
        flat = re.sub(r'\([^()[\]{}]*\)|\[[^()[\]{}]*\]|\{[^()[\]{}]*\}', '@', flat)
    flat = re.sub(r'(?<=\w)<[^<>]*>', '', re.sub(r'^co_await ', '', flat))
    parts = ASSIGNMENT.split(flat, maxsplit=1)
    if len(parts) == 2:
        return ' ' not in parts[0] and parts[1] not in ('default', 'delete')
    if ' ' in flat or re.match(r'~?[A-Z]\w*@|(?:co_)?return\b|.*\breserve@', flat):
        return False
    return flat.endswith('@') or flat.startswith(('++', '--')) or flat.endswith(('++', '--'))


def dropped_statement(text, start, end):
    """Where the statement of this line that may be left out begins; None: there is none."""
    start += len(text[start:end]) - len(text[start:end].lstrip())
    head = BODY.match(text, start, end)
    if head:
        start = closing(text, head.start(1)) + 2 if head[1] else head.end()
    elif not BEFORE.search(text[:start].rstrip()[-80:]):
        return None
    statement = text[start:end].rstrip()
    if is_whole(statement) and is_call_or_assignment(statement):
        return start, start + len(statement)
    return None


def is_whole(statement):
    balanced = all(statement.count(a) == statement.count(b) for a, b in zip(OPENING, CLOSING))
    return statement.endswith(';') and statement.count(';') == 1 and balanced


def leaves(text, after):
    """Whether what follows the condition of an `if` ends with a jump, and no `else` follows it."""
    start = after + re.match(r'\s*', text[after:]).end()
    if text[start] != '{':
        end = text.find(';', start) + 1
        last = text[start:end]
    else:
        end = closing(text, start) + 1
        last = re.split(r'[;{}]', text[start + 1:end].rstrip(' \n};'))[-1].strip() + ';'
    return bool(LEAVING.match(last)) and not re.match(r'\s*else\b', text[end:])


def movable(text):
    """(position of S, position of T) for adjacent statements of one line each, of which one is a
    verb: S is a call or an assignment, and moves to the other side of T."""
    lines = [(found.start() + len(found[0]) - len(found[0].lstrip()), found.end(), found[0])
             for found in re.finditer(r'[^\n]+', text)]
    whole = [None if not is_whole(line.strip()) or not STATEMENT.match(line.strip()) or
             not BEFORE.search(text[:start].rstrip()[-80:]) else
             (start, start + len(line.strip())) for start, _, line in lines]
    for one, other in zip(whole, whole[1:]):
        if one is None or other is None or re.search(r'\S', text[one[1]:other[0]]):
            continue
        first, second = text[slice(*one)], text[slice(*other)]
        if NO_VERB.match(first) or NO_VERB.match(second) or first == second or \
                not (VERB.search(first) or VERB.search(second)):
            continue
        if is_call_or_assignment(first):
            yield one, other
        elif is_call_or_assignment(second):
            yield other, one


def faults_of(original):
    """(kind, start, end, new text) of every fault that could be made in a source file."""
    text = blanked(original)
    for found in COMPARISON.finditer(text):
        yield 'comparison', *found.span(), NEIGHBOUR[found[0]]
    for found in CONSTANT.finditer(text):
        if found[1] is None:
            yield 'constant', *found.span(), 'false' if found[0] == 'true' else 'true'
        elif not re.search(r'\)[\w ]*= $', text[max(found.start() - 30, 0):found.start()]):
            digits = found[1].replace("'", '')
            value = int(digits, 16) if digits[:2] == '0x' else int(digits)
            new = 0 if value == 1 else value + 1
            yield 'constant', *found.span(), (hex(new) if 'x' in digits else str(new)) + found[2]
    for found in HEAD.finditer(text):
        start, end = found.end(), closing(text, found.start(1))
        start += re.match(r'(?:[^\n]*; )?', text[start:end]).end()
        if not re.search(r'[^=!<>]=[^=]|\n', text[start:end]):
            yield 'negated', start, end, f'!({original[start:end]})'
            if found[0] == 'if (' and leaves(text, closing(text, found.start(1)) + 1):
                yield 'dropped', start, end, 'false'
    for found in re.finditer(r' \?(?=\s)', text):
        start, end = condition_start(text, found.start()), found.start()
        if start < end:
            yield 'negated', start, end, f'!({original[start:end]})'
    for found in PAIR.finditer(text):
        bracket = opening(text, found.start())
        call = re.search(r'(\w+)>?\($', text[max(bracket - 60, 0):bracket + 1])
        if call and call[1] not in NO_ORDER and found[1] != found[2]:
            yield 'swapped', found.start(1), found.end(2), f'{found[2]}, {found[1]}'
    for line in re.finditer(r'[^\n]+', text):
        statement = dropped_statement(text, *line.span())
        if statement:
            yield 'dropped', *statement, ';'
    for one, other in movable(text):
        (start, middle), (next_start, end) = sorted((one, other))
        between = original[middle:next_start]
        yield 'order', start, end, original[next_start:end] + between + original[start:middle]


def all_faults(root, folders):
    for folder in folders:
        inside = [root / folder] if (root / folder).is_file() else (root / folder).rglob('*')
        for path in (p for p in inside if p.suffix in ('.cc', '.h')):
            original, file = path.read_text(), str(path.relative_to(root))
            starts = [0] + [found.end() for found in re.finditer('\n', original)]
            for kind, start, end, text in faults_of(original):
                line = bisect.bisect(starts, start)
                begin, stop = starts[line - 1], original.find('\n', end)
                yield Fault(file, line, kind, start, end, text, *(
                    re.sub(r'\s*\n\s*', ' ', lines) for lines in (
                        original[begin:stop], original[begin:start] + text + original[end:stop])))


def draw(root, seed, folders):
    """All faults in the order in which this seed draws them: each is equally likely everywhere."""
    def lot(fault):
        place = f'{seed}:{fault.file}:{fault.kind}:{fault.start}:{fault.text}'
        return hashlib.sha256(place.encode()).hexdigest()
    return sorted(set(all_faults(root, folders)), key=lot)
