// The page on a paper: the errors of the predictions, disputed published figures, and every
// experiment.

const PAPER = DATA.paper || null;

const ORDER_WORDS = {ok: 'holds', off: 'fails', undecided: 'undecided', disputed: 'disputed'};

// The published figures of all experiments, each with its experiment's name.
const published = () => PARTS.flatMap((part) => part.results.expectations.map((entry) =>
  ({...entry, experiment: part.name})));

function scoreTable(scores) {
  const share = (value) => (value === null ? '–' : d3.format('.0%')(value));
  const columns = [
    {name: 'use', left: true, get: (each) => each.use},
    {name: 'set-up', left: true, get: (each) => each.profile || ''},
    {name: 'figures', get: (each) => each.cells},
    {name: 'within tolerance', get: (each) => each.ok},
    {name: 'share', get: (each) => each.within, text: (each) => share(each.within)},
    {name: 'median |log2|', title: 'Of measured over published; 1 is a factor of two',
      get: (each) => each.median_abs_log2,
      text: (each) => (each.median_abs_log2 === null ? '–'
        : d3.format('.3f')(each.median_abs_log2))},
    {name: 'off', get: (each) => each.off},
    {name: 'undecided', get: (each) => each.undecided},
    {name: 'disputed', title: 'Not among the figures', get: (each) => each.disputed},
  ];
  return sortedTable('Scores over all experiments', columns, scores);
}

function orderTable(orders) {
  const columns = [
    {name: 'experiment', left: true, get: (entry) => entry.experiment},
    {name: 'order', left: true, get: (entry) => entry.id},
    {name: 'metric', left: true, get: (entry) => metricWords(entry.metric)},
    {name: 'verdict', left: true, get: (entry) => ORDER_WORDS[entry.verdict],
      mark: (entry) => ({off: 'bad', undecided: 'weak'})[entry.verdict] || ''},
    {name: 'pairs', left: true, get: heldText},
    {name: 'use', left: true, get: (entry) => entry.use},
    {name: 'set-up', left: true, get: (entry) => entry.profile || ''},
    {name: 'source', left: true, get: (entry) => entry.source},
  ];
  return sortedTable('Orders', columns, orders);
}

function scoreSection() {
  if (!PAPER.scores.length)
    return section('How near the predictions come', 'scores', el('p', {},
      'Nothing that was published of these experiments is compared here: what they predict is in ' +
      'their figures alone.'));
  const orders = published().filter((entry) => entry.kind === 'order');
  const many = (verdict) => orders.filter((entry) => entry.verdict === verdict).length;
  return section('How near the predictions come', 'scores',
    el('p', {}, 'Calibration: what the model was fitted to, and has to hold. Validation: all else, ' +
      'which nothing was fitted to. Inferred: figures that suggested what the model looks like, ' +
      'and cannot confirm it.'),
    scoreTable(PAPER.scores),
    orders.length ? [el('p', {}, `Of ${orders.length} orders ${many('ok')} hold, ${many('off')} ` +
      `fail, ${many('undecided')} are undecided and ${many('disputed')} disputed. An order holds ` +
      'if the difference of each of its pairs, over repeats with the same seed, exceeds its 95% ' +
      'interval; it fails if one of them does so the other way round.'), orderTable(orders)] : null);
}

// The published figures that are excluded from the score, with reasons.
function disputedSection() {
  const disputed = published().filter((entry) => entry.disputed);
  const reasons = unique(disputed.map((entry) => entry.disputed));
  const names = (why) => unique(disputed.filter((entry) => entry.disputed === why)
    .map((entry) => `${entry.experiment}: ${entry.id}`)).join('; ');
  return section('What is known of the published numbers', 'known',
    reasons.length ? [el('p', {}, 'These contradict others of the same paper, and count nowhere:'),
      el('ul', {}, reasons.map((why) => el('li', {}, `${capital(why)}. (${names(why)})`)))]
      : el('p', {}, 'No figure that is compared here contradicts another.'),
    PAPER.notes ? el('details', {open: true}, el('summary', {}, 'The experiments, as they are run'),
      notesElements(PAPER.notes)) : null);
}

function experimentElement(part, index) {
  const id = `part-${index + 1}`;
  return el('article', {id}, el('h2', {}, part.name), ...headElements(part),
    figureSection('Figures', `${id}-figures`, namedFigures(part)),
    expectationSection(part, id),
    el('p', {}, el('a', {href: `${PAPER.name}/${part.name}/report.html`},
      'All points, distributions, phases and constants of this experiment')));
}

function paperElements() {
  const quick = PARTS.some((part) => part.results.manifest.quick);
  return [el('h1', {}, PAPER.name),
    quick ? el('div', {class: 'box weak'}, el('strong', {}, 'A quick run. '),
      'Some experiments have fewer points, shorter windows or fewer repeats than they should; each ' +
      'says which. What it finds is a first look, and no prediction.') : null,
    PAPER.missing.length ? el('div', {class: 'box weak'}, el('strong', {}, 'Not finished: '),
      PAPER.missing.join(', ')) : null,
    scoreSection(), disputedSection(), PARTS.map(experimentElement)];
}
