import { type DeploymentSecrets, secretId } from '../../security/secrets/deployment-secrets.ts'
import type { Db } from '../../store/database.ts'
import { listSecretHolders } from '../../store/secrets/secret-holders.ts'
import { hasEnded, processName } from '../../store/task/process-name.ts'

/** Which secrets a process has, by their ids. */
export interface KnownSecrets {
  readonly seals: string
  readonly opens: readonly string[]
}

/** A process that runs, as far as this one can tell. */
export interface SecretHolder extends KnownSecrets {
  readonly machine: string
  readonly pid: number
  /** Where it has them from: a file, or `environment`. */
  readonly source: string
  readonly seenAt: string
}

/** A process on another machine runs when it said so since: it does every minute. */
const SEEN_MS = 150_000

export function knownSecrets(secrets: DeploymentSecrets): KnownSecrets {
  return { seals: secretId(secrets.current()), opens: secrets.all().map(secretId) }
}

/** The running processes of a store. One on this machine is asked for; one on another counts until it has said nothing for {@link SEEN_MS}. */
export async function liveHolders(db: Db, now: Date): Promise<readonly SecretHolder[]> {
  const own = processName()
  const rows = await listSecretHolders(db)
  return rows
    .filter(({ machine, pid, seen_at }) =>
      machine === own.machine ? !hasEnded(pid) : Date.parse(seen_at) > now.getTime() - SEEN_MS,
    )
    .map(({ machine, pid, source, seals, opens, seen_at }) => ({
      machine,
      pid,
      source,
      seals,
      opens: JSON.parse(opens),
      seenAt: seen_at,
    }))
}
