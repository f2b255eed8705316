// Up to four stages with a common clock and its controls.

const ANIMATIONS = [];  // all animations of this page

const SPEEDS = [['0.2', 'very slow'], ['0.5', 'slow'], ['1', 'normal'], ['3', 'fast'],
  ['10', 'very fast']];
const SECONDS = 12;  // duration of a window at normal speed

function animation(id, plays) {
  const stages = plays.map((play) => stage(play.name,
    play.trace ? sceneOfTrace(play.trace) : sceneOfReplay(play.replay)));
  // All stages show the first stage's lock; a scene without that lock keeps its own choice.
  stages.forEach((each) => {
    if (each.scene.locks.includes(stages[0].lock)) each.lock = stages[0].lock;
  });
  const span = Math.max(...stages.map((each) => each.scene.span));
  const unit = stages[0].scene.unit;
  const instants = [...new Set(stages.flatMap((each) => each.scene.instants))]
    .sort((a, b) => a - b);
  const self = {id, stages, span, at: 0, wide: firstWidth(stages, span), playing: false, speed: 1};
  const scrub = el('input', {type: 'range', min: 0, max: 1000, value: 0, step: 'any',
    'aria-label': 'Instant', class: 'scrub'});
  const clock = el('output', {class: 'clock'});
  const says = el('p', {class: 'says', 'aria-live': 'polite'});
  const panels = stages.map(() => el('div', {class: 'now'}));

  const window = () => {
    const from = Math.max(0, Math.min(self.at - self.wide * 0.6, span - self.wide));
    return {from, to: from + self.wide};
  };
  const show = () => {
    scrub.value = span ? 1000 * self.at / span : 0;
    clock.textContent = unit === 'us' ? usText(self.at) : `move ${Math.floor(self.at)}`;
    stages.forEach((each, i) => {
      each.draw(self.at, window());
      showNow(panels[i], each, self.at);
    });
  };
  const go = (at, quiet) => {
    self.at = Math.max(0, Math.min(at, span));
    show();
    if (!quiet) tell(null);
  };
  const tell = (text) => {
    says.textContent = text || lastSaid(stages, self.at);
  };
  const step = (by) => {
    pause();
    const eps = 1e-7;
    const i = by > 0 ? firstFrom(instants.length, (k) => instants[k], self.at + eps) + by - 1
      : firstFrom(instants.length, (k) => instants[k], self.at - eps) + by;
    go(i < 0 ? 0 : i >= instants.length ? span : instants[i]);
  };
  let last = 0;
  const tick = (now) => {
    if (!self.playing) return;
    const passed = Math.min(now - last, 100);
    last = now;
    go(self.at + passed / 1000 * self.speed * self.wide / SECONDS, true);
    if (self.at >= span) return pause();
    requestAnimationFrame(tick);
  };
  const playButton = button('Play', 'Play or pause (space)', () => self.playing ? pause() : play());
  const pause = () => {
    if (!self.playing) return;
    self.playing = false;
    playButton.textContent = 'Play';
    tell(null);
  };
  const play = () => {
    if (self.at >= span) self.at = 0;
    self.playing = true;
    playButton.textContent = 'Pause';
    last = performance.now();
    requestAnimationFrame(tick);
  };
  const zoom = (by) => {
    self.wide = Math.max(Math.min(self.wide * by, span), unit === 'us' ? 0.05 : 2);
    show();
  };
  const link = button('Link', 'Puts this instant into the address of the page', () => {
    history.replaceState(null, '', `#${id}@${+self.at.toFixed(6)}~${+self.wide.toFixed(6)}`);
    tell('The address of this page leads to this instant now.');
  });
  scrub.addEventListener('input', () => {
    pause();
    go(span * scrub.value / 1000);
  });
  const keys = {' ': () => self.playing ? pause() : play(), ArrowRight: () => step(1),
    ArrowLeft: () => step(-1), PageDown: () => step(10), PageUp: () => step(-10),
    '+': () => zoom(0.5), '-': () => zoom(2), Home: () => go(0), End: () => go(span)};
  const area = el('div', {class: 'animation', id, role: 'group', 'aria-label': 'Animation'},
    el('div', {class: 'tools'}, playButton,
      button('◀', 'One event back (left arrow)', () => step(-1)),
      button('▶', 'One event on (right arrow)', () => step(1)),
      button('−', 'See more time (-)', () => zoom(2)),
      button('+', 'See less time (+)', () => zoom(0.5)),
      selection('speed', SPEEDS, '1', (value) => {
        self.speed = +value;
      }), lockChoice(stages, show), checkbox('every client, every verb', false, (on) => {
        stages.forEach((each) => {
          each.everyone = on;
        });
        show();
      }), link, clock),
    scrub, says,
    stages.map((each, i) => el('section', {class: 'lanes', 'aria-label': each.name},
      stages.length > 1 ? el('h3', {}, each.name) : null, panels[i], el('div', {}, each.canvas),
      each.scene.finding ? el('p', {class: 'box bad'}, each.scene.finding) : null)), keyWords());
  area.addEventListener('keydown', (event) => {
    if (!keys[event.key] || event.ctrlKey || event.altKey || event.metaKey) return;
    const {tagName} = event.target;
    if (tagName === 'SELECT' || (tagName === 'BUTTON' && event.key === ' ')) return;
    event.preventDefault();
    keys[event.key]();
  });
  stages.forEach((each) => {
    each.onPick = (text, at) => {
      pause();
      if (text) tell(text);
      else go(at);
    };
  });
  new ResizeObserver(show).observe(area);
  Object.assign(self, {area, panels, go, step, zoom, play, pause, show, tell, says, clock});
  self.arrive = () => {
    const wanted = location.hash.match(/^#([\w-]+)@([\d.]+)~([\d.]+)$/);
    if (wanted && wanted[1] === id) {
      self.wide = Math.max(Math.min(+wanted[3] || self.wide, span), 0.01);
      const hidden = area.closest('[hidden]');
      if (hidden) hidden.hidden = false;
      area.scrollIntoView();
      go(+wanted[2]);
    } else {
      go(0);
    }
  };
  return self;
}

// A width that shows the first acquisitions: about forty events.
function firstWidth(stages, span) {
  const widths = stages.map(({scene}) => {
    if (scene.unit !== 'us') return Math.min(scene.span, 14);
    const many = Math.min(scene.verbs.length - 1, 40);
    return many > 0 ? scene.verbs[many].to - Math.max(scene.verbs[0].to - 4, 0) : scene.span;
  });
  return Math.min(span, Math.max(...widths) || span);
}

function lockChoice(stages, show) {
  const locks = [...new Set(stages.flatMap((each) => each.scene.locks))].slice(0, 50);
  if (locks.length < 2) return null;
  return selection('lock', locks.map((lock) => [String(lock), String(lock)]),
    String(stages[0].lock), (value) => {
      stages.forEach((each) => {
        each.lock = +value;
      });
      show();
    });
}

// The last text of each stage up to this instant.
function lastSaid(stages, at) {
  return stages.map((each) => {
    const {effects} = each.scene;
    let i = firstFrom(effects.length, (k) => effects[k].at, at + 1e-9) - 1;
    const other = (effect) => effect.lock !== null && !each.everyone && effect.lock !== each.lock;
    while (i >= 0 && other(effects[i])) --i;
    if (i < 0) return '';
    return (stages.length > 1 ? `${each.name}: ` : '') + effects[i].says;
  }).filter(Boolean).join(' ');
}

const FLASH = 0.04;  // how long a changed field stays marked, as a share of the window

function showNow(panel, stage, at) {
  const {scene, lock} = stage;
  const entry = lock === null ? null : entryAt(scene, lock, at);
  const before = entry ? entryAt(scene, lock, entry.at - 1e-6) : null;
  const old = new Map(before ? fieldsOf(before.entry) : []);
  const fields = entry ? fieldsOf(entry.entry) : [];
  const holders = scene.lanes.filter((lane) => {
    const segment = segmentAt(lane, at);
    return segment && segment.kind === 'holds' && (lock === null || segment.lock === lock);
  });
  const names = queueAt(scene, lock, at).map((verb) =>
    scene.lanes[verb.lane].name.replace('client ', 'c'));
  const more = names.length > 8 ? ` and ${names.length - 8} more` : '';
  panel.replaceChildren(...[
    el('span', {class: 'word'}, lock === null ? '' : `lock ${lock} `,
      fields.map(([name, value], i) =>
      el('span', {class: `field f${i % 6}${before && old.get(name) !== value &&
        at - entry.at < FLASH * scene.span ? ' flash' : ''}`},
      name ? el('small', {}, `${name} `) : null, value))),
    el('span', {}, holders.length ? `held by: ${holders.map((lane) => lane.name).join(', ')}`
      : 'no client holds it'),
    scene.unit === 'us' ? el('span', {}, names.length
      ? `at the slot: ${names.slice(0, 8).join(', ')}${more}` : 'no verb at the slot') : null]
    .filter(Boolean));
}

function keyWords() {
  return folded('What is drawn',
    el('p', {}, 'A row for each client. Tall: holds the lock (striped: shared). Hatched: waits for ' +
      'others. Low: asks. Dashed frame: backs off. Frame with ‖: its CPU stands still; with ✕: it ' +
      'is dead. The band in the middle is the RNIC that has the lock: above, what its slot ' +
      'executes, one after the other; a thin line is an atomic that waits for it; below, what the ' +
      'lock says. Thin arrows are verbs there and back, broken where a comparison failed; thick ' +
      'ones are messages between clients.'),
    el('p', {}, 'Keys: space plays and pauses; left and right go from event to event, Page Up ' +
      'and Page Down ten at once; + and - see less or more time. A click on an arrow or a box ' +
      'says what it is; elsewhere it moves the clock.'));
}
