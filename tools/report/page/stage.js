// Draws a scene: one lane per client and, in the middle, the RNIC that has the lock.

const DOING = {
  idle: 'idle', think: 'thinks', asks: 'asks for it', pauses: 'backs off', waits: 'waits',
  holds: 'holds it', leaves: 'releases it', dead: 'is dead',
};
const MOST_LANES = 24;
const MOST_ARROWS = 1500;  // more would be illegible and slow
const NAME_SPACE = 150;         // pixels for names of lanes
const NIC_SPACE = 64;            // pixels for the RNIC

function stateWords(segment, lock) {
  if (!segment) return DOING.idle;
  if (elsewhere(segment, lock)) return 'at another lock';
  const mode = segment.mode === 'shared' ? ', shared' : '';
  if (segment.kind === 'waits') return `waits for ${WAITS_FOR[segment.phase]}${mode}`;
  if (segment.kind === 'holds') return `holds it${segment.mode ? `, ${segment.mode}` : ''}`;
  if (segment.kind === 'asks' && segment.phase === 'RT') return `asks again${mode}`;
  return DOING[segment.kind] + (segment.kind === 'asks' ? mode : '');
}

// Whether a segment belongs to a lock other than the shown one; lock null: all locks are shown.
function elsewhere(segment, lock) {
  return lock !== null && segment.lock !== null && segment.lock !== lock &&
    ['asks', 'pauses', 'waits', 'holds', 'leaves'].includes(segment.kind);
}

function stage(name, scene) {
  const canvas = el('canvas', {tabindex: '0', role: 'img',
    'aria-label': `${name}: clients over time`});
  const self = {name, scene, canvas, lock: scene.locks.length ? scene.locks[0] : null,
    everyone: false, hits: [], onPick: () => {}};
  // The visible lanes: first those that use the lock, in the order of their numbers.
  self.lanes = () => {
    const all = scene.lanes.map((_, i) => i);
    const touching = (i) => scene.lanes[i].segments.some((each) => each.lock === self.lock);
    const shown = self.everyone || scene.unit === 'move' ? all
      : all.filter(touching).slice(0, MOST_LANES);
    return shown.length ? shown : all.slice(0, MOST_LANES);
  };
  self.draw = (at, window) => drawStage(self, at, window);
  canvas.addEventListener('click', (event) => {
    const box = canvas.getBoundingClientRect();
    const x = event.clientX - box.left;
    const y = event.clientY - box.top;
    const hit = self.hits.slice().reverse().find((each) => x >= each.x0 - 3 && x <= each.x1 + 3 &&
      y >= each.y0 - 3 && y <= each.y1 + 3);
    self.onPick(hit ? hit.says : null, self.dateAt(x));
  });
  return self;
}

function rowsOf(lanes, height) {
  const above = Math.ceil(lanes.length / 2);
  return new Map(lanes.map((lane, i) => [lane, i * height + (i >= above ? NIC_SPACE : 0)]));
}

function ink() {
  const style = getComputedStyle(document.documentElement);
  const colour = (name) => style.getPropertyValue(name).trim();
  return {ground: colour('--ground'), text: colour('--text'), dim: colour('--dim'),
    line: colour('--line'), soft: colour('--soft'), holds: colour('--s0'), waits: colour('--wait'),
    asks: colour('--s5'), leaves: colour('--s2'), fails: colour('--s1'), message: colour('--s3')};
}

const HEIGHTS = {holds: 0.8, waits: 0.5, asks: 0.3, pauses: 0.3, leaves: 0.5, dead: 0.8};

// Kinds also differ in height and hatching, so that they are distinct in greyscale.
function drawSegment(paint, colours, segment, x, width, y, height) {
  const part = HEIGHTS[segment.kind];
  if (!part) return;
  const top = y + height * (1 - part) / 2;
  const tall = height * part;
  paint.fillStyle = colours[segment.kind] || colours.line;
  if (segment.kind === 'pauses') {
    paint.strokeStyle = colours.dim;
    paint.setLineDash([2, 3]);
    paint.strokeRect(x, top, width, tall);
    paint.setLineDash([]);
    return;
  }
  paint.fillRect(x, top, Math.max(width, 1), tall);
  const gap = segment.kind === 'holds' && segment.mode === 'shared' ? 6
    : segment.kind === 'waits' ? 9 : segment.kind === 'dead' ? 4 : 0;
  if (!gap || width < gap) return;
  paint.strokeStyle = colours.ground;
  paint.beginPath();
  for (let at = x + gap; at < x + width; at += gap) {
    paint.moveTo(at, top);
    paint.lineTo(segment.kind === 'waits' ? at - 4 : at, top + tall);
  }
  paint.stroke();
}

