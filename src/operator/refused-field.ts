import { AdcpError } from '../protocol/errors.ts'
import type { FieldSet } from './fields.ts'

/** Which field of an act is meant when lower code names another: by that name, the fields in order of preference. The caller's own field wins if several were sent. */
export const FIELDS_OF: Readonly<Record<string, readonly string[]>> = {
  ad_server: ['ad_server', 'name'],
  condition: ['conditions'],
  drift_id: ['drift'],
  end_time: ['ends_at'],
  file: ['document', 'csv'],
  max_results: ['limit'],
  media_buy_id: ['order'],
  order_id: ['order'],
  principal: ['buyer'],
  product_id: ['product'],
  rights_id: ['right'],
  submission_id: ['right'],
  task_id: ['approval'],
  tenant: ['publisher'],
}

/** Tasks of the protocol have the page of a list in this member. */
const PAGINATION = /^pagination\./

/** Fields that hold what was written elsewhere: a refusal names the place in it, as a path or a JSON pointer. */
const CONTAINERS = ['document', 'cells', 'options']

type Members = Readonly<Record<string, unknown>>

/** What an act throws, naming a field of the act: the one that the caller sent or did not send. Without a field where none of them is meant. */
export function inFieldsOf(error: unknown, fields: FieldSet, sent: Members): unknown {
  if (!(error instanceof AdcpError) || error.field === undefined) return error
  const field = fieldIn(error.field, fields, sent)
  return field === error.field ? error : error.withField(field)
}

function fieldIn(path: string, fields: FieldSet, sent: Members): string | undefined {
  const [name = '', ...rest] = path.replace(PAGINATION, '').split(/(?=[.[])/)
  const isSent = (each: string) => Object.hasOwn(sent, each)
  const isOwn = (each: string) => Object.hasOwn(fields, each) && (isSent(each) || !fields[each]?.local)
  const others = (Object.hasOwn(FIELDS_OF, name) ? FIELDS_OF[name] : undefined)?.filter(isOwn) ?? []
  const own = isOwn(name) ? name : (others.find(isSent) ?? others[0])
  if (own !== undefined) return [own, ...rest].join('')
  // What a file has wrong is named by its place in the file.
  if (isSent('file')) return path
  const container = CONTAINERS.find((each) => isOwn(each) && isSent(each))
  return container && `${container}${path.startsWith('/') ? '' : '.'}${path}`
}
