import { AdcpError } from '../../protocol/errors.ts'
import { isObject } from '../../protocol/is-object.ts'
import type { AuthScheme } from '../auth-scheme.ts'
import { repeatedAt } from '../repeated.ts'
import { withoutQuery } from '../webhook-address.ts'
import { DELIVERY_READY, LEDGER_CHANGED } from './report-event.ts'

/** A subscriber of an account's events as a buyer declares it (AdCP 3.1, core/notification-config.json); its schema was held against it. */
export interface NotificationConfig {
  readonly subscriber_id: string
  readonly url: string
  readonly event_types: readonly string[]
  readonly authentication?: { readonly schemes: readonly AuthScheme[]; readonly credentials: string }
  readonly active?: boolean
}

/** A subscriber as answers show it: secrets go in and never come out. */
export interface ShownSubscriber {
  readonly subscriber_id: string
  readonly url: string
  readonly event_types: readonly string[]
  readonly authentication?: { readonly schemes: readonly string[] }
  readonly active: boolean
}

/** What the subscribers of one kind follow, and the events of it that this server sends. */
export interface Followed {
  readonly noun: string
  readonly events: readonly string[]
}

/** Something that the account holds has changed: list_account_changes has it (AdCP 3.2). */
export const CHANGE_RECORDED = 'account.change_recorded'

/** Subscribers of sync_accounts. */
export const ACCOUNT: Followed = {
  noun: 'the account',
  events: ['creative.status_changed', 'creative.purged', CHANGE_RECORDED, LEDGER_CHANGED, DELIVERY_READY],
}

/** The document of get_adcp_capabilities is another one for the caller. */
export const CAPABILITIES_CHANGED = 'capabilities.changed'

/** Subscribers of sync_principal and sync_agent_notification_configs (AdCP 3.2). */
export const AGENT: Followed = { noun: 'this agent', events: [CAPABILITIES_CHANGED] }

/** Events that belong to a media buy, which its own webhooks report. */
const MEDIA_BUY_EVENTS: ReadonlySet<string> = new Set([
  'scheduled',
  'final',
  'delayed',
  'adjusted',
  'window_update',
  'impairment',
])

const EVENT_PLACE = /^\/accounts\/(\d+)\/notification_configs\/(\d+)\/event_types\/(\d+)$/

/**
 * Whether a JSON pointer into a request of sync_accounts is that of an event of a media buy. The schema of 3.2 refuses the whole request for it, that of 3.1
 * does not: either way the entry fails, and the others are carried out. The request may be anything.
 */
export function isMediaBuyEventAt(pointer: string, { accounts }: { readonly accounts?: unknown }): boolean {
  const [, account, config, position] = EVENT_PLACE.exec(pointer) ?? []
  const entry: unknown = Array.isArray(accounts) ? accounts[Number(account)] : undefined
  const declared: unknown =
    isObject(entry) && Array.isArray(entry.notification_configs) ? entry.notification_configs[Number(config)] : undefined
  const type: unknown =
    isObject(declared) && Array.isArray(declared.event_types) ? declared.event_types[Number(position)] : undefined
  return typeof type === 'string' && MEDIA_BUY_EVENTS.has(type)
}

/** The subscribers that an entry of sync_accounts declares; undefined when it says nothing of them. */
export function declaredSubscribers(entry: object): readonly NotificationConfig[] | undefined {
  if (!('notification_configs' in entry) || !Array.isArray(entry.notification_configs)) return undefined
  return entry.notification_configs
}

/**
 * Checks what the schema cannot: ids that are named twice, and events that are not sent to such subscribers. `path` is that of the list. Throws
 * VALIDATION_ERROR or UNSUPPORTED_FEATURE naming the entry.
 */
export function checkSubscribers(configs: readonly NotificationConfig[], path: string, { noun, events }: Followed): void {
  const strange = configs.findIndex((config) => !isSubscriber(config))
  if (strange >= 0) {
    const field = `${path}[${strange}]`
    throw new AdcpError('VALIDATION_ERROR', `${field} is no subscriber: send subscriber_id, url and event_types`, { field })
  }
  const [twice] = repeatedAt(configs.map(({ subscriber_id: id }) => id))
  if (twice !== undefined) {
    const field = `${path}[${twice}].subscriber_id`
    throw new AdcpError('VALIDATION_ERROR', `${field} is the id of an earlier subscriber of ${noun}`, { field })
  }
  for (const [index, { event_types: types }] of configs.entries()) {
    const position = types.findIndex((type) => !events.includes(type))
    if (position < 0) continue
    const type = types[position] ?? ''
    const field = `${path}[${index}].event_types[${position}]`
    const allowed = `; subscribers of ${noun} get: ${events.join(', ')}`
    if (MEDIA_BUY_EVENTS.has(type))
      throw new AdcpError('VALIDATION_ERROR', `${field} ${type} is an event of a media buy${allowed}`, { field })
    throw new AdcpError('UNSUPPORTED_FEATURE', `${field} ${type} is not sent here${allowed}`, { field })
  }
}

/** The schemas of 3.0 do not know subscribers, so nothing else has looked at them where no later release is served. */
function isSubscriber(config: unknown): boolean {
  if (!isObject(config)) return false
  const { subscriber_id: id, url, event_types: types } = config
  return (
    typeof id === 'string' && typeof url === 'string' && Array.isArray(types) && types.every((type) => typeof type === 'string')
  )
}

/** A subscriber as answers show it. */
export function shownSubscriber(config: NotificationConfig): ShownSubscriber {
  const { subscriber_id, url, event_types, authentication, active = true } = config
  return {
    subscriber_id,
    url: withoutQuery(normalized(url)),
    event_types: [...event_types],
    ...(authentication && { authentication: { schemes: [...authentication.schemes] } }),
    active,
  }
}

/**
 * Whether a subscriber has to prove that it controls its address before it is active: it is new or active again, or anything of what was proven has changed.
 * One with a secret, or a query, proves it anew each time, since the old one is not compared.
 */
export function needsProof(config: NotificationConfig, known: readonly ShownSubscriber[]): boolean {
  const wanted = shownSubscriber(config)
  if (!wanted.active) return false
  const before = known.find(({ subscriber_id: id }) => id === wanted.subscriber_id)
  const hasSecret = wanted.authentication !== undefined || config.url.includes('?')
  return !before?.active || hasSecret || JSON.stringify(before) !== JSON.stringify(wanted)
}

function normalized(url: string): string {
  return URL.canParse(url) ? new URL(url).href : url
}
