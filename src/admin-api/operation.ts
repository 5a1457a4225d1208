import type { AdminRole } from '../domain/identity/admin-role.ts'
import { type Act, type Method, paramNames } from '../operator/act.ts'
import { checkedValues, type FieldSet, type Values } from '../operator/fields.ts'
import type { OperatorContext } from '../operator/operator-context.ts'

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
  /** The act that it is; absent: it is not written as one yet. */
  readonly act?: Act
  /** Checks the members, and gives what carries the request out. Throws INVALID_REQUEST. */
  prepare(request: Request): (context: OperatorContext) => Promise<object>
}

/** Whether the members of an operation are in its query. */
export function isQueried({ method }: Pick<AdminOperation, 'method'>): boolean {
  return method === 'GET' || method === 'DELETE'
}

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
    fields: Object.fromEntries(Object.entries(fields).filter(([, { local }]) => !local)),
    prepare({ tenantId, params, members }) {
      if (!hasParams<P>(path, params)) throw new Error(`${path} was called without its parameters`)
      const values = checkedValues(members, fields)
      return (context) => run(context, { tenantId, params, values })
    },
  }
}

/** The operation of an act: the fields that its path does not name are members of the query or body. */
export function operationOf(act: Act): AdminOperation {
  const { id, method, path, roles, scope, summary } = act
  const params = paramNames(path)
  const sent = Object.entries(act.fields).filter(([name, { local }]) => !params.includes(name) && !local)
  const fields = Object.fromEntries(sent)
  const prepare = () => {
    throw new Error(`${id} is carried out as an act`)
  }
  return { id, method, path, roles, scope, summary, fields, act, prepare }
}

const METHODS: readonly Method[] = ['GET', 'POST', 'PATCH', 'PUT', 'DELETE']

function splitPlace(place: string): readonly [Method, string] {
  const [word = '', path = ''] = place.split(' ')
  const method = METHODS.find((each) => each === word)
  if (!method) throw new Error(`${place} names no method`)
  return [method, path]
}

function hasParams<P extends string>(
  path: string,
  params: Readonly<Record<string, string>>,
): params is ParamsOf<P> & typeof params {
  return paramNames(path).every((name) => Object.hasOwn(params, name))
}
