import { randomBytes } from 'node:crypto'
import { chmodSync, linkSync, mkdirSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parseSecretFile } from './secret-file.ts'

/** Least characters of a secret: 32 random bytes are 43 in base64url; a shorter passphrase could be guessed from a stolen store. */
const LEAST_CHARACTERS = 32

/** Where a deployment stores its secret by default. */
export function secretPath(data: string): string {
  return join(data, 'deployment.secret')
}

/**
 * The deployment's secret: the given one, else that of the file, which is made (mode 0600) when it is missing. Processes that start at the
 * same moment agree on one. Throws when the secret is too short.
 */
export function deploymentSecret(file: string, given: string | undefined): string {
  const secret = given ?? readOrMake(file)
  requireLength(given === undefined ? file : 'SALES_AGENT_SECRET', secret)
  return secret
}

/** Throws for a secret that is too short; `where` is its file or variable. */
export function requireLength(where: string, secret: string): void {
  if (secret.length < LEAST_CHARACTERS)
    throw new Error(`${where} is too short: a secret has at least ${LEAST_CHARACTERS} characters`)
}

/** A new secret. */
export function makeSecret(): string {
  return randomBytes(32).toString('base64url')
}

function readOrMake(file: string): string {
  return read(file) ?? make(file)
}

function read(file: string): string | undefined {
  try {
    return parseSecretFile(readFileSync(file, 'utf8')).current
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
}

/** Written aside and linked into place: another process sees no file or the whole secret, and only one of them wins. */
function make(file: string): string {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const draft = `${file}.${randomBytes(6).toString('hex')}`
  writeFileSync(draft, `${makeSecret()}\n`, { mode: 0o600, flag: 'wx', flush: true })
  chmodSync(draft, 0o600)
  try {
    linkSync(draft, file)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
  } finally {
    unlinkSync(draft)
  }
  const secret = read(file)
  if (secret === undefined) throw new Error(`${file} cannot be read`)
  return secret
}
