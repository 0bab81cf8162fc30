import type { Context } from '../../../cli/context.ts';
import type { ProgressKind } from '../../../system/progress.ts';

export type ProgressWish = { readonly progress?: ProgressKind | undefined };

/** `--progress`, except that nothing is shown on its own with `--quiet`. */
export function progressKind(
  { progress = 'auto' }: ProgressWish,
  { options }: Pick<Context, 'options'>,
): ProgressKind {
  return options.quiet && progress === 'auto' ? 'none' : progress;
}
