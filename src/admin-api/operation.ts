import { ADMIN_ROLES, type AdminRole } from '../domain/identity/admin-role.ts'
import type { OperatorContext } from '../operator/operator-context.ts'
import { checkedValues, type FieldSet, type Values } from './fields.ts'

export type Method = 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'

/** A request as an operation gets it: the publisher of its key, the parameters of its path, and the members of its query or body. */
export interface Request {
  readonly tenantId: string
  readonly params: Readonly<Record<string, string>>
  readonly members: Readonly<Record<string, unknown>>
}

/** One operation of the admin API: a function of operator/ under a method and a path, for some roles. */
export interface AdminOperation {
  /** `operationId` in the description. */
  readonly id: string
  readonly method: Method
  /** Below `/admin/v1`, with `{names}` of its parameters. */
  readonly path: string
  /** Who may call it; `deployment`: only keys that may act on the whole deployment. */
  readonly roles: readonly AdminRole[]
  readonly scope: 'publisher' | 'deployment'
  readonly summary: string
  /** Members of the query (GET, DELETE) or of the body. */
  readonly fields: FieldSet
  /** Checks the members, and gives what carries the request out. Throws INVALID_REQUEST. */
  prepare(request: Request): (context: OperatorContext) => Promise<object>
}

/** Whether the members of an operation are in its query. */
export function isQueried({ method }: Pick<AdminOperation, 'method'>): boolean {
  return method === 'GET' || method === 'DELETE'
}

/** Who may read. */
export const READERS: readonly AdminRole[] = ADMIN_ROLES
/** Who may read money. */
export const MONEY_READERS: readonly AdminRole[] = ['finance', 'ad_operations', 'administrator']
/** Who changes what is sold, and decides on what buyers send. */
export const SELLERS: readonly AdminRole[] = ['ad_operations', 'administrator']
/** Who decides on money. */
export const ACCOUNTANTS: readonly AdminRole[] = ['finance', 'administrator']
/** Who approves, suspends and closes accounts. */
export const ACCOUNT_DECIDERS: readonly AdminRole[] = ['finance', 'ad_operations', 'administrator']
/** Who decides on people, keys and settings. */
export const ADMINISTRATORS: readonly AdminRole[] = ['administrator']

type ParamsOf<P extends string> = P extends `${string}{${infer N}}${infer Rest}`
  ? { readonly [K in N]: string } & ParamsOf<Rest>
  : object

interface Input<P extends string, F extends FieldSet> {
  readonly tenantId: string
  readonly params: ParamsOf<P>
  readonly values: Values<F>
}

/** What an operation is, beside its method, path and name. */
interface Rest<P extends string, F extends FieldSet> {
  readonly roles: readonly AdminRole[]
  readonly scope?: AdminOperation['scope']
  readonly summary: string
  readonly fields: F
  readonly run: (context: OperatorContext, input: Input<P, F>) => Promise<object>
}

/** Defines an operation: `operation('POST /orders/{order}/pause', 'pauseOrder', { … })`. */
export function operation<P extends string, F extends FieldSet>(
  place: `${Method} ${P}`,
  id: string,
  { roles, scope = 'publisher', summary, fields, run }: Rest<P, F>,
): AdminOperation {
  const [method, path] = splitPlace(place)
  return {
    id,
    method,
    path,
    roles,
    scope,
    summary,
    fields,
    prepare({ tenantId, params, members }) {
      if (!hasParams<P>(path, params)) throw new Error(`${path} was called without its parameters`)
      const values = checkedValues(members, fields)
      return (context) => run(context, { tenantId, params, values })
    },
  }
}

/** An operation of the whole deployment, which only its administrators may call. */
export function deploymentOperation<P extends string, F extends FieldSet>(
  place: `${Method} ${P}`,
  id: string,
  rest: Omit<Rest<P, F>, 'roles' | 'scope'>,
): AdminOperation {
  return operation(place, id, { ...rest, roles: ADMINISTRATORS, scope: 'deployment' })
}

/** The shape of every list: `next_cursor` of the page before goes into `cursor`; null: there are no more. */
export function list<T>(items: readonly T[], nextCursor: string | null = null) {
  return { items, next_cursor: nextCursor }
}

const METHODS: readonly Method[] = ['GET', 'POST', 'PATCH', 'PUT', 'DELETE']

function splitPlace(place: string): readonly [Method, string] {
  const [word = '', path = ''] = place.split(' ')
  const method = METHODS.find((each) => each === word)
  if (!method) throw new Error(`${place} names no method`)
  return [method, path]
}

/** The names of a path's parameters, in their order. */
export function paramNames(path: string): readonly string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
}

function hasParams<P extends string>(
  path: string,
  params: Readonly<Record<string, string>>,
): params is ParamsOf<P> & typeof params {
  return paramNames(path).every((name) => Object.hasOwn(params, name))
}
