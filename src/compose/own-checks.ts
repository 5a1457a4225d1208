import type { Logger } from 'pino'
import type { Config } from '../config/config.ts'
import { checkSelf } from '../operator/seller-checks/check-self.ts'
import { type BackgroundJob, startBackgroundJob } from '../platform/scheduler/background-job.ts'
import { VERSION } from '../platform/version.ts'
import type { KeyProvider } from '../security/signing/key-provider.ts'
import type { Store } from '../store/database.ts'
import { sellersPage } from './sellers-page.ts'

/** How soon after the start, and after the beginning of a day or week, this agent checks itself. */
const LOOK_MS = 60_000

interface Parts {
  readonly store: Store
  readonly config: Config
  readonly keys: KeyProvider
  /** Where callers reach this agent by MCP. */
  readonly agentUrl: string
  readonly clock: () => Date
  readonly log: Logger
  /** Takes the place of {@link LOOK_MS}. */
  readonly everyMs?: number | undefined
}

/** Checks the agent's own promises as often as the configuration says; undefined: never. */
export function startOwnChecks({ store, config, keys, agentUrl, clock, log, everyMs }: Parts): BackgroundJob | undefined {
  const { every, key, brief } = config.selfCheck
  if (every === undefined) return undefined
  const seller = { url: agentUrl, key }
  const check = async () => {
    const ended = await checkSelf({ store, clock, keys, version: VERSION, every, seller, brief, page: sellersPage })
    const { period, held, broken } = ended ?? {}
    if (broken && broken.length > 0) log.warn({ period, broken }, 'this agent broke promises of the protocol')
    else if (ended) log.info({ period, held: held?.length }, 'this agent held every promise that it checked')
    return false
  }
  return startBackgroundJob(check, everyMs ?? LOOK_MS, (error) => log.error({ err: error }, 'the check of this agent failed'))
}
