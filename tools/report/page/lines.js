// Lines over an axis, with markers, confidence bands and gaps, or as steps.

// Whether the values grow geometrically rather than linearly.
function isGeometric(values) {
  const sorted = unique(values).sort((a, b) => a - b);
  if (sorted.length < 3 || sorted[0] <= 0) return false;
  const ratios = d3.pairs(sorted).map(([a, b]) => b / a);
  const steps = d3.pairs(sorted).map(([a, b]) => b - a);
  return d3.max(ratios) / d3.min(ratios) < d3.max(steps) / d3.min(steps);
}

function padded([low, high]) {
  return low === high ? [low * 0.8 || -1, high * 1.2 || 1] : [low, high];
}

// The scale of an axis that includes all `values`.
function scaleFor(values, log, range, fromZero) {
  if (log) {
    const positive = values.filter((value) => value > 0);
    return d3.scaleLog().domain(padded(d3.extent(positive.length ? positive : [1, 10])))
      .range(range);
  }
  const [low, high] = values.length ? d3.extent(values) : [0, 1];
  return d3.scaleLinear().domain(fromZero ? [Math.min(0, low), high || 1] : padded([low, high]))
    .range(range);
}

// spec: {series: [{name, style, values: [{x, y, ci, lines, apart}]}],
// x: {title, log, format, names}, y: {title, log, format, most}, steps}. `names`: x is an index
// into them; `apart`: why the line omits a value. Returns the height.
function drawLines(svg, width, self, spec, hidden) {
  const box = {left: 66, right: width - 18, top: 30, bottom: 300};
  const shown = spec.series.filter((series) => !hidden.has(series.name));
  const all = shown.flatMap((series) => series.values);
  // A logarithmic axis cannot show 0.
  const visible = (value) => (!spec.x.log || value.x > 0) && (!spec.y.log || value.y > 0);
  const xs = all.map((value) => value.x).filter((value) => !spec.x.log || value > 0);
  const ys = all.flatMap((value) => [value.y, value.y + (value.ci || 0)]);
  if (spec.y.most !== undefined) ys.push(spec.y.most);
  const x = spec.x.names
    ? d3.scalePoint().domain(d3.range(spec.x.names.length)).padding(0.5)
      .range([box.left, box.right])
    : scaleFor(xs, spec.x.log, [box.left + (spec.steps ? 0 : 12), box.right - 8], false);
  const y = scaleFor(ys, spec.y.log, [box.bottom, box.top + 6], true);
  if (!spec.y.log) y.nice(6);
  drawFrame(svg, box, xAxisOf(x, spec, xs, width), yAxisOf(y, spec), spec.x.title, spec.y.title);
  for (const series of shown)
    drawSeries(svg, self, series, series.values.filter(visible), x, y, spec);
  const items = spec.series.map((series) => ({
    name: series.name,
    key: (group) => drawKey(group, series.style, spec.steps),
  }));
  const signs = unique(all.filter(visible).map((value) => value.apart)).filter((why) => why);
  return box.bottom + 50 + drawLegend(svg, box.bottom + 50, width, [...items,
    ...signs.map((why) => ({name: `${why}: on no line`, plain: true, key: (group) =>
      drawSign(group, why, 'translate(15,0)')}))], hidden, self.redraw);
}

function drawSign(group, why, transform) {
  group.append('path').attr('class', 'sign').attr('d', signOf(why)).attr('transform', transform);
}

function xAxisOf(x, spec, xs, width) {
  const axis = d3.axisBottom(x).tickSizeOuter(0);
  const room = Math.floor(width / 75);
  if (spec.x.names) {
    const every = Math.ceil(spec.x.names.length / room);
    return axis.tickValues(x.domain().filter((i) => i % every === 0))
      .tickFormat((i) => clipped(spec.x.names[i], Math.max(14, Math.floor(
        (width - 90) / Math.min(spec.x.names.length, room) / 7))));
  }
  axis.tickFormat(spec.x.format);
  const values = unique(xs).sort((a, b) => a - b);
  const apart = d3.min(d3.pairs(values), ([a, b]) => x(b) - x(a));
  if (values.length <= room && (values.length < 2 || apart > 34)) return axis.tickValues(values);
  return spec.x.log ? axis.tickValues(logTicks(x.domain(), room)) : axis.ticks(room);
}

function yAxisOf(y, spec) {
  const axis = d3.axisLeft(y).tickSizeOuter(0).tickFormat(spec.y.format);
  return spec.y.log ? axis.tickValues(logTicks(y.domain(), 7)) : axis.ticks(6);
}

// Cuts a text in the middle, because texts often differ at their ends.
function clipped(text, length) {
  if (text.length <= length) return text;
  const end = Math.floor(length / 2);
  return `${text.slice(0, length - 1 - end)}…${text.slice(-end)}`;
}

function drawSeries(svg, self, series, values, x, y, spec) {
  const {colour, dash, marker} = series.style;
  const low = (value) => y(spec.y.log ? Math.max(value.y - value.ci, y.domain()[0])
    : Math.max(value.y - value.ci, 0));
  const whiskers = values.filter((value) => value.ci);
  const band = whiskers.filter((value) => !value.apart);
  const group = svg.append('g').attr('class', 'series');
  const joined = (value) => !value.apart;
  if (band.length > 1)
    group.append('path').attr('class', 'band').attr('fill', colour).attr('d',
      d3.area().defined((v) => joined(v) && v.ci).x((v) => x(v.x)).y0(low)
        .y1((v) => y(v.y + v.ci))(values));
  for (const value of whiskers)
    group.append('path').attr('class', 'whisker').attr('stroke', colour)
      .attr('d', `M${x(value.x)},${low(value)}V${y(value.y + value.ci)}`);
  const line = d3.line().defined(joined).x((v) => x(v.x)).y((v) => y(v.y));
  if (spec.steps) line.curve(d3.curveStepAfter);
  if (values.length > 1)
    group.append('path').attr('class', spec.steps ? 'line mark' : 'line').attr('stroke', colour)
      .attr('stroke-dasharray', dash || null).attr('d', line(values));
  for (const value of values) {
    addMark(self, x(value.x), y(value.y), value.lines);
    if (spec.steps && values.length > 1) continue;
    const place = `translate(${x(value.x)},${y(value.y)})`;
    group.append('path').attr('class', value.apart ? 'mark apart' : 'mark').attr('d', marker)
      .attr(value.apart ? 'stroke' : 'fill', colour).attr('transform', place);
    if (value.apart) drawSign(group, value.apart, place);
  }
}

function drawKey(group, style, steps) {
  group.append('path').attr('class', 'line').attr('stroke', style.colour)
    .attr('stroke-dasharray', style.dash || null).attr('d', 'M2,0H28');
  if (!steps)
    group.append('path').attr('class', 'mark-key').attr('d', style.marker)
      .attr('fill', style.colour).attr('transform', 'translate(15,0)');
}
