import { AdcpError } from '../../protocol/errors.ts'
import { refuseClearText } from '../audience/clear-text.ts'
import { DAY_MS, instantOf } from '../calendar/instant.ts'
import type { EventSource, ReportedEvent } from './event.ts'

/** Clocks of buyers' servers run ahead of ours by this much without anybody noticing. */
const CLOCK_SKEW_MS = 5 * 60_000

/** Members that may hold clear text: the page's URL is cut to its host, and IP address and browser of a person are stored only as one pseudonym. */
const BY_DESIGN: ReadonlySet<string> = new Set([
  'custom_data',
  'event_source_url',
  'client_ip',
  'client_user_agent',
  'custom_event_name',
])

/**
 * Checks one event against its source. `field` is its path, e.g. `events[0]`. Throws VALIDATION_ERROR naming the field: personal data in the clear, a time in the future or beyond the retention, a type or a
 * domain that the source does not take, a website event without its page, a custom one without its name.
 */
export function admitEvent(
  event: ReportedEvent,
  { document }: EventSource,
  field: string,
  { now, retentionDays }: { readonly now: Date; readonly retentionDays: number },
): void {
  refuseClearText(event, field, BY_DESIGN)
  const invalid = (name: string, text: string) =>
    new AdcpError('VALIDATION_ERROR', `${field}.${name} ${text}`, { field: `${field}.${name}` })
  const at = instantOf(event.event_time, `${field}.event_time`)
  if (at > now.getTime() + CLOCK_SKEW_MS) throw invalid('event_time', 'is in the future')
  if (at < now.getTime() - retentionDays * DAY_MS) throw invalid('event_time', `is more than ${retentionDays} days ago`)
  if (document.event_types && !document.event_types.includes(event.event_type))
    throw invalid('event_type', `is not taken by this source, which takes ${document.event_types.join(', ')}`)
  if (event.event_type === 'custom' && !event.custom_event_name)
    throw invalid('custom_event_name', 'is required for a custom event')
  if (event.action_source === 'website' && event.event_source_url === undefined)
    throw invalid('event_source_url', 'is required when action_source is website')
  const host = hostOf(event)
  if (host !== undefined && document.allowed_domains && !document.allowed_domains.some((domain) => isWithin(host, domain)))
    throw invalid('event_source_url', 'is not on a domain that this source allows')
}

/** Host of the page that an event happened on; its path and query may name the person and are not stored. */
export function hostOf({ event_source_url: url }: ReportedEvent): string | undefined {
  return url !== undefined && URL.canParse(url) ? new URL(url).hostname : undefined
}

function isWithin(host: string, domain: string): boolean {
  const wanted = domain.toLowerCase().replace(/^\*?\./, '')
  return host === wanted || host.endsWith(`.${wanted}`)
}
