// A lesson shows its question, takes the readers' prediction and then reveals the answer.

// The text below each heading such as "## Question", by heading; "" is the text above the first.
function chaptersOf(text) {
  const chapters = new Map([['', '']]);
  let at = '';
  let inCode = false;
  for (const line of text.split('\n')) {
    if (line.startsWith('```')) inCode = !inCode;
    const heading = inCode ? null : line.match(/^## +(.*)$/);
    if (heading) chapters.set(at = heading[1], '');
    else if (inCode || !line.startsWith('# ')) chapters.set(at, `${chapters.get(at)}${line}\n`);
  }
  return chapters;
}

// The figure to predict: its lines, each with a value at every x.
function guessable(part) {
  if (!part || !part.figures.length) return null;
  const [figure] = part.figures;
  const xs = unique(figure.at.filter((at) => at !== ''));
  if (xs.length < 2) return null;
  const lines = unique(figure.line).map((name) => ({name, values: xs.map((x) => {
    const i = part.points.findIndex((_, k) => figure.line[k] === name && figure.at[k] === x);
    return i < 0 ? null : valueOf(part.points[i], figure.y);
  })})).filter((line) => line.values.some((value) => value !== null));
  return lines.length ? {figure, xs, lines} : null;
}

const SKETCH = {width: 620, height: 300, left: 90, right: 20, top: 16, bottom: 46};

// Points that the reader moves by mouse or keys before the answer is shown.
function sketch(guess) {
  const {xs, lines, figure} = guess;
  const kind = kindOf(figure.y);
  const all = lines.flatMap((line) => line.values.filter((value) => value !== null));
  const most = Math.max(...all) * 1.6 || 1;
  const least = Math.min(...all.filter((value) => value > 0)) / 4;
  const wide = most / least > 60;  // then a logarithmic axis
  const y = (wide ? d3.scaleLog().domain([least, most]) : d3.scaleLinear().domain([0, most]))
    .range([SKETCH.height - SKETCH.bottom, SKETCH.top]);
  const [low, high] = y.domain();
  const step = (SKETCH.width - SKETCH.left - SKETCH.right) / xs.length;
  const xOf = (i) => SKETCH.left + (i + 0.5) * step;
  const guesses = xs.map(() => y.invert((y.range()[0] + y.range()[1]) / 2));
  const svg = d3.create('svg').attr('viewBox', `0 0 ${SKETCH.width} ${SKETCH.height}`)
    .attr('class', 'sketch').attr('role', 'group')
    .attr('aria-label', `Your guess: ${metricWords(figure.y)} by ${settingWords(figure.x)}`);
  svg.append('g').attr('class', 'axis').attr('transform', `translate(${SKETCH.left},0)`)
    .call(d3.axisLeft(y).tickValues(wide ? logTicks([low, high], 8) : y.ticks(5))
      .tickFormat((v) => shortText(kind, v)));
  xs.forEach((x, i) => svg.append('text').attr('x', xOf(i)).attr('y', SKETCH.height - 26)
    .attr('text-anchor', 'middle').text(x));
  svg.append('text').attr('class', 'axis-title').attr('x', (SKETCH.width + SKETCH.left) / 2)
    .attr('y', SKETCH.height - 6).attr('text-anchor', 'middle').text(settingWords(figure.x));
  const path = svg.append('path').attr('class', 'line guess');
  const truth = svg.append('g').attr('class', 'truth');
  const knobs = xs.map((x, i) => svg.append('circle').attr('class', 'knob').attr('r', 9)
    .attr('cx', xOf(i)).attr('tabindex', 0).attr('role', 'slider').attr('aria-valuemin', low)
    .attr('aria-valuemax', high).attr('aria-label', `${settingWords(figure.x)} ${x}`));
  const draw = () => {
    path.attr('d', d3.line()(guesses.map((value, i) => [xOf(i), y(value)])));
    knobs.forEach((knob, i) => knob.attr('cy', y(guesses[i])).attr('aria-valuenow', guesses[i])
      .attr('aria-valuetext', shortText(kind, guesses[i])));
  };
  const put = (i, at) => {
    guesses[i] = Math.max(low, Math.min(high, y.invert(at)));
    draw();
  };
  knobs.forEach((knob, i) => {
    knob.call(d3.drag().on('drag', () => put(i, d3.event.y)));
    knob.on('keydown', () => {
      const by = {ArrowUp: -6, ArrowDown: 6, PageUp: -30, PageDown: 30}[d3.event.key];
      if (!by) return;
      d3.event.preventDefault();
      put(i, y(guesses[i]) + by);
    });
  });
  const reveal = () => {
    truth.selectAll('*').remove();
    lines.forEach((line, k) => {
      const colour = `var(--s${k % 8})`;
      const known = line.values.map((value, i) => [xOf(i), value])
        .filter((each) => each[1] !== null)
        .map(([x, value]) => [x, y(Math.max(low, Math.min(high, value)))]);
      truth.append('path').attr('class', 'line').attr('stroke', colour)
        .attr('stroke-dasharray', k % 2 ? '6 3' : null).attr('d', d3.line()(known));
      const [x, at] = known[known.length - 1];
      truth.append('text').attr('x', x - 4).attr('y', at - 7 - 12 * (k % 2))
        .attr('text-anchor', 'end').text(line.name);
    });
  };
  draw();
  return {node: svg.node(), reveal, guesses, lines};
}

function questionElement(chapters, part, answer) {
  const guess = guessable(part);
  const drawn = guess ? sketch(guess) : null;
  const shut = button('Show the answer',
    'Shows what the run found, over your guess, and the answer', () => {
      answer.hidden = false;
      if (drawn) drawn.reveal();
      shut.hidden = true;
      answer.querySelector('h2').focus({preventScroll: true});
    });
  return section('Question', 'question', notesElements(chapters.get('Question') || ''),
    drawn ? el('figure', {}, el('figcaption', {}, `Draw it first: ${metricWords(guess.figure.y)}`),
      drawn.node) : null, shut);
}

function lessonElements() {
  const {lesson} = DATA;
  const chapters = chaptersOf(lesson.text);
  const [part] = PARTS;
  const plain = (name) => chapters.has(name)
    ? section(name, name.toLowerCase().replace(/\W+/g, '-'), notesElements(chapters.get(name))) : null;
  const answer = el('div', {id: 'revealed', hidden: true}, playerSection(),
    section('Answer', 'answer', notesElements(chapters.get('Answer') || ''),
      part ? namedFigures(part) : null), plain('Next'));
  answer.querySelectorAll('h2').forEach((each) => each.setAttribute('tabindex', '-1'));
  const nav = el('nav', {'aria-label': 'Lessons',
    class: `lesson-links${chapters.has('Question') ? '' : ' list'}`}, lesson.links
    .map(([href, text]) => el('a', {href}, text)));
  const head = [el('h1', {}, lesson.title), notesElements(chapters.get(''))];
  if (!chapters.has('Question')) return [head, nav];  // an index, or a printable sheet
  return [nav, head, plain('Look at'), gameSection(), questionElement(chapters, part, answer), plain('Run'),
    answer];
}

// The animations of the page's traces and counterexamples.
function playerSection() {
  if (!DATA.plays || !DATA.plays.length) return null;
  const traces = DATA.plays.filter((play) => play.trace).slice(0, 4);
  const replays = DATA.plays.filter((play) => play.replay);
  const animations = [...(traces.length ? [traces] : []), ...replays.map((play) => [play])]
    .map((plays, i) => animation(`play-${i + 1}`, plays));
  ANIMATIONS.push(...animations);
  return section('See it happen', 'animation', animations.map((each, i) => [
    animations.length > 1 && each.stages.length === 1 ? el('h3', {}, each.stages[0].name) : null,
    each.area]));
}
