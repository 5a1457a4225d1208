import type { MAKE_GOOD_POLICIES } from '../../domain/identity/make-good-policy.ts'
import { WAIT_DAYS } from '../../domain/identity/make-good-policy.ts'
import type { MakeGoodRemedy } from '../../domain/media-buy/make-good-terms.ts'
import { listShortfalls, MOST_DAYS, type Shortfall } from '../../operator/make-goods/list-shortfalls.ts'
import { setMakeGoodPolicy, showMakeGoodPolicy } from '../../operator/make-goods/make-good-policy.ts'
import { SHORTFALL_DAYS } from '../../operator/orders/find-shortfalls.ts'
import type { Of } from '../../operator/shape.ts'
import { actRoute, doAct, may } from '../do-act.ts'
import { storedFormRoute, withRefusal } from '../form-outcome.ts'
import { inputOf, written } from '../form-text.ts'
import { count, flightDay, moment, money, percent } from '../format.ts'
import { type Html, html } from '../html.ts'
import { ORDER_PAGES } from '../parts/order-pages.ts'
import { choice, csrfField, empty, field, heading, optionsOf, table } from '../parts/parts.ts'
import { type Answer, type ConsoleRoute, page, redirect, type TenantCall } from '../route.ts'
import { filledForm, type Inputs, type SentForm, sentTo, shownField } from '../shown-form.ts'

const LABELS: ReadonlyMap<string, string> = new Map([
  ['how', 'When a line ended short'],
  ['remedy', 'What is offered'],
  ['missing_percent', 'Per cent that must be missing'],
])

/** Lines of any order that ended below what was ordered. */
export const shortfallRoutes: readonly ConsoleRoute[] = [
  actRoute('GET', '/reports/shortfalls', listShortfalls, shortfallPage),
  storedFormRoute('/reports/shortfalls/policy', setMakeGoodPolicy, {
    labels: LABELS,
    read: async (call) => inputsOf(await doAct(call, showMakeGoodPolicy, {})),
    save: savePolicy,
    again: withRefusal(shortfallPage),
  }),
]

const SPANS = [7, SHORTFALL_DAYS, 90, MOST_DAYS].map((days) => [String(days), `the last ${days} days`] as const)
const COLUMNS = [
  'Order',
  'Line',
  'Sold by',
  { title: 'Ordered', numeric: true },
  { title: 'Delivered', numeric: true },
  { title: 'Missing', numeric: true },
  'Last day',
  '',
]

async function shortfallPage(call: TenantCall): Promise<Answer> {
  const { base, query } = call
  const days = Number(query.get('days') || SHORTFALL_DAYS)
  const { items } = await doAct(call, listShortfalls, { days })
  const rows = items.map((each) => [
    html`<a href="${base}/${ORDER_PAGES[each.origin]}/${encodeURIComponent(each.order_id)}">${each.advertiser ?? each.order_id}</a><small class="id">${each.name ?? each.order_id}</small>`,
    html`${each.product_id}<small class="id">${each.line_id}</small>`,
    each.buyer_name ?? 'your people',
    amountOf(each, each.ordered),
    amountOf(each, each.delivered),
    percent(each.missing),
    flightDay(each.flight.last),
    html`<a class="button" href="${base}/orders/${encodeURIComponent(each.order_id)}/make-goods?line=${encodeURIComponent(each.line_id)}">Make good</a>${each.make_good && html`<small>${each.make_good.state}</small>`}`,
  ])
  const form = html`<form class="filters" method="get" action="${base}/reports/shortfalls">${choice('days', 'Ended in', SPANS, String(days))}<button>Show</button></form>`
  const lead = 'Lines whose flight is over and that delivered less than what was ordered, of buyers and of your people.'
  const list =
    rows.length === 0 ? empty('Everything that ended delivered what was ordered') : table('Delivered too little', COLUMNS, rows)
  const body = html`${heading('Delivered too little', undefined, lead)}${form}${list}${await policyPanel(call)}`
  return page('Delivered too little', body)
}

const HOW = optionsOf<(typeof MAKE_GOOD_POLICIES)[number]>({
  never: 'Propose nothing',
  propose: 'Propose, and a person decides',
  offer: 'Offer without a person',
})
const REMEDIES = optionsOf<MakeGoodRemedy>({
  additional_delivery: 'What is missing, in a line of its own',
  credit: 'A credit, where the line has a flat price',
})

/** What is done without a person, and the form that changes it. */
async function policyPanel(call: TenantCall): Promise<Html> {
  const policy = await doAct(call, showMakeGoodPolicy, {})
  const { how, remedy, missing_percent: least, since } = policy
  const path = `${call.base}/reports/shortfalls/policy`
  const stored = inputsOf(policy)
  const filled = filledForm(sentTo(call, path), stored)
  const value = (name: string) => filled.get(name) ?? ''
  const title = (words: readonly (readonly [string, string])[], value: string) =>
    words.find(([word]) => word === value)?.[1] ?? value
  const now = html`<p>${title(HOW, how)}${how === 'offer' && `: ${title(REMEDIES, remedy)}`}${how !== 'never' && `, where ${least} % or more of a guaranteed line is missing`}.${since !== null && html` Of lines that ended since ${moment(since)}, ${WAIT_DAYS} days after their end; a buyer may decline, with a direct order it is agreed at once.`}</p>`
  const form = html`<form method="post" action="${path}">${csrfField(call)}${shownField(stored)}
${choice('how', 'When a line ended short', HOW, value('how'))}
${choice('remedy', 'What is offered', REMEDIES, value('remedy'))}
${field('missing_percent', 'Per cent that must be missing', { type: 'number', value: value('missing_percent') })}
<button>Save</button></form>`
  return html`<section class="panel narrow"><h2>Make-goods without a person</h2>${now}${may(call, setMakeGoodPolicy) && form}</section>`
}

function inputsOf({ how, remedy, missing_percent: least }: Of<(typeof showMakeGoodPolicy)['answer']>): Inputs {
  return { how, remedy, missing_percent: String(least) }
}

async function savePolicy(call: TenantCall, { changedOf }: SentForm): Promise<Answer> {
  const { form, base } = call
  const members = changedOf({
    how: written(form, 'how'),
    remedy: written(form, 'remedy'),
    missing_percent: inputOf(form, 'missing_percent', setMakeGoodPolicy.fields.missing_percent),
  })
  await doAct(call, setMakeGoodPolicy, members)
  return redirect(`${base}/reports/shortfalls`, 'changed')
}

function amountOf({ unit, currency }: Shortfall, value: number): string {
  return unit === 'money' ? money(value, currency) : count(value)
}
