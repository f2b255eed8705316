// Goodput by interval of the window, if the run has run.series.

// Shows only the first repeat, because the windows of other repeats begin at other times.
function timelineFigure(part) {
  const withLine = part.points.filter((point) => point.timeline.length);
  if (!withLine.length) return null;
  const last = placeOf(withLine[withLine.length - 1]);
  const chosen = new Set(withLine.filter((point) => placeOf(point) === last).slice(0, 10));
  const hidden = new Set();
  const state = {logY: false};
  let self = null;
  const kind = kindOf('goodput_ops_s');
  const lineOf = (point) => ({
    name: pointName(point),
    style: styleNumber(styleIndex(point.lock), part.points.filter((each) =>
      each.lock === point.lock).indexOf(point)),
    values: point.timeline.map((goodput, i) => ({x: i * point.interval_ns, y: goodput,
      lines: [pointName(point), `from ${timeText(i * point.interval_ns)} of the window on, for ` +
        timeText(point.interval_ns), exactText(kind, goodput)]})),
  });
  const series = () => withLine.filter((point) => chosen.has(point)).map(lineOf);
  const choices = withLine.map((point) => checkbox(pointName(point), chosen.has(point), (on) => {
    if (on) chosen.add(point); else chosen.delete(point);
    self.redraw();
  }));
  return figure({
    id: 'timeline',
    title: 'Goodput through the window',
    note: 'Of the first repeat, interval by interval (run.series).',
    controls: [el('details', {class: 'points'}, el('summary', {}, 'Points shown'), choices),
      checkbox('log y', state.logY, (on) => {
        state.logY = on;
        self.redraw();
      })],
    draw: (svg, width, me) => {
      self = me;
      return drawLines(svg, width, me, {
        steps: true, series: series(),
        x: {title: 'time since the window began', log: false, format: (v) => timeText(v)},
        y: {title: metricWords('goodput_ops_s'), log: state.logY,
          format: (v) => shortText(kind, v)},
      }, hidden);
    },
    rows: () => [['point', 'from_ns', 'goodput_ops_s'],
      ...series().flatMap((each) => each.values.map((value) => [each.name, value.x, value.y]))],
  });
}
