/** A person as somebody names one on the command line: exactly one of the three. */
export type PersonReference =
  | { readonly id: string }
  | { readonly distinctId: string }
  | { readonly email: string };

/** An insight by number or by the short id of its address in the app. */
export type InsightReference = { readonly id: string } | { readonly shortId: string };
