import { insights } from '../../api/endpoints/insights.ts';
import type { Handlers } from '../call.ts';
import { changeInsight, createInsight } from './change-insights.ts';
import { listInsights } from './list-insights.ts';
import {
  getInsight,
  listLastViewed,
  markViewed,
  refuseDeletion,
  showAccessControls,
  showGlobalAccessControls,
  showInsightActivity,
  showInsightsActivity,
  showSharing,
} from './read-insights.ts';
import { unanswered } from './unanswered.ts';

/** I1 to I17. */
export const insightHandlers: Handlers<typeof insights> = {
  list: listInsights,
  create: createInsight,
  sharing: showSharing,
  get: getInsight,
  update: changeInsight,
  delete: refuseDeletion,
  accessControls: showAccessControls,
  activity: showInsightActivity,
  globalAccessControls: showGlobalAccessControls,
  viewed: markViewed,
  allActivity: showInsightsActivity,
  cancel: unanswered(insights.cancel),
  funnelGet: unanswered(insights.funnelGet),
  funnel: unanswered(insights.funnel),
  funnelCorrelationGet: unanswered(insights.funnelCorrelationGet),
  funnelCorrelation: unanswered(insights.funnelCorrelation),
  lastViewed: listLastViewed,
};
