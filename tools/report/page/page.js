// Draws the whole page.

// The figures that several runs have in common, with the series of all runs.
function togetherElement() {
  const shared = new Map();
  PARTS.forEach((part) => part.figures.forEach((each) => {
    const key = JSON.stringify([each.x, each.y, each.words]);
    if (!shared.has(key)) shared.set(key, []);
    if (!shared.get(key).some((other) => other.part === part)) shared.get(key).push({part, each});
  }));
  const elements = [...shared.values()].filter((of) => of.length > 1)
    .flatMap((of, i) => metricFigures(`together-${i}`, of));
  return elements.length ? figureSection('The runs together', 'together', elements) : null;
}

// The system's theme unless the reader selects another one; always light in print.
function themeSwitch() {
  const system = matchMedia('(prefers-color-scheme: dark)');
  const look = document.documentElement.dataset;
  let wanted = null;
  const show = () => {
    look.theme = wanted || (system.matches ? 'dark' : 'light');
  };
  show();
  system.addEventListener('change', show);
  addEventListener('beforeprint', () => {
    look.theme = 'light';
  });
  addEventListener('afterprint', show);
  return button('Light or dark', 'Switch between a light and a dark page', () => {
    wanted = look.theme === 'dark' ? 'light' : 'dark';
    show();
  });
}

function runElements() {
  return [SEVERAL ? el('h1', {}, `${PARTS.length} runs`) : null, PARTS.map(comparisonSection),
    SEVERAL ? togetherElement() : null, playerSection(), PARTS.map(partElement)];
}

const subject = DATA.lesson ? DATA.lesson.title : PAPER ? PAPER.name : !PARTS.length
  ? DATA.plays[0].name : SEVERAL ? PARTS.map((part) => part.name).join(', ')
  : PARTS[0].results.manifest.scenario;
document.title = `${subject} – Latchlab report`;
document.getElementById('page').append(
  el('header', {}, el('span', {}, 'Latchlab report'),
    SEVERAL ? el('nav', {'aria-label': 'Runs'}, PARTS.map((part, i) =>
      el('a', {href: `#part-${i + 1}`}, part.name))) : null, themeSwitch()),
  el('main', {}, DATA.lesson ? lessonElements() : PAPER ? paperElements() : runElements()));
ANIMATIONS.forEach((each) => each.arrive());
addEventListener('hashchange', () => ANIMATIONS.forEach((each) => each.arrive()));
figures.slice().forEach((each) => each.redraw());
new ResizeObserver(() => figures.forEach((each) => {
  if (each.plot.clientWidth && Math.abs(each.plot.clientWidth - each.measured) > 4) each.redraw();
  each.measured = each.plot.clientWidth;
})).observe(document.getElementById('page'));
if (problems.length)
  document.getElementById('page').prepend(el('div', {class: 'box bad', role: 'alert'},
    `This page could not be drawn completely: ${problems.join('; ')}`));
if (location.hash === '#selftest') selftest();
