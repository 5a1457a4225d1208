import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Ajv, ValidateFunction } from 'ajv'
import { inTurns } from '../platform/concurrency/yield-to-event-loop.ts'
import { type CompiledValidators, compiledValidators } from './compiled-validators.ts'
import { BASE_SOURCE, type ContractSource } from './contract-source.ts'
import { describeIssues } from './describe-issues.ts'
import type { Issue } from './errors.ts'
import type { Manifest } from './manifest.ts'
import { newAjv } from './new-ajv.ts'
import { officialDocuments } from './official-documents.ts'
import { builtOwnValidators } from './own-validators.ts'
import { plainIssues } from './plain-issues.ts'
import { furtherRequestsOf, isOwn, OTHER_SCHEMAS, type SchemaPaths } from './schema-paths.ts'
import { type Schema, SchemaPlace } from './schema-places.ts'

export type { Schema } from './schema-places.ts'

/** Checks a value; an empty list means valid. At most twenty findings. */
export type Validate = (value: unknown) => readonly Issue[]

const ownFolder = fileURLToPath(new URL('../../schemas', import.meta.url))

/** The official schemas of one release line and ours, with validators made once, on first use: loaded where the build compiled them, else compiled. */
export class Schemas {
  readonly #source: ContractSource
  #ownAjv: Ajv | undefined
  readonly #checks = new Map<string, ValidateFunction>()
  readonly #validators = new Map<string, Validate>()
  readonly #requests = new Map<string, Validate>()
  readonly #compiled: CompiledValidators | undefined
  readonly #compiledOwn: CompiledValidators | undefined
  #manifest: Manifest | undefined
  readonly #documents = new Map<string, Schema>()
  readonly #paths = new Map<string, SchemaPaths | undefined>()
  readonly #requestPlaces = new Map<string, SchemaPlace>()
  #loaded = false
  #referenceRoot: string | undefined

  /** Of the given line; without one, of the line that the files of a publisher are written in. */
  constructor(source: ContractSource = BASE_SOURCE, options: { readonly precompiled?: boolean } = {}) {
    this.#source = source
    const { compiled } = source
    if (options.precompiled === false) return
    this.#compiled = compiled === undefined ? undefined : compiledValidators(compiled)
    this.#compiledOwn = builtOwnValidators()
  }

  /** The official manifest of the release. */
  get manifest(): Manifest {
    this.#manifest ??= readManifest(this.#source.folder)
    return this.#manifest
  }

  /** Root of the `$id`s and references of the release: `/schemas/3.0.6/`. */
  get referenceRoot(): string {
    this.#referenceRoot ??= this.#findReferenceRoot()
    return this.#referenceRoot
  }

