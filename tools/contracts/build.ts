/**
 * Makes the contracts that the server speaks, below `dist`: `contracts/<line>` (schemas of 3.1 and 3.2) and `validators/<line>` (compiled ahead of
 * time, so that a server is ready without compiling a hundred schemas first; `validators/own`: those of schemas of ours). 3.0 comes from the npm package `@adcp/sdk`, 3.1 and 3.2 from a wheel that
 * pip downloads, or from files (`--from FILE`). What was made once is kept below `.cache/contracts`. A release that cannot be had is named, and the
 * build goes on; with `--require-all` it fails.
 */
import { cpSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ArchiveFault } from '../../src/platform/decode/archive-fault.ts'
import { adviceToAdd } from '../../src/protocol/contract-files/missing-releases.ts'
import { OWN_FOLDER } from '../../src/protocol/own-validators.ts'
import { type BuildOptions, buildOptions } from './build-options.ts'
import { compileOwnValidators } from './compile-validators.ts'
import { ContractCache } from './contract-cache.ts'
import { makeBaseRelease } from './make-base-release.ts'
import { makerHash } from './maker.ts'
import { ownSchemas } from './own-schemas.ts'
import { WHEEL_LINES } from './pinned-wheel.ts'
import { WheelReleases } from './wheel-releases.ts'
import { writeValidators } from './write-validators.ts'

const repository = fileURLToPath(new URL('../..', import.meta.url))

try {
  await build(buildOptions(process.argv.slice(2), repository))
} catch (error) {
  if (!(error instanceof ArchiveFault)) throw error
  console.error(`error: ${error.message}`)
  process.exitCode = 1
}

async function build({ dist, cache: cacheFolder, from, requireAll }: BuildOptions): Promise<void> {
  writeValidators(join(dist, 'validators', OWN_FOLDER), compileOwnValidators(ownSchemas()))
  const cache = new ContractCache(cacheFolder, makerHash(repository))
  take(makeBaseRelease(cache), '3.0')
  const releases = new WheelReleases(cache)
  for (const file of from) await releases.choose(file)
  const missing: string[] = []
  for (const line of WHEEL_LINES) {
    const made = await releases.make(line)
    if (made === undefined) missing.push(line)
    else take(made, line)
  }
  if (missing.length === 0) return
  console.error(`AdCP ${missing.join(' and ')} missing: ${releases.reason}. ${adviceToAdd(missing)}`)
  if (requireAll) process.exitCode = 1

  function take(made: string, line: string): void {
    for (const part of readdirSync(made)) cpSync(join(made, part), join(dist, part, line), { recursive: true })
  }
}
