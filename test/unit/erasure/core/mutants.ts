/**
 * Faults to plant into the core, one at a time: the check has to find each. `from` has to stand in core.ts exactly once.
 * The first are rules by dates that were thought of, and are refuted.
 */
type Replacement = readonly [from: string, to: string];

/** `scenes`: where it is found; a plain run finds the others in any. */
export type Mutant = {
  readonly name: string;
  readonly changes: readonly Replacement[];
  readonly scenes: RegExp;
};

const mutant = (name: string, ...changes: readonly Replacement[]): Mutant => ({ name, changes, scenes: /./ });
const within = (scenes: RegExp, one: Mutant): Mutant => ({ ...one, scenes });

const free = 'if (owner === undefined) return asked.has(id);';
const younger =
  'return one.isPlanned && id === one.uuid && owner.uuid === id && isLater(owner.born, one.born);';
const sameUuid = 'owner.uuid === one.uuid && isLater(owner.born, one.born)';
const stores = 'const isFree = (store: StoreName) => one.ids.every((id) => one.free[store].includes(id));';
const gone = 'const isGone = !one.hasMore && run.stores.every(isFree);';
const settled = "const SETTLED: readonly Verdict[] = ['gone',";
const agrees =
  'const agrees = found === sent.size && failed.every((uuid) => own.has(uuid)) && isAll && isQueued;';
const own = 'const own = rows.filter(({ created = Infinity }) => created >= since);';
const rows = 'return own.some(isDated) && own.every(({ isCompleted }) => isCompleted);';
const until =
  'return one.time !== undefined && time !== undefined && one.time <= time + 999 && until >= one.time;';
const planned =
  'const isPlanned = covers(shown, [id]) && born !== undefined && !ids.some((own) => run.spared.has(own));';
const controlled = 'const isControlled = isOwn || (controls.length > 0 && controls.every((one) => one));';
const failed = 'const isFailed = DONE.includes(one.standing) && overdue?.includes(one.call ?? -1) === true;';
const absent = "return { ...looked, doubt: 'since a look without them', time };";
const older = 'if (!one.isPlanned || !isSame(one.born, seen.born))';

const byDates: readonly Mutant[] = [
  within(
    /excepted$/,
    mutant('by date: who has the planned UUID and came later holds nothing from before', [
      younger,
      `return one.isPlanned && ${sameUuid};`,
    ]),
  ),
  within(
    /excepted$/,
    mutant('by date: the same, once the service told that it deleted the person', [
      younger,
      `return one.isPlanned && ${sameUuid} && (id === one.uuid || one.standing === 'told');`,
    ]),
  ),
  within(
    /^one, by UUID$/,
    mutant('by date: whoever came later, once this store has shown the UUID free', [
      younger,
      'return one.free[store].includes(one.uuid) && isLater(owner.born, one.born);',
    ]),
  ),
  within(
    /^one, by UUID$/,
    mutant('by date: a store need not show free what the other did, if who has it came later', [
      younger,
      "return isLater(owner.born, one.born) && (id === one.uuid || one.free[store === 'list' ? 'sql' : 'list'].includes(id));",
    ]),
  ),
  within(
    /^one, by UUID$/,
    mutant('by date: who has an id now came later, whatever the date', [
      younger,
      'return !isSame(owner.born, one.born);',
    ]),
  ),
  within(
    /^one, by UUID$/,
    mutant('another UUID is no reason to doubt', [younger, 'return owner.uuid !== one.uuid;']),
  ),
];

