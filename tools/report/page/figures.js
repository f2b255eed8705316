// The figures of the page and their data.

// ---- a metric over an axis ----

// Points that differ in more than the axis and the series are split into one figure for each
// configuration or, if there are many configurations, shown in one figure with a menu.
const MOST_FIGURES = 4;

// of: [{part, each}], where each is a figure of that part; `most`: a value that the y axis covers.
function metricFigures(id, of, most) {
  const apart = unique(of.flatMap(({each}) => each.apart));
  const entries = of.flatMap(({part, each}) => part.points.map((point, i) => ({
    point, text: each.at[i], where: surroundingsOf(point, apart), ...drawnOf(each, point, i),
    name: (of.length > 1 ? `${part.name}: ` : '') + each.line[i],
    style: lineStyle(each.line[i], of.length > 1 ? part : null),
  })).filter(({text}) => each.measured || text !== ''));
  const {x, y, measured, words, relative} = of[0].each;
  const places = unique(entries.map((entry) => entry.where));
  const draw = (place, choice) => metricFigure(id,
    entries.filter((entry) => entry.where === place), {x, y, measured, words, relative, most, place,
      choice});
  if (places.length <= MOST_FIGURES) return places.map((place) => draw(place, null));
  const holder = el('div');
  const show = (place) => {
    const old = figures.findIndex((each) => holder.contains(each.element));
    if (old >= 0) figures.splice(old, 1);
    const choice = selection('for', places.map((each) => [each, each]), place, show);
    holder.replaceChildren(draw(place, choice));
    if (holder.isConnected) figures[figures.length - 1].redraw();
  };
  show(places[places.length - 1]);
  return [holder];
}

// The point's metric and why the line omits the point; for a derived figure (a mean or a quotient)
// what the program has computed.
function drawnOf(each, point, i) {
  if (!each.values) return {metric: metricOf(point, each.y), apart: point.apart};
  const drawn = each.values[i];
  return {metric: drawn, apart: drawn ? drawn.apart : ''};
}

// The name and the kind of y. A quotient has no unit.
const wordsOfY = ({y, words, relative}) =>
  (relative && docOf(y) ? docOf(y).name : metricWords(y)) + (words || '');
const kindOfY = ({y, relative}) => (relative ? 'number' : kindOf(y));

function metricFigure(id, entries, what) {
  const data = metricSeries(entries, what);
  const ys = data.series.flatMap((series) => series.values.map((value) => value.y));
  const xs = data.series.flatMap((series) => series.values.map((value) => value.x));
  const state = {logX: !data.names && isGeometric(xs), logY: spansDecades(kindOfY(what), ys)};
  const hidden = new Set();
  const kind = kindOfY(what);
  let self = null;
  const positive = (values) => values.some((value) => value > 0);
  const again = (key) => (on) => {
    state[key] = on;
    self.redraw();
  };
  const spec = () => ({
    series: data.series,
    x: {title: metricWords(what.x), log: state.logX, names: data.names, format: data.format},
    y: {title: wordsOfY(what), log: state.logY, format: (v) => shortText(kind, v),
      most: what.most},
  });
  const element = figure({
    id,
    title: `${capital(wordsOfY(what))} by ${metricWords(what.x)}` +
      (what.place ? ` (${what.place})` : ''),
    note: [noteOf(entries, what, ys), metricSays(what.y)].filter(Boolean).join(' '),
    controls: [what.choice,
      !data.names && positive(xs) ? checkbox('log x', state.logX, again('logX')) : null,
      positive(ys) ? checkbox('log y', state.logY, again('logY')) : null],
    draw: (svg, width, me) => {
      self = me;
      return drawLines(svg, width, me, spec(), hidden);
    },
    rows: () => [['series', what.x, what.y + (what.words || ''), 'ci95', 'apart'],
      ...data.series.flatMap((series) => series.values.map((value) =>
        [series.name, value.text, value.y, value.ci, value.apart]))],
  });
  return element;
}

function capital(text) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

// Times that differ by more than a factor of 100 get a logarithmic axis.
function spansDecades(kind, values) {
  const positive = values.filter((value) => value > 0);
  return kind === 'time' && positive.length > 1 &&
    d3.max(positive) / d3.min(positive) > 100;
}

function noteOf(entries, {x, y}, ys) {
  if (!ys.length) return `No point has a value for “${y}” over “${x}”.`;
  const notes = [];
  const missing = entries.length - ys.length;
  if (missing) notes.push(`${missing} of ${entries.length} points have no value here.`);
  if (entries.some(({metric}) => (metric || {}).ci))
    notes.push('Bands and whiskers: 95% confidence interval of the mean over the repeats.');
  return notes.join(' ') || null;
}

