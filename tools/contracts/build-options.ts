import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'

/** What a build is asked for on its command line. */
export interface BuildOptions {
  /** Archives to take releases from, before the pinned wheel is looked for. */
  readonly from: readonly string[]
  /** A missing release fails the build. */
  readonly requireAll: boolean
  /** Folder for what is built. */
  readonly dist: string
  /** Folder for what the next build takes over. */
  readonly cache: string
}

/** Reads `--from FILE` (repeatable), `--require-all`, and the folders `--dist` and `--cache`. Throws a sentence for people. */
export function buildOptions(args: readonly string[], repository: string): BuildOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      from: { type: 'string', multiple: true },
      'require-all': { type: 'boolean' },
      dist: { type: 'string' },
      cache: { type: 'string' },
    },
  })
  const absent = values.from?.find((file) => !existsSync(file))
  if (absent !== undefined) throw new Error(`--from ${absent}: there is no such file`)
  return {
    from: values.from ?? [],
    requireAll: values['require-all'] === true,
    dist: values.dist ?? join(repository, 'dist'),
    cache: values.cache ?? join(repository, '.cache', 'contracts'),
  }
}
