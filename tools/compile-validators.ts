/**
 * Compiles the official schemas of every task to one CommonJS module, so that a server is ready without compiling
 * a hundred schemas first. Run by the build.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import standaloneCode from 'ajv/dist/standalone/index.js'
import { manifest } from '../src/protocol/manifest.ts'
import { newAjv, officialDocuments, type Schema, Schemas, schemaPathsOf } from '../src/protocol/schemas.ts'

const target = fileURLToPath(new URL('../dist/validators.cjs', import.meta.url))
const ajv = newAjv()
for (const document of officialDocuments()) ajv.addSchema(withoutProse(document))
const schemas = new Schemas({ precompiled: false })
const exported: Record<string, string> = {}
const tasks = [...Object.keys(manifest.tools), 'get_task_status', 'list_tasks'].map(schemaPathsOf)
// Beside the tasks' schemas, those of what webhooks carry and of what is said before a task is done.
for (const path of [
  ...tasks.flatMap((paths) => (paths ? [paths.request, paths.response] : [])),
  'core/mcp-webhook-payload.json',
  // The registry judges what publishers serve.
  'adagents.json',
  'property/property-list-changed-webhook.json',
  'collection/collection-list-changed-webhook.json',
  ...Object.values(manifest.tools).flatMap((tool) => tool.async_response_schemas ?? []),
]) {
  if (path.startsWith('own:')) continue
  const id = schemas.document(path).$id
  if (typeof id === 'string') exported[path] = id
}
mkdirSync(fileURLToPath(new URL('../dist', import.meta.url)), { recursive: true })
writeFileSync(target, ascii(standaloneCode.default(ajv, exported)))
console.log(`compiled ${Object.keys(exported).length} schemas`)

/** A schema without what it says to people. A member of `properties` may bear the same name, but it is never a string or a list. */
function withoutProse(schema: Schema): Schema {
  const kept = Object.entries(schema).filter(
    ([name, value]) =>
      !(/^(title|description|\$comment)$/.test(name) && typeof value === 'string') &&
      !(name === 'examples' && Array.isArray(value)),
  )
  return Object.fromEntries(kept.map(([name, value]) => [name, /^(const|enum|default)$/.test(name) ? value : pruned(value)]))
}

function pruned(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(pruned)
  return typeof value === 'object' && value !== null ? withoutProse({ ...value }) : value
}

/** One character beyond Latin-1 makes the engine keep the whole module in two bytes a character. */
function ascii(code: string): string {
  return code.replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
