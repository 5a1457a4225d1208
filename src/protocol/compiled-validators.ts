import { existsSync, readFileSync } from 'node:fs'
import { createRequire, Module } from 'node:module'
import { join } from 'node:path'
import { compileFunction } from 'node:vm'
import { gunzipSync } from 'node:zlib'
import type { ValidateFunction } from 'ajv'
import type { Steps } from '../platform/concurrency/steps.ts'

/** In a folder of compiled validators: the module of each root, by the path of its schema. */
export const MODULE_INDEX = 'modules.json'

/** The file of a compressed module: uncompressed, the validators of three releases are 34 MB. */
export const compressedName = (module: string) => `${module}.gz`

/** The largest module of 3.2 has 0.7 MB. */
const MAX_MODULE_BYTES = 32_000_000

const requireLibrary = createRequire(import.meta.url)

interface ReadModule {
  readonly run: ReturnType<typeof compileFunction>
  /** Files of the modules that it loads. */
  readonly others: readonly string[]
}

/** The validators of a folder that the build wrote; undefined where there are none. */
export function compiledValidators(folder: string): CompiledValidators | undefined {
  return existsSync(join(folder, MODULE_INDEX)) ? new CompiledValidators(folder) : undefined
}

/**
 * Compressed CommonJS modules, one a schema, which load each other when they are first needed. A process loads each once: they are among its
 * modules (`require.cache`) as others are.
 */
export class CompiledValidators {
  readonly #folder: string
  #index: Readonly<Record<string, string>> | undefined
  /** Modules that were read and have not run. */
  readonly #read = new Map<string, ReadModule>()

  constructor(folder: string) {
    this.#folder = folder
  }

  /** The validator of the schema at a path; undefined for what the build did not compile. */
  validator<Value = unknown>(path: string): ValidateFunction<Value> | undefined {
    const file = this.#fileOf(path)
    if (file === undefined) return undefined
    const validate = this.#load(file)
    if (!isValidator<Value>(validate)) throw new Error(`${join(this.#folder, file)} holds no validator`)
    return validate
  }

  /** Reads the modules of a validator in steps: all at once, those of a task's answer take up to 150 ms. {@link validator} then runs them, which takes little. */
  *read(path: string): Steps<void> {
    const root = this.#fileOf(path)
    const files = new Set(root === undefined ? [] : [root])
    for (const file of files) {
      if (requireLibrary.cache[join(this.#folder, file)]) continue
      for (const other of this.#module(file).others) files.add(other)
      yield
    }
  }

  #fileOf(path: string): string | undefined {
    this.#index ??= JSON.parse(readFileSync(join(this.#folder, MODULE_INDEX), 'utf8'))
    return this.#index?.[path]
  }

  #module(file: string): ReadModule {
    const known = this.#read.get(file)
    if (known) return known
    // The build writes ASCII alone: one byte a character.
    const packed = readFileSync(join(this.#folder, compressedName(file)))
    const code = gunzipSync(packed, { maxOutputLength: MAX_MODULE_BYTES }).toString('latin1')
    const run = compileFunction(code, ['module', 'require'], { filename: join(this.#folder, file) })
    const others = [...code.matchAll(/require\("\.\/([^"]+)"\)/g)].flatMap(([, name]) => name ?? [])
    const module = { run, others }
    this.#read.set(file, module)
    return module
  }

  #load(file: string): unknown {
    const { cache } = requireLibrary
    const filename = join(this.#folder, file)
    const known = cache[filename]
    if (known) return known.exports
    const { run } = this.#module(file)
    this.#read.delete(file)
    const module = new Module(filename)
    // Before it runs: schemas refer to each other in circles.
    cache[filename] = module
    run(module, (name: string) => (name.startsWith('./') ? this.#load(name.slice(2)) : requireLibrary(name)))
    return module.exports
  }
}

function isValidator<Value>(value: unknown): value is ValidateFunction<Value> {
  return typeof value === 'function'
}
