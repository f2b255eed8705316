// Names of metrics, and numbers with units.

// Headings that no metric describes: kinds of operations, verbs and resources.
const PHASED = {
  'phases_ns.read': 'a shared acquisition',
  'phases_waited_ns.read': 'a shared acquisition that waited',
  'phases_ns.write': 'an exclusive acquisition',
  'phases_waited_ns.write': 'an exclusive acquisition that waited',
  'phases_ns.release': 'a release',
};
const VERBS = {
  read: 'READ', write: 'WRITE', atomic: 'atomics (CAS, FAA)', send: 'SEND (messages)',
  call: 'calls to the server',
};
const RESOURCES = {
  pipeline: 'pipeline of the RNIC', hottest_slot: 'hottest atomic slot',
  window: 'window of admitted atomics', link: 'link',
};

// The name of a scenario's path: "clients per node"; "locks" for locks.count.
function settingWords(path) {
  if (path === 'label') return 'lock';
  if (path.endsWith('.nic')) return 'RNIC';
  const parts = path.split('.');
  const last = parts[parts.length - 1];
  return (last === 'count' && parts.length > 1 ? parts[parts.length - 2] : last)
    .replace(/_/g, ' ');
}

const docOf = (path) => (Object.hasOwn(DATA.metrics, path) ? DATA.metrics[path] : null);

// A metric's name as in the program's output, with its unit if the name lacks it.
function metricWords(path) {
  const doc = docOf(path);
  if (!doc) return settingWords(path);
  return doc.unit === '1/s' ? `${doc.name} (per second)` : doc.name;
}

// The metric's description; empty for a path that is not a metric.
function metricSays(path) {
  const doc = docOf(path);
  return doc ? `${doc.says}${doc.good ? ` ${doc.good}` : ''}` : '';
}

const phaseWords = (phase) => docOf(phase).name;

// time: nanoseconds; rate: per second; share: 0 to 1; number: anything else.
function kindOf(path) {
  if (/_ns(\.|$)/.test(path) && !path.endsWith('.count')) return 'time';
  if (/_s$/.test(path)) return 'rate';
  if (/^retry_share|^waited_share|_share$|utilisation/.test(path)) return 'share';
  return 'number';
}

const TIMES = [[1e9, 's'], [1e6, 'ms'], [1e3, 'µs'], [1, 'ns']];
const grouped = d3.format(',');
const short = d3.format('.4~g');

function timeText(ns, digits = short) {
  const [scale, unit] = TIMES.find(([each]) => Math.abs(ns) >= each) || [1, 'ns'];
  return `${digits(ns / scale)} ${unit}`;
}

// The short form, for ticks and cells.
function shortText(kind, value) {
  if (value === null || value === undefined) return '–';
  if (kind === 'time') return timeText(value);
  if (kind === 'share') return `${d3.format('.3~g')(value * 100)}%`;
  if (value === 0) return '0';
  return Math.abs(value) >= 1000 ? d3.format('.4~s')(value).replace('G', ' G').replace('M', ' M')
    .replace('k', ' k') : short(value);
}

// The exact value, for tooltips and files.
function exactText(kind, value) {
  if (value === null || value === undefined) return 'not measured';
  if (kind === 'time') return `${grouped(value)} ns (${timeText(value)})`;
  if (kind === 'rate') return `${grouped(value)} per second`;
  if (kind === 'share') return `${d3.format('.6~g')(value * 100)}%`;
  return grouped(value);
}

// "50%", "2us", "10M", "4KiB" as a number in base units, times in ns; null: not a quantity.
const UNITS = {
  '': 1, '%': 0.01, ppm: 1e-6, k: 1e3, M: 1e6, G: 1e9, ps: 1e-3, ns: 1, us: 1e3, ms: 1e6, s: 1e9,
  B: 1, kB: 1e3, MB: 1e6, GB: 1e9, KiB: 1024, MiB: 1048576, GiB: 1073741824, Mbps: 1e6, Gbps: 1e9,
};
function quantity(text) {
  const match = /^(-?[0-9.]+(?:e-?[0-9]+)?) ?([a-zA-Z%]*)$/.exec(String(text).trim());
  if (!match || UNITS[match[2]] === undefined) return null;
  const value = Number(match[1]);
  return Number.isFinite(value) ? value * UNITS[match[2]] : null;
}

const VERDICTS = {
  ok: 'ok', starved: 'starved', 'window too short': 'window too short', unsafe: 'UNSAFE',
  stuck: 'DEADLOCK',
  'no progress': 'NO PROGRESS', unavailable: 'UNAVAILABLE',
  failed: 'FAILED', interrupted: 'interrupted',
};
const VERDICT_WORDS = {
  ok: 'nothing wrong was seen',
  starved: 'some clients waited for one lock through the whole window',
  'window too short': 'no cycle ended in the window, and some did after it: nothing was ' +
    'measured',
  unsafe: 'two clients held conflicting grants at once: the lock is broken',
  stuck: 'clients wait, and nothing can ever happen again',
  'no progress': 'every client waited for one lock through the whole window, and something could ' +
    'still happen: the lock hangs, polling, or one cycle takes longer than the window',
  unavailable: 'the backend lacks what this lock needs, or the point is beyond a limit of the ' +
    'lock',
  failed: 'this point could not be run to its end',
  interrupted: 'the run was stopped before this point ended',
};

// Why a point is off its line: the sign that is drawn over its mark, and a text.
const RING = 'M-9,0a9,9 0 1 0 18,0a9,9 0 1 0 -18,0';
const BOX = 'M-8,-8H8V8H-8Z';
const CROSS = 'M-8,-8L8,8M8,-8L-8,8';
const PLUS = 'M-9,0H9M0,-9V9';
const SIGNS = {
  UNSAFE: CROSS, DEADLOCK: CROSS + PLUS, 'NO PROGRESS': CROSS + RING, starved: PLUS,
  'not settled': RING,
};
const signOf = (why) => why.split(', ').map((word) => SIGNS[word] || '').join('') || BOX;

const APART_WORDS = {
  'not settled': 'goodput still rose or fell within the window',
  emulated: 'something else did the work of an RNIC: this validates behaviour, never speed',
  'client-bound': 'the cores that clients share, or a thread of theirs, were busy all the time, ' +
    'and are what was measured',
  unchecked: 'mutual exclusion was not watched',
  'cut sections': 'many sections were cut at the end of their grants, their work undone',
  'expired holds': 'the lock was granted while a client with an expired grant still used it',
  'late effects': 'releases took effect after the lock had been given to another client',
};

function apartSays(why) {
  const says = (word) => {
    const status = Object.keys(VERDICTS).find((each) => VERDICTS[each] === word);
    return status ? VERDICT_WORDS[status] : APART_WORDS[word];
  };
  return `${why}: ${why.split(', ').map(says).join('; ')}`;
}
