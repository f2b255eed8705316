"""For tools/mutate: a copy of the tree, built and tested with one fault at a time."""
import hashlib
import json
import os
import re
import shutil
import subprocess
import tempfile
from collections import Counter
from pathlib import Path

from common import INVALID, KILLED, ROOT, SAME, SURVIVED, die, fill

TEST_SECONDS = 60  # without a fault the longest test takes seventeen
# What they look at has no faults of ours; of the last one ctest runs nothing.
NO_PROGRAMS = {'tidy', 'new_protocol', 'soft_mlx5'}
NO_TESTS = r'^Bench\.'  # ten seconds, and about speed only
FABRIC = 'fabric'  # the part of tests/soft_mlx5/run that is no program: the doctor, and runs
FABRIC_NEEDS = ['bin/latchlab', 'lib/libsoft_mlx5.so']


def made_for(name):
    """The build targets that the tests of this name need."""
    return FABRIC_NEEDS if name == FABRIC else [f'tests/test_{name}']


def cpu_seconds():
    """CPU seconds of the commands so far, on all cores; independent of other load."""
    spent = os.times()
    return spent.children_user + spent.children_system


class Copy:
    """A copy of the tree, its build, and the results of its tests."""

    def __init__(self, directory, jobs):
        # As far below its sources as the project's own build, and with its flags, so that ccache
        # knows what that build has compiled.
        self.tree, self.jobs = directory / 'tree', jobs
        self.build = self.tree / 'build/dev'
        self.spent, self.environment = Counter(), dict(os.environ)
        sources = fill(self.tree)
        linker = next((name for name in ('lld', 'gold') if shutil.which('ld.' + name)), 'bfd')
        self.build.mkdir(parents=True, exist_ok=True)
        self.must('cmake', '-S', self.tree, '--preset', 'dev',
                  '-DLATCHLAB_UNITS=OFF',  # a fault changes one file
                  f'-DCCACHE={self.tree / "tools/mutation/compile"}',
                  f'-DCMAKE_EXE_LINKER_FLAGS=-fuse-ld={linker}',
                  f'-DLATCHLAB_TEST_SECONDS={TEST_SECONDS}')
        targets = self.must('ninja', '-t', 'targets', 'all')
        programs = set(re.findall(r'^tests/test_(\w+):', targets, re.M)) - NO_PROGRAMS
        programs.add(FABRIC)
        self.must('ninja', '-j', jobs,
                  *(made for name in sorted(programs) for made in made_for(name)))
        self.objects, self.programs = {}, {}  # what each test program is linked of, and runs
        for name in programs:
            made = made_for(name)
            inputs = self.must('ninja', '-t', 'inputs', *made).split('\n')
            self.objects[name] = {i for i in inputs if i.endswith('.o')}
            self.programs[name] = made + [
                i for i in inputs if i and not i.startswith(('/', '..')) and
                (self.build / i).is_file() and os.access(self.build / i, os.X_OK)]
        everything = set().union(*self.objects.values(), *self.programs.values())
        self.digests = {made: self.digest(made) for made in sorted(everything)}
        self.users = {}  # of each source file, the objects that are made of it
        for line in self.must('ninja', '-t', 'deps').split('\n'):
            source = re.match(f'    (?:../..|{self.tree})/(.*)', line)  # the first is by ccache
            if source:
                self.users.setdefault(source[1], set()).add(made)
            elif line[:1] not in ('', ' '):
                made = line.split(': #deps')[0]
        self.tests = {name: ''.join(p.read_text() for p in (ROOT / 'tests' / name).glob('*.[ch]*'))
                      for name in programs}
        self.seconds = self.baseline(directory / 'baseline.json', sources)
        # Objects with faults are never used again, so they stay out of the cache.
        self.environment['CCACHE_READONLY'] = '1'
        self.environment['WARNINGS'] = 'allowed'

    def baseline(self, memory, sources):
        """CPU seconds of each test program on the code as it is, where all tests must pass."""
        known = json.loads(memory.read_text()) if memory.exists() else {}
        if known.get('sources') != sources:
            known = {'sources': sources, 'seconds': {}}
            for name in sorted(self.objects):
                self.spent.clear()
                failed = self.failing_test(name)
                if failed:
                    die(f'{failed} fails without any fault')
                known['seconds'][name] = self.spent['test']
            memory.write_text(json.dumps(known))
        return known['seconds']

    def run(self, *command):
        before = cpu_seconds()
        done = subprocess.run([str(word) for word in command], text=True, errors='replace',
                              cwd=self.build, env=self.environment,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        builds = command[0] in ('cmake', 'ninja')
        self.spent['build' if builds else 'test'] += cpu_seconds() - before
        return done

    def must(self, *command):
        done = self.run(*command)
        return done.stdout if done.returncode == 0 else die(f'{done.args}\n{done.stdout}')

    def digest(self, made):
        """Digest of an object or a program without debug information, which has columns of code."""
        with tempfile.NamedTemporaryFile() as bare:
            stripped = subprocess.run(['objcopy', '--strip-debug', made, bare.name],
                                      cwd=self.build, stderr=subprocess.DEVNULL).returncode == 0
            content = Path(bare.name if stripped else self.build / made).read_bytes()
            return hashlib.sha1(content).digest()

    def are_as_before(self, all_made):
        return all(self.digest(made) == self.digests[made] for made in all_made)

    def failing_test(self, name):
        """The first test of a program that fails, twice in a row; None: all pass."""
        if name == FABRIC:
            return self.failing_of_fabric() and self.failing_of_fabric()
        done = self.run('ctest', '-L', f'^{name}$', '-E', NO_TESTS, '-j', self.jobs,
                        '--stop-on-failure', '--no-tests=error', '--repeat', 'until-pass:2')
        failed = re.search(r'FAILED:\s*\d+ - (\S+).* \((.*)\)$', done.stdout, re.M)
        what = f'{failed[1]} ({failed[2]})' if failed else f'test_{name}'
        return None if done.returncode == 0 else what

    def failing_of_fabric(self):
        done = self.run(self.tree / 'tests/soft_mlx5/run', self.build, FABRIC)
        failed = re.search(r'^FAILED  (.*)', done.stdout, re.M)
        return None if done.returncode == 0 else failed[1] if failed else FABRIC

    def nearest_first(self, file):
        """Test programs, ordered: first those that include the file's header, or most headers of
        its folder; then quick ones."""
        header, folder = re.sub(r'\.cc$', '.h', file), '/'.join(file.split('/')[:2])
        return sorted(self.objects, key=lambda name: (
            -self.tests[name].count(f'#include "{header}"'),
            -self.tests[name].count(f'#include "{folder}/'), self.seconds[name]))

    def verdict(self, file):
        """The verdict on the current copy, which differs from the tree in this file."""
        changed = False
        for name in self.nearest_first(file):
            objects = sorted(self.objects[name] & self.users.get(file, set()))
            if not objects:
                continue
            if self.run('ninja', '-j', self.jobs, *objects).returncode != 0:
                return INVALID, ''
            if self.are_as_before(objects):
                continue
            changed = True
            linked = self.run('ninja', '-j', self.jobs, *made_for(name))
            if linked.returncode != 0:  # it may also be that the program cannot list its tests
                invalid = re.search('undefined (?:symbol|reference)', linked.stdout)
                return (INVALID, '') if invalid else (KILLED, f'test_{name} as it starts')
            if self.are_as_before(self.programs[name]):  # nothing of the file is used there
                continue
            failed = self.failing_test(name)
            if failed:
                return KILLED, failed
        return (SURVIVED if changed else SAME), ''

    def judge(self, fault):
        path, self.spent = self.tree / fault.file, Counter()
        original = path.read_text()
        path.write_text(original[:fault.start] + fault.text + original[fault.end:])
        try:
            result, test = self.verdict(fault.file)
        finally:
            path.write_text(original)
        return [result, test, f'{self.spent["build"]:.0f}', f'{self.spent["test"]:.0f}']
