import { createHash } from 'node:crypto'
import type { AdminRole } from '../domain/identity/admin-role.ts'
import { AdcpError } from '../protocol/errors.ts'
import type { Db } from '../store/database.ts'
import type { ActContext, Change, Runnable } from './act.ts'
import { runOnce } from './admin-keys/run-once.ts'
import { auditedStore } from './audited-store.ts'
import { changedMembers } from './changed-members.ts'
import { checkedValues } from './check-fields.ts'
import type { FieldSet, Values } from './fields.ts'
import type { Caller, OperatorContext } from './operator-context.ts'
import { inFieldsOf } from './refused-field.ts'
import type { Shape } from './shape.ts'
import { undeclaredMember } from './undeclared-member.ts'

/** The idempotency key of a request, and who sent it. */
export interface OnceKey {
  readonly keyId: string
  readonly idempotencyKey: string
}

/** An answer; `replayed`: it is the stored one of an earlier request with the same idempotency key. */
export interface Performed<A> {
  readonly answer: A
  readonly replayed: boolean
}

interface State<F extends FieldSet> {
  readonly act: Omit<Runnable<F>, 'run' | 'answer'>
  readonly caller: Caller
  /** As they were sent. */
  readonly members: Readonly<Record<string, unknown>>
  /** The same, once they are checked. */
  readonly values?: Values<F>
  readonly once: OnceKey | undefined
  readonly context: ActContext
}

/** For acts that change nothing. */
export const UNLOGGED = {
  noteChanges: () => undefined,
  noteAllChanges: () => undefined,
  noteSubject: () => undefined,
  noteName: () => undefined,
}

type Next<F extends FieldSet, A> = (state: State<F>) => Promise<Performed<A>>
/** One step: does its part, then the rest. */
export type ActStep = <F extends FieldSet, A extends object>(state: State<F>, next: Next<F, A>) => Promise<Performed<A>>

/** THE order of steps in which every act of the publisher's people runs, wherever it comes from. */
export const ACT_STEPS: readonly ActStep[] = [
  identify, //     who acts, for the audit log
  authorise, //    role, and keys that may act on the whole deployment
  checkFields, //  names, types and limits of the fields
  replay, //       a repeated idempotency key gets the stored answer
  audit, //        the entry of the audit log commits with the change
  nameFields, //   a refusal names fields of the act
]

/**
 * Carries an act out. Throws PERMISSION_DENIED for a role that may not, INVALID_REQUEST for members that are unknown, missing or of another kind, CONFLICT
 * for an idempotency key in use, and what the act throws.
 */
export function perform<F extends FieldSet, A extends object>(
  context: OperatorContext,
  caller: Caller,
  act: Runnable<F, A>,
  members: Readonly<Record<string, unknown>>,
  once?: OnceKey,
): Promise<Performed<A>> {
  const run: Next<F, A> = async ({ context, values }) => {
    if (!values) throw new Error(`${act.name} was reached before its fields were checked`)
    const answer = await act.run(context, values)
    if (act.answer && context.config.mode === 'development') requireDeclared(act.name, act.answer, answer)
    return { answer, replayed: false }
  }
  const road = ACT_STEPS.reduceRight<Next<F, A>>((next, step) => (state) => step(state, next), run)
  return road({ act, caller, members, once, context: { ...context, tenantId: caller.tenantId, caller, ...UNLOGGED } })
}

/** Throws for a member that the description of the admin API does not have: a mistake of the act, which the compiler does not see. */
function requireDeclared<A extends object>(name: string, shape: Shape<A>, answer: A): void {
  const member = undeclaredMember(shape, answer)
  if (member !== undefined) throw new Error(`the answer of ${name} has ${member}, which the act does not declare`)
}

async function identify<F extends FieldSet, A>(state: State<F>, next: Next<F, A>) {
  const { actor, tenantId } = state.caller
  return next({ ...state, context: { ...state.context, actor, tenantId } })
}

async function authorise<F extends FieldSet, A>(state: State<F>, next: Next<F, A>) {
  requireMay(state.act, state.caller)
  return next(state)
}

