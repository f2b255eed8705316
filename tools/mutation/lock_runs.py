"""For tools/mutate --locks: runs a lock's tests, searches and verdicts on each mutant."""
import json
import os
import re
import resource
import signal
import subprocess
import threading
import time
from collections import Counter, namedtuple
from concurrent.futures import ThreadPoolExecutor

from common import EQUIVALENT, KILLED, ROOT, SURVIVED, Report, die, fill
from lock_mutants import Mutants, made_of

TARGETS = ['test_protocols', 'test_explore', 'test_simgrid', 'latchlab']
STAGES = ['test', 'search', 'verdict']
AT_LEAST_SECONDS, TIMES = 20, 10  # of what a check takes without a mutant
BYTES = 6 << 30
PAGE = 'docs/scenario-reference.md'
TEST = re.compile(r'^(?:TEST|TEST_F|TEST_P)\((\w+),\s*(\w+)\)', re.M)
# `passes` judges the exit status and the output.
Check = namedtuple('Check', 'stage name command passes')


def limit():
    resource.setrlimit(resource.RLIMIT_DATA, (BYTES, BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


class Copy:
    """A copy of the tree with the mutants of some locks, and its programs."""

    def __init__(self, directory, jobs):
        self.directory, self.jobs = directory, jobs
        self.tree, self.build = directory / 'tree', directory / 'build'
        if not (self.build / 'compile_commands.json').exists():
            fill(self.tree)
            self.must('cmake', '--preset', 'dev', '-DLATCHLAB_UNITS=OFF', '-B', self.build)

    def must(self, *command):
        done = subprocess.run([str(word) for word in command], cwd=self.tree, text=True,
                              errors='replace', stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        return done.stdout if done.returncode == 0 else die(f'{done.args}\n{done.stdout}')

    def make(self, all_mutants):
        texts = {}
        for mutants in all_mutants:
            texts.update(mutants.overlay())
        lists = 'CMakeLists.txt'  # in conditions that compilers would rather not see
        names = ' '.join(file for file in sorted(texts) if file.endswith('.cc'))
        texts[lists] = (ROOT / lists).read_text() + (
            f'\nset_source_files_properties({names} PROPERTIES COMPILE_OPTIONS -w)\n')
        self.sources = fill(self.tree, texts)
        self.must('cmake', '--build', self.build, '-j', self.jobs, '--target', *TARGETS)

    def run(self, check, mutant, seconds):
        """Whether it passes, and how it ended; the seconds that it took."""
        environment = dict(os.environ, LATCHLAB_MUTANT=mutant)
        began = time.monotonic()
        child = subprocess.Popen(check.command, cwd=self.build / 'tests', env=environment,
                                 text=True, errors='replace', stdout=subprocess.PIPE,
                                 stderr=subprocess.DEVNULL, start_new_session=True,
                                 preexec_fn=limit)
        try:
            said, _ = child.communicate(timeout=seconds)
            passes, how = check.passes(child.returncode, said), f'exit {child.returncode}'
        except subprocess.TimeoutExpired:
            passes, how = False, 'timeout'
        finally:
            if child.poll() is None:
                os.killpg(child.pid, signal.SIGKILL)
                child.wait()
        return passes, how, time.monotonic() - began

    # ---- the programs that run for a lock ----

    def tests(self, program):
        """Full names, as --gtest_filter takes them."""
        suite, names = '', []
        for line in self.must(self.build / 'tests' / program, '--gtest_list_tests').split('\n'):
            line = line.split('  #')[0]
            if line.startswith('  '):
                names.append(suite + line.strip())
            elif line.endswith('.'):
                suite = line
        return names

    def checks(self, lock, listed):
        """`listed`: of each program, the names of its tests."""
        folder = ROOT / 'tests/protocols'
        walks = [folder / 'registry_test.cc', folder / 'paths_test.cc']  # over all locks
        found = []
        for program, stage, files in (
                ('test_protocols', 'test', [*(folder / lock).glob('*_test.cc'), *walks]),
                ('test_simgrid', 'test', []),
                ('test_explore', 'search', list((folder / lock).glob('*_search.cc')))):
            declared = {f'{suite}.{name}' for file in files
                        for suite, name in TEST.findall(file.read_text())}
            for name in listed[program]:
                plain = '.'.join(re.sub(r'^\w+/(\w+\.\w+)/.*', r'\1', name).split('.'))
                if plain in declared or re.search(rf'/{lock}(?:_\w+)?$', name):
                    found.append(Check(stage, f'{program} {name}', [
                        str(self.build / 'tests' / program), f'--gtest_filter={name}'], passed))
        program = str(self.build / 'bin/latchlab')
        page = (ROOT / PAGE).read_text()
        found.append(Check('test', PAGE, [program, 'schema', '--markdown'],
                           lambda status, said: status == 0 and said == page))
        for expected, words in quick_verdicts(folder / lock / 'verdicts'):
            command = [program, 'explore', '--protocol', lock, *words, '--json', '--quiet', '--out',
                       str(self.directory / 'traces')]
            found.append(Check('verdict', ' '.join([lock, *words]), command,
                               lambda status, said, expected=expected:
                               status in (0, 1) and verdict_of(said) == expected))
        return found


def passed(status, _):
    return status == 0


def quick_verdicts(path):
    """(expected verdict, arguments) of the quick rows: see tools/verify."""
    rows = [re.split(' *[|] *', line) for line in path.read_text().split('\n')] \
        if path.exists() else []
    return [(row[3], row[4].split()) for row in rows if len(row) == 5 and row[2] == 'quick']


def verdict_of(said):
    try:
        kinds = sorted(each['wrong'] for each in json.loads(said)['violations'])
    except (ValueError, KeyError):
        return None
    return '+'.join(kinds) or 'sound'


class Trial:
    """The trial of one lock's mutants, in a copy that exists."""

    def __init__(self, copy, mutants):
        self.copy, self.mutants = copy, mutants
        memory = copy.directory / f'{mutants.name}.baseline.json'
        known = json.loads(memory.read_text()) if memory.exists() else {}
        listed = {program: copy.tests(program) for program in TARGETS[:-1]}
        checks = list({check.name: check for lock in made_of(mutants.name)
                       for check in copy.checks(lock, listed)}.values())
        if known.get('sources') != copy.sources:
            known = {'sources': copy.sources, 'seconds': {}}
            for check in checks:
                passes, how, seconds = copy.run(check, '', 600)
                if passes:
                    known['seconds'][check.name] = seconds
                else:
                    print(f'  left out: {check.name}: {how} without a mutant', flush=True)
            memory.write_text(json.dumps(known))
        self.seconds = known['seconds']
        self.checks = sorted((check for check in checks if check.name in self.seconds),
                             key=lambda c: (STAGES.index(c.stage), self.seconds[c.name]))

    def judge(self, number, fault):
        """[result, by, build s, test s]"""
        if why := self.mutants.why_equivalent(fault):
            return [EQUIVALENT, why, '-', '0']
        total = 0
        for check in self.checks:
            allowed = max(AT_LEAST_SECONDS, TIMES * self.seconds[check.name])
            passes, how, seconds = self.copy.run(check, f'{self.mutants.name}:{number}', allowed)
            total += seconds
            if not passes:
                return [KILLED, f'{check.stage}: {check.name} ({how})', '-', f'{total:.0f}']
        return [SURVIVED, '', '-', f'{total:.0f}']

    def go_on(self, report, left):
        def one(numbered):
            number, fault = numbered
            found = self.judge(number, fault)
            row = [str(number), f'{fault.file}:{fault.line}', fault.kind, *found,
                   fault.before.strip(), fault.after.strip()]
            with writing:
                report.add(row)
                print('{}  {}  {}: {} {}\n  - {}\n  + {}'.format(*row[:5], *row[7:]), flush=True)

        writing = threading.Lock()
        with ThreadPoolExecutor(int(self.copy.jobs)) as pool:
            try:
                list(pool.map(one, left))
            except BaseException:
                pool.shutdown(cancel_futures=True)
                raise


def settled(row, fault, again, mutants):
    """Whether the fault needs no trial; `row` is its earlier result, or None."""
    if row is None or row[7:9] != [fault.before.strip(), fault.after.strip()]:
        return False
    if mutants.why_equivalent(fault):
        return row[3] == EQUIVALENT
    return row[3] == KILLED or (row[3] == SURVIVED and not again)


def summary(mutants, report):
    rows = [row for number, row in report.rows.items() if number <= len(mutants.chosen)]
    by = Counter(row[4].split(':')[0] for row in rows if row[3] == KILLED)
    dead = sum(by.values())
    tried = sum(row[3] != EQUIVALENT for row in rows)
    left = ', '.join(f'{count} {why}' for why, count in mutants.left.items() if count)
    lines = [f'{mutants.name}: {dead} of {tried} died (' +
             ', '.join(f'{by[stage]} by a {stage}' for stage in STAGES) +
             f'); {len(rows) - tried} equivalent; {mutants.places} places, of which left out: '
             f'{left or "none"}']
    lines += [f'  survived: {row[0]}  {row[1]}  {row[2]}\n    - {row[7]}\n    + {row[8]}'
              for row in rows if row[3] == SURVIVED]
    seen = {(row[1].split(':')[0], row[2], row[7], row[8]) for row in rows}
    lines += [f'  not among these, though said to be equivalent: {" | ".join(each)}'
              for each in mutants.equivalents if each not in seen]
    return '\n'.join(lines), 10 * dead >= 9 * tried


def try_locks(given, names):
    """Whether nine of ten mutants of every lock died."""
    directory = given.build.resolve()
    copy = Copy(directory, str(given.jobs))
    everything = [Mutants(name, given.seed, given.count) for name in names]
    with ThreadPoolExecutor(given.jobs) as pool:
        list(pool.map(lambda mutants: mutants.draw(directory, copy.build), everything))
    copy.make(everything)
    texts, enough = [], True
    for mutants in everything:
        print(f'# {mutants.title}', flush=True)
        report = Report(directory / f'{mutants.name}.tsv', mutants.title)
        left = [(number, fault) for number, fault in enumerate(mutants.chosen, 1)
                if not settled(report.rows.get(number), fault, given.again, mutants)]
        if left:
            Trial(copy, mutants).go_on(report, left)
        text, good = summary(mutants, report)
        print(text, flush=True)
        texts, enough = texts + [text], enough and good
    print('\n' + '\n'.join(texts))
    return enough
