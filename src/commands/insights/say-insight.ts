import type { Insight } from '../../api/schemas.ts';
import type { Context } from '../../cli/context.ts';
import { idText } from '../id-text.ts';

/** `insight 77 (zeNY2NOU)`, as far as the service told; some answer a write without a body. */
export function describeInsight(insight: Insight | undefined): string {
  if (insight?.id === undefined) return 'an insight; the service did not say which';
  return `insight ${idText(insight.id)}${insight.short_id ? ` (${insight.short_id})` : ''}`;
}

/** An insight that is not saved exists and is found nowhere, which nobody expects. */
export function warnIfUnsaved(insight: Insight, context: Context): void {
  if (insight.saved !== false) return;
  context.warn(
    `warning: ${describeInsight(insight)} is not saved, so no list shows it; hogctl insights update ${idText(insight.id)} --saved saves it`,
  );
}
