import type { ErrorObject } from 'ajv'
import type { Issue } from './errors.ts'
import { messageOf, wantedOf } from './issue-message.ts'
import { pointerOf } from './issue-pointer.ts'
import { NameSearch } from './nearest-name.ts'
import { plainIssues } from './plain-issues.ts'
import { positionAt } from './request-subject.ts'
import type { SchemaPlace } from './schema-places.ts'
import { settleUnion } from './settle-union.ts'

/** More findings of the validator are repetitions, or consequences, of these. */
const MAX_ERRORS = 1_000

/** Enough to repair a request. */
const MAX_ISSUES = 20

/**
 * The validator's findings about a request in words that a caller can act on: each names what was sent and what is allowed. Of a union (`oneOf`, `anyOf`)
 * only what concerns the form that was meant is left; where that is nothing, all is. Never empty where `errors` are not: the request is not valid. `root` is the place
 * of the whole request.
 */
export function describeIssues(errors: readonly ErrorObject[], request: unknown, root: SchemaPlace): readonly Issue[] {
  let open = withoutVacuous(errors.slice(0, MAX_ERRORS)).filter(({ keyword }) => keyword !== 'if')
  const issues: Issue[] = []
  const names = new NameSearch()
  const unions = new Set(open.filter(isUnion).map(({ instancePath }) => instancePath))
  for (const pointer of [...unions].sort((a, b) => a.length - b.length).slice(0, MAX_ISSUES)) {
    const isBelow = ({ instancePath }: ErrorObject) => instancePath === pointer || instancePath.startsWith(`${pointer}/`)
    const below = open.filter(isBelow)
    if (below.length === 0) continue
    const settled = settleUnion(pointer, positionAt(request, root, pointer), below, names)
    issues.push(...settled.issues)
    open = [...open.filter((error) => !isBelow(error)), ...settled.open]
  }
  const found = new Map<string, Issue>()
  for (const issue of issues) if (isTelling(found, issue)) found.set(issue.pointer, issue)
  for (const error of open) {
    const { keyword } = error
    if (!isUnion(error) && isTelling(found, { pointer: pointerOf(error), keyword })) {
      const issue = issueOf(error, request, root, names)
      found.set(issue.pointer, issue)
    }
  }
  return found.size === 0 ? plainIssues(errors) : [...found.values()].slice(0, MAX_ISSUES)
}

/** Where several conditions (`if`) of an object hold at once since it lacks the member that they ask about, what they demand is not said: only that the member is missing. */
function withoutVacuous(errors: readonly ErrorObject[]): readonly ErrorObject[] {
  const conditions = new Map<string, number>()
  for (const { keyword, instancePath } of errors)
    if (keyword === 'if') conditions.set(instancePath, (conditions.get(instancePath) ?? 0) + 1)
  const isOwn = ({ keyword, schemaPath }: ErrorObject) => keyword === 'required' && !CONDITIONAL.test(schemaPath)
  const lacking = new Set(errors.filter(isOwn).map(({ instancePath }) => instancePath))
  return errors.filter(
    ({ instancePath, schemaPath }) =>
      !((conditions.get(instancePath) ?? 0) > 1 && lacking.has(instancePath) && CONDITIONAL.test(schemaPath)),
  )
}

const CONDITIONAL = /\/then\//

function isUnion({ keyword }: ErrorObject): boolean {
  return keyword === 'oneOf' || keyword === 'anyOf'
}

function issueOf(error: ErrorObject, request: unknown, root: SchemaPlace, names: NameSearch): Issue {
  const pointer = pointerOf(error)
  const at = positionAt(request, root, pointer)
  const wanted = wantedOf(error, pointer, at, names)
  return {
    pointer,
    message: messageOf(
      error,
      pointer,
      at,
      positionAt(request, root, pointer.slice(0, Math.max(0, pointer.lastIndexOf('/')))),
      names,
    ),
    keyword: error.keyword,
    ...(wanted && { wanted }),
  }
}

/** Keywords that a more telling one of the same member makes superfluous. */
const LESS_TELLING = new Set(['minLength', 'maxLength', 'not', 'oneOf', 'anyOf'])

/** Whether a finding is to be told: one for a member, and no more members than are shown. Looked at before it is put into words, which costs most. */
function isTelling(found: ReadonlyMap<string, Issue>, { pointer, keyword }: Pick<Issue, 'pointer' | 'keyword'>): boolean {
  const other = found.get(pointer)
  return other ? LESS_TELLING.has(other.keyword) && !LESS_TELLING.has(keyword) : found.size < MAX_ISSUES
}