  #findReferenceRoot(): string {
    const path = Object.keys(this.manifest.tools)
      .map((task) => this.pathsOf(task)?.request)
      .find((each) => each !== undefined && !isOwn(each))
    const id = path === undefined ? undefined : this.document(path).$id
    return typeof id === 'string' && path !== undefined ? id.slice(0, -path.length) : `/schemas/${this.#source.line}/`
  }

  /**
   * Where the schemas of a task are: under the manifest's paths where the release has such files, else those of {@link OTHER_SCHEMAS}. Undefined for a
   * name that is no task of this release.
   */
  pathsOf(task: string): SchemaPaths | undefined {
    if (this.#paths.has(task)) return this.#paths.get(task)
    const tool = Object.hasOwn(this.manifest.tools, task) ? this.manifest.tools[task] : undefined
    const has = (path: string) => existsSync(join(this.#source.folder, path))
    const official = tool && has(tool.request_schema) && has(tool.response_schema)
    const paths = official ? { request: tool.request_schema, response: tool.response_schema } : OTHER_SCHEMAS.get(task)
    this.#paths.set(task, paths)
    return paths
  }

  /** The schema document at a relative path (`media-buy/create-media-buy-request.json`, `own:…`). Throws when absent. */
  document(path: string): Schema {
    const known = this.#documents.get(path)
    if (known) return known
    const file = isOwn(path) ? join(ownFolder, path.slice(4)) : join(this.#source.folder, path)
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
    const path = this.pathsOf(task)?.request
    if (known || path === undefined) return known
    const further = furtherRequestsOf(task).filter((each) => existsSync(join(this.#source.folder, each)))
    const at = [path, ...further].map((each) => ({
      schema: this.document(each),
      document: this.document(each),
      place: `${each}#`,
    }))
    const made = new SchemaPlace(this, at)
    this.#requestPlaces.set(task, made)
    return made
  }

  /** The validator of the schema at a path, or of a definition of one: `own:direct-order.json#/definitions/targeting`. */
  validator(path: string): Validate {
    const known = this.#validators.get(path)
    if (known) return known
    const validate = toValidate(this.#check(path))
    this.#validators.set(path, validate)
    return validate
  }

  /** The validator of a schema of ours that is part of a larger document, under the name that the build compiled it by. Compiles anew each time where nothing was built: keep what it gives. */
  compile(name: string, schema: Schema): Validate {
    return toValidate(this.#compiledOwn?.validator(name) ?? this.#ajv.compile(schema))
  }

  /** Validates a task's request, with findings that quote what was sent. Throws for a task that is unknown to the contract. */
  request(task: string): Validate {
    const known = this.#requests.get(task)
    if (known) return known
    const check = this.#check(this.#pathsOrThrow(task).request)
    const validate: Validate = (value) => {
      if (check(value)) return []
      const root = this.requestPlace(task)
      return root ? describeIssues(check.errors ?? [], value, root) : plainIssues(check.errors ?? [])
    }
    this.#requests.set(task, validate)
    return validate
  }

  /** Loads validators of a task in short turns: the first use of one that the build compiled takes up to 150 ms. */
  async prepare(task: string, parts: readonly (keyof SchemaPaths)[]): Promise<void> {
    const paths = this.#pathsOrThrow(task)
    for (const path of parts.map((part) => paths[part])) {
      if (this.#checks.has(path)) continue
      const compiled = this.#compiledOf(path)
      if (compiled) await inTurns(compiled.read(path))
      this.#check(path)
    }
  }

  /** The document of a task's request schema. Throws for a task that is unknown to the contract. */
  requestDocument(task: string): Schema {
    return this.document(this.#pathsOrThrow(task).request)
  }

  /** Validates a task's response payload. */
  response(task: string): Validate {
    return this.validator(this.#pathsOrThrow(task).response)
  }

  /** Validates what a task says while it is in a status, e.g. `submitted`; undefined where its schemas have no such form. */
  interim(task: string, status: string): Validate | undefined {
    const path = this.manifest.tools[task]?.async_response_schemas?.find((each) =>
      each.endsWith(`-async-response-${status}.json`),
    )
    return path === undefined ? undefined : this.validator(path)
  }

  /** Made on first use: a server whose validators were all compiled by the build needs none. */
  get #ajv(): Ajv {
    this.#ownAjv ??= newAjv()
    return this.#ownAjv
  }

  #pathsOrThrow(task: string): SchemaPaths {
    const paths = this.pathsOf(task)
    if (!paths) throw new Error(`AdCP ${this.#source.line} has no task ${task}`)
    return paths
  }

  #check(path: string): ValidateFunction {
    const known = this.#checks.get(path)
    if (known) return known
    const check = this.#compiledOf(path)?.validator(path) ?? this.#compile(path)
    this.#checks.set(path, check)
    return check
  }

  #compiledOf(path: string): CompiledValidators | undefined {
    return isOwn(path) ? this.#compiledOwn : this.#compiled
  }

  #compile(path: string): ValidateFunction {
    // Schemas of ours stand alone.
    if (!this.#loaded && !isOwn(path)) {
      for (const document of officialDocuments(this.#source.folder)) this.#ajv.addSchema(document)
      this.#loaded = true
    }
    const [file = '', place] = path.split('#')
    const document = this.document(file)
    const id = typeof document.$id === 'string' ? document.$id : file
    const whole = this.#ajv.getSchema(id) ?? this.#ajv.compile(document)
    if (place === undefined) return whole
    const part = this.#ajv.getSchema(`${id}#${place}`)
    if (!part) throw new Error(`${file} has no ${place}`)
    return part
  }
}

function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8'))
}

function toValidate(check: ValidateFunction): Validate {
  return (value) => (check(value) ? [] : plainIssues(check.errors ?? []))
}
