// The data of the page, and functions that read it.

const DATA = JSON.parse(document.getElementById('data').textContent);

const PARTS = DATA.parts.map((raw) => {
  const part = {...raw};
  part.points = raw.results.points.map((point, index) =>
    ({...point, ...raw.points[index], index, part}));
  return part;
});
const SEVERAL = PARTS.length > 1;

function walk(object, path) {
  return path.split('.').reduce((at, key) =>
    at !== null && typeof at === 'object' && Object.hasOwn(at, key) ? at[key] : undefined, object);
}

// {value, ci}, or null if the metric was not measured.
function metricOf(point, path) {
  const leaf = walk(point.metrics, path);
  if (typeof leaf === 'number') return {value: leaf, ci: null};
  if (leaf && typeof leaf.mean === 'number') return {value: leaf.mean, ci: leaf.ci95};
  return null;
}

function valueOf(point, path) {
  const metric = metricOf(point, path);
  return metric ? metric.value : null;
}

// Whether a point is ok, but mutual exclusion was not checked.
function isUnchecked(point) {
  return point.status === 'ok' && valueOf(point, 'safety.checks') === null;
}

function verdictOf(point) {
  return point.verdict + (point.known ? ' (known)' : '');
}

// A point's value of a path of the scenario, as the scenario writes it.
function settingOf(point, path) {
  if (Object.hasOwn(point.axes, path)) return point.axes[path];
  const value = walk(point.params, path);
  if (value === undefined || value === null) return '–';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

const axesOf = (part) => Object.keys(part.points[0].axes);
const unique = (list) => [...new Set(list)];
const otherAxes = (part) => axesOf(part).filter((path) => path.split('.')[0] !== 'protocol');

// "workload.read_ratio=95%, platform.clients_per_node=48"; empty without paths.
function surroundingsOf(point, paths) {
  return paths.map((path) => `${path}=${settingOf(point, path)}`).join(', ');
}

// The point's lock, with the reason if figures draw the point off its line.
const lockName = (point) => point.lock + (point.apart ? ` (${point.apart})` : '');

function pointName(point) {
  const rest = surroundingsOf(point, otherAxes(point.part));
  return (SEVERAL ? `${point.part.name}: ` : '') + point.lock + (rest ? `, ${rest}` : '');
}

const isUnsteady = (point) => (point.apart || '').includes('not settled');

// A style per lock: the same in all figures, and for common labels on all pages. The eight colours
// are distinct for most readers; dashes and markers are distinct in greyscale.
const DASHES = ['', '7 3', '2 3', '9 3 2 3', '12 4', '4 2', '1 4', '6 2 2 2 2 2'];
const MARKERS = [d3.symbolCircle, d3.symbolSquare, d3.symbolTriangle, d3.symbolDiamond,
  d3.symbolCross, d3.symbolStar, d3.symbolWye];
function styleNumber(index, shift) {
  return {colour: `var(--s${index % 8})`,
    dash: DASHES[(index + Math.floor(index / 8) + shift) % DASHES.length],
    marker: d3.symbol().type(MARKERS[(index + shift) % MARKERS.length]).size(52)(), index};
}
const USUAL = ['cas-nb', 'cas-b', 'mcs', 'dslr', 'shiftlock', 'cas'];
const styleIndices = new Map();
function styleIndex(name) {
  if (styleIndices.has(name)) return styleIndices.get(name);
  const taken = new Set(styleIndices.values());
  const wanted = USUAL.includes(name.toLowerCase()) ? USUAL.indexOf(name.toLowerCase())
    : [...name].reduce((hash, c) => (hash * 31 + c.codePointAt(0)) % 65521, 7) % 8;
  const free = d3.range(8).map((step) => (wanted + step) % 8).find((index) => !taken.has(index));
  styleIndices.set(name, free === undefined ? styleIndices.size : free);
  return styleIndices.get(name);
}
const styleOf = (name) => styleNumber(styleIndex(name), 0);

// Runs in a common figure share the lock's colour and differ in dashes and markers.
function lineStyle(name, part) {
  return styleNumber(styleIndex(name), part ? PARTS.indexOf(part) : 0);
}

// Sorted, so that styles do not depend on the order of runs and points. Common labels come first,
// so that no other label takes their styles.
const isUsual = (label) => USUAL.includes(label.toLowerCase());
unique(PARTS.flatMap((part) => part.points.map((point) => point.lock))).sort()
  .sort((a, b) => isUsual(b) - isUsual(a)).forEach(styleIndex);
