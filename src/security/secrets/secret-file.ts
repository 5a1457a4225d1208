import { randomBytes } from 'node:crypto'
import { chmodSync, renameSync, statSync, writeFileSync } from 'node:fs'

/** What the file of the deployment's secret says. */
export interface SecretFile {
  /** Encrypts and signs. */
  readonly current: string
  /** Announced by a rotation: opens already, and becomes the current one. */
  readonly next?: string | undefined
  /** Newest first; they open and verify until they are retired. */
  readonly earlier: readonly string[]
}

/**
 * Reads the text of the file: the current secret, then a line `next SECRET` while a rotation announces one, then a line `earlier SECRET` for each that is
 * not retired yet.
 */
export function parseSecretFile(text: string): SecretFile {
  const [current = '', ...rest] = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
  const named = (name: string) =>
    rest.flatMap((line) => (line.startsWith(`${name} `) ? [line.slice(name.length + 1).trim()] : []))
  return { current, next: named('next')[0], earlier: named('earlier') }
}

/** Replaces the file (mode 0600) in one step: a reader sees the old text or the new one, after a crash too. Throws what the file system says. */
export function writeSecretFile(path: string, { current, next, earlier }: SecretFile): void {
  const lines = [current, ...(next === undefined ? [] : [`next ${next}`]), ...earlier.map((secret) => `earlier ${secret}`)]
  const draft = `${path}.${randomBytes(6).toString('hex')}`
  writeFileSync(draft, `${lines.join('\n')}\n`, { mode: 0o600, flag: 'wx', flush: true })
  chmodSync(draft, 0o600)
  renameSync(draft, path)
}

/** Differs when the file was replaced; undefined when it is missing. */
export function versionOfFile(path: string): string | undefined {
  const found = statSync(path, { throwIfNoEntry: false, bigint: true })
  return found && `${found.ino} ${found.mtimeNs} ${found.size}`
}
