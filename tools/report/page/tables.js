// Tables: all points, published figures, constants of the NIC.

// columns: [{name, title, get(row), text(row), mark(row), left, key}]. A click on a head sorts by
// `get`; a second click reverses the order. In print, a table that is too wide is split, and each
// part begins with the `key` columns.
function sortedTable(caption, columns, rows, start) {
  const state = {column: start === undefined ? -1 : start, down: false};
  const body = el('tbody');
  const side = (column) => (column.left ? 'left' : '');
  const heads = columns.map((column, i) => el('th', {scope: 'col', class: side(column)},
    button(column.name, column.title || `Sort by ${column.name}`, () => {
      state.down = state.column === i && !state.down;
      state.column = i;
      fill();
    })));
  const cell = (column, row, i) => el(i ? 'td' : 'th', {scope: i ? null : 'row',
    class: `${side(column)} ${column.mark ? column.mark(row) : ''}`.trim() || null},
  column.text ? column.text(row) : String(column.get(row)));
  function sorted() {
    const order = rows.slice();
    if (state.column >= 0) {
      const get = columns[state.column].get;
      order.sort((a, b) => (compared(get(a), get(b)) || rows.indexOf(a) - rows.indexOf(b)) *
        (state.down ? -1 : 1));
    }
    return order;
  }
  function fill() {
    heads.forEach((head, i) => head.setAttribute('aria-sort',
      i !== state.column ? 'none' : state.down ? 'descending' : 'ascending'));
    body.replaceChildren(...sorted().map((row) =>
      el('tr', {}, columns.map((column, i) => cell(column, row, i)))));
  }
  fill();
  const box = el('div');
  addEventListener('beforeprint', () => box.append(...sheets(columns, sorted(), cell)));
  addEventListener('afterprint', () => box.querySelectorAll('.sheet').forEach((each) =>
    each.remove()));
  const table = el('table', {}, el('caption', {}, caption),
    el('thead', {}, el('tr', {}, heads)), body);
  const csv = () => csvText([columns.map((column) => column.name),
    ...rows.map((row) => columns.map((column) => column.get(row)))]);
  box.append(el('div', {class: 'tools'}, button('CSV', `Download “${caption}”`,
    () => download(`${fileName(caption)}.csv`, 'text/csv', csv()))),
  el('div', {class: 'wide', tabindex: 0, role: 'region', 'aria-label': caption}, table));
  return box;
}

// The table for print, split into as many tables as its width requires.
const SHEET = 112;  // characters across, as page.css prints them
const pieces = (name) => name.split(/(?<=_|[a-z]\.)/);

function sheets(columns, rows, cell) {
  const longest = (column) => 2 + d3.max([...pieces(column.name), ...rows.flatMap((row) => {
    const text = column.text ? column.text(row) : String(column.get(row));
    return column.left ? text.slice(0, 30) : text.split(' ');
  })], (each) => each.length);
  const isKey = (column) => column.key || column === columns[0];
  const keys = columns.filter(isKey);
  const parts = [];
  let room = 0;
  for (const column of columns.filter((each) => !isKey(each))) {
    const width = longest(column);
    if (!parts.length || width > room) {
      parts.push(keys.slice());
      room = SHEET - d3.sum(keys, longest);
    }
    parts[parts.length - 1].push(column);
    room -= width;
  }
  return parts.map((part) => el('table', {class: 'sheet'},
    el('thead', {}, el('tr', {}, part.map((column) => el('th', {class: column.left ? 'left' : null},
      pieces(column.name).map((piece) => [piece, el('wbr')]))))),
    el('tbody', {}, rows.map((row) =>
      el('tr', {}, part.map((column, i) => cell(column, row, i)))))));
}

// Compares numbers, also those with units, by value; missing values are last.
function compared(a, b) {
  const missing = (value) => value === null || value === undefined || value === '';
  if (missing(a) || missing(b)) return Number(missing(a)) - Number(missing(b));
  const [x, y] = [a, b].map((value) => (typeof value === 'number' ? value : quantity(value)));
  if (x !== null && y !== null) return x - y;
  return String(a).localeCompare(String(b));
}

function cellText(kind, metric) {
  if (!metric) return '–';
  const text = kind === 'time' ? timeText(metric.value, d3.format('.4g')) : kind === 'number'
    ? d3.format(Number.isInteger(metric.value) ? ',' : '.3~f')(metric.value)
    : shortText(kind, metric.value);
  const whole = (each) => each.replace(/ /g, '\u00a0');  // may only break before the interval
  return whole(text) + (metric.ci ? ` ${whole(`± ${shortText(kind, metric.ci)}`)}` : '');
}

