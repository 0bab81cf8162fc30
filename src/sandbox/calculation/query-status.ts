import type { QueryStatus } from '../../api/schemas.ts';
import type { Json } from '../../json/kinds.ts';
import { toJsonInteger } from '../../json/parse.ts';
import { writeMoment } from '../clock.ts';
import { PROJECT_ID } from '../project.ts';
import { Refusal } from '../refusal.ts';
import { type Labels, LIFETIME, type Outcome, type Task } from './calculations.ts';

/** A calculation as `query_status` shows it. `results` is the answer of one that has ended well. */
export function writeStatus(task: Task, results: Json = null): QueryStatus {
  const { id, startedAt, labels } = task;
  const outcome = task.outcome();
  const started = writeMoment(startedAt);
  return {
    ...statusFields(labels),
    id,
    complete: outcome !== undefined,
    error: outcome !== undefined && 'fault' in outcome,
    error_message: errorMessage(outcome),
    query_async: true,
    results,
    start_time: started,
    pickup_time: started,
    end_time: outcome === undefined ? null : writeMoment(outcome.endedAt),
    expiration_time: writeMoment(startedAt + LIFETIME),
  };
}

/** The status of an insight that could not be calculated: the answer is still 200. */
export function failedStatus(fault: unknown, labels: Labels): QueryStatus {
  return {
    ...statusFields(labels),
    id: '',
    complete: true,
    error: true,
    error_message: messageOf(fault),
    query_async: false,
    results: null,
    start_time: null,
    pickup_time: null,
    end_time: null,
    expiration_time: null,
  };
}

function statusFields({ insightId, dashboardId }: Labels) {
  return {
    team_id: Number(PROJECT_ID),
    insight_id: insightId === undefined ? null : toJsonInteger(insightId),
    dashboard_id: dashboardId === undefined ? null : toJsonInteger(dashboardId),
    task_id: null,
    labels: null,
    query_progress: null,
  };
}

function errorMessage(outcome: Outcome | undefined): string | null {
  return outcome !== undefined && 'fault' in outcome ? messageOf(outcome.fault) : null;
}

/** What can be told to the caller; a bug has nothing to say, as in the service. */
function messageOf(fault: unknown): string | null {
  return fault instanceof Refusal ? fault.message : null;
}