const persons: readonly Mutant[] = [
  mutant('an answer with another person is taken', [
    "if (!person.hasMore && !covers(person, [id])) refuse('an answer shows a person who does not have the id');",
    '',
  ]),
  mutant('an answer about another id is taken', [
    "if (!asked.has(id)) refuse('an answer is about an id that was not asked about');",
    '',
  ]),
  mutant('an answer with two persons for one id is taken', [
    "if ((owners.get(id) ?? person).uuid !== person.uuid) refuse('an answer shows two persons with one id');",
    '',
  ]),
  within(
    /^the id is not among/,
    mutant('whose ids are not all shown has each that was asked for', [
      planned,
      planned.replace('covers(shown, [id])', 'shown !== undefined'),
    ]),
  ),
  within(
    /and an exception$/,
    mutant('of exceptions, too', [
      "idsBehind(id, ownerIn('list', id, indexes))",
      "everyIdOf(ownerIn('list', id, indexes) ?? { uuid: '', ids: [] })",
    ]),
  ),
  within(
    /and an exception, list only$/,
    mutant('and excepts it, if they are excepted', [
      '[id, ...idsBehind(id, shown)]',
      "[id, ...everyIdOf(shown ?? { uuid: '', ids: [] })]",
    ]),
  ),
  mutant('who has no date is sent', [planned, planned.replace('born !== undefined && ', '')]),
  mutant(
    'who signed up again under the same UUID is the same person',
    [older, 'if (!one.isPlanned)'],
    ['if (seen !== undefined && !isLater(seen.born, one.born)) return', 'if (seen !== undefined) return'],
  ),
  mutant('who was merged with an older person is the same person', [older, 'if (!one.isPlanned)']),
  mutant('two times are compared to the finer precision', [
    'Math.max(one.unit, other.unit)',
    'Math.min(one.unit, other.unit)',
  ]),
  mutant('two times are compared to the second', [
    'const unit = Math.max(one.unit, other.unit);',
    'const unit = 1000;',
  ]),
  mutant(
    'exceptions spare their ids only, not their persons',
    ['...shown.flatMap(everyIdOf)]', ']'],
    ['? everyIdOf(person) : []);', '? [] : []);'],
  ),
  within(
    /and an exception$/,
    mutant('SQL tells who is excepted', ['excepted: new Set([...ids, ...listed])', 'excepted: spared']),
  ),
  within(
    /^one, and somebody with two ids is excepted$/,
    mutant('whom only SQL shows behind an exception is sent', [
      'const shown = ids.flatMap((id) => indexes.flatMap(({ owners }) => owners.get(id) ?? []));',
      "const shown = ids.flatMap((id) => ownerIn('list', id, indexes) ?? []);",
    ]),
  ),
  within(
    /^one of two people$/,
    mutant('SQL alone makes somebody sendable', [
      "const shown = ownerIn('list', id, indexes);",
      "const shown = ownerIn('list', id, indexes) ?? ownerIn('sql', id, indexes);",
    ]),
  ),
  within(
    /^one of two people$/,
    mutant(
      'of a line in doubt only its own id is looked for',
      ['return { ...one, hasMore, ids: unite(one.ids, persons.flatMap(everyIdOf)) };', 'return one;'],
      [
        'const ids = unite(everyIdOf({ uuid, ...person }), [id]);',
        'const ids = shown === undefined ? [id] : unite(everyIdOf({ uuid, ...person }), [id]);',
      ],
    ),
  ),
  mutant('a person may be in two batches', [
    "if (isPlanned && planned.has(uuid)) refuse('a person is in two batches');",
    '',
  ]),
  mutant('a plan may be made of an answer that does not count', [
    'if (open.length > 0) refuse',
    'if (open.length > ids.length) refuse',
  ]),
];

