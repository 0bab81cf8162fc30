import type { Context } from '../../cli/context.ts';
import { liveDeletionLimits, makePlan, type Plan } from '../../erasure/make-plan.ts';
import type { People } from '../../erasure/resolve-ids.ts';
import { CliError, usageError } from '../../errors.ts';
import type { ProgressWish } from '../runs/steps/progress-kind.ts';
import { type IdSources, readPeople } from '../runs/steps/read-people.ts';
import { refuseOdd } from '../runs/steps/refuse-odd.ts';
import { resolvePeople } from '../runs/steps/resolve-people.ts';
import { isSelection, type Selected, type Selection, selectPersons } from '../runs/steps/select-persons.ts';

export type BulkDeleteInput = Omit<IdSources, 'words'> &
  Selection &
  ProgressWish & {
    readonly id?: readonly string[] | undefined;
    readonly delete_events?: boolean | undefined;
    readonly delete_recordings?: boolean | undefined;
    readonly keep_person?: boolean | undefined;
    readonly batchSize?: number | undefined;
    readonly rate?: number | undefined;
    readonly max?: number | undefined;
    readonly resolve?: boolean | undefined;
    readonly keepIds?: boolean | undefined;
    readonly dropIds?: boolean | undefined;
    readonly ignoreMissing?: boolean | undefined;
  };

export type PlannedDeletion = {
  readonly plan: Plan;
  readonly people: readonly People[];
  readonly selected: Selected | undefined;
};

/**
 * Reads and freezes who is to be deleted, and counts what that takes. Throws before anything is deleted. Nothing where
 * a selection matches nobody and that is a success.
 */
export async function planBulkDelete(
  input: BulkDeleteInput,
  context: Context,
): Promise<PlannedDeletion | undefined> {
  if (input.keepIds && input.dropIds)
    throw usageError('--keep-ids and --drop-ids exclude each other', 'give one of them');
  const { id: words, ...sources } = input;
  const given = await readPeople({ ...sources, words, allowOddIds: input.allowOddIds ?? false }, context);
  const selecting = isSelection(input);
  refuseOdd({ email: input.email }, input.allowOddIds);
  if (selecting && given.length > 0)
    throw usageError('ids and a selection are given at once', 'do one after the other');
  if (!selecting && given.length === 0) {
    throw usageError(
      'it is not said whom to delete',
      'give ids, --distinct-ids, --from, or a selection such as --email',
    );
  }
  const { project, host, dialect } = await context.settings();
  const selected = selecting ? await selectPersons(input, context) : undefined;
  if (selected?.people.list.ids.length === 0) return tellNobody(input, context);
  if (selected) refuseFuzzy(input, selected, context);
  const unresolved = selected ? [selected.people] : given;
  const live = dialect === 'live';
  const planning = {
    project: { id: project.id, name: project.name ?? project.id },
    host: host.address,
    flags: {
      deleteEvents: input.delete_events ?? false,
      deleteRecordings: input.delete_recordings ?? false,
      keepPerson: input.keep_person ?? false,
    },
    batchSize: input.batchSize,
    limits: live ? liveDeletionLimits : undefined,
    rate: input.rate,
    max: input.max,
    readsKeepPerson: live,
    keepIds: input.keepIds,
  };
  // What is wrong with the plan shows before hundreds of look-ups are made for it.
  makePlan({ ...planning, people: unresolved });
  const { people, serviceTime } = await resolvePeople(
    unresolved,
    { skip: input.resolve === false, progress: input.progress },
    context,
  );
  return { plan: makePlan({ ...planning, people, serviceTime }), people, selected };
}

function tellNobody({ ignoreMissing }: BulkDeleteInput, context: Context): undefined {
  const message = 'the selection matches nobody';
  if (!ignoreMissing) {
    throw new CliError('not-found', message, {
      hint: 'nothing was deleted; --ignore-missing makes this a success',
    });
  }
  context.note(`${message}; nothing was sent`);
}

/** A search is fuzzy: nobody can know whom it finds, so with `--yes` it needs an upper bound. */
function refuseFuzzy({ search, max }: BulkDeleteInput, selected: Selected, context: Context): void {
  if (search !== undefined && context.options.yes && max === undefined) {
    throw usageError(
      `a search found ${selected.people.list.ids.length} persons, and with --yes nobody looks at them`,
      'add --max <n>, the number you expect at most',
    );
  }
}
