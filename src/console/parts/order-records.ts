import { isAdoptable } from '../../domain/ad-serving/drift.ts'
import { driftWords } from '../../operator/ad-servers/drift-words.ts'
import type { OrderRecords } from '../../operator/orders/order-records.ts'
import { count, moment, money, words } from '../format.ts'
import { type Html, html, type Part } from '../html.ts'
import { badge, statusBadge, table } from './parts.ts'

/** The form that takes a drift over; `name` says which. */
export type AdoptButton = (driftId: string, name: string) => Html

/** Panels of an order: its delivery by hour, errors of players, its ad servers, its buyer's governance, its webhooks. Those without content are left out. */
export function orderRecordPanels(
  records: OrderRecords,
  of: {
    readonly base: string
    readonly currency: string
    readonly zone: string
    /** The button that brings the order to its ad server again, for people who may. */
    readonly tryAgain: Html | undefined
    /** The button that takes a change over, for people who may. */
    readonly adopt: AdoptButton | undefined
  },
): Html {
  const { hours, errors, ad_servers: adServers, drift, governance, webhooks } = records
  return html`${hours.length > 0 && hourPanel(hours, of)}
${
  errors.length > 0 &&
  panel(
    'Errors of video players',
    ['Code', 'Meaning', 'Package', 'Creative', 'Errors'],
    errors.map((each) => [each.code, each.meaning, each.package_id, each.creative_id, count(each.errors)]),
  )
}
${adServers.length > 0 && adServerPanel(adServers, drift, of)}
${
  governance.length > 0 &&
  panel(
    "Buyer's governance",
    ['Agent', 'Agreed to', 'Phase', 'Conditions', 'Until'],
    governance.map((each) => [
      each.agent_url,
      html`${words(each.task)}<small>${each.check_id}</small>`,
      each.phase,
      each.conditions,
      moment(each.expires_at),
    ]),
  )
}
${
  webhooks.length > 0 &&
  panel(
    'Webhooks',
    ['When', 'What', 'To', 'State'],
    webhooks.map((each) => [
      moment(each.created_at),
      html`<a href="${of.base}/webhooks/${encodeURIComponent(each.delivery_id)}">${each.event}</a>`,
      new URL(each.url).host,
      html`${statusBadge(each.state)}<small>${each.last_error ?? each.last_status ?? ''}</small>`,
    ]),
  )
}`
}

function panel(title: string, columns: readonly string[], rows: readonly (readonly Part[])[]): Html {
  return html`<section class="panel"><h2>${title}</h2>${table(title, columns, rows)}</section>`
}

function adServerPanel(
  orders: OrderRecords['ad_servers'],
  drift: OrderRecords['drift'],
  { tryAgain, adopt }: { readonly tryAgain: Html | undefined; readonly adopt: AdoptButton | undefined },
): Html {
  const isWaiting = orders.some(({ in_step: isAsBooked }) => !isAsBooked)
  const rows = orders.map((each) => [
    each.ad_server,
    each.in_step ? badge('as booked', 'good') : badge('not as booked yet', 'warn'),
    html`${each.reason ?? ''}${each.ends_refused_at !== null && html`<small>It is rejected ${moment(each.ends_refused_at)} unless it is mended: mend the cause and try it again, or cancel it.</small>`}`,
    each.observed_at === null ? 'never' : moment(each.observed_at),
  ])
  const changes = drift.map((each) => {
    const { field, expected, observed } = driftWords(each)
    const where = html`${each.ad_server}<small>${each.subject}</small>`
    const canAdopt = each.state === 'open' && isAdoptable(each)
    const state = html`${each.state} ${canAdopt && adopt?.(each.drift_id, `Take over: ${field} of ${each.subject}`)}`
    return [moment(each.found_at), where, field, expected, observed, state]
  })
  const columns = ['Found', 'Where', 'Field', 'Booked', 'Found there', 'State']
  return html`<section class="panel"><h2>Ad server</h2>${table('Ad servers', ['Ad server', 'State', 'Reason', 'Last seen'], rows)}
${isWaiting && tryAgain}
${changes.length > 0 && html`<h3>Changed there without us</h3>${table('Changes at the ad server', columns, changes)}`}</section>`
}

/** The chart takes wall times of the publisher. */
function hourPanel(hours: OrderRecords['hours'], { currency, zone }: { readonly currency: string; readonly zone: string }): Html {
  const wall = new Intl.DateTimeFormat('sv-SE', { dateStyle: 'short', timeStyle: 'short', timeZone: zone })
  const rows = hours.map(({ hour, spent, impressions, clicks }) => {
    const local = `${wall.format(new Date(hour)).replace(' ', 'T')}Z`
    return html`<tr><td data-value="${local}">${moment(hour)}</td><td class="number" data-value="${spent}">${money(spent, currency)}</td><td class="number">${count(impressions)}</td><td class="number">${count(clicks)}</td></tr>`
  })
  return html`<section class="panel"><h2>Spend by hour, last two days</h2><div class="chart" data-table="hours" data-column="1" data-step="hour"></div>
<details><summary>Numbers</summary><div class="scroll" role="region" aria-label="Delivery by hour" tabindex="0"><table id="hours"><thead><tr><th scope="col">Hour</th><th scope="col" class="number">Spent</th><th scope="col" class="number">Impressions</th><th scope="col" class="number">Clicks</th></tr></thead><tbody>${rows}</tbody></table></div></details></section>`
}
