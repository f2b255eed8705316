// Metrics in words, and numbers with their units.

const OPERATIONS = {
  cycle_ns: 'a whole cycle', acquire_ns: 'an acquisition', acquire_read_ns: 'a shared acquisition',
  acquire_write_ns: 'an exclusive acquisition', release_ns: 'a release',
};
const STATISTICS = {
  mean: 'mean', min: 'least', p50: 'median', p90: '90th percentile', p99: '99th percentile',
  p999: '99.9th percentile', max: 'greatest', count: 'number',
};
const PHASES = {
  IA: 'the first atomic', RT: 'retries, with their backoff', NP: 'the message to the predecessor',
  WP: 'waiting for the predecessor', WR: 'waiting for earlier readers',
  WW: 'waiting for writers', NS: 'waiting for and messaging the successor', other: 'all else',
};
const PHASED = {
  read: 'a shared acquisition', write: 'an exclusive acquisition', release: 'a release',
};
const VERBS = {
  read: 'READ', write: 'WRITE', atomic: 'atomics (CAS, FAA)', send: 'SEND (messages)',
  call: 'calls to the server',
};
const RESOURCES = {
  pipeline: 'pipeline of the RNIC', hottest_slot: 'hottest atomic slot',
  window: 'window of admitted atomics', link: 'link',
};
const METRICS = {
  goodput_ops_s: 'goodput (acquire-release cycles per second)',
  background_verbs_s: 'verbs outside of cycles, per second',
  retry_share: 'share of atomics and probing READs that had to be repeated',
  retry_share_acquire: 'share of the atomics of acquisitions that had to be repeated',
  'fairness.jain': 'fairness between clients (Jain\'s index, 1 is even)',
  'fairness.max_bypassed': 'most grants to later requests while one waited',
  'server_nic.verbs_s': 'verbs at the busiest server\'s RNIC, per second',
  'server_nic.slot_wait_ns': 'mean time an atomic waits for its slot',
  stationary: 'goodput of the window\'s second half over its first',
  'open.count': 'acquisitions still open at the end of the window',
  'open.age_mean_ns': 'mean age of what was open at the end of the window',
  'open.age_max_ns': 'greatest age of what was open at the end of the window',
  recoveries: 'recoveries of a lock', aborted_acquisitions: 'acquisitions given up',
  shared_as_exclusive: 'shared acquisitions taken exclusively', clients: 'clients',
  'platform.clients_per_node': 'clients per node', 'platform.client_nodes': 'client nodes',
  'platform.servers': 'servers', 'workload.read_ratio': 'share of reads', 'locks.count': 'locks',
  'workload.distribution.theta': 'skew (Zipf\'s theta)', 'workload.think_time': 'think time',
  'workload.critical_section': 'critical section', label: 'lock',
};

function metricWords(path) {
  if (METRICS[path]) return METRICS[path];
  const [head, ...rest] = path.split('.');
  const last = rest[rest.length - 1];
  if (OPERATIONS[head] && STATISTICS[last])
    return `${STATISTICS[last]} time of ${OPERATIONS[head]}`;
  if (head === 'phases_ns' && PHASED[rest[0]] && PHASES[last])
    return `mean time of ${PHASED[rest[0]]} in ${last} (${PHASES[last]})`;
  if (head === 'verbs_per_cycle' && VERBS[last]) return `${VERBS[last]} per cycle`;
  if (head === 'server_nic' && RESOURCES[last]) return `utilisation: ${RESOURCES[last]}`;
  return path;
}

// time: nanoseconds; rate: per second; share: of 1; number: all else.
function kindOf(path) {
  if (/_ns(\.|$)/.test(path) && !path.endsWith('.count')) return 'time';
  if (/_s$/.test(path)) return 'rate';
  if (/^retry_share|utilisation/.test(path)) return 'share';
  return 'number';
}

const TIMES = [[1e9, 's'], [1e6, 'ms'], [1e3, 'µs'], [1, 'ns']];
const grouped = d3.format(',');
const short = d3.format('.4~g');

function timeText(ns, digits = short) {
  const [scale, unit] = TIMES.find(([each]) => Math.abs(ns) >= each) || [1, 'ns'];
  return `${digits(ns / scale)} ${unit}`;
}

// For ticks and cells.
function shortText(kind, value) {
  if (value === null || value === undefined) return '–';
  if (kind === 'time') return timeText(value);
  if (kind === 'share') return `${d3.format('.3~g')(value * 100)}%`;
  if (value === 0) return '0';
  return Math.abs(value) >= 1000 ? d3.format('.4~s')(value).replace('G', ' G').replace('M', ' M')
    .replace('k', ' k') : short(value);
}

// All digits, with the unit in words.
function exactText(kind, value) {
  if (value === null || value === undefined) return 'not measured';
  if (kind === 'time') return `${grouped(value)} ns (${timeText(value)})`;
  if (kind === 'rate') return `${grouped(value)} per second`;
  if (kind === 'share') return `${d3.format('.6~g')(value * 100)}%`;
  return grouped(value);
}

// "50%", "2us", "10M", "4KiB" as a number of its unit, times in ns; null for what is none.
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
  ok: 'ok', starved: 'starved', unsafe: 'UNSAFE', stuck: 'DEADLOCK', unavailable: 'UNAVAILABLE',
  failed: 'FAILED', interrupted: 'interrupted',
};
const VERDICT_WORDS = {
  ok: 'nothing wrong was seen',
  starved: 'some clients waited for one lock through the whole window',
  unsafe: 'two clients held conflicting grants at once: the lock is broken',
  stuck: 'clients wait, and nothing can ever happen again',
  unavailable: 'the backend lacks what this lock needs',
  failed: 'this point could not be run to its end',
  interrupted: 'the run was stopped before this point ended',
};
