import { insights } from '../../api/endpoints/insights.ts';
import type { Handlers } from '../call.ts';
import { unanswered } from './unanswered.ts';

/** I1 to I17. */
export const insightHandlers: Handlers<typeof insights> = {
  list: unanswered(insights.list),
  create: unanswered(insights.create),
  sharing: unanswered(insights.sharing),
  get: unanswered(insights.get),
  update: unanswered(insights.update),
  delete: unanswered(insights.delete),
  accessControls: unanswered(insights.accessControls),
  activity: unanswered(insights.activity),
  globalAccessControls: unanswered(insights.globalAccessControls),
  viewed: unanswered(insights.viewed),
  allActivity: unanswered(insights.allActivity),
  cancel: unanswered(insights.cancel),
  funnelGet: unanswered(insights.funnelGet),
  funnel: unanswered(insights.funnel),
  funnelCorrelationGet: unanswered(insights.funnelCorrelationGet),
  funnelCorrelation: unanswered(insights.funnelCorrelation),
  lastViewed: unanswered(insights.lastViewed),
};
