import type { Logger } from 'pino'
import type { AdServers } from '../ad-serving/ad-servers.ts'
import { fileExaminer } from '../ad-serving/embedded/files/examine-files.ts'
import { creativeFileFetcher } from '../ad-serving/embedded/files/fetch-creative-file.ts'
import { examinesFiles } from '../config/ads-settings.ts'
import type { Config } from '../config/config.ts'
import { CHANGES_TOLD_WITHIN } from '../domain/protocol/principal-capabilities.ts'
import type { Services } from '../pipeline/services.ts'
import type { SafeFetch } from '../platform/net/safe-fetch.ts'
import { type BackgroundJob, startBackgroundJob } from '../platform/scheduler/background-job.ts'
import type { Store } from '../store/database.ts'
import { checkApprovals } from '../tasks/approvals/clock.ts'
import { createCreativeExaminer } from '../tasks/creative/examine-waiting.ts'
import { tellCapabilityChanges } from '../tasks/principal/tell-capability-changes.ts'

/** How often pending approvals are checked: their terms are hours. */
const APPROVALS_MS = 2_000
/** How soon a process uses what a person changed of ad servers in another one. */
const AD_SERVER_SETTINGS_MS = 2_000

const CAPABILITIES_MS = CHANGES_TOLD_WITHIN * 1000

/** How soon the files of a new creative are fetched. */
const FILES_MS = 2_000

export interface CheckedParts {
  readonly config: Config
  readonly safeFetch: SafeFetch
  readonly store: Store
  readonly services: Services
  readonly adServers: AdServers
  readonly clock: () => Date
  readonly log: Logger
  /** How often subscribers are told of what this agent supports. */
  readonly capabilitiesMs?: number | undefined
}

/** Starts the checks of what changes with time or in other processes: terms of approvals, settings of ad servers, and what this agent supports. */
export function startPeriodicChecks(parts: CheckedParts): {
  readonly approvals: BackgroundJob
  readonly settings: BackgroundJob
  readonly capabilities: BackgroundJob
  /** Absent where files of creatives are not examined. */
  readonly files: Pick<BackgroundJob, 'stop'> | undefined
} {
  const { store, services, adServers, clock, log, capabilitiesMs = CAPABILITIES_MS } = parts
  return {
    files: startExamining(parts),
    approvals: startBackgroundJob(
      () => checkApprovals({ ...services, store }, { clock, log, wake: services.webhooks.wake }),
      APPROVALS_MS,
      (error) => log.error({ err: error }, 'checking approvals failed'),
    ),
    settings: startBackgroundJob(
      () => adServers.refresh().then(() => false),
      AD_SERVER_SETTINGS_MS,
      (error) => log.error({ err: error }, 'reading the settings of ad servers failed'),
    ),
    capabilities: startBackgroundJob(
      () => tellCapabilityChanges(services, store, clock()).then(() => false),
      capabilitiesMs,
      (error) => log.error({ err: error }, 'telling of changed capabilities failed'),
    ),
  }
}

function startExamining({
  store,
  services,
  config,
  safeFetch,
  clock,
  log,
}: CheckedParts): Pick<BackgroundJob, 'stop'> | undefined {
  if (!examinesFiles(config)) return undefined
  const onError = (error: unknown) => log.error({ err: error }, 'examining files of creatives failed')
  const examiner = createCreativeExaminer({
    store,
    examine: fileExaminer(creativeFileFetcher(safeFetch)),
    clock,
    wake: services.webhooks.wake,
    onDone: () => job.wake(),
    onError,
  })
  const job = startBackgroundJob(examiner.look, FILES_MS, onError)
  return {
    async stop() {
      await job.stop()
      await examiner.stop()
    },
  }
}
