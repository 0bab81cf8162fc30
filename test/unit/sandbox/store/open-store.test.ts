import { describe, expect, it, onTestFinished } from 'vitest';
import { readContent } from '../../../../src/sandbox/content.ts';
import { readMoment } from '../../../../src/sandbox/operator.ts';
import { loadEvents, loadPersons } from '../../../../src/sandbox/store/load-content.ts';
import { openStore } from '../../../../src/sandbox/store/open-store.ts';
import { NOW, PEOPLE } from '../../../support/open-sandbox.ts';

async function openFilled() {
  const store = await openStore(undefined);
  onTestFinished(() => store.close());
  const content = readContent(PEOPLE, readMoment(NOW) ?? 0n);
  await loadPersons(store, content.persons, (index) => `persons[${index}]`);
  await loadEvents(store, content.events);
  return store;
}

describe('the database', () => {
  it.each([
    "select * from read_text('/etc/hostname')",
    "copy store.persons to '/tmp/persons.csv'",
    "attach '/tmp/other.duckdb'",
    'set enable_external_access = true',
    'install httpfs',
  ])('reaches nothing outside itself: %s', async (sql) => {
    const store = await openFilled();
    await expect(store.rows(sql)).rejects.toThrow(/configuration|disabled/i);
  });

  it('keeps all of a piece of work or none', async () => {
    const store = await openFilled();
    const work = store.together(async () => {
      await store.run('delete from store.persons');
      throw new Error('no');
    });
    await expect(work).rejects.toThrow('no');
    expect(await store.rows('select count(*)::integer as n from store.persons')).toEqual([{ n: 3 }]);
  });
});
