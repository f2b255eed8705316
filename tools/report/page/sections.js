// The sections of the page from top to bottom, in the order in which a reader judges a run.

function describePoints(points) {
  const names = points.slice(0, 12).map((point) =>
    el('li', {}, pointName(point), messageOf(point)));
  if (points.length > 12) names.push(el('li', {}, `and ${points.length - 12} more`));
  return el('ul', {}, names);
}

function messageOf(point) {
  const said = point.repeats.map((repeat) => repeat.message).find((message) => message);
  return said ? `: ${said}` : '';
}

// One box per verdict that is not ok, worst first; one more for each reason of known problems.
const WORST_FIRST = ['unsafe', 'failed', 'stuck', 'no progress', 'unavailable', 'interrupted',
  'window too short', 'starved'];
const WEAK = ['starved', 'window too short', 'interrupted'];

function verdictBoxes(part) {
  const boxes = WORST_FIRST.map((status) => {
    const points = part.points.filter((point) => point.status === status && !point.known);
    if (!points.length) return null;
    const severe = !WEAK.includes(status);
    return el('div', {class: severe ? 'box bad' : 'box weak', role: severe ? 'alert' : null},
      el('strong', {}, `${VERDICTS[status]}: ${points.length} of ${part.points.length} points. `),
      capital(VERDICT_WORDS[status]), '.', describePoints(points));
  }).filter((box) => box);
  const known = part.points.filter((point) => point.known);
  unique(known.map((point) => point.known)).forEach((why) => {
    const points = known.filter((point) => point.known === why);
    boxes.push(el('div', {class: 'box weak'},
      el('strong', {}, `Known: ${unique(points.map((each) => VERDICTS[each.status])).join(', ')}: ` +
        `${points.length} of ${part.points.length} points. `), capital(why), '.',
      describePoints(points)));
  });
  const unchecked = part.points.filter(isUnchecked);
  if (unchecked.length)
    boxes.push(el('div', {class: 'box weak'},
      el('strong', {}, `Unchecked: ${unchecked.length} of ${part.points.length} points. `),
      'Whether two clients held conflicting grants at once was not checked; on hardware, guard ' +
      'words check it if run.guard is on.', describePoints(unchecked)));
  const emulated = part.points.filter((point) => point.emulated);
  unique(emulated.map((point) => point.emulated)).forEach((why) => {
    const points = emulated.filter((point) => point.emulated === why);
    boxes.push(el('div', {class: 'box weak'},
      el('strong', {}, `Emulated: ${points.length} of ${part.points.length} points. `),
      `${why}. These validate behaviour, never speed, and are never ranked with others.`,
      describePoints(points)));
  });
  (part.remarks || []).forEach((remark) => {
    const at = remark.points.map(([index, found]) =>
      el('li', {}, `${pointName(part.points[index])}: ${found}`));
    boxes.push(el('div', {class: 'box weak'},
      el('strong', {}, `${capital(remark.word)}: ${at.length} of ${part.points.length} points. `),
      `${remark.says}.`, el('ul', {}, at)));
  });
  const fine = el('div', {class: 'box good'}, el('strong', {}, 'No point failed. '),
    'Mutual exclusion was checked during every run and held.');
  return boxes.length ? boxes : [fine];
}

// The parts of the scenario that a quick run omits; null for a full run.
function quickBox(part) {
  const cuts = part.results.manifest.quick;
  return cuts ? el('div', {class: 'box weak'}, el('strong', {}, 'A quick run: '),
    'this was left out.', el('ul', {}, cuts.map((cut) => el('li', {}, cut)))) : null;
}

// The constants of the model on which the order of the locks depends; null without that analysis.
function sensitivityBox(part) {
  const found = part.sensitivity;
  if (!found) return null;
  const firm = found.moved.every((moved) => !moved.broken &&
    moved.pairs.every((pair) => pair.order === 'holds'));
  return el('div', {class: firm ? 'box good' : 'box weak'},
    el('strong', {}, 'Sensitivity of the ranking'),
    el('ul', {}, found.says.map((each) => el('li', {}, each))),
    found.moved.length ? folded(`${found.constants} constants of the model are not published; ` +
      'each was set to both ends of its range, alone', sensitivityTable(found)) : null);
}

function warningBoxes(part) {
  const unsteady = part.points.filter(isUnsteady);
  const lines = part.results.manifest.warnings.slice();
  if (unsteady.length)
    lines.push('Not settled (in brackets, goodput of the window\'s second half over the first): ' +
      unsteady.map((p) => `${pointName(p)} (${d3.format('.2f')(valueOf(p, 'stationary'))})`)
        .join('; ') + '. Lengthen run.duration, set run.warmup to auto, or check whether clients are deadlocked.');
  if (part.points.every((point) => point.repeats.length < 3))
    lines.push('Fewer than three repeats: nothing shows how much seeds differ, so small ' +
      'differences mean nothing. Set run.repeats to 3 or more.');
  if (!lines.length) return null;
  return el('div', {class: 'box weak'}, el('strong', {}, 'To keep in mind'),
    el('ul', {}, lines.map((line) => el('li', {}, line))));
}

