import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ValidateFunction } from 'ajv'
import { Ajv } from 'ajv'
import addFormats from 'ajv-formats'
import { withCheckedMembers } from './checked-members.ts'
import { schemaFolder } from './contract.ts'
import { describeIssues } from './describe-issues.ts'
import type { Issue } from './errors.ts'
import { manifest } from './manifest.ts'
import { plainIssues } from './plain-issues.ts'
import { type Schema, SchemaPlace } from './schema-places.ts'

export type { Schema } from './schema-places.ts'

/** Checks a value; an empty list means valid. At most twenty findings. */
export type Validate = (value: unknown) => readonly Issue[]

/**
 * Task schemas that the SDK's data does not hold under the manifest's path: the controller's (which the SDK has only as
 * code, so it is authored here) and task polling, whose official schemas lie in `core/`.
 */
const OTHER_SCHEMAS: Readonly<Record<string, { request: string; response: string }>> = {
  comply_test_controller: {
    request: 'own:comply-test-controller-request.json',
    response: 'own:comply-test-controller-response.json',
  },
  get_task_status: { request: 'core/tasks-get-request.json', response: 'core/tasks-get-response.json' },
  list_tasks: { request: 'core/tasks-list-request.json', response: 'core/tasks-list-response.json' },
  list_agent_publishers: {
    request: 'own:list-agent-publishers-request.json',
    response: 'own:list-agent-publishers-response.json',
  },
}

/** Relative paths of a task's request and response schema; `own:` marks ours. Undefined for a name that is no task. */
export function schemaPathsOf(task: string): { request: string; response: string } | undefined {
  const other = OTHER_SCHEMAS[task]
  if (other) return other
  const tool = manifest.tools[task]
  return tool && { request: tool.request_schema, response: tool.response_schema }
}

/**
 * Request schemas by which the release describes a task a second time, for another area: their top-level members are taken too (3.0 has
 * list_creative_formats for media buys and for creative agents).
 */
const FURTHER_REQUESTS: Readonly<Record<string, readonly string[]>> = {
  list_creative_formats: ['creative/list-creative-formats-request.json'],
}

/** Relative paths of further request schemas of a task. */
export function furtherRequestsOf(task: string): readonly string[] {
  return FURTHER_REQUESTS[task] ?? []
}

const ownFolder = fileURLToPath(new URL('../../schemas', import.meta.url))
const release = '3.0'

/** Where the build leaves validators compiled ahead of time, a module each; absent in a source checkout that was never built. */
const compiledFolder = fileURLToPath(new URL('../../dist/validators', import.meta.url))

/** The official schemas and ours, with validators made once, on first use: loaded where the build compiled them, else compiled. */
export class Schemas {
  readonly #ajv: Ajv
  readonly #checks = new Map<string, ValidateFunction>()
  readonly #validators = new Map<string, Validate>()
  readonly #requests = new Map<string, Validate>()
  readonly #mayBePrecompiled: boolean
  #modules: Readonly<Record<string, string>> | undefined
  readonly #documents = new Map<string, Schema>()
  readonly #requestPlaces = new Map<string, SchemaPlace>()
  #loaded = false
  #ready = false

  constructor(options: { readonly precompiled?: boolean } = {}) {
    this.#ajv = newAjv()
    this.#mayBePrecompiled = options.precompiled !== false && existsSync(join(compiledFolder, 'index.json'))
  }

  /** The schema document at a relative path (`media-buy/create-media-buy-request.json`, `own:…`). Throws when absent. */
  document(path: string): Schema {
    const known = this.#documents.get(path)
    if (known) return known
    const file = isOwn(path) ? join(ownFolder, path.slice(4)) : join(schemaFolder(release), path)
    const document: Schema = JSON.parse(readFileSync(file, 'utf8'))
    this.#documents.set(path, document)
    return document
  }