const sending: readonly Mutant[] = [
  within(
    /^one of two people$/,
    mutant('nothing has to be agreed to', ["if (run.agreed === undefined) return 'not been agreed to';", '']),
  ),
  mutant('another number may be agreed to', [
    'if (planned.size !== persons) refuse',
    'if (planned.size < 0) refuse',
  ]),
  mutant('somebody who is not in the plan may be sent', [
    "if (one === undefined || !one.isPlanned) return 'no place in the plan';",
    'if (one === undefined) return undefined;',
  ]),
  mutant('who was excepted is only looked at when it is planned', [
    "if (isSpared(run, one)) return 'come to have an excepted id';",
    '',
  ]),
  mutant('who may have more ids is sent, whatever is excepted', [
    "return one.hasMore && run.spared.size > 0 ? 'ids that were not shown, and may be excepted' : undefined;",
    'return undefined;',
  ]),
  mutant('an answer with ten ids shows all', [
    'hasMore: seen.hasMore === true, seen: undefined };',
    'hasMore: false, seen: undefined };',
  ]),
  mutant('who may have more ids is never read alone', [
    'alone: open.filter(({ doubt, hasMore }) => doubt === undefined && hasMore).map(({ uuid }) => uuid)',
    'alone: []',
  ]),
  mutant('nobody is looked up before sending', [
    'beforeSending: old.map(({ uuid }) => uuid)',
    'beforeSending: []',
  ]),
  mutant('an old look is as good as a new one', [
    'if (one.doubt !== undefined) return',
    'if (one.calls < 0) return',
  ]),
  within(
    /^one, and the other is excepted$/,
    mutant('a look stays good when time passes', [
      "if (by === 'time') return change(batch, (one) => ({ ...one, doubt: one.doubt ?? 'for 15 minutes' }));",
      "if (by === 'time') return batch;",
    ]),
  ),
  within(
    /^one, and the other is excepted$/,
    mutant('a look stays good in a new session', [
      "return { ...one, doubt: isLost ? 'since their answer was lost' : 'since the session began' };",
      'return one;',
    ]),
  ),
  mutant('a call without an end is under way in a new session', [
    "if (one.standing === 'in flight') return lose(one);",
    "if (one.standing === 'in flight') return one;",
  ]),
  within(
    /^one, and the other is excepted$/,
    mutant(
      'a look during a call is good after it',
      [
        "one.call === call ? to({ ...one, doubt: 'since they were sent' }) : one",
        'one.call === call ? to(one) : one',
      ],
      ["doubt: 'since their answer was lost', time: undefined };", 'time: undefined };'],
    ),
  ),
  within(
    /^one of two people$/,
    mutant('a look without them leaves nobody in doubt', [absent, 'return { ...looked, time };']),
  ),
  within(
    /^one of two people$/,
    mutant('a look without them leaves nobody in doubt whose UUID was not asked about', [
      "if (index.store === 'sql' || !isAbout) return looked;",
      "if (index.store === 'sql' || !index.asked.has(one.uuid)) return looked;",
    ]),
  ),
  within(
    /^one, and the other is excepted$/,
    mutant('SQL tells who may be sent', [
      "if (store === 'sql') {",
      "if (store === 'sql' && !isSame(one.born, seen.born)) {",
    ]),
  ),
  mutant('who was told is sent again', [
    'return open.filter((uuid) => whyNot',
    'return [...batch.targets.keys()].filter((uuid) => whyNot',
  ]),
  mutant('who is still there a day later was deleted', [failed, 'const isFailed = false;']),
  mutant('who is still there at once was not deleted', [
    failed,
    'const isFailed = DONE.includes(one.standing);',
  ]),
  mutant('who stays is overdue', [
    'indexOf(run.options.keep ? { ...fact.sighting, overdue: [] } : fact.sighting, batch)',
    'indexOf(fact.sighting, batch)',
  ]),
];

const proof: readonly Mutant[] = [
  mutant('an empty answer proves without a control', [
    "if (!isControlled || one.standing === 'in flight') return one;",
    "if (one.standing === 'in flight') return one;",
  ]),
  mutant('an answer without any control counts', [
    controlled,
    'const isControlled = isOwn || controls.every((one) => one || controls.length === 1);',
  ]),
  within(
    /^one look-up for each person, list only$/,
    mutant('one control of two is enough', [controlled, controlled.replace('every', 'some')]),
  ),
  within(
    /^one look-up for each person, list only$/,
    mutant('of single look-ups one that found somebody is a control', [
      'const isOwn = controls.length < 2 && ',
      'const isOwn = ',
    ]),
  ),
  mutant('more than 200 look-ups may lie between two controls', ['asked.size > 200', 'asked.size > 2000']),
  mutant('not all ids have to be free', [
    stores,
    stores.replace(
      'one.ids.every((id) => one.free[store].includes(id))',
      'one.free[store].includes(one.uuid)',
    ),
  ]),
  within(
    /^the younger of two$/,
    mutant('the UUID need not be free', [
      stores,
      stores.replace('one.ids.every((id) => ', 'one.ids.every((id) => id === one.uuid || '),
    ]),
  ),
  within(
    /^one of two, list only$/,
    mutant('what was not asked about is free', [free, 'if (owner === undefined) return true;']),
  ),
  mutant('ids that came since are not looked for', [
    'const ids = unite(one.ids, seen.ids);',
    'const ids = one.ids;',
  ]),
  within(
    /^more ids than the list shows, list only$/,
    mutant('ids that nothing has shown are free', [gone, 'const isGone = run.stores.every(isFree);']),
  ),
  mutant('what one store showed free is so in the other', [
    gone,
    'const isGone = !one.hasMore && one.ids.every((id) => run.stores.some((store) => one.free[store].includes(id)));',
  ]),
  mutant('the list is enough although there are two', [
    gone,
    "const isGone = !one.hasMore && isFree('list');",
  ]),
  within(
    /^an id of nobody$/,
    mutant('SQL is enough', [gone, 'const isGone = !one.hasMore && run.stores.slice(-1).every(isFree);']),
  ),
  within(
    /^one, and SQL answers later$/,
    mutant('a store may answer that is not one of the run', [
      "if (!run.stores.includes(index.store)) refuse('a store answers that is not one of the run');",
      '',
    ]),
  ),
  mutant('a store that joins need not be asked', ['{ ...run, stores: [...run.stores, store] }', 'run']),
  within(
    /^one of two, list only$/,
    mutant('who is seen again stays proven', [
      'const free = { ...one.free, [store]: [] };',
      'const free = one.free;',
    ]),
  ),
  mutant('an id in doubt is that of nobody', [
    "if (!one.isPlanned) return isGone ? 'nobody' : 'doubtful';",
    "if (!one.isPlanned) return 'nobody';",
  ]),
  within(
    /^one, and the other is excepted$/,
    mutant('who has come to have an excepted id is settled once gone', [
      "if (one.calls === 0 && isSpared(run, one)) return 'doubtful';",
      "if (isSpared(run, one)) return 'excepted';",
    ]),
  ),
  mutant('no store is asked what it has still to show', [
    'if (!one.free[store].includes(id)) ids.push(id);',
    '{}',
  ]),
];

