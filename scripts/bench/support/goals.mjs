/** A goal and whether it was met; `value` is undefined if it could not be measured here. */
export function atMost(what, value, most) {
  return goal(what, value, { limit: `<= ${most}`, met: value <= most });
}

export function atLeast(what, value, least) {
  return goal(what, value, { limit: `>= ${least}`, met: value >= least });
}

function goal(what, value, { limit, met }) {
  if (value === undefined) return { what, goal: limit, measured: '', verdict: 'not measured' };
  return { what, goal: limit, measured: value.toFixed(2), verdict: met ? 'met' : 'NOT MET' };
}
