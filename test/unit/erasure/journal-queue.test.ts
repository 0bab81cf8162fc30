import { expect, test } from 'vitest';
import { createJournalQueue, type Happening } from '../../../src/erasure/journal.ts';

const where = { batch: 1, part: 1, retry: false };
const sending: Happening = { type: 'sending', ...where, count: 1, digest: 'd' };
const answered: Happening = { type: 'answered', ...where, answer: { errors: [] } };

/** A journal that takes no line at all while `faults.full`, and what it took. */
function createJournal() {
  const faults = { full: false };
  const written: string[] = [];
  const queue = createJournalQueue({
    append(...happenings) {
      if (faults.full) throw new Error('no space');
      written.push(happenings.map(({ type }) => type).join(' '));
    },
  });
  return { faults, written, queue };
}

test('lines of the same turn are written together', async () => {
  const { written, queue } = createJournal();
  await Promise.all([queue.write(answered), queue.write(sending)]);
  await queue.settle();
  expect(written).toEqual(['answered sending']);
});

test('after a line that could not be written answers are still kept, and nothing is sent', async () => {
  const { faults, written, queue } = createJournal();
  faults.full = true;
  await expect(queue.write(sending)).rejects.toThrow('no space');
  faults.full = false;
  // The failure stays one: whoever waits for a line must not go on to send.
  await expect(queue.write(sending)).rejects.toThrow('no space');
  await expect(Promise.all([queue.write(sending), queue.write(answered)])).rejects.toThrow('no space');
  expect(written).toEqual(['answered']);
});

test('who waits for all lines learns of the one that nobody waited for', async () => {
  const { faults, queue } = createJournal();
  faults.full = true;
  queue.write(answered).catch(() => undefined);
  await expect(queue.settle()).rejects.toThrow('no space');
  await expect(queue.settle()).rejects.toThrow('no space');
});
