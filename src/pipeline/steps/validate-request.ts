import { meantValue } from '../../domain/meant-value.ts'
import { withoutUndeclaredEnvelope } from '../../protocol/envelope-members.ts'
import { AdcpError, type Issue } from '../../protocol/errors.ts'
import { fieldOf } from '../../protocol/field-of.ts'
import { isObject } from '../../protocol/is-object.ts'
import { positionAt } from '../../protocol/request-subject.ts'
import { declaresField } from '../declared-fields.ts'
import { faultsError } from '../faults-error.ts'
import { isAtOrBelow, laterFaults } from '../later-faults.ts'
import { reviewMembers } from '../review-members.ts'
import type { State, Step } from '../state.ts'
import type { Task } from '../task.ts'
import { accountCandidates, unknownNames } from '../unknown-names.ts'
import { contextOf } from './replay.ts'

/**
 * Validates the arguments, misnamed members where they were meant, against the official request schema of the caller's release, envelope members that a closed schema does not name aside, and looks
 * at the members that the schema does not name. All findings make one error: INVALID_REQUEST, or UNSUPPORTED_FEATURE where the request is right as such.
 */
export const validateRequest: Step = async (state, next) => {
  const { call, contract, task } = state
  const { schemas } = contract
  const request = call.arguments ?? {}
  if (!task || !isObject(request)) throw new AdcpError('INVALID_REQUEST', 'the arguments must be an object')
  await loadValidators(state, task)
  const review = reviewMembers(contract, task, request)
  const { mistyped, applied, ignored, strangers, meant = request } = review
  const found = [...schemas.request(task.name)(withoutUndeclaredEnvelope(meant, task.name, schemas.requestDocument(task.name)))]
  found.push(...(await laterIssues(state, task, meant, applied)))
  const issues = found.filter((issue) => !task.takesValue?.(issue, meant))
  const faults = await laterFaults(state, task, meant, review.advised, issues)
  const unsupported = review.unsupported.map((issue) => withFault(issue, faults))
  const wrong = [...mistyped, ...notYetNamed(issues, [...mistyped, ...unsupported])]
  if (wrong.length === 0) wrong.push(...missingChange(task, request))
  const code = wrong.length > 0 ? 'INVALID_REQUEST' : 'UNSUPPORTED_FEATURE'
  const refused = knownOnce([...wrong, ...unsupported])
  if (refused.length > 0) {
    const named = new Set(refused.map(({ pointer }) => pointer))
    const told = await withCandidates(state, task, meant, refused)
    const unknown = code === 'INVALID_REQUEST' ? await unknownNames(state, task, meant, told) : []
    throw faultsError(code, [...told, ...unknown], strangers(named))
  }
  checkUndeclaredKey(state, request)
  const laterFaultOf = new Map([...faults].map(([pointer, fault]) => [fieldOf(pointer), fault]))
  return next({ ...state, request, ignored, laterFaultOf })
}

function withFault(issue: Issue, faults: ReadonlyMap<string, string>): Issue {
  const fault = faults.get(issue.pointer)
  return fault === undefined ? issue : { ...issue, message: `${issue.message}; ${fault}` }
}

/** Loads what this call is validated by before others wait for it: where an answer is validated a transaction is open. */
async function loadValidators({ deps, contract }: State, { name, model }: Task): Promise<void> {
  await contract.schemas.prepare(name, ['request', 'response'])
  const { base } = deps.contracts
  const established = model?.task ?? name
  if (base.has(established)) await base.schemas.prepare(established, ['request'])
}

/** Findings with what can be told from the value that was sent, or what the task has to say about it, such as the prices that a product has. */
async function withCandidates(state: State, task: Task, request: object, issues: readonly Issue[]): Promise<readonly Issue[]> {
  const told: Issue[] = []
  for (const issue of issues) {
    const { value } = positionAt(request, undefined, issue.pointer)
    const candidates = state.tenant && (await task.candidates?.(issue, request, contextOf(state)))
    if (typeof candidates === 'object') {
      told.push(candidates)
      continue
    }
    const more = [
      meantValue(issue.wanted, value, {
        agentUrl: state.deps.services.wiring.agentUrl,
        name: issue.pointer.split('/').at(-1) ?? '',
      }),
      await accountCandidates(state, task, issue, request),
      candidates,
    ]
    told.push({ ...issue, message: [issue.message, ...more.filter((each) => each !== undefined)].join('; ') })
  }
  return told
}

/** What a closed object takes is said once. */
function knownOnce(issues: readonly Issue[]): readonly Issue[] {
  const said = new Set<string>()
  return issues.map((issue) => {
    const known = /; known: .*$/.exec(issue.message)?.[0]
    if (known === undefined) return issue
    if (said.has(known)) return { ...issue, message: issue.message.slice(0, -known.length) }
    said.add(known)
    return issue
  })
}

/** What the later releases that have a task find wrong with members that the caller's release does not name; nothing where one of them finds nothing. */
async function laterIssues(
  { deps, contract }: State,
  { name }: Task,
  request: object,
  members: readonly string[],
): Promise<readonly Issue[]> {
  if (members.length === 0) return []
  const later = deps.contracts
    .having(name)
    .filter((each) => deps.contracts.all.indexOf(each) > deps.contracts.all.indexOf(contract))
  for (const { schemas } of later) await schemas.prepare(name, ['request'])
  const found = later.map(({ schemas }) =>
    schemas
      .request(name)(request)
      .filter(({ pointer }) => members.some((each) => isAtOrBelow(pointer, each))),
  )
  return found.every((issues) => issues.length > 0) ? (found.at(-1) ?? []) : []
}

/** A closed schema refuses a member too, and says less about it. */
function notYetNamed(issues: readonly Issue[], named: readonly Issue[]): readonly Issue[] {
  const pointers = new Set(named.map(({ pointer }) => pointer))
  return issues.filter(({ pointer, keyword }) => keyword !== 'additionalProperties' || !pointers.has(pointer))
}

/** An update that names no change is a mistake: what was meant got lost on the way. */
function missingChange({ name, changes = [] }: Task, request: object): readonly Issue[] {
  if (changes.length === 0 || changes.some((path) => hasMember(request, path.split('.')))) return []
  return [{ pointer: '', message: `names no change; ${name} changes: ${changes.join(', ')}`, keyword: 'anyOf' }]
}

function hasMember(value: unknown, [name, ...below]: readonly string[]): boolean {
  if (name === undefined) return true
  return isObject(value) && Object.hasOwn(value, name) && hasMember(value[name], below)
}

/** AdCP security page, "Idempotency": the form of a key, which the schemas of tasks that change something have as well. */
const KEY_FORM = /^[A-Za-z0-9_.:-]{16,255}$/

/** A key counts on every task, so its form is held where the task's schema has no such member. */
function checkUndeclaredKey({ task, contract }: State, request: object): void {
  if (!task || !('idempotency_key' in request) || declaresField(contract.schemas, task.name, ['idempotency_key'])) return
  const { idempotency_key: key } = request
  if (typeof key === 'string' && KEY_FORM.test(key)) return
  const message = 'idempotency_key must be 16 to 255 characters of A-Z, a-z, 0-9, "_", ".", ":" and "-"'
  throw new AdcpError('INVALID_REQUEST', message, { field: 'idempotency_key', suggestion: 'send a new UUID, or leave it out' })
}
