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

/** What an act throws, naming a field of the act, also in its words: the one that the caller sent or did not send. The error names no field where it is about none of them. */
export function inFieldsOf(error: unknown, fields: FieldSet, sent: Members): unknown {
  if (!(error instanceof AdcpError) || error.field === undefined) return error
  const path = inIds(error.field, sent)
  const field = fieldIn(path, fields, sent)
  if (field === error.field) return error
  const said = inIds(error.message, sent)
  const isNamed = field !== undefined && said.startsWith(`${path} `)
  return error.withField(field, isNamed ? `${field}${said.slice(path.length)}` : said)
}

/** A text in which each place of an entry that an act takes by its id alone is the place of the id. */
function inIds(text: string, sent: Members): string {
  return Object.hasOwn(sent, 'package_ids') ? text.replaceAll(/\bpackages(\[\d+\])(?:\.package_id)?/g, 'package_ids$1') : text
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
