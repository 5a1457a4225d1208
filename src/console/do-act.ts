import type { Act } from '../operator/act.ts'
import type { FieldSet } from '../operator/fields.ts'
import { perform } from '../operator/perform.ts'
import { type Answer, type ConsoleRoute, type TenantCall, tenantRoute } from './route.ts'

/** Carries an act out for the person of a page; one about the whole deployment for administrators of every publisher. Members that are undefined were not sent. Throws what the act throws. */
export async function doAct<F extends FieldSet, A extends object>(
  { operator, tenantId, role, person }: TenantCall,
  act: Act<F, A>,
  members: Readonly<Partial<Record<keyof F & string, unknown>>>,
): Promise<A> {
  const sent = Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined))
  const caller = { actor: operator.actor, tenantId, role, deployment: person.role === 'administrator' }
  const { answer } = await perform(operator, caller, act, sent)
  return answer
}

/** A page that shows or carries out an act: for the roles of the act. */
export function actRoute(
  method: 'GET' | 'POST',
  path: string,
  act: Pick<Act, 'name' | 'roles'>,
  answer: (call: TenantCall) => Promise<Answer>,
): ConsoleRoute {
  return { ...tenantRoute(method, path, act.roles, answer), act: act.name }
}
