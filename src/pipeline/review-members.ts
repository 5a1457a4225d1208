import { asMeant } from '../protocol/as-meant.ts'
import type { Contract } from '../protocol/contract.ts'
import { ENVELOPE_MEMBERS } from '../protocol/envelope-members.ts'
import { AdcpError, type Issue } from '../protocol/errors.ts'
import { fieldOf } from '../protocol/field-of.ts'
import { judgeMember, type MemberVerdict } from '../protocol/judge-member.ts'
import { NameSearch } from '../protocol/nearest-name.ts'
import { type UnnamedMember, unnamedMembers } from '../protocol/unnamed-members.ts'
import type { Task } from './task.ts'

/** Each is compared with the names of its place, so their number is bounded; a request that is meant well has a handful. */
const MAX_UNNAMED = 200

/** What the review of a request's members came to. */
export interface MemberReview {
  /** Members that are taken for mistakes. */
  readonly mistyped: readonly Issue[]
  /** The request with these members where they were meant; undefined when none has a place of its own. */
  readonly meant?: object | undefined
  /** Members whose meaning is known and that this agent does not carry out. */
  readonly unsupported: readonly Issue[]
  /** Members that the schema does not name and the task carries out (RFC 6901 pointers): what a later release says of them holds. */
  readonly applied: readonly string[]
  /** Fields (`packages[0].nickname`) of the other members that the schema does not name: they have no effect. */
  readonly ignored: readonly string[]
  /** Members that are told to have their effect with a release, with its line. */
  readonly advised: readonly { readonly pointer: string; readonly line: string }[]
  /** A sentence on the ignored ones for an error that has other reasons: what their objects take. Those that the error names already (RFC 6901 pointers) are left out; empty without others. */
  readonly strangers: (named: ReadonlySet<string>) => string
}

const NOTHING: MemberReview = { mistyped: [], unsupported: [], applied: [], ignored: [], advised: [], strangers: () => '' }

/**
 * Examines what a request holds beside the members of its official schema. A read is examined too: what it answers without a filter that it ignored reads
 * like an answer to it. `converted`: the request came in a later release than `contract`, and its members were examined by that once. Throws INVALID_REQUEST
 * for more such members than can be examined.
 */
export function reviewMembers({ schemas }: Contract, task: Task, request: object, converted = false): MemberReview {
  const root = schemas.requestPlace(task.name)
  if (!root) return NOTHING
  const found = unnamedMembers(root, request, MAX_UNNAMED + 1)
  if (found.length > MAX_UNNAMED) {
    throw new AdcpError('INVALID_REQUEST', `the request has more than ${MAX_UNNAMED} members that ${task.name} does not know`)
  }
  const names = new NameSearch()
  const judged = found
    .filter(({ pointer }) => !(pointer === '/account' && task.account !== 'none'))
    .map((member) => ({ member, verdict: judgeMember(member, names, converted) }))
  if (task.takesAnyMember) return { ...NOTHING, strangers: (named) => strangersText(judged, named) }
  const misnamed = judged.flatMap(({ member: { pointer }, verdict }) =>
    'meant' in verdict && verdict.meant !== undefined ? [{ pointer, meant: verdict.meant }] : [],
  )
  const unknown = judged.filter(({ verdict }) => verdict.kind === 'ignored')
  return {
    mistyped: issuesOf(judged, 'mistyped'),
    meant: misnamed.length > 0 ? asMeant(request, misnamed) : undefined,
    unsupported: issuesOf(judged, 'unsupported'),
    applied: judged.filter(({ verdict }) => verdict.kind === 'applied').map(({ member }) => member.pointer),
    ignored: unknown.map(({ member }) => fieldOf(member.pointer)),
    advised: judged.flatMap(({ member: { pointer }, verdict }) =>
      'line' in verdict && verdict.line !== undefined ? [{ pointer, line: verdict.line }] : [],
    ),
    strangers: (named) => strangersText(unknown, named),
  }
}

/** Objects whose members a sentence lists, and members of each: more would bury what has to be repaired. */
const MOST_OBJECTS = 3
const MOST_STRANGERS = 8
const MOST_KNOWN = 25

/** Says of each object that was sent with members that it does not know what it takes. */
function strangersText(members: readonly Judged[], named: ReadonlySet<string>): string {
  const byOwner = new Map<object, Judged[]>()
  for (const each of members.filter(({ member }) => !named.has(member.pointer)))
    byOwner.set(each.member.owner.value, [...(byOwner.get(each.member.owner.value) ?? []), each])
  return [...byOwner.values()]
    .slice(0, MOST_OBJECTS)
    .map((judged) => {
      const [first] = judged
      const owner = fieldOf((first?.member.pointer ?? '').split('/').slice(0, -1).join('/')) || 'the request'
      const known = [...(first?.member.owner.place.names ?? [])].filter((name) => !ENVELOPE_MEMBERS.has(name))
      const takes = known.length > MOST_KNOWN ? '' : `; it takes: ${known.join(', ')}`
      return `. ${owner} knows no ${judged.slice(0, MOST_STRANGERS).map(strangerText).join(', ')}${takes}`
    })
    .join('')
}

function strangerText({ member: { name }, verdict }: Judged): string {
  return `${name.slice(0, MAX_NAME)}${'meant' in verdict ? ` (did you mean ${verdict.meant}?)` : ''}`
}

const MAX_NAME = 64

interface Judged {
  readonly member: UnnamedMember
  readonly verdict: MemberVerdict
}

function issuesOf(judged: readonly Judged[], kind: MemberVerdict['kind']): Issue[] {
  return judged.flatMap(({ member: { pointer }, verdict }) =>
    verdict.kind === kind && 'message' in verdict ? [{ pointer, message: verdict.message, keyword: 'additionalProperties' }] : [],
  )
}
