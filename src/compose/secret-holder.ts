import { randomUUID } from 'node:crypto'
import type { Logger } from 'pino'
import { type Config, givenSecrets } from '../config/config.ts'
import { knownSecrets, liveHolders } from '../features/secrets/holders.ts'
import { type BackgroundJob, startBackgroundJob } from '../platform/scheduler/background-job.ts'
import { AdcpError } from '../protocol/errors.ts'
import type { DeploymentSecrets } from '../security/secrets/deployment-secrets.ts'
import { OTHER_SECRET } from '../security/secrets/secret-box.ts'
import type { Store } from '../store/database.ts'
import { removeSecretHolders, saveSecretHolder } from '../store/secrets/secret-holders.ts'
import { processName } from '../store/task/process-name.ts'
import { secretFileOf } from './deployment-secrets.ts'

interface HolderParts {
  readonly store: Store
  readonly secrets: DeploymentSecrets
  readonly config: Config
  readonly log: Logger
}

/** How soon a rotation learns that a process has a secret, and how often a process says that it runs. */
const LOOK_MS = 1_000
const SAY_MS = 60_000
/** Rows of processes that ended without a word are removed. */
const FORGET_MS = 7 * 86_400_000

/**
 * Says in the store which of the deployment's secrets this process has, so that a rotation waits for it. Throws CONFIGURATION_ERROR when another running
 * process could not open what this one would encrypt.
 */
export async function startSecretHolder({ store, secrets, config, log }: HolderParts): Promise<BackgroundJob> {
  await requireKnown(store, secrets)
  const holderId = randomUUID()
  const source = givenSecrets().current === undefined ? secretFileOf(config) : 'environment'
  let said = ''
  let saidAt = 0
  const say = async () => {
    const { seals, opens } = knownSecrets(secrets)
    const now = new Date()
    const what = JSON.stringify([seals, opens])
    if (what === said && now.getTime() - saidAt < SAY_MS) return false
    const row = { holder_id: holderId, ...processName(), source, seals, opens: JSON.stringify(opens), seen_at: now.toISOString() }
    await store.transaction((tx) => saveSecretHolder(tx, row), { isolation: 'statement', durability: 'lazy' })
    said = what
    saidAt = now.getTime()
    return false
  }
  await say()
  const job = startBackgroundJob(say, LOOK_MS, (error) =>
    log.warn({ err: error }, 'which secrets this process has is not stored'),
  )
  return {
    ...job,
    async stop() {
      await job.stop()
      const before = new Date(Date.now() - FORGET_MS)
      await store
        .transaction((tx) => removeSecretHolders(tx, holderId, before), { durability: 'lazy' })
        .catch((error: unknown) => log.warn({ err: error }, 'the entry of this process stays until it is outdated'))
    },
  }
}

async function requireKnown(store: Store, secrets: DeploymentSecrets): Promise<void> {
  const own = knownSecrets(secrets)
  const { seals } = own
  const other = (await liveHolders(store.read, new Date())).find(({ opens }) => !opens.includes(seals))
  if (!other) return
  // Not a rotation, where the new process has the earlier secret too.
  if (!own.opens.includes(other.seals)) throw new AdcpError('CONFIGURATION_ERROR', OTHER_SECRET)
  throw new AdcpError(
    'CONFIGURATION_ERROR',
    `process ${other.pid} (${other.source}) does not know the deployment secret ${seals} of this one and could not read what it encrypts: give every process the new secret as SALES_AGENT_SECRET_NEXT first (docs/operations.md, "Rotating the deployment's secret"), or stop that process`,
  )
}
