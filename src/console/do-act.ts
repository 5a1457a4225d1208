import type { Runnable } from '../operator/act.ts'
import type { FieldSet } from '../operator/fields.ts'
import { perform } from '../operator/perform.ts'
import type { Answer, ConsoleRoute, TenantCall } from './route.ts'

/** Carries an act out for the person of a page; one about the whole deployment for administrators of every publisher. Members that are undefined were not sent. Throws what the act throws. */
export async function doAct<F extends FieldSet, A extends object>(
  { operator, tenantId, role, person }: TenantCall,
  act: Runnable<F, A>,
  members: Readonly<Partial<Record<keyof F & string, unknown>>>,
): Promise<A> {
  const sent = Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined))
  const caller = { actor: operator.actor, tenantId, role, deployment: person.role === 'administrator' }
  const { answer } = await perform(operator, caller, act, sent)
  return answer
}

/** Whether the person of a page may carry an act out. */
export function may({ role }: Pick<TenantCall, 'role'>, { roles }: Pick<Runnable, 'roles'>): boolean {
  return roles.includes(role)
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
