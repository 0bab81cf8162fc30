import type { Progress, Told } from '../../../system/progress.ts';

/** Shows how far an export is, out of how many where that is known. Those who come meanwhile make it more. */
export function tellProgress(progress: Progress, { done, total }: Told): void {
  if (total === undefined) progress.update(done);
  else progress.follow({ done, total: Math.max(done, total) });
}
