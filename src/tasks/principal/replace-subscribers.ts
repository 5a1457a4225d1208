import {
  AGENT,
  checkSubscribers,
  type NotificationConfig,
  needsProof,
  type ShownSubscriber,
  shownSubscriber,
} from '../../domain/account/notification-configs.ts'
import type { AuthenticatedContext, InTransaction } from '../../pipeline/task.ts'
import { findConfiguration, saveConfiguration } from '../../store/identity/principal-configurations.ts'
import { versionFor } from '../protocol/capabilities-of.ts'

/** Subscribers of this agent as a caller wants them. */
export interface Wanted {
  readonly configs: readonly NotificationConfig[]
  /** Path of the list in the request. */
  readonly field: string
  readonly dryRun: boolean
}

/** What came of it: the set as it is, or would be, and the version that it is kept under. */
export interface Replaced {
  readonly action: 'updated' | 'unchanged' | 'cleared'
  readonly subscribers: readonly ShownSubscriber[]
  readonly version: string | undefined
}

/**
 * Checks the subscribers that a caller wants, and asks those that are to be active to prove that they control their addresses; a dry run sends nothing.
 * Network; before any transaction. Throws what is wrong with the first that is refused: none is stored then (AdCP 3.2 sync_agent_notification_configs).
 */
export async function proveAgentSubscribers(
  { configs, field, dryRun }: Wanted,
  { db, principal, services }: AuthenticatedContext,
): Promise<void> {
  checkSubscribers(configs, field, AGENT)
  const known = (await findConfiguration(db, principal))?.subscribers ?? []
  const candidates = configs.map((config, position) => ({
    config,
    accountId: undefined,
    field: `${field}[${position}]`,
    challenged: !dryRun && needsProof(config, known),
  }))
  const errors = await services.webhooks.proveSubscribers(principal, candidates)
  const refused = errors.find((error) => error !== undefined)
  if (refused) throw refused
}

/** Puts the wanted subscribers of the caller in place of those that it had; another caller's stay. */
export async function replaceSubscribers(
  { configs, dryRun }: Wanted,
  context: InTransaction<AuthenticatedContext>,
): Promise<Replaced> {
  const { tx, principal, services, contract, now } = context
  const before = await findConfiguration(tx, principal)
  const subscribers = configs.map(shownSubscriber)
  const isSame = JSON.stringify(before?.subscribers ?? []) === JSON.stringify(subscribers)
  // A secret that is sent again may be another one.
  const isKept = isSame && before !== undefined
  if (!dryRun) {
    await services.webhooks.follow(tx, { principal, accountId: undefined, configs, release: contract.line, now })
  }
  const action = isSame ? 'unchanged' : configs.length === 0 ? 'cleared' : 'updated'
  if (dryRun || isKept) return { action, subscribers, version: before?.version }
  const knownCapabilities = subscribers.some(({ active }) => active) ? await versionFor(context) : undefined
  return { action, subscribers, version: await saveConfiguration(tx, principal, { subscribers, knownCapabilities }, now) }
}
