import type { ErrorObject } from 'ajv'
import type { Issue } from './errors.ts'
import { pointerOf } from './issue-pointer.ts'
import { wordsOf } from './text-forms.ts'

/** Enough to find the fault; more is noise from the branches of unions. */
const MAX_ISSUES = 20

/**
 * The validator's findings without any value of what was judged, which may be secret (answers, configuration): the pointer names the member that is
 * missing or too much, not its parent.
 */
export function plainIssues(errors: readonly ErrorObject[]): readonly Issue[] {
  // "2027-02-30" is first of all no date, and only then not the constant that another branch takes instead of one.
  const described = new Set(errors.filter((e) => rank(e) === 0 && e.keyword !== 'const').map((e) => e.instancePath))
  const order = (e: ErrorObject) => (e.keyword === 'const' && described.has(e.instancePath) ? 1 : rank(e))
  const telling = errors.filter((e) => e.keyword !== 'if')
  return (telling.length === 0 ? errors : telling)
    .toSorted((a, b) => order(a) - order(b))
    .slice(0, MAX_ISSUES)
    .map((e) => ({ pointer: pointerOf(e), message: messageOf(e), keyword: e.keyword }))
}

/** Findings inside branches are consequences of the branching; say the concrete ones first. */
function rank(error: ErrorObject): number {
  return error.keyword === 'oneOf' || error.keyword === 'anyOf' || error.keyword === 'not' ? 1 : 0
}

/** More would bury the message. */
const MAX_NAMED = 25

/** What to do about a finding, for a sentence that begins with the member it is about. */
function messageOf({ keyword, params, message }: ErrorObject): string {
  switch (keyword) {
    case 'required':
      return 'is required'
    case 'additionalProperties':
      return 'is not known here'
    case 'false schema':
      return 'must be left out'
    case 'const':
      return `must be ${JSON.stringify(params.allowedValue)}`
    case 'enum': {
      const all: readonly unknown[] = params.allowedValues
      const rest = all.length > MAX_NAMED ? `, … (${all.length} in all)` : ''
      return `must be one of: ${all.slice(0, MAX_NAMED).map(String).join(', ')}${rest}`
    }
    case 'pattern': {
      const words = wordsOf(params.pattern)
      return words === undefined ? (message ?? 'is invalid') : `must be ${words}`
    }
    default:
      return message ?? 'is invalid'
  }
}
