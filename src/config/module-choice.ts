import { dirname, isAbsolute, resolve } from 'node:path'

/** A module of the publisher's own as the configuration names it. */
export interface ModuleChoice {
  /** Absolute path of a file, or name of a package. */
  readonly module: string
  /** Folder from which a package is looked up; set while the configuration is loaded. */
  readonly folder?: string
  /** Handed to the module as they are. They may hold passwords: only their names are shown. */
  readonly options?: Readonly<Record<string, unknown>>
}

/** Where paths of modules start: at the configuration file, else at the working directory. */
export function moduleFolder(file: string | undefined): string {
  return file === undefined ? process.cwd() : dirname(resolve(file))
}

/** The same setting with the path of its module made absolute. */
export function resolveModule<C extends Partial<ModuleChoice>>(choice: C, folder: string): C {
  const { module } = choice
  if (module === undefined) return choice
  const isPath = /^\.\.?[/\\]/.test(module) || isAbsolute(module)
  return { ...choice, module: isPath ? resolve(folder, module) : module, folder }
}

/** The same setting without the values of its options. */
export function hideOptions<C extends Pick<ModuleChoice, 'options'>>(choice: C): C {
  const { options } = choice
  return options ? { ...choice, options: Object.fromEntries(Object.keys(options).map((name) => [name, '…'])) } : choice
}
