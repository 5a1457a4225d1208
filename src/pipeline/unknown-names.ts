import { meant } from '../domain/meant-value.ts'
import { yieldToEventLoop } from '../platform/concurrency/yield-to-event-loop.ts'
import { accountReference } from '../protocol/account-reference.ts'
import type { AdcpError, Issue } from '../protocol/errors.ts'
import { isObject } from '../protocol/is-object.ts'
import { positionAt } from '../protocol/request-subject.ts'
import { accountNotFound, ownAccountsOf } from './account-not-found.ts'
import type { State } from './state.ts'
import { contextOf } from './steps/replay.ts'
import type { Task } from './task.ts'

/** Where there are as many findings, others may be untold: then too little is known of the rest of the request. */
const MOST_FINDINGS = 20

/**
 * What a request that its schema refuses names that is not there, or that does not go together: else the caller would learn of it in the next turn alone. `request`: with
 * its members where they were meant; `issues`: what is wrong with its form. Looked at is what is sound: values in the form that was meant, and nothing else that is wrong.
 */
export async function unknownNames(
  state: State,
  task: Task,
  request: object,
  issues: readonly Issue[],
): Promise<readonly Issue[]> {
  if (!state.principal || issues.length >= MOST_FINDINGS) return []
  const sound = await soundPart(state, task, request, issues)
  if (!sound) return []
  const { request: rest, without } = sound
  const errors = [...(await unknownAccount(state, task, rest)), ...((await task.unknown?.(rest, contextOf(state))) ?? [])]
  const said = issues.map(({ message }) => message)
  return errors
    .flatMap((error) => error.faults ?? [error])
    .filter(({ message }) => !said.some((each) => each.includes(message)))
    .map(issueOf)
    .filter(({ pointer }) => !without.has(pointer))
}

/** The accounts of the caller's own, for a reference of another form. */
export async function accountCandidates({ deps, principal }: State, task: Task, { pointer, keyword }: Issue, request: object) {
  const isReference = task.account !== 'none' && pointer === '/account' && keyword !== 'required' && 'account' in request
  return isReference && principal ? ownAccountsOf(deps.store.read, principal) : undefined
}

async function unknownAccount({ deps, principal }: State, task: Task, request: Members): Promise<readonly AdcpError[]> {
  const { account } = request
  if (task.account === 'none' || !isObject(account) || !principal || principal.conformance) return []
  const reference = accountReference(account)
  if (reference === undefined || (await deps.buyers.account(principal, reference))) return []
  return [await accountNotFound(deps.store.read, principal, reference)]
}

type Members = Readonly<Record<string, unknown>>

/** Twice: what a repair lays open is repaired, or taken out, too. */
const ROUNDS = 2

/** What is sound of a request, and the pointers of what was taken out of it. */
interface Sound {
  readonly request: Members
  readonly without: Set<string>
}

/** The request without what is wrong with its form, but for what it lacks; undefined where that does not make it sound. A request may have megabytes: its copy and each look at it take a turn of their own. */
async function soundPart(
  { contract, deps }: State,
  task: Task,
  request: object,
  issues: readonly Issue[],
): Promise<Sound | undefined> {
  const { agentUrl } = deps.services.wiring
  await yieldToEventLoop()
  const sound: Sound = { request: structuredClone({ ...request }), without: new Set() }
  let found = issues
  for (let round = 0; round < ROUNDS; round++) {
    for (const issue of found) repair(sound, issue, agentUrl)
    await yieldToEventLoop()
    found = contract.schemas
      .request(task.name)(sound.request)
      .filter((issue) => !isLacking(issue))
    if (found.length === 0) return sound
  }
  return undefined
}

/** A member that the request lacks, or an entry of one of its lists: what is there can be looked at. */
function isLacking({ pointer, keyword }: Issue): boolean {
  return (isMissing(keyword) && /^(?:\/\w+\/\d+)?\/\w+$/.test(pointer)) || (pointer === '' && keyword !== 'type')
}

function isMissing(keyword: string): boolean {
  return keyword === 'required' || keyword.startsWith('depend')
}

/** Puts the value that was meant in the place of a faulty one, else takes the value out: of what lacks a member, or is an entry of a list of plain values, all of it. */
function repair(sound: Sound, issue: Issue, agentUrl: string): void {
  if (isLacking(issue)) return
  const { request: root, without } = sound
  const { pointer, keyword, wanted } = issue
  const parent = (of: string) => of.slice(0, of.lastIndexOf('/'))
  const at = isMissing(keyword) ? parent(pointer) : pointer
  const name = at.slice(at.lastIndexOf('/') + 1)
  const owner = positionAt(root, undefined, parent(at)).value
  const { value } = positionAt(root, undefined, at)
  if (typeof owner !== 'object' || owner === null || value === undefined) return
  // A text names a format by its id, also where there is none of this id.
  const id = wanted === 'format' && typeof value === 'string' ? { agent_url: agentUrl, id: value } : undefined
  const instead = at === pointer ? (meant(wanted, value, { agentUrl, name })?.value ?? id) : undefined
  if (instead !== undefined) Reflect.set(owner, name, instead)
  else if (Array.isArray(owner) && !isObject(value))
    repair(sound, { pointer: parent(at), message: '', keyword: 'type' }, agentUrl)
  else {
    without.add(at)
    if (Array.isArray(owner)) Reflect.set(owner, name, {})
    else Reflect.deleteProperty(owner, name)
  }
}

/** An error as a finding about the member that it names: its message may begin with the member or not. What it suggests is said where that names something new. */
function issueOf({ field = '', message, suggestion = '' }: AdcpError): Issue {
  const pointer = field === '' ? '' : `/${field.replaceAll(/[.[]/g, '/').replaceAll(']', '')}`
  const said = message.startsWith(`${field} `)
    ? message.slice(field.length + 1)
    : `is refused: ${message.replace(`${field}: `, '')}`
  const isNew = suggestion.split(/\W/).some((name) => name.includes('_') && !`${field} ${message}`.includes(name))
  return { pointer, message: isNew ? `${said}; ${suggestion}` : said, keyword: 'enum' }
}
