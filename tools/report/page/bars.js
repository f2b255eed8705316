// Horizontal bars in named rows: stacked, or one bar per row.

const ROW = 22;

// Patterns drawn over colours, so that segments differ in greyscale; 0 is plain.
const HATCHES = [null, 'M-2,2l4,-4M0,8l8,-8M6,10l4,-4', 'M4,0V8', 'M0,4H8',
  'M-2,2l4,-4M0,8l8,-8M6,10l4,-4M-2,6l4,4M0,0l8,8M6,-2l4,4', 'M3,4a1,1 0 1 0 2,0a1,1 0 1 0 -2,0',
  'M0,0l8,8M-2,6l4,4M6,-2l4,4', 'M4,0V8M0,4H8'];
let patterns = 0;

function fillOf(svg, index) {
  const colour = `var(--s${index % 8})`;
  if (!HATCHES[index % 8]) return colour;
  const id = `hatch-${++patterns}`;
  const pattern = svg.append('defs').append('pattern').attr('id', id).attr('width', 8)
    .attr('height', 8).attr('patternUnits', 'userSpaceOnUse');
  pattern.append('rect').attr('width', 8).attr('height', 8).attr('fill', colour);
  pattern.append('path').attr('d', HATCHES[index % 8]).attr('class', 'hatch');
  return `url(#${id})`;
}

// spec: {rows: [{group, name, values: [number], lines: [[text]], total}], kinds: [{name, index}],
// share, format, title, most}. A row has one value per kind; `total` is the text after its bar;
// `share`: each row fills the width. Returns the height.
function drawBars(svg, width, self, spec) {
  const names = spec.rows.map((row) =>
    clipped(row.name, Math.max(12, Math.floor((width * 0.4 - 16) / 7.2))));
  const left = Math.min(width * 0.4, 16 + 7.2 * (d3.max(names, (name) => name.length) || 0));
  const tops = [];
  let y = 6;
  spec.rows.forEach((row, i) => {
    if (row.group && (i === 0 || spec.rows[i - 1].group !== row.group)) {
      svg.append('text').attr('class', 'group').attr('x', 4).attr('y', y + 14).text(row.group);
      y += 22;
    }
    tops.push(y);
    y += ROW;
  });
  const bottom = y + 4;
  const most = spec.share ? 1 : spec.most || d3.max(spec.rows, (row) => d3.sum(row.values)) || 1;
  const x = d3.scaleLinear().domain([0, most]).range([left, width - 78]);
  const axis = d3.axisBottom(x).ticks(Math.max(2, Math.floor((width - left) / 90))).tickSizeOuter(0)
    .tickFormat(spec.share ? d3.format('.0%') : spec.format);
  svg.append('g').attr('class', 'axis').attr('transform', `translate(0,${bottom})`).call(axis);
  svg.append('text').attr('class', 'axis-title').attr('x', (left + width - 78) / 2)
    .attr('y', bottom + 38).attr('text-anchor', 'middle').text(spec.title);
  const fills = spec.kinds.map((kind) => fillOf(svg, kind.index));
  spec.rows.forEach((row, i) => drawRow(svg, self, row, names[i], tops[i], left, x, fills, spec));
  const items = spec.kinds.length < 2 ? [] : spec.kinds.map((kind, k) => ({
    name: kind.name,
    key: (group) => group.append('rect').attr('class', 'bar').attr('x', 8).attr('y', -7)
      .attr('width', 20).attr('height', 14).attr('fill', fills[k]),
  }));
  return bottom + 50 + drawLegend(svg, bottom + 50, width, items, new Set(), null);
}

function drawRow(svg, self, row, name, top, left, x, fills, spec) {
  svg.append('text').attr('class', 'row').attr('x', left - 6).attr('y', top + ROW / 2)
    .attr('dy', '0.35em').attr('text-anchor', 'end').text(name).append('title').text(row.name);
  const sum = d3.sum(row.values);
  let at = 0;
  row.values.forEach((value, k) => {
    const length = spec.share ? (sum > 0 ? value / sum : 0) : value;
    const from = x(Math.min(at, x.domain()[1]));
    const to = x(Math.min(at + length, x.domain()[1]));
    at += length;
    if (to <= from && sum > 0) return;
    svg.append('rect').attr('class', 'bar mark').attr('x', from).attr('y', top + 2)
      .attr('width', Math.max(to - from, 0)).attr('height', ROW - 5).attr('fill', fills[k]);
    addMark(self, (from + to) / 2, top + ROW / 2, row.lines[k]);
  });
  svg.append('text').attr('class', 'total').attr('x', x(Math.min(at, x.domain()[1])) + 5)
    .attr('y', top + ROW / 2).attr('dy', '0.35em').text(row.total);
}
