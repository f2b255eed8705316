// Emphasis and code as elements; a link becomes plain text, because the page lacks its target.
function inline(line) {
  const words = line.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1');
  return words.split(/(`[^`]+`|\*\*[^*]+\*\*|\*[^*\s](?:[^*]*[^*\s])?\*)/).filter(Boolean)
    .map((part) => part.startsWith('`') ? el('code', {}, part.slice(1, -1))
      : part.startsWith('**') ? el('strong', {}, part.slice(2, -2))
        : /^\*[^\s].*\*$/.test(part) ? el('em', {}, part.slice(1, -1)) : part);
}

// Headings, paragraphs, lists, tables and commands of a README; other markup stays text.
function notesElements(text) {
  const cells = (row) => row.replace(/^\||\|$/g, '').split('|').map((cell) => inline(cell.trim()));
  return text.split(/\n\s*\n/).map((block) => {
    const lines = block.split('\n').filter((line) => line.trim());
    if (!lines.length) return null;
    if (lines[0].startsWith('```'))
      return el('pre', {}, lines.filter((line) => !line.startsWith('```')).join('\n'));
    if (/^#+ /.test(lines[0])) return el('h3', {}, inline(lines[0].replace(/^#+ /, '')));
    if (lines[0].startsWith('|')) {
      const rows = lines.filter((line) => !/^\|[-| :]*$/.test(line)).map(cells);
      const heads = lines[0].replace(/[|*`]+/g, ' ').trim();
      return el('div', {class: 'wide', tabindex: 0, role: 'region', 'aria-label': heads},
        el('table', {}, el('thead', {}, el('tr', {}, rows[0].map((cell) =>
          el('th', {class: 'left'}, cell)))), el('tbody', {}, rows.slice(1).map((row) =>
          el('tr', {}, row.map((cell) => el('td', {class: 'left'}, cell)))))));
    }
    if (lines[0].startsWith('- '))
      return el('ul', {}, lines.join('\n').split(/\n?^- /m).filter((item) => item)
        .map((item) => el('li', {}, inline(item.replace(/\s+/g, ' ')))));
    return el('p', {}, inline(lines.join(' ')));
  });
}
