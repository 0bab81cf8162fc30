import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** The directories of the runs of a service's state directory, oldest first. */
export function runsOf({
  environment,
}: {
  readonly environment: Readonly<Record<string, string | undefined>>;
}): readonly string[] {
  const runs = join(environment.HOGCTL_STATE_DIR ?? '', 'runs');
  if (!existsSync(runs)) return [];
  return readdirSync(runs)
    .sort()
    .map((name) => join(runs, name));
}
