// What a scene shows at one instant.

function segmentAt(lane, at) {
  const list = lane.segments;
  const next = firstFrom(list.length, (i) => list[i].from, at + 1e-9) - 1;
  return next >= 0 && list[next].to >= at ? list[next] : null;
}

// Its CPU stands still, whatever it is doing.
const stillAt = (lane, at) => (lane.pauses || []).some(({from, to}) => from <= at && at < to);

// The last effect on this lock that says what is in it; null: none yet.
function entryAt(scene, lock, at) {
  let i = firstFrom(scene.effects.length, (k) => scene.effects[k].at, at + 1e-9) - 1;
  while (i >= 0 && !(scene.effects[i].lock === lock && scene.effects[i].entry)) --i;
  return i >= 0 ? scene.effects[i] : null;
}

// "tail=node 5 endpoint 3 count=2" as [["tail", "node 5 endpoint 3"], ["count", "2"]].
function fieldsOf(entry) {
  return entry.split(/[,;] +|\s+(?=[\w-]+=)/).filter(Boolean).map((part) => {
    const at = part.indexOf('=');
    return at > 0 ? [part.slice(0, at), part.slice(at + 1)] : ['', part];
  });
}

// Who stands at the lock's slot: the first is being served.
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
