import { isDeepStrictEqual } from 'node:util'
import { parse } from 'yaml'
import { isObject } from '../../src/protocol/is-object.ts'

/** One call of an official story with what has to hold of its answer. */
export interface StoryStep {
  readonly id: string
  readonly task: string
  readonly schema_ref: string
  readonly response_schema_ref?: string
  readonly expect_error?: boolean
  readonly sample_request: Readonly<Record<string, unknown>>
  readonly context_outputs?: readonly { readonly name: string; readonly path: string }[]
  readonly validations: readonly Validation[]
  readonly [member: string]: unknown
}

interface Validation {
  readonly check: string
  readonly path?: string
  readonly value?: unknown
  readonly context_key?: string
  readonly description: string
}

export interface StoryPhase {
  readonly id: string
  readonly steps: readonly StoryStep[]
}

/** What a step may say; anything else would be passed over. */
const MEMBERS = new Set([
  ...['id', 'title', 'task', 'schema_ref', 'response_schema_ref', 'doc_ref', 'comply_scenario', 'stateful', 'narrative'],
  ...['expect_error', 'sample_request', 'context_outputs', 'validations'],
])

/** The phases of a story in the format of the official suite. Throws for a member of a step that nothing here reads. */
export function storyPhases(text: string): readonly StoryPhase[] {
  const { phases }: { phases: StoryPhase[] } = parse(text)
  for (const step of phases.flatMap(({ steps }) => steps))
    for (const member of Object.keys(step))
      if (!MEMBERS.has(member)) throw new Error(`step ${step.id} has the member ${member}, which is not known here`)
  return phases
}

export type StoryValues = ReadonlyMap<string, unknown>

/** A request with `$context.<name>` replaced by what an earlier step kept. Throws for a name that none kept. */
export function filledRequest(value: unknown, kept: StoryValues): unknown {
  if (typeof value === 'string' && value.startsWith('$context.')) {
    const name = value.slice('$context.'.length)
    if (!kept.has(name)) throw new Error(`no step before kept ${name}`)
    return kept.get(name)
  }
  if (Array.isArray(value)) return value.map((each) => filledRequest(each, kept))
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, filledRequest(each, kept)]))
}

/** The value at a path such as `periods[0].health`; undefined where there is none. */
export function valueAt(answer: unknown, path: string): unknown {
  return path
    .split(/[.[\]]+/)
    .filter(Boolean)
    .reduce<unknown>((value, name) => {
      if (Array.isArray(value)) return value[Number(name)]
      return isObject(value) ? value[name] : undefined
    }, answer)
}

/** An answer of the agent, and what the official schema says of it. */
export interface StoryAnswer {
  readonly data: unknown
  readonly errorCode: string | undefined
  /** Of `response_schema_ref`; undefined where the step names none. */
  readonly schemaIssues: readonly string[] | undefined
}

type Check = (validation: Validation, answer: StoryAnswer, kept: StoryValues) => string | undefined

const shown = (value: unknown) => JSON.stringify(value) ?? 'nothing'

/** Every check that is known here, by its name: undefined where it holds, else why it does not. */
const CHECKS: Readonly<Record<string, Check>> = {
  response_schema: (_validation, { schemaIssues }) =>
    schemaIssues === undefined ? 'the step names no schema' : schemaIssues.length === 0 ? undefined : schemaIssues.join('; '),
  field_value: ({ path = '', value }, { data }) => unlessEqual(valueAt(data, path), value),
  field_present: ({ path = '' }, { data }) => (valueAt(data, path) === undefined ? 'it is absent' : undefined),
  field_absent: ({ path = '' }, { data }) => {
    const found = valueAt(data, path)
    return found === undefined ? undefined : `it is ${shown(found)}`
  },
  field_equals_context: ({ path = '', context_key: key = '' }, { data }, kept) =>
    kept.has(key) ? unlessEqual(valueAt(data, path), kept.get(key)) : `no step before kept ${key}`,
  array_length: ({ path = '', value }, { data }) => {
    const found = valueAt(data, path)
    return Array.isArray(found) ? unlessEqual(found.length, value) : `it is ${shown(found)}`
  },
  error_code: ({ value }, { errorCode }) => unlessEqual(errorCode, value),
}

function unlessEqual(found: unknown, wanted: unknown): string | undefined {
  return isDeepStrictEqual(found, wanted) ? undefined : `it is ${shown(found)}, not ${shown(wanted)}`
}

/** What does not hold of an answer, in words. Throws for a check that is not known here. */
export function faultsOf(step: StoryStep, answer: StoryAnswer, kept: StoryValues): readonly string[] {
  const isError = answer.errorCode !== undefined
  const unexpected =
    isError === (step.expect_error === true) ? [] : [`the answer is ${isError ? `the error ${answer.errorCode}` : 'no error'}`]
  const faults = step.validations.flatMap((validation) => {
    const check = CHECKS[validation.check]
    if (!check) throw new Error(`step ${step.id} has the check ${validation.check}, which is not known here`)
    const fault = check(validation, answer, kept)
    return fault === undefined ? [] : [`${validation.check} ${validation.path ?? ''} (${validation.description}): ${fault}`]
  })
  return [...unexpected, ...faults]
}
