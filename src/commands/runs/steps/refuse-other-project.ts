import type { Context } from '../../../cli/context.ts';
import type { RunRecord } from '../../../erasure/run.ts';
import { usageError } from '../../../errors.ts';

/** Throws a usage error where the settings lead to another project or host than the run's. */
export async function refuseOtherProject({ plan }: RunRecord, context: Context): Promise<void> {
  const { project, host } = await context.settings();
  if (project.id === plan.project.id && host.address === plan.host) return;
  throw usageError(
    `this run is for project ${plan.project.id} at ${plan.host}, not for ${project.id} at ${host.address}`,
    host.address === plan.host
      ? `choose it with --project ${plan.project.name}`
      : `choose it with --host ${plan.host} and --project ${plan.project.name}`,
  );
}
