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
    legend: self.svg.selectAll('.legend').nodes().map((item) => item.textContent),
    apart: self.svg.selectAll('.apart').size(),
    // Strokes of lines: one that breaks counts once for each part.
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

// Columns that come into view as their table is moved, and those that do not.
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

function selftest() {
  document.querySelectorAll('details').forEach((each) => each.setAttribute('open', ''));
  const facts = {
    problems, figures: figures.map(figureFacts),
    width: innerWidth,
    sideways: document.documentElement.scrollWidth - document.documentElement.clientWidth,
    tables: [...document.querySelectorAll('.wide')].map(tableFacts),
    requests: performance.getEntriesByType('resource').map((entry) => entry.name),
    executed: window.executedFromData === true,
    markup: document.querySelectorAll('#page img, #page script, #page iframe').length,
  };
  document.body.append(el('pre', {id: 'selftest'}, JSON.stringify(facts)));
}
