// If the page's address ends with #selftest, the page checks itself and writes the result as JSON.

function figureFacts(self) {
  const picture = standaloneSvg(self);
  const parsed = new DOMParser().parseFromString(picture, 'image/svg+xml');
  const rows = csvText(self.rows()).trimEnd().split('\n');
  return {
    id: self.id, title: self.title, marks: self.svg.selectAll('.mark').size(),
    told: self.marks.length, numbers: rows.length - 1,
    picture: parsed.querySelector('parsererror') ? 'broken' : parsed.documentElement.nodeName,
    outside: /NaN|undefined|Infinity/.test(picture),
    variables: picture.includes('var('),
    legend: self.svg.selectAll('.legend').nodes().map((item) => item.textContent),
    apart: self.svg.selectAll('.apart').size(),
    // A line with gaps counts once for each part.
    strokes: d3.sum(self.svg.selectAll('.series .line').nodes(),
      (line) => line.getAttribute('d').split('M').length - 1),
    tips: self.marks.map((mark) => mark.lines.join('; ')),
    beyond: self.svg.selectAll('text').nodes().filter((text) => {
      const [box, all] = [text, self.svg.node()].map((each) => each.getBoundingClientRect());
      return box.width && (box.left < all.left - 1 || box.right > all.right + 1);
    }).map((text) => text.textContent),
    switches: [...self.element.querySelectorAll('.tools > .choice > input')].map((box) => {
      box.click();
      const facts = {name: box.parentNode.textContent, told: self.marks.length,
        axes: self.svg.selectAll('.axis-title').nodes().map((title) => title.textContent),
        outside: /NaN|undefined|Infinity/.test(self.svg.node().outerHTML)};
      box.click();
      return facts;
    }),
  };
}

// Which columns of a wide table become visible when it is scrolled.
function tableFacts(wide) {
  const heads = [...wide.querySelectorAll('thead th')];
  const inView = (head) => {
    head.scrollIntoView({block: 'nearest', inline: 'nearest'});
    const [box, all] = [head, wide].map((each) => each.getBoundingClientRect());
    return box.left >= all.left - 1 && box.right <= Math.min(all.right, innerWidth) + 1;
  };
  return {name: wide.getAttribute('aria-label'), columns: heads.length,
    unreachable: heads.filter((head) => !inView(head)).map((head) => head.textContent)};
}

// The display of an animation at some instants, and the effects of its keys and buttons.
function animationFacts(self) {
  const shown = (at) => {
    self.go(at);
    return {at: self.at, stages: self.stages.map((each, i) => ({
      fields: [...self.panels[i].querySelectorAll('.field')].map((field) => field.textContent),
      says: self.panels[i].textContent, rows: each.rowsShown, still: each.scene.lanes
        .filter((lane) => stillAt(lane, self.at)).map(({name}) => name),
      dead: each.scene.lanes.filter((lane) => (segmentAt(lane, self.at) || {}).kind === 'dead')
        .map(({name}) => name),
    }))};
  };
  const press = (key) => {
    self.area.querySelector('canvas').dispatchEvent(
      new KeyboardEvent('keydown', {key, bubbles: true, cancelable: true}));
    return {key, at: self.at, wide: self.wide, playing: self.playing, says: self.says.textContent};
  };
  const samples = d3.range(1, 10).map((i) => shown(self.span * i / 10));
  self.go(0);
  const keys = ['ArrowRight', 'ArrowRight', 'ArrowLeft', 'PageDown', '+', '-', 'End', 'Home', ' ',
    ' '].map(press);
  const boxes = [...self.area.querySelectorAll('input[type=checkbox]')];
  const rows = () => self.stages.map((each) => each.rowsShown);
  const few = rows();
  boxes.forEach((box) => box.click());
  const all = rows();
  boxes.forEach((box) => box.click());
  self.go(self.span / 2);
  self.area.querySelectorAll('.tools button').forEach((each) =>
    each.textContent === 'Link' && each.click());
  const nameless = [...self.area.querySelectorAll('button, select, input, canvas')].filter((each) =>
    !(each.textContent || each.getAttribute('aria-label') || (each.labels && each.labels.length)));
  return {id: self.id, span: self.span, stages: self.stages.map((each) => ({name: each.name,
    lanes: each.scene.lanes.length, verbs: each.scene.verbs.length, lock: each.lock,
    segments: d3.sum(each.scene.lanes, (lane) => lane.segments.length)})),
  samples, keys, few, all, link: location.hash, nameless: nameless.length};
}

// Reaches each state of the game's table with the buttons, and tries the keys.
function gameFacts(self) {
  const {states, shortest} = self.data;
  const ways = new Map([[0, []]]);
  for (const [at, way] of ways)
    states[at].moves.forEach(({to}, i) => ways.has(to) || ways.set(to, [...way, i]));
  const shown = () => ({
    path: self.path.slice(), offered: [...self.choices.children].map((each) => each.textContent),
    fields: [...self.panel.querySelectorAll('.field')].map((field) => field.textContent),
    inside: self.panel.textContent, says: self.says.textContent, made: self.log.children.length,
    broken: !!self.says.querySelector('.bad'), fine: !!self.says.querySelector('.good')});
  const go = (way) => {
    self.again.click();
    way.forEach((i) => self.choices.children[i].click());
    return shown();
  };
  const press = (key) => {
    (self.choices.firstChild || self.undo).dispatchEvent(
      new KeyboardEvent('keydown', {key, bubbles: true, cancelable: true}));
    return shown();
  };
  const all = [...ways.values()].map(go);
  const lost = go(shortest);
  const keys = ['Backspace', String(shortest[shortest.length - 1] + 1), 'Home', '9'].map(press);
  self.shortest.click();
  const animation = ANIMATIONS[ANIMATIONS.length - 1];
  animation.pause();
  const nameless = [...self.area.querySelectorAll('button, canvas')].filter((each) =>
    !(each.textContent || each.getAttribute('aria-label')));
  return {all, lost, keys, played: {id: animation.id, span: animation.span}, nameless: nameless.length};
}

// The centre of each point of a guess before the answer is revealed, and the drawing afterwards.
function guessFacts() {
  const before = document.getElementById('revealed').hidden;
  const knobs = document.querySelectorAll('.sketch .knob');
  const height = knobs.length ? knobs[0].getAttribute('cy') : null;
  if (knobs.length)
    knobs[0].dispatchEvent(new KeyboardEvent('keydown', {key: 'ArrowUp', cancelable: true}));
  const moved = knobs.length ? knobs[0].getAttribute('cy') - height : 0;
  document.querySelectorAll('#question button').forEach((each) => each.click());
  return {before, after: document.getElementById('revealed').hidden, knobs: knobs.length, moved,
    truth: document.querySelectorAll('.sketch .truth path').length};
}

function selftest() {
  const guess = document.getElementById('revealed') ? guessFacts() : null;
  document.querySelectorAll('details').forEach((each) => each.setAttribute('open', ''));
  const facts = {
    guess, games: GAMES.map(gameFacts), animations: ANIMATIONS.map(animationFacts), problems, figures: figures.map(figureFacts),
    width: innerWidth,
    sideways: document.documentElement.scrollWidth - document.documentElement.clientWidth,
    tables: [...document.querySelectorAll('.wide')].map(tableFacts),
    requests: performance.getEntriesByType('resource').map((entry) => entry.name),
    executed: window.executedFromData === true,
    markup: document.querySelectorAll('#page img, #page script, #page iframe').length,
  };
  document.body.append(el('pre', {id: 'selftest'}, JSON.stringify(facts)));
}
