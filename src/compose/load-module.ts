import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { isAbsolute, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { ConfigError } from '../config/config-error.ts'
import type { ModuleChoice } from '../config/module-choice.ts'

/** Ends the start with the setting that names the module, and what is wrong with it. */
export type Refuse = (message: string) => never

/** What a module is asked to make. */
interface Wanted {
  /** Handed to the factory. */
  readonly setup: object
  /** What it makes, for messages, e.g. `ad server`. */
  readonly what: string
  /** What the module has to hold, for messages. */
  readonly write: string
}

/** Refuses a module by the dotted path of its setting, e.g. `adServer`. It throws ConfigError. */
export function moduleRefusal(key: string, { module }: Partial<ModuleChoice>): Refuse {
  return (message) => {
    throw new ConfigError([{ key: `${key}.module`, message: `(${module}) ${message}`, source: 'configuration' }])
  }
}

/**
 * Loads the module that a setting of the configuration names and calls its default export. Refuses when there is no such module, when it exports no
 * function, and when that function throws. What it makes is of unknown shape.
 */
export async function makeFromModule(choice: Partial<ModuleChoice>, wanted: Wanted, refuse: Refuse): Promise<unknown> {
  const { setup, what, write } = wanted
  const exported = await importModule(choice, refuse)
  const create: unknown = Reflect.get(exported, 'default')
  if (typeof create !== 'function') {
    const names = Object.keys(exported).join(', ') || 'nothing'
    return refuse(`has no function as default export; write ${write}. It exports: ${names}`)
  }
  try {
    return await create(setup)
  } catch (error) {
    return refuse(`could not make its ${what}: ${reasonOf(error)}`)
  }
}

async function importModule({ module = '', folder = '.' }: Partial<ModuleChoice>, refuse: Refuse): Promise<object> {
  const file = isAbsolute(module) ? module : installedIn(folder, module)
  if (isAbsolute(module) && !existsSync(module)) return refuse('is no file')
  try {
    return await import(file === undefined ? module : pathToFileURL(file).href)
  } catch (error) {
    const isMissing = file === undefined && error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND'
    return refuse(
      isMissing ? `is not installed: no such package is found from ${folder}` : `cannot be loaded: ${reasonOf(error)}`,
    )
  }
}

/** The file of a package that is installed beside the configuration; undefined: it may be installed beside this program. */
function installedIn(folder: string, name: string): string | undefined {
  try {
    return createRequire(join(folder, 'configuration.json')).resolve(name)
  } catch {
    return undefined
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