function pointTable(part) {
  const axes = axesOf(part).filter((path) => path !== 'protocol' && path !== 'protocol.label');
  const columns = [
    {name: 'lock', left: true, get: (point) => point.label},
    {name: 'point', title: 'Number of the point, as in results.csv', key: true,
      get: (point) => point.index},
    ...axes.map((path) => ({name: path, title: metricWords(path), key: true,
      get: (point) => settingOf(point, path)})),
    {name: 'clients', key: true, get: (point) => point.clients},
    {name: 'verdict', left: true, get: verdictOf,
      mark: (point) => (verdictOf(point) === VERDICTS.ok || point.known ? '' : 'bad')},
    ...DATA.columns.map(([path, name]) => ({title: metricSays(path),
      name: kindOf(path) === 'rate' ? `${name} /s` : name,
      get: (point) => valueOf(point, path),
      text: (point) => cellText(kindOf(path), metricOf(point, path)),
      mark: path === 'stationary' ? (point) => (isUnsteady(point) ? 'bad' : '') : null})),
  ];
  return sortedTable('All points', columns, part.points);
}

function expectationValue(entry, value) {
  if (value === null || value === undefined) return '–';
  return entry.kind === 'value' ? shortText(kindOf(entry.metric), value) : short(value);
}

function heldText(entry) {
  const holds = entry.differences.filter((each) => each.mean !== null && each.ci95 !== null &&
    each.mean > each.ci95).length;
  return `${holds} of ${entry.differences.length} hold`;
}

function expectationTable(part) {
  const isOrder = (entry) => entry.kind === 'order';
  const columns = [
    {name: 'figure', left: true, get: (entry) => entry.id},
    {name: 'kind', left: true, get: (entry) => entry.kind},
    {name: 'metric', left: true, get: (entry) => entry.metric},
    {name: 'published', get: (entry) => entry.published,
      text: (entry) => (isOrder(entry) ? 'order' : expectationValue(entry, entry.published))},
    {name: 'measured', get: (entry) => entry.predicted,
      text: (entry) => (isOrder(entry) ? heldText(entry)
        : expectationValue(entry, entry.predicted))},
    {name: 'error', title: 'Measured against published', get: (entry) => errorOf(entry),
      text: (entry) => signed(errorOf(entry))},
    {name: 'tolerance', get: (entry) => entry.tolerance,
      text: (entry) => (isOrder(entry) ? '–' : `${short(entry.tolerance * 100)}%` +
        (entry.absolute ? ` or ${expectationValue(entry, entry.absolute)}` : ''))},
    {name: 'verdict', left: true, get: (entry) => entry.verdict,
      mark: (entry) => (entry.verdict === 'off' ? 'bad' : '')},
    {name: 'use', left: true, get: (entry) => entry.use},
    {name: 'profile', left: true, get: (entry) => entry.profile || ''},
    {name: 'source', left: true, get: (entry) => entry.source + (entry.disputed
      ? ` (disputed: ${entry.disputed})` : '')},
  ];
  return sortedTable('Published figures', columns, part.results.expectations);
}

function errorOf(entry) {
  return typeof entry.ratio === 'number' ? entry.ratio - 1 : null;
}

function signed(error) {
  return error === null ? '–' : d3.format('+.1%')(error);
}

function statusOf(constant) {
  return constant.overridden ? 'set by the scenario' : constant.status;
}

function constantTable(nic) {
  const columns = [
    {name: 'constant', left: true, get: (each) => each.key},
    {name: 'what it is', left: true, get: (each) => each.says},
    {name: 'value', get: (each) => each.value,
      mark: (each) => (each.value.length > 20 ? 'left' : '')},
    {name: 'range', get: (each) => (each.low ? `${each.low} to ${each.high}` : '')},
    {name: 'status', left: true, get: statusOf,
      mark: (each) => (each.overridden || each.status === 'assumed' ? 'weak' : '')},
    {name: 'source', left: true, get: (each) => each.source},
  ];
  return sortedTable(`Constants of ${nic.name}`, columns, nic.constants);
}

// One row for each pair of locks at each end of a constant's range: the order of the two there.
function sensitivityTable(found) {
  const rows = found.moved.flatMap((moved) => moved.pairs.map((pair) => ({...moved, ...pair})));
  const times = d3.format('.3~f');
  const columns = [
    {name: 'constant', left: true, get: (row) => row.constant},
    {name: 'of', left: true, get: (row) => row.nic},
    {name: 'status', left: true, get: (row) => row.status},
    {name: 'value', get: (row) => row.value},
    {name: 'there', get: (row) => row.at},
    {name: 'goodput of', left: true, get: (row) => row.first},
    {name: 'over that of', left: true, get: (row) => row.second},
    {name: 'is', get: (row) => row.ratio, text: (row) => times(row.ratio)},
    {name: 'and there', get: (row) => row.ratio_at, text: (row) => times(row.ratio_at)},
    {name: 'the order', left: true, get: (row) => row.order,
      mark: (row) => (row.order === 'holds' ? '' : 'weak')},
  ];
  return sortedTable('What moves a ratio by more than 2%', columns, rows);
}