// If x is measured, a line follows the order of the sweep; otherwise it follows x.
function metricSeries(entries, what) {
  const {x, measured} = what;
  const texts = unique(entries.map((entry) => entry.text));
  const numeric = measured || texts.every((text) => quantity(text) !== null);
  const place = ({point, text}) => (measured ? valueOf(point, x)
    : numeric ? quantity(text) : texts.indexOf(text));
  const byName = new Map();
  const styles = new Map();
  for (const entry of entries) {
    styles.set(entry.name, entry.style);
    if (!byName.has(entry.name)) byName.set(entry.name, []);
    const {metric} = entry;
    const at = place(entry);
    if (!metric || at === null) continue;
    const text = measured ? exactText(kindOf(x), at) : entry.text;
    byName.get(entry.name).push({x: at, text: measured ? at : text, y: metric.value, ci: metric.ci,
      apart: entry.apart, lines: tipOf(entry, text, what)});
  }
  const written = new Map(texts.map((text) => [quantity(text), text]));
  return {
    names: numeric ? null : texts,
    format: (value) =>
      (measured ? shortText(kindOf(x), value) : written.get(value) || short(value)),
    series: [...byName].map(([name, values]) => ({name, style: styles.get(name),
      values: measured ? values : values.sort((a, b) => a.x - b.x)})),
  };
}

function tipOf({name, metric, apart}, text, what) {
  const kind = kindOfY(what);
  const interval = metric.ci === null || metric.ci === undefined ? []
    : [`± ${exactText(kind, metric.ci)} (95% confidence)`];
  return [name, `${metricWords(what.x)}: ${text}`,
    `${wordsOfY(what)}: ${exactText(kind, metric.value)}`, ...interval,
    ...(apart ? [apartSays(apart)] : [])];
}

// ---- distributions ----

function latencyFigure(part) {
  const withCurve = part.points.filter((point) => point.acquire.length);
  if (!withCurve.length) return null;
  const last = placeOf(part.points[part.points.length - 1]);
  const chosen = new Set(withCurve.filter((point) => placeOf(point) === last).slice(0, 10));
  if (!chosen.size) chosen.add(withCurve[withCurve.length - 1]);
  const hidden = new Set();
  let self = null;
  const state = {logX: true, tail: false};
  const change = (key) => (on) => {
    state[key] = on;
    self.redraw();
  };
  const series = () => {
    const shown = withCurve.filter((point) => chosen.has(point));
    const onePlace = unique(shown.map(placeOf)).length < 2;
    return shown.map((point) =>
      curveOf(point, onePlace ? lockName(point) : pointName(point), state.tail));
  };
  const choices = withCurve.map((point) => checkbox(pointName(point), chosen.has(point), (on) => {
    if (on) chosen.add(point); else chosen.delete(point);
    self.redraw();
  }));
  return figure({
    id: 'latencies',
    title: 'How long acquisitions take',
    note: 'Over all acquisitions that ended inside the measured windows, of all repeats together.',
    controls: [el('details', {class: 'points'}, el('summary', {}, 'Points shown'), choices),
      checkbox('log x', state.logX, change('logX')),
      checkbox('log tail', state.tail, change('tail'))],
    draw: (svg, width, me) => {
      self = me;
      return drawLines(svg, width, me, {
        steps: true, series: series(),
        x: {title: 'time of an acquisition', log: state.logX, format: (v) => timeText(v)},
        y: state.tail
          ? {title: 'share that took longer', log: true, format: (v) => shortText('share', v),
            most: 1}
          : {title: 'share that took at most so long', log: false, format: d3.format('.0%'),
            most: 1},
      }, hidden);
    },
    rows: () => [['point', 'acquire_ns', state.tail ? 'longer' : 'share'],
      ...series().flatMap((each) => each.values.map((value) => [each.name, value.x, value.y]))],
  });
}

const placeOf = (point) => surroundingsOf(point, otherAxes(point.part));

// Points of one lock share its colour and differ in dashes.
function curveOf(point, name, tail) {
  const same = point.part.points.filter((each) => each.lock === point.lock);
  const style = styleOf(point.lock);
  const back = same.length - 1 - same.indexOf(point);
  const share = d3.format('.6~g');
  return {
    name,
    style: {...style, dash: DASHES[(style.index + back) % DASHES.length]},
    values: point.acquire.map(([ns, ppm], i) => ({x: ns,
      // No acquisition took longer than the slowest, so the tail ends there at its last height.
      y: !tail ? ppm / 1e6 : ppm < 1e6 ? 1 - ppm / 1e6 : i ? 1 - point.acquire[i - 1][1] / 1e6 : 1,
      lines: [pointName(point), !tail ? `${share(ppm / 1e4)}% took at most`
        : ppm < 1e6 ? `${share((1e6 - ppm) / 1e4)}% took longer than` : 'the slowest took',
      exactText('time', ns)]})),
  };
}

