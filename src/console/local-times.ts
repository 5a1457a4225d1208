import type { Html } from './html.ts'
import type { Call, PersonCall, TenantCall } from './route.ts'

/** The time zone of a page: that of its publisher, else of the deployment. */
export function zoneOf(call: Call | PersonCall | TenantCall | undefined): string {
  if (call === undefined) return 'UTC'
  const own = 'tenant' in call ? call.tenant.settings.time_zone : null
  return own ?? call.operator.config.ads.timeZone ?? 'UTC'
}

/** A time as `day` and `moment` of format.ts leave it: only they write this attribute, and texts of others are escaped. */
const TIME = /<time datetime="([^"]+)" data-shown="(day|moment)"><\/time>/g

/** Markup with its times written in a time zone, moments with the name of the zone: `1 Mar 2026, 13:00 CET`. */
export function writeTimes({ text }: Html, timeZone: string): string {
  const date = { day: 'numeric', month: 'short', year: 'numeric', timeZone } as const
  const time = { hour: '2-digit', minute: '2-digit', timeZoneName: 'short' } as const
  const day = new Intl.DateTimeFormat('en-GB', date)
  const moment = new Intl.DateTimeFormat('en-GB', { ...date, ...time })
  return text.replaceAll(TIME, (_whole, iso: string, form: string) => {
    return `<time datetime="${iso}">${(form === 'day' ? day : moment).format(new Date(iso))}</time>`
  })
}
