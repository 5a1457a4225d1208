import { type Act, paramNames } from '../operator/act.ts'
import type { FieldSet } from '../operator/fields.ts'

/** An act as an operation of the admin API. */
export interface AdminOperation extends Pick<Act, 'id' | 'method' | 'path' | 'roles' | 'scope' | 'summary'> {
  /** Members of the query (GET, DELETE) or of the body: the fields of the act that its path does not name. */
  readonly fields: FieldSet
  readonly act: Act
}

/** Whether the members of an operation are in its query. */
export function isQueried({ method }: Pick<AdminOperation, 'method'>): boolean {
  return method === 'GET' || method === 'DELETE'
}

/** The operation of an act. */
export function operationOf(act: Act): AdminOperation {
  const { id, method, path, roles, scope, summary } = act
  const params = paramNames(path)
  const sent = Object.entries(act.fields).filter(([name, { local }]) => !params.includes(name) && !local)
  return { id, method, path, roles, scope, summary, fields: Object.fromEntries(sent), act }
}
