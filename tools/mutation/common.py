"""For tools/mutate: shared functions, and the file to which results are added."""
import hashlib
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import faults

ROOT = Path(__file__).resolve().parent.parent.parent
KILLED, SURVIVED, EQUIVALENT = 'killed', 'survived', 'equivalent'
INVALID, SAME = 'did not compile', 'same object code'


def die(message):
    sys.exit(f'tools/mutate: {message}')


def fill(tree, instead=None):
    """Makes `tree` equal to our tree except for the files in `instead`; returns its digest."""
    instead = instead or {}
    listed = subprocess.run(['git', 'ls-files', '-coz', '--exclude-standard'], cwd=ROOT,
                            check=True, stdout=subprocess.PIPE, text=True).stdout
    files = sorted({f for f in set(listed.split('\0')) if f and (ROOT / f).is_file()} |
                   set(instead))
    digest = hashlib.sha256()
    for file in files:
        target = tree / file
        content = instead[file].encode() if file in instead else (ROOT / file).read_bytes()
        digest.update(f'{file} {len(content)} '.encode() + content)
        if not target.is_file() or target.read_bytes() != content:
            target.parent.mkdir(parents=True, exist_ok=True)
            if file not in instead:
                shutil.copy(ROOT / file, target)
            else:
                target.write_bytes(content)
    for old in [p for p in tree.rglob('*') if p.is_file()]:
        path = str(old.relative_to(tree))
        if path not in files and not path.startswith('build/'):
            old.unlink()
    return digest.hexdigest()


COLUMNS = ['number', 'place', 'kind', 'result', 'by', 'build s', 'test s', 'before', 'after']


def tally(rows):
    count = Counter(row[3] for row in rows)
    return (f'{count[KILLED]} of {count[KILLED] + count[SURVIVED]} died; {count[INVALID]} did not '
            f'compile, {count[SAME]} made the same object code')


def totals(rows):
    folders = {number: '/'.join(row[1].split('/')[:2]) for number, row in rows.items()}
    groups = [(name, [row for number, row in rows.items() if name in (folders[number], row[2])])
              for name in sorted(set(folders.values())) + faults.KINDS]
    return ''.join(f'# {name:20} {tally(group)}\n' for name, group in groups if group) + \
        f'# {"all":20} {tally(rows.values())}\n'


class Report:
    """A file with a row for each fault that was tried, and the totals of the rows."""

    def __init__(self, path, draw):
        self.path, self.rows = path, {}
        commit = subprocess.run(['git', 'describe', '--always', '--dirty'], cwd=ROOT, text=True,
                                stdout=subprocess.PIPE).stdout.strip()
        self.title = [f'# {draw}', f'# commit {commit}', '\t'.join(COLUMNS)]
        if path.exists():
            lines = path.read_text().split('\n')
            if lines[0] != self.title[0]:
                die(f'{path} is about another draw: remove it, or name another with --report')
            rows = [line.split('\t') for line in lines[3:] if line and not line.startswith('# ')]
            self.rows = {int(row[0]): row for row in rows}

    def add(self, row):
        self.rows[int(row[0])] = row
        lines = self.title + ['\t'.join(self.rows[number]) for number in sorted(self.rows)]
        written = self.path.with_suffix('.new')
        written.write_text('\n'.join(lines) + '\n' + totals(self.rows))
        written.replace(self.path)
