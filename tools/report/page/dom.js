// Elements of the page. Texts of a scenario enter the page as text, never as markup.

const problems = [];
window.addEventListener('error', (event) => problems.push(String(event.message)));
document.addEventListener('securitypolicyviolation', (event) =>
  problems.push(`${event.violatedDirective} ${event.blockedURI}`));

// el('a', {href: '#x', class: 'y', onclick: f}, 'text', otherElement)
function el(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? '' : value);
  }
  for (const child of children.flat(Infinity))
    if (child !== null && child !== undefined) element.append(child);
  return element;
}

function button(text, title, onclick) {
  return el('button', {type: 'button', title, onclick}, text);
}

function checkbox(text, checked, change) {
  const box = el('input', {type: 'checkbox', checked});
  box.addEventListener('change', () => change(box.checked));
  return el('label', {class: 'choice'}, box, text);
}

// values: [[value, text], ...]
function selection(text, values, chosen, change) {
  const options = values.map(([value, name]) =>
    el('option', {value, selected: value === chosen}, name));
  const select = el('select', {}, options);
  select.addEventListener('change', () => change(select.value));
  return el('label', {class: 'choice'}, `${text} `, select);
}

function section(title, id, ...children) {
  return el('section', {id, 'aria-labelledby': `${id}-title`},
    el('h2', {id: `${id}-title`}, title), children);
}

function folded(title, ...children) {
  return el('details', {}, el('summary', {}, title), children);
}

function download(name, type, text) {
  const url = URL.createObjectURL(new Blob([text], {type}));
  const link = el('a', {href: url, download: name});
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}

function fileName(text) {
  const plain = text.toLowerCase().replace(/[^a-z0-9]+/g, '-').replace(/^-|-$/g, '');
  return plain.slice(0, 80) || 'figure';
}

// rows: lists of cells, the first row is the header. Cells are quoted as RFC 4180 requires.
function csvText(rows) {
  const cell = (value) => {
    const text = value === null || value === undefined ? '' : String(value);
    return /[",\r\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text;
  };
  return rows.map((row) => row.map(cell).join(',')).join('\n') + '\n';
}
