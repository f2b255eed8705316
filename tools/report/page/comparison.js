// Compares a run with the first run of the page: their settings and the metrics of their points.

// Shortens "platform.clients_per_node=16" to "clients_per_node=16".
const shortPlace = (where) => where.replace(/[^ =]*\.(?=[^ =.]*=)/g, '');

function comparisonTable(found) {
  const rows = found.pairs.flatMap((pair) =>
    pair.metrics.map((metric) => ({...metric, pair})));
  const times = d3.format('.3~f');
  const verdict = (row) => row.pair.unsound || row.pair.emulated ||
    (row.ratio === undefined ? 'not measured' : row.better ? (row.better > 0 ? 'better' : 'worse')
      : row.ahead ? (row.ahead > 0 ? 'more' : 'less') : 'undecided');
  const value = (name) => ({name: found[name], get: (row) => row[name],
    text: (row) => (typeof row[name] === 'number' ? shortText(kindOf(row.metric), row[name]) : '–')});
  const columns = [
    {name: 'lock', left: true, get: (row) => row.pair.lock},
    {name: 'where', left: true, get: (row) => shortPlace(row.pair.where)},
    {name: 'metric', left: true, title: 'Sort by metric', get: (row) => metricWords(row.metric)},
    value('first'), value('second'),
    {name: 'ratio', title: `${found.second} over ${found.first}`, get: (row) => row.ratio,
      text: (row) => (typeof row.ratio === 'number' ? times(row.ratio) : '–')},
    {name: '95% interval', get: (row) => row.low,
      text: (row) => (typeof row.low === 'number' ? `${times(row.low)} to ${times(row.high)}`
        : 'unknown')},
    {name: `${found.second} is`, left: true, get: verdict,
      mark: (row) => (row.pair.unsound ? 'bad' : row.ahead ? '' : 'weak')},
  ];
  return sortedTable(`${found.second} over ${found.first}`, columns, rows);
}

// The errors of a simulation relative to a measurement.
function errorTable(found) {
  const [predicted, measured] = found.simulated.first ? ['first', 'second'] : ['second', 'first'];
  const rows = found.pairs.flatMap((pair) => pair.metrics.map((metric) => ({...metric, pair})));
  const share = d3.format('+.1%');
  const verdict = ({pair, error}) => pair.unsound || pair.emulated || (!error ? 'not measured'
    : error.ahead ? (error.ahead > 0 ? 'too much' : 'too little')
      : error.low === null ? 'undecided' : 'within chance');
  const value = (name, says) => ({name: `${found[name]} ${says}`, get: (row) => row[name],
    text: (row) => (typeof row[name] === 'number' ? shortText(kindOf(row.metric), row[name]) : '–')});
  const columns = [
    {name: 'lock', left: true, get: (row) => row.pair.lock},
    {name: 'where', left: true, get: (row) => shortPlace(row.pair.where)},
    {name: 'metric', left: true, title: 'Sort by metric', get: (row) => metricWords(row.metric)},
    value(predicted, 'predicts'), value(measured, 'measured'),
    {name: 'error', title: 'Simulated over measured, less 1', get: (row) => row.error?.relative,
      text: (row) => (row.error ? share(row.error.relative) : '–')},
    {name: '95% interval', get: (row) => row.error?.low,
      text: (row) => (typeof row.error?.low === 'number'
        ? `${share(row.error.low)} to ${share(row.error.high)}` : 'unknown')},
    {name: 'predicted', left: true, get: verdict,
      mark: (row) => (row.pair.unsound || row.pair.emulated ? 'bad'
        : row.error?.ahead ? '' : 'weak')},
  ];
  return [sortedTable(`${found[predicted]} as a prediction of ${found[measured]}`, columns, rows),
    el('ul', {}, found.errors.map((each) => {
      const {lock, where} = found.pairs[each.greatest_at];
      return el('li', {}, `${metricWords(each.metric)}: off by ${d3.format('.1%')(each.median)} in ` +
        `the median of ${each.points} points, by ${d3.format('.1%')(each.greatest)} at most (${lock}` +
        `${where ? `, ${shortPlace(where)}` : ''})`);
    }))];
}

function explanationLines(found) {
  return found.explanation ? [el('p', {}, 'Which constants of the model would explain it:'),
    el('ul', {}, found.explanation.says.map((each) => el('li', {}, each)))] : null;
}

// `decided`: whether each lock but the last is ahead of the next one.
function orderText(locks, decided) {
  return locks.map((lock, i) => (i === 0 ? '' : decided[i - 1] ? ' > ' : ' ~ ') + lock).join('');
}

function rankLines(found) {
  return found.ranks.map((each) => el('li', {}, `${each.where ? `${shortPlace(each.where)}: ` : ''}` +
    `${each.emulated ? `${each.emulated}: ` : ''}Kendall's tau ${d3.format('.2f')(each.tau)}. ` +
    `${found.first}: ${orderText(each.first, each.first_decided)}; ` +
    `${found.second}: ${orderText(each.second, each.second_decided)}.`,
  each.changed.map(([before, after]) => ` Decidedly changed places: ${before} and ${after}.`)));
}

function partnerless(name, points) {
  return points.length ? folded(`Only in ${name}: ${points.length}`,
    el('ul', {}, points.map((each) => el('li', {}, each)))) : null;
}

// Null if the part has no comparison.
function comparisonSection(part, index) {
  const found = part.comparison;
  if (!found) return null;
  const differences = found.differences.map((each) => el('li', {},
    `${each.path}: ${each.first} → ${each.second}` + (each.points < found.pairs.length
      ? ` (at ${each.points} of ${found.pairs.length} points)` : '')));
  const emulated = ['first', 'second'].flatMap((which) => found.emulated[which].map((each) =>
    el('li', {}, `${found[which]} emulates ${each}`)));
  return section(`${found.second} beside ${found.first}`, `comparison-${index}`,
    el('p', {}, differences.length ? 'What differs:' : 'Nothing differs but the results.'),
    el('ul', {}, differences, emulated),
    !found.pairs.length ? el('p', {}, 'No point is in both.')
      : found.simulated.first === found.simulated.second ? comparisonTable(found)
        : errorTable(found),
    explanationLines(found),
    partnerless(found.first, found.only_first), partnerless(found.second, found.only_second),
    found.ranks.length ? [el('p', {}, 'The order of the locks by goodput (~: undecided; ' +
      'tau 1: the same in both, -1: the reverse):'), el('ul', {}, rankLines(found))] : null);
}