const answers: readonly Mutant[] = [
  mutant('who was found was deleted', [
    'const isAll = deleted + queued + own.size === (keep ? 0 : sent.size);',
    'const isAll = !keep || deleted + queued + own.size === 0;',
  ]),
  mutant('a stranger among the failed means nothing', [
    agrees,
    agrees.replace('failed.every((uuid) => own.has(uuid)) && ', ''),
  ]),
  mutant('steps that failed are counted, not persons', [
    'const isAll = deleted + queued + own.size',
    'const isAll = deleted + queued + failed.length',
  ]),
  mutant('a number of found that is missing tells', [
    agrees,
    agrees.replace('found === sent.size', '(found ?? sent.size) === sent.size'),
  ]),
  mutant('who failed was deleted', ["standing: own.has(one.uuid) ? 'failed' : others,", 'standing: others,']),
  mutant('a lost answer is one', [
    "return { ...one, standing: 'unknown', doubt",
    "return { ...one, standing: 'told', doubt",
  ]),
  mutant('a success without a body tells', [
    "const others = kind === 'no body' ? 'accepted' : told;",
    "const others = kind === 'no body' ? 'told' : told;",
  ]),
  mutant('figures that do not agree are accepted', ["'told' : 'answered';", "'told' : 'accepted';"]),
  mutant('an answer about one person is taken for several', [
    "if (kind === 'one' && sent.size !== 1) refuse('an answer is about one person, and the call had several');",
    '',
  ]),
  mutant('a refused call may have run', [
    "standing: calls > 0 ? 'unknown' : 'refused'",
    "standing: 'accepted'",
  ]),
  mutant('what else was asked for need not be queued', [agrees, agrees.replace(' && isQueued', '')]),
  mutant('keep: who was deleted though they should stay is told', [
    '(keep ? 0 : sent.size);',
    '(keep ? deleted + queued : sent.size);',
  ]),
];

const lines: readonly Mutant[] = [
  mutant('nothing is owed of what was accepted', [settled, `${settled} 'accepted',`]),
  mutant('nothing is owed of whom the service told', [settled, `${settled} 'told',`]),
  mutant('nothing is owed of whose events wait', [settled, `${settled} 'rest waiting',`]),
  mutant('a line is settled once one of its persons is', [
    'return VERDICTS.find((verdict) => some.has(verdict))',
    'return VERDICTS.findLast((verdict) => some.has(verdict))',
  ]),
  mutant('a plan that waits for its confirmation owes nothing of nobody', [
    "if (run.agreed === undefined) return 'not agreed';",
    '',
  ]),
  mutant('odd lines do not matter', [
    "const DONE: readonly Verdict[] = ['told',",
    "const DONE: readonly Verdict[] = ['odd', 'told',",
  ]),
  mutant('events of nobody do not matter', [
    "return run.options.events && verdicts.includes('nobody') ? 8 : 0;",
    'return 0;',
  ]),
  mutant('nobody found at all is done', ["if (verdicts.every((one) => one === 'nobody')) return 3;", '']),
  mutant('a plan without a line is done', [
    "if (verdicts.every((one) => one === 'nobody'))",
    "if (verdicts.length > 0 && verdicts.every((one) => one === 'nobody'))",
  ]),
  mutant('missing ids are never ignored', ['if (run.options.ignoreMissing) return 0;', '']),
  mutant('who was not sent is done', [
    "const DONE: readonly Verdict[] = ['told',",
    "const DONE: readonly Verdict[] = ['not sent', 'told',",
  ]),
  mutant('a line without a verdict counts for nothing', [
    'if (sum !== lines) refuse',
    'if (sum > lines) refuse',
  ]),
  mutant('what is owed is proven', ['if (owed.length > 0) refuse', 'if (owed.length > run.lines) refuse']),
  mutant('a request is done if one of its projects is', ['exits.find((exit) => exit === 8) ?? ', '']),
];

