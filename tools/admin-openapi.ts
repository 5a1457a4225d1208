import { type AdminOperation, isQueried } from '../src/admin-api/operation.ts'
import { OPERATIONS } from '../src/admin-api/operations.ts'
import { paramNames } from '../src/operator/act.ts'
import type { Components } from '../src/operator/shape.ts'

const TITLE = {
  title: 'Admin API of a publisher',
  version: '1.0.0',
  description:
    'Operations of the publisher’s people. A key belongs to one publisher and has one role; keys of buyers mean nothing here, and keys of this API mean nothing to /mcp. Lists have items and next_cursor, which goes into cursor for the next page; null: there are no more. Paths below /deployment act on the whole deployment: for keys that were made for that.',
}

const PROBLEM = {
  type: 'object',
  description: 'Problem details (RFC 9457).',
  required: ['type', 'title', 'status', 'detail'],
  properties: {
    type: { type: 'string' },
    title: { type: 'string', description: 'the error code, e.g. INVALID_REQUEST' },
    status: { type: 'integer' },
    detail: { type: 'string', description: 'what is wrong, and what to send instead' },
    field: { type: 'string', description: 'the member that it is about' },
    issues: { type: 'array', items: { type: 'object' }, description: 'every problem of a file, with its place' },
  },
}

const ONCE = {
  name: 'Idempotency-Key',
  in: 'header',
  description:
    'A request that is repeated with the same key is carried out once and gets the stored answer, with the header Idempotency-Replayed; another request with it is refused with status 422. Keys are kept for a day.',
  schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[!-~]+$' },
}

/** The description of the admin API (OpenAPI 3.1), made from the list of its operations. */
export function adminOpenApi(): object {
  const paths: Record<string, Record<string, object>> = {}
  const components: Components = new Map()
  for (const operation of OPERATIONS) {
    const path = `/admin/v1${operation.path}`
    paths[path] = { ...paths[path], [operation.method.toLowerCase()]: describe(operation, components) }
  }
  return {
    openapi: '3.1.0',
    info: TITLE,
    security: [{ adminKey: [] }],
    paths,
    components: {
      securitySchemes: { adminKey: { type: 'http', scheme: 'bearer', description: 'sales-agent admin-keys create makes one' } },
      parameters: { idempotencyKey: ONCE },
      responses: {
        Problem: { description: 'Refused.', content: { 'application/problem+json': { schema: schemaRef('Problem') } } },
      },
      schemas: { Problem: PROBLEM, ...Object.fromEntries([...components].toSorted(([a], [b]) => (a < b ? -1 : 1))) },
    },
  }
}

const schemaRef = (name: string) => ({ $ref: `#/components/schemas/${name}` })
const responseRef = (name: string) => ({ $ref: `#/components/responses/${name}` })

function describe(operation: AdminOperation, components: Components): object {
  const { id, method, path, roles, scope, summary, fields, act } = operation
  const answer = { description: summary, content: { 'application/json': { schema: act.answer.describe(components) } } }
  const members = Object.entries(fields)
  const parameters = [
    ...paramNames(path).map((name) => pathParameter(name, act.fields[name])),
    ...(isQueried(operation) ? members.map(([name, field]) => queryParameter(name, field)) : []),
    ...(method === 'GET' ? [] : [{ $ref: '#/components/parameters/idempotencyKey' }]),
  ]
  return {
    operationId: id,
    summary,
    description: `${scope === 'deployment' ? 'For keys of the deployment. ' : ''}Roles: ${roles.join(', ')}.`,
    ...(parameters.length > 0 && { parameters }),
    ...(!isQueried(operation) && members.length > 0 && { requestBody: bodyOf(fields) }),
    responses: { 200: answer, default: responseRef('Problem') },
  }
}

type Fields = AdminOperation['fields']

function pathParameter(name: string, field: Fields[string] | undefined): object {
  const described = field ? { description: field.about, schema: field.schema } : { schema: { type: 'string' } }
  return { name, in: 'path', required: true, ...described }
}

function queryParameter(name: string, { about, schema, required }: Fields[string]): object {
  const isList = schema.type === 'array'
  return { name, in: 'query', description: about, ...(required && { required }), schema, ...(isList && { explode: false }) }
}

function bodyOf(fields: Fields): object {
  const members = Object.entries(fields)
  const needed = members.filter(([, field]) => field.required).map(([name]) => name)
  const schema = {
    type: 'object',
    additionalProperties: false,
    ...(needed.length > 0 && { required: needed }),
    properties: Object.fromEntries(members.map(([name, { about, schema }]) => [name, { description: about, ...schema }])),
  }
  return { ...(needed.length > 0 && { required: true }), content: { 'application/json': { schema } } }
}

/** The operations as a table of the documentation. */
export function operationTable(): string {
  const rows = OPERATIONS.map(
    ({ id, method, path, roles, scope, summary }) =>
      `| \`${method} ${path}\` | \`${id}\` | ${scope === 'deployment' ? 'deployment' : roles.join(', ')} | ${summary} |`,
  )
  return ['| request | operation | roles | what it does |', '|---|---|---|---|', ...rows].join('\n')
}
