// A game: the players choose the next of the possible moves until the lock is broken or all clients
// have finished. tools/explore/game.h specifies the data.

const GAMES = [];  // all games of this page

const BROKEN = {
  'mutual exclusion': 'Two clients hold the lock at once.',
  deadlock: 'A client waits for ever.',
  'no progress': 'A client waits for ever.',
  'not free at the end': 'All clients have finished, and the lock is not free: the next client waits for ever.',
};

// The text of a possible move, without addresses.
function moveWords(move) {
  const step = (move.steps || [])[0];
  if (!step || step.actor.client === undefined) return move.text;
  const verb = verbName(step.verb ? step.verb.name : '');
  const does = {
    atomic: `${verb}, its first half: it reads the word`,
    'second half': `${verb}, its second half: it stores the sum`,
    piece: `${verb} takes effect`,
    looks: `${verb} takes effect, to see whether it is called`,
    local: 'leaves its critical section',
  }[step.step];
  return does ? `client ${step.actor.client}: ${does}` : move.text;
}

// The word of the only lock, decoded, once the move has been made.
const wordAfter = (move, before) => move.entries ? move.entries[0].decoded : before;

// The result of a move, for the list of moves made.
function madeWords(move, before) {
  const after = wordAfter(move, before);
  const [step] = move.steps || [];
  const reads = step && (step.step === 'atomic' || step.step === 'looks' ||
    (step.step === 'piece' && step.verb.name === 'read'));
  const granted = (move.steps || []).some((each) =>
    (each.events || []).some(({event}) => event === 'granted'));
  return `${moveWords(move)}${reads ? ` (${before})` : ''}` +
    `${after !== before ? `. Now ${after}` : ''}${granted ? '. It holds the lock' : ''}`;
}

// By state: the number of orders that lead from it to an end, and how many of them to a good end.
// The graph has no cycles, because a client that only polls gets no move.
function ordersOf(states) {
  const known = new Map();
  const count = (id) => {
    if (known.has(id)) return known.get(id);
    const {moves, wrong} = states[id];
    const sum = moves.length ? {all: 0, good: 0} : {all: 1, good: wrong ? 0 : 1};
    known.set(id, sum);
    for (const {to} of moves) {
      const behind = count(to);
      sum.all += behind.all;
      sum.good += behind.good;
    }
    return sum;
  };
  count(0);
  return known;
}

function game(id, data) {
  const {states} = data;
  const orders = ordersOf(states);
  const self = {id, data, path: []};
  const begin = data.start.entries[0].decoded;
  // The states of the path, including the first and the last.
  const visited = () => self.path.reduce((ids, choice) =>
    [...ids, states[ids[ids.length - 1]].moves[choice].to], [0]);
  const made = () => visited().slice(0, -1).map((at, i) => states[at].moves[self.path[i]]);
  const replayed = () => ({clients: data.clients, start: data.start,
    moves: made().map((move, i) => ({...move, move: i + 1}))});
  const drawing = stage('your order of events', sceneOfReplay(replayed()));
  const panel = el('div', {class: 'now'});
  const says = el('div', {class: 'says', 'aria-live': 'polite'});
  const choices = el('div', {class: 'choices', role: 'group', 'aria-label': 'What happens next?'});
  const log = el('ol', {class: 'moves', 'aria-label': 'Moves made'});
  const theirs = el('div', {hidden: true});

  const verdict = (ids) => {
    const {wrong, text} = states[ids[ids.length - 1]];
    const last = ids.findLastIndex((at) => orders.get(at).good > 0);
    const {all, good} = orders.get(0);
    const of = `There are ${grouped(all)} orders, and ${grouped(all - good)} of them break the lock.`;
    if (!wrong)
      return el('p', {class: 'box good'}, `No violation after ${self.path.length} moves: each client ` +
        `has held the lock, one after the other, and the lock is free. ${of}`);
    return el('p', {class: 'box bad'}, `Broken in ${self.path.length} moves. `,
      BROKEN[wrong] || wrong, ` The explorer says: ${text}. After move ${last} it could still end well, ` +
      `after move ${last + 1} no more. ${of}`);
  };
  const show = () => {
    const ids = visited();
    const {moves} = states[ids[ids.length - 1]];
    drawing.scene = sceneOfReplay(replayed());
    const at = self.path.length;
    drawing.draw(at, {from: 0, to: Math.max(at + 1, 8)});
    showNow(panel, drawing, at);
    let word = begin;
    log.replaceChildren(...made().map((move) => {
      const item = el('li', {}, madeWords(move, word));
      word = wordAfter(move, word);
      return item;
    }));
    const held = choices.contains(document.activeElement);
    choices.replaceChildren(...moves.map((move, i) => button(`${i + 1}. ${moveWords(move)}`,
      `This happens next (key ${i + 1})`, () => choose(i))));
    if (held) (choices.firstChild || undo).focus();
    undo.disabled = again.disabled = !at;
    says.replaceChildren(...[at && el('p', {}, `Move ${at}: ${log.lastChild.textContent}.`),
      moves.length ? el('p', {}, `What happens ${at ? 'next' : 'first'}?`) : verdict(ids)]
      .filter(Boolean));
  };
  const choose = (i) => {
    const ids = visited();
    if (i >= states[ids[ids.length - 1]].moves.length) return;
    self.path.push(i);
    show();
  };
  const undo = button('Undo', 'Takes the last move back (backspace)', () => {
    self.path.pop();
    show();
    if (undo.disabled && choices.firstChild) choices.firstChild.focus();
  });
  const again = button('Start over', 'Takes all moves back (home)', () => {
    self.path = [];
    show();
    choices.firstChild.focus();
  });
  const shortest = button('Show the shortest', 'Plays the shortest order that breaks it', () => {
    if (theirs.hidden) {
      const mine = self.path;
      self.path = data.shortest;
      const ids = visited();
      const replay = {...replayed(), finding: states[ids[ids.length - 1]]};
      self.path = mine;
      self.animation = animation(`${id}-shortest`, [{name: 'the shortest', replay}]);
      ANIMATIONS.push(self.animation);
      theirs.append(el('h3', {}, `The explorer's: ${data.shortest.length} moves`),
        self.animation.area);
      theirs.hidden = false;
    }
    self.animation.go(0);
    self.animation.play();
    theirs.scrollIntoView({block: 'nearest'});
  });
  const area = el('div', {class: 'animation game', id, role: 'group', 'aria-label': 'Game'},
    panel, says, choices, el('div', {class: 'tools'}, undo, again,
      data.shortest.length ? shortest : null),
    el('div', {class: 'lanes'}, el('div', {}, drawing.canvas)), log, theirs);
  area.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || theirs.contains(event.target)) return;
    if (/^[1-9]$/.test(event.key)) choose(+event.key - 1);
    else if (event.key === 'Backspace' && !undo.disabled) undo.click();
    else if (event.key === 'Home' && !again.disabled) again.click();
    else return;
    event.preventDefault();
  });
  new ResizeObserver(show).observe(drawing.canvas.parentElement);
  return Object.assign(self, {area, panel, says, choices, log, undo, again, shortest, show});
}

function gameSection() {
  if (!DATA.lesson.game) return null;
  GAMES.push(game('game', DATA.lesson.game));
  return section('Break it', 'break-it', GAMES[0].area,
    el('p', {}, 'Keys: 1 to 9 choose, backspace takes a move back, home all of them.'));
}
