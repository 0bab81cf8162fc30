import { counted } from '../../errors.ts';
import { isOnlyWaiting } from '../proof/ask.ts';
import type { Outcome } from '../proof/outcome.ts';
import { isVerified } from '../proof/verdict.ts';
import type { RunRecord } from '../record/open.ts';

/** What came of a deletion, in words for anybody. */
export type Conclusion = {
  readonly title: string;
  readonly state: 'good' | 'open' | 'bad';
  readonly sentence: string;
};

/** Nothing is called done that is not proved: a service that accepts a request has not deleted anything yet. */
export function conclusionOf(run: RunRecord, { verdict }: Outcome): Conclusion {
  const tell = (state: Conclusion['state'], title: string, sentence: string) => ({ state, title, sentence });
  if (verdict === 'not begun')
    return tell(
      'open',
      'Planned, not carried out',
      'The deletion was planned. Nothing has been sent to the service.',
    );
  const verified = isVerified(run);
  const again = 'The service was asked again afterwards, and';
  const { odd } = run.plan.lines;
  if (verified === true && odd > 0)
    return tell(
      'open',
      'Done and proved, except for lines that were left out',
      `${again} all that was asked for is known to be done. Nothing was asked for ${counted(odd, 'line')} of the list.`,
    );
  if (verified === true)
    return tell('good', 'Done and proved', `${again} all that was asked for is known to be done.`);
  const last = run.state().verifications.at(-1);
  if (verified === false && last?.pendingUntil !== undefined && isOnlyWaiting(last))
    return tell(
      'open',
      'Not proved yet',
      'Their events are still there: the service deletes events on Sundays only.',
    );
  if (verified === false)
    return tell('bad', 'Not proved', `${again} something that was asked for is not known to be done.`);
  if (verdict === 'nobody found')
    return tell(
      'open',
      'No person found',
      'The service answered that it knows none of these people. Nothing was deleted.',
    );
  if (verdict === 'done')
    return tell(
      'open',
      'Carried out, not proved yet',
      'The service accepted all of it. It was not asked afterwards whether all is done.',
    );
  return tell(
    'bad',
    verdict === 'stopped' ? 'Stopped' : 'Partly carried out',
    'Not all that was asked for was carried out; the evidence below says what is missing.',
  );
}

/** What came of a request over several projects: the worst of them tells. */
export function conclusionOfAll(
  parts: readonly { readonly project: string; readonly conclusion: Conclusion }[],
): Conclusion {
  const states = ['bad', 'open', 'good'] as const;
  const state = states.find((one) => parts.some(({ conclusion }) => conclusion.state === one)) ?? 'good';
  const titles = new Set(parts.map(({ conclusion }) => conclusion.title));
  const [title = ''] = titles;
  const all = counted(parts.length, 'project');
  if (titles.size === 1) return { state, title, sentence: `That is so in ${all}.` };
  const sentence = parts.map(({ project, conclusion }) => `${project}: ${conclusion.title}`).join('. ');
  const done = parts.filter(({ conclusion }) => conclusion.state === 'good').length;
  return { state, title: `Done and proved in ${done} of ${all}`, sentence: `${sentence}.` };
}
