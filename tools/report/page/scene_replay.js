// A counterexample as a scene, in which each move takes one unit of time.

function sceneOfReplay(replay) {
  const scene = {unit: 'move', span: replay.moves.length + 1, lanes: [], verbs: [], effects: [],
    messages: [], instants: []};
  const laneOf = new Map();
  for (const each of replay.clients) {
    laneOf.set(each.client, scene.lanes.length);
    scene.lanes.push({name: `client ${each.client}`, node: `node ${each.node}`, segments: []});
  }
  const doing = scene.lanes.map(() => ({since: 0, kind: 'asks', mode: '', lock: null, phase: ''}));
  const become = (lane, at, kind, event) => {
    const {since, ...state} = doing[lane];
    if (at > since) scene.lanes[lane].segments.push({from: since, to: at, ...state});
    doing[lane] = {since: at, kind, mode: event.mode || state.mode, phase: '',
      lock: event.lock === undefined ? state.lock : event.lock};
  };
  const BECOMES = {asks: 'asks', granted: 'holds', upgraded: 'holds', extended: 'holds',
    releases: 'leaves', released: 'idle', 'gives up': 'idle', 'does not release': 'idle'};
  const under = new Map();  // verbs that a client waits for
  const entries = new Map();
  const noteEntries = (list, at, lane, says) => (list || []).forEach((each) => {
    if (entries.get(each.lock) === each.decoded && at > 0) return;
    entries.set(each.lock, each.decoded);
    scene.effects.push({at, lane, name: '', lock: each.lock, entry: each.decoded, changed: at > 0,
      matched: true, says});
  });
  noteEntries(replay.start && replay.start.entries, 0, -1, 'Before the first move.');
  const hear = (events, at) => (events || []).forEach((event) => {
    const lane = laneOf.get(event.client);
    if (lane !== undefined && BECOMES[event.event]) become(lane, at, BECOMES[event.event], event);
  });
  replay.moves.forEach((move, i) => {
    const at = i + 1;
    scene.instants.push(at);
    hear(move.events, at);
    const crashed = laneOf.get(move.client);
    if (crashed !== undefined && move.kind === 'crash') become(crashed, at, 'dead', {});
    (move.steps || []).forEach((step) => {
      const lane = step.actor && step.actor.client !== undefined ? laneOf.get(step.actor.client)
        : undefined;
      hear(step.events, at);
      if (lane === undefined || !step.verb) return;
      if (step.step === 'atomic' || step.step === 'piece' || step.step === 'second half' ||
          step.step === 'looks') {
        const verb = {lane, name: step.verb.name, from: at - 0.4, queued: null, slot: null,
          effect: at, to: at + 0.4, matched: step.matched !== false,
          lock: step.verb.lock === undefined ? null : step.verb.lock, place: step.verb.place || '',
          says: step.text};
        scene.verbs.push(verb);
        under.set(lane, verb);
        if (step.matched === false)
          scene.effects.push({at, lane, name: step.verb.name, lock: verb.lock, entry: '',
            changed: false, matched: false, says: step.text});
      } else if (step.step === 'completes' && under.has(lane)) {
        under.get(lane).to = Math.max(at, under.get(lane).to);
        under.delete(lane);
      }
    });
    const first = (move.steps || []).find((step) => step.actor && step.actor.client !== undefined);
    noteEntries(move.entries, at, first ? laneOf.get(first.actor.client) : -1, move.text);
    scene.effects.push({at, lane: -1, name: '', lock: null, entry: '', changed: false,
      matched: true, says: `${move.move}. ${move.text}`});
  });
  doing.forEach((_, lane) => become(lane, scene.span, 'idle', {}));
  const done = finished(scene);
  done.finding = replay.finding ? replay.finding.text : '';
  return done;
}
