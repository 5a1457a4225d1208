import { DELIVERY_STATES, type DeliveryState } from '../../domain/delivery-state.ts'
import { listWebhooks } from '../../operator/webhooks/list-webhooks.ts'
import { redeliverWebhook } from '../../operator/webhooks/redeliver-webhook.ts'
import { showWebhook } from '../../operator/webhooks/show-webhook.ts'
import { actRoute, doAct, may } from '../do-act.ts'
import { moment } from '../format.ts'
import { html } from '../html.ts'
import { act, choice, empty, facts, heading, pager, statusBadge, table } from '../parts/parts.ts'
import { type Answer, type ConsoleRoute, page, redirect, type TenantCall } from '../route.ts'

/** Notifications to buyers. */
export const webhookRoutes: readonly ConsoleRoute[] = [
  actRoute('GET', '/webhooks', listWebhooks, webhooksPage),
  actRoute('GET', '/webhooks/{id}', showWebhook, webhookPage),
  actRoute('POST', '/webhooks/{id}/redeliver', redeliverWebhook, answerRedeliver),
]

const STATE_WORDS: Readonly<Record<DeliveryState, string>> = { pending: 'Pending', delivered: 'Delivered', dead: 'Given up' }
const STATES = [['', 'All'] as const, ...DELIVERY_STATES.map((state) => [state, STATE_WORDS[state]] as const)]

async function webhooksPage(call: TenantCall): Promise<Answer> {
  const { query, base } = call
  const state = query.get('state') || undefined
  const { items: webhooks, next_cursor: next } = await doAct(call, listWebhooks, {
    state,
    cursor: query.get('cursor') || undefined,
  })
  const rows = webhooks.map((one) => [
    html`<a href="${base}/webhooks/${encodeURIComponent(one.delivery_id)}">${one.event}</a><small>${one.delivery_id}</small>`,
    one.buyer,
    html`<code>${one.url}</code>`,
    html`${statusBadge(one.state)}${one.last_error !== null && html`<small>${one.last_error}</small>`}`,
    one.attempts,
    moment(one.created_at),
  ])
  const form = html`<form class="filters" method="get" action="${base}/webhooks">${choice('state', 'State', STATES, state ?? '')}<button>Show</button></form>`
  const list =
    rows.length === 0
      ? empty('No webhooks')
      : table('Webhooks', ['Event', 'Buyer', 'Address', 'State', { title: 'Attempts', numeric: true }, 'Made'], rows)
  return page(
    'Webhooks',
    html`${heading('Webhooks', undefined, 'What buyers are told, and whether it arrived.')}${form}${list}${pager(`${base}/webhooks`, query, next)}`,
  )
}

async function webhookPage(call: TenantCall): Promise<Answer> {
  const { params, base } = call
  const one = await doAct(call, showWebhook, { webhook: params.id ?? '' })
  const redeliver =
    may(call, redeliverWebhook) && one.redeliverable
      ? act(call, `${base}/webhooks/${encodeURIComponent(one.delivery_id)}/redeliver`, 'Send it again')
      : undefined
  const body = html`${heading(html`${one.event} ${statusBadge(one.state)}`, redeliver, one.delivery_id)}
<section class="panel">${facts([
    ['Buyer', one.buyer],
    ['Address', one.url],
    ['Attempts', one.attempts],
    ['Last status', one.last_status],
    ['Last error', one.last_error],
    ['Made', moment(one.created_at)],
    ['Next attempt', one.next_attempt_at === null ? undefined : moment(one.next_attempt_at)],
    ['Settled', one.settled_at === null ? undefined : moment(one.settled_at)],
  ])}</section><section class="panel"><h2>Body</h2><pre>${JSON.stringify(one.body, undefined, 2)}</pre></section>`
  return page(one.event, body)
}

async function answerRedeliver(call: TenantCall): Promise<Answer> {
  const id = call.params.id ?? ''
  await doAct(call, redeliverWebhook, { webhook: id })
  return redirect(`${call.base}/webhooks/${encodeURIComponent(id)}`, 'redelivered')
}
