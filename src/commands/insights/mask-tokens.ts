import { isExactNumber, type Json } from '../../json/kinds.ts';

/** The same answer with every access token masked, wherever in it one stands: some servers answer with a list. */
export function maskTokens(answer: Json): Json {
  if (Array.isArray(answer)) return answer.map(maskTokens);
  if (typeof answer !== 'object' || answer === null || isExactNumber(answer)) return answer;
  const entries = Object.entries(answer).map(([name, value]) =>
    name === 'access_token' && value ? [name, '***'] : [name, maskTokens(value)],
  );
  return Object.fromEntries(entries);
}
