// A scene is the data of a stage. Times are in us from its begin, or moves of a counterexample.
//
// {unit, span, lanes: [{name, node, segments, pauses}], verbs, effects, messages, instants, locks}
// - segments: [{from, to, kind, mode, lock, phase}], one after the other
// - pauses: [{from, to}], while the client's CPU is paused; may be absent
// - verbs: [{lane, name, from, queued, slot, effect, to, matched, lock, says}], by `from`
// - effects: [{at, lane, name, lock, entry, changed, matched, says}], by `at`
// - messages: [{from, to, sent, taken, name, lock}]; from and to are lanes, sent and taken are
//   times; by `sent`
// - instants: times of all events, ascending

const WAITS_FOR = {WP: 'predecessor', WR: 'readers', WW: 'writers'};

// A client's state, from its stack of open slices.
function stateOf(stack) {
  const state = {kind: 'idle', mode: '', lock: null, phase: ''};
  for (const each of stack) {
    const word = each.name.split(' ')[0];
    if (/^[A-Z]{2}$/.test(word)) state.phase = word;
    if (word === 'think') state.kind = 'think';
    if (word === 'acquire') state.kind = 'asks';
    if (word === 'hold') state.kind = 'holds';
    if (word === 'release') state.kind = 'leaves';
    if (each.args.lock !== undefined && each.args.mode) {
      state.lock = each.args.lock;
      state.mode = each.args.mode;
    }
    if (state.kind === 'asks' && word === 'pause') state.kind = 'pauses';
  }
  if ((state.kind === 'asks' || state.kind === 'pauses') && WAITS_FOR[state.phase])
    state.kind = 'waits';
  return state;
}

function samePlace(a, b) {
  return a.kind === b.kind && a.mode === b.mode && a.lock === b.lock && a.phase === b.phase;
}

const MEMORY_VERBS = new Set(['read', 'write', 'cas', 'faa', 'masked_cas', 'masked_faa']);

// "masked_cas" becomes "masked CAS".
function verbName(name) {
  return name.replace('masked_', 'masked ').replace(/\b(cas|faa|read|write)\b/, (word) =>
    word.toUpperCase());
}

// The sentence for an effect.
function effectSays(who, args) {
  const verb = verbName(args.verb || '');
  const place = args.place || args.address || 'memory';
  const waited = args.waited_us > 0 ? ` It had waited ${usText(args.waited_us)} for its slot.` : '';
  const now = args.entry ? ` The lock says: ${args.entry}.` : '';
  if (args.matched === false)
    return `${who}'s ${verb} of ${place} fails: it finds ${args.before}, not ` +
      `${args.compare}.${waited}`;
  if (args.before === undefined) return `${who}'s ${verb} of ${place}.${waited}${now}`;
  const to = args.after !== undefined && args.after !== args.before ? `: ${args.before} becomes ` +
    args.after : ` finds ${args.before}`;
  return `${who}'s ${verb} of ${place}${to}.${waited}${now}`;
}

