"""For tools/mutate --locks: the mutants of one lock, drawn until as many as wanted compile."""
import hashlib
import json
import re
import shlex
import subprocess
from collections import Counter

import faults
import schemata
from common import ROOT, die

PROTOCOLS = 'core/protocols'
INCLUDE = re.compile(r'^#include "([^"]+)"', re.M)


def lock_names():
    return sorted(p.name for p in (ROOT / PROTOCOLS).iterdir() if (p / f'{p.name}.h').is_file())


def sources(name):
    """The files of a lock, and the shared files that no other lock uses."""
    folder = ROOT / PROTOCOLS
    users = {}
    for path in (p for p in folder.rglob('*') if p.suffix in ('.cc', '.h')):
        file = str(path.relative_to(ROOT))
        for included in INCLUDE.findall(path.read_text()):
            if included != file[:-2] + 'h':
                users.setdefault(included, set()).add(file)
    own = {str(p.relative_to(ROOT)) for p in (folder / name).rglob('*.[ch]*')}
    shared = {str(p.relative_to(ROOT)) for p in (folder / 'common').glob('*.h')}
    while True:
        more = {file for file in shared - own if users.get(file) and users[file] <= own}
        if not more:
            return sorted(own)
        own |= more | {file[:-1] + 'cc' for file in more if (ROOT / (file[:-1] + 'cc')).is_file()}


def made_of(name):
    """This lock, then the locks that use its parts."""
    others = [other for other in lock_names() if other != name and any(
        f'#include "{PROTOCOLS}/{name}/' in path.read_text()
        for path in (ROOT / PROTOCOLS / other).glob('*.[ch]*'))]
    return [name, *others]


def equivalents(name):
    """Faults that give an equivalent lock, and why: one row each, see tools/mutate."""
    path = ROOT / 'tests/protocols' / name / 'equivalent_faults'
    rows = [line.split('\t') for line in path.read_text().split('\n')
            if line and not line.startswith('#')] if path.exists() else []
    for row in rows:
        if len(row) != 5:
            die(f'{path}: not five fields with tabs between them: {row}')
    return rows


def texts_of(fault):
    return fault.file, fault.kind, fault.before.strip(), fault.after.strip()


class File:
    def __init__(self, file):
        self.file, self.original = file, (ROOT / file).read_text()
        self.blank = faults.blanked(self.original)
        self.fixed, self.either = schemata.fixed_spans(self.blank)