// A figure is null if it cannot be drawn; the others are still shown.
function figureSection(title, id, elements) {
  return section(title, id, el('div', {class: 'figures'}, elements.filter((each) => each)));
}

function namedFigures(part) {
  return part.figures.flatMap((each, i) => metricFigures(`named-${i}`, [{part, each}]));
}

function runFigures(part) {
  return [timelineFigure(part), latencyFigure(part), phaseFigure(part), verbFigure(part), utilisationFigure(part),
    ...metricFigures('fairness', [{part, each: part.fairness}], 1)];
}

function expectationSection(part, id) {
  const {expectations, scores} = part.results;
  if (!expectations.length) return null;
  const score = (each) => `${each.ok} of ${each.cells} figures within tolerance` +
    (each.within === null ? '' : ` (${d3.format('.0%')(each.within)})`) +
    (each.median_abs_log2 === null ? ''
      : `, median |log2(measured/published)| ${d3.format('.3f')(each.median_abs_log2)}`) +
    (each.undecided ? `, ${each.undecided} undecided` : '') +
    (each.disputed ? `, ${each.disputed} disputed` : '') +
    ` (${each.use}${each.profile ? `, profile ${each.profile}` : ''})`;
  return section('Against published figures', `${id}-published`,
    el('ul', {}, scores.map((each) => el('li', {}, score(each)))), expectationTable(part));
}

const isSimulated = (part) => part.results.manifest.backend === 'simgrid';

function nicSection(part, id) {
  const emulated = part.results.manifest.emulated;
  if (!isSimulated(part))
    return emulated.length ? section('What was emulated', `${id}-model`,
      el('ul', {}, emulated.map((each) => el('li', {}, each)))) : null;
  return section('Constants of the model', `${id}-model`,
    el('p', {}, 'Every constant of the simulated RNIC. Published: from a publication. Fitted: to ' +
      'published measurements. Assumed: a guess within a range, and ' +
      'conclusions that depend on it are weak.'),
    emulated.length ? el('p', {}, `Emulated: ${emulated.join('; ')}.`)
      : el('p', {}, 'Nothing was emulated: each verb that a lock used is one of the model\'s own.'),
    part.nics.map((nic) => folded(nicTitle(nic), constantTable(nic))));
}

function nicTitle(nic) {
  const counts = d3.nest().key(statusOf).rollup((list) => list.length).entries(nic.constants);
  return `${nic.name}, ${nic.device}: ` +
    counts.map(({key, value}) => `${value} ${key}`).join(', ');
}

function factSection(part, id) {
  const {manifest, points} = part.results;
  const timing = part.timing;
  const facts = [
    ['version', manifest.version], ['backend', manifest.backend], ['points', points.length],
    ['seed', walk(points[0].params, 'run.seed')],
    ['repeats', d3.extent(points, (point) => point.repeats.length)
      .filter((count, i, ends) => i === 0 || count !== ends[0]).join(' to ')],
    ['complete', manifest.complete ? 'yes' : 'no'],
    ...(timing ? [['date', timing.date], ['host', timing.host],
      ['took', timing.wall_s === undefined ? null : `${d3.format('.1f')(timing.wall_s)} s`],
      ['runs at once', timing.jobs]] : []),
  ].filter(([, value]) => value !== undefined && value !== null && value !== '');
  const prints = sortedTable('Fingerprints', [
    {name: 'point', left: true, get: (point) => pointName(point)},
    {name: 'fingerprint', left: true, get: (point) => walk(point.metrics, 'fingerprint') || '–'},
    {name: 'simulated verbs', get: (point) => valueOf(point, 'engine.verbs')},
  ], part.points);
  return section('The run', `${id}-run`,
    el('dl', {}, facts.map(([name, value]) => [el('dt', {}, name), el('dd', {}, String(value))])),
    isSimulated(part) ? [el('p', {}, 'The same scenario, seed and version give the same results, ' +
      'to the byte, on every compiler and CPU. Equal fingerprints: the same events at the same ' +
      'times.'), folded('Fingerprints of all points', prints)]
      : el('p', {}, 'Measured on hardware: no two runs give the same.'),
    folded('The scenario with every default', el('pre', {}, part.scenario)));
}

// The run's description, its conclusion and its caveats.
function headElements(part) {
  return [el('p', {class: 'lead'}, part.results.manifest.description),
    part.finding ? el('p', {class: 'finding'}, part.finding) : null,
    quickBox(part), ...verdictBoxes(part), sensitivityBox(part), warningBoxes(part)];
}

function partElement(part, index) {
  const id = `part-${index + 1}`;
  const title = part.results.manifest.scenario + (SEVERAL ? ` (${part.name})` : '');
  return el('article', {id},
    el(SEVERAL ? 'h2' : 'h1', {}, title), ...headElements(part),
    figureSection('Figures', `${id}-figures`, namedFigures(part)),
    figureSection('How the locks spent their time', `${id}-inside`, runFigures(part)),
    section('Points', `${id}-points`, pointTable(part)),
    expectationSection(part, id), nicSection(part, id), factSection(part, id));
}
