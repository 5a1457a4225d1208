import type { ReleaseRules } from '../release-rules.ts'

/** A JSON object of the wire. */
export type Json = Readonly<Record<string, unknown>>

/** What a task does about one direction of the step between two adjacent release lines. Pure: gives a new object where something changes. */
export type Conversion = (value: Json) => Json

/** Conversions by the name of the task; a task without one is the same in both lines. */
export type Conversions = Readonly<Record<string, Conversion>>

/** What a request has to be converted by, beside itself. */
export interface RequestContext {
  readonly formats: {
    /** The format of this agent that a creative of a kind with these assets is in; undefined for none. */
    ofKind(kind: unknown, assets: unknown): object | undefined
    /** The format of this agent that an option of one of its products is. */
    ofOption(optionId: string): object
  }
}

/** A request of a line as one of the line before. */
export type RequestConversion = (request: Json, context: RequestContext) => Json

/** The step between a release line and the one before it. */
export interface LineConverter {
  /** By the name of the task; a request of another task is the same in both lines. */
  readonly requests: Readonly<Record<string, RequestConversion>>
  /** An answer of the line before as an answer of this line. */
  readonly answers: Conversions
  /** What answers of this line alone have, after every other step: later lines do not build on it. */
  readonly ownAnswers?: Conversions
  /** Answers as all lines before show them: without what this line brought to them. */
  readonly before?: Conversions
  /** What holds for every request of the line, before that of its task. */
  readonly everyRequest?: RequestConversion
  /** What holds for every answer of the line, after that of its task. */
  readonly everyAnswer?: Conversion
  /** Names that the line has for error codes of the line before, for all tasks; those of `taskCodes` come first. */
  readonly codes?: Readonly<Record<string, string>>
  readonly taskCodes?: Readonly<Record<string, Readonly<Record<string, string>>>>
  /** Tasks of the line that are not served in it, each with the reason. */
  readonly withheld?: Readonly<Record<string, string>>
  /** Tasks that the line brought whose response schemas are closed: their answers name neither the release nor, unless they do themselves, a status. */
  readonly closed?: readonly string[]
  /** What the line brought that tasks ask for by name. */
  readonly rules?: ReleaseRules
}

/** A request of the last of these lines as one of the line before the first. */
export function earlierRequest(steps: readonly LineConverter[], task: string, request: Json, context: RequestContext): Json {
  return steps.reduceRight((value, { requests, everyRequest }) => {
    const common = everyRequest?.(value, context) ?? value
    const own = Object.hasOwn(requests, task) ? requests[task] : undefined
    return own?.(common, context) ?? common
  }, request)
}

/** What a task answers as the last of these lines shows it. `after`: the steps to the lines that come after it. */
export function laterAnswer(
  steps: readonly LineConverter[],
  task: string,
  answer: Json,
  after: readonly LineConverter[] = [],
): Json {
  const known = after.reduceRight((value, { before = {} }) => conversionOf(before, task)?.(value) ?? value, answer)
  const later = steps.reduce((value, { answers, everyAnswer }) => {
    const own = conversionOf(answers, task)?.(value) ?? value
    return everyAnswer?.(own) ?? own
  }, known)
  return conversionOf(steps.at(-1)?.ownAnswers ?? {}, task)?.(later) ?? later
}

/** The name that the last of these lines has for an error code of the line before the first. */
export function laterCode(steps: readonly LineConverter[], task: string, code: string): string {
  return steps.reduce((current, { codes = {}, taskCodes = {} }) => {
    const own = Object.hasOwn(taskCodes, task) ? (taskCodes[task] ?? {}) : {}
    return [own, codes].find((names) => Object.hasOwn(names, current))?.[current] ?? current
  }, code)
}

function conversionOf(conversions: Conversions, task: string): Conversion | undefined {
  return Object.hasOwn(conversions, task) ? conversions[task] : undefined
}