function sceneOfTrace(trace) {
  const events = trace.traceEvents;
  const names = new Map();
  const nodes = new Map();
  const key = (event) => `${event.pid}/${event.tid}`;
  for (const event of events) {
    if (event.name === 'thread_name') names.set(key(event), event.args.name);
    if (event.name === 'process_name') nodes.set(event.pid, event.args.name);
  }
  const dated = events.filter((event) => event.ph !== 'M');
  const begin = dated.reduce((least, event) => Math.min(least, event.ts), Infinity);
  const end = dated.reduce((most, event) => Math.max(most, event.ts), -Infinity);
  const scene = {unit: 'us', span: Math.max(end - begin, 1e-6), lanes: [], verbs: [], effects: [],
    messages: [], instants: []};
  const tracks = new Map();
  const laneOf = (event) => {
    const name = names.get(key(event)) || '';
    if (!/^client \d+/.test(name) || nodes.get(event.pid) === 'locks') return null;
    if (!tracks.has(key(event))) {
      tracks.set(key(event), {index: scene.lanes.length, stack: [], state: null, since: 0});
      scene.lanes.push({name, node: nodes.get(event.pid) || '', segments: []});
    }
    return tracks.get(key(event));
  };
  const close = (track, at) => {
    if (track.state && at > track.since)
      scene.lanes[track.index].segments.push({from: track.since, to: at, ...track.state});
  };
  const move = (track, at) => {
    const state = track.dead ? {...stateOf([]), kind: 'dead'} : stateOf(track.stack);
    if (track.state && samePlace(state, track.state)) return;
    close(track, at);
    track.state = state;
    track.since = at;
  };
  const finish = (track, slice, at) => {
    if (!MEMORY_VERBS.has(slice.name)) return;
    const args = slice.args;
    const on = (date) => date === undefined ? null : date - begin;
    scene.verbs.push({lane: track.index, name: slice.name,
      from: (args.since === undefined ? slice.ts : args.since) - begin, queued: on(args.queued_us),
      slot: on(args.slot_us), effect: on(args.effect_us), to: at, matched: args.matched !== false,
      lock: args.lock === undefined ? null : args.lock, place: args.place || args.address || '',
      says: effectSays(scene.lanes[track.index].name, {verb: slice.name, ...args})});
  };
  const arrows = new Map();
  const pauses = [];  // of a client, or of its node
  const fault = (event, at, lane) => {
    const who = lane ? scene.lanes[lane.index].name : nodes.get(event.pid);
    const pause = event.name === 'pause';
    if (pause) pauses.push({lane, pid: event.pid, from: at, to: at + event.args.length_us});
    if (lane && !pause) {
      lane.dead = true;
      move(lane, at);
    }
    scene.effects.push({at, lane: lane ? lane.index : -1, name: '', lock: null, entry: '',
      changed: false, matched: true, says: pause
        ? `${who} stands still for ${usText(event.args.length_us)}.` : `${who}: ${event.name}.`});
    scene.instants.push(at);
  };
  for (const event of dated) {
    const at = event.ts - begin;
    const lane = laneOf(event);
    if (event.ph === 'B' && lane) {
      lane.stack.push({name: event.name, ts: event.ts, args: {...event.args}});
      move(lane, at);
      scene.instants.push(at);
    } else if (event.ph === 'E' && lane && lane.stack.length) {
      const slice = lane.stack.pop();
      Object.assign(slice.args, event.args);
      finish(lane, slice, at);
      move(lane, at);
      scene.instants.push(at);
    } else if (event.ph === 's' && lane) {
      const slice = lane.stack[lane.stack.length - 1];
      const {message, lock} = slice ? slice.args : {};
      arrows.set(event.id, {from: lane.index, sent: at, name: message || event.name,
        lock: lock === undefined ? null : lock});
    } else if (event.ph === 'f' && lane && arrows.has(event.id)) {
      scene.messages.push({...arrows.get(event.id), to: lane.index, taken: at});
    } else if (event.ph === 'i' && event.args && event.args.effect_us !== undefined) {
      scene.effects.push(effectOfTrace(scene, event, at));
      scene.instants.push(at);
    } else if (event.ph === 'i' && /^(pause|(client|process|node) crash)$/.test(event.name)) {
      fault(event, at, lane);
    }
  }
  tracks.forEach((track, of) => {
    close(track, scene.span);
    scene.lanes[track.index].pauses = pauses.filter(({lane, pid}) =>
      lane ? lane === track : of.startsWith(`${pid}/`));
  });
  return finished(scene);
}

function effectOfTrace(scene, event, at) {
  const args = event.args;
  return {at, lane: scene.lanes.findIndex((lane) => lane.name === args.by), name: args.verb,
    lock: args.lock === undefined ? null : args.lock, entry: args.entry || '',
    changed: args.after !== undefined && args.after !== args.before,
    matched: args.matched !== false, says: effectSays(args.by, args)};
}

// Sorts the lists that drawing searches by time.
function finished(scene) {
  const ascending = (by) => (a, b) => a[by] - b[by];
  scene.verbs.sort(ascending('from'));
  scene.effects.sort(ascending('at'));
  scene.messages.sort(ascending('sent'));
  scene.instants = [...new Set(scene.instants)].sort((a, b) => a - b);
  scene.locks = new Map();
  for (const effect of scene.effects)
    if (effect.lock !== null) scene.locks.set(effect.lock, 1 + (scene.locks.get(effect.lock) || 0));
  scene.locks = [...scene.locks.entries()].sort((a, b) => b[1] - a[1]).map(([lock]) => lock);
  scene.verbEnds = latest(scene.verbs, 'to');
  scene.messageEnds = latest(scene.messages, 'taken');
  return scene;
}

// The maximum of the ends up to each element, which gives the start of a search for elements that
// last until a given time.
function latest(list, end) {
  let most = -Infinity;
  return list.map((each) => most = Math.max(most, each[end]));
}

// The first index whose value is not below `wanted`; values ascend.
function firstFrom(count, valueAt, wanted) {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (valueAt(middle) < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}

function usText(us) {
  if (Math.abs(us) < 1) return `${(us * 1000).toFixed(0)} ns`;
  return `${us.toFixed(us < 10 ? 2 : 1)} us`;
}