// Marks a client's pause or crash: a frame of the lane's height with a sign at its left edge.
function sign(paint, colours, text, x, y, width, height) {
  paint.strokeStyle = paint.fillStyle = colours.text;
  paint.lineWidth = 1.5;
  paint.strokeRect(x, y + 0.5, width, height - 1);
  paint.lineWidth = 1;
  if (width < 16) return;
  paint.fillStyle = colours.ground;
  paint.fillRect(x + 1, y + 1, 14, height - 2);
  paint.fillStyle = colours.text;
  paint.fillText(text, x + 3, y + height / 2);
}

function arrow(paint, x0, y0, x1, y1) {
  const length = Math.hypot(x1 - x0, y1 - y0);
  paint.beginPath();
  paint.moveTo(x0, y0);
  paint.lineTo(x1, y1);
  if (length > 8) {
    const [ux, uy] = [(x1 - x0) / length, (y1 - y0) / length];
    paint.moveTo(x1 - 6 * ux + 3 * uy, y1 - 6 * uy - 3 * ux);
    paint.lineTo(x1, y1);
    paint.lineTo(x1 - 6 * ux - 3 * uy, y1 - 6 * uy + 3 * ux);
  }
  paint.stroke();
}

// Draws the scene from `window.from` to `window.to`; the cost depends only on the visible part.
function drawStage(self, at, window) {
  const {canvas, scene} = self;
  const lanes = self.lanes();
  self.rowsShown = lanes.length;
  const row = Math.max(13, Math.min(30, Math.floor(420 / Math.max(lanes.length, 1))));
  const width = Math.max(canvas.parentElement ? canvas.parentElement.clientWidth : 600, 240);
  const height = lanes.length * row + NIC_SPACE + 22;
  const dense = devicePixelRatio || 1;
  if (canvas.width !== Math.round(width * dense) || canvas.height !== Math.round(height * dense)) {
    canvas.width = Math.round(width * dense);
    canvas.height = Math.round(height * dense);
    canvas.style.height = `${height}px`;
  }
  const paint = canvas.getContext('2d');
  const colours = ink();
  paint.setTransform(dense, 0, 0, dense, 0, 0);
  paint.fillStyle = colours.ground;
  paint.fillRect(0, 0, width, height);
  paint.font = '12px system-ui, sans-serif';
  paint.textBaseline = 'middle';
  const left = Math.min(NAME_SPACE, width / 4);
  const scale = (width - left) / (window.to - window.from);
  const xOf = (date) => left + (date - window.from) * scale;
  self.dateAt = (x) => window.from + (x - left) / scale;
  self.hits = [];
  const rows = rowsOf(lanes, row);
  const nic = Math.ceil(lanes.length / 2) * row;
  const view = {paint, colours, left, width, xOf, rows, row, nic, lanes, window, at};
  paint.fillStyle = colours.soft;
  paint.fillRect(0, nic, width, NIC_SPACE);
  paint.save();
  paint.beginPath();
  paint.rect(left, 0, width - left, height);
  paint.clip();
  drawLanes(self, view);
  drawVerbs(self, view);
  drawMessages(self, view);
  drawWord(self, view);
  paint.strokeStyle = colours.text;
  paint.lineWidth = 1.5;
  paint.beginPath();
  paint.moveTo(xOf(at), 0);
  paint.lineTo(xOf(at), height - 20);
  paint.stroke();
  paint.restore();
  drawNames(self, view, height);
}

// The shown lock; null: all locks.
const looked = (self) => self.everyone ? null : self.lock;

function drawLanes(self, {paint, colours, rows, row, xOf, window, lanes}) {
  for (const lane of lanes) {
    const list = self.scene.lanes[lane].segments;
    let i = firstFrom(list.length, (k) => list[k].to, window.from);
    for (; i < list.length && list[i].from < window.to; ++i) {
      const x = xOf(list[i].from);
      const wide = xOf(list[i].to) - x;
      paint.globalAlpha = elsewhere(list[i], looked(self)) ? 0.18 : 1;
      drawSegment(paint, colours, list[i], x, wide, rows.get(lane), row - 2);
      if (list[i].kind === 'dead') sign(paint, colours, '✕', x, rows.get(lane), wide, row - 2);
    }
    paint.globalAlpha = 1;
    for (const {from, to} of self.scene.lanes[lane].pauses || [])
      if (from < window.to && to > window.from)
        sign(paint, colours, '‖', xOf(from), rows.get(lane), xOf(to) - xOf(from), row - 2);
  }
  paint.globalAlpha = 1;
}