class Mutants:
    """Of one lock: `chosen`, the faults in the order of their numbers, from 1; `left`, how many
    places could not be used, and why."""

    def __init__(self, name, seed, count):
        self.name, self.count, self.left = name, count, Counter()
        self.files = {file: File(file) for file in sources(name)}
        everywhere = faults.draw(ROOT, seed, list(self.files))
        self.drawn = [f for f in everywhere if not schemata.touches(
            self.files[f.file].fixed, f.start, f.end)]
        self.places = len(everywhere)
        self.left['fixed at compile time, or of planted bugs'] = len(everywhere) - len(self.drawn)
        said = repr((self.drawn, count, sorted(f.original for f in self.files.values())))
        self.digest = hashlib.sha256(said.encode()).hexdigest()[:12]
        self.title = f'{name}, seed {seed}: at most {count} of {self.places} places, {self.digest}'
        rows = equivalents(name)
        self.equivalents = {tuple(row[:4]): row[4] for row in rows}
        known = Counter(tuple(row[:4]) for row in rows)
        for texts, places in Counter(map(texts_of, self.drawn)).items():
            if places != known.get(texts, places):
                die(f'{name} has {places} places that say {texts}: is each of them equivalent? '
                    'Then there is a row for each')
        self.chosen = []

    def why_equivalent(self, fault):
        return self.equivalents.get(texts_of(fault))

    def schema(self, number, fault):
        file = self.files[fault.file]
        run_time = schemata.touches(file.either, fault.start, fault.end)
        chosen = f'latchlab_mutants::{self.name}{"_at_run_time" if run_time else ""}({number})'
        return schemata.schema(fault, file.original, file.blank, chosen)

    def texts(self, chosen):
        """Texts of all files with one of these (number, fault), and of files that they include."""
        made = {f'{PROTOCOLS}/{self.name}/mutants_of_{self.name}.h':
                schemata.HEADER.format(lock=self.name)}
        for file in {fault.file for _, fault in chosen}:
            placed = [self.schema(number, fault) for number, fault in chosen if fault.file == file]
            code = schemata.composed(self.files[file].original, placed)
            made[file] = schemata.with_header(code, self.name, file)
        return made

    def overlay(self):
        return self.texts(list(enumerate(self.chosen, 1)))

    def draw(self, directory, build):
        """Draws mutants; the compiler of `build`, a build of the tree, decides which compile."""
        memory = directory / f'{self.name}.drawn.json'
        known = json.loads(memory.read_text()) if memory.exists() else {}
        digest = [self.digest, sorted(map(list, self.equivalents))]
        if known.get('digest') != digest:
            waiting, chosen = list(self.drawn), []
            while True:
                self.fill_up(waiting, chosen)
                bad = self.not_compiling(chosen, directory / 'check' / self.name, build)
                if not bad:
                    break
                self.left['did not compile'] += len(bad)
                chosen = [fault for fault in chosen if fault not in bad]
            known = {'digest': digest, 'left': self.left,
                     'chosen': [self.drawn.index(fault) for fault in chosen]}
            memory.write_text(json.dumps(known))
        self.left = Counter(known['left'])
        self.chosen = [self.drawn[index] for index in known['chosen']]

    def fill_up(self, waiting, chosen):
        while waiting and sum(not self.why_equivalent(f) for f in chosen) < self.count:
            fault = waiting.pop(0)
            new = self.schema(0, fault)
            beside = [self.schema(0, other) for other in chosen if other.file == fault.file]
            if new is None:
                self.left['co_await in a comparison'] += 1
            elif not schemata.fits(new, beside):
                self.left['across one that was drawn before'] += 1
            else:
                chosen.append(fault)
        return chosen

    def not_compiling(self, chosen, scratch, build):
        wrong = self.errors(chosen, scratch, build)
        if not wrong:
            return []
        lines = {tuple(found) for found in re.findall(r'(core/protocols/[\w/.]+):(\d+)', wrong)}
        suspects = [fault for fault in chosen if (fault.file, str(fault.line)) in lines]
        for some in (suspects, chosen):  # an error may show at a line beside the fault's
            bad = [fault for fault in some if self.errors([fault], scratch, build)]
            if bad:
                return bad
        return die(f'the mutants of {self.name} compile one by one, not together:\n{wrong}')

    def errors(self, chosen, scratch, build):
        """The compiler's messages about these mutants; '': it accepts them."""
        texts = self.texts(list(enumerate(chosen, 1)))
        for file, text in texts.items():
            (scratch / file).parent.mkdir(parents=True, exist_ok=True)
            (scratch / file).write_text(text)
        headers = any(file.endswith('.h') and file in self.files for file in texts)
        said = []
        for file in (f for f in self.files if f.endswith('.cc') and (headers or f in texts)):
            (scratch / file).parent.mkdir(parents=True, exist_ok=True)
            if file not in texts:
                (scratch / file).write_text(self.files[file].original)
            command = compile_command(build, file)
            at = command.index('-c')
            done = subprocess.run(
                [command[0], '-I', str(scratch), *command[1:at], '-w', '-fsyntax-only',
                 str(scratch / file)],
                cwd=build, text=True, errors='replace', stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT)
            said += [done.stdout] if done.returncode != 0 else []
        for file in texts:
            (scratch / file).unlink()
        return '\n'.join(said)


def compile_command(build, file):
    """The command with which protocols are shipped, from the compiler up to -c."""
    for entry in json.loads((build / 'compile_commands.json').read_text()):
        if entry['file'].endswith('/' + file) and 'latchlab_protocols.dir' in entry['command']:
            words = shlex.split(entry['command'])
            words = words[next(i for i, word in enumerate(words) if word.endswith('++')):]
            output = words.index('-o')
            return words[:output] + words[output + 2:]
    return die(f'{build} does not compile {file}')
