import type { Dialect } from '../../api/endpoint.ts';
import type { JsonObject } from '../../json/kinds.ts';
import { calculate } from '../analysis/calculate.ts';
import {
  type AnalysisDefinition,
  readFilterDefinition,
  readQueryDefinition,
  unwrapQuery,
} from '../analysis/definitions/definition.ts';
import { runSql } from '../sql/run-sql.ts';
import type { Session } from '../store/open-session.ts';
import { answerActorsQuery } from './answer-actors.ts';
import { neededEvents } from './needed-events.ts';
import { neededProperties } from './needed-properties.ts';
import { readSurroundings } from './project-settings.ts';
import { readDataset } from './read-dataset.ts';
import type { FindPeople } from './remember-people.ts';

export type Surface = {
  readonly session: Session;
  readonly signal: AbortSignal;
  readonly findPeople: FindPeople;
  readonly dialect: Dialect;
  /** How long SQL may run, in milliseconds. */
  readonly longestQuery: number;
};

/** Finds the answer of a question, with `results` and what else the service says beside them. */
export type Question = (surface: Surface) => Promise<JsonObject>;

/** Reads a query node, or the frame of one. Throws a `Refusal` 400 for what is not calculated here. */
export function readQuestion(node: JsonObject): Question {
  const query = unwrapQuery(node);
  if (query.kind === 'HogQLQuery') {
    return ({ session, signal, longestQuery }) => runSql(session, query, { signal, longest: longestQuery });
  }
  if (query.kind === 'ActorsQuery') return (surface) => answerActorsQuery(query, surface);
  return questionOf(readQueryDefinition(query));
}

/** Reads the old filters of an insight. Throws a `Refusal` 400 for what is not calculated here. */
export function readFilterQuestion(filters: JsonObject): Question {
  return questionOf(readFilterDefinition(filters));
}

/** The question of an analysis that was read already. */
export function questionOf(definition: AnalysisDefinition): Question {
  return async ({ session, signal }) => {
    const surroundings = await readSurroundings(session);
    const needs = {
      events: neededEvents(definition, surroundings),
      properties: neededProperties(definition, surroundings),
    };
    const dataset = await readDataset(session, needs, signal);
    return { results: calculate(definition, dataset, surroundings) };
  };
}
