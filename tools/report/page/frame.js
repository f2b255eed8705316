// The common parts of all figures: caption, controls, downloads, tooltip, and redrawing when the
// width changes.

const figures = [];  // for the download of all figures and for the self-test

// what: {id, title, note, controls: [element], draw(svg, width), rows()}; draw returns the height.
// rows returns the figure's numbers as table rows.
function figure(what) {
  const svg = d3.create('svg').attr('tabindex', 0).attr('role', 'img')
    .attr('aria-label', `${what.title}. Arrow keys read the values out.`);
  const tip = el('div', {class: 'tip', role: 'status', 'aria-live': 'polite'});
  const plot = el('div', {class: 'plot'}, svg.node(), tip);
  const self = {...what, svg, tip, plot, marks: [], shown: 0};
  self.redraw = () => {
    const width = Math.max(280, Math.min(900, plot.clientWidth || 600));
    self.width = width;
    hideTip(self);
    self.marks = [];
    svg.selectAll('*').remove();
    const height = Math.ceil(what.draw(svg, width, self));
    svg.attr('viewBox', `0 0 ${width} ${height}`).attr('width', width).attr('height', height);
  };
  const name = fileName(what.title);
  const tools = el('div', {class: 'tools'}, what.controls || [],
    button('SVG', `Download “${what.title}” as a picture`,
      () => download(`${name}.svg`, 'image/svg+xml', standaloneSvg(self))),
    button('CSV', `Download the numbers of “${what.title}”`,
      () => download(`${name}.csv`, 'text/csv', csvText(what.rows()))));
  self.element = el('figure', {class: 'figure', 'data-figure': what.id},
    el('figcaption', {}, what.title), tools, plot,
    what.note ? el('p', {class: 'note'}, what.note) : null);
  readWithKeys(self);
  figures.push(self);
  return self.element;
}

// Adds a mark with a tooltip: its position and its lines of text.
function addMark(self, x, y, lines) {
  self.marks.push({x, y, lines});
}

function showTip(self, index) {
  const mark = self.marks[index];
  self.shown = index;
  self.tip.replaceChildren(...mark.lines.map((line, i) => el(i ? 'div' : 'strong', {}, line)));
  self.tip.classList.add('shown');
  const width = self.tip.offsetWidth;
  const left = mark.x + 14 + width > self.width ? mark.x - 14 - width : mark.x + 14;
  self.tip.style.left = `${Math.max(0, left)}px`;
  self.tip.style.top = `${mark.y + 10}px`;
  self.svg.selectAll('.halo').remove();
  self.svg.append('circle').attr('class', 'halo').attr('r', 9)
    .attr('cx', mark.x).attr('cy', mark.y);
}

function hideTip(self) {
  self.tip.classList.remove('shown');
  self.svg.selectAll('.halo').remove();
}

const NEAR = 40;  // pixels
function readWithKeys(self) {
  self.svg.on('mousemove', () => {
    const [x, y] = d3.mouse(self.svg.node());
    const distance = (mark) => Math.hypot(mark.x - x, mark.y - y);
    const nearest = d3.scan(self.marks, (a, b) => distance(a) - distance(b));
    if (nearest !== undefined && distance(self.marks[nearest]) < NEAR) showTip(self, nearest);
    else hideTip(self);
  });
  self.svg.on('mouseleave blur', () => hideTip(self));
  self.svg.on('keydown', () => {
    const step = {ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1}[d3.event.key];
    if (d3.event.key === 'Escape') hideTip(self);
    if (!step || !self.marks.length || d3.event.target !== self.svg.node()) return;
    d3.event.preventDefault();
    const hidden = !self.tip.classList.contains('shown');
    const count = self.marks.length;
    showTip(self, hidden ? Math.min(self.shown, count - 1) : (self.shown + step + count) % count);
  });
}

// ---- legends ----

