import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fileText, readInsightFile } from '../../../src/insights/definitions/files.ts';
import { planPull } from '../../../src/insights/pull.ts';
import { planPush } from '../../../src/insights/push.ts';

const pulled = { id: 9, short_id: 'Ab12', name: 'Old', last_modified_at: '2026-01-01T00:00:00Z' };
const renamed = { ...pulled, name: 'Theirs', last_modified_at: '2026-01-02T00:00:00Z' };
const touched = { ...pulled, last_modified_at: '2026-01-02T00:00:00Z' };

function local(insight: typeof pulled, edits: object = {}) {
  const content = { ...JSON.parse(fileText(insight)), ...edits };
  const text = `${JSON.stringify(content, null, 2)}\n`;
  return { ...readInsightFile('a.json', content), file: 'a.json', text };
}

const present = (...insights: readonly (typeof pulled)[]) =>
  new Map(insights.map((insight) => [insight.short_id, insight]));
const listed = (...insights: readonly (typeof pulled)[]) => ({ insights: present(...insights), missing: 0 });
const pull = (file: ReturnType<typeof local>, insight: typeof pulled, force = false) =>
  planPull({ directory: 'd', local: [file], present: present(insight), force }).map(({ state }) => state);
const push = (file: ReturnType<typeof local>, insight: typeof pulled, force = false) =>
  planPush({ local: [file], present: listed(insight), force, prune: false });

describe('a pull', () => {
  it('brings what has no file yet', () => {
    expect(planPull({ directory: 'd', local: [], present: present(pulled), force: false })).toMatchObject([
      { file: 'd/old-Ab12.json', state: 'new', text: fileText(pulled) },
    ]);
  });

  it('gives no two insights one file, whatever case a file system tells apart', () => {
    const insights = ['Ab12', 'aB12', 'AB12'].map((short_id) => ({ ...pulled, short_id }));
    const mine = { ...local(pulled, { short_id: undefined }), file: join('d', 'OLD-ab12.json') };
    const plan = planPull({ directory: 'd', local: [mine], present: present(...insights), force: false });
    expect(plan.map(({ file }) => file)).toEqual([
      'd/old-Ab12-2.json',
      'd/old-aB12-3.json',
      'd/old-AB12-4.json',
    ]);
  });

  it.each(['con', 'NUL', 'com1'])('gives no file the name of a device: %s', (short_id) => {
    const unnamed = { ...pulled, name: '', short_id };
    const [planned] = planPull({ directory: 'd', local: [], present: present(unnamed), force: false });
    expect(planned?.file).toBe(`d/insight-${short_id}.json`);
  });

  it('leaves alone what is the same', () => expect(pull(local(pulled), pulled)).toEqual(['same']));

  it('brings what others changed', () => expect(pull(local(pulled), renamed)).toEqual(['changed']));

  it('keeps edits that were not pushed', () => {
    expect(pull(local(pulled, { name: 'Mine' }), pulled)).toEqual(['edited']);
    expect(pull(local(pulled, { name: 'Mine' }), pulled, true)).toEqual(['changed']);
  });

  it('refuses where both were changed, unless it is forced', () => {
    expect(() => pull(local(pulled, { name: 'Mine' }), renamed)).toThrow(
      'changed both here and in the project: a.json',
    );
    expect(pull(local(pulled, { name: 'Mine' }), renamed, true)).toEqual(['changed']);
  });

  it('takes the same edit on both sides for no conflict', () => {
    expect(pull(local(pulled, { name: 'Theirs' }), renamed)).toEqual(['changed']);
  });
});

describe('a push', () => {
  it('sends the fields that differ', () => {
    expect(push(local(pulled, { name: 'Mine' }), pulled)).toMatchObject([
      { action: 'change', wanted: { name: 'Mine' } },
    ]);
  });

  it('does nothing for a file that says the same, however old it is', () => {
    expect(push(local(pulled), pulled)).toEqual([]);
    expect(push(local(pulled), touched)).toEqual([]);
    expect(push(local(pulled, { name: 'Theirs' }), renamed)).toEqual([]);
  });

  it('refuses an insight that was changed since', () => {
    const file = local(pulled, { name: 'Mine' });
    expect(() => push(file, renamed)).toThrow('changed in the project since the file was pulled: a.json');
    expect(push(file, renamed, true)).toMatchObject([{ action: 'change' }]);
  });

  it('and a pull never send people to each other: what one refuses the other settles, or names --force', () => {
    const file = local(pulled, { name: 'Mine' });
    expect(pull(file, touched)).toEqual(['edited']);
    expect(push(file, touched)).toMatchObject([{ action: 'change', wanted: { name: 'Mine' } }]);
    const unversioned = local(pulled, { name: 'Mine', version: undefined });
    for (const attempt of [() => push(unversioned, pulled), () => pull(unversioned, pulled)])
      expect(attempt).toThrow(expect.objectContaining({ hint: expect.stringContaining('--force') }));
  });

  it('deletes nothing where the list of insights was not whole', () => {
    const input = { local: [local(pulled)], present: { ...listed(pulled), missing: 2 }, force: false };
    expect(() => planPush({ ...input, prune: true })).toThrow('2 more insights than it listed');
    expect(planPush({ ...input, prune: false })).toEqual([]);
  });

  it('refuses a stale file even where nobody edited it, since it would undo what others did', () => {
    expect(() => push(local(pulled), renamed)).toThrow('changed in the project since');
  });

  it('refuses a short id without a version, which proves nothing', () => {
    expect(() => push(local(pulled, { name: 'Mine', version: undefined }), pulled)).toThrow('changed in the');
  });

  it('refuses an insight that is gone', () => {
    expect(() => planPush({ local: [local(pulled)], present: listed(), force: true, prune: false })).toThrow(
      'the project no longer has the insight: a.json (Ab12)',
    );
  });

  it('creates what has no short id', () => {
    const file = local(pulled, { short_id: undefined, version: undefined });
    expect(push(file, pulled)).toMatchObject([{ action: 'create', wanted: { name: 'Old' } }]);
  });

  it('deletes only when it is told to, and only what has no file', () => {
    const other = { ...pulled, id: 10, short_id: 'Cd34' };
    const input = { local: [local(pulled)], present: listed(pulled, other), force: false };
    expect(planPush({ ...input, prune: false })).toEqual([]);
    expect(planPush({ ...input, prune: true })).toEqual([{ action: 'delete', insight: other }]);
  });
});
