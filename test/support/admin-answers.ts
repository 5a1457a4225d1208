import { readFileSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { compileOperations, findOperation } from '../../src/admin-api/find-operation.ts'
import { OPERATIONS } from '../../src/admin-api/operations.ts'
import { isObject } from '../../src/protocol/is-object.ts'

const file = new URL('../../schemas/admin-openapi.json', import.meta.url)

/** Compares answers of the admin API with its description. A member that the description does not have is a fault too. */
export function answerChecker(): (method: string, path: string, answer: { status: number; data: unknown }) => void {
  const ajv = new Ajv2020({ strict: false, allErrors: true })
  addFormats.default(ajv)
  const description = closed(JSON.parse(readFileSync(file, 'utf8')))
  if (!isObject(description)) throw new Error('the description is no object')
  ajv.addSchema(description, 'admin')
  const paths = compileOperations(OPERATIONS)
  return (method, path, { status, data }) => {
    const pathname = path.split('?', 1)[0] ?? path
    const isAnswer = status === 200 && pathname !== '/openapi.json'
    if (status === 200 && !isAnswer) return
    const pointer = isAnswer ? answerPointer(paths, method, pathname) : '/components/schemas/Problem'
    const check = ajv.getSchema(`admin#${pointer}`)
    if (!check) throw new Error(`the description has no ${pointer}`)
    if (check(data)) return
    const faults = check.errors?.map(
      ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
    )
    throw new Error(`${method} ${path} answered ${status} otherwise than described:\n${faults?.join('\n')}`)
  }
}

function answerPointer(paths: ReturnType<typeof compileOperations>, method: string, pathname: string): string {
  const { operation } = findOperation(paths, method, pathname)
  const place = `/admin/v1${operation.path}`.replaceAll('~', '~0').replaceAll('/', '~1')
  return `/paths/${encodeURIComponent(place)}/${method.toLowerCase()}/responses/200/content/application~1json/schema`
}

/** The same document; its objects allow no other members than those they describe, unless they say so. */
function closed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closed)
  if (!isObject(value)) return value
  const inner = Object.fromEntries(Object.entries(value).map(([name, each]) => [name, closed(each)]))
  const { type, properties } = value
  const isSchema = type === 'object' || (Array.isArray(type) && type.includes('object'))
  return isSchema && isObject(properties) && !('additionalProperties' in value)
    ? { ...inner, additionalProperties: false }
    : inner
}