// items: [{name, key(group), plain}]; `hidden` is the set of hidden names. An item is a button if
// `toggle` is given and the item is not `plain`. Returns the height.
function drawLegend(svg, top, width, items, hidden, toggle) {
  let x = 4;
  let y = top + 10;
  for (const item of items) {
    const group = svg.append('g').attr('class', 'legend');
    item.key(group);
    const text = group.append('text').attr('x', 34).attr('dy', '0.35em')
      .text(clipped(item.name, Math.floor((width - 52) / 7)));
    if (item.name !== text.text()) text.append('title').text(item.name);
    const length = 34 + text.node().getComputedTextLength() + 18;
    if (x > 4 && x + length > width) [x, y] = [4, y + 21];
    group.attr('transform', `translate(${x},${y})`);
    x += length;
    if (!toggle || item.plain) continue;
    const off = hidden.has(item.name);
    const flip = () => {
      if (off) hidden.delete(item.name); else hidden.add(item.name);
      toggle();
    };
    group.attr('role', 'button').attr('tabindex', 0).attr('aria-pressed', !off)
      .attr('aria-label', `show ${item.name}`).classed('off', off).on('click', flip)
      .on('keydown', () => {
        if (d3.event.key !== 'Enter' && d3.event.key !== ' ') return;
        d3.event.preventDefault();
        flip();
      });
  }
  return items.length ? y + 14 - top : 0;
}

// ---- axes ----

function drawFrame(svg, {left, right, top, bottom}, xAxis, yAxis, xTitle, yTitle) {
  const grid = svg.append('g').attr('class', 'grid').attr('transform', `translate(${left},0)`)
    .call(d3.axisLeft(yAxis.scale()).tickValues(yAxis.tickValues()).ticks(6)
      .tickSize(left - right).tickFormat(''));
  grid.select('.domain').remove();
  svg.append('g').attr('class', 'axis').attr('transform', `translate(0,${bottom})`).call(xAxis);
  svg.append('g').attr('class', 'axis').attr('transform', `translate(${left},0)`).call(yAxis);
  svg.append('text').attr('class', 'axis-title').attr('x', (left + right) / 2)
    .attr('y', bottom + 38).attr('text-anchor', 'middle').text(xTitle);
  svg.append('text').attr('class', 'axis-title').attr('x', 4).attr('y', top - 12).text(yTitle);
}

// Ticks of a logarithmic scale: 1, 2 and 5 times the powers of ten, or fewer if room is short.
function logTicks([low, high], room) {
  for (const digits of [[1, 2, 5], [1, 3], [1]]) {
    const ticks = [];
    for (let power = Math.floor(Math.log10(low)); power <= Math.log10(high); ++power)
      for (const digit of digits) ticks.push(Number(`${digit}e${power}`));
    const inside = ticks.filter((tick) => tick >= low * 0.999 && tick <= high * 1.001);
    if (inside.length <= room) return inside;
  }
  const low10 = Math.ceil(Math.log10(low));
  const step = Math.ceil((Math.log10(high) - low10) / room);
  return d3.range(low10, Math.log10(high) + 1e-9, step).map((power) => Number(`1e${power}`));
}

// ---- pictures ----

const KEPT = ['fill', 'fill-opacity', 'stroke', 'stroke-width', 'stroke-dasharray', 'opacity',
  'font-size', 'font-family', 'font-weight', 'text-anchor'];

// The figure as a standalone file: light theme, white background, inline styles.
function standaloneSvg(self) {
  const copy = self.svg.node().cloneNode(true);
  const stage = el('div', {'data-theme': 'light', class: 'stage'}, copy);
  document.body.append(stage);
  d3.select(copy).selectAll('.halo').remove();
  for (const element of copy.querySelectorAll('*')) {
    const style = getComputedStyle(element);
    for (const name of KEPT) element.setAttribute(name, style.getPropertyValue(name));
    for (const name of ['class', 'tabindex', 'role', 'aria-pressed']) element.removeAttribute(name);
  }
  stage.remove();
  copy.setAttribute('xmlns', 'http://www.w3.org/2000/svg');
  copy.removeAttribute('tabindex');
  d3.select(copy).insert('rect', ':first-child').attr('width', '100%').attr('height', '100%')
    .attr('fill', '#fff');
  d3.select(copy).insert('title', ':first-child').text(self.title);
  return `<?xml version="1.0" encoding="UTF-8"?>\n${new XMLSerializer().serializeToString(copy)}\n`;
}
