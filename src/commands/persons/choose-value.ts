import { typedValue } from '../../cli/command/typed-value.ts';
import { usageError } from '../../errors.ts';
import type { Json } from '../../json/kinds.ts';

type Given = {
  readonly text?: string | undefined;
  readonly string?: boolean | undefined;
  readonly json?: Json | undefined;
};

/** The value to set: the one of `--json`, or the argument, as text with `--string`. Throws a usage error for both and for none. */
export function chooseValue({ text, string, json }: Given): Json {
  if (json !== undefined && (text !== undefined || string)) {
    throw usageError('--json already gives the value', 'leave out the other');
  }
  if (json !== undefined) return json;
  if (text === undefined) throw usageError('<value> is missing', 'give a value, or --json');
  return string ? text : typedValue(text);
}
