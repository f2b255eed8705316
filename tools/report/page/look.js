// The state of a scene at one instant.

function segmentAt(lane, at) {
  const list = lane.segments;
  const next = firstFrom(list.length, (i) => list[i].from, at + 1e-9) - 1;
  return next >= 0 && list[next].to >= at ? list[next] : null;
}

// Whether the client's CPU is paused.
const stillAt = (lane, at) => (lane.pauses || []).some(({from, to}) => from <= at && at < to);

// The last effect on this lock that has a decoded entry; null: none yet.
function entryAt(scene, lock, at) {
  let i = firstFrom(scene.effects.length, (k) => scene.effects[k].at, at + 1e-9) - 1;
  while (i >= 0 && !(scene.effects[i].lock === lock && scene.effects[i].entry)) --i;
  return i >= 0 ? scene.effects[i] : null;
}

// Parses "tail=node 5 endpoint 3 count=2" to [["tail", "node 5 endpoint 3"], ["count", "2"]].
function fieldsOf(entry) {
  return entry.split(/[,;] +|\s+(?=[\w-]+=)/).filter(Boolean).map((part) => {
    const at = part.indexOf('=');
    return at > 0 ? [part.slice(0, at), part.slice(at + 1)] : ['', part];
  });
}

// The verbs queued at the lock's slot; the first is in service.
function queueAt(scene, lock, at) {
  const queue = [];
  verbsIn(scene, at, at, (verb) => {
    if (verb.queued !== null && verb.queued <= at && verb.effect !== null && verb.effect > at &&
        (lock === null || verb.lock === lock || verb.lock === null)) queue.push(verb);
  });
  return queue.sort((a, b) => a.slot - b.slot);
}

function verbsIn(scene, from, to, take) {
  const begin = firstFrom(scene.verbs.length, (i) => scene.verbEnds[i], from);
  for (let i = begin; i < scene.verbs.length && scene.verbs[i].from <= to; ++i)
    if (scene.verbs[i].to >= from) take(scene.verbs[i]);
}