/** Throws PERMISSION_DENIED when a caller may not carry an act out. The admin API and the console check this before they read a large body; `perform` checks it again. */
export function requireMay({ id, roles, scope }: Pick<Runnable, 'id' | 'roles' | 'scope'>, caller: Caller): void {
  if (mayCarryOut({ roles, scope }, caller)) return
  // Checked first: on a page without a publisher, a person with roles for single publishers has no role to name.
  if (scope === 'deployment' && !caller.deployment) {
    const message = `${id} acts on the whole deployment: only an administrator of every publisher may do that, or a key made with sales-agent admin-keys create --deployment`
    throw new AdcpError('PERMISSION_DENIED', message)
  }
  throw new AdcpError('PERMISSION_DENIED', needsRole(id, roles, caller.role))
}

/** Why a role may not do something, in the words of every door. */
export function needsRole(what: string, roles: readonly AdminRole[], role: AdminRole): string {
  return `${what} needs the role ${roles.join(' or ')}; yours is ${role}`
}

/** Whether a caller may carry an act out: by its role, and by whether it acts on the whole deployment. */
export function mayCarryOut(
  { roles, scope }: Pick<Runnable, 'roles' | 'scope'>,
  { role, deployment }: Pick<Caller, 'role' | 'deployment'>,
): boolean {
  return roles.includes(role) && (scope !== 'deployment' || deployment)
}

async function checkFields<F extends FieldSet, A>(state: State<F>, next: Next<F, A>) {
  return next({ ...state, values: checkedValues(state.members, state.act.fields) })
}

async function replay<F extends FieldSet, A extends object>(state: State<F>, next: Next<F, A>) {
  const { act, context, members, once } = state
  if (!once || !act.changes) return next(state)
  const sorted = Object.entries(members).toSorted(([a], [b]) => (a < b ? -1 : 1))
  const hash = createHash('sha256')
    .update(JSON.stringify([act.id, sorted]))
    .digest('hex')
  return runOnce(context, { ...once, hash }, async ({ store }) => {
    const { answer } = await next({ ...state, context: { ...context, store } })
    return answer
  })
}

async function audit<F extends FieldSet, A>(state: State<F>, next: Next<F, A>) {
  const { act, context } = state
  if (!act.changes || act.inParts) return next(state)
  const members: Readonly<Record<string, unknown>> = state.values ?? {}
  const textIn = (name: string | undefined) => {
    const value = name === undefined ? undefined : members[name]
    return typeof value === 'string' ? value : undefined
  }
  const [subject, account] = [textIn(act.subject), textIn(act.account)]
  const tenant = act.scope === 'publisher' ? context.tenantId : textIn(act.publisher)
  const logged = Object.entries(members).filter(([name]) => act.fields[name]?.isLogged)
  const changes: Record<string, Change> = {}
  const about = {
    task: act.name,
    ...(tenant !== undefined && { tenant }),
    ...(subject !== undefined && { subject }),
    ...(account !== undefined && { account }),
    sent: changedMembers({}, Object.fromEntries(logged)),
    changes,
  }
  const noteChanges: ActContext['noteChanges'] = (noted) => {
    for (const [name, [before, after]] of Object.entries(noted)) if (before !== after) changes[name] = [before, after]
  }
  const noteAllChanges: ActContext['noteAllChanges'] = (noted) => {
    noteChanges(noted)
    Object.assign(about, { isWhole: true })
  }
  const noteSubject = (id: string) => Object.assign(about, { subject: id })
  const noteName = (name: string) => Object.assign(about, { task: name })
  const notes = { noteChanges, noteAllChanges, noteSubject, noteName }
  const { values } = state
  // What the act does not find, the act itself refuses.
  const unfound = (error: unknown) => (error instanceof AdcpError ? undefined : Promise.reject(error))
  const watch = (tx: Db) => (values ? act.watch?.(tx, context, values).catch(unfound) : undefined)
  return next({ ...state, context: { ...context, store: auditedStore(context, about, watch), ...notes } })
}

async function nameFields<F extends FieldSet, A extends object>(state: State<F>, next: Next<F, A>) {
  try {
    return await next(state)
  } catch (error) {
    throw inFieldsOf(error, state.act.fields, state.members)
  }
}