const events: readonly Mutant[] = [
  within(/^events of one/, mutant('rows from before the plan count', [own, 'const own = rows;'])),
  within(
    /^events of one/,
    mutant('rows from before the last call count', [
      'seen: isWhole && endOf(time, batch) !== undefined ? time : undefined,',
      'seen: one.seen,',
    ]),
  ),
  within(
    /^events of one/,
    mutant('no row is completed', [rows, 'return own.every(({ isCompleted }) => isCompleted);']),
  ),
  within(
    /^events of one/,
    mutant('one completed row is enough', [rows, 'return own.some(({ isCompleted }) => isCompleted);']),
  ),
  within(/^events of one/, mutant('a row need not be completed', [rows, 'return own.some(isDated);'])),
  within(
    /^events of one/,
    mutant('a row need not have a time that has come', [
      rows,
      'return own.length > 0 && own.every(({ isCompleted }) => isCompleted);',
    ]),
  ),
  within(
    /^one with events$/,
    mutant('rows count for an id that had left before the call', ['seen: isWhole && endOf', 'seen: endOf']),
  ),
  within(
    /^events of one/,
    mutant('a look after the call outdates its row', [
      'function isDeletedByStatus({ since, standing }: Target',
      'function isDeletedByStatus({ seen: since, standing }: Target',
    ]),
  ),
  within(/^events of one/, mutant('any count is none', ['if (count !== 0 || one.calls', 'if (one.calls'])),
  within(
    /^events of one/,
    mutant('a count that is none is 0', [
      'if (count !== 0 || one.calls',
      'if ((count ?? 0) !== 0 || one.calls',
    ]),
  ),
  within(
    /^one with events$/,
    mutant('events of some ids are counted', [
      'if (!one.ids.every((id) => asked.has(id))) return false;',
      '',
    ]),
  ),
  within(/^events of one/, mutant('events are counted up to the plan', [until, 'return true;'])),
  within(
    /^events of one/,
    mutant('times count from the beginning of their second', [
      'const end = time - (time % 1000) + 999;',
      'const end = time - (time % 1000);',
    ]),
  ),
  within(
    /^events of one/,
    mutant('after a lost call the time of the one before counts', [
      ", doubt: 'since their answer was lost', time: undefined };",
      ", doubt: 'since their answer was lost' };",
    ]),
  ),
  within(
    /^events of one/,
    mutant('events that were gone before a call are gone after it', [
      '    areEventsGone: false,\n    areRecordingsTold: false,\n  });',
      '    areRecordingsTold: false,\n  });',
    ]),
  ),
  mutant('nothing is owed of events', [
    'const isCleared = (!events || one.areEventsGone) && ',
    'const isCleared = ',
  ]),
  mutant('whose events nobody said to go wait for them', [
    "isUndone(one) ? 'rest unknown' : 'rest waiting'",
    "'rest waiting'",
  ]),
  mutant(
    'recordings that are not said are queued',
    ['areRecordingsTold: answer.recordings === true && agrees', 'areRecordingsTold: agrees'],
    [' && isQueued;', ';'],
  ),
  mutant('nothing is owed of recordings', [' && (!recordings || one.areRecordingsTold);', ';']),
  within(
    /recordings/,
    mutant('recordings are told of whom the call failed for', [
      'answer.recordings === true && agrees && !own.has(one.uuid)',
      'answer.recordings === true',
    ]),
  ),
  mutant('no events are asked about', [
    'events: called.map(({ uuid, ids, time }) => ({ uuid, ids, time }))',
    'events: []',
  ]),
];

export const mutants: readonly Mutant[] = [
  ...byDates,
  ...persons,
  ...sending,
  ...proof,
  ...answers,
  ...lines,
  ...events,
];

/** The core with a fault in it. Throws if what is to be replaced does not stand there once. */
export function plant(text: string, { name, changes }: Mutant): string {
  return changes.reduce((changed, [from, to]) => {
    if (changed.split(from).length !== 2)
      throw new Error(`the fault "${name}" does not fit core.ts once: ${from}`);
    return changed.replace(from, () => to);
  }, text);
}