function drawVerbs(self, {paint, colours, rows, row, nic, xOf, window}) {
  const seen = [];
  verbsIn(self.scene, window.from, window.to, (verb) => {
    if (seen.length <= MOST_ARROWS && rows.has(verb.lane) &&
        (verb.lock === self.lock || verb.lock === null || self.everyone)) seen.push(verb);
  });
  if (seen.length > MOST_ARROWS) return;
  for (const verb of seen) {
    const y = rows.get(verb.lane) + row / 2;
    const edge = y < nic ? nic : nic + NIC_SPACE;
    const effect = verb.effect === null ? (verb.from + verb.to) / 2 : verb.effect;
    const arrives = verb.queued === null ? effect : verb.queued;
    paint.strokeStyle = verb.matched ? colours.dim : colours.fails;
    paint.lineWidth = 1;
    paint.setLineDash(verb.matched ? [] : [4, 2]);
    arrow(paint, xOf(verb.from), y, xOf(arrives), edge);
    arrow(paint, xOf(effect), edge, xOf(verb.to), y);
    paint.setLineDash([]);
    if (verb.slot !== null) {
      paint.fillStyle = verb.matched ? colours.holds : colours.fails;
      const x = xOf(verb.slot);
      const wide = Math.max(xOf(verb.effect) - x - 0.5, 1);
      paint.fillRect(x, nic + 6, wide, 16);
      paint.strokeStyle = colours.dim;
      paint.strokeRect(xOf(arrives), nic + 26, Math.max(x - xOf(arrives), 0), 0.5);
      self.hits.push({x0: x, x1: x + wide, y0: nic + 6, y1: nic + 22, says: verb.says});
    }
    self.hits.push({x0: xOf(verb.from), x1: xOf(verb.to), y0: y - row / 2, y1: y + row / 2,
      says: verb.says});
  }
}

function drawMessages(self, {paint, colours, rows, row, xOf, window}) {
  const {messages, messageEnds} = self.scene;
  let i = firstFrom(messages.length, (k) => messageEnds[k], window.from);
  paint.strokeStyle = colours.message;
  paint.lineWidth = 2;
  for (; i < messages.length && messages[i].sent <= window.to; ++i) {
    const each = messages[i];
    if (!rows.has(each.from) || !rows.has(each.to)) continue;
    if (each.lock !== null && looked(self) !== null && each.lock !== self.lock) continue;
    const [y0, y1] = [rows.get(each.from) + row / 2, rows.get(each.to) + row / 2];
    arrow(paint, xOf(each.sent), y0, xOf(each.taken), y1);
    self.hits.push({x0: xOf(each.sent), x1: xOf(each.taken), y0: Math.min(y0, y1),
      y1: Math.max(y0, y1), says: `${self.scene.lanes[each.from].name} sends ` +
        `${each.name} to ${self.scene.lanes[each.to].name}.`});
  }
}

// The decoded lock entry along the RNIC's lower edge, with a bar at each change.
function drawWord(self, {paint, colours, nic, xOf, window, width}) {
  const {effects} = self.scene;
  const begin = firstFrom(effects.length, (k) => effects[k].at, window.from);
  const of = (effect) => effect.lock === self.lock && effect.entry;
  const shown = [entryAt(self.scene, self.lock, window.from)].filter(Boolean);
  for (let i = begin; i < effects.length && effects[i].at <= window.to; ++i)
    if (of(effects[i]) && (!shown.length || effects[i].entry !== shown[shown.length - 1].entry)) {
      shown.push(effects[i]);
      if (shown.length > MOST_ARROWS) return;
    }
  shown.forEach((each, i) => {
    const x = Math.max(xOf(each.at), xOf(window.from));
    const end = i + 1 < shown.length ? xOf(shown[i + 1].at) : width;
    paint.fillStyle = colours.text;
    paint.fillRect(x, nic + 40, 1.5, 20);
    if (end - x < 22) return;
    paint.save();
    paint.beginPath();
    paint.rect(x, nic + 38, end - x - 3, 24);
    paint.clip();
    paint.fillText(each.entry, x + 4, nic + 50);
    paint.restore();
  });
}

function drawNames(self, view, height) {
  const {paint, colours, rows, row, nic, left, lanes, at, window, width, xOf} = view;
  paint.fillStyle = colours.text;
  for (const lane of lanes) {
    const each = self.scene.lanes[lane];
    const words = stillAt(each, at) ? 'stands still' : stateWords(segmentAt(each, at), looked(self));
    paint.fillText(`${each.name.replace('client ', 'c')} ${words}`, 2, rows.get(lane) + row / 2,
      left - 6);
  }
  paint.fillText('RNIC: slot', 2, nic + 14, left - 6);
  paint.fillText(self.lock === null ? '' : `lock ${self.lock} says`, 2, nic + 50, left - 6);
  paint.fillStyle = colours.dim;
  const ticks = d3.ticks(window.from, window.to, Math.max(2, Math.floor(width / 130)))
    .filter((tick) => self.scene.unit === 'us' || Number.isInteger(tick));
  for (const tick of ticks)
    paint.fillText(self.scene.unit === 'us' ? `${+tick.toPrecision(6)} us` : `move ${tick}`,
      Math.min(xOf(tick), width - 50),
      height - 9);
}
