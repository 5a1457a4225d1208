/**
 * Compiles the official schemas of every task to one CommonJS module, so that a server is ready without compiling
 * a hundred schemas first. Run by the build.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import standaloneCode from 'ajv/dist/standalone/index.js'
import { manifest } from '../src/protocol/manifest.ts'
import { newAjv, officialDocuments, Schemas, schemaPathsOf } from '../src/protocol/schemas.ts'

const target = fileURLToPath(new URL('../dist/validators.cjs', import.meta.url))
const ajv = newAjv()
for (const document of officialDocuments()) ajv.addSchema(document)
const schemas = new Schemas({ precompiled: false })
const exported: Record<string, string> = {}
const tasks = [...Object.keys(manifest.tools), 'get_task_status', 'list_tasks'].map(schemaPathsOf)
// Beside the tasks' schemas, that of what webhooks carry.
for (const path of [
  ...tasks.flatMap((paths) => (paths ? [paths.request, paths.response] : [])),
  'core/mcp-webhook-payload.json',
]) {
  if (path.startsWith('own:')) continue
  const id = schemas.document(path).$id
  if (typeof id === 'string') exported[path] = id
}
mkdirSync(fileURLToPath(new URL('../dist', import.meta.url)), { recursive: true })
writeFileSync(target, standaloneCode.default(ajv, exported))
console.log(`compiled ${Object.keys(exported).length} schemas`)
