/**
 * A number that a JavaScript number cannot hold with its own digits (beyond 2^53, `1.0`, `1e400`).
 * The client makes these with lossless-json; `value` holds the digits as the service sent them.
 */
export type ExactNumber = { readonly isLosslessNumber: true; readonly value: string };

export type JsonNumber = number | ExactNumber;
export type Json = null | boolean | JsonNumber | string | readonly Json[] | JsonObject;
export type JsonObject = { readonly [key: string]: Json };