  /** The document that a `$ref` of an official schema names, e.g. `/schemas/3.0.6/core/account-ref.json`. */
  resolveReference(reference: string): Schema {
    return this.document((reference.split('#', 1)[0] ?? '').replace(/^\/schemas\/[^/]+\//, ''))
  }

  /** What the request schema of a task says of its members, from the root on. Undefined for a name that is no task. */
  requestPlace(task: string): SchemaPlace | undefined {
    const known = this.#requestPlaces.get(task)
    const path = schemaPathsOf(task)?.request
    if (known || path === undefined) return known
    const document = this.document(path)
    const made = new SchemaPlace(this, [{ schema: document, document, place: `${path}#` }])
    this.#requestPlaces.set(task, made)
    return made
  }

  /** The validator of the schema at a path. */
  validator(path: string): Validate {
    const known = this.#validators.get(path)
    if (known) return known
    const validate = toValidate(this.#check(path))
    this.#validators.set(path, validate)
    return validate
  }

  /** The validator of a schema of ours that is part of a larger document. Compiles anew each time: keep what it gives. */
  compile(schema: Schema): Validate {
    return toValidate(this.#ajv.compile(schema))
  }

  /** Validates a task's request, with findings that quote what was sent. Throws for a task that is unknown to the contract. */
  request(task: string): Validate {
    const known = this.#requests.get(task)
    if (known) return known
    const check = this.#check(pathsOrThrow(task).request)
    const validate: Validate = (value) => {
      if (check(value)) return []
      const root = this.requestPlace(task)
      return root ? describeIssues(check.errors ?? [], value, root) : plainIssues(check.errors ?? [])
    }
    this.#requests.set(task, validate)
    return validate
  }

  /** The document of a task's request schema. Throws for a task that is unknown to the contract. */
  requestDocument(task: string): Schema {
    return this.document(pathsOrThrow(task).request)
  }

  /** Validates a task's response payload. */
  response(task: string): Validate {
    return this.validator(pathsOrThrow(task).response)
  }

  /** Validates what a task says while it is in a status, e.g. `submitted`; undefined where its schemas have no such form. */
  interim(task: string, status: string): Validate | undefined {
    const path = manifest.tools[task]?.async_response_schemas?.find((each) => each.endsWith(`-async-response-${status}.json`))
    return path === undefined ? undefined : this.validator(path)
  }

  /** Whether every registered task was found to have its schemas. */
  get ready(): boolean {
    return this.#ready
  }

  /** Looks that each of these tasks has schemas; throws for one that has none. Their validators are made when they are asked for. */
  prepare(tasks: readonly string[]): void {
    for (const task of tasks) pathsOrThrow(task)
    this.#ready = true
  }

  #check(path: string): ValidateFunction {
    const known = this.#checks.get(path)
    if (known) return known
    const check = (isOwn(path) ? undefined : this.#load(path)) ?? this.#compile(path)
    this.#checks.set(path, check)
    return check
  }

  /** What the build compiled for a path: its module, and with it those it refers to. Undefined when the build did not. */
  #load(path: string): ValidateFunction | undefined {
    if (!this.#mayBePrecompiled) return undefined
    const require = createRequire(import.meta.url)
    this.#modules ??= require(join(compiledFolder, 'index.json'))
    const module = this.#modules?.[path]
    return module === undefined ? undefined : require(join(compiledFolder, module))
  }

  #compile(path: string): ValidateFunction {
    // Schemas of ours stand alone.
    if (!this.#loaded && !isOwn(path)) {
      for (const document of officialDocuments()) this.#ajv.addSchema(document)
      this.#loaded = true
    }
    const document = this.document(path)
    const id = typeof document.$id === 'string' ? document.$id : path
    return this.#ajv.getSchema(id) ?? this.#ajv.compile(document)
  }
}

function isOwn(path: string): boolean {
  return path.startsWith('own:')
}

function pathsOrThrow(task: string): { request: string; response: string } {
  const paths = schemaPathsOf(task)
  if (!paths) throw new Error(`no schema for task ${task}`)
  return paths
}

/** The one Ajv configuration. Unknown keywords (`x-entity`, …) are annotations of the official schemas. */
export function newAjv(): Ajv {
  const ajv = new Ajv({ strict: false, allErrors: true, validateFormats: true, messages: true, code: { source: true } })
  addFormats.default(ajv)
  return ajv
}

/** Every official schema document of the release that can be referred to, as requests and responses are held to it: see {@link withCheckedMembers}. */
export function* officialDocuments(): Generator<Schema> {
  const folder = schemaFolder(release)
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/')
    if (
      !entry.isFile() ||
      !path.endsWith('.json') ||
      path.startsWith('bundled/') ||
      path.startsWith('manifest') ||
      path === 'index.json'
    )
      continue
    const document: Schema = JSON.parse(readFileSync(join(folder, path), 'utf8'))
    if (typeof document.$id === 'string') yield withCheckedMembers(document)
  }
}

function toValidate(check: ValidateFunction): Validate {
  return (value) => (check(value) ? [] : plainIssues(check.errors ?? []))
}

/** `/packages/0/budget` → `packages[0].budget` (AdCP core/error.json, `field`). */
export function fieldOf(pointer: string): string {
  return pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce((path, part) => (/^\d+$/.test(part) ? `${path}[${part}]` : path === '' ? part : `${path}.${part}`), '')
}
