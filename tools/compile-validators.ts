/**
 * Compiles the official schemas of every task ahead of time, so that a server is ready without compiling a hundred schemas first: one
 * CommonJS module a schema, which loads those it refers to, so that a process holds the code of the tasks it is asked for. `index.json`
 * names the module of each schema path. Run by the build.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { _, type Code } from 'ajv/dist/compile/codegen/index.js'
import type { ValueScopeName } from 'ajv/dist/compile/codegen/scope.js'
import { SchemaEnv } from 'ajv/dist/compile/index.js'
import type { AnyValidateFunction } from 'ajv/dist/core.js'
import { BASE_SOURCE, compiledFolder } from '../src/protocol/contract-source.ts'
import { newAjv, officialDocuments, type Schema, Schemas } from '../src/protocol/schemas.ts'

const folder = compiledFolder(BASE_SOURCE.line)
const ajv = newAjv()
for (const document of officialDocuments()) ajv.addSchema(withoutProse(document))
const schemas = new Schemas(BASE_SOURCE, { precompiled: false })
const { manifest } = schemas
const written = new Set<string>()
const index: Record<string, string> = {}
mkdirSync(folder, { recursive: true })
const tasks = [...Object.keys(manifest.tools), 'get_task_status', 'list_tasks'].map((task) => schemas.pathsOf(task))
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
  const validate = typeof id === 'string' ? ajv.getSchema(id) : undefined
  if (validate) index[path] = moduleOf(validate)
}
writeFileSync(join(folder, 'index.json'), JSON.stringify(index))
console.log(`compiled ${Object.keys(index).length} schemas to ${written.size} modules`)

/** Writes the module of a compiled schema and of all that it refers to; its file name. */
function moduleOf({ source }: AnyValidateFunction): string {
  if (!source) throw new Error('a schema was compiled without its source')
  const { validateName, validateCode, scopeValues, evaluated } = source
  const file = `${validateName}.cjs`
  if (written.has(file)) return file
  written.add(file)
  const values = ajv.scope.scopeCode(scopeValues, {}, (name) => reference(name, file))
  const tail = evaluated ? _`${validateName}.evaluated = ${evaluated};` : _``
  // What it exports is there before it loads others: schemas refer to each other in circles.
  writeFileSync(join(folder, file), ascii(`"use strict";module.exports = ${validateName};${values}${validateCode}${tail}`))
  return file
}

/** How the module `from` comes by the validator of another schema; undefined for what is no validator. */
function reference(name: ValueScopeName, from: string): Code | undefined {
  const of = name.value?.ref
  if (isCompiled(of)) return _`const ${name} = ${required(of, from)};`
  if (!(of instanceof SchemaEnv) || !of.validate) return undefined
  return _`const ${name} = {validate: ${required(of.validate, from)}};`
}

function isCompiled(of: unknown): of is AnyValidateFunction {
  return typeof of === 'function' && 'schemaEnv' in of
}

function required(validate: AnyValidateFunction, from: string): Code {
  const file = moduleOf(validate)
  return file === from ? _`module.exports` : _`require(${`./${file}`})`
}

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
