// With #selftest behind its address the page checks itself and writes down, as JSON, what it found.

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
  };
}

function selftest() {
  const facts = {
    problems, figures: figures.map(figureFacts),
    requests: performance.getEntriesByType('resource').map((entry) => entry.name),
    executed: window.executedFromData === true,
    markup: document.querySelectorAll('#page img, #page script, #page iframe').length,
  };
  document.body.append(el('pre', {id: 'selftest'}, JSON.stringify(facts)));
}