// ---- bars: the points of one configuration ----

// what: {id, title, note, kinds, rows(points), axis, format, share, most}
function barFigure(part, what) {
  const places = unique(part.points.map(placeOf));
  const state = {place: places[places.length - 1], share: what.share && what.share(part.points)};
  let self = null;
  const here = () => part.points.filter((point) => placeOf(point) === state.place &&
    point.metrics !== null);
  const change = (key) => (value) => {
    state[key] = value;
    self.redraw();
  };
  return figure({
    id: what.id, title: what.title, note: what.note,
    controls: [
      places.length < 2 ? null
        : selection('for', places.map((place) => [place, place]), state.place, change('place')),
      what.share ? checkbox('as shares', state.share, change('share')) : null],
    draw: (svg, width, me) => {
      self = me;
      const rows = what.rows(here());
      if (!rows.length) return nothingHere(svg);
      return drawBars(svg, width, me, {...what, rows, share: state.share,
        title: state.share ? 'share of the whole' : what.axis});
    },
    rows: () => [['point', 'what', ...what.kinds.map((kind) => kind.name)],
      ...part.points.flatMap((point) => what.rows([point]).map((row) =>
        [pointName(point), row.group || row.name, ...row.values]))],
  });
}

function nothingHere(svg) {
  svg.append('text').attr('class', 'group').attr('x', 4).attr('y', 20)
    .text('Nothing was measured here.');
  return 40;
}

const PHASE_NAMES = ['IA', 'RT', 'NP', 'WP', 'WR', 'WW', 'NS', 'other'];

function phaseFigure(part) {
  const totals = (points) => points.flatMap((point) => Object.keys(PHASED).map((kind) =>
    d3.sum(PHASE_NAMES, (phase) => valueOf(point, `${kind}.${phase}`) || 0)))
    .filter((total) => total > 0);
  const last = placeOf(part.points[part.points.length - 1]);
  const row = (kind) => (point) => {
    const path = (phase) => `${kind}.${phase}`;
    const values = PHASE_NAMES.map((phase) => valueOf(point, path(phase)) || 0);
    return {
      group: capital(PHASED[kind]), name: lockName(point), values, total: timeText(d3.sum(values)),
      lines: PHASE_NAMES.map((phase, i) => [pointName(point), `${PHASED[kind]}, ${phase}: ` +
        phaseWords(phase), exactText('time', values[i])]),
    };
  };
  return barFigure(part, {
    id: 'phases', title: 'Where the time of an operation goes', axis: 'mean time',
    note: 'Means over all operations of a kind, those that skip a phase included; beside them over ' +
      'those that waited, whose first atomic did not do.',
    kinds: PHASE_NAMES.map((phase, index) => ({name: `${phase}: ${phaseWords(phase)}`, index})),
    format: (value) => timeText(value),
    share: (points) => {
      const all = totals(points.filter((point) => placeOf(point) === last));
      return all.length > 1 && d3.max(all) / d3.min(all) > 20;
    },
    rows: (points) => Object.keys(PHASED).flatMap((kind) => points
      .filter((point) => valueOf(point, `${kind}.other`) !== null).map(row(kind))),
  });
}

function verbFigure(part) {
  const kinds = Object.keys(VERBS);
  return barFigure(part, {
    id: 'verbs', title: 'Verbs per cycle of acquire and release', axis: 'verbs per cycle',
    kinds: kinds.map((kind, index) => ({name: VERBS[kind], index})),
    format: short,
    rows: (points) => points.map((point) => {
      const values = kinds.map((kind) => valueOf(point, `verbs_per_cycle.${kind}`) || 0);
      return {name: lockName(point), values, total: d3.format('.2f')(d3.sum(values)),
        lines: kinds.map((kind, i) =>
          [pointName(point), `${VERBS[kind]}: ${grouped(values[i])} per cycle`])};
    }),
  });
}

function utilisationFigure(part) {
  const path = (resource) => `server_nic.utilisation.${resource}`;
  return barFigure(part, {
    id: 'utilisation', title: 'How busy the busiest server\'s RNIC was', most: 1,
    axis: 'share of the time', kinds: [{name: 'busy', index: 0}],
    format: d3.format('.0%'),
    rows: (points) => Object.keys(RESOURCES).flatMap((resource) => points
      .filter((point) => valueOf(point, path(resource)) !== null).map((point) => {
        const value = valueOf(point, path(resource));
        return {group: capital(RESOURCES[resource]), name: lockName(point), values: [value],
          total: d3.format('.1%')(value),
          lines: [[pointName(point), metricWords(path(resource)), exactText('share', value)]]};
      })),
  });
}
