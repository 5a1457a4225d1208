import { createHash } from 'node:crypto'
import type { AdminRole } from '../domain/identity/admin-role.ts'
import type { Person } from '../domain/people/person.ts'
import type { Runnable } from '../operator/act.ts'
import { forgetfulStore } from '../operator/audited-store.ts'
import type { FieldSet } from '../operator/fields.ts'
import type { Caller } from '../operator/operator-context.ts'
import { mayCarryOut, type Performed, perform } from '../operator/perform.ts'
import { AdcpError } from '../protocol/errors.ts'
import type { Answer, ConsoleRoute, PersonCall, TenantCall } from './route.ts'

/** Runs an act for the signed-in person. Acts on the whole deployment need an administrator of every publisher. Members that are undefined were not sent. Throws what the act throws. */
export async function doAct<F extends FieldSet, A extends object>(
  call: TenantCall,
  act: Runnable<F, A>,
  members: Readonly<Partial<Record<keyof F & string, unknown>>>,
): Promise<A> {
  return (await perform(call.operator, callerOf(call), act, sentOf(act, members))).answer
}

/**
 * Carries out an act that makes something, once for each form that was shown ({@link onceField}): the same form that is sent twice records one payment. False: it was carried
 * out before. Throws what the act throws, and CONFLICT while the first is under way.
 */
export async function doOnce<F extends FieldSet, A extends object>(
  call: TenantCall,
  act: Runnable<F, A>,
  members: Readonly<Partial<Record<keyof F & string, unknown>>>,
): Promise<boolean> {
  return !(await once(call, act, members)).replayed
}

/** The same where the page shows what was made: the second time what the first made. */
export async function makeOnce<F extends FieldSet, A extends object>(
  call: TenantCall,
  act: Runnable<F, A>,
  members: Readonly<Partial<Record<keyof F & string, unknown>>>,
): Promise<A> {
  return (await once(call, act, members)).answer
}

/** The call of a form that was carried out, for the page that answers it: its forms are new ones, which make another thing. */
export function carriedOut(call: TenantCall): TenantCall {
  return { ...call, form: new URLSearchParams() }
}

async function once<F extends FieldSet, A extends object>(
  call: TenantCall,
  act: Runnable<F, A>,
  members: Readonly<Partial<Record<keyof F & string, unknown>>>,
): Promise<Performed<A>> {
  const sent = sentOf(act, members)
  const form = call.form.get('form')
  const hash = createHash('sha256').update(JSON.stringify([form, act.name, sent]))
  const key = form === null ? undefined : { keyId: `person:${call.person.personId}`, idempotencyKey: hash.digest('hex') }
  try {
    return await perform(call.operator, callerOf(call), act, sent, key)
  } catch (error) {
    if (!(error instanceof AdcpError) || error.field !== 'Idempotency-Key') throw error
    const message =
      'The same form is being carried out at this moment, or its answer was lost. Open the page again to see what came of it.'
    throw new AdcpError('CONFLICT', message, { cause: error })
  }
}

/** Carries out an act with what the person changed in a form that shows what is stored: an empty text was written there, and is refused where it takes nothing away. Throws what the act throws. */
export async function doChanges<F extends FieldSet, A extends object>(
  call: TenantCall,
  act: Runnable<F, A>,
  changed: Readonly<Partial<Record<keyof F & string, unknown>>>,
): Promise<A> {
  const members = Object.fromEntries(Object.entries(changed).filter(([, value]) => value !== undefined))
  return (await perform(call.operator, callerOf(call), act, members)).answer
}

/** What an act would answer to the signed-in person: nothing of it is stored or logged. Throws what the act throws. */
export async function tryAct<F extends FieldSet, A extends object>(
  call: TenantCall,
  act: Runnable<F, A>,
  members: Readonly<Partial<Record<keyof F & string, unknown>>>,
): Promise<A> {
  const { operator } = call
  return doAct({ ...call, operator: { ...operator, store: forgetfulStore(operator.store) } }, act, members)
}

/** Carries out an act of the deployment for a person on a page that belongs to no publisher. Throws what the act throws. */
export async function doDeploymentAct<F extends FieldSet, A extends object>(
  call: PersonCall,
  act: Runnable<F, A>,
  members: Readonly<Partial<Record<keyof F & string, unknown>>>,
): Promise<A> {
  return (await perform(call.operator, ofDeployment(call), act, sentOf(act, members))).answer
}

/** Whether a person may carry an act out on a page that belongs to no publisher. */
export function mayOnDeployment(call: Pick<PersonCall, 'operator' | 'person'>, act: Pick<Runnable, 'roles' | 'scope'>): boolean {
  return mayCarryOut(act, ofDeployment(call))
}

/** The role of a person for every publisher; the least of all for somebody who has none. */
function roleOf({ role = 'viewer' }: Person): AdminRole {
  return role
}

function isForDeployment(person: Person): boolean {
  return person.role === 'administrator'
}

/** What a form sends of its inputs: an empty text is left out, but where that takes away what is there. An empty number or day is sent and refused: a form that lost its revision may not pass for one that never had any. */
function sentOf({ fields }: Pick<Runnable, 'fields'>, members: Readonly<Record<string, unknown>>) {
  const isEmpty = (name: string, value: unknown) => {
    const field = fields[name]
    const isText = field?.schema.minLength !== undefined && !field.required && !field.check('')
    return isText && (field.clean?.(value) ?? value) === ''
  }
  return Object.fromEntries(Object.entries(members).filter(([name, value]) => value !== undefined && !isEmpty(name, value)))
}

/** Whether the person of a page may carry an act out. */
export function may(call: Parameters<typeof callerOf>[0], act: Pick<Runnable, 'roles' | 'scope'>): boolean {
  return mayCarryOut(act, callerOf(call))
}

/** The person of a page of a publisher. */
function callerOf({ operator, tenantId, role, person }: Pick<TenantCall, 'operator' | 'tenantId' | 'role' | 'person'>): Caller {
  return { actor: operator.actor, tenantId, role, deployment: isForDeployment(person) }
}

/** The person of a page that belongs to no publisher. */
function ofDeployment({ operator, person }: Pick<PersonCall, 'operator' | 'person'>): Caller {
  return { actor: operator.actor, tenantId: '', role: roleOf(person), deployment: isForDeployment(person) }
}

/** A page that shows or carries out an act: for the roles of the act. */
export function actRoute(
  method: 'GET' | 'POST',
  path: string,
  act: Pick<Runnable, 'name' | 'roles'>,
  answer: (call: TenantCall) => Promise<Answer>,
): ConsoleRoute {
  return { method, path: `/t/{tenant}${path}`, access: act.roles, answer, act: act.name }
}
