import type { Context } from '../../../cli/context.ts';
import type { Json } from '../../../json/kinds.ts';
import { toJsonText } from '../../../json/write.ts';
import { type Difference, differenceText } from '../../../output/difference-text.ts';
import { describeInsight } from '../say-insight.ts';
import { DEFINITION_FIELDS, type Definition, definitionOf } from './definition.ts';
import type { Change } from './plan-push.ts';

/** Shows what a push will do: on stdout, or on stderr where stdout carries rows for a program. */
export async function showChanges(changes: readonly Change[], context: Context): Promise<void> {
  if (changes.length === 0) {
    context.note('The project is what the files say; there is nothing to push.');
    return;
  }
  const forPeople = isForPeople(context);
  const text = differenceText(changes.map(differenceOf), { color: forPeople && context.color });
  if (forPeople) await context.printRaw(text);
  else context.note(text.trimEnd());
}

/** Whether stdout is read by somebody, and not by a program or a file. */
export function isForPeople({ options }: Pick<Context, 'options'>): boolean {
  return (options.output ?? 'table') === 'table' && options.save === undefined;
}

/** `change 2, create 1 and softly delete 3 insights` */
export function actionText(changes: readonly Change[]): string {
  const count = (action: Change['action']) => changes.filter((change) => change.action === action).length;
  const parts = [
    { word: 'change', number: count('change') },
    { word: 'create', number: count('create') },
    { word: 'softly delete', number: count('delete') },
  ].flatMap(({ word, number }) => (number > 0 ? [`${word} ${number}`] : []));
  const last = parts.at(-1) ?? '';
  const joined = parts.length > 1 ? `${parts.slice(0, -1).join(', ')} and ${last}` : last;
  return `${joined} ${changes.length === 1 ? 'insight' : 'insights'}`;
}

function differenceOf(change: Change): Difference {
  if (change.action === 'create') {
    return { mark: '+', title: `${change.file}: a new insight`, parts: partsOf({}, change.wanted) };
  }
  const { insight } = change;
  const name = typeof insight.name === 'string' && insight.name !== '' ? `, ${insight.name}` : '';
  if (change.action === 'delete')
    return { mark: '-', title: `${describeInsight(insight)}${name}: no file`, parts: [] };
  const present = definitionOf(insight);
  const parts = partsOf(present, change.wanted).filter(({ name: field }) =>
    change.fields.some((one) => one === field),
  );
  return { mark: '~', title: `${change.file}: ${describeInsight(insight)}${name}`, parts };
}

function partsOf(before: Definition, after: Definition): Difference['parts'] {
  return DEFINITION_FIELDS.flatMap((name) =>
    after[name] === undefined
      ? []
      : [{ name, before: fieldText(before[name]), after: fieldText(after[name]) }],
  );
}

function fieldText(value: Json | undefined): string | undefined {
  return value === undefined ? undefined : toJsonText(value, { indent: 2 });
}
