import { resolve } from 'node:path';
import type { Options } from '../../../cli/command/options.ts';
import type { Context } from '../../../cli/context.ts';
import { usageError } from '../../../errors.ts';
import { isTables } from './one-person.ts';

export const exportOptions = {
  withEvents: { type: 'flag', description: "All of the person's events too" },
  resume: {
    type: 'file',
    placeholder: 'file',
    description: 'Keep in this file how far it is, and go on from there; with --save',
  },
  via: {
    type: 'text',
    choices: ['auto', 'query', 'list'],
    placeholder: 'way',
    description: 'auto, query or list: auto reads through SQL, and the list if the key may not',
  },
} as const satisfies Options;

type Input = {
  readonly isOne: boolean;
  readonly withEvents?: boolean | undefined;
  readonly resume?: string | undefined;
  readonly via?: string | undefined;
};

/** Throws a usage error for options that do not go together. */
export function checkExport(
  { isOne, withEvents, resume, via }: Input,
  { options }: Pick<Context, 'options'>,
): void {
  if (options.serverFormat !== undefined)
    throw usageError(
      'an export is many answers, so --server-format has none to pass on',
      'persons list takes it',
    );
  if (isOne) checkOne({ resume, via }, options);
  else if (withEvents) throw usageError('--with-events belongs to one person', 'name the person');
  if (resume !== undefined) checkParts(resume, options);
}

function checkOne(
  { resume, via }: Pick<Input, 'resume' | 'via'>,
  { output, save, columns }: Context['options'],
): void {
  if (resume !== undefined || via !== undefined)
    throw usageError(`--${resume === undefined ? 'via' : 'resume'} is for the export of all persons`);
  if (columns !== undefined)
    throw usageError('one person is exported whole, so --columns chooses nothing', 'leave it out');
  if (output === 'table' || output === 'ndjson')
    throw usageError(`one person is exported as json, csv or tsv, not ${output}`);
  if (isTables(output) && save === undefined)
    throw usageError(`${output} of one person is several files`, 'name a folder with --save');
}

function checkParts(resume: string, { output, save }: Context['options']): void {
  if (save === undefined) throw usageError('--resume goes with --save', 'name the file that grows');
  if (!isTables(output) && output !== 'ndjson')
    throw usageError('--resume wants a format that can grow', 'add -o ndjson, csv or tsv');
  const taken = [save, `${save}.part`, `${save}.part.lock`].map((file) => resolve(file));
  if (taken.includes(resolve(resume)))
    throw usageError('--resume and --save need a file each', `give --resume another, such as ${save}.state`);
}
