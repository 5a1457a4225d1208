import { flightDaysOf } from '../../domain/calendar/flight-days.ts'
import { localCalendar } from '../../domain/calendar/local-time.ts'
import type { examineCreative } from '../../operator/creatives/examine-creative.ts'
import type { showCreative } from '../../operator/creatives/show-creative.ts'
import { flightDays, words } from '../format.ts'
import { type Html, html, type Part, webAddress } from '../html.ts'
import { zoneOf } from '../local-times.ts'
import type { TenantCall } from '../route.ts'
import { badge, table } from './parts.ts'

type Shown = Awaited<ReturnType<typeof showCreative.run>>
export type Examined = Awaited<ReturnType<typeof examineCreative.run>>

/** The orders that a creative runs in. */
export function usesPanel(call: TenantCall, uses: Shown['used_in']): Html {
  const calendar = localCalendar(zoneOf(call))
  const rows = uses.map((use): Part[] => [
    html`<a href="${call.base}/orders/${encodeURIComponent(use.media_buy_id)}">${use.advertiser ?? use.media_buy_id}</a>`,
    use.product ?? use.product_id,
    use.placements?.join(', ') ?? 'all of the package',
    flightDays(flightDaysOf({ startsAt: use.starts_at, endsAt: use.ends_at }, calendar)),
    use.ended_by === null ? undefined : badge(words(use.ended_by), 'calm'),
  ])
  const list =
    rows.length === 0
      ? html`<p>It is in no order yet.</p>`
      : table('Orders that it runs in', ['Order', 'Product', 'Placements', 'Flight', ''], rows)
  return html`<section class="panel"><h2>Where it runs</h2>${list}</section>`
}

/** What the addresses of a creative answered. */
export function examinedPanel({ addresses, requests, bytes, hosts, findings }: Examined): Html {
  const rows = addresses.map(({ asset, kind, url, answer }): Part[] => {
    const address = webAddress(url)
    const shown =
      address === undefined
        ? html`<code>${url.slice(0, 500)}</code>`
        : html`<a href="${address}" rel="noopener noreferrer nofollow" target="_blank">${url.slice(0, 500)}</a>`
    return [asset, words(kind), shown, answer]
  })
  const found =
    findings.length === 0
      ? html`<p class="notice good">Nothing was found.</p>`
      : html`<ul>${findings.map(({ severity, about, text }) => html`<li>${badge(words(severity), severity === 'problem' ? 'bad' : 'calm')} ${about}: ${text}</li>`)}</ul>`
  return html`<section class="panel" role="status"><h2>What its addresses answer</h2>${found}
<p>${requests} ${requests === 1 ? 'request' : 'requests'} for files and tags, ${(bytes / 1000).toFixed(1)} kB with its code${hosts.length > 0 && html`; it names the hosts ${hosts.join(', ')}`}.</p>
${rows.length > 0 && table('Addresses', ['Asset', 'Kind', 'Address', 'Answer'], rows)}
<p class="hint">Asked by this server just now. Its code did not run: what that loads besides is not here. Trackers were not asked, since that would count.</p></section>`
}
