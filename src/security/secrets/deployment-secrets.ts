import { createHash, hkdfSync } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { deploymentSecret, requireLength } from './deployment-secret.ts'
import { parseSecretFile, type SecretFile, versionOfFile } from './secret-file.ts'

/** The secrets of a deployment as they are now: a rotation changes them while the process runs. */
export interface DeploymentSecrets {
  /** Encrypts and signs. */
  current(): string
  /** All that open and verify; the current one first. */
  all(): readonly string[]
  /** The one that was made first. */
  oldest(): string
  /** Reads the file again, at once; true when it says something else. */
  reload(): boolean
}

/** A secret that never changes, or those of a deployment. */
export type SecretSource = string | DeploymentSecrets

/** Secrets that the environment gives. */
export interface GivenSecrets {
  readonly current?: string | undefined
  readonly next?: string | undefined
  /** Newest first. */
  readonly previous: readonly string[]
}

/** A process encrypts with the new secret at most so long after the file was replaced. */
const LOOK_MS = 500

/**
 * The secrets of a deployment: those of the environment, else those of the file, which is made when it is missing and read again when it was replaced. Earlier
 * secrets of the environment count with either. Throws when one is too short.
 */
export function openDeploymentSecrets(file: string, given: GivenSecrets): DeploymentSecrets {
  for (const [name, secrets] of [
    ['SALES_AGENT_SECRET_NEXT', given.next === undefined ? [] : [given.next]],
    ['SALES_AGENT_SECRET_PREVIOUS', given.previous],
  ] as const)
    for (const secret of secrets) requireLength(name, secret)
  const first = deploymentSecret(file, given.current)
  if (given.current !== undefined)
    return unchanging(withGiven({ current: first, earlier: [] }, given), given.previous.at(-1) ?? first)
  return fromFile(file, given)
}

/** The same interface for one secret. */
export function secretsIn(source: SecretSource): DeploymentSecrets {
  return typeof source === 'string' ? unchanging([source]) : source
}

/** A name for a secret that says nothing of it: 8 characters of base64url. */
export function secretId(secret: string): string {
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'adcp-sales-agent/secret-id/v1', 32))
  return createHash('sha256').update(key).digest('base64url').slice(0, 8)
}

function unchanging(secrets: readonly string[], oldest = secrets[0] ?? ''): DeploymentSecrets {
  const [current = ''] = secrets
  return { current: () => current, all: () => secrets, oldest: () => oldest, reload: () => false }
}

function withGiven({ current, next, earlier }: SecretFile, given: GivenSecrets): readonly string[] {
  const opening = [current, next, given.next, ...earlier, ...given.previous]
  return [...new Set(opening.filter((secret) => secret !== undefined))]
}

function fromFile(file: string, given: GivenSecrets): DeploymentSecrets {
  let version: string | undefined
  let secrets: readonly string[] = []
  let lookedAt = Number.NEGATIVE_INFINITY
  const reload = (): boolean => {
    lookedAt = performance.now()
    const found = versionOfFile(file)
    // A file that is gone takes no secret away from a running process.
    if (found === undefined || found === version) return false
    const parsed = parseSecretFile(readFileSync(file, 'utf8'))
    requireLength(file, parsed.current)
    version = found
    secrets = withGiven(parsed, given)
    return true
  }
  const look = () => {
    if (performance.now() - lookedAt > LOOK_MS) reload()
    return secrets
  }
  reload()
  const oldest = () => given.previous.at(-1) ?? parseSecretFile(readFileSync(file, 'utf8')).earlier.at(-1) ?? look()[0] ?? ''
  return { current: () => look()[0] ?? '', all: look, oldest, reload }
}
