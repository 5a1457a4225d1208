import { listBuyers } from '../../operator/buyers/list-buyers.ts'
import { createKey } from '../../operator/keys/create-key.ts'
import { listKeys } from '../../operator/keys/list-keys.ts'
import { listOwnChannels } from '../../operator/notifications/own-channels.ts'
import { searchProducts } from '../../operator/products/list-products.ts'
import { doAct, may } from '../do-act.ts'
import { type Html, html } from '../html.ts'
import type { TenantCall } from '../route.ts'
import { badge } from './parts.ts'

/** What a new publisher still has to do, for its administrators; nothing once all of it is done. */
export async function setupChecklist(call: TenantCall): Promise<Html | false> {
  const { tenant, base } = call
  if (!may(call, createKey)) return false
  const [{ items: buyers }, { items: keys }, products, { items: channels }] = await Promise.all([
    doAct(call, listBuyers, {}),
    doAct(call, listKeys, {}),
    doAct(call, searchProducts, { limit: 1 }),
    doAct(call, listOwnChannels, {}),
  ])
  const needed = [
    ['Products are for sale', products.total > 0, '/products/import', 'import a spreadsheet of them'],
    ['A buyer is known', buyers.length > 0, '/buyers', 'add the first one'],
    [
      'A buyer has a key',
      keys.some(({ status }) => status === 'active'),
      '/buyers',
      'make one on the page of the buyer, and send the address of Connections',
    ],
  ] as const
  if (needed.every(([, isDone]) => isDone)) return false
  const steps = [
    ...needed,
    [
      'Time zone and currency are set',
      tenant.settings.time_zone !== null && tenant.settings.currency !== null,
      '/settings',
      'of days, reports and invoices',
    ],
    ['You are notified when something waits', channels.length > 0, '/notifications', 'by mail, Slack or a webhook'],
  ] as const
  return html`<section class="panel"><h2>To begin</h2><ul class="steps">${steps.map(([text, isDone, path, how]) => html`<li>${badge(isDone ? 'done' : 'to do', isDone ? 'good' : 'warn')} <a href="${base}${path}">${text}</a>${!isDone && html` <small>${how}</small>`}</li>`)}</ul></section>`
}
